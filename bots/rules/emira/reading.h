/* Reads Emira's views as they come from the arbiter, with the kit's cursor. */
#ifndef EMIRA_READING_H
#define EMIRA_READING_H

#include "rules.h"
#include "view.h"

/* --- items and lists --- */

/* Reads an item of the sort that `format` says: s a seat, n a small number, v an event card, e an Emira, p a status card by its
   price, c a kind of counter, C a colour, t a type of caravan, i an item of the supply, T a talent, d a deck, m a word of `mind`,
   o an outcome. */
static inline int emira_read_item(kit_cursor *c, char format)
{
    static const char *const names[EMIRA_EMIRAS] = {
        "Albina", "Halimah", "Asima", "Noor", "Rasha", "Thara", "Zainab", "Nibal", "Samira", "Zahrah", "Fatima", "Layla",
        "Malika", "Nadia", "Firyal", "Hind", "Farah", "Raidah", "Adara", "Suleika", "Janan", "Sahar", "Anisah", "Zafirah",
        "Xenia", "Yasmine", "Badra", "Sidi Suleiman"};
    static const char *const kinds[] = {"beauty", "manners", "dress"}, *const items[] = {"small", "large", "camel", "palace"};
    static const char *const types[] = {"small_slow", "small_fast", "large_slow", "large_fast"};
    static const char *const colours[] = {"green", "white", "red", "blue", "black"}, *const decks[] = {"emiras", "status"};
    static const char *const talents[] = {"intelligence", "household", "cooking", "romance"};
    static const char *const minds[] = {"keep", "swap", "bottom"}, *const outcomes[] = {"paid", "refused", "unable", "gone"};
    int price, card = 0;
    switch (format) {
    case 'v': return emira_read_event(c);
    case 'e': return arena_word(c, names, EMIRA_EMIRAS);
    case 'c': return arena_word(c, kinds, EMIRA_COUNTERS);
    case 'C': return arena_word(c, colours, 5);
    case 't': return arena_word(c, types, EMIRA_CARAVANS);
    case 'i': return arena_word(c, items, EMIRA_ITEMS);
    case 'T': return arena_word(c, talents, EMIRA_TALENTS);
    case 'd': return arena_word(c, decks, 2);
    case 'm': return arena_word(c, minds, 3);
    case 'o': return arena_word(c, outcomes, 4);
    case 'p':
        price = arena_number(c, 0, emira_price(EMIRA_PRICES - 1));
        while (card < EMIRA_PRICES - 1 && emira_price(card) != price)
            card++;
        c->bad |= emira_price(card) != price;
        return card;
    default: return arena_number(c, 0, format == 's' ? EMIRA_SEATS - 1 : EMIRA_ROUNDS_MOST + EMIRA_GIFT_EVERY);
    }
}

/* Reads a list of at most `room` items of one format; null is EMIRA_UNKNOWN. */
static inline void emira_read_list(kit_cursor *c, char format, uint8_t *list, uint32_t room)
{
    uint32_t count = kit_array(c);
    c->bad |= count > room;
    for (; count > 0 && !c->bad; count--)
        if (kit_peek(*c) == KIT_NIL) {
            kit_skip(c);
            emira_push(list, EMIRA_UNKNOWN);
        } else {
            emira_push(list, emira_read_item(c, format));
        }
}

/* Reads a list of items and counts each of them. */
static inline void emira_read_counts(kit_cursor *c, char format, uint8_t *counts, uint32_t room, int least, int most)
{
    uint32_t count = kit_array(c);
    c->bad |= count > room;
    for (; count > 0 && !c->bad; count--) {
        int item = emira_read_item(c, format) - least;
        c->bad |= item < 0 || item >= most;
        counts[c->bad ? 0 : item]++;
    }
}

/* Reads a list of items into a mask. */
static inline uint32_t emira_read_mask(kit_cursor *c, char format)
{
    uint32_t mask = 0, count = kit_array(c);
    c->bad |= count > 32;
    for (; count > 0 && !c->bad; count--) {
        int item = emira_read_item(c, format);
        c->bad |= item > 31;
        mask |= (uint32_t)1 << (item & 31);
    }
    return mask;
}

