/* The data of Silk Road: rules, position, memory of the seats, and what all functions of the game count with. */
#ifndef SILK_ROAD_STATE_H
#define SILK_ROAD_STATE_H

#include "../arena/stream.h"

#define SILK_ROAD_RULES_VERSION "1"

/* The pieces. */
enum {
    SILK_ROAD_SEATS = 5,
    SILK_ROAD_GOODS = 5, SILK_ROAD_PER_GOOD = 14, SILK_ROAD_CARDS = SILK_ROAD_GOODS * SILK_ROAD_PER_GOOD,
    SILK_ROAD_COLOURS = 5, SILK_ROAD_PER_COLOUR = 4, SILK_ROAD_JEWELS = SILK_ROAD_COLOURS * SILK_ROAD_PER_COLOUR,
    SILK_ROAD_CAMELS = 10, SILK_ROAD_SIZES = 3, SILK_ROAD_DRIVERS = 5,
    SILK_ROAD_COLOURLESS = 10, SILK_ROAD_MARKERS = 6, SILK_ROAD_MARKER_POINTS = 8, /* in the supply (O6) */
    SILK_ROAD_FIRST_HAND = 4, SILK_ROAD_OPEN = 3, SILK_ROAD_CUSTOMS_LIMIT = 4,
    SILK_ROAD_TURNS_MOST = 2000
};

/* Bounds of lists, the map, and what is worked out for it (RULES.md, "Open points"). */
enum {
    SILK_ROAD_ENTRY = 4, /* numbers of an entry */
    SILK_ROAD_MENU = 20, /* entries of a question, but for a move */
    SILK_ROAD_TASKS = 20,
    SILK_ROAD_GONE = 255, /* place of a caravan that has left the game; no place, no signpost, no entry */
    SILK_ROAD_CITIES_LEAST = 6, SILK_ROAD_PLACES = 100, SILK_ROAD_VILLAGES = SILK_ROAD_PLACES - SILK_ROAD_CITIES_LEAST,
    SILK_ROAD_ROADS = 2 * 400, /* a road without arrow counts twice */
    SILK_ROAD_POSTS = 50 * 50, /* a village and a city each */
    SILK_ROAD_STEPS = 132,     /* of all ways from a place to a city */
    SILK_ROAD_SEARCH = 500000, /* places looked at to find all ways */
    SILK_ROAD_NAME = 160,      /* bytes of 40 characters */
    SILK_ROAD_PAIRS = 1024, SILK_ROAD_WAYS = 8192 /* ways beyond these are searched each time */
};

/* Bounds of the histories. A turn has 3 draws at most, or 2 and a card saved from the robber, and 3 cards that join the open
   ones; each card drawn is given once at most; the discards of a turn are shuffled once. */
enum {
    SILK_ROAD_CODES = 10 * SILK_ROAD_TURNS_MOST + 64,
    SILK_ROAD_DRAWN = 3 * SILK_ROAD_TURNS_MOST + SILK_ROAD_SEATS * SILK_ROAD_FIRST_HAND,
    SILK_ROAD_SHUFFLES = SILK_ROAD_TURNS_MOST + 1
};

/* What a function that can fail returns. */
typedef enum {
    SILK_ROAD_OK,
    SILK_ROAD_BAD_SEATS,     /* the game is for 2 to 5 seats */
    SILK_ROAD_BAD_RULES,     /* the map is not one that the arena sends */
    SILK_ROAD_OTHER_GAME,    /* the hello is of another game */
    SILK_ROAD_OTHER_VERSION, /* the hello is of rules that this header does not follow */
    SILK_ROAD_BAD_VIEW,      /* the view contradicts itself, or is over */
    SILK_ROAD_NO_WORLD,      /* the view fits no position */
    SILK_ROAD_BAD_CHOICE     /* a seat that is asked chose what it does not have; nothing was changed */
} silk_road_error;

/* Kinds of decision; tasks that ask for one have its number, and those that ask nobody the further ones. */
typedef enum {
    SILK_ROAD_OVER, SILK_ROAD_MOVE, SILK_ROAD_DRAW, SILK_ROAD_CUSTOMS, SILK_ROAD_SANDSTORM, SILK_ROAD_ROBBER, SILK_ROAD_BAZAAR,
    SILK_ROAD_BAKSHEESH, SILK_ROAD_PAY, SILK_ROAD_SELL, SILK_ROAD_JEWEL, SILK_ROAD_LAY_OUT, SILK_ROAD_KINDS
} silk_road_kind;
enum {
    SILK_ROAD_DO_TURN = SILK_ROAD_KINDS, SILK_ROAD_DO_ACT, SILK_ROAD_DO_REFILL, SILK_ROAD_DO_SWAP, SILK_ROAD_DO_LEAD_AWAY,
    SILK_ROAD_DO_CLOSE, SILK_ROAD_DO_FINISH
};

