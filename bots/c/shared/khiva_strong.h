/* The search of the strong bot of Khiva: in each world that its view allows it guesses what the others choose, tries its own
   choices against that, and takes the one after which it is likeliest to finish ahead.

   What another seat chooses is guessed by the same means: it holds its cards, imagines worlds of its own, and takes what is
   likeliest to bring it ahead. In those worlds everybody else tries three choices in a world that it imagines in turn, and there
   all choose as the quick searching bot guesses. With five seats everybody else chooses as that guesses at once. C99. */
#ifndef KHIVA_STRONG_H
#define KHIVA_STRONG_H

#include "khiva_outlook.h"

#define TRIED 30        /* choices of a turn that a seat tries at most; two seats have hundreds */
#define OTHERS_TRIED 20 /* the same of another seat */

/* How many worlds are imagined, and in each how many each of the others imagines; by seats. */
static const int OWN_WORLDS[] = {0, 0, 100, 80, 60, 80}, OTHERS_WORLDS[] = {0, 0, 10, 10, 5, 3};
#define QUICK_TRIED 3 /* choices that everybody else tries in those */
#define CROWD 5       /* from so many seats on they try none there: it would take too long */

/* What a search has in hand, the same in all worlds. */
typedef struct {
    const khiva_rules *rules;
    double shares[SEATS][PLACES];
    int others_worlds;
    arena_stream stream;
} thinking;

/* Plays a step, and goes on to the end of the turn; questions are answered as the greedy bot would. */
static inline void finish_turn(const khiva_rules *rules, khiva_state *s, const int choices[SEATS])
{
    int is_played = khiva_apply(rules, s, NULL, choices) == KHIVA_OK;
    while (is_played && s->kind > KHIVA_PLAY_PASS) {
        int answers[SEATS] = {0};
        answers[s->asker] = answer(rules, s);
        is_played = khiva_apply(rules, s, NULL, answers) == KHIVA_OK;
    }
}

/* Writes the hands after a turn, before new cards are dealt: those cannot be foreseen. */
static inline void pass_on(const khiva_state *s, const int choices[SEATS], hands held)
{
    int each = khiva_each(s->seats);
    memset(held, 0, sizeof(hands));
    for (int seat = 0; seat < s->seats; seat++) {
        int at[4];
        unsigned gone = 0;
        uint8_t *left = held[(seat + 1) % s->seats];
        khiva_positions(s->seats, s->hand[seat][0], choices[seat], at);
        for (int i = 0; i < 2 * each; i++)
            gone |= 1u << at[i];
        for (int i = each; i < 2 * each; i++)
            khiva_push(left, s->hand[seat][1 + at[i]]);
        for (int i = 0; i < s->hand[seat][0]; i++)
            if (!(gone >> i & 1))
                khiva_push(held[seat], s->hand[seat][1 + i]);
    }
}

/* Tells whether two choices of a turn play the same cards: whatever they pass, the turn comes out the same. */
static inline int plays_same(int seats, int size, int one, int other)
{
    int a[4], b[4];
    khiva_positions(seats, size, one, a);
    khiva_positions(seats, size, other, b);
    return a[0] == b[0] && (seats > 2 || a[1] == b[1]);
}