/* Reads the value of a key: a list of items into a mask. */
static inline uint32_t emira_mask_at(const arena_map *keys, const char *key, char format, int *bad)
{
    kit_cursor c = arena_at(keys, key);
    uint32_t mask = emira_read_mask(&c, format);
    *bad |= c.bad;
    return mask;
}

/* Reads the value of a key: a list of at most `room` items. */
static inline void emira_list_at(const arena_map *keys, const char *key, char format, uint8_t *list, uint32_t room, int *bad)
{
    kit_cursor c = arena_at(keys, key);
    emira_read_list(&c, format, list, room);
    *bad |= c.bad;
}

/* Reads the value of a key: exactly `count` small numbers. */
static inline void emira_bytes_at(const arena_map *keys, const char *key, uint8_t *numbers, int count, int *bad)
{
    kit_cursor c = arena_at(keys, key);
    c.bad |= kit_array(&c) != (uint32_t)count;
    for (int i = 0; i < count; i++)
        numbers[i] = (uint8_t)arena_number(&c, 0, EMIRA_ROUNDS_MOST + 1);
    *bad |= c.bad;
}

/* Reads the value of a key: a seat, or null for EMIRA_NOBODY. */
static inline uint8_t emira_seat_at(const arena_map *keys, const char *key, int *bad)
{
    if (kit_peek(arena_at(keys, key)) == KIT_NIL)
        return EMIRA_NOBODY;
    return (uint8_t)arena_number_at(keys, key, 0, EMIRA_SEATS - 1, bad);
}

/* Reads the value of a key: yes or no. */
static inline uint8_t emira_switch_at(const arena_map *keys, const char *key, int *bad)
{
    kit_cursor c = arena_at(keys, key);
    int yes = kit_bool(&c);
    *bad |= c.bad;
    return (uint8_t)yes;
}

/* --- the sheiks --- */

/* Reads the ways to fulfil a goal, and returns the goal that has them; any number if the cursor gets bad. */
static inline int emira_read_goal(kit_cursor *c, int seats)
{
    uint8_t ways[EMIRA_WAYS_MOST][EMIRA_TALENTS] = {{0}};
    uint32_t count = kit_array(c);
    c->bad |= count > EMIRA_WAYS_MOST;
    for (uint32_t way = 0; way < count && !c->bad; way++)
        for (uint32_t names = kit_array(c); names > 0 && !c->bad; names--)
            ways[way][emira_read_item(c, 'T')]++;
    for (int goal = 0; goal < emira_goals(seats) && !c->bad; goal++) {
        int fits = emira_goal(seats, goal, (int)count) == NULL;
        for (int way = 0; way < (int)count && fits; way++)
            fits = emira_goal(seats, goal, way) != NULL && memcmp(emira_goal(seats, goal, way), ways[way], EMIRA_TALENTS) == 0;
        if (fits)
            return goal;
    }
    c->bad = 1;
    return 0;
}

/* Reads the gold of a seat, and what was last shown of it. */
static inline void emira_read_gold(kit_cursor *gold, kit_cursor *shown, emira_table *t, int seat)
{
    t->gold[seat] = -1;
    if (kit_peek(*gold) == KIT_NIL)
        kit_skip(gold);
    else
        t->gold[seat] = arena_number(gold, 0, EMIRA_GOLD_MOST);
    if (kit_peek(*shown) == KIT_NIL) {
        kit_skip(shown);
        return;
    }
    shown->bad |= kit_array(shown) != 2;
    t->shown_round[seat] = (uint8_t)arena_number(shown, 1, EMIRA_ROUNDS_MOST);
    t->shown_gold[seat] = arena_number(shown, 0, EMIRA_GOLD_MOST);
}

