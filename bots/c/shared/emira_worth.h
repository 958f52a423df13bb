/* What a position of Emira is worth to a seat, in gold, by weights. Include the rules of Emira before it. C99 and C++17.

   A court is the position on paper: what an action would change is changed there, and `court_worth` judges it. Only what the
   seat sees is used. */
#ifndef EMIRA_WORTH_H
#define EMIRA_WORTH_H

#include <math.h>

/* What counts how much. All are doubles, so that a tuner can treat them as a list. */
typedef struct {
    double travels;         /* what a gold piece that a caravan brings later is worth now */
    double lasts;           /* in about which round matches end */
    double action;          /* what one round's action can use up */
    double idle;            /* what a gold piece is worth for which there is no action left */
    double princess;        /* what it is worth that an Emira joins */
    double needed;          /* what one more talent of the goal is worth */
    double rival, sidi;     /* what it costs that an Emira joins another seat; that Sidi Suleiman comes */
    double share[3];        /* how many Emiras look at appearance, status and palace first */
    double lead;            /* what it is worth to be the best by something, for each Emira who looks at it first */
    double full;            /* what is left of that without room for anybody */
    double behind[4];       /* what is left of it for one of several who are best, and for those 1, 2 and more behind */
    double step;            /* what each of the first three points of the gap adds to it */
    double room, more_room; /* what room for one is worth, and for another one */
    double camel;
    double hunger, thirst; /* what it costs to be short of upkeep, now and next round */
    double scarce;         /* for how many rounds the lack of income is counted */
    double eager;          /* how much of what an action is worth more than a later one is bid for the right to choose */
    double highest;        /* the highest bid, besides what camels take off */
    double grant;          /* the grant is taken if the best action is not worth more than this */
    double spare;          /* gold that has to be left, besides upkeep, before event cards are bought */
    double win;            /* what it is worth that a princess wins the match */
    double threat;         /* what it costs that one joins a seat which then has enough for the goal */
    double later;          /* what is left of a princess who comes next round, with three players */
    double fade;           /* the part of what leads and room are worth that is gone when the match is about to end */
} emira_weights;

/* A position on paper. */
typedef struct {
    const emira_rules *rules;
    const emira_state *s;
    const emira_weights *w;
    int me, seats, camels, income, upkeep;
    int value[4][EMIRA_SEATS]; /* by wish, by seat */
    int room[EMIRA_SEATS];
    double travelling; /* what the caravans of this seat will bring, weighed */
    uint8_t counters[EMIRA_COUNTERS];
    uint8_t brought[2]; /* counters of Nadia and Layla */
    uint8_t demand;     /* how many talents the goal names */
    uint8_t met[16];    /* how many of them are there with one more princess, by her talents, of those who may come */
} court;

enum { COURT_LEAST_LEFT = 3 }; /* how many rounds more a match is reckoned with at least */

/* Returns how many rounds follow this one at most. */
static inline int court_left(const court *c)
{
    int left = c->rules->max_rounds - c->s->table.round;
    return left > 0 ? left : 0;
}

/* Returns what a caravan with so many incomes left will bring, weighed. */
static inline double court_caravan(const court *c, int type, int incomes)
{
    int left = court_left(c);
    return c->w->travels * emira_caravan_income(type) * (incomes < left ? incomes : left);
}

/* Returns a seat's income of the next round. */
static inline int court_income(const emira_rules *rules, const emira_table *t, int seat)
{
    int income = t->colours[seat] == EMIRA_BLACK ? rules->black_income : rules->base_income;
    for (int type = 0; type < EMIRA_CARAVANS; type++)
        for (int left = 0; left < EMIRA_LEFT; left++)
            income += t->caravans[seat][type][left] * emira_caravan_income(type);
    return income;
}

/* Returns how many talents of a seat's goal its princesses cover, in the best of its ways; with one more princess who has these
   talents, and without one. By Hall's theorem a way lacks as many as the set of talents that lacks most. */
