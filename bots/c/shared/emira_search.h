/* A search for Emira: plays its promising choices on in worlds that its view allows, everybody choosing by the policy, and gives
   those that do well more worlds. Include the rules of Emira before it. C99 and C++17.

   The numbers of worlds and choices are fixed, so that equal seeds, views and legal lists give equal choices. */
#ifndef EMIRA_SEARCH_H
#define EMIRA_SEARCH_H

#include "emira_outlook.h"
#include "searching.h"

enum { SEARCH_CHOICES = 12, SEARCH_ENTRIES = 64, SEARCH_MODELS = 2 };

/* How far a search goes. */
typedef struct {
    int worlds; /* tries of all choices together, where the decision is no bid */
    int bids;   /* the same for bids */
    int rounds; /* after so many rounds, this one included, a world is judged */
    const emira_weights *mine;                  /* of the policy of the seat that searches */
    const emira_weights *others[SEARCH_MODELS]; /* of the policies that the others may have, world by world */
    const double (*outlook)[OUTLOOK_NUMBERS];   /* weights by phase and number */
} emira_effort;

/* Returns the share of the others that a seat is ahead of, or will be. */
static inline double search_judge(const emira_rules *rules, const emira_state *s, int me, const emira_effort *e)
{
    int seats = s->table.seats, ranks[EMIRA_SEATS];
    double total = 0.0, outlook[EMIRA_SEATS];
    if (emira_is_over(s)) {
        emira_ranks(rules, s, ranks);
        for (int seat = 0; seat < seats; seat++)
            total += seat == me ? 0.0 : ranks[me] < ranks[seat] ? 1.0 : ranks[me] == ranks[seat] ? 0.5 : 0.0;
        return total / (seats - 1);
    }
    for (int seat = 0; seat < seats; seat++)
        outlook[seat] = outlook_of(rules, s, seat, e->mine, e->outlook);
    for (int seat = 0; seat < seats; seat++)
        total += seat == me ? 0.0 : logistic(outlook[me] - outlook[seat]);
    return total / (seats - 1);
}

/* Plays a world on by the policy until a round begins, or to its end. */
static inline void search_play_on(emira_player *p, emira_state *s, int end)
{
    int choices[EMIRA_SEATS] = {0};
    for (int seat = 0; seat < EMIRA_SEATS; seat++)
        p->gains[seat].round = 0;
    while (!emira_is_over(s) && s->table.round < end) {
        unsigned asked = emira_asked(p->rules, s);
        for (int seat = 0; seat < s->table.seats; seat++)
            if (asked >> seat & 1)
                choices[seat] = policy_choose(p, s, seat);
        if (emira_apply(p->rules, s, NULL, choices) != EMIRA_OK)
            return;
    }
}

/* A choice that is looked at. */
typedef struct {
    int choice;
    double sum; /* over its worlds */
} search_candidate;

/* Writes the choices that are looked at, the policy's first, and returns how many. */
static inline int search_candidates(emira_player *p, const emira_state *s, int me, search_candidate found[SEARCH_CHOICES])
{
    double values[SEARCH_ENTRIES];
    int best[SEARCH_CHOICES], count = 0, choices = emira_choices(p->rules, s, me);
    memset(found, 0, SEARCH_CHOICES * sizeof *found);
    if (s->table.kind == EMIRA_BID) {
        found[count++].choice = policy_bid(p, s, me);
        for (int choice = 0; choice < 2 + (int)(s->options & 1) && choice < choices; choice++)
            if (choice != found[0].choice)
                found[count++].choice = choice;
        return count;
    }
    choices = policy_values(p->rules, s, me, p->weights[me], values, SEARCH_ENTRIES);
    count = best_choices(values, choices, best, SEARCH_CHOICES, 5e-7);
    for (int i = 0; i < count; i++)
        found[i].choice = best[i];
    return count;
}

/* Puts the candidates in order, those first that did best. */
static inline void search_sort(search_candidate *candidates, int count)
{
    for (int i = 1; i < count; i++) {
        search_candidate moved = candidates[i];
        int at = i;
        for (; at > 0 && candidates[at - 1].sum < moved.sum; at--)
            candidates[at] = candidates[at - 1];
        candidates[at] = moved;
    }
}

/* Tries the candidates in one world, all of them with the same chance to come. */
static inline void search_try(emira_player *p, const emira_state *world, int me, search_candidate *candidates, int count,
                              const emira_effort *e)
{
    int answers[EMIRA_SEATS] = {0};
    for (int seat = 0; seat < world->table.seats && world->table.kind == EMIRA_FIRST_EVENT; seat++)
        if (seat != me)
            answers[seat] = policy_choose(p, world, seat);
    for (int i = 0; i < count; i++) {
        emira_state after = *world;
        answers[me] = candidates[i].choice;
        emira_apply(p->rules, &after, NULL, answers);
        search_play_on(p, &after, world->table.round + e->rounds);
        candidates[i].sum += search_judge(p->rules, &after, me, e);
    }
}

/* Chooses; the default where a view fits no position. choices: how many there are. */
static inline int search(const emira_rules *rules, const emira_view *view, emira_knowledge *knowledge, int choices, uint64_t seed,
                         const emira_effort *e)
{
    search_candidate candidates[SEARCH_CHOICES];
    emira_state world;
    emira_player player;
    arena_stream stream;
    int me = view->seat, count, tries, stages = 0;
    if (emira_think(knowledge, rules, view) != EMIRA_OK)
        return 0;
    arena_stream_quick(&stream, seed);
    if (emira_world(&world, NULL, rules, view, knowledge, &stream) != EMIRA_OK || emira_choices(rules, &world, me) != choices)
        return 0;
    memset(&player, 0, sizeof player);
    player.rules = rules;
    player.weights[me] = e->mine;
    count = search_candidates(&player, &world, me, candidates);
    tries = view->table.kind == EMIRA_BID ? e->bids : e->worlds;
    for (int left = count; left > 1; left = (left + 1) / 2)
        stages++;
    /* Each stage has as many tries as another one, and drops the worse half. */
    for (; count > 1; count = (count + 1) / 2) {
        for (int number = 0; number < tries / (stages * count); number++) {
            if (emira_world(&world, NULL, rules, view, knowledge, &stream) != EMIRA_OK)
                return 0;
            for (int seat = 0; seat < EMIRA_SEATS; seat++)
                player.weights[seat] = seat == me ? e->mine : e->others[number % SEARCH_MODELS];
            search_try(&player, &world, me, candidates, count, e);
        }
        search_sort(candidates, count);
    }
    return candidates[0].choice;
}

#endif
