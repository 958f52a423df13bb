/* The secret of a bot's own chance, from the match's seed and its view, as Lottery of the Python kit makes it. C99 and C++17.

   Include the rules of a game before it. */
#ifndef LOTTERY_H
#define LOTTERY_H

enum { LOTTERY_DEPTH = 8 };

static inline void lottery_number(arena_sha256 *sum, int64_t number)
{
    char digits[20];
    int at = 20;
    uint64_t left = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    do
        digits[--at] = (char)('0' + left % 10);
    while (left /= 10);
    if (number < 0)
        arena_sha256_add(sum, "-", 1);
    arena_sha256_add(sum, digits + at, (size_t)(20 - at));
}

/* Adds a value as JSON, keys sorted; views of Khiva and Emira have no string that JSON would escape. Returns 0 at another value. */
static inline int lottery_json(arena_sha256 *sum, kit_cursor *c, int depth)
{
    uint32_t size;
    kit_type type = depth > 0 ? kit_peek(*c) : KIT_BAD;
    if (type == KIT_MAP) {
        arena_map map = arena_read_map(c);
        for (int i = 0; i < map.count && !c->bad; i++) {
            arena_sha256_add(sum, i ? ", \"" : "{\"", i ? 3 : 2);
            arena_sha256_add(sum, map.key[i], map.size[i]);
            arena_sha256_add(sum, "\": ", 3);
            c->bad |= !lottery_json(sum, &map.value[i], depth - 1);
        }
        arena_sha256_add(sum, map.count ? "}" : "{}", map.count ? 1 : 2);
    } else if (type == KIT_ARRAY) {
        arena_sha256_add(sum, "[", 1);
        size = kit_array(c);
        for (uint32_t i = 0; i < size && !c->bad; i++) {
            arena_sha256_add(sum, ", ", i ? 2 : 0);
            c->bad |= !lottery_json(sum, c, depth - 1);
        }
        arena_sha256_add(sum, "]", 1);
    } else if (type == KIT_STR) {
        const char *text = kit_str(c, &size);
        arena_sha256_add(sum, "\"", 1);
        arena_sha256_add(sum, text, size);
        arena_sha256_add(sum, "\"", 1);
    } else if (type == KIT_BOOL) {
        int yes = kit_bool(c);
        arena_sha256_add(sum, yes ? "true" : "false", yes ? 4 : 5);
    } else if (type == KIT_INT) {
        lottery_number(sum, kit_int(c));
    } else if (type == KIT_NIL) {
        arena_sha256_add(sum, "null", 4);
        kit_skip(c);
    } else {
        return 0;
    }
    return !c->bad;
}

/* Makes the secret of a bot's chance from a purpose, the match's seed and the view, as Lottery of the Python kit does. */
static inline int lottery(const char *purpose, uint64_t seed, kit_cursor view, unsigned char secret[ARENA_SECRET])
{
    arena_sha256 sum;
    int done;
    arena_sha256_begin(&sum);
    arena_sha256_add(&sum, "[\"", 2);
    arena_sha256_add(&sum, purpose, strlen(purpose));
    arena_sha256_add(&sum, "\", ", 3);
    lottery_number(&sum, (int64_t)seed);
    arena_sha256_add(&sum, ", ", 2);
    done = lottery_json(&sum, &view, LOTTERY_DEPTH);
    arena_sha256_add(&sum, "]", 1);
    arena_sha256_end(&sum, secret);
    return done;
}

/* Returns the first eight bytes of a secret as a number, for a quick stream. */
static inline uint64_t lottery_seed(const unsigned char secret[ARENA_SECRET])
{
    uint64_t seed = 0;
    for (int i = 0; i < 8; i++)
        seed = seed << 8 | secret[i];
    return seed;
}

#endif
