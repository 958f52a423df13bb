/* Reads Khiva's rules map, hello and views as they come from the arbiter, with the kit's cursor. */
#ifndef KHIVA_READING_H
#define KHIVA_READING_H

#include "../arena/map.h"
#include "view.h"

/* --- the rules map --- */

/* Reads the head of an array; another length makes the cursor bad. */
static inline void khiva_expect(kit_cursor *c, uint32_t length)
{
    uint32_t found = kit_array(c);
    c->bad |= found != length;
}

/* Writes the rules that hold where nothing else is said. */
static inline void khiva_default_rules(khiva_rules *rules)
{
    static const uint8_t slots[5] = {2, 2, 1, 1, 0}, teapots[6] = {3, 4, 4, 4, 4, 3}, carpets[4] = {3, 3, 4, 5};
    memset(rules, 0, sizeof *rules);
    for (int colour = 0; colour < KHIVA_CAMELS; colour++)
        memcpy(rules->slots[colour], slots, sizeof slots);
    memcpy(rules->teapots, teapots, sizeof teapots);
    memcpy(rules->carpets, carpets, sizeof carpets);
    rules->supply = KHIVA_UNLIMITED;
    rules->end_on_empty = 1;
    rules->max_turns = 200;
}

/* Reads a list of numbers from `least` to `most`, its count into item 0 of the list. */
static inline void khiva_read_numbers(kit_cursor *c, int least, int most, uint8_t *list, uint32_t room)
{
    uint32_t count = kit_array(c);
    list[0] = 0;
    c->bad |= count > room;
    while (count-- > 0 && !c->bad)
        khiva_push(list, arena_number(c, least, most));
}

/* Reads what O1, O2, O5 and O8 say; returns 0 if that is not what the arena sends. */
static inline int khiva_read_counts(const arena_map *keys, khiva_rules *rules)
{
    uint8_t row[7];
    int teapots = 0;
    kit_cursor c = arena_at(keys, "gem_slots");
    int bad = kit_array(&c) != KHIVA_CAMELS;
    for (int colour = 0; colour < KHIVA_CAMELS; colour++) {
        khiva_read_numbers(&c, 0, KHIVA_SLOTS, row, 5);
        bad |= row[0] != 5;
        memcpy(rules->slots[colour], row + 1, 5);
    }
    bad |= c.bad;
    c = arena_at(keys, "teapot_counts");
    khiva_read_numbers(&c, 1, KHIVA_TEAPOTS, row, 6);
    for (int i = 1; i <= row[0]; i++)
        teapots += row[i];
    bad |= c.bad || row[0] != 6 || teapots != KHIVA_TEAPOTS;
    memcpy(rules->teapots, row + 1, 6);
    c = arena_at(keys, "carpets");
    khiva_read_numbers(&c, 1, 9, rules->carpets, 10);
    bad |= c.bad || rules->carpets[0] == 0;
    for (int i = 2; i <= rules->carpets[0]; i++)
        bad |= rules->carpets[i] < rules->carpets[i - 1];
    c = arena_at(keys, "gem_supply");
    rules->supply = KHIVA_UNLIMITED;
    if (kit_peek(c) == KIT_INT)
        rules->supply = arena_number_at(keys, "gem_supply", KHIVA_SALT_PRICE, 1000, &bad);
    else {
        static const char *const unlimited[] = {"unlimited"};
        arena_word_at(keys, "gem_supply", unlimited, 1, &bad);
    }
    return !bad;
}