/* Adds to gains[i] how likely a seat finishes ahead if it chooses tried[i] and the others choose as in `choices`. */
static inline void try_turns(thinking *think, const khiva_state *world, int seat, int choices[SEATS], const int *tried, int count,
                             double *gains)
{
    outlook_table after;
    int seats = world->seats, left = (seat + 1) % seats, done[TRIED] = {0};
    for (int i = 0; i < count; i++) {
        double outlooks[SEATS];
        int is_first = 1;
        if (done[i])
            continue;
        after.state = *world;
        choices[seat] = tried[i];
        finish_turn(think->rules, &after.state, choices);
        if (after.state.kind != KHIVA_OVER)
            lay_outlook(&after, think->rules, think->shares);
        for (int j = i; j < count; j++) {
            hands held;
            if (done[j] || !plays_same(seats, world->hand[seat][0], tried[i], tried[j]))
                continue;
            done[j] = 1;
            if (after.state.kind == KHIVA_OVER) {
                gains[j] += share_ahead(think->rules, &after.state, seat);
                continue;
            }
            choices[seat] = tried[j];
            pass_on(world, choices, held);
            for (int other = 0; other < seats; other++)
                if (is_first || other == seat || other == left)
                    foresee(&after, other, held);
            for (int other = 0; other < seats; other++) /* another card passed changes next to nothing for the rest */
                if (is_first || other == seat || other == left)
                    outlooks[other] = outlook_of(&after, other, held);
            is_first = 0;
            gains[j] += chance_ahead(seats, seat, outlooks);
        }
    }
}

/* Adds to gains[i] how likely a seat finishes ahead with choice i of the question that is open in the middle of a turn. */
static inline void try_answers(thinking *think, const khiva_state *world, int seat, int count, double *gains)
{
    outlook_table after;
    for (int choice = 0; choice < count; choice++) {
        double outlooks[SEATS];
        int choices[SEATS] = {0};
        hands held;
        after.state = *world;
        choices[seat] = choice;
        finish_turn(think->rules, &after.state, choices);
        if (after.state.kind == KHIVA_OVER) {
            gains[choice] += share_ahead(think->rules, &after.state, seat);
            continue;
        }
        lay_outlook(&after, think->rules, think->shares);
        memcpy(held, world->hand, sizeof held);
        for (int other = 0; other < world->seats; other++)
            foresee(&after, other, held);
        for (int other = 0; other < world->seats; other++)
            outlooks[other] = outlook_of(&after, other, held);
        gains[choice] += chance_ahead(world->seats, seat, outlooks);
    }
}

/* Returns where the greatest of the gains is, the first of equal ones. */
static inline int most_at(const double *gains, int count)
{
    int best = 0;
    for (int i = 1; i < count; i++)
        best = gains[i] > gains[best] ? i : best;
    return best;
}

/* Returns the choices of a turn that a seat looks at, best first by the greedy bot's reckoning from its view, and prepares how it
   guesses the others. */
static inline int begin_turn(const khiva_rules *rules, const khiva_view *view, others *model, int *tried, int most)
{
    double promised[ENTRIES];
    int salt = view->salts_left[0] > 0 ? view->salts_left[1] : 0;
    board b = lay_board(rules, view->seats, view->place, view->load, view->gems, view->carpets, salt);
    expect(model, view, &b);
    return best_choices(promised, totals(view, &b, promised), tried, most, 0.0);
}

/* Deals the hidden cards of a world again, as a seat may imagine it; what it has passed and knows to be out there stays. */
static inline void imagine(khiva_state *imagined, const khiva_state *world, const khiva_view *view, arena_stream *stream)
{
    uint8_t hidden[KHIVA_CARDS];
    int count = 0;
    *imagined = *world;
    for (int i = 1; i <= world->aside[0]; i++)
        hidden[count++] = world->aside[i];
    for (int other = 0; other < world->seats; other++)
        for (int i = 1; other != view->seat && i <= world->hand[other][0]; i++)
            if (!view->away[world->hand[other][i]])
                hidden[count++] = world->hand[other][i];
    arena_shuffle(stream, hidden, count);
    for (int other = 0; other < world->seats; other++) {
        if (other == view->seat)
            continue;
        imagined->hand[other][0] = 0;
        for (int i = 1; i <= world->hand[other][0]; i++) {
            int card = world->hand[other][i];
            khiva_insert(imagined->hand[other], view->away[card] ? card : hidden[--count]);
        }
    }
    imagined->aside[0] = 0;
    while (count > 0)
        khiva_push(imagined->aside, hidden[--count]);
}

