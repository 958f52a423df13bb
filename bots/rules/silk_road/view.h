/* What a seat of Silk Road sees: made of a position, or read as it comes from the arbiter. A caller may fill it, too:
   silk_road_think checks every number. */
#ifndef SILK_ROAD_VIEW_H
#define SILK_ROAD_VIEW_H

#include "play.h"
#include "reading.h"

/* A view, as RULES.md lists its keys; arrays and lists are those of silk_road_state and silk_road_memory. What a question does
   not have is 0. */
typedef struct {
    int seats, seat, turn, active, idle, pile;
    silk_road_ending ending;
    uint8_t hand[SILK_ROAD_GOODS], hands[SILK_ROAD_SEATS], known[SILK_ROAD_SEATS][SILK_ROAD_GOODS];
    uint8_t displays[SILK_ROAD_SEATS][SILK_ROAD_GOODS], open[SILK_ROAD_GOODS], pool[SILK_ROAD_GOODS], unseen[SILK_ROAD_GOODS];
    uint8_t discard[SILK_ROAD_CARDS + 1];
    uint8_t place[SILK_ROAD_SIZES], target[SILK_ROAD_SIZES], lots[SILK_ROAD_SIZES][SILK_ROAD_COLOURS]; /* lots: jewels there */
    uint16_t camels[SILK_ROAD_SIZES], markers[SILK_ROAD_SEATS];
    uint8_t queue[SILK_ROAD_CAMELS + 1], tiles[SILK_ROAD_VILLAGES];
    uint8_t bag[SILK_ROAD_COLOURS], removed[SILK_ROAD_COLOURS], jewels[SILK_ROAD_SEATS][SILK_ROAD_COLOURS];
    uint8_t colourless[SILK_ROAD_SEATS], drivers[SILK_ROAD_SEATS], played[4];
    silk_road_kind kind; /* of the open question, SILK_ROAD_OVER if there is none */
    int asker;
    silk_road_why why;   /* draw */
    int more;            /* draw: another one follows */
    int left;            /* customs: cards to go */
    unsigned robbed;     /* robber: mask of seats */
    uint8_t named[3];    /* bazaar: list of goods */
    int good;            /* pay: the one taken; lay_out: the one asked for */
    silk_road_market market; /* sell, jewel, as what follows */
    int size, camel;
    unsigned declined; /* sell: mask of seats */
    int codes, draws, shuffles;
    uint8_t code[SILK_ROAD_CODES], draw[SILK_ROAD_DRAWN], shuffle[SILK_ROAD_SHUFFLES][SILK_ROAD_GOODS];
} silk_road_view;

/* Returns how many seats the match of a view has. */
static inline int silk_road_seats_of(const silk_road_view *view)
{
    return view->seats;
}

/* --- what a seat sees --- */

/* Writes by good how many cards in the pile and in hands the seat cannot name. */
static inline void silk_road_count_unseen(const silk_road_state *s, const uint8_t (*known)[SILK_ROAD_GOODS], int seat,
                                          uint8_t unseen[SILK_ROAD_GOODS])
{
    for (int good = 0; good < SILK_ROAD_GOODS; good++) {
        int left = SILK_ROAD_PER_GOOD - s->open[good];
        for (int other = 0; other < s->seats; other++)
            left -= s->display[other][good] + (other == seat ? s->hand : known)[other][good];
        for (int i = 1; i <= s->discard[0]; i++)
            left -= s->discard[i] == good;
        unseen[good] = (uint8_t)left;
    }
}