/* Reads a complete rules map. Returns KHIVA_OK or KHIVA_BAD_RULES. */
static inline int khiva_read_rules(kit_cursor map, khiva_rules *rules)
{
    static const char *const spaces[] = {"skip", "own_tent"}, *const no_yes[] = {"no", "yes"};
    static const char *const overshoot[] = {"stop_at_outpost", "no_move", "bounce"}, *const tops[] = {"hidden", "colour"};
    static const char *const pays[] = {"per_rejected_card", "per_rejected_player", "per_player_turn"};
    static const char *const times[] = {"before_move", "after_move"}, *const ties[] = {"max_bag", "sum_bags"};
    static const char *const ends[] = {"failed_draw", "pile_empty"};
    arena_map keys = arena_read_map(&map);
    int bad = map.bad;
    khiva_default_rules(rules);
    bad |= !khiva_read_counts(&keys, rules);
    rules->own_tent = (uint8_t)arena_word_at(&keys, "khiva_spaces", spaces, 2, &bad);
    rules->overshoot = (khiva_overshoot)arena_word_at(&keys, "overshoot", overshoot, 3, &bad);
    rules->compensation = (khiva_compensation)arena_word_at(&keys, "compensation", pays, 3, &bad);
    rules->pay_after = (uint8_t)arena_word_at(&keys, "compensation_time", times, 2, &bad);
    rules->top_visible = (uint8_t)arena_word_at(&keys, "carpet_top", tops, 2, &bad);
    rules->sum_bags = (uint8_t)arena_word_at(&keys, "salt_tie_break", ties, 2, &bad);
    rules->end_on_empty = (uint8_t)arena_word_at(&keys, "end_trigger", ends, 2, &bad);
    rules->may_decline = (uint8_t)arena_word_at(&keys, "decline", no_yes, 2, &bad);
    rules->max_turns = arena_number_at(&keys, "max_turns", 1, KHIVA_TURNS_MOST, &bad);
    bad |= rules->compensation == KHIVA_PER_TURN && rules->pay_after; /* O12 */
    return bad ? KHIVA_BAD_RULES : KHIVA_OK;
}

/* Reads game, version, rules and number of seats of a hello. Returns KHIVA_OK or what is wrong with it. */
static inline int khiva_read_hello(kit_cursor hello, khiva_rules *rules, int *seats)
{
    arena_map keys = arena_read_map(&hello);
    int is_game = arena_is_game(&keys, "khiva", KHIVA_RULES_VERSION), bad = hello.bad;
    if (is_game <= 0)
        return is_game == 0 ? KHIVA_OTHER_GAME : KHIVA_OTHER_VERSION;
    *seats = arena_number_at(&keys, "seats", 2, KHIVA_SEATS, &bad);
    return bad ? KHIVA_BAD_SEATS : khiva_read_rules(arena_at(&keys, "rules"), rules);
}

/* --- faces: [colour, value] of a card or a carpet, [path, shop] of a place --- */

typedef enum { KHIVA_A_NUMBER, KHIVA_A_CARD, KHIVA_A_CARPET, KHIVA_A_PLACE } khiva_face;

static inline int khiva_read_face(kit_cursor *c, khiva_face face)
{
    int first, second;
    if (face == KHIVA_A_NUMBER)
        return arena_number(c, 0, 10);
    if (kit_array(c) != 2)
        c->bad = 1;
    first = arena_number(c, face == KHIVA_A_PLACE ? -1 : 0, 4);
    second = arena_number(c, face == KHIVA_A_PLACE ? 0 : 1, face == KHIVA_A_CARPET ? 9 : 5);
    if (face == KHIVA_A_CARPET)
        return 10 * first + second;
    if (face == KHIVA_A_CARD)
        return khiva_card(first, second > 0 ? second : 1);
    c->bad |= (second > 0) != (first >= 0);
    return second > 0 && first >= 0 ? 6 * first + second : KHIVA_TENT;
}

static inline void khiva_read_list(kit_cursor *c, khiva_face face, uint8_t *list, uint32_t room)
{
    uint32_t count = kit_array(c);
    list[0] = 0;
    c->bad |= count > room;
    while (count-- > 0 && !c->bad)
        khiva_push(list, khiva_read_face(c, face));
}

static inline void khiva_list_at(const arena_map *map, const char *key, khiva_face face, uint8_t *list, uint32_t room, int *bad)
{
    kit_cursor c = arena_at(map, key);
    khiva_read_list(&c, face, list, room);
    *bad |= c.bad;
}

