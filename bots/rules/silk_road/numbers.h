/* Observations and actions of Silk Road as numbers: khiva_arena/env/silk_road.py in C, number by number. docs/trainers.md
   explains them. */
#ifndef SILK_ROAD_NUMBERS_H
#define SILK_ROAD_NUMBERS_H

#include "../arena/numbers.h"
#include "view.h"

/* The keys of an observation, in order; bit i of `without` leaves out key i. */
enum {
    SILK_ROAD_KEY_SEAT, SILK_ROAD_KEY_SEATS, SILK_ROAD_KEY_TURN, SILK_ROAD_KEY_ACTIVE, SILK_ROAD_KEY_HAND, SILK_ROAD_KEY_HANDS,
    SILK_ROAD_KEY_KNOWN, SILK_ROAD_KEY_DISPLAYS, SILK_ROAD_KEY_OPEN, SILK_ROAD_KEY_PILE, SILK_ROAD_KEY_POOL,
    SILK_ROAD_KEY_UNSEEN, SILK_ROAD_KEY_DISCARD, SILK_ROAD_KEY_CARAVANS, SILK_ROAD_KEY_QUEUE, SILK_ROAD_KEY_TILES,
    SILK_ROAD_KEY_CITIES, SILK_ROAD_KEY_BAG, SILK_ROAD_KEY_REMOVED, SILK_ROAD_KEY_JEWELS, SILK_ROAD_KEY_COLOURLESS,
    SILK_ROAD_KEY_MARKERS, SILK_ROAD_KEY_COLOURLESS_LEFT, SILK_ROAD_KEY_MARKERS_LEFT, SILK_ROAD_KEY_DRIVERS,
    SILK_ROAD_KEY_PLAYED, SILK_ROAD_KEY_IDLE, SILK_ROAD_KEY_ENDING, SILK_ROAD_KEY_ASK, SILK_ROAD_KEYS
};

/* Returns how many numbers a key has. */
static inline int silk_road_key_size(const silk_road_rules *rules, int seats, int key)
{
    static const uint8_t sizes[SILK_ROAD_KEYS][5] = {/* as they are, for each seat, place, city, village */
        {0, 1}, {0}, {1}, {0, 1}, {5}, {0, 1}, {0, 5}, {0, 5}, {5}, {1}, {5}, {5}, {SILK_ROAD_CARDS}, {33, 0, 6},
        {SILK_ROAD_CAMELS}, {0, 0, 0, 0, SILK_ROAD_TILES}, {0, 0, 0, 5}, {5}, {5}, {0, 5}, {0, 1}, {0, 1}, {2}, {2}, {0, 5},
        {8, 0, 1}, {1}, {2}, {69, 3}};
    const uint8_t *size = sizes[key];
    int cities = rules->cities, villages = rules->villages;
    return size[0] + size[1] * seats + size[2] * (cities + villages) + size[3] * cities + size[4] * villages;
}

/* Returns how many numbers an observation has. */
static inline int silk_road_numbers(const silk_road_rules *rules, int seats, uint64_t without)
{
    int total = 0;
    for (int key = 0; key < SILK_ROAD_KEYS; key++)
        total += without >> key & 1 ? 0 : silk_road_key_size(rules, seats, key);
    return total;
}

static inline void silk_road_put_counts(float *at, const uint8_t *counts, int count)
{
    for (int i = 0; i < count; i++)
        at[i] = (float)counts[i];
}

static inline float *silk_road_put_seats(float *at, int seats, unsigned mask)
{
    at[0] = 1.0f;
    for (int seat = 0; seat < seats; seat++)
        at[1 + seat] = (float)(mask >> seat & 1);
    return at + 1 + seats;
}

/* Writes the optional facts of a question, each after a 1. */
static inline void silk_road_put_facts(const silk_road_state *s, float *at)
{
    float *why = at, *more = why + 5, *left = more + 2, *robbed = left + 2, *named = robbed + 1 + s->seats, *taken = named + 16;
    float *market = taken + 6, *size = market + 5, *camel = size + 2, *declined = camel + 11, *good = declined + 1 + s->seats;
    const silk_road_task *doing = &s->doing;
    switch (s->kind) {
    case SILK_ROAD_DRAW:
        why[0] = why[1 + doing->a] = more[0] = 1.0f;
        more[1] = (float)(s->tasks > 0 && s->task[s->tasks - 1].step == SILK_ROAD_DRAW);
        break;
    case SILK_ROAD_CUSTOMS:
        left[0] = 1.0f;
        left[1] = (float)(silk_road_sum(s->hand[s->asker]) - SILK_ROAD_CUSTOMS_LIMIT);
        break;
    case SILK_ROAD_ROBBER: silk_road_put_seats(robbed, s->seats, s->robbed); break;
    case SILK_ROAD_BAZAAR:
        named[0] = 1.0f;
        if (doing->a > 0)
            named[1 + doing->b] = 1.0f;
        if (doing->a > 1)
            named[1 + doing->c] = 2.0f;
        break;
    case SILK_ROAD_PAY: taken[0] = taken[1 + doing->a] = 1.0f; break;
    case SILK_ROAD_LAY_OUT: good[0] = good[1 + doing->b] = 1.0f; break;
    case SILK_ROAD_SELL: silk_road_put_seats(declined, s->seats, doing->c); /* fall through */
    case SILK_ROAD_JEWEL:
        market[0] = market[1 + (doing->a >> 2)] = size[0] = camel[0] = camel[doing->b] = 1.0f;
        size[1] = (float)(doing->a & 3);
        break;
    default: break;
    }
}