/* Guesses what a seat chooses in a world that another seat imagines, by a try of its most promising choices in one of its own. */
static inline int guess_quickly(thinking *think, const others *model, const khiva_state *world, int seat)
{
    static khiva_view stranger; /* who has passed nothing */
    khiva_state imagined;
    double worth[ENTRIES], gains[QUICK_TRIED];
    int choices[SEATS] = {0}, tried[QUICK_TRIED], count;
    if (world->seats >= CROWD)
        return guess(model, think->rules, world, seat, &think->stream);
    stranger.seat = seat;
    imagine(&imagined, world, &stranger, &think->stream);
    for (int other = 0; other < world->seats; other++)
        if (other != seat)
            choices[other] = guess(model, think->rules, &imagined, other, &think->stream);
    count = best_choices(worth, choice_worths(model, think->rules, world, seat, worth), tried, QUICK_TRIED, 0.0);
    for (int i = 0; i < count; i++) {
        khiva_state after = imagined;
        choices[seat] = tried[i];
        finish_turn(think->rules, &after, choices);
        gains[i] = lead(think->rules, &after, think->shares, seat);
    }
    return tried[most_at(gains, count)];
}

/* Guesses what another seat chooses in a world: it thinks by its own view, and less far. What it has passed to a third seat is
   left out of that view, since a world does not say it. */
static inline int guess_deeply(thinking *think, const khiva_state *world, const khiva_memory *memory, int seat)
{
    static khiva_view view;
    others model;
    double gains[OTHERS_TRIED] = {0.0};
    int tried[OTHERS_TRIED], count;
    khiva_see(think->rules, world, memory, seat, &view);
    count = begin_turn(think->rules, &view, &model, tried, OTHERS_TRIED);
    for (int number = 0; number < think->others_worlds; number++) {
        khiva_state imagined;
        int choices[SEATS] = {0};
        imagine(&imagined, world, &view, &think->stream);
        for (int other = 0; other < world->seats; other++)
            if (other != seat)
                choices[other] = guess_quickly(think, &model, &imagined, other);
        try_turns(think, &imagined, seat, choices, tried, count, gains);
    }
    return tried[most_at(gains, count)];
}

/* Chooses one of so many choices, in so many worlds of its own and of each other seat in each of them; the default where a view
   fits no position, or has another number of choices. */
static inline long search_strongly(const khiva_view *view, const khiva_rules *rules, int choices_here, uint64_t seed,
                                   int own_worlds, int others_worlds)
{
    static khiva_knowledge knowledge;
    static khiva_memory memory;
    thinking think;
    others model;
    double gains[TRIED] = {0.0};
    int tried[TRIED], count = 0, seats = view->seats, me = view->seat;
    if (khiva_think(&knowledge, rules, view) != KHIVA_OK)
        return 0;
    think.rules = rules, think.others_worlds = others_worlds;
    arena_stream_quick(&think.stream, seed);
    share_loads(seats, think.shares);
    if (view->kind == KHIVA_PLAY_PASS)
        count = begin_turn(rules, view, &model, tried, TRIED);
    for (int number = 0; number < own_worlds; number++) {
        khiva_state world;
        int choices[SEATS] = {0};
        if (khiva_world(&world, &memory, rules, view, &knowledge, &think.stream) != KHIVA_OK
            || khiva_choices(rules, &world, me) != choices_here)
            return 0;
        if (view->kind != KHIVA_PLAY_PASS) {
            count = choices_here;
            try_answers(&think, &world, me, count, gains);
            continue;
        }
        for (int seat = 0; seat < seats; seat++)
            if (seat != me)
                choices[seat] = guess_deeply(&think, &world, &memory, seat);
        try_turns(&think, &world, me, choices, tried, count, gains);
    }
    return view->kind == KHIVA_PLAY_PASS ? tried[most_at(gains, count)] : most_at(gains, count);
}

#endif