/* Copies the history, of the unseen draws those of one seat. */
static inline void silk_road_copy_history(const silk_road_memory *memory, int seat, silk_road_view *view)
{
    int from = SILK_ROAD_FIRST_HAND * view->seats;
    view->codes = memory->codes;
    memcpy(view->code, memory->code, (size_t)memory->codes);
    view->shuffles = memory->shuffles;
    memcpy(view->shuffle, memory->shuffle, (size_t)memory->shuffles * SILK_ROAD_GOODS);
    view->draws = SILK_ROAD_FIRST_HAND;
    memcpy(view->draw, memory->draw + SILK_ROAD_FIRST_HAND * seat, SILK_ROAD_FIRST_HAND);
    for (int i = 0; i < memory->codes && from < memory->draws; i++)
        if (memory->code[i] < SILK_ROAD_TURNED_UP && memory->code[i] % SILK_ROAD_SEAT_CODES == SILK_ROAD_BLIND) {
            if (memory->code[i] / SILK_ROAD_SEAT_CODES == seat)
                view->draw[view->draws++] = memory->draw[from];
            from++;
        }
}

/* Writes the facts of the open question; all of them are public. */
static inline void silk_road_see_question(const silk_road_state *s, silk_road_view *view)
{
    const silk_road_task *doing = &s->doing;
    view->kind = (silk_road_kind)s->kind;
    view->asker = s->kind == SILK_ROAD_OVER ? 0 : s->asker;
    switch (s->kind) {
    case SILK_ROAD_DRAW:
        view->why = (silk_road_why)doing->a;
        view->more = s->tasks > 0 && s->task[s->tasks - 1].step == SILK_ROAD_DRAW;
        break;
    case SILK_ROAD_CUSTOMS: view->left = silk_road_sum(s->hand[s->asker]) - SILK_ROAD_CUSTOMS_LIMIT; break;
    case SILK_ROAD_ROBBER: view->robbed = s->robbed; break;
    case SILK_ROAD_BAZAAR: view->named[0] = doing->a, view->named[1] = doing->b, view->named[2] = doing->c; break;
    case SILK_ROAD_PAY: view->good = doing->a; break;
    case SILK_ROAD_LAY_OUT: view->good = doing->b; break;
    case SILK_ROAD_SELL:
    case SILK_ROAD_JEWEL:
        view->market = (silk_road_market)(doing->a >> 2), view->size = doing->a & 3, view->camel = doing->b;
        view->declined = s->kind == SILK_ROAD_SELL ? doing->c : 0;
        break;
    default: break;
    }
}

/* Writes the view that a seat has (S19). */
static inline void silk_road_see(const silk_road_rules *rules, const silk_road_state *s, const silk_road_memory *memory, int seat,
                                 silk_road_view *view)
{
    (void)rules;
    memset(view, 0, sizeof *view);
    view->seats = s->seats, view->seat = seat, view->turn = s->turn, view->active = s->active, view->idle = s->idle;
    view->pile = s->pile[0], view->ending = (silk_road_ending)s->ending;
    memcpy(view->hand, s->hand[seat], sizeof view->hand);
    memcpy(view->known, memory->known, sizeof view->known);
    memcpy(view->known[seat], s->hand[seat], sizeof view->hand);
    memcpy(view->displays, s->display, sizeof view->displays);
    memcpy(view->open, s->open, sizeof view->open);
    for (int good = 0; good < SILK_ROAD_GOODS; good++)
        view->pool[good] = (uint8_t)(memory->pool[good] - memory->fresh[seat][good]);
    memcpy(view->discard, s->discard, (size_t)s->discard[0] + 1);
    memcpy(view->place, s->place, sizeof view->place);
    memcpy(view->target, s->target, sizeof view->target);
    memcpy(view->lots, s->lots, sizeof view->lots);
    memcpy(view->camels, s->camels, sizeof view->camels);
    memcpy(view->markers, s->markers, sizeof view->markers);
    memcpy(view->queue, s->queue, (size_t)s->queue[0] + 1);
    memcpy(view->tiles, s->tiles, sizeof view->tiles);
    for (int i = 1; i <= s->bag[0]; i++)
        view->bag[s->bag[i]]++;
    memcpy(view->removed, s->removed, sizeof view->removed);
    memcpy(view->jewels, s->jewels, sizeof view->jewels);
    memcpy(view->colourless, s->colourless, sizeof view->colourless);
    memcpy(view->drivers, s->drivers, sizeof view->drivers);
    memcpy(view->played, s->played, sizeof view->played);
    for (int other = 0; other < s->seats; other++)
        view->hands[other] = (uint8_t)silk_road_sum(s->hand[other]);
    silk_road_count_unseen(s, memory->known, seat, view->unseen);
    silk_road_see_question(s, view);
    silk_road_copy_history(memory, seat, view);
}