static inline int court_talents_met(const emira_state *s, int seat, int with, int without)
{
    uint8_t able[16] = {0};
    const uint8_t *princesses = s->table.princesses[seat], *demand;
    int most = 0;
    for (int i = 0; i <= princesses[0]; i++) {
        int talents = i == 0 ? with : princesses[i] == without ? 0 : emira_talents(princesses[i]);
        for (int set = 1; set < 16 && talents; set++)
            able[set] = (uint8_t)(able[set] + ((talents & set) != 0));
    }
    for (int way = 0; (demand = emira_goal(s->table.seats, s->goals[seat], way)) != NULL; way++) {
        int total = demand[0] + demand[1] + demand[2] + demand[3], lack = 0;
        for (int set = 1; set < 16; set++) {
            int wanted = -able[set];
            for (int talent = 0; talent < EMIRA_TALENTS; talent++)
                wanted += set >> talent & 1 ? demand[talent] : 0;
            lack = wanted > lack ? wanted : lack;
        }
        most = total - lack > most ? total - lack : most;
    }
    return most;
}

/* Works out how many talents of the goal are met with each Emira of a list. */
static inline void court_meet(court *c, const uint8_t *list)
{
    for (int i = 1; i <= list[0]; i++) {
        int talents = emira_talents(list[i]);
        c->met[talents] = (uint8_t)court_talents_met(c->s, c->me, talents, EMIRA_NOBODY);
    }
}

/* Lays a seat's position out. */
static inline void court_lay(court *c, const emira_rules *rules, const emira_state *s, int me, const emira_weights *w)
{
    const emira_table *t = &s->table;
    const uint8_t *demand;
    c->rules = rules, c->s = s, c->w = w;
    c->me = me, c->seats = t->seats;
    for (int seat = 0; seat < t->seats; seat++) {
        for (int wish = 0; wish < 4; wish++)
            c->value[wish][seat] = emira_worth(t, seat, wish);
        c->room[seat] = emira_room(t, seat);
    }
    c->camels = t->camels[me];
    c->income = court_income(rules, t, me);
    c->upkeep = emira_upkeep(t, me);
    c->travelling = 0.0;
    for (int type = 0; type < EMIRA_CARAVANS; type++)
        for (int left = 0; left < EMIRA_LEFT; left++)
            if (t->caravans[me][type][left])
                c->travelling += t->caravans[me][type][left] * court_caravan(c, type, left + 1);
    memcpy(c->counters, t->counters[me], sizeof c->counters);
    c->brought[0] = (uint8_t)emira_has(t, me, EMIRA_NADIA);
    c->brought[1] = (uint8_t)emira_has(t, me, EMIRA_LAYLA);
    c->met[0] = (uint8_t)court_talents_met(s, me, 0, EMIRA_NOBODY);
    demand = emira_goal(t->seats, s->goals[me], 0);
    c->demand = (uint8_t)(demand[0] + demand[1] + demand[2] + demand[3]);
    court_meet(c, t->active);
    court_meet(c, t->undecided);
    court_meet(c, t->coming);
}

/* Returns how many whole sets of counters the seat has. */
static inline int court_sets(const court *c)
{
    int sets = c->counters[EMIRA_DRESS];
    for (int kind = 0; kind < EMIRA_DRESS; kind++)
        sets = c->counters[kind] + c->brought[kind] < sets ? c->counters[kind] + c->brought[kind] : sets;
    return sets;
}

/* Gives the seat a counter more. */
static inline void court_add_counter(court *c, int kind)
{
    int before = court_sets(c);
    c->counters[kind]++;
    c->value[EMIRA_BY_APPEARANCE][c->me] += 1 + court_sets(c) - before;
}

/* --- princesses --- */

/* Returns whom an Emira would choose, EMIRA_NOBODY for nobody. swapped: her wishes in the other order. */
static inline int court_chosen(const court *c, int card, int swapped)
{
    const emira_table *t = &c->s->table;
    unsigned best = 0;
    if (card == EMIRA_SIDI) {
        int most = 1;
        for (int seat = 0; seat < c->seats; seat++)
            if (t->princesses[seat][0] >= most) {
                best = t->princesses[seat][0] > most ? 0 : best;
                most = t->princesses[seat][0];
                best |= 1u << seat;
            }
        return emira_only(best);
    }
    for (int seat = 0; seat < c->seats; seat++)
        if (c->room[seat] && t->lost[seat] != t->round && !(card == EMIRA_XENIA && t->xenia_left == seat))
            best |= 1u << seat;
    for (int turn = 0; turn < 2 && best & (best - 1); turn++) {
        const int *value = c->value[emira_wants(card, turn ^ swapped)];
        unsigned left = best;
        int most = -EMIRA_GOLD_MOST;
        for (int seat = 0; seat < c->seats; seat++)
            if (left >> seat & 1 && value[seat] >= most) {
                best = value[seat] > most ? 0 : best;
                most = value[seat];
                best |= 1u << seat;
            }
    }
    return emira_only(best);
}

