/* The seat that an Emira chooses, when waiting Emiras join, and the effects of a join (E6, E25-E29). */
#ifndef EMIRA_COURTSHIP_H
#define EMIRA_COURTSHIP_H

#include "dealing.h"

/* Returns what a seat is worth by a wish. */
static inline int emira_worth(const emira_table *t, int seat, int wish)
{
    switch (wish) {
    case EMIRA_BY_APPEARANCE: return emira_appearance(t, seat);
    case EMIRA_BY_STATUS: return emira_status(t, seat);
    case EMIRA_BY_PALACE: return emira_palace(t, seat);
    default: return t->gold[seat];
    }
}

/* Returns the seat of a mask, EMIRA_NOBODY if it has none or several. */
static inline int emira_only(unsigned seats)
{
    return seats == 0 || seats & (seats - 1) ? (int)EMIRA_NOBODY : emira_bit(seats, 0);
}

/* Returns the mask of those seats that are best by a wish. */
static inline unsigned emira_best(const emira_table *t, unsigned seats, int wish)
{
    unsigned best = 0;
    int most = 0;
    for (int seat = 0; seat < t->seats; seat++)
        if (seats >> seat & 1) {
            int worth = emira_worth(t, seat, wish);
            if (best == 0 || worth > most)
                most = worth, best = 0;
            if (worth == most)
                best |= 1u << seat;
        }
    return best;
}

/* Returns the seat that is best by the first wish, ties by the second; EMIRA_NOBODY if a tie remains or there is no seat (E6). */
static inline int emira_most_attractive(const emira_table *t, unsigned seats, int first, int second)
{
    if (seats & (seats - 1))
        seats = emira_best(t, seats, first);
    if (seats & (seats - 1))
        seats = emira_best(t, seats, second);
    return emira_only(seats);
}

/* Returns the mask of the seats that are not in the round they lose to Hind. waiting: the Emira is not active (E27, O13). */
static inline unsigned emira_can_attract(const emira_match *m, int waiting)
{
    unsigned seats = 0;
    for (int seat = 0; seat < m->t->seats; seat++)
        if (m->t->lost[seat] != m->t->round || (waiting && m->rules->hind_undecided))
            seats |= 1u << seat;
    return seats;
}

/* Returns the mask of those seats that have room (E6). */
static inline unsigned emira_with_room(const emira_table *t, unsigned seats)
{
    for (int seat = 0; seat < t->seats; seat++)
        if (emira_room(t, seat) == 0)
            seats &= ~(1u << seat);
    return seats;
}

/* Returns the seat that an Emira chooses now, EMIRA_NOBODY if she is undecided (E6, E29, E30, E34). */
static inline int emira_chosen(const emira_match *m, int card, int waiting)
{
    const emira_table *t = m->t;
    unsigned seats = emira_can_attract(m, waiting), most = 0;
    int swapped = m->s->turned >> card & 1, largest = 1;
    if (card != EMIRA_SIDI) {
        if (card == EMIRA_XENIA && t->xenia_left != EMIRA_NOBODY)
            seats &= ~(1u << t->xenia_left);
        return emira_most_attractive(t, emira_with_room(t, seats), emira_wants(card, swapped), emira_wants(card, !swapped));
    }
    for (int seat = 0; seat < t->seats; seat++)
        if (seats >> seat & 1 && t->princesses[seat][0] >= largest) {
            most = t->princesses[seat][0] > largest ? 0 : most;
            largest = t->princesses[seat][0];
            most |= 1u << seat;
        }
    return emira_only(most);
}

/* Shows all gold when an Emira who looks at gold chooses, if it is hidden (O3). */
static inline void emira_show_gold(emira_match *m, int card)
{
    if (!m->rules->gold_hidden || !emira_loves_gold(card))
        return;
    for (int seat = 0; seat < m->t->seats; seat++) {
        m->t->shown_round[seat] = m->t->round;
        m->t->shown_gold[seat] = m->t->gold[seat];
    }
}

/* --- who comes and goes --- */

/* Puts an Emira into a palace; Suleika minds each who comes after her (E28). */
static inline void emira_move_in(emira_table *t, int seat, int card)
{
    t->arrivals[seat] += (uint8_t)emira_has(t, seat, EMIRA_SULEIKA);
    emira_push(t->princesses[seat], card);
}

/* Takes an Emira out of a palace; her benefits and costs end. */
static inline void emira_move_out(emira_table *t, int seat, int card)
{
    emira_remove(t->princesses[seat], card);
    if (card == EMIRA_SULEIKA)
        t->arrivals[seat] = 0;
    if (card == EMIRA_XENIA)
        t->gift_round = t->gift_first = 0;
}

/* Takes a counter from a seat for Samira (E26). */
static inline void emira_drop_counter(emira_match *m, int seat, int kind)
{
    m->t->counters[seat][kind]--;
    m->t->bag[kind]++;
}

/* Takes a status card from a seat for Zahrah (E26, O9). */
static inline void emira_drop_status(emira_match *m, int seat, int card)
{
    m->t->status[seat][card]--;
    if (!m->rules->zahrah_under) {
        emira_push(m->t->removed, card);
        return;
    }
    emira_put_under(&m->s->status, card, (1u << m->t->seats) - 1);
    emira_note(m, EMIRA_LINE_UNDER_STATUS, 1, card, 0, 0);
}