/* Reads a list by seat of lists, which lie `room` + 1 bytes apart. */
static inline void khiva_lists_at(const arena_map *map, const char *key, khiva_face face, int seats, uint8_t *lists,
                                  uint32_t room, int *bad)
{
    kit_cursor c = arena_at(map, key);
    khiva_expect(&c, (uint32_t)seats);
    for (int seat = 0; seat < seats; seat++)
        khiva_read_list(&c, face, lists + (uint32_t)seat * (room + 1), room);
    *bad |= c.bad;
}

static inline void khiva_numbers_at(const arena_map *map, const char *key, int seats, int *numbers, int *bad)
{
    kit_cursor c = arena_at(map, key);
    khiva_expect(&c, (uint32_t)seats);
    for (int seat = 0; seat < seats; seat++)
        numbers[seat] = arena_number(&c, 0, KHIVA_GEMS_MOST);
    *bad |= c.bad;
}

/* Reads cards as 10 * colour + value, or 0 for one that was forgotten, and returns how many. */
static inline int khiva_history_at(const arena_map *map, const char *key, uint8_t *codes, int room, int *bad)
{
    kit_cursor c = arena_at(map, key);
    uint32_t count = kit_array(&c);
    c.bad |= count > (uint32_t)room;
    for (uint32_t i = 0; i < count && !c.bad; i++) {
        codes[i] = (uint8_t)arena_number(&c, 0, 45);
        c.bad |= codes[i] && !khiva_is_code(codes[i]);
    }
    *bad |= c.bad;
    return c.bad ? 0 : (int)count;
}

/* --- the view --- */

/* Reads the question that is open. */
static inline void khiva_read_ask(kit_cursor c, khiva_view *view, int *bad)
{
    static const char *const kinds[] = {"move", "boost", "shop4"};
    arena_map keys;
    kit_cursor card;
    view->kind = KHIVA_PLAY_PASS;
    if (kit_peek(c) == KIT_NIL)
        return;
    keys = arena_read_map(&c);
    card = arena_at(&keys, "card");
    view->kind = (khiva_kind)(KHIVA_MOVE + arena_word_at(&keys, "kind", kinds, 3, bad));
    view->asker = arena_number_at(&keys, "seat", 0, KHIVA_SEATS - 1, bad);
    view->camel = arena_number_at(&keys, "camel", 0, KHIVA_CAMELS - 1, bad);
    view->card = khiva_read_face(&card, KHIVA_A_CARD);
    khiva_list_at(&keys, "lands", KHIVA_A_PLACE, view->lands, KHIVA_LANDS, bad);
    *bad |= c.bad | card.bad;
}

/* Reads the turns in which the seat passed what it has not seen since. Who may hold a card follows from them. */
static inline void khiva_read_passed(kit_cursor c, khiva_view *view, int *bad)
{
    for (uint32_t left = kit_array(&c); left > 0 && !c.bad; left--) {
        int turn, card;
        khiva_expect(&c, 3);
        turn = arena_number(&c, 1, KHIVA_TURNS_MOST);
        card = khiva_read_face(&c, KHIVA_A_CARD);
        kit_skip(&c);
        if (!c.bad)
            view->away[card] = (uint16_t)turn;
    }
    *bad |= c.bad;
}

/* Reads where camels stand and what they carry. */
static inline void khiva_read_camels(kit_cursor c, khiva_view *view, int *bad)
{
    khiva_expect(&c, KHIVA_CAMELS);
    for (int camel = 0; camel < KHIVA_CAMELS; camel++) {
        int path, shop;
        khiva_expect(&c, 3);
        path = arena_number(&c, -1, view->seats - 1);
        shop = arena_number(&c, 0, 4);
        c.bad |= (shop > 0) != (path >= 0);
        view->place[camel] = (uint8_t)(shop > 0 && path >= 0 ? 6 * path + shop : KHIVA_TENT);
        view->load[camel] = (uint8_t)arena_number(&c, 0, 9);
    }
    *bad |= c.bad;
}

/* Reads a view of a match that goes on. Returns KHIVA_OK, or KHIVA_BAD_VIEW if it has another form; khiva_think looks at what its
   numbers mean together. */
