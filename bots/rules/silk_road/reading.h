/* Reads Silk Road's rules map and hello as they come from the arbiter, with the kit's cursor. */
#ifndef SILK_ROAD_READING_H
#define SILK_ROAD_READING_H

#include "../arena/map.h"
#include "board.h"

static inline const char *const *silk_road_tile_words(void)
{
    static const char *const words[SILK_ROAD_TILES] = {
        "ivory_market", "spice_market", "porcelain_market", "silk_market", "tea_market", "black_market", "camels_1",
        "camels_2", "camels_3", "customs", "sandstorm", "robber", "bazaar", "baksheesh"};
    return words;
}

/* Reads the name of a place from `first` to `end` - 1 and returns its number; another name makes the cursor bad. */
static inline int silk_road_read_place(const silk_road_rules *rules, kit_cursor *c, int first, int end)
{
    uint32_t size;
    const char *text = kit_str(c, &size);
    for (int place = first; place < end && !c->bad; place++) {
        const char *name = rules->names + rules->name[place];
        if (rules->name[place + 1] - rules->name[place] == (int)size && memcmp(name, text, size) == 0)
            return place;
    }
    c->bad = 1;
    return first;
}

/* Reads the names of cities or villages; a name that is there already makes the cursor bad. */
static inline int silk_road_read_names(silk_road_rules *rules, kit_cursor c, int first, int *bad)
{
    uint32_t count = kit_array(&c), size;
    c.bad |= count > (uint32_t)(SILK_ROAD_PLACES - first);
    for (int place = first; place < first + (int)count && !c.bad; place++) {
        kit_cursor again = c;
        const char *text = kit_str(&c, &size);
        silk_road_read_place(rules, &again, 0, place);
        c.bad |= size < 1 || size > SILK_ROAD_NAME || !again.bad;
        if (!c.bad)
            silk_road_add_place(rules, place, text, size);
    }
    *bad |= c.bad;
    return c.bad ? 0 : (int)count;
}

/* Reads pairs of places; with `both`, each is a road both ways. No two roads join the same places. */
static inline void silk_road_read_roads(const silk_road_rules *rules, kit_cursor c, int both, uint8_t roads[SILK_ROAD_ROADS][2],
                                        int *count, int *bad)
{
    int places = rules->cities + rules->villages;
    for (uint32_t left = kit_array(&c); left > 0 && !c.bad; left--) {
        int from, to;
        c.bad |= kit_array(&c) != 2 || *count + 1 + both > SILK_ROAD_ROADS;
        from = silk_road_read_place(rules, &c, 0, places);
        to = silk_road_read_place(rules, &c, 0, places);
        c.bad |= from == to;
        for (int i = 0; i < *count; i++)
            c.bad |= (roads[i][0] == from && roads[i][1] == to) || (roads[i][0] == to && roads[i][1] == from);
        if (c.bad)
            break;
        for (int i = 0; i <= both; i++, ++*count)
            roads[*count][i] = (uint8_t)from, roads[*count][1 - i] = (uint8_t)to;
    }
    *bad |= c.bad;
}

/* Reads the signposts, {village: {city: next place}}; each stands on a road, and none points into a city that is not its own. */
static inline void silk_road_read_posts(silk_road_rules *rules, kit_cursor c, int *bad)
{
    int places = rules->cities + rules->villages;
    memset(rules->post, SILK_ROAD_GONE, sizeof rules->post);
    for (uint32_t villages = kit_map(&c); villages > 0 && !c.bad; villages--) {
        int village = silk_road_read_place(rules, &c, rules->cities, places);
        for (uint32_t posts = kit_map(&c); posts > 0 && !c.bad; posts--) {
            int city = silk_road_read_place(rules, &c, 0, rules->cities), is_road = 0;
            int next = silk_road_read_place(rules, &c, 0, places);
            for (int i = rules->road[village]; i < rules->road[village + 1]; i++)
                is_road |= rules->to[i] == next;
            c.bad |= !is_road || (next < rules->cities && next != city);
            if (!c.bad)
                rules->post[(village - rules->cities) * rules->cities + city] = (uint8_t)next;
        }
    }
    *bad |= c.bad;
}

