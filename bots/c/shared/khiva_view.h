/* Reads Khiva's rules map and a view as they come from the arbiter, with the kit's cursor. C99 and C++17. */
#ifndef KHIVA_VIEW_H
#define KHIVA_VIEW_H

#include "cursor.h"
#include "khiva_worlds.h"

enum { KHIVA_KEYS = 32, KHIVA_DEPTH = 8 };

/* The values of a map by key, in the order of the keys. */
typedef struct {
    int count;
    const char *key[KHIVA_KEYS];
    uint32_t size[KHIVA_KEYS];
    kit_cursor value[KHIVA_KEYS];
} khiva_map;

/* Compares a key with a text, as strcmp does. */
static inline int khiva_compare(const khiva_map *map, int i, const char *text, size_t size)
{
    int order = memcmp(map->key[i], text, map->size[i] < size ? map->size[i] : size);
    return order != 0 ? order : (map->size[i] > size) - (map->size[i] < size);
}

/* Reads a map and moves behind it. Keys beyond KHIVA_KEYS make the cursor bad. */
static inline khiva_map khiva_read_map(kit_cursor *c)
{
    khiva_map map;
    uint32_t pairs = kit_map(c), size;
    map.count = 0;
    c->bad |= pairs > KHIVA_KEYS;
    while (pairs-- > 0 && !c->bad) {
        const char *key = kit_str(c, &size);
        int at = map.count++;
        for (; at > 0 && khiva_compare(&map, at - 1, key, size) > 0; at--) {
            map.key[at] = map.key[at - 1];
            map.size[at] = map.size[at - 1];
            map.value[at] = map.value[at - 1];
        }
        map.key[at] = key;
        map.size[at] = size;
        map.value[at] = *c;
        kit_skip(c);
    }
    return map;
}

/* Returns the cursor of a key's value, a bad one if there is no such key. */
static inline kit_cursor khiva_at(const khiva_map *map, const char *key)
{
    kit_cursor none = {NULL, NULL, 1};
    for (int i = 0; i < map->count; i++)
        if (khiva_compare(map, i, key, strlen(key)) == 0)
            return map->value[i];
    return none;
}

/* Reads a number from `least` to `most`; another one makes the cursor bad. */
static inline int khiva_number(kit_cursor *c, int64_t least, int64_t most)
{
    int64_t number = kit_int(c);
    c->bad |= number < least || number > most;
    return c->bad ? (int)least : (int)number;
}

static inline int khiva_number_at(const khiva_map *map, const char *key, int64_t least, int64_t most, int *bad)
{
    kit_cursor c = khiva_at(map, key);
    int number = khiva_number(&c, least, most);
    *bad |= c.bad;
    return number;
}

/* Reads one of `count` words and returns its place among them; another word makes the cursor bad. */
static inline int khiva_word(kit_cursor *c, const char *const *words, int count)
{
    uint32_t size;
    const char *text = kit_str(c, &size);
    for (int i = 0; i < count && !c->bad; i++)
        if (strlen(words[i]) == size && memcmp(words[i], text, size) == 0)
            return i;
    c->bad = 1;
    return 0;
}

static inline int khiva_word_at(const khiva_map *map, const char *key, const char *const *words, int count, int *bad)
{
    kit_cursor c = khiva_at(map, key);
    int word = khiva_word(&c, words, count);
    *bad |= c.bad;
    return word;
}

/* --- faces: [colour, value] of a card or a carpet, [path, shop] of a place --- */

typedef enum { KHIVA_A_NUMBER, KHIVA_A_CARD, KHIVA_A_CARPET, KHIVA_A_PLACE } khiva_face;

static inline int khiva_read_face(kit_cursor *c, khiva_face face)
{
    int first, second;
    if (face == KHIVA_A_NUMBER)
        return khiva_number(c, 0, 10);
    if (kit_array(c) != 2)
        c->bad = 1;
    first = khiva_number(c, face == KHIVA_A_PLACE ? -1 : 0, 4);
    second = khiva_number(c, face == KHIVA_A_PLACE ? 0 : 1, face == KHIVA_A_CARPET ? 9 : 5);
    if (face == KHIVA_A_CARPET)
        return 10 * first + second;
    if (face == KHIVA_A_CARD)
        return khiva_card(first, second > 0 ? second : 1);
    c->bad |= second > 0 && first < 0;
    return second > 0 && first >= 0 ? 6 * first + second : KHIVA_TENT;
}