/* Words of entries, beside the numbers: a good, colour, seat, size, count or place stands as it is. */
enum { SILK_ROAD_PILE = 5, SILK_ROAD_NOTHING = 6, SILK_ROAD_NO = 6, SILK_ROAD_DO_SELL = 0, SILK_ROAD_DECLINE = 1 };

typedef enum { SILK_ROAD_GOES_ON, SILK_ROAD_BY_BAG, SILK_ROAD_STALLED } silk_road_ending;
typedef enum { SILK_ROAD_WHY_TURN, SILK_ROAD_WHY_MATCH, SILK_ROAD_WHY_CAMELS, SILK_ROAD_WHY_EMPTY } silk_road_why;
typedef enum { SILK_ROAD_LARGE, SILK_ROAD_SMALL, SILK_ROAD_BLACK, SILK_ROAD_LAST } silk_road_market;

/* Tiles; 0-4 are the small markets by good. */
enum {
    SILK_ROAD_TILE_BLACK = 5, SILK_ROAD_TILE_CAMELS_1, SILK_ROAD_TILE_CAMELS_2, SILK_ROAD_TILE_CAMELS_3, SILK_ROAD_TILE_CUSTOMS,
    SILK_ROAD_TILE_SANDSTORM, SILK_ROAD_TILE_ROBBER, SILK_ROAD_TILE_BAZAAR, SILK_ROAD_TILE_BAKSHEESH, SILK_ROAD_TILES
};

/* The rules map, compiled: of 30 kB, so keep it off a small stack. 0 or 1 where nothing else is said. Places are numbers: the
   cities, clockwise, then the villages. */
typedef struct {
    uint8_t drop_tied;           /* O3 recompute */
    uint8_t baksheesh_optional;  /* O4 */
    uint8_t most_cards;          /* O5: 1 to 14 */
    uint8_t capped;              /* O6 */
    uint8_t choose_dump;         /* O7 */
    uint8_t count_targets;       /* O8 */
    uint8_t sort_discards;       /* O9 */
    uint8_t extra_optional;      /* O10 */
    uint16_t max_turns;          /* O11: 1 to 2000 */
    uint8_t shuffle_at_once;     /* O13 */
    uint8_t camels_back;         /* O14 */
    uint8_t active_lays_last;    /* O15 */
    uint8_t empty_optional;      /* O16 */
    uint8_t laid;                /* O2: `tiles` are by village; else they are shuffled, and rise */
    uint8_t tiles[SILK_ROAD_VILLAGES];
    uint8_t cities, villages, longest; /* O1, to the end; longest: places of the longest way */
    uint8_t start[SILK_ROAD_SIZES], target[SILK_ROAD_SIZES];
    uint16_t road[SILK_ROAD_PLACES + 1]; /* by place: where its roads begin in `to` */
    uint8_t to[SILK_ROAD_ROADS];
    uint8_t post[SILK_ROAD_POSTS];       /* by village and city: the next place, or SILK_ROAD_GONE */
    uint16_t way[SILK_ROAD_PAIRS];       /* by place and city: where the ways begin in `ways`, or 0 */
    uint8_t ways[SILK_ROAD_WAYS];        /* how many ways, then the places of each; it ends with the city */
    uint16_t name[SILK_ROAD_PLACES + 1]; /* by place: where its name begins in `names` */
    char names[SILK_ROAD_PLACES * SILK_ROAD_NAME];
} silk_road_rules;

/* What is left to do in a turn: a kind or SILK_ROAD_DO_..., and its own values: draw: a why. customs: a seat, b cards
   discarded. sandstorm, robber: a seat. bazaar: a how many goods are named, b and c these. pay: a good. sell: a market and
   size, b camel, c mask of the seats that declined. jewel: the same, c seller. lay_out: a seat, b good. lead away, close: a
   market and size, b camel. swap: a and b seats. */
typedef struct {
    uint8_t step, a, b, c;
} silk_road_task;

/* A position: plain data, which is copied by assignment. Arrays are by seat, by size - 1 where it says so; of five numbers,
   counts by good or colour.

   A list is an array whose item 0 says how many follow; the top of a pile is its last item. Goods 0-4 are ivory, spice,
   porcelain, silk, tea; colours 0-4 blue, yellow, green, red, violet; a camel is the number on its disc. */