static inline int khiva_read_view(kit_cursor map, const khiva_rules *rules, khiva_view *view)
{
    static const char *const endings[] = {"", "teapots", "carpets", "salts"};
    arena_map keys = arena_read_map(&map), history;
    kit_cursor c = arena_at(&keys, "history");
    int bad = map.bad, seats = arena_number_at(&keys, "seats", 2, KHIVA_SEATS, &bad), each = khiva_each(seats);
    int passed, received, played;
    memset(view, 0, sizeof *view);
    view->seats = seats;
    view->seat = arena_number_at(&keys, "seat", 0, seats - 1, &bad);
    view->turn = arena_number_at(&keys, "turn", 1, rules->max_turns, &bad);
    view->deal = arena_number_at(&keys, "deal", 1, KHIVA_TURNS_MOST, &bad);
    view->aside = arena_number_at(&keys, "aside", 0, KHIVA_CARDS, &bad);
    khiva_list_at(&keys, "hand", KHIVA_A_CARD, view->hand, KHIVA_HAND, &bad);
    khiva_list_at(&keys, "discard", KHIVA_A_CARD, view->discard, KHIVA_CARDS, &bad);
    khiva_list_at(&keys, "shown", KHIVA_A_CARD, view->shown, KHIVA_SHOWN, &bad);
    khiva_list_at(&keys, "teapots_left", KHIVA_A_NUMBER, view->teapots_left, KHIVA_TEAPOTS, &bad);
    khiva_list_at(&keys, "salts_left", KHIVA_A_NUMBER, view->salts_left, KHIVA_SALTS, &bad);
    khiva_list_at(&keys, "carpets_left", KHIVA_A_CARPET, view->carpets_left, KHIVA_CARPETS, &bad);
    khiva_lists_at(&keys, "table", KHIVA_A_CARD, seats, view->table[0], 2, &bad);
    khiva_lists_at(&keys, "carpets", KHIVA_A_CARPET, seats, view->carpets[0], KHIVA_CARPETS, &bad);
    khiva_lists_at(&keys, "delivered", KHIVA_A_CARPET, seats, view->delivered[0], KHIVA_CARPETS, &bad);
    khiva_lists_at(&keys, "teapots", KHIVA_A_NUMBER, seats, view->teapots[0], KHIVA_TEAPOTS, &bad);
    khiva_lists_at(&keys, "salts", KHIVA_A_NUMBER, seats, view->salts[0], KHIVA_SALTS, &bad);
    khiva_numbers_at(&keys, "hands", seats, view->hands, &bad);
    khiva_numbers_at(&keys, "gems", seats, view->gems, &bad);
    view->carpet_top = kit_peek(arena_at(&keys, "carpet_top")) == KIT_NIL ? -1 : arena_number_at(&keys, "carpet_top", 0, 4, &bad);
    view->supply = KHIVA_UNLIMITED;
    if (kit_peek(arena_at(&keys, "gems_left")) != KIT_NIL)
        view->supply = arena_number_at(&keys, "gems_left", 0, KHIVA_GEMS_MOST, &bad);
    if (kit_peek(arena_at(&keys, "ending")) != KIT_NIL)
        view->ending = (khiva_ending)arena_word_at(&keys, "ending", endings, 4, &bad);
    khiva_read_camels(arena_at(&keys, "camels"), view, &bad);
    history = arena_read_map(&c);
    passed = khiva_history_at(&history, "passed", view->passed, (int)sizeof view->passed, &bad);
    view->turns = passed / each;
    bad |= passed % each != 0 || view->turns > KHIVA_TURNS_MOST;
    received = khiva_history_at(&history, "received", view->received, (int)sizeof view->received, &bad);
    played = khiva_history_at(&history, "played", view->played, (int)sizeof view->played, &bad);
    bad |= received != view->turns * each || played != view->turns * each * seats;
    khiva_read_ask(arena_at(&keys, "ask"), view, &bad);
    khiva_read_passed(arena_at(&keys, "passed"), view, &bad);
    return bad || c.bad ? KHIVA_BAD_VIEW : KHIVA_OK;
}

#endif