static inline void khiva_read_list(kit_cursor *c, khiva_face face, khiva_list *list)
{
    uint32_t count = kit_array(c);
    list->count = 0;
    c->bad |= count > KHIVA_ROOM;
    while (count-- > 0 && !c->bad)
        khiva_push(list, khiva_read_face(c, face));
}

static inline void khiva_list_at(const khiva_map *map, const char *key, khiva_face face, khiva_list *list, int *bad)
{
    kit_cursor c = khiva_at(map, key);
    khiva_read_list(&c, face, list);
    *bad |= c.bad;
}

/* Reads a list by seat of lists. */
static inline void khiva_lists_at(const khiva_map *map, const char *key, khiva_face face, int seats, khiva_list *lists, int *bad)
{
    kit_cursor c = khiva_at(map, key);
    c.bad |= kit_array(&c) != (uint32_t)seats;
    for (int seat = 0; seat < seats; seat++)
        khiva_read_list(&c, face, &lists[seat]);
    *bad |= c.bad;
}

static inline void khiva_numbers_at(const khiva_map *map, const char *key, int seats, int *numbers, int *bad)
{
    kit_cursor c = khiva_at(map, key);
    c.bad |= kit_array(&c) != (uint32_t)seats;
    for (int seat = 0; seat < seats; seat++)
        numbers[seat] = khiva_number(&c, 0, KHIVA_GEMS);
    *bad |= c.bad;
}

/* Reads cards as 10 * colour + value, and returns how many. */
static inline int khiva_history_at(const khiva_map *map, const char *key, uint8_t *cards, int room, int *bad)
{
    kit_cursor c = khiva_at(map, key);
    uint32_t count = kit_array(&c);
    c.bad |= count > (uint32_t)room;
    for (uint32_t i = 0; i < count && !c.bad; i++) {
        int code = khiva_number(&c, 1, 45);
        c.bad |= code % 10 < 1 || code % 10 > 5;
        cards[i] = (uint8_t)(c.bad ? 0 : khiva_card(code / 10, code % 10));
    }
    *bad |= c.bad;
    return c.bad ? 0 : (int)count;
}

/* --- the rules map and the view --- */

/* Reads the rules of a hello. Returns 0 if they are not Khiva's. */
static inline int khiva_read_rules(kit_cursor map, khiva_rules *rules)
{
    static const char *const spaces[] = {"skip", "own_tent"}, *const no_yes[] = {"no", "yes"};
    static const char *const overshoot[] = {"stop_at_outpost", "no_move", "bounce"}, *const tops[] = {"hidden", "colour"};
    static const char *const pays[] = {"per_rejected_card", "per_rejected_player", "per_player_turn"};
    static const char *const times[] = {"before_move", "after_move"}, *const ties[] = {"max_bag", "sum_bags"};
    static const char *const ends[] = {"failed_draw", "pile_empty"};
    khiva_map keys = khiva_read_map(&map);
    kit_cursor slots = khiva_at(&keys, "gem_slots");
    int bad = map.bad;
    rules->own_tent = khiva_word_at(&keys, "khiva_spaces", spaces, 2, &bad);
    rules->overshoot = (khiva_overshoot)khiva_word_at(&keys, "overshoot", overshoot, 3, &bad);
    rules->compensation = (khiva_compensation)khiva_word_at(&keys, "compensation", pays, 3, &bad);
    rules->pay_after = khiva_word_at(&keys, "compensation_time", times, 2, &bad);
    rules->top_visible = khiva_word_at(&keys, "carpet_top", tops, 2, &bad);
    rules->sum_bags = khiva_word_at(&keys, "salt_tie_break", ties, 2, &bad);
    rules->end_on_empty = khiva_word_at(&keys, "end_trigger", ends, 2, &bad);
    rules->may_decline = khiva_word_at(&keys, "decline", no_yes, 2, &bad);
    rules->max_turns = khiva_number_at(&keys, "max_turns", 1, KHIVA_TURNS_MOST, &bad);
    slots.bad |= kit_array(&slots) != KHIVA_CAMELS;
    for (int i = 0; i < 5 * KHIVA_CAMELS; i++) {
        if (i % 5 == 0)
            slots.bad |= kit_array(&slots) != 5;
        rules->slots[i / 5][i % 5] = (uint8_t)khiva_number(&slots, 0, KHIVA_SLOTS);
    }
    return !(bad | slots.bad);
}

