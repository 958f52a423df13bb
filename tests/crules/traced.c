/* Reads rules maps and views as hostile.c does, and prints a line for each pair of them: the codes with which they were read, and
   a hash of a match by these rules and of worlds of the view, step by step. Other machines have to print the same lines.

   The hash is FNV-1a of 64 bits over whole numbers, the lowest byte first, so it is the same whatever the order of bytes is. */
#include "records.h"
#include "rules.c"

/* Who builds this defines TRIED, the game, LEAST_SEATS and MOST_SEATS. */
#define GAME TRIED

enum { WORLDS = 2, STEPS = 12, ATTEMPTS = 4 };

static uint64_t hash;
static arena_stream chance;

static void add(int64_t number)
{
    for (int i = 0; i < 8; i++)
        hash = (hash ^ ((uint64_t)number >> 8 * i & 255)) * 1099511628211u;
}

/* Adds what stands on the table, all choices, and what one seat sees as numbers. */
static void add_position(const THE(rules) *rules, const THE(state) *s, const THE(memory) *memory, int seats)
{
    unsigned asked = THE(asked)(rules, s);
    int ranks[MOST_SEATS], count = THE(numbers)(rules, seats, 0);
    float *numbers = malloc((size_t)count * sizeof *numbers);
    THE(ranks)(rules, s, ranks);
    for (int seat = 0; seat < seats; seat++) {
        add(THE(score)(rules, s, seat)), add(ranks[seat]);
        for (int i = 0; asked >> seat & 1 && i < THE(choices)(rules, s, seat); i++) {
            THE(entry) entry;
            THE(choice)(rules, s, seat, i, &entry);
            for (int j = 0; j < entry.count; j++)
                add(entry.item[j]);
            add(THE(action)(rules, s, seat, i));
        }
    }
    THE(observe)(rules, s, memory, (int)arena_below(&chance, (uint64_t)seats), 0, numbers);
    for (int i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        add(bits);
    }
    free(numbers);
}

/* Plays on at random, and adds each position. */
static void add_match(const THE(rules) *rules, THE(state) *s, THE(memory) *memory, int seats, int steps)
{
    for (; steps > 0 && !THE(is_over)(s); steps--) {
        int choices[MOST_SEATS] = {0};
        unsigned asked = THE(asked)(rules, s);
        add_position(rules, s, memory, seats);
        for (int seat = 0; seat < seats; seat++)
            if (asked >> seat & 1)
                choices[seat] = (int)arena_below(&chance, (uint64_t)THE(choices)(rules, s, seat));
        if (THE(apply)(rules, s, memory, choices))
            abort();
    }
    add_position(rules, s, memory, seats);
    add(THE(playout)(rules, s, &chance));
}

/* Adds how far ahead a seat of Khiva is after attempts, which are numbers with a fraction. */
static void add_attempts(const THE(rules) *rules, const THE(state) *s)
{
#ifdef TRIED_LEARNS
    THE(habits) habits;
    memset(&habits, 0, sizeof habits);
    for (int i = 0; i < ATTEMPTS; i++)
        for (int seat = 0; seat < s->seats; seat++) {
            THE(state) copy = *s;
            double lead = THE(try)(rules, &copy, &habits, seat, i, STEPS, &chance);
            int64_t bits;
            memcpy(&bits, &lead, sizeof bits);
            add(bits);
        }
#endif
    (void)rules, (void)s;
}

/* Adds worlds of a view, if it is one. */
static void add_worlds(const THE(rules) *rules, const THE(view) *view, THE(state) *s, THE(memory) *memory)
{
    static THE(knowledge) knowledge;
    int code = THE(think)(&knowledge, rules, view);
    add(code);
    for (int i = 0; code == 0 && i < WORLDS; i++) {
        int drawn = THE(world)(s, memory, rules, view, &knowledge, &chance);
        add(drawn);
        if (drawn == 0) {
            add_attempts(rules, s);
            add_match(rules, s, memory, THE(seats_of)(view), STEPS);
        }
    }
}

int main(void)
{
    static THE(rules) rules;
    static THE(state) s;
    static THE(memory) memory;
    static THE(view) view;
    unsigned char *map, *bytes;
    size_t map_size, size;
    for (int number = 0; (map = record(&map_size)) && (bytes = record(&size)); number++) {
        const unsigned char secret[ARENA_SECRET] = {(unsigned char)number, (unsigned char)(number >> 8)};
        kit_cursor of_rules = {map, map + map_size, 0}, of_view = {bytes, bytes + size, 0};
        int wrong_rules, wrong_view, seats = LEAST_SEATS + number % (MOST_SEATS - LEAST_SEATS + 1);
        hash = 14695981039346656037u;
        arena_lib_stream(&chance, secret, "traced", number % 2);
        wrong_rules = THE(read_rules)(of_rules, &rules);
        if (wrong_rules)
            THE(default_rules)(&rules);
        wrong_view = THE(read_view)(of_view, &rules, &view);
        if (THE(new)(&s, &memory, &rules, seats, secret, number % 2) == 0)
            add_match(&rules, &s, &memory, seats, 1000);
        if (!wrong_view)
            add_worlds(&rules, &view, &s, &memory);
        printf("%d %d %016llx\n", wrong_rules, wrong_view, (unsigned long long)hash);
        free(map);
        free(bytes);
    }
    return 0;
}