/* Reads what a seat has that is a list of its own. */
static inline void emira_read_sheik(kit_cursor c[8], emira_table *t, int seat)
{
    int off;
    c[0].bad |= kit_array(&c[0]) != EMIRA_CARAVANS;
    for (int type = 0; type < EMIRA_CARAVANS; type++)
        emira_read_counts(&c[0], 'n', t->caravans[seat][type], 12, 1, emira_length(type));
    off = arena_number(&c[1], 0, 150);
    while (t->breed[seat] < 3 && emira_track(t->breed[seat]) != off)
        t->breed[seat]++;
    c[1].bad |= emira_track(t->breed[seat]) != off;
    c[2].bad |= kit_array(&c[2]) != EMIRA_COUNTERS;
    for (int kind = 0; kind < EMIRA_COUNTERS; kind++)
        t->counters[seat][kind] = (uint8_t)arena_number(&c[2], 0, 9);
    emira_read_list(&c[3], 'n', t->looking[seat], EMIRA_COPIES);
    emira_read_counts(&c[4], 'p', t->status[seat], EMIRA_STATUS_CARDS, 0, EMIRA_PRICES);
    off = 2 * t->sections[seat];
    t->disc[seat] = (int8_t)(arena_number(&c[5], off - 100, off + 100) - off);
    emira_read_list(&c[6], 'e', t->princesses[seat], EMIRA_EMIRAS);
    t->met[seat] = emira_read_mask(&c[7], 'e');
}

/* Reads what lies before the sheiks. */
static inline void emira_read_sheiks(const arena_map *keys, emira_table *t, int *bad)
{
    static const char *const own[8] = {"caravans",     "discount", "counters",   "good_looking",
                                       "status_cards", "palace",   "princesses", "met"};
    kit_cursor c[8], colour = arena_at(keys, "colours"), gold = arena_at(keys, "gold"), shown = arena_at(keys, "gold_shown");
    emira_bytes_at(keys, "camels", t->camels, t->seats, bad);
    emira_bytes_at(keys, "sections", t->sections, t->seats, bad);
    emira_bytes_at(keys, "guests", t->guests, t->seats, bad);
    emira_bytes_at(keys, "arrivals", t->arrivals, t->seats, bad);
    emira_bytes_at(keys, "lost", t->lost, t->seats, bad);
    for (int i = 0; i < 8; i++) {
        c[i] = arena_at(keys, own[i]);
        c[i].bad |= kit_array(&c[i]) != t->seats;
    }
    *bad |= kit_array(&colour) != t->seats || kit_array(&gold) != t->seats || kit_array(&shown) != t->seats;
    for (int seat = 0; seat < t->seats; seat++) {
        t->colours[seat] = (uint8_t)emira_read_item(&colour, 'C');
        emira_read_gold(&gold, &shown, t, seat);
        emira_read_sheik(c, t, seat);
    }
    for (int i = 0; i < 8; i++)
        *bad |= c[i].bad;
    *bad |= colour.bad | gold.bad | shown.bad;
}

/* --- the board and the auction --- */

/* Reads what lies on the board and what is left. */
static inline void emira_read_board(const arena_map *keys, emira_table *t, int *bad)
{
    kit_cursor c = arena_at(keys, "board");
    arena_map board = arena_read_map(&c);
    emira_list_at(&board, "appearance", 'c', t->shown_counters, 2, bad);
    emira_list_at(&board, "status", 'p', t->shown_status, EMIRA_STATUS_CARDS, bad);
    t->open = (uint8_t)emira_mask_at(&board, "open", 'i', bad);
    emira_bytes_at(keys, "supply", t->supply, EMIRA_ITEMS, bad);
    emira_bytes_at(keys, "bag", t->bag, EMIRA_COUNTERS, bad);
    t->bonus_left = EMIRA_NOBODY;
    if (kit_peek(arena_at(keys, "bonus_left")) != KIT_NIL) {
        t->bonus_left = (uint8_t)arena_number_at(keys, "bonus_left", 0, EMIRA_BONUS_COUNTERS, bad);
        emira_bytes_at(keys, "sets", t->bonus, t->seats, bad);
    }
    *bad |= c.bad;
}