/* --- views as they come from the arbiter --- */

/* Reads `rows` lists of five numbers; one list alone if `rows` is 0. */
static inline void silk_road_fives_at(const arena_map *keys, const char *key, int rows, uint8_t (*fives)[5], int *bad)
{
    kit_cursor c = arena_at(keys, key);
    c.bad |= rows > 0 && kit_array(&c) != (uint32_t)rows;
    for (int i = 0; i < (rows > 0 ? rows : 1) && !c.bad; i++) {
        c.bad |= kit_array(&c) != 5;
        for (int j = 0; j < 5; j++)
            fives[i][j] = (uint8_t)arena_number(&c, 0, SILK_ROAD_CARDS);
    }
    *bad |= c.bad;
}

/* Reads at most `room` numbers from `least` to `most`, and returns how many. */
static inline int silk_road_numbers_at(const arena_map *keys, const char *key, uint8_t *numbers, int room, int least, int most,
                                       int *bad)
{
    kit_cursor c = arena_at(keys, key);
    uint32_t count = kit_array(&c);
    c.bad |= count > (uint32_t)room;
    for (uint32_t i = 0; i < count && !c.bad; i++)
        numbers[i] = (uint8_t)arena_number(&c, least, most);
    *bad |= c.bad;
    return c.bad ? 0 : (int)count;
}

/* Reads a list of seats as a mask. */
static inline unsigned silk_road_mask_at(const arena_map *keys, const char *key, int *bad)
{
    uint8_t seats[SILK_ROAD_SEATS];
    unsigned mask = 0;
    int count = silk_road_numbers_at(keys, key, seats, SILK_ROAD_SEATS, 0, SILK_ROAD_SEATS - 1, bad);
    for (int i = 0; i < count; i++)
        mask |= 1u << seats[i];
    return mask;
}

/* Reads place, target and camels of each caravan. */
static inline void silk_road_read_caravans(const silk_road_rules *rules, kit_cursor c, silk_road_view *view, int *bad)
{
    c.bad |= kit_array(&c) != SILK_ROAD_SIZES;
    for (int i = 0; i < SILK_ROAD_SIZES && !c.bad; i++) {
        int camel, last = SILK_ROAD_CAMELS + 1;
        if (kit_peek(c) == KIT_NIL) {
            kit_skip(&c);
            view->place[i] = view->target[i] = SILK_ROAD_GONE;
            continue;
        }
        c.bad |= kit_array(&c) != 3;
        view->place[i] = (uint8_t)silk_road_read_place(rules, &c, 0, rules->cities + rules->villages);
        view->target[i] = (uint8_t)silk_road_read_place(rules, &c, 0, rules->cities);
        for (uint32_t left = kit_array(&c); left > 0 && !c.bad; left--, last = camel) {
            camel = arena_number(&c, 1, last - 1);
            view->camels[i] = (uint16_t)(view->camels[i] | 1u << camel);
        }
    }
    *bad |= c.bad;
}

/* Reads the jewels of the cities: they lie where caravans go. */
static inline void silk_road_read_lots(const silk_road_rules *rules, kit_cursor c, silk_road_view *view, int *bad)
{
    for (uint32_t cities = kit_map(&c); cities > 0 && !c.bad; cities--) {
        int city = silk_road_read_place(rules, &c, 0, rules->cities), i = 0;
        uint32_t left = kit_array(&c);
        while (i < SILK_ROAD_SIZES && view->target[i] != city)
            i++;
        c.bad |= i == SILK_ROAD_SIZES || left > SILK_ROAD_SIZES;
        for (; left > 0 && !c.bad; left--)
            view->lots[i][arena_number(&c, 0, SILK_ROAD_COLOURS - 1)]++;
    }
    *bad |= c.bad;
}

