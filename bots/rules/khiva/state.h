/* The data of Khiva: rules, position, and what all functions of the game count with. */
#ifndef KHIVA_STATE_H
#define KHIVA_STATE_H

#include "../arena/stream.h"

#define KHIVA_RULES_VERSION "1"

enum {
    KHIVA_SEATS = 5,
    KHIVA_CAMELS = 5,
    KHIVA_CARDS = 25,
    KHIVA_TEAPOTS = 22,
    KHIVA_CARPETS = 50, /* at most 10 of each colour (O8) */
    KHIVA_SALTS = 5,
    KHIVA_HAND = 8,
    KHIVA_SHOWN = 4,
    KHIVA_SLOTS = 5, /* gems that a card can take at most (O1) */
    KHIVA_LANDS = KHIVA_SLOTS + 1,
    KHIVA_TURNS_MOST = 1000,
    KHIVA_GEMS_MOST = 20 * KHIVA_TURNS_MOST, /* more than anybody can gain */
    KHIVA_TENT = 0,
    KHIVA_OUTPOST = 5,
    KHIVA_SALT_PRICE = 3,
    KHIVA_WALK = 14, /* places ahead of a camel at most: 3 back, the tent, 5 out, 4 back again (O4 bounce), one to spare */
    KHIVA_UNLIMITED = -1,
    KHIVA_ENTRY = 4 /* numbers of an entry at most */
};

/* What a function that can fail returns. */
typedef enum {
    KHIVA_OK,
    KHIVA_BAD_SEATS,     /* the game is for 2 to 5 seats */
    KHIVA_BAD_RULES,     /* the map is not one that the arena sends */
    KHIVA_OTHER_GAME,    /* the hello is of another game */
    KHIVA_OTHER_VERSION, /* the hello is of rules that this header does not follow */
    KHIVA_BAD_VIEW,      /* the view contradicts itself, or is over */
    KHIVA_NO_WORLD,      /* the view fits no position */
    KHIVA_BAD_CHOICE,    /* a seat that is asked chose what it does not have; nothing was changed */
    KHIVA_OTHER_SEAT     /* the view of another seat in a world: what that seat remembers was not drawn */
} khiva_error;

typedef enum { KHIVA_OVER, KHIVA_PLAY_PASS, KHIVA_MOVE, KHIVA_BOOST, KHIVA_SHOP4 } khiva_kind;
typedef enum { KHIVA_GOES_ON, KHIVA_BY_TEAPOTS, KHIVA_BY_CARPETS, KHIVA_BY_SALTS, KHIVA_BY_TURNS } khiva_ending;
typedef enum { KHIVA_STOP_AT_OUTPOST, KHIVA_NO_MOVE, KHIVA_BOUNCE } khiva_overshoot;
typedef enum { KHIVA_PER_CARD, KHIVA_PER_PLAYER, KHIVA_PER_TURN } khiva_compensation;
typedef enum { KHIVA_CARPET, KHIVA_SALT, KHIVA_NOTHING } khiva_ware;

/* The rules map; 0 or 1 where no other type is given. */
typedef struct {
    uint8_t slots[KHIVA_CAMELS][5]; /* O1: gems by colour and value - 1 */
    uint8_t teapots[6];             /* O2: how many there are of the values 2 to 7, 22 together */
    uint8_t carpets[11];            /* O8: the number of values that each colour has, then those, rising, each 1 to 9 */
    uint8_t own_tent;               /* O3 */
    khiva_overshoot overshoot;      /* O4 */
    int supply;                     /* O5: gems in all, or KHIVA_UNLIMITED */
    khiva_compensation compensation; /* O6 */
    uint8_t top_visible;            /* O7 */
    uint8_t sum_bags;               /* O9 */
    uint8_t end_on_empty;           /* O10 */
    uint8_t may_decline;            /* O11 */
    uint8_t pay_after;              /* O12 */
    int max_turns;                  /* 1 to 1000 */
} khiva_rules;

/* A position: plain data, which is copied by assignment. Arrays are by seat, by camel where it says so.

   A list is an array whose item 0 says how many follow; the top of a pile is its last item. Colours and camels are 0-4; a card is
   5 * (5 - value) + colour, so that a rising list is a hand in its order; a carpet is 10 * colour + value; a place is 0 for the
   tent, else 6 * path + shop, where shop 5 is the outpost. */