/* Reads what this round's event cards do. */
static inline void emira_read_effects(kit_cursor c, emira_table *t, int *bad)
{
    static const char *const larger[] = {"even", "odd"};
    arena_map effects = arena_read_map(&c);
    t->golden = (uint8_t)arena_number_at(&effects, "golden", 0, EMIRA_COPIES, bad);
    t->doubles = (uint8_t)arena_number_at(&effects, "doubles", 0, EMIRA_COPIES, bad);
    t->interrupted = emira_switch_at(&effects, "interrupted", bad);
    t->sick = emira_switch_at(&effects, "sick", bad);
    t->quiet = emira_switch_at(&effects, "quiet", bad);
    t->early = (uint8_t)arena_word_at(&effects, "larger", larger, 2, bad);
    t->bazaar = emira_seat_at(&effects, "bazaar", bad);
    t->noble = emira_seat_at(&effects, "noble", bad);
    t->blocked = emira_mask_at(&effects, "blocked", 'v', bad);
    *bad |= c.bad;
}

/* Reads an auction of `bids`, and notes who took the grant as the last answer in it. */
static inline void emira_read_answers(kit_cursor *c, emira_table *t)
{
    uint8_t bidding[EMIRA_SEATS + 1] = {0};
    uint32_t count = kit_array(c);
    int opener = arena_number(c, 0, EMIRA_SEATS - 1), mask = arena_number(c, 1, 31), at = 0;
    c->bad |= count < 2;
    t->granted = EMIRA_NOBODY;
    for (int seat = 0; seat < EMIRA_SEATS; seat++)
        if (mask >> seat & 1)
            emira_push(bidding, seat);
    at = emira_find(bidding, opener) - 1;
    c->bad |= at < 0;
    for (; count > 2 && !c->bad; count--) {
        int answer = arena_number(c, -EMIRA_HIGHEST_BID, EMIRA_HIGHEST_BID);
        if (bidding[0] == 0) {
            c->bad = 1;
            return;
        }
        at = (at + (answer < 0 ? -answer - 1 : 0)) % bidding[0];
        t->granted = answer == 1 ? bidding[at + 1] : (uint8_t)EMIRA_NOBODY;
        if (answer == 0 || answer == 1)
            emira_pull(bidding, at + 1);
        else
            at++;
        at = bidding[0] > 0 ? at % bidding[0] : 0;
    }
}

/* Reads the auction in progress, if there is one, and the last answer in it. */
static inline void emira_read_auction(const arena_map *keys, emira_table *t, int *bad)
{
    kit_cursor c = arena_at(keys, "auction"), bids = arena_at(keys, "bids");
    arena_map auction;
    uint32_t rounds = kit_array(&bids);
    if (kit_peek(c) == KIT_NIL)
        return;
    auction = arena_read_map(&c);
    t->served = (uint8_t)emira_mask_at(&auction, "served", 's', bad);
    t->bidding = (uint8_t)emira_mask_at(&auction, "bidding", 's', bad);
    t->bid = arena_number_at(&auction, "bid", 0, EMIRA_HIGHEST_BID, bad);
    t->bidder = emira_seat_at(&auction, "bidder", bad);
    t->free = emira_seat_at(&auction, "free", bad);
    t->last = (uint8_t)arena_number_at(&auction, "last", 0, EMIRA_SEATS - 1, bad);
    t->granted = EMIRA_NOBODY;
    for (; rounds > 1 && !bids.bad; rounds--)
        kit_skip(&bids);
    for (uint32_t auctions = rounds > 0 ? kit_array(&bids) : 0; auctions > 0 && !bids.bad; auctions--) {
        t->opened = 1;
        emira_read_answers(&bids, t);
    }
    *bad |= c.bad | bids.bad;
}