/* Reads the question that is open. */
static inline void khiva_read_ask(kit_cursor c, khiva_view *view, int *bad)
{
    static const char *const kinds[] = {"move", "boost", "shop4"};
    khiva_map keys;
    kit_cursor card;
    view->kind = KHIVA_PLAY_PASS;
    if (kit_peek(c) == KIT_NIL)
        return;
    keys = khiva_read_map(&c);
    card = khiva_at(&keys, "card");
    view->kind = (khiva_kind)(KHIVA_MOVE + khiva_word_at(&keys, "kind", kinds, 3, bad));
    view->asker = khiva_number_at(&keys, "seat", 0, KHIVA_SEATS - 1, bad);
    view->camel = khiva_number_at(&keys, "camel", 0, KHIVA_CAMELS - 1, bad);
    view->card = khiva_read_face(&card, KHIVA_A_CARD);
    khiva_list_at(&keys, "lands", KHIVA_A_PLACE, &view->lands, bad);
    *bad |= c.bad | card.bad;
}

/* Reads who may hold the cards that the seat passed. */
static inline void khiva_read_passed(kit_cursor c, khiva_view *view, int *bad)
{
    for (uint32_t left = kit_array(&c); left > 0 && !c.bad; left--) {
        unsigned mask = 0;
        int card;
        c.bad |= kit_array(&c) != 3;
        kit_int(&c); /* the turn */
        card = khiva_read_face(&c, KHIVA_A_CARD);
        for (uint32_t seats = kit_array(&c); seats > 0 && !c.bad; seats--)
            mask |= 1u << khiva_number(&c, 0, KHIVA_SEATS - 1);
        view->holders[card] = mask;
    }
    *bad |= c.bad;
}

/* Reads a view. Returns 0 if it is none: khiva_is_sound then looks at what its numbers mean together. */
static inline int khiva_read_view(kit_cursor map, khiva_view *view)
{
    static const char *const endings[] = {"", "teapots", "carpets", "salts", "turns"};
    khiva_memory *memory = &view->memory;
    khiva_map keys = khiva_read_map(&map), history;
    kit_cursor camels = khiva_at(&keys, "camels"), c = khiva_at(&keys, "history");
    int bad = map.bad, seats = khiva_number_at(&keys, "seats", 2, KHIVA_SEATS, &bad), each = khiva_each(seats);
    memset(view, 0, sizeof *view);
    memory->seats = seats;
    memory->seat = khiva_number_at(&keys, "seat", 0, seats - 1, &bad);
    memory->deal = khiva_number_at(&keys, "deal", 1, KHIVA_TURNS_MOST, &bad);
    view->turn = khiva_number_at(&keys, "turn", 1, KHIVA_TURNS_MOST, &bad);
    view->aside = khiva_number_at(&keys, "aside", 0, KHIVA_CARDS, &bad);
    khiva_list_at(&keys, "hand", KHIVA_A_CARD, &memory->hand, &bad);
    khiva_list_at(&keys, "discard", KHIVA_A_CARD, &view->discard, &bad);
    khiva_list_at(&keys, "shown", KHIVA_A_CARD, &view->shown, &bad);
    khiva_list_at(&keys, "teapots_left", KHIVA_A_NUMBER, &view->teapots_left, &bad);
    khiva_list_at(&keys, "salts_left", KHIVA_A_NUMBER, &view->salts_left, &bad);
    khiva_list_at(&keys, "carpets_left", KHIVA_A_CARPET, &view->carpets_left, &bad);
    khiva_lists_at(&keys, "table", KHIVA_A_CARD, seats, view->table, &bad);
    khiva_lists_at(&keys, "carpets", KHIVA_A_CARPET, seats, view->carpets, &bad);
    khiva_lists_at(&keys, "delivered", KHIVA_A_CARPET, seats, view->delivered, &bad);
    khiva_lists_at(&keys, "teapots", KHIVA_A_NUMBER, seats, view->teapots, &bad);
    khiva_lists_at(&keys, "salts", KHIVA_A_NUMBER, seats, view->salts, &bad);
    khiva_numbers_at(&keys, "hands", seats, view->hands, &bad);
    khiva_numbers_at(&keys, "gems", seats, view->gems, &bad);
    view->carpet_top = kit_peek(khiva_at(&keys, "carpet_top")) == KIT_NIL ? -1 : khiva_number_at(&keys, "carpet_top", 0, 4, &bad);
    view->supply = KHIVA_UNLIMITED;
    if (kit_peek(khiva_at(&keys, "gems_left")) != KIT_NIL)
        view->supply = khiva_number_at(&keys, "gems_left", 0, KHIVA_GEMS, &bad);
    if (kit_peek(khiva_at(&keys, "ending")) != KIT_NIL)
        view->ending = (khiva_ending)khiva_word_at(&keys, "ending", endings, 5, &bad);
    camels.bad |= kit_array(&camels) != KHIVA_CAMELS;
    for (int camel = 0; camel < KHIVA_CAMELS; camel++) {
        int path, shop;
        camels.bad |= kit_array(&camels) != 3;
        path = khiva_number(&camels, -1, seats - 1);
        shop = khiva_number(&camels, 0, 4);
        camels.bad |= shop > 0 && path < 0;
        view->place[camel] = (uint8_t)(shop > 0 && path >= 0 ? 6 * path + shop : KHIVA_TENT);
        view->load[camel] = (uint8_t)khiva_number(&camels, 0, 9);
    }
    history = khiva_read_map(&c);
    memory->turns = khiva_history_at(&history, "passed", memory->passed, (int)sizeof memory->passed, &bad) / each;
    bad |= khiva_history_at(&history, "received", memory->received, (int)sizeof memory->received, &bad) != memory->turns * each;
    bad |= khiva_history_at(&history, "played", memory->played, (int)sizeof memory->played, &bad) != memory->turns * each * seats;
    bad |= memory->turns > KHIVA_TURNS_MOST;
    khiva_read_ask(khiva_at(&keys, "ask"), view, &bad);
    khiva_read_passed(khiva_at(&keys, "passed"), view, &bad);
    return !(bad | camels.bad | c.bad);
}