/* Reads the open question. */
static inline void silk_road_read_question(kit_cursor c, silk_road_view *view, int *bad)
{
    static const char *const kinds[] = {"move", "draw", "customs", "sandstorm", "robber", "bazaar",
                                        "baksheesh", "pay", "sell", "jewel", "lay_out"};
    static const char *const reasons[] = {"turn", "match", "camels", "empty"};
    static const char *const markets[] = {"large", "small", "black", "last"};
    arena_map keys;
    kit_cursor more;
    if (kit_peek(c) == KIT_NIL)
        return;
    keys = arena_read_map(&c);
    *bad |= c.bad;
    more = arena_at(&keys, "more");
    view->kind = (silk_road_kind)(SILK_ROAD_MOVE + arena_word_at(&keys, "kind", kinds, SILK_ROAD_KINDS - 1, bad));
    view->asker = arena_number_at(&keys, "seat", 0, SILK_ROAD_SEATS - 1, bad);
    switch (view->kind) {
    case SILK_ROAD_DRAW:
        view->why = (silk_road_why)arena_word_at(&keys, "why", reasons, 4, bad);
        view->more = kit_bool(&more);
        *bad |= more.bad;
        break;
    case SILK_ROAD_CUSTOMS: view->left = arena_number_at(&keys, "left", 0, SILK_ROAD_CARDS, bad); break;
    case SILK_ROAD_ROBBER: view->robbed = silk_road_mask_at(&keys, "robbed", bad); break;
    case SILK_ROAD_BAZAAR:
        view->named[0] = (uint8_t)silk_road_numbers_at(&keys, "named", view->named + 1, 2, 0, SILK_ROAD_GOODS - 1, bad);
        break;
    case SILK_ROAD_PAY: view->good = arena_number_at(&keys, "taken", 0, SILK_ROAD_GOODS - 1, bad); break;
    case SILK_ROAD_LAY_OUT: view->good = arena_number_at(&keys, "good", 0, SILK_ROAD_GOODS - 1, bad); break;
    case SILK_ROAD_SELL: view->declined = silk_road_mask_at(&keys, "declined", bad); /* fall through */
    case SILK_ROAD_JEWEL:
        view->market = (silk_road_market)arena_word_at(&keys, "market", markets, 4, bad);
        view->size = arena_number_at(&keys, "size", 1, SILK_ROAD_SIZES, bad);
        view->camel = arena_number_at(&keys, "camel", 1, SILK_ROAD_CAMELS, bad);
        break;
    default: break;
    }
}

/* Reads this turn's move, and the histories. */
static inline void silk_road_read_past(const silk_road_rules *rules, const arena_map *keys, silk_road_view *view, int *bad)
{
    kit_cursor c = arena_at(keys, "played"), history = arena_at(keys, "history"), shuffles;
    arena_map lists = arena_read_map(&history);
    if (kit_peek(c) != KIT_NIL) {
        c.bad |= kit_array(&c) != 4;
        view->played[0] = (uint8_t)arena_number(&c, 0, SILK_ROAD_GOODS - 1);
        view->played[1] = (uint8_t)arena_number(&c, 1, SILK_ROAD_PER_GOOD);
        view->played[2] = (uint8_t)arena_number(&c, 1, SILK_ROAD_SIZES);
        view->played[3] = (uint8_t)silk_road_read_place(rules, &c, 0, rules->cities + rules->villages);
    }
    view->codes = silk_road_numbers_at(&lists, "cards", view->code, SILK_ROAD_CODES, 0, SILK_ROAD_RESHUFFLE, bad);
    view->draws = silk_road_numbers_at(&lists, "drawn", view->draw, SILK_ROAD_DRAWN, 0, SILK_ROAD_GOODS - 1, bad);
    shuffles = arena_at(&lists, "shuffles");
    view->shuffles = (int)kit_array(&shuffles);
    if (view->shuffles > SILK_ROAD_SHUFFLES || view->shuffles < 0)
        shuffles.bad = 1, view->shuffles = 0;
    if (view->shuffles > 0)
        silk_road_fives_at(&lists, "shuffles", view->shuffles, view->shuffle, bad);
    *bad |= c.bad | history.bad | shuffles.bad;
}