/* Reads the open question. */
static inline void emira_read_ask(kit_cursor c, emira_table *t, int seat, int *bad)
{
    static const char *const kinds[] = {
        "play", "place", "mind", "order", "split", "good_looking", "caravan", "vermin", "vermin_move", "noble", "bazaar", "bid",
        "action", "take_appearance", "take_status", "buy", "keep", "drop_appearance", "drop_status", "abduct", "gift"};
    arena_map keys;
    kit_cursor about;
    t->kind = t->phase == EMIRA_IN_SETUP ? EMIRA_FIRST_EVENT : EMIRA_OVER;
    if (kit_peek(c) == KIT_NIL)
        return;
    keys = arena_read_map(&c);
    about = arena_at(&keys, "about");
    t->kind = (uint8_t)(EMIRA_PLAY + arena_word_at(&keys, "kind", kinds, EMIRA_DECISIONS - EMIRA_PLAY, bad));
    t->asker = (uint8_t)arena_number_at(&keys, "seat", 0, EMIRA_SEATS - 1, bad);
    if (t->kind == EMIRA_MIND)
        t->about = (uint8_t)arena_number(&about, 0, EMIRA_EMIRAS - 1);
    else if (t->kind == EMIRA_ORDER)
        t->about = (uint8_t)emira_read_item(&about, 'd');
    else if (t->kind == EMIRA_SPLIT)
        t->about = (uint8_t)emira_read_item(&about, 'v');
    else if (t->kind == EMIRA_VERMIN_MOVE)
        t->about = (uint8_t)emira_read_item(&about, 't');
    *bad |= c.bad | about.bad;
    if (t->kind == EMIRA_KEEP && t->asker == seat) {
        kit_cursor cards = arena_at(&keys, "cards");
        t->looks = (uint8_t)kit_array(&cards);
        *bad |= cards.bad;
    }
}

/* --- the history and the whole --- */

/* Reads a line of the history. */
static inline void emira_read_line(kit_cursor *c, int seat, emira_memory *history)
{
    static const char *const words[EMIRA_LINES] = {"deal",   "play", "mind",  "order",  "buy",   "emiras", "join",
                                                   "abduct", "gift", "under", "status", "noble", "unsold", "under_status"};
    static const char *const formats[EMIRA_LINES] = {"v",  "sv", "snme", "sdn", "snv", "e", "se",
                                                     "se", "so", "se",   "p",   "sp",  "p", "p"};
    uint32_t count = kit_array(c);
    int round = arena_number(c, 0, EMIRA_ROUNDS_MOST), word = arena_word(c, words, EMIRA_LINES), which = 0;
    const char *format = formats[word];
    c->bad |= count < 2 || count > 2 + EMIRA_EMIRAS || history->size + 4u + count > EMIRA_HISTORY;
    if (c->bad)
        return;
    emira_note_in(history, round, word, word == EMIRA_LINE_DEAL, seat, 0, 0);
    for (; count > 2 && !c->bad; count--) {
        int item = emira_read_item(c, *format);
        which = *format == 'd' ? item : which;
        if (format[1])
            format++;
        else if (word == EMIRA_LINE_ORDER)
            format = which ? "p" : "e";
        emira_note_item(history, item);
    }
}

