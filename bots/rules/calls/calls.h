/* The calls of one game's header as functions, for languages that include no header of C. Names begin as khiva_lib_, those of
   streams as arena_lib_. A structure is memory of which only its size is known, aligned to 8 bytes; khiva_lib_sizes tells it.

   A C file includes the header of the game. It defines EXPORTED, GAME as the game's prefix and MOST as its most seats, and LEARNS
   if the header has playouts that learn. Then it includes this. */
#ifndef CALLS_H
#define CALLS_H
#define JOINED(game, name) game##_##name
#define OF(game, name) JOINED(game, name)
#define THE(name) OF(GAME, name)
#define CALL(name) EXPORTED THE(lib_##name)

EXPORTED int arena_lib_stream_size(void)
{
    return (int)sizeof(arena_stream);
}

/* Begins a quick stream. */
EXPORTED void arena_lib_quick(arena_stream *stream, uint64_t seed)
{
    arena_stream_quick(stream, seed);
}

EXPORTED uint64_t arena_lib_below(arena_stream *stream, uint64_t n)
{
    return arena_below(stream, n);
}
#endif

/* Writes the sizes in bytes of rules, state, memory, view and knowledge, and most seats and numbers of an entry. */
void CALL(sizes)(int sizes[7])
{
    sizes[0] = (int)sizeof(THE(rules)), sizes[1] = (int)sizeof(THE(state)), sizes[2] = (int)sizeof(THE(memory));
    sizes[3] = (int)sizeof(THE(view)), sizes[4] = (int)sizeof(THE(knowledge));
    sizes[5] = MOST, sizes[6] = (int)(sizeof(((THE(entry) *)0)->item) / sizeof(int));
}

int CALL(read_hello)(const unsigned char *bytes, size_t size, THE(rules) *rules, int *seats)
{
    kit_cursor hello = {bytes, bytes + size, 0};
    return THE(read_hello)(hello, rules, seats);
}

int CALL(read_rules)(const unsigned char *bytes, size_t size, THE(rules) *rules)
{
    kit_cursor map = {bytes, bytes + size, 0};
    return THE(read_rules)(map, rules);
}

void CALL(default_rules)(THE(rules) *rules)
{
    THE(default_rules)(rules);
}

int CALL(read_view)(const unsigned char *bytes, size_t size, const THE(rules) *rules, THE(view) *view)
{
    kit_cursor map = {bytes, bytes + size, 0};
    return THE(read_view)(map, rules, view);
}

int CALL(new)(THE(state) *s, THE(memory) *memory, const THE(rules) *rules, int seats, const unsigned char *secret, int quick)
{
    return THE(new)(s, memory, rules, seats, secret, quick);
}

unsigned CALL(asked)(const THE(rules) *rules, const THE(state) *s)
{
    return THE(asked)(rules, s);
}

/* Writes the kinds and the numbers of choices of all seats; returns the mask of those that are asked. */
unsigned CALL(questions)(const THE(rules) *rules, const THE(state) *s, int kinds[MOST], int choices[MOST])
{
    unsigned asked = THE(asked)(rules, s);
    for (int seat = 0; seat < MOST; seat++) {
        kinds[seat] = asked >> seat & 1 ? THE(kind_of)(s, seat) : 0;
        choices[seat] = asked >> seat & 1 ? THE(choices)(rules, s, seat) : 0;
    }
    return asked;
}

/* Writes all entries of a seat, each as its count and its numbers. */
void CALL(legal)(const THE(rules) *rules, const THE(state) *s, int seat, THE(entry) *entries)
{
    int count = THE(choices)(rules, s, seat);
    for (int i = 0; i < count; i++)
        THE(choice)(rules, s, seat, i, &entries[i]);
}

int CALL(apply)(const THE(rules) *rules, THE(state) *s, THE(memory) *memory, const int *choices)
{
    return THE(apply)(rules, s, memory, choices);
}

/* Writes scores and ranks of all seats. */
void CALL(standing)(const THE(rules) *rules, const THE(state) *s, int seats, int scores[MOST], int ranks[MOST])
{
    for (int seat = 0; seat < seats; seat++)
        scores[seat] = THE(score)(rules, s, seat);
    THE(ranks)(rules, s, ranks);
}

void CALL(see)(const THE(rules) *rules, const THE(state) *s, const THE(memory) *memory, int seat, THE(view) *view)
{
    THE(see)(rules, s, memory, seat, view);
}

int CALL(think)(THE(knowledge) *knowledge, const THE(rules) *rules, const THE(view) *view)
{
    return THE(think)(knowledge, rules, view);
}

int CALL(world)(THE(state) *s, THE(memory) *memory, const THE(rules) *rules, const THE(view) *view, THE(knowledge) *knowledge,
                arena_stream *stream)
{
    return THE(world)(s, memory, rules, view, knowledge, stream);
}

int CALL(numbers)(const THE(rules) *rules, int seats, uint64_t without)
{
    return THE(numbers)(rules, seats, without);
}

int CALL(observe)(const THE(rules) *rules, const THE(state) *s, const THE(memory) *memory, int seat, uint64_t without,
                  float *numbers)
{
    return THE(observe)(rules, s, memory, seat, without, numbers);
}

int CALL(actions)(const THE(rules) *rules, int seats)
{
    return THE(actions)(rules, seats);
}

/* Writes the actions of all choices of a seat. */
void CALL(actions_of)(const THE(rules) *rules, const THE(state) *s, int seat, int *actions)
{
    int count = THE(choices)(rules, s, seat);
    for (int i = 0; i < count; i++)
        actions[i] = THE(action)(rules, s, seat, i);
}

int CALL(playout)(const THE(rules) *rules, THE(state) *s, arena_stream *stream)
{
    return THE(playout)(rules, s, stream);
}

#ifdef LEARNS
int CALL(habits_size)(void)
{
    return (int)sizeof(THE(habits));
}

/* Tries a choice in a copy of a position: the others and all later choices by habit, which learns. Returns the lead. */
double CALL(try)(const THE(rules) *rules, const THE(state) *s, THE(habits) *habits, int seat, int choice, int turns,
                 arena_stream *stream)
{
    THE(state) copy = *s;
    return THE(try)(rules, &copy, habits, seat, choice, turns, stream);
}
#endif