/* Returns what it is worth that an Emira joins the seat. so_far: how many others will have joined before her. */
static inline double court_bride(const court *c, int card, int so_far)
{
    const emira_weights *w = c->w;
    int met = c->met[emira_talents(card)], princesses = c->s->table.princesses[c->me][0] + 1 + so_far;
    if (card == EMIRA_SIDI)
        return -w->sidi;
    return w->princess + w->needed * (met - c->met[0])
         + (princesses >= emira_least_princesses(c->seats) && met == c->demand ? w->win : 0.0);
}

/* Returns what the Emiras of a list are worth who would choose now, and counts in `joined` those who join the seat. */
static inline double court_brides(const court *c, const uint8_t *list, int *joined, int *due)
{
    double total = 0.0;
    for (int i = 1; i <= list[0]; i++) {
        int seat = court_chosen(c, list[i], (int)(c->s->turned >> list[i] & 1));
        if (seat == c->me && c->room[seat] > *joined) {
            total += court_bride(c, list[i], *joined);
            ++*joined;
            *due += 50;
        } else if (seat != EMIRA_NOBODY && seat != c->me) {
            total -= c->w->rival;
            if (c->s->table.princesses[seat][0] + 1 >= emira_least_princesses(c->seats))
                total -= c->w->threat;
        }
    }
    return total;
}

/* --- all in all --- */

/* Returns what gold is worth, now or as income to come: all of what upkeep and an action a round can still use, and little of
   what is beyond, which would only be hoarded. */
static inline double court_spendable(const court *c, double gold)
{
    const emira_weights *w = c->w;
    double left = fmax(COURT_LEAST_LEFT, w->lasts - c->s->table.round), use;
    left = fmin(left, c->rules->max_rounds - c->s->table.round + 1);
    use = left * (w->action + c->upkeep);
    return gold <= use ? gold : use + w->idle * (gold - use);
}

/* Returns what it is worth to be so far ahead of the best of the others, for an Emira who looks at that. */
static inline double court_ahead(const emira_weights *w, int gap)
{
    return gap > 0 ? 1.0 + w->step * (gap < 3 ? gap : 3) : w->behind[gap > -3 ? -gap : 3];
}

/* Returns what a position is worth to the seat. */
static inline double court_worth(const court *c)
{
    const emira_table *t = &c->s->table;
    const emira_weights *w = c->w;
    int me = c->me, gold = c->value[EMIRA_BY_GOLD][me], due = c->upkeep, joined = 0, room;
    double early = 1.0 - w->fade * fmin(1.0, t->round / w->lasts);
    double total = court_spendable(c, gold + c->travelling) + w->camel * (c->camels < 4 ? c->camels : 4);
    total += court_brides(c, t->active, &joined, &due);
    total += court_brides(c, t->undecided, &joined, &due);
    total += w->later * court_brides(c, t->coming, &joined, &due);
    room = c->room[me] - joined;
    if (t->gift_round > 0 && t->gift_round <= t->round && emira_has(t, me, EMIRA_XENIA))
        due += EMIRA_GIFT_GOLD;
    if (gold < due)
        total -= w->hunger;
    else if (gold + c->income < 2 * due)
        total -= w->thirst;
    total -= w->scarce * (due > c->income ? due - c->income : 0);
    total += early * (room > 1 ? w->room + w->more_room : room > 0 ? w->room : 0.0);
    for (int wish = 0; wish < EMIRA_BY_GOLD; wish++) {
        int best = -EMIRA_GOLD_MOST;
        for (int seat = 0; seat < c->seats; seat++)
            if (seat != me && c->value[wish][seat] > best)
                best = c->value[wish][seat];
        total += early * w->lead * w->share[wish] * court_ahead(w, c->value[wish][me] - best) * (room > 0 ? 1.0 : w->full);
    }
    return total;
}

#endif