typedef struct {
    uint16_t turn, shuffles;          /* the turn from 1; reshuffles so far */
    uint16_t camels[SILK_ROAD_SIZES]; /* by size: mask of camels, bit 1 to bit 10 */
    uint16_t markers[SILK_ROAD_SEATS];
    uint8_t seats, active, idle, ending; /* silk_road_ending */
    uint8_t kind, asker;                 /* silk_road_kind of the open question, and who is asked */
    uint8_t robbed;                      /* mask of the seats robbed in this turn's chain */
    uint8_t quick;                       /* reshuffles come from the quick generator */
    uint8_t hand[SILK_ROAD_SEATS][SILK_ROAD_GOODS], display[SILK_ROAD_SEATS][SILK_ROAD_GOODS], open[SILK_ROAD_GOODS];
    uint8_t place[SILK_ROAD_SIZES], target[SILK_ROAD_SIZES], lots[SILK_ROAD_SIZES][SILK_ROAD_COLOURS]; /* by size; jewels there */
    uint8_t removed[SILK_ROAD_COLOURS], jewels[SILK_ROAD_SEATS][SILK_ROAD_COLOURS];
    uint8_t colourless[SILK_ROAD_SEATS], drivers[SILK_ROAD_SEATS];
    uint8_t played[4]; /* this turn's move: good, cards, size, place it came from; 0 cards before it */
    uint8_t queue[SILK_ROAD_CAMELS + 1]; /* head first */
    uint8_t bag[SILK_ROAD_JEWELS + 1];   /* the last item leaves first */
    uint8_t pile[SILK_ROAD_CARDS + 1], discard[SILK_ROAD_CARDS + 1];
    uint8_t tiles[SILK_ROAD_VILLAGES];
    uint8_t tasks;
    silk_road_task task[SILK_ROAD_TASKS], doing; /* the next task is the last item; doing: the one whose question is open */
    unsigned char secret[ARENA_SECRET];
} silk_road_state;

/* What the seats have seen and the position no longer shows: views and numbers need it, playing does not. Codes are those of
   `history.cards` (RULES.md). */
typedef struct {
    int codes, draws, shuffles;
    uint8_t known[SILK_ROAD_SEATS][SILK_ROAD_GOODS]; /* cards that all know to be in a hand */
    uint8_t fresh[SILK_ROAD_SEATS][SILK_ROAD_GOODS]; /* cards that a seat drew unseen since the last shuffle */
    uint8_t pool[SILK_ROAD_GOODS]; /* the pile at its last shuffle, less the cards that all saw leave it */
    uint8_t code[SILK_ROAD_CODES];
    uint8_t draw[SILK_ROAD_DRAWN]; /* goods drawn unseen: the first hands, then in the order of the codes */
    uint8_t shuffle[SILK_ROAD_SHUFFLES][SILK_ROAD_GOODS];
} silk_road_memory;

/* An entry of `legal`. move: good, cards, size, place. robber: seat, good. All others: one number, or SILK_ROAD_PILE and so on.
   */
typedef struct {
    int count, item[SILK_ROAD_ENTRY];
} silk_road_entry;

static inline void silk_road_push(uint8_t *list, int item)
{
    list[++list[0]] = (uint8_t)item;
}

static inline int silk_road_sum(const uint8_t counts[5])
{
    return counts[0] + counts[1] + counts[2] + counts[3] + counts[4];
}

/* Counts the goods, or colours, that are there. */
static inline int silk_road_kinds(const uint8_t counts[5])
{
    return (counts[0] > 0) + (counts[1] > 0) + (counts[2] > 0) + (counts[3] > 0) + (counts[4] > 0);
}

/* Returns the good of a camel. */
static inline int silk_road_good_of(int camel)
{
    static const uint8_t goods[SILK_ROAD_CAMELS + 1] = {0, 3, 2, 1, 0, 4, 4, 0, 1, 2, 3};
    return goods[camel];
}

/* Returns the mask of the camels that carry a good. */
static inline unsigned silk_road_carriers(int good)
{
    static const uint8_t low[SILK_ROAD_GOODS] = {4, 3, 2, 1, 5}; /* the other one is 11 less that */
    return 1u << low[good] | 1u << (11 - low[good]);
}

/* Returns the highest camel of a mask, 0 if there is none. */
static inline int silk_road_highest(unsigned camels)
{
    int camel = SILK_ROAD_CAMELS;
    while (camel > 0 && !(camels >> camel & 1))
        camel--;
    return camel;
}

static inline int silk_road_bits(unsigned mask)
{
    int count = 0;
    for (; mask; mask &= mask - 1)
        count++;
    return count;
}

/* Returns the colourless jewels, or the markers, left in the supply, which counts if it is capped (O6). */
static inline int silk_road_colourless_left(const silk_road_state *s)
{
    int left = SILK_ROAD_COLOURLESS;
    for (int seat = 0; seat < s->seats; seat++)
        left -= s->colourless[seat];
    return left;
}

static inline int silk_road_markers_left(const silk_road_state *s)
{
    int left = SILK_ROAD_MARKERS;
    for (int seat = 0; seat < s->seats; seat++)
        left -= s->markers[seat];
    return left;
}

/* Puts a task on top of the others. */
static inline void silk_road_plan(silk_road_state *s, int step, int a, int b, int c)
{
    silk_road_task *task = &s->task[s->tasks++];
    task->step = (uint8_t)step, task->a = (uint8_t)a, task->b = (uint8_t)b, task->c = (uint8_t)c;
}

#endif