/* Writes the caravans that are on their way. */
static inline void silk_road_put_caravans(const silk_road_rules *rules, const silk_road_state *s, float *at)
{
    int places = rules->cities + rules->villages;
    for (int i = 0; i < SILK_ROAD_SIZES; i++, at += 1 + 2 * places + SILK_ROAD_CAMELS) {
        int rank = 0;
        if (s->place[i] == SILK_ROAD_GONE)
            continue;
        at[0] = at[1 + s->place[i]] = at[1 + places + s->target[i]] = 1.0f;
        for (int camel = SILK_ROAD_CAMELS; camel > 0; camel--)
            if (s->camels[i] >> camel & 1)
                at[2 * places + camel] = (float)++rank;
    }
}

/* Writes a key of what a seat sees. */
static inline void silk_road_put_key(const silk_road_rules *rules, const silk_road_state *s, const silk_road_memory *memory,
                                     int seat, int key, float *at)
{
    uint8_t used[SILK_ROAD_GOODS] = {0};
    switch (key) {
    case SILK_ROAD_KEY_SEAT: at[seat] = 1.0f; break;
    case SILK_ROAD_KEY_TURN: at[0] = (float)s->turn; break;
    case SILK_ROAD_KEY_ACTIVE: at[s->active] = 1.0f; break;
    case SILK_ROAD_KEY_HAND: silk_road_put_counts(at, s->hand[seat], SILK_ROAD_GOODS); break;
    case SILK_ROAD_KEY_HANDS:
        for (int other = 0; other < s->seats; other++)
            at[other] = (float)silk_road_sum(s->hand[other]);
        break;
    case SILK_ROAD_KEY_KNOWN:
        silk_road_put_counts(at, memory->known[0], SILK_ROAD_GOODS * s->seats);
        silk_road_put_counts(at + SILK_ROAD_GOODS * seat, s->hand[seat], SILK_ROAD_GOODS);
        break;
    case SILK_ROAD_KEY_DISPLAYS: silk_road_put_counts(at, s->display[0], SILK_ROAD_GOODS * s->seats); break;
    case SILK_ROAD_KEY_OPEN: silk_road_put_counts(at, s->open, SILK_ROAD_GOODS); break;
    case SILK_ROAD_KEY_PILE: at[0] = (float)s->pile[0]; break;
    case SILK_ROAD_KEY_POOL:
        for (int good = 0; good < SILK_ROAD_GOODS; good++)
            at[good] = (float)(memory->pool[good] - memory->fresh[seat][good]);
        break;
    case SILK_ROAD_KEY_UNSEEN:
        silk_road_count_unseen(s, memory->known, seat, used);
        silk_road_put_counts(at, used, SILK_ROAD_GOODS);
        break;
    case SILK_ROAD_KEY_DISCARD:
        for (int i = 1; i <= s->discard[0]; i++)
            at[SILK_ROAD_PER_GOOD * s->discard[i] + used[s->discard[i]]++] = (float)i;
        break;
    case SILK_ROAD_KEY_CARAVANS: silk_road_put_caravans(rules, s, at); break;
    case SILK_ROAD_KEY_QUEUE:
        for (int i = 1; i <= s->queue[0]; i++)
            at[s->queue[i] - 1] = (float)i;
        break;
    case SILK_ROAD_KEY_TILES:
        for (int village = 0; village < rules->villages; village++)
            at[SILK_ROAD_TILES * village + s->tiles[village]] = 1.0f;
        break;
    case SILK_ROAD_KEY_CITIES:
        for (int i = 0; i < SILK_ROAD_SIZES; i++)
            if (s->target[i] != SILK_ROAD_GONE)
                silk_road_put_counts(at + SILK_ROAD_COLOURS * s->target[i], s->lots[i], SILK_ROAD_COLOURS);
        break;
    case SILK_ROAD_KEY_BAG:
        for (int i = 1; i <= s->bag[0]; i++)
            at[s->bag[i]] += 1.0f;
        break;
    case SILK_ROAD_KEY_REMOVED: silk_road_put_counts(at, s->removed, SILK_ROAD_COLOURS); break;
    case SILK_ROAD_KEY_JEWELS: silk_road_put_counts(at, s->jewels[0], SILK_ROAD_COLOURS * s->seats); break;
    case SILK_ROAD_KEY_COLOURLESS: silk_road_put_counts(at, s->colourless, s->seats); break;
    case SILK_ROAD_KEY_MARKERS:
        for (int other = 0; other < s->seats; other++)
            at[other] = (float)s->markers[other];
        break;
    case SILK_ROAD_KEY_COLOURLESS_LEFT:
    case SILK_ROAD_KEY_MARKERS_LEFT:
        at[0] = (float)rules->capped;
        if (rules->capped)
            at[1] = (float)(key == SILK_ROAD_KEY_MARKERS_LEFT ? silk_road_markers_left(s) : silk_road_colourless_left(s));
        break;
    case SILK_ROAD_KEY_DRIVERS:
        for (int other = 0; other < s->seats; other++)
            at[SILK_ROAD_DRIVERS * other + s->drivers[other] - 1] = 1.0f;
        break;
    case SILK_ROAD_KEY_PLAYED:
        if (s->played[1] > 0) {
            at[0] = at[1 + s->played[0]] = at[8 + s->played[3]] = 1.0f;
            at[6] = (float)s->played[1], at[7] = (float)s->played[2];
        }
        break;
    case SILK_ROAD_KEY_IDLE: at[0] = (float)s->idle; break;
    case SILK_ROAD_KEY_ENDING: arena_put_one_of(at, 2, (int)s->ending - 1); break;
    case SILK_ROAD_KEY_ASK:
        if (s->kind != SILK_ROAD_OVER) {
            at[0] = at[s->kind] = at[SILK_ROAD_KINDS + s->asker] = 1.0f;
            silk_road_put_facts(s, at + SILK_ROAD_KINDS + s->seats);
        }
        break;
    default: break;
    }
}