/* Takes Sidi Suleiman, who is gone already, and a princess out of the game (E29). */
static inline void emira_abduct(emira_match *m, int seat, int card)
{
    emira_move_out(m->t, seat, card);
    emira_push(m->t->gone, card);
    emira_note(m, EMIRA_LINE_ABDUCT, 2, seat, card, 0);
}

/* Asks a seat which princess Sidi Suleiman takes with him, if there is a choice (E29). */
static inline void emira_ask_abduct(emira_match *m, int seat)
{
    uint32_t princesses = emira_mask(m->t->princesses[seat]);
    if (princesses & (princesses - 1))
        emira_ask(m, EMIRA_ABDUCT, seat, princesses, 0);
    else if (princesses)
        emira_abduct(m, seat, emira_bit(princesses, 0));
}

/* Asks a seat which counter Samira costs, if there is a choice (E26). */
static inline void emira_ask_drop_counter(emira_match *m, int seat)
{
    const uint8_t *own = m->t->counters[seat];
    unsigned kinds = (own[0] > 0 ? 1u : 0u) | (own[1] > 0 ? 2u : 0u) | (own[2] > 0 ? 4u : 0u);
    if (kinds & (kinds - 1))
        emira_ask(m, EMIRA_DROP_APPEARANCE, seat, kinds, 0);
    else if (kinds)
        emira_drop_counter(m, seat, emira_bit(kinds, 0));
}

/* Returns the mask of the cards of which a list of counts, by card, has any. */
static inline uint32_t emira_held(const uint8_t *counts, int cards)
{
    uint32_t mask = 0;
    for (int card = 0; card < cards; card++)
        mask |= (uint32_t)(counts[card] > 0) << card;
    return mask;
}

/* Asks a seat which status card Zahrah costs, if there is a choice (E26). */
static inline void emira_ask_drop_status(emira_match *m, int seat)
{
    uint32_t cards = emira_held(m->t->status[seat], EMIRA_PRICES);
    if (cards & (cards - 1))
        emira_ask(m, EMIRA_DROP_STATUS, seat, cards, 0);
    else if (cards)
        emira_drop_status(m, seat, emira_bit(cards, 0));
}

/* Lets an Emira join a palace; her power works at once, and may ask (E10, E26, E27, E29). */
static inline void emira_join(emira_match *m, int seat, int card)
{
    emira_table *t = m->t;
    int strikes = (uint32_t)EMIRA_ONCE >> card & ~t->met[seat] >> card & 1;
    emira_note(m, EMIRA_LINE_JOIN, 2, seat, card, 0);
    if (card == EMIRA_SIDI) {
        emira_push(t->gone, card);
        emira_ask_abduct(m, seat);
        return;
    }
    emira_move_in(t, seat, card);
    if (card == EMIRA_XENIA) {
        t->gift_first = 1;
        t->xenia_left = EMIRA_NOBODY;
        t->gift_round = (uint8_t)(t->round + (t->settled >> seat & 1));
    }
    if (!strikes)
        return;
    t->met[seat] |= (uint32_t)1 << card;
    switch (card) {
    case EMIRA_HIND: t->lost[seat] = (uint8_t)(t->round + 1); break;
    case EMIRA_SAMIRA: emira_ask_drop_counter(m, seat); break;
    case EMIRA_ZAHRAH: emira_ask_drop_status(m, seat); break;
    default: t->disc[seat] = (int8_t)(t->disc[seat] - (m->rules->advanced != 0)); break; /* E13 */
    }
}

/* Lets the next active Emira choose; then the waiting ones are looked at, and so on (phase 6, E6). */
static inline void emira_choose_next(emira_match *m)
{
    emira_table *t = m->t;
    int card, seat;
    if (t->active[0] == 0)
        return;
    card = emira_pull(t->active, 1);
    emira_later(m, EMIRA_DO_CHOOSE, 0);
    emira_later(m, EMIRA_DO_RECHECK, 0);
    emira_show_gold(m, card);
    seat = emira_chosen(m, card, 0);
    if (seat != EMIRA_NOBODY) {
        emira_join(m, seat, card);
        return;
    }
    emira_push(t->undecided, card);
    t->fresh |= (uint32_t)1 << card;
}

/* Lets the oldest undecided Emira with a single best sheik join him; then all are looked at again (E25, O4, O13). */
static inline void emira_recheck(emira_match *m)
{
    emira_table *t = m->t;
    int everyone = t->phase == EMIRA_IN_AUCTION || m->rules->always;
    for (int i = 1; i <= t->undecided[0]; i++) {
        int card = t->undecided[i], seat;
        if (!everyone && !emira_loves_gold(card))
            continue;
        seat = emira_chosen(m, card, !(t->fresh >> card & 1));
        if (seat == EMIRA_NOBODY)
            continue;
        emira_pull(t->undecided, i);
        t->fresh &= ~((uint32_t)1 << card);
        emira_later(m, EMIRA_DO_RECHECK, 0);
        emira_show_gold(m, card);
        emira_join(m, seat, card);
        return;
    }
}

#endif
