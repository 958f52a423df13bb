/* Phase 7: upkeep, riots, Xenia's gifts and moves (E8-E10, E30). */
#ifndef EMIRA_UPKEEP_H
#define EMIRA_UPKEEP_H

#include "market.h"

/* Takes a gift for Xenia from a seat: she is content for two rounds (E10). */
static inline void emira_give(emira_match *m, int seat)
{
    m->t->gold[seat] -= EMIRA_GIFT_GOLD;
    m->t->gift_round = (uint8_t)(m->t->round + EMIRA_GIFT_EVERY);
    m->t->gift_first = 0;
    emira_note(m, EMIRA_LINE_GIFT, 2, seat, EMIRA_PAID, 0);
}

/* Takes Xenia, and only her, out of the game; what Suleika minded of her is over, too (E10). */
static inline void emira_leave_game(emira_match *m, int seat)
{
    emira_table *t = m->t;
    int suleika = emira_find(t->princesses[seat], EMIRA_SULEIKA);
    if (suleika > 0 && suleika < emira_find(t->princesses[seat], EMIRA_XENIA) && t->arrivals[seat] > 0)
        t->arrivals[seat]--;
    emira_move_out(t, seat, EMIRA_XENIA);
    emira_push(t->gone, EMIRA_XENIA);
    emira_note(m, EMIRA_LINE_GIFT, 2, seat, EMIRA_GONE, 0);
}

/* Moves Xenia to the richest of the other sheiks, who pays her gift at once, besides the upkeep he still owes (E30, O10). */
static inline void emira_move_on(emira_match *m, int seat, int why)
{
    emira_table *t = m->t;
    unsigned rivals = emira_can_attract(m, 1) & ~(1u << seat);
    int target;
    emira_note(m, EMIRA_LINE_GIFT, 2, seat, why, 0);
    emira_move_out(t, seat, EMIRA_XENIA);
    if (m->rules->xenia_room)
        rivals = emira_with_room(t, rivals);
    emira_show_gold(m, EMIRA_XENIA);
    target = emira_most_attractive(t, rivals, EMIRA_BY_GOLD, EMIRA_BY_APPEARANCE);
    if (target == EMIRA_NOBODY) {
        emira_push(t->undecided, EMIRA_XENIA);
        t->xenia_left = (uint8_t)seat;
        return;
    }
    emira_move_in(t, target, EMIRA_XENIA);
    emira_note(m, EMIRA_LINE_JOIN, 2, target, EMIRA_XENIA, 0);
    if (t->gold[target] >= EMIRA_GIFT_GOLD + (t->settled >> target & 1 ? 0 : emira_upkeep(t, target)))
        emira_give(m, target);
    else
        emira_leave_game(m, target);
}

/* Lets the next seat give Xenia her gift, then pay for its princesses (E8, E10). */
static inline void emira_upkeep_turn(emira_match *m, int offset)
{
    const emira_table *t = m->t;
    int seat, able;
    if (offset >= t->seats)
        return;
    seat = emira_clockwise(t, offset);
    emira_later(m, EMIRA_DO_UPKEEP, offset + 1);
    emira_later(m, EMIRA_DO_PAY, seat);
    if (!emira_has(t, seat, EMIRA_XENIA) || t->gift_round > t->round)
        return;
    able = t->gold[seat] >= emira_upkeep(t, seat) + EMIRA_GIFT_GOLD;
    if (able && t->gift_first)
        emira_give(m, seat);
    else if (able)
        emira_ask(m, EMIRA_GIFT, seat, 3, 0);
    else if (t->gift_first)
        emira_leave_game(m, seat);
    else
        emira_move_on(m, seat, EMIRA_UNABLE);
}

/* Puts Emiras of a seat, by mask, under the deck in an order; all know the cards, but the order only of a single one (E9). */
static inline void emira_under_deck(emira_match *m, int seat, uint32_t mask, const uint8_t *order, int count)
{
    for (int i = 0; i < count; i++)
        emira_put_under(&m->s->emiras, order[i], count == 1 ? (1u << m->t->seats) - 1 : 0);
    m->s->turned &= ~mask;
    emira_note(m, EMIRA_LINE_UNDER, 1, seat, 0, 0);
    for (int card = 0; card < EMIRA_EMIRAS; card++)
        if (mask >> card & 1)
            emira_note_item(m->memory, card);
}

/* Lets princesses leave: one in the basic game, until the upkeep of the others can be paid in the advanced one (E9). */
static inline void emira_riot(emira_match *m, int seat)
{
    emira_table *t = m->t;
    arena_stream riot;
    uint8_t order[EMIRA_EMIRAS];
    uint32_t mask = 0;
    int count = 0;
    emira_open(&riot, m->s, "riot", ++m->s->riots);
    do {
        int card;
        if (t->princesses[seat][0] == 0)
            break;
        card = emira_draw_runaway(t, seat, &riot);
        emira_move_out(t, seat, card);
        mask |= (uint32_t)1 << card;
    } while (m->rules->advanced && t->gold[seat] < emira_upkeep(t, seat));
    t->gold[seat] -= m->rules->advanced ? emira_upkeep(t, seat) : t->gold[seat];
    for (int card = 0; card < EMIRA_EMIRAS; card++)
        if (mask >> card & 1)
            order[count++] = (uint8_t)card;
    if (count > 1)
        emira_shuffle(m->s, "under", m->s->riots, order, count);
    emira_under_deck(m, seat, mask, order, count);
}

/* Takes the upkeep from a seat; a riot follows when the gold does not suffice (E8, E9). */
static inline void emira_pay(emira_match *m, int seat)
{
    emira_table *t = m->t;
    int due = emira_upkeep(t, seat);
    if (t->gold[seat] >= due) {
        t->gold[seat] -= due;
        t->paid |= (uint8_t)(1u << seat);
    } else {
        emira_riot(m, seat);
    }
    t->arrivals[seat] = 0;
    t->settled |= (uint8_t)(1u << seat);
}

#endif
