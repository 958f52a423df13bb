/* The chance of a seat to finish ahead of another one in Emira, by numbers of both: a logistic model, fitted to matches that the
   policy played against itself. C99 and C++17. */
#ifndef EMIRA_OUTLOOK_H
#define EMIRA_OUTLOOK_H

#include "emira_policy.h"

/* The numbers of a seat that count, in this order. Those of a list are 0 but for the one that holds. */
enum {
    OUTLOOK_PRINCESSES,                           /* how many there are */
    OUTLOOK_MET,                                  /* how many talents of the goal they cover */
    OUTLOOK_LACKS,                                /* by how many are lacking to win, at least; from OUTLOOK_MOST on one */
    OUTLOOK_MOST = 6,
    OUTLOOK_GAP = OUTLOOK_LACKS + OUTLOOK_MOST + 1, /* by wish, and by how far the seat is ahead of the others */
    OUTLOOK_GAPS = 7,
    OUTLOOK_VALUE = OUTLOOK_GAP + 3 * OUTLOOK_GAPS, /* appearance, status and palace */
    OUTLOOK_ROOM = OUTLOOK_VALUE + 3,               /* by room, 3 for more */
    OUTLOOK_GOLD = OUTLOOK_ROOM + 4,                /* in thousands; and its root */
    OUTLOOK_COMING = OUTLOOK_GOLD + 2,              /* what caravans will bring, in thousands */
    OUTLOOK_INCOME,                                 /* in hundreds, upkeep taken off */
    OUTLOOK_CAMELS,                                 /* hundreds that they take off a bid */
    OUTLOOK_CARDS,
    OUTLOOK_BRIDES,                                 /* Emiras in sight who would choose the seat */
    OUTLOOK_SHORT,                                  /* hundreds that are lacking for upkeep */
    OUTLOOK_NUMBERS
};

/* Returns a number that is at least 0 and at most `most`. */
static inline int outlook_within(int number, int most)
{
    return number < 0 ? 0 : number < most ? number : most;
}

/* Writes the numbers of a seat. */
static inline void outlook_numbers(const emira_rules *rules, const emira_state *s, int seat, const emira_weights *w,
                                   double numbers[OUTLOOK_NUMBERS])
{
    const emira_table *t = &s->table;
    const uint8_t *const lists[3] = {t->active, t->undecided, t->coming};
    int princesses = t->princesses[seat][0], least = emira_least_princesses(t->seats) - princesses, room, hand = 0, gold;
    int most = emira_most_princesses(t->seats) - princesses, talents, brides = 0;
    court c;
    court_lay(&c, rules, s, seat, w);
    memset(numbers, 0, OUTLOOK_NUMBERS * sizeof *numbers);
    talents = c.demand - c.met[0];
    least = least > talents ? least : talents;
    least = least < most ? least : most;
    numbers[OUTLOOK_PRINCESSES] = princesses;
    numbers[OUTLOOK_MET] = c.met[0];
    numbers[OUTLOOK_LACKS + outlook_within(least, OUTLOOK_MOST)] = 1.0;
    for (int wish = 0; wish < EMIRA_BY_GOLD; wish++) {
        int best = -EMIRA_GOLD_MOST;
        for (int other = 0; other < t->seats; other++)
            if (other != seat && c.value[wish][other] > best)
                best = c.value[wish][other];
        numbers[OUTLOOK_GAP + OUTLOOK_GAPS * wish + outlook_within(c.value[wish][seat] - best + 3, OUTLOOK_GAPS - 1)] = 1.0;
        numbers[OUTLOOK_VALUE + wish] = c.value[wish][seat];
    }
    for (int list = 0; list < 3; list++)
        for (int i = 1; i <= lists[list][0]; i++)
            if (lists[list][i] != EMIRA_SIDI)
                brides += court_chosen(&c, lists[list][i], (int)(s->turned >> lists[list][i] & 1)) == seat;
    room = c.room[seat];
    brides = brides < room ? brides : room;
    for (int card = 0; card < EMIRA_EVENTS; card++)
        hand += s->hand[seat][card];
    gold = t->gold[seat];
    numbers[OUTLOOK_ROOM + outlook_within(room, 3)] = 1.0;
    numbers[OUTLOOK_GOLD] = outlook_within(gold, 5000) / 1000.0;
    numbers[OUTLOOK_GOLD + 1] = sqrt(outlook_within(gold, 5000) / 1000.0);
    numbers[OUTLOOK_COMING] = c.travelling / (w->travels * 1000.0);
    numbers[OUTLOOK_INCOME] = (c.income - c.upkeep) / 100.0;
    numbers[OUTLOOK_CAMELS] = t->camels[seat] * emira_track(t->breed[seat]) / 100.0;
    numbers[OUTLOOK_CARDS] = hand;
    numbers[OUTLOOK_BRIDES] = brides;
    numbers[OUTLOOK_SHORT] = gold + c.income < c.upkeep + 50 * brides ? (c.upkeep + 50 * brides - gold - c.income) / 100.0 : 0.0;
}

enum { OUTLOOK_PHASES = 3, OUTLOOK_ROUNDS = 5 }; /* phases of five rounds each, the last one open */

/* Returns in which phase a match is. */
static inline int outlook_phase(const emira_state *s)
{
    return outlook_within((s->table.round - 1) / OUTLOOK_ROUNDS, OUTLOOK_PHASES - 1);
}

/* Returns the outlook of a seat: the difference of two is the logit of the chance that one finishes ahead of the other. */
static inline double outlook_of(const emira_rules *rules, const emira_state *s, int seat, const emira_weights *w,
                                const double weights[OUTLOOK_PHASES][OUTLOOK_NUMBERS])
{
    double numbers[OUTLOOK_NUMBERS], total = 0.0;
    const double *weight = weights[outlook_phase(s)];
    outlook_numbers(rules, s, seat, w, numbers);
    for (int i = 0; i < OUTLOOK_NUMBERS; i++)
        total += weight[i] * numbers[i];
    return total;
}

#endif