/* Reads {village: tile}; none of them may be missing. */
static inline void silk_road_read_tiles(const silk_road_rules *rules, kit_cursor c, uint8_t tiles[SILK_ROAD_VILLAGES], int *bad)
{
    uint8_t is_laid[SILK_ROAD_VILLAGES] = {0};
    c.bad |= kit_map(&c) != rules->villages;
    for (int i = 0; i < rules->villages && !c.bad; i++) {
        int village = silk_road_read_place(rules, &c, rules->cities, rules->cities + rules->villages) - rules->cities;
        tiles[village] = (uint8_t)arena_word(&c, silk_road_tile_words(), SILK_ROAD_TILES);
        c.bad |= is_laid[village];
        is_laid[village] = 1;
    }
    *bad |= c.bad;
}

/* Reads three cities. */
static inline void silk_road_read_ends(const silk_road_rules *rules, kit_cursor c, uint8_t ends[SILK_ROAD_SIZES], int *bad)
{
    c.bad |= kit_array(&c) != SILK_ROAD_SIZES;
    for (int i = 0; i < SILK_ROAD_SIZES; i++)
        ends[i] = (uint8_t)silk_road_read_place(rules, &c, 0, rules->cities);
    *bad |= c.bad;
}

/* Reads the map (O1). Returns the cursor of its tiles. */
static inline kit_cursor silk_road_read_map(silk_road_rules *rules, kit_cursor c, int *bad)
{
    uint8_t roads[SILK_ROAD_ROADS][2];
    int count = 0;
    arena_map keys = arena_read_map(&c);
    *bad |= c.bad;
    rules->cities = (uint8_t)silk_road_read_names(rules, arena_at(&keys, "cities"), 0, bad);
    rules->villages = (uint8_t)silk_road_read_names(rules, arena_at(&keys, "villages"), rules->cities, bad);
    *bad |= rules->cities < SILK_ROAD_CITIES_LEAST || rules->villages < 1;
    if (!*bad) {
        silk_road_read_ends(rules, arena_at(&keys, "starts"), rules->start, bad);
        silk_road_read_ends(rules, arena_at(&keys, "targets"), rules->target, bad);
        for (int i = 0; i < SILK_ROAD_SIZES; i++)
            for (int j = 0; j < SILK_ROAD_SIZES; j++) {
                *bad |= rules->start[i] == rules->target[j];
                *bad |= i != j && (rules->start[i] == rules->start[j] || rules->target[i] == rules->target[j]);
            }
        silk_road_read_roads(rules, arena_at(&keys, "one_way"), 0, roads, &count, bad);
        silk_road_read_roads(rules, arena_at(&keys, "two_way"), 1, roads, &count, bad);
        silk_road_lay_roads(rules, (const uint8_t(*)[2])roads, count);
        silk_road_read_posts(rules, arena_at(&keys, "signposts"), bad);
        *bad |= *bad || !silk_road_find_ways(rules);
    }
    return arena_at(&keys, "tiles");
}

/* Reads which tiles there are, and where they lie unless they are shuffled (O2). printed: the tiles of the map. */
static inline void silk_road_read_layout(silk_road_rules *rules, const arena_map *keys, kit_cursor printed, int *bad)
{
    static const char *const words[] = {"shuffled", "fixed"};
    kit_cursor c = arena_at(keys, "tiles"), layout = arena_at(keys, "layout");
    arena_map kinds = arena_read_map(&c);
    int left[SILK_ROAD_TILES], count = 0;
    *bad |= c.bad || kinds.count != SILK_ROAD_TILES;
    for (int tile = 0; tile < SILK_ROAD_TILES && !*bad; tile++) {
        left[tile] = arena_number_at(&kinds, silk_road_tile_words()[tile], 0, rules->villages - count, bad);
        memset(rules->tiles + count, tile, (size_t)left[tile]);
        count += left[tile];
    }
    *bad |= count != rules->villages;
    if (*bad)
        return;
    if (kit_peek(layout) == KIT_ARRAY) {
        rules->laid = 1;
        layout.bad |= kit_array(&layout) != rules->villages;
        for (int i = 0; i < rules->villages; i++)
            rules->tiles[i] = (uint8_t)arena_word(&layout, silk_road_tile_words(), SILK_ROAD_TILES);
        *bad |= layout.bad;
    } else if (arena_word_at(keys, "layout", words, 2, bad) == 1) {
        rules->laid = 1;
        silk_road_read_tiles(rules, printed, rules->tiles, bad);
    }
    for (int i = 0; i < rules->villages && !*bad; i++)
        *bad |= left[rules->tiles[i]]-- == 0;
}