/* Reads a view. Returns EMIRA_OK, or EMIRA_BAD_VIEW if it has not the form of one: emira_think looks at what it means. */
static inline int emira_read_view(kit_cursor map, const emira_rules *rules, emira_view *view)
{
    static const char *const phases[] = {"setup", "events", "income", "prepare", "auction", "buy", "choice", "upkeep", "over"};
    static const char *const endings[] = {"goal", "rounds"};
    emira_table *t = &view->table;
    arena_map keys = arena_read_map(&map), xenia;
    kit_cursor c;
    int bad = map.bad;
    (void)rules;
    memset(view, 0, sizeof *view);
    t->seats = (uint8_t)arena_number_at(&keys, "seats", 3, EMIRA_SEATS, &bad);
    view->seat = (uint8_t)arena_number_at(&keys, "seat", 0, t->seats - 1, &bad);
    t->round = (uint8_t)arena_number_at(&keys, "round", 0, EMIRA_ROUNDS_MOST, &bad);
    t->start = (uint8_t)arena_number_at(&keys, "start", 0, t->seats - 1, &bad);
    t->phase = (uint8_t)arena_word_at(&keys, "phase", phases, EMIRA_AT_END + 1, &bad);
    emira_read_sheiks(&keys, t, &bad);
    emira_read_board(&keys, t, &bad);
    emira_read_effects(arena_at(&keys, "effects"), t, &bad);
    emira_read_auction(&keys, t, &bad);
    emira_read_ask(arena_at(&keys, "ask"), t, view->seat, &bad);
    t->xenia_left = emira_seat_at(&keys, "xenia_left", &bad);
    c = arena_at(&keys, "xenia");
    if (kit_peek(c) != KIT_NIL) {
        xenia = arena_read_map(&c);
        t->gift_round = (uint8_t)arena_number_at(&xenia, "due", 0, EMIRA_ROUNDS_MOST + EMIRA_GIFT_EVERY, &bad);
        t->gift_first = emira_switch_at(&xenia, "first", &bad);
        bad |= c.bad;
    }
    if (kit_peek(arena_at(&keys, "ending")) != KIT_NIL)
        t->ending = (uint8_t)(EMIRA_BY_GOAL + arena_word_at(&keys, "ending", endings, 2, &bad));
    emira_list_at(&keys, "active", 'e', t->active, EMIRA_EMIRAS, &bad);
    emira_list_at(&keys, "coming", 'e', t->coming, EMIRA_EMIRAS, &bad);
    emira_list_at(&keys, "undecided", 'e', t->undecided, EMIRA_EMIRAS, &bad);
    emira_list_at(&keys, "gone", 'e', t->gone, EMIRA_EMIRAS, &bad);
    emira_list_at(&keys, "removed", 'p', t->removed, EMIRA_STATUS_CARDS, &bad);
    t->fresh = emira_mask_at(&keys, "fresh", 'e', &bad);
    t->settled = (uint8_t)emira_mask_at(&keys, "settled", 's', &bad);
    t->paid = (uint8_t)emira_mask_at(&keys, "paid", 's', &bad);
    view->swapped = emira_mask_at(&keys, "swapped", 'e', &bad);
    view->turned = emira_mask_at(&keys, "emira_turned", 'n', &bad);
    emira_list_at(&keys, "emira_deck", 'e', view->emiras, EMIRA_EMIRAS, &bad);
    emira_list_at(&keys, "status_deck", 'p', view->status, EMIRA_STATUS_CARDS, &bad);
    emira_list_at(&keys, "event_deck", 'v', view->events, EMIRA_EVENTS * EMIRA_COPIES, &bad);
    emira_bytes_at(&keys, "hands", view->hands, t->seats, &bad);
    c = arena_at(&keys, "hand");
    emira_read_counts(&c, 'v', view->hand, EMIRA_EVENTS * EMIRA_COPIES, 0, EMIRA_EVENTS);
    bad |= c.bad;
    c = arena_at(&keys, "goal");
    view->goal = (uint8_t)emira_read_goal(&c, t->seats);
    bad |= c.bad;
    memset(view->goals, EMIRA_NOBODY, sizeof view->goals);
    c = arena_at(&keys, "goals");
    if (kit_peek(c) != KIT_NIL) {
        bad |= kit_array(&c) != t->seats;
        for (int seat = 0; seat < t->seats; seat++)
            view->goals[seat] = (uint8_t)emira_read_goal(&c, t->seats);
        bad |= c.bad;
    }
    c = arena_at(&keys, "history");
    for (uint32_t lines = kit_array(&c); lines > 0 && !c.bad; lines--)
        emira_read_line(&c, view->seat, &view->history);
    return bad || c.bad ? EMIRA_BAD_VIEW : EMIRA_OK;
}

#endif
