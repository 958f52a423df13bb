/* Reads rules maps and views from standard input, as many as there are, and does with each all that a caller may do: reads it,
   thinks about it, draws worlds and plays them to the end; the same with a view whose bytes were changed at random; and calls
   with numbers that mean nothing. It is built so that it ends at the first access beyond a piece of memory, and at what C leaves
   undefined. */
#include "records.h"
#include "rules.c"

/* Who builds this defines TRIED, the game, and TRIED_SEATS, its most seats. */
#define GAME TRIED

enum { CHANGED = 20, WORLDS = 2, HEAD = 256 };

static arena_stream chance;
static long sound, all;

/* Plays a world on, now and then with choices that are none. */
static void play(const THE(rules) *rules, THE(state) *s, THE(memory) *memory, int seats)
{
    int choices[TRIED_SEATS], ranks[TRIED_SEATS], steps = 0;
    float *numbers = malloc((size_t)THE(numbers)(rules, seats, 0) * sizeof *numbers);
    for (; steps < 300 && !THE(is_over)(s); steps++) {
        unsigned asked = THE(asked)(rules, s);
        for (int seat = 0; seat < TRIED_SEATS; seat++)
            choices[seat] = asked >> seat & 1 ? (int)arena_below(&chance, (uint64_t)THE(choices)(rules, s, seat)) : -1;
        if (arena_below(&chance, 8) == 0) {
            int wild[TRIED_SEATS];
            for (int seat = 0; seat < TRIED_SEATS; seat++)
                wild[seat] = (int)(int32_t)arena_u64(&chance);
            THE(apply)(rules, s, memory, wild);
        } else if (THE(apply)(rules, s, memory, choices)) {
            abort();
        }
        THE(observe)(rules, s, memory, (int)arena_below(&chance, (uint64_t)seats), 0, numbers);
    }
    THE(ranks)(rules, s, ranks);
    THE(playout)(rules, s, &chance);
    free(numbers);
}

/* Draws worlds of a view, if it is one. */
static void imagine(const THE(rules) *rules, const THE(view) *view)
{
    THE(knowledge) *knowledge = malloc(sizeof *knowledge);
    THE(memory) *memory = malloc(sizeof *memory);
    THE(state) *s = malloc(sizeof *s);
    int wrong = THE(think)(knowledge, rules, view);
    all++;
    sound += wrong == 0;
    for (int i = 0; !wrong && i < WORLDS; i++)
        if (THE(world)(s, memory, rules, view, knowledge, &chance) == 0)
            play(rules, s, memory, THE(seats_of)(view));
    free(s);
    free(memory);
    free(knowledge);
}

/* Changes one byte of the first ones, mostly to a small number, or four to a number at the ends of what they can hold. */
static void change(unsigned char *bytes, size_t among)
{
    static const int32_t ends[] = {INT32_MAX, INT32_MAX - 1, INT32_MIN, -1, 65535};
    if (arena_below(&chance, 4) == 0)
        memcpy(bytes + arena_below(&chance, among / 4) * 4, &ends[arena_below(&chance, 5)], 4);
    else
        bytes[arena_below(&chance, among)] = (unsigned char)(arena_u64(&chance) >> (arena_below(&chance, 4) ? 60 : 56));
}

int main(void)
{
    static const unsigned char secret[ARENA_SECRET] = {1};
    THE(view) *view = malloc(sizeof *view), *changed = malloc(sizeof *changed);
    unsigned char *map, *bytes;
    size_t map_size, size;
    arena_lib_stream(&chance, secret, "hostile", 1);
    while ((map = record(&map_size)) && (bytes = record(&size))) {
        THE(rules) rules;
        kit_cursor c = {map, map + map_size, 0}, of_view = {bytes, bytes + size, 0};
        if (THE(read_rules)(c, &rules))
            THE(default_rules)(&rules);
        if (THE(read_view)(of_view, &rules, view) == 0) {
            imagine(&rules, view);
            for (int i = 0; i < CHANGED; i++) {
                memcpy(changed, view, sizeof *view);
                for (int times = (int)arena_below(&chance, 3); times >= 0; times--)
                    change((unsigned char *)changed, arena_below(&chance, 2) ? HEAD : sizeof *changed);
                imagine(&rules, changed);
            }
        }
        free(map);
        free(bytes);
    }
    free(view);
    free(changed);
    printf("%ld %ld\n", sound, all);
    return 0;
}
