/* A Monte-Carlo search of Silk Road. It imagines worlds: positions that its view allows, with the hidden cards dealt again. In
   each world each promising choice is played on for a round, everybody choosing by the policy from what a seat may know. Where
   that leads is judged by the chance to finish ahead. The number of worlds is fixed, so a match can be replayed. C99, C++17. */
#ifndef SILK_ROAD_SEARCH_H
#define SILK_ROAD_SEARCH_H

#include "silk_road_outlook.h"

enum { SILK_ROAD_IMAGINED = 32, SILK_ROAD_PROMISING = 8 };

/* What a search works with: of 220 kB, so keep it off a small stack. memory: only what all know of the hands counts. */
typedef struct {
    silk_road_rules rules;
    silk_road_chart chart;
    silk_road_view view;
    silk_road_knowledge knowledge;
    silk_road_memory memory;
} silk_road_mind;

typedef const uint8_t (*silk_road_known)[SILK_ROAD_GOODS];

/* Writes the choices worth a closer look, best first, and returns how many. */
static inline int silk_road_promising(const silk_road_mind *mind, const silk_road_state *world, const silk_road_options *options,
                                      int count, int candidates[SILK_ROAD_PROMISING])
{
    double points[SILK_ROAD_ENTRIES] = {0.0};
    silk_road_table table;
    silk_road_lay_table(&table, &silk_road_worth, &mind->chart, &mind->rules, world, (silk_road_known)mind->knowledge.known,
                        world->asker);
    silk_road_judge(&table, (silk_road_known)mind->knowledge.known, options, points);
    count = count < SILK_ROAD_ENTRIES ? count : SILK_ROAD_ENTRIES;
    return best_choices(points, count, candidates, SILK_ROAD_PROMISING, SILK_ROAD_EQUAL);
}

/* Plays a choice and a round by the policy, and returns the seat's chance then. */
static inline double silk_road_play_on(silk_road_mind *mind, silk_road_state *world, const silk_road_options *options, int choice,
                                       int me)
{
    const silk_road_rules *rules = &mind->rules;
    silk_road_memory *memory = &mind->memory;
    silk_road_options next;
    int until = world->turn + world->seats;
    memory->codes = memory->draws = memory->shuffles = 0;
    memcpy(memory->known, mind->knowledge.known, sizeof memory->known);
    silk_road_play(rules, world, memory, options, choice);
    while (!silk_road_is_over(world) && world->turn < until) {
        int count = silk_road_list(rules, world, &next);
        int guess = silk_road_guess(&silk_road_worth, &mind->chart, rules, world, (silk_road_known)memory->known, &next, count);
        silk_road_play(rules, world, memory, &next, guess);
    }
    return silk_road_chance(&silk_road_worth, &mind->chart, rules, world, me);
}

/* Chooses among so many entries of `legal`; the default where a view fits no position. view and rules are in the mind. */
static inline int silk_road_search_choice(silk_road_mind *mind, uint32_t entries, uint64_t seed)
{
    double sums[SILK_ROAD_PROMISING] = {0.0};
    int candidates[SILK_ROAD_PROMISING] = {0}, count = 0, best = 0, me = mind->view.seat;
    silk_road_state world, after;
    silk_road_options options;
    arena_stream stream;
    if (silk_road_think(&mind->knowledge, &mind->rules, &mind->view) != SILK_ROAD_OK || mind->view.asker != me)
        return 0;
    arena_stream_quick(&stream, seed);
    for (int number = 0; number < SILK_ROAD_IMAGINED; number++) {
        if (silk_road_next_world(&world, NULL, &mind->rules, &mind->view, &mind->knowledge, &stream) != SILK_ROAD_OK)
            return 0;
        if (number == 0) { /* the choices, and what the seat knows, are the same in all worlds */
            int choices = silk_road_list(&mind->rules, &world, &options);
            if (choices < 1 || (uint32_t)choices != entries)
                return 0;
            count = silk_road_promising(mind, &world, &options, choices, candidates);
        }
        if (count < 2)
            return candidates[0];
        for (int i = 0; i < count; i++) {
            after = world;
            sums[i] += silk_road_play_on(mind, &after, &options, candidates[i], me);
        }
    }
    for (int i = 1; i < count; i++)
        best = sums[i] > sums[best] + SILK_ROAD_EQUAL ? i : best;
    return candidates[best];
}

#endif