/* Reads a view. Returns SILK_ROAD_OK, or SILK_ROAD_BAD_VIEW if it has another form; silk_road_think looks at what its numbers
   mean together. */
static inline int silk_road_read_view(kit_cursor map, const silk_road_rules *rules, silk_road_view *view)
{
    static const char *const endings[] = {"", "bag", "stalled"};
    arena_map keys = arena_read_map(&map);
    int bad = map.bad, seats = arena_number_at(&keys, "seats", 2, SILK_ROAD_SEATS, &bad);
    kit_cursor c = arena_at(&keys, "markers");
    memset(view, 0, sizeof *view);
    view->seats = seats;
    view->seat = arena_number_at(&keys, "seat", 0, seats - 1, &bad);
    view->turn = arena_number_at(&keys, "turn", 1, SILK_ROAD_TURNS_MOST, &bad);
    view->active = arena_number_at(&keys, "active", 0, seats - 1, &bad);
    view->idle = arena_number_at(&keys, "idle", 0, seats, &bad);
    view->pile = arena_number_at(&keys, "pile", 0, SILK_ROAD_CARDS, &bad);
    if (kit_peek(arena_at(&keys, "ending")) != KIT_NIL)
        view->ending = (silk_road_ending)arena_word_at(&keys, "ending", endings, 3, &bad);
    silk_road_fives_at(&keys, "hand", 0, &view->hand, &bad);
    bad |= silk_road_numbers_at(&keys, "hands", view->hands, seats, 0, SILK_ROAD_CARDS, &bad) != seats;
    silk_road_fives_at(&keys, "known", seats, view->known, &bad);
    silk_road_fives_at(&keys, "displays", seats, view->displays, &bad);
    silk_road_fives_at(&keys, "open", 0, &view->open, &bad);
    silk_road_fives_at(&keys, "pool", 0, &view->pool, &bad);
    silk_road_fives_at(&keys, "unseen", 0, &view->unseen, &bad);
    view->discard[0] = (uint8_t)silk_road_numbers_at(&keys, "discard", view->discard + 1, SILK_ROAD_CARDS, 0, 4, &bad);
    silk_road_read_caravans(rules, arena_at(&keys, "caravans"), view, &bad);
    silk_road_read_lots(rules, arena_at(&keys, "cities"), view, &bad);
    view->queue[0] = (uint8_t)silk_road_numbers_at(&keys, "queue", view->queue + 1, SILK_ROAD_CAMELS, 1, SILK_ROAD_CAMELS, &bad);
    silk_road_read_tiles(rules, arena_at(&keys, "tiles"), view->tiles, &bad);
    silk_road_fives_at(&keys, "bag", 0, &view->bag, &bad);
    silk_road_fives_at(&keys, "removed", 0, &view->removed, &bad);
    silk_road_fives_at(&keys, "jewels", seats, view->jewels, &bad);
    bad |= silk_road_numbers_at(&keys, "colourless", view->colourless, seats, 0, SILK_ROAD_COLOURLESS, &bad) != seats;
    bad |= silk_road_numbers_at(&keys, "drivers", view->drivers, seats, 1, SILK_ROAD_DRIVERS, &bad) != seats;
    c.bad |= kit_array(&c) != (uint32_t)seats;
    for (int seat = 0; seat < seats; seat++)
        view->markers[seat] = (uint16_t)arena_number(&c, 0, SILK_ROAD_TURNS_MOST);
    silk_road_read_past(rules, &keys, view, &bad);
    silk_road_read_question(arena_at(&keys, "ask"), view, &bad);
    return bad || c.bad ? SILK_ROAD_BAD_VIEW : SILK_ROAD_OK;
}

#endif