/* Reads one of two words, default first; returns 1 for the second one. A key that came later may be missing: it has its
   default. */
static inline uint8_t silk_road_read_word(const arena_map *keys, const char *key, const char *one, const char *two, int is_later,
                                          int *bad)
{
    const char *words[2];
    words[0] = one, words[1] = two;
    if (is_later && kit_peek(arena_at(keys, key)) == KIT_BAD)
        return 0;
    return (uint8_t)arena_word_at(keys, key, words, 2, bad);
}

/* Reads a rules map. Returns SILK_ROAD_OK or SILK_ROAD_BAD_RULES. */
static inline int silk_road_read_rules(kit_cursor map, silk_road_rules *rules)
{
    arena_map keys = arena_read_map(&map);
    int bad = map.bad;
    kit_cursor printed;
    memset(rules, 0, sizeof *rules);
    printed = silk_road_read_map(rules, arena_at(&keys, "map"), &bad);
    silk_road_read_layout(rules, &keys, printed, &bad);
    rules->drop_tied = !silk_road_read_word(&keys, "tied_decline", "recompute", "original_tie", 0, &bad);
    rules->baksheesh_optional = silk_road_read_word(&keys, "baksheesh", "mandatory", "optional", 0, &bad);
    rules->most_cards = SILK_ROAD_PER_GOOD;
    if (kit_peek(arena_at(&keys, "most_cards")) == KIT_INT)
        rules->most_cards = (uint8_t)arena_number_at(&keys, "most_cards", 1, SILK_ROAD_PER_GOOD, &bad);
    else
        silk_road_read_word(&keys, "most_cards", "unlimited", "unlimited", 0, &bad);
    rules->capped = silk_road_read_word(&keys, "supply", "unlimited", "capped", 0, &bad);
    rules->choose_dump = !silk_road_read_word(&keys, "hand_dump", "choose", "all", 0, &bad);
    rules->count_targets = silk_road_read_word(&keys, "first_targets", "printed", "counted", 0, &bad);
    rules->sort_discards = silk_road_read_word(&keys, "discard_order", "player", "canonical", 0, &bad);
    rules->extra_optional = !silk_road_read_word(&keys, "extra_draws", "optional", "mandatory", 0, &bad);
    rules->max_turns = (uint16_t)arena_number_at(&keys, "max_turns", 1, SILK_ROAD_TURNS_MOST, &bad);
    rules->shuffle_at_once = !silk_road_read_word(&keys, "reshuffle", "at_once", "when_needed", 0, &bad);
    rules->camels_back = silk_road_read_word(&keys, "camels_at_end", "stay", "back", 1, &bad);
    rules->active_lays_last = silk_road_read_word(&keys, "lay_out_order", "active_first", "active_last", 1, &bad);
    rules->empty_optional = silk_road_read_word(&keys, "empty_hand", "two", "up_to_two", 1, &bad);
    return bad ? SILK_ROAD_BAD_RULES : SILK_ROAD_OK;
}

/* Reads game, version, rules and number of seats of a hello. Returns SILK_ROAD_OK or what is wrong with it. */
static inline int silk_road_read_hello(kit_cursor hello, silk_road_rules *rules, int *seats)
{
    arena_map keys = arena_read_map(&hello);
    int is_game = arena_is_game(&keys, "silk_road", SILK_ROAD_RULES_VERSION), bad = hello.bad;
    if (is_game <= 0)
        return is_game == 0 ? SILK_ROAD_OTHER_GAME : SILK_ROAD_OTHER_VERSION;
    *seats = arena_number_at(&keys, "seats", 2, SILK_ROAD_SEATS, &bad);
    return bad ? SILK_ROAD_BAD_SEATS : silk_road_read_rules(arena_at(&keys, "rules"), rules);
}

#endif