/* Writes what a seat sees, as silk_road_numbers numbers, and returns how many. */
static inline int silk_road_observe(const silk_road_rules *rules, const silk_road_state *s, const silk_road_memory *memory,
                                    int seat, uint64_t without, float *numbers)
{
    int total = silk_road_numbers(rules, s->seats, without), at = 0;
    memset(numbers, 0, (size_t)total * sizeof *numbers);
    for (int key = 0; key < SILK_ROAD_KEYS; key++)
        if (!(without >> key & 1)) {
            silk_road_put_key(rules, s, memory, seat, key, numbers + at);
            at += silk_road_key_size(rules, s->seats, key);
        }
    return total;
}

/* --- actions: 0 waits, then the entries of each kind of decision --- */

/* Returns the first action of a kind of decision; of SILK_ROAD_KINDS the number of actions. */
static inline int silk_road_first_action(const silk_road_rules *rules, int seats, int kind)
{
    static const uint8_t sizes[SILK_ROAD_KINDS] = {1, 0, 7, 5, 5, 0, 6, 6, 5, 2, 5, SILK_ROAD_PER_GOOD + 1};
    int most = rules->longest < rules->most_cards ? rules->longest : rules->most_cards, first = 0;
    for (int before = 0; before < kind; before++) {
        first += sizes[before];
        first += before == SILK_ROAD_MOVE ? most * SILK_ROAD_GOODS * SILK_ROAD_SIZES * (rules->cities + rules->villages) : 0;
        first += before == SILK_ROAD_ROBBER ? SILK_ROAD_GOODS * seats : 0;
    }
    return first;
}

/* Returns how many actions there are, that of waiting included. */
static inline int silk_road_actions(const silk_road_rules *rules, int seats)
{
    return silk_road_first_action(rules, seats, SILK_ROAD_KINDS);
}

/* Returns the action that means a choice of a seat that is asked; 0 if the seat does not have that choice. */
static inline int silk_road_action(const silk_road_rules *rules, const silk_road_state *s, int seat, int choice)
{
    int first = silk_road_first_action(rules, s->seats, s->kind), places = rules->cities + rules->villages;
    silk_road_entry entry;
    const int *at = entry.item;
    silk_road_choice(rules, s, seat, choice, &entry);
    if (entry.count == 0)
        return 0;
    switch (s->kind) {
    case SILK_ROAD_MOVE:
        return first + (((at[1] - 1) * SILK_ROAD_GOODS + at[0]) * SILK_ROAD_SIZES + at[2] - 1) * places + at[3];
    case SILK_ROAD_DRAW: return first + (at[0] == SILK_ROAD_NOTHING ? 0 : at[0] == SILK_ROAD_PILE ? 1 : 2 + at[0]);
    case SILK_ROAD_ROBBER: return first + SILK_ROAD_GOODS * at[0] + at[1];
    case SILK_ROAD_BAZAAR:
    case SILK_ROAD_BAKSHEESH: return first + (at[0] == SILK_ROAD_NOTHING ? 0 : 1 + at[0]);
    case SILK_ROAD_LAY_OUT: return first + SILK_ROAD_PER_GOOD - at[0];
    default: return first + at[0];
    }
}

#endif
