/* The values of a sheik: appearance, status, palace, room, upkeep, talents; how many Emiras come; winners, scores and places. */
#ifndef EMIRA_VALUES_H
#define EMIRA_VALUES_H

#include "state.h"

/* Tells whether an Emira lives with a seat. */
static inline int emira_has(const emira_table *t, int seat, int card)
{
    return emira_find(t->princesses[seat], card) > 0;
}

/* Returns a seat's counters of a kind, those of Nadia and Layla included (E7, E31). */
static inline int emira_counters(const emira_table *t, int seat, int kind)
{
    if (kind == EMIRA_DRESS)
        return t->counters[seat][kind];
    return t->counters[seat][kind] + emira_has(t, seat, kind == EMIRA_BEAUTY ? EMIRA_NADIA : EMIRA_LAYLA);
}

/* Returns how many whole sets of three kinds a seat has. */
static inline int emira_whole_sets(const emira_table *t, int seat)
{
    int sets = t->counters[seat][EMIRA_DRESS];
    for (int kind = 0; kind < EMIRA_DRESS; kind++) {
        int counters = emira_counters(t, seat, kind);
        sets = counters < sets ? counters : sets;
    }
    return sets;
}

/* Returns a seat's counters "+1" for whole sets (E7, O11). */
static inline int emira_sets(const emira_table *t, int seat)
{
    return t->bonus_left == EMIRA_NOBODY ? emira_whole_sets(t, seat) : t->bonus[seat];
}

/* Returns a seat's appearance: one for each counter, counters "+1" included (E7). */
static inline int emira_appearance(const emira_table *t, int seat)
{
    int total = emira_sets(t, seat);
    for (int kind = 0; kind < EMIRA_COUNTERS; kind++)
        total += emira_counters(t, seat, kind);
    for (int i = 1; i <= t->looking[seat][0]; i++)
        total += t->looking[seat][i];
    return total;
}

/* Returns a seat's points of the status cards, those of Halimah and Rasha included (E31). */
static inline int emira_status(const emira_table *t, int seat)
{
    int total = emira_has(t, seat, EMIRA_HALIMAH) + emira_has(t, seat, EMIRA_RASHA);
    for (int card = 0; card < EMIRA_PRICES; card++)
        total += t->status[seat][card] * emira_points(card);
    return total;
}

/* Returns a seat's palace value in halves (E13). */
static inline int emira_palace(const emira_table *t, int seat)
{
    return 2 * t->sections[seat] + t->disc[seat];
}

/* Returns for how many more princesses a seat has room (E6). */
static inline int emira_room(const emira_table *t, int seat)
{
    int room = EMIRA_BASE_ROOM + t->sections[seat] + t->guests[seat] - t->princesses[seat][0];
    return room > 0 ? room : 0;
}

/* Returns what a seat's camels take off a bid (E3, E42). */
static inline int emira_discount(const emira_table *t, int seat)
{
    return t->sick ? 0 : t->camels[seat] * emira_track(t->breed[seat]);
}

/* Tells whether a seat has a caravan. */
static inline int emira_has_caravan(const emira_table *t, int seat)
{
    for (int i = 0; i < EMIRA_CARAVANS * EMIRA_LEFT; i++)
        if (t->caravans[seat][i / EMIRA_LEFT][i % EMIRA_LEFT])
            return 1;
    return 0;
}

/* Tells whether a seat may take the grant: little gold, or many princesses and no caravan (E5). */
static inline int emira_may_have_grant(const emira_table *t, int seat)
{
    if (t->gold[seat] < EMIRA_GRANT_BELOW)
        return 1;
    return t->princesses[seat][0] >= EMIRA_GRANT_PRINCESSES && !emira_has_caravan(t, seat);
}

/* Returns a seat's upkeep, Xenia's gift apart (E8, E28). */
static inline int emira_upkeep(const emira_table *t, int seat)
{
    int due = EMIRA_SURCHARGE * t->arrivals[seat];
    for (int i = 1; i <= t->princesses[seat][0]; i++)
        due += t->princesses[seat][i] == EMIRA_JANAN ? 100 : t->princesses[seat][i] == EMIRA_ZAFIRAH ? 0 : 50;
    return due;
}

/* Returns how many Emiras come into a round and, with three players, into the next one (E20, E35, E39). */
static inline int emira_to_draw(const emira_table *t, int *later)
{
    int large = t->quiet ? 1 : 1 + t->doubles, small = !t->quiet;
    *later = 0;
    if (t->seats > 3)
        return t->quiet ? 0 : large;
    *later = t->early ? small : large;
    return t->early ? large : small;
}