typedef struct {
    int32_t gems[KHIVA_SEATS], supply; /* supply: gems left, or KHIVA_UNLIMITED */
    int16_t turn, deal;                /* from 1 */
    uint8_t seats, kind, ending;       /* khiva_kind, khiva_ending */
    uint8_t asker, card, camel;        /* who is asked, with what card, about what camel; camel is 5 while all choose */
    uint8_t winners;                   /* mask of the seats that won a camel this turn */
    uint8_t quick;                     /* redeals come from the quick generator */
    uint8_t place[KHIVA_CAMELS], load[KHIVA_CAMELS]; /* by camel; load: the teapot's value, 0 when bare */
    uint8_t bidder[KHIVA_CARDS];       /* by card of `bids`: the seat that played it */
    uint8_t bids[KHIVA_CAMELS][6];     /* by camel: cards revealed and not yet discarded */
    uint8_t lands[KHIVA_LANDS + 1];    /* where the camel stops with 0, 1, ... gems; for shop 4 where it stands */
    uint8_t hand[KHIVA_SEATS][KHIVA_HAND + 1];
    uint8_t teapots[KHIVA_SEATS][KHIVA_TEAPOTS + 1], salts[KHIVA_SEATS][KHIVA_SALTS + 1];
    uint8_t carpets[KHIVA_SEATS][KHIVA_CARPETS + 1], delivered[KHIVA_SEATS][KHIVA_CARPETS + 1];
    uint8_t aside[KHIVA_CARDS + 1], shown[KHIVA_SHOWN + 1], discard[KHIVA_CARDS + 1];
    uint8_t teapot_pile[KHIVA_TEAPOTS + 1], carpet_pile[KHIVA_CARPETS + 1], salt_pile[KHIVA_SALTS + 1];
    unsigned char secret[ARENA_SECRET]; /* redeals are drawn from it */
} khiva_state;

/* An entry of `legal`. KHIVA_PLAY_PASS: positions in the hand, those of cards to play, then those of cards to pass. KHIVA_MOVE: 0
   to move, 1 to stay. KHIVA_BOOST: gems. KHIVA_SHOP4: a khiva_ware. */
typedef struct {
    int count, item[KHIVA_ENTRY];
} khiva_entry;

static inline int khiva_colour(int card)
{
    return card % 5;
}

static inline int khiva_value(int card)
{
    return 5 - card / 5;
}

static inline int khiva_card(int colour, int value)
{
    return 5 * (5 - value) + colour;
}

/* Returns a card as 10 * colour + value, as histories have it. */
static inline int khiva_code(int card)
{
    return 10 * khiva_colour(card) + khiva_value(card);
}

static inline int khiva_card_of(int code)
{
    return khiva_card(code / 10, code % 10);
}

/* Returns how many cards a seat plays, and passes, in a turn; as many are kept at a redeal. */
static inline int khiva_each(int seats)
{
    return seats == 2 ? 2 : 1;
}

static inline int khiva_first_hand(int seats)
{
    return seats == 2 ? 8 : 5;
}

static inline int khiva_turns_per_deal(int seats)
{
    return seats == 2 ? 3 : 4;
}

/* Appends to a list. The pieces of the game are so many that no list is ever longer than its array. */
static inline void khiva_push(uint8_t *list, int item)
{
    list[++list[0]] = (uint8_t)item;
}

/* Puts a card into a hand, at its place. */
static inline void khiva_insert(uint8_t *hand, int card)
{
    int at = ++hand[0];
    for (; at > 1 && hand[at - 1] > card; at--)
        hand[at] = hand[at - 1];
    hand[at] = (uint8_t)card;
}

static inline void khiva_copy(uint8_t *list, const uint8_t *from)
{
    memcpy(list, from, (size_t)from[0] + 1);
}

/* Returns the sum of a list of teapots or salt bags. */
static inline int khiva_sum(const uint8_t *list)
{
    int total = 0;
    for (int i = 1; i <= list[0]; i++)
        total += list[i];
    return total;
}

/* Returns the sum of the values of a list of carpets. */
static inline int khiva_sum_carpets(const uint8_t *list)
{
    int total = 0;
    for (int i = 1; i <= list[0]; i++)
        total += list[i] % 10;
    return total;
}

/* --- score --- */

/* Counts teapots, salt, delivered carpets, and a point for each gem (K18). */
static inline int khiva_score(const khiva_rules *rules, const khiva_state *s, int seat)
{
    (void)rules;
    return khiva_sum(s->teapots[seat]) + khiva_sum(s->salts[seat]) + khiva_sum_carpets(s->delivered[seat]) + s->gems[seat];
}

/* Writes the places of all seats: by score, then number of teapots, then salt (K19, O9). Seats equal in all share a place. */
static inline void khiva_ranks(const khiva_rules *rules, const khiva_state *s, int ranks[KHIVA_SEATS])
{
    int key[KHIVA_SEATS][3];
    for (int seat = 0; seat < s->seats; seat++) {
        const uint8_t *bags = s->salts[seat];
        int best = 0;
        for (int i = 1; i <= bags[0]; i++)
            best = bags[i] > best ? bags[i] : best;
        key[seat][0] = khiva_score(rules, s, seat);
        key[seat][1] = s->teapots[seat][0];
        key[seat][2] = rules->sum_bags ? khiva_sum(bags) : best;
    }
    for (int seat = 0; seat < s->seats; seat++) {
        ranks[seat] = 1;
        for (int other = 0; other < s->seats; other++) {
            int i = 0;
            while (i < 2 && key[other][i] == key[seat][i])
                i++;
            ranks[seat] += key[other][i] > key[seat][i];
        }
    }
}

#endif