/* --- the secret of a seed and a view --- */

static inline void khiva_add_number(khiva_sha256 *sum, int64_t number)
{
    char digits[20];
    int at = 20;
    uint64_t left = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    do
        digits[--at] = (char)('0' + left % 10);
    while (left /= 10);
    if (number < 0)
        khiva_sha256_add(sum, "-", 1);
    khiva_sha256_add(sum, digits + at, (size_t)(20 - at));
}

/* Adds a value as JSON, keys sorted; the view of Khiva has no string that JSON would escape. Returns 0 at another value. */
static inline int khiva_add_json(khiva_sha256 *sum, kit_cursor *c, int depth)
{
    uint32_t size;
    kit_type type = depth > 0 ? kit_peek(*c) : KIT_BAD;
    if (type == KIT_MAP) {
        khiva_map map = khiva_read_map(c);
        for (int i = 0; i < map.count && !c->bad; i++) {
            khiva_sha256_add(sum, i ? ", \"" : "{\"", i ? 3 : 2);
            khiva_sha256_add(sum, map.key[i], map.size[i]);
            khiva_sha256_add(sum, "\": ", 3);
            c->bad |= !khiva_add_json(sum, &map.value[i], depth - 1);
        }
        khiva_sha256_add(sum, map.count ? "}" : "{}", map.count ? 1 : 2);
    } else if (type == KIT_ARRAY) {
        khiva_sha256_add(sum, "[", 1);
        size = kit_array(c);
        for (uint32_t i = 0; i < size && !c->bad; i++) {
            khiva_sha256_add(sum, ", ", i ? 2 : 0);
            c->bad |= !khiva_add_json(sum, c, depth - 1);
        }
        khiva_sha256_add(sum, "]", 1);
    } else if (type == KIT_STR) {
        const char *text = kit_str(c, &size);
        khiva_sha256_add(sum, "\"", 1);
        khiva_sha256_add(sum, text, size);
        khiva_sha256_add(sum, "\"", 1);
    } else if (type == KIT_BOOL) {
        int yes = kit_bool(c);
        khiva_sha256_add(sum, yes ? "true" : "false", yes ? 4 : 5);
    } else if (type == KIT_INT) {
        khiva_add_number(sum, kit_int(c));
    } else if (type == KIT_NIL) {
        khiva_sha256_add(sum, "null", 4);
        kit_skip(c);
    } else {
        return 0;
    }
    return !c->bad;
}

/* Makes the secret of a bot's chance from a purpose, the match's seed and the view, as Lottery of the Python kit does. */
static inline int khiva_lottery(const char *purpose, uint64_t seed, kit_cursor view, unsigned char secret[KHIVA_SECRET])
{
    khiva_sha256 sum;
    int done;
    khiva_sha256_begin(&sum);
    khiva_sha256_add(&sum, "[\"", 2);
    khiva_sha256_add(&sum, purpose, strlen(purpose));
    khiva_sha256_add(&sum, "\", ", 3);
    khiva_add_number(&sum, (int64_t)seed);
    khiva_sha256_add(&sum, ", ", 2);
    done = khiva_add_json(&sum, &view, KHIVA_DEPTH);
    khiva_sha256_add(&sum, "]", 1);
    khiva_sha256_end(&sum, secret);
    return done;
}

#endif
