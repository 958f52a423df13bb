/* Maps of msgpack as they come from the arbiter, read with the kit's cursor: each read checks type and bounds. C99 and C++17. */
#ifndef ARENA_MAP_H
#define ARENA_MAP_H

#include "../../c/kit/cursor.h"

enum { ARENA_KEYS = 64 }; /* keys of a map at most */

/* The values of a map by key, in the order of the keys. */
typedef struct {
    int count;
    const char *key[ARENA_KEYS];
    uint32_t size[ARENA_KEYS];
    kit_cursor value[ARENA_KEYS];
} arena_map;

/* Compares a key with a text, as strcmp does. */
static inline int arena_compare(const arena_map *map, int i, const char *text, size_t size)
{
    int order = memcmp(map->key[i], text, map->size[i] < size ? map->size[i] : size);
    return order != 0 ? order : (map->size[i] > size) - (map->size[i] < size);
}

/* Reads a map and moves behind it. Keys beyond ARENA_KEYS make the cursor bad. */
static inline arena_map arena_read_map(kit_cursor *c)
{
    arena_map map;
    uint32_t pairs = kit_map(c), size;
    map.count = 0;
    c->bad |= pairs > ARENA_KEYS;
    while (pairs-- > 0 && !c->bad) {
        const char *key = kit_str(c, &size);
        int at = map.count++;
        for (; at > 0 && arena_compare(&map, at - 1, key, size) > 0; at--) {
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
static inline kit_cursor arena_at(const arena_map *map, const char *key)
{
    kit_cursor none = {NULL, NULL, 1};
    for (int i = map->count - 1; i >= 0; i--) /* of duplicate keys the last wins, as everywhere */
        if (arena_compare(map, i, key, strlen(key)) == 0)
            return map->value[i];
    return none;
}

/* Reads a number from `least` to `most`; another one makes the cursor bad. */
static inline int arena_number(kit_cursor *c, int64_t least, int64_t most)
{
    int64_t number = kit_int(c);
    c->bad |= number < least || number > most;
    return c->bad ? (int)least : (int)number;
}

static inline int arena_number_at(const arena_map *map, const char *key, int64_t least, int64_t most, int *bad)
{
    kit_cursor c = arena_at(map, key);
    int number = arena_number(&c, least, most);
    *bad |= c.bad;
    return number;
}

/* Reads one of `count` words and returns its place among them; another word makes the cursor bad. */
static inline int arena_word(kit_cursor *c, const char *const *words, int count)
{
    uint32_t size;
    const char *text = kit_str(c, &size);
    for (int i = 0; i < count && !c->bad; i++)
        if (strlen(words[i]) == size && memcmp(words[i], text, size) == 0)
            return i;
    c->bad = 1;
    return 0;
}

static inline int arena_word_at(const arena_map *map, const char *key, const char *const *words, int count, int *bad)
{
    kit_cursor c = arena_at(map, key);
    int word = arena_word(&c, words, count);
    *bad |= c.bad;
    return word;
}

/* Reads the words and numbers of a hello that name what is played. Returns 0 if it is of another game, and -1 if it is of other
   rules than `version`. */
static inline int arena_is_game(const arena_map *hello, const char *game, const char *version)
{
    int bad = 0;
    arena_word_at(hello, "game", &game, 1, &bad);
    if (bad)
        return 0;
    arena_word_at(hello, "rules_version", &version, 1, &bad);
    return bad ? -1 : 1;
}

#endif
