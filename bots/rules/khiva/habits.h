/* Playouts that learn: seats do again what has served them well in earlier playouts from the same view. */
#ifndef KHIVA_HABITS_H
#define KHIVA_HABITS_H

#include "rules.h"

enum {
    KHIVA_DEED_KEYS = 256, /* what can be done: play a card, pass one, bring a camel to a place, take a ware, move or stay */
    KHIVA_DEPTH = 16,      /* turns of a playout at most */
    KHIVA_DEEDS = 32,      /* choices of a turn at most: everybody's cards, and three questions about each camel */
    KHIVA_CREDIT = 2,      /* turns in which a choice has to show what it is worth */
    KHIVA_LOTS_FIRST = 8,  /* choices that a seat compares in the first turn, which matters most, and in those after it */
    KHIVA_LOTS = 3
};

/* What each seat gained by what it did: sums of points, and how often that was. All 0 to begin with. */
typedef struct {
    double sum[KHIVA_SEATS][KHIVA_DEED_KEYS];
    double tries[KHIVA_SEATS][KHIVA_DEED_KEYS];
} khiva_habits;

/* A choice that was made: by whom, and its keys. */
typedef struct {
    int seat, count, keys[KHIVA_ENTRY];
} khiva_deed;

/* Writes what a choice does as keys. */
static inline void khiva_do(const khiva_rules *rules, const khiva_state *s, int seat, int choice, khiva_deed *deed)
{
    khiva_entry entry;
    deed->seat = seat, deed->count = 1;
    if (s->kind == KHIVA_PLAY_PASS) {
        deed->count = 2 * khiva_each(s->seats);
        khiva_positions(s->seats, s->hand[seat][0], choice, deed->keys);
        for (int i = 0; i < deed->count; i++)
            deed->keys[i] = s->hand[seat][1 + deed->keys[i]] + (2 * i < deed->count ? 0 : KHIVA_CARDS);
        return;
    }
    khiva_choice(rules, s, seat, choice, &entry);
    deed->keys[0] = 2 * KHIVA_CARDS + 4 * s->kind + entry.item[0];
    if (s->kind == KHIVA_BOOST)
        deed->keys[0] = 80 + 32 * s->camel + s->lands[1 + choice];
}

/* Chooses for a seat: of some choices drawn by lot the one that has done best so far, what was never done before all others. */
static inline int khiva_habit(const khiva_rules *rules, const khiva_state *s, const khiva_habits *habits, int seat, int lots,
                              arena_stream *stream, khiva_deed *best)
{
    int count = khiva_choices(rules, s, seat), chosen = 0;
    double most = 0.0;
    for (int lot = 0; lot < lots; lot++) {
        int choice = (int)arena_below(stream, (uint64_t)count);
        double worth = 0.0;
        khiva_deed deed;
        khiva_do(rules, s, seat, choice, &deed);
        for (int i = 0; i < deed.count; i++) {
            double tries = habits->tries[seat][deed.keys[i]];
            worth += tries > 0.0 ? habits->sum[seat][deed.keys[i]] / tries : 1e6;
        }
        if (lot == 0 || worth > most)
            most = worth, chosen = choice, *best = deed;
    }
    return chosen;
}

/* Writes how far each seat is ahead of the others on average, in points. Before the end some points to come count as well: half
   a one for each of the first three gems, which open ways, and parts of its carpets and of what stands on its path. */
static inline void khiva_leads(const khiva_rules *rules, const khiva_state *s, double leads[KHIVA_SEATS])
{
    double total = 0.0;
    for (int seat = 0; seat < s->seats; seat++) {
        leads[seat] = khiva_score(rules, s, seat);
        if (s->kind != KHIVA_OVER) {
            leads[seat] += 0.5 * (s->gems[seat] < 3 ? s->gems[seat] : 3) + 0.4 * khiva_sum_carpets(s->carpets[seat]);
            for (int camel = 0; camel < KHIVA_CAMELS; camel++)
                if (s->place[camel] % 6 && s->place[camel] / 6 == seat)
                    leads[seat] += 0.1 * s->load[camel];
        }
        total += leads[seat];
    }
    for (int seat = 0; seat < s->seats; seat++)
        leads[seat] = (s->seats * leads[seat] - total) / (s->seats - 1);
}

/* Plays a choice of a seat that is asked, and some turns from there, 1 to KHIVA_DEPTH. Everybody else, and the seat later on,
   chooses by habit; the habits learn. Returns how far the seat is then ahead, by khiva_leads; 0 for a choice that it lacks. */
static inline double khiva_try(const khiva_rules *rules, khiva_state *s, khiva_habits *habits, int seat, int choice, int turns,
                               arena_stream *stream)
{
    double leads[KHIVA_DEPTH + 1][KHIVA_SEATS];
    khiva_deed deeds[KHIVA_DEPTH][KHIVA_DEEDS];
    int counts[KHIVA_DEPTH] = {0}, begun = 0, first = 1, last = 0, turn = s->turn;
    if (!(khiva_asked(rules, s) >> seat & 1) || choice < 0 || choice >= khiva_choices(rules, s, seat))
        return 0.0;
    turns = turns < 1 ? 1 : turns > KHIVA_DEPTH ? KHIVA_DEPTH : turns;
    khiva_leads(rules, s, leads[0]);
    while (s->kind != KHIVA_OVER && begun < turns) {
        int choices[KHIVA_SEATS] = {0};
        unsigned asked = khiva_asked(rules, s);
        for (int other = 0; other < s->seats; other++)
            if (asked >> other & 1) {
                khiva_deed *deed = &deeds[begun][counts[begun]++];
                if (first && other == seat)
                    choices[other] = choice, khiva_do(rules, s, other, choice, deed);
                else
                    choices[other] = khiva_habit(rules, s, habits, other, begun ? KHIVA_LOTS : KHIVA_LOTS_FIRST, stream, deed);
            }
        first = 0;
        khiva_play(rules, s, NULL, choices);
        if (s->turn != turn || s->kind == KHIVA_OVER) {
            turn = s->turn;
            khiva_leads(rules, s, leads[++begun]);
        }
    }
    last = begun;
    for (int at = 0; at < last; at++) {
        const double *after = leads[at + KHIVA_CREDIT < last ? at + KHIVA_CREDIT : last];
        for (int i = 0; i < counts[at]; i++) {
            const khiva_deed *deed = &deeds[at][i];
            for (int j = 0; j < deed->count; j++) {
                habits->sum[deed->seat][deed->keys[j]] += after[deed->seat] - leads[at][deed->seat];
                habits->tries[deed->seat][deed->keys[j]] += 1.0;
            }
        }
    }
    return leads[last][seat];
}

#endif
