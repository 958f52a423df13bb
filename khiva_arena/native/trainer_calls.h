/* Functions of the library for Python beside the calls of one game's header: rules.c includes this for each game. */
#include "calls/calls.h"

int CALL(seats_of)(const THE(view) *view)
{
    return THE(seats_of)(view);
}

/* Plays so many random games with the quick generator, each from a new deal, and returns how many decisions that took. */
int64_t CALL(random_games)(const THE(rules) *rules, int seats, uint64_t seed, int games)
{
    arena_stream stream;
    THE(state) s;
    int64_t decisions = 0;
    unsigned char secret[ARENA_SECRET];
    arena_stream_quick(&stream, seed);
    for (int i = 0; i < games; i++) {
        arena_draw_secret(&stream, secret);
        THE(new)(&s, NULL, rules, seats, secret, 1);
        decisions += THE(playout)(rules, &s, &stream);
    }
    return decisions;
}

/* Copies a state so many times, to be timed. */
int CALL(clones)(const THE(state) *s, int times)
{
    static THE(state) copies[64];
    int sum = 0;
    for (int i = 0; i < times; i++) {
        copies[i % 64] = *s;
        sum += ((volatile unsigned char *)&copies[i % 64])[i % sizeof *s];
    }
    return sum;
}

/* Draws so many worlds of a view, to be timed. Returns how many came to nothing. */
int CALL(worlds)(const THE(rules) *rules, const THE(view) *view, THE(knowledge) *knowledge, int quick, int times)
{
    static const char *const labels[] = {"worlds"};
    unsigned char secret[ARENA_SECRET] = {1};
    arena_stream stream;
    THE(state) s;
    int failed = 0;
    arena_open(&stream, secret, quick, labels, 1);
    for (int i = 0; i < times; i++)
        failed += THE(world)(&s, NULL, rules, view, knowledge, &stream) != 0;
    return failed;
}

/* Matches that are stepped together. In each of them the seat of lowest number acts that is asked and has not chosen; its choice is
   played when all that are asked have one. Arrays are by match. */
typedef struct {
    int matches, seats, by_points;
    uint64_t without;
    THE(state) *states;
    THE(memory) *memories;
    const unsigned char *secrets; /* of the next match there, 32 bytes each */
    int *chosen;                  /* by seat: the choice that waits for others', or -1 */
    int *seat;                    /* who acts */
    float *observations;
    int8_t *masks; /* by action: 1 if it is legal */
    float *rewards; /* by seat: of the last step */
    uint8_t *over, *illegal; /* of the last step: whether a match ended, and another began; whether the default was played */
} THE(lib_table);

/* Finds who acts next in a match, and writes what it sees and may do. */
static void THE(lib_show)(const THE(rules) *rules, const THE(lib_table) *t, int i)
{
    const THE(state) *s = &t->states[i];
    int seat = 0, size = THE(numbers)(rules, t->seats, t->without), actions = THE(actions)(rules, t->seats);
    unsigned asked = THE(asked)(rules, s);
    while (!(asked >> seat & 1) || t->chosen[i * MOST + seat] >= 0)
        seat++;
    t->seat[i] = seat;
    THE(observe)(rules, s, &t->memories[i], seat, t->without, t->observations + (size_t)i * size);
    memset(t->masks + (size_t)i * actions, 0, (size_t)actions);
    for (int choice = THE(choices)(rules, s, seat) - 1; choice >= 0; choice--)
        t->masks[(size_t)i * actions + THE(action)(rules, s, seat, choice)] = 1;
}

static void THE(lib_begin)(const THE(rules) *rules, const THE(lib_table) *t, int i)
{
    THE(new)(&t->states[i], &t->memories[i], rules, t->seats, t->secrets + (size_t)ARENA_SECRET * i, 0);
    for (int seat = 0; seat < MOST; seat++)
        t->chosen[i * MOST + seat] = -1;
}

/* Plays the choices of a match, and adds what they bring: points, or at the end the seats behind less those before. */
static void THE(lib_go_on)(const THE(rules) *rules, const THE(lib_table) *t, int i)
{
    THE(state) *s = &t->states[i];
    float *rewards = t->rewards + i * t->seats;
    int before[MOST], ranks[MOST];
    for (int seat = 0; seat < t->seats; seat++)
        before[seat] = t->by_points ? THE(score)(rules, s, seat) : 0;
    THE(apply)(rules, s, &t->memories[i], t->chosen + i * MOST);
    t->over[i] = (uint8_t)THE(is_over)(s);
    if (t->over[i])
        THE(ranks)(rules, s, ranks);
    for (int seat = 0; seat < t->seats; seat++) {
        rewards[seat] = t->by_points ? (float)(THE(score)(rules, s, seat) - before[seat]) : 0.0f;
        for (int other = 0; other < t->seats && t->over[i] && !t->by_points; other++)
            rewards[seat] += (float)((ranks[other] > ranks[seat]) - (ranks[other] < ranks[seat]));
        t->chosen[i * MOST + seat] = -1;
    }
    if (t->over[i])
        THE(lib_begin)(rules, t, i);
}

/* Begins all matches. */
void CALL(begin_all)(const THE(rules) *rules, const THE(lib_table) *t)
{
    for (int i = 0; i < t->matches; i++) {
        THE(lib_begin)(rules, t, i);
        THE(lib_show)(rules, t, i);
    }
}

/* Takes an action in each match; one that is not legal is the default. */
void CALL(step_all)(const THE(rules) *rules, const THE(lib_table) *t, const int64_t *actions)
{
    for (int i = 0; i < t->matches; i++) {
        const THE(state) *s = &t->states[i];
        int seat = t->seat[i], count = THE(choices)(rules, s, seat), choice = 0, waits = 0;
        unsigned asked = THE(asked)(rules, s);
        while (choice < count && THE(action)(rules, s, seat, choice) != actions[i])
            choice++;
        t->illegal[i] = choice == count;
        t->chosen[i * MOST + seat] = choice == count ? 0 : choice;
        t->over[i] = 0;
        memset(t->rewards + i * t->seats, 0, (size_t)t->seats * sizeof *t->rewards);
        for (int other = 0; other < t->seats; other++)
            waits |= asked >> other & 1 && t->chosen[i * MOST + other] < 0;
        if (!waits)
            THE(lib_go_on)(rules, t, i);
        THE(lib_show)(rules, t, i);
    }
}