/* Puts counters "+1" of broken sets back, then gives whole sets theirs, from the start player on, while they last (O11). */
static inline void emira_settle_bonus(emira_table *t)
{
    if (t->bonus_left == EMIRA_NOBODY)
        return;
    for (int seat = 0; seat < t->seats; seat++) {
        int sets = emira_whole_sets(t, seat), back = t->bonus[seat] > sets ? t->bonus[seat] - sets : 0;
        t->bonus[seat] -= (uint8_t)back;
        t->bonus_left += (uint8_t)back;
    }
    for (int offset = 0; offset < t->seats; offset++) {
        int seat = emira_clockwise(t, offset), more = emira_whole_sets(t, seat) - t->bonus[seat];
        more = more < t->bonus_left ? more : t->bonus_left;
        t->bonus[seat] += (uint8_t)more;
        t->bonus_left -= (uint8_t)more;
    }
}

/* Tells whether each talent that a goal names can be given a princess of its own (E11): by Hall's theorem that is so if any set
   of talents has as many princesses who know one of them as it names. */
static inline int emira_has_talents(const uint8_t *princesses, int seats, int goal)
{
    uint8_t able[16] = {0}; /* by set of talents: princesses who know one of them */
    const uint8_t *demand;
    for (int i = 1; i <= princesses[0]; i++)
        for (int set = 1; set < 16; set++)
            if (emira_talents(princesses[i]) & set)
                able[set]++;
    for (int way = 0; (demand = emira_goal(seats, goal, way)) != NULL; way++) {
        int fits = 1;
        for (int set = 1; set < 16 && fits; set++) {
            int wanted = 0;
            for (int talent = 0; talent < EMIRA_TALENTS; talent++)
                wanted += set >> talent & 1 ? demand[talent] : 0;
            fits = wanted <= able[set];
        }
        if (fits)
            return 1;
    }
    return 0;
}

/* Returns the mask of the seats that win at the end of this round: the goal fulfilled and the upkeep paid in full (E32). */
static inline unsigned emira_winners(const emira_state *s)
{
    const emira_table *t = &s->table;
    unsigned winners = 0;
    for (int seat = 0; seat < t->seats; seat++) {
        const uint8_t *princesses = t->princesses[seat];
        int wins = princesses[0] >= emira_most_princesses(t->seats);
        if (!wins && princesses[0] >= emira_least_princesses(t->seats))
            wins = emira_has_talents(princesses, t->seats, s->goals[seat]);
        winners |= (t->paid >> seat & wins ? 1u : 0u) << seat;
    }
    return winners;
}

/* Returns the points of a seat as the match stands: 2 for each princess, 3 for the talents of the goal (E33). */
static inline int emira_score(const emira_rules *rules, const emira_state *s, int seat)
{
    const uint8_t *princesses = s->table.princesses[seat];
    (void)rules;
    return 2 * princesses[0] + 3 * emira_has_talents(princesses, s->table.seats, s->goals[seat]);
}

/* Writes what a seat is ranked by, the weightiest first; winners of the basic game are equal in all (E32, E33). */
static inline void emira_rank_key(const emira_rules *rules, const emira_state *s, int seat, int key[4])
{
    const emira_table *t = &s->table;
    int wins = s->winners >> seat & 1, belongings = emira_appearance(t, seat) + emira_status(t, seat);
    memset(key, 0, 4 * sizeof *key);
    key[0] = wins;
    if (wins && !rules->advanced)
        return;
    key[1] = emira_score(rules, s, seat);
    key[2] = 2 * (belongings + t->sections[seat] + t->camels[seat]) + t->disc[seat];
    key[3] = t->gold[seat];
}

/* Writes the places by seat, from 1; seats equal in all share one (E33). */
static inline void emira_ranks(const emira_rules *rules, const emira_state *s, int ranks[EMIRA_SEATS])
{
    int key[EMIRA_SEATS][4], seats = s->table.seats;
    for (int seat = 0; seat < seats; seat++)
        emira_rank_key(rules, s, seat, key[seat]);
    for (int seat = 0; seat < seats; seat++) {
        ranks[seat] = 1;
        for (int other = 0; other < seats; other++) {
            int i = 0;
            while (i < 3 && key[other][i] == key[seat][i])
                i++;
            ranks[seat] += key[other][i] > key[seat][i];
        }
    }
}

#endif
