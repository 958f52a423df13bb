/* Phases 3 to 5: what comes on the board, auctions, actions, event cards to buy (E2-E5b, E20-E24, E35). */
#ifndef EMIRA_MARKET_H
#define EMIRA_MARKET_H

#include "cards.h"

/* --- phase 3 --- */

/* Takes the status card that Noble Merchandise chose out of the deck, which is then shuffled (E35). */
static inline void emira_answer_noble(emira_match *m, int seat, int card)
{
    emira_deck *deck = &m->s->status;
    emira_pull(deck->card, emira_find(deck->card, card));
    emira_push(m->t->shown_status, card);
    emira_reshuffle_status(m->s);
    emira_note(m, EMIRA_LINE_NOBLE, 2, seat, card, 0);
}

/* Lets a seat choose a status card out of the deck (E35). */
static inline void emira_ask_noble(emira_match *m, int seat)
{
    uint32_t cards = emira_mask(m->s->status.card);
    if (cards & (cards - 1))
        emira_ask(m, EMIRA_NOBLE, seat, cards, 0);
    else if (cards)
        emira_answer_noble(m, seat, emira_bit(cards, 0));
}

/* Shows the top status card (E20); Noble Merchandise chooses instead (E35), or besides (O8). */
static inline void emira_show_status(emira_match *m)
{
    emira_deck *deck = &m->s->status;
    if (deck->card[0] > 0 && (m->t->noble == EMIRA_NOBODY || m->rules->extra)) {
        int card = emira_draw(deck);
        emira_push(m->t->shown_status, card);
        emira_note(m, EMIRA_LINE_STATUS, 1, card, 0, 0);
    }
    if (m->t->noble != EMIRA_NOBODY)
        emira_ask_noble(m, m->t->noble);
}

/* Puts a counter of the bag on the board. */
static inline void emira_put_counter(emira_table *t, int kind)
{
    t->bag[kind]--;
    emira_push(t->shown_counters, kind);
}

/* Lets a seat choose a counter out of the bag (E35). */
static inline void emira_ask_bazaar(emira_match *m, int seat)
{
    uint32_t kinds = emira_held(m->t->bag, EMIRA_COUNTERS);
    if (kinds & (kinds - 1))
        emira_ask(m, EMIRA_BAZAAR, seat, kinds, 0);
    else if (kinds)
        emira_put_counter(m->t, emira_bit(kinds, 0));
}

/* Shows a counter out of the bag (E20); Bazaar chooses instead (E35), or besides (O8). */
static inline void emira_show_counter(emira_match *m)
{
    emira_table *t = m->t;
    if (emira_held(t->bag, EMIRA_COUNTERS) && (t->bazaar == EMIRA_NOBODY || m->rules->extra))
        emira_put_counter(t, emira_draw_counter(m->s));
    if (t->bazaar != EMIRA_NOBODY)
        emira_ask_bazaar(m, t->bazaar);
}

/* Opens the board: all that the supply still has (E22). */
static inline void emira_open_board(emira_table *t)
{
    t->open = (uint8_t)emira_held(t->supply, EMIRA_ITEMS);
}

/* --- phase 4: auctions --- */

/* Opens the auction phase; a seat that loses the round to Hind may not act (E27). */
static inline void emira_open_phase(emira_match *m)
{
    emira_table *t = m->t;
    t->served = 0;
    for (int seat = 0; seat < t->seats; seat++)
        if (t->lost[seat] == t->round)
            t->served |= (uint8_t)(1u << seat);
    t->last = (uint8_t)((t->start + t->seats - 1) % t->seats);
    t->bidder = t->free = t->granted = EMIRA_NOBODY;
    emira_later(m, EMIRA_DO_CLOSE_PHASE, 0);
    emira_later(m, EMIRA_DO_OPEN_AUCTION, 0);
    emira_later(m, EMIRA_DO_RECHECK, 0);
}

/* Takes the bid from a seat, less the discount; then the seat acts (E3). */
static inline void emira_serve(emira_match *m, int seat)
{
    emira_table *t = m->t;
    int32_t paid = t->bid - emira_discount(t, seat);
    t->last = (uint8_t)seat;
    emira_later(m, EMIRA_DO_ACTION, seat);
    if (paid <= 0)
        return;
    t->gold[seat] -= paid;
    if (t->undecided[0] > 0)
        emira_later(m, EMIRA_DO_RECHECK, 0);
}

/* Returns how many amounts a seat may bid: at least 10, in tens, above the last one, that it can pay; at most 1,000 (E3, E4). */
static inline int emira_amounts(const emira_table *t, int seat)
{
    int32_t most = t->gold[seat] + emira_discount(t, seat), count;
    most = most < EMIRA_HIGHEST_BID ? most : EMIRA_HIGHEST_BID;
    count = most > t->bid ? (most - t->bid) / EMIRA_STEP : 0;
    return count < EMIRA_BIDS_MOST ? (int)count : EMIRA_BIDS_MOST;
}

/* Asks a seat for a bid, or the grant (E5, O5), or a pass. Returns 0, and passes for it, if it could only do that. */
static inline int emira_ask_bid(emira_match *m, int seat)
{
    emira_table *t = m->t;
    int grant = m->rules->grant_at_bid && emira_may_have_grant(t, seat), amounts = emira_amounts(t, seat);
    if (grant || amounts > 0) {
        emira_ask(m, EMIRA_BID, seat, 2 * (uint64_t)amounts + (uint64_t)grant, 0);
        return 1;
    }
    t->bidding &= (uint8_t)~(1u << seat);
    t->free = t->free == EMIRA_NOBODY ? (uint8_t)seat : t->free;
    t->granted = EMIRA_NOBODY;
    return 0;
}

/* Asks the next seat, or decides the auction: if all pass, who passed first acts for no bid (E4). */
static inline void emira_go_on(emira_match *m, int seat)
{
    emira_table *t = m->t;
    int asked = 0;
    while (!asked && t->bidding && !(t->bidder != EMIRA_NOBODY && t->bidding == 1u << t->bidder)) {
        do
            seat = emira_left(seat, t->seats);
        while (!(t->bidding >> seat & 1));
        asked = emira_ask_bid(m, seat);
    }
    if (asked || (!t->bidding && t->free == EMIRA_NOBODY))
        return;
    if (!t->bidding)
        t->bidder = t->free;
    emira_serve(m, t->bidder);
}

/* Opens the next auction with the first seat that has not acted, to the left of the last one that has (E4). */
static inline void emira_open_auction(emira_match *m)
{
    emira_table *t = m->t;
    t->bidding = (uint8_t)(((1u << t->seats) - 1) & ~(unsigned)t->served);
    if (!t->bidding)
        return;
    emira_later(m, EMIRA_DO_OPEN_AUCTION, 0);
    t->bid = 0;
    t->bidder = t->free = t->granted = EMIRA_NOBODY;
    t->opened = 1;
    emira_go_on(m, t->last);
}

/* Gives a seat the grant instead of an action; any number of seats may take it in a round (E5). */
static inline void emira_take_grant(emira_match *m, int seat)
{
    m->t->gold[seat] += EMIRA_GRANT_GOLD;
    m->t->served |= (uint8_t)(1u << seat);
}

/* Takes a seat's bid: an amount, 0 for a pass, 1 for the grant. */
static inline void emira_answer_bid(emira_match *m, int seat, int bid)
{
    emira_table *t = m->t;
    t->granted = EMIRA_NOBODY;
    if (bid >= EMIRA_STEP) {
        t->bid = bid;
        t->bidder = (uint8_t)seat;
    } else {
        t->bidding &= (uint8_t)~(1u << seat);
    }
    if (bid == 0 && t->free == EMIRA_NOBODY)
        t->free = (uint8_t)seat;
    if (bid != 1) {
        emira_go_on(m, seat);
        return;
    }
    t->granted = (uint8_t)seat;
    emira_take_grant(m, seat);
    emira_later(m, EMIRA_DO_GO_ON, seat);
    emira_later(m, EMIRA_DO_RECHECK, 0);
}

/* Puts unsold things back; with three players at the end of the odd or the even round (E23, E38, O7). */
static inline void emira_close_phase(emira_match *m)
{
    emira_table *t = m->t;
    int odd = t->round % 2 == 1, three = t->seats == 3;
    while (t->shown_counters[0] > 0 && (!three || odd == m->rules->return_odd))
        t->bag[emira_pull(t->shown_counters, 1)]++;
    while (t->shown_status[0] > 0 && (!three || !odd)) {
        int card = emira_pull(t->shown_status, 1);
        emira_put_under(&m->s->status, card, (1u << t->seats) - 1);
        emira_note(m, EMIRA_LINE_UNSOLD, 1, card, 0, 0);
    }
    if (!three || !odd)
        t->open = 0;
    t->bid = 0;
    t->served = t->bidding = t->bidder = t->free = t->last = t->opened = t->granted = 0;
}

/* --- actions --- */

/* Returns the price of an action for a seat, for a status card apart (E31). */
static inline int emira_action_price(const emira_table *t, int seat, int action)
{
    switch (action) {
    case EMIRA_APPEARANCE: return EMIRA_APPEARANCE_PRICE;
    case EMIRA_PALACE: return emira_has(t, seat, EMIRA_BADRA) ? 400 : 500;
    case EMIRA_CAMEL: return emira_has(t, seat, EMIRA_FARAH) ? 50 : 150;
    default: return emira_caravan_price(action - EMIRA_TAKE_CARAVAN, emira_has(t, seat, EMIRA_ADARA));
    }
}

/* Returns the mask of the status cards on the board that a seat can pay. */
static inline uint32_t emira_status_to_pay(const emira_table *t, int seat)
{
    uint32_t cards = 0;
    for (int i = 1; i <= t->shown_status[0]; i++)
        if (emira_price(t->shown_status[i]) <= t->gold[seat])
            cards |= (uint32_t)1 << t->shown_status[i];
    return cards;
}

/* Takes the price from a seat, which is then out of this round's auctions. */
static inline void emira_done(emira_match *m, int seat, int price)
{
    m->t->gold[seat] -= price;
    m->t->served |= (uint8_t)(1u << seat);
    if (m->t->undecided[0] > 0)
        emira_later(m, EMIRA_DO_RECHECK, 0);
}

/* Asks a seat for an action that is still to be had and that it can pay, or none; or the grant instead (E21, E5). */
static inline void emira_ask_action(emira_match *m, int seat)
{
    static const uint8_t item_of[] = {0, EMIRA_SMALL, EMIRA_SMALL, EMIRA_LARGE, EMIRA_LARGE, 0, 0, EMIRA_SECTIONS, EMIRA_CAMELS};
    const emira_table *t = m->t;
    unsigned actions = emira_may_have_grant(t, seat) ? 1u << EMIRA_GRANT : 0;
    if (t->shown_counters[0] > 0 && t->gold[seat] >= EMIRA_APPEARANCE_PRICE)
        actions |= 1u << EMIRA_APPEARANCE;
    if (emira_status_to_pay(t, seat))
        actions |= 1u << EMIRA_STATUS;
    for (int action = EMIRA_TAKE_CARAVAN; action < EMIRA_GRANT; action++)
        if (action != EMIRA_APPEARANCE && action != EMIRA_STATUS && t->open >> item_of[action] & 1)
            actions |= (emira_action_price(t, seat, action) <= t->gold[seat] ? 1u : 0u) << action;
    if (actions)
        emira_ask(m, EMIRA_ACTION, seat, actions | 1u << EMIRA_NO_ACTION, 0);
    else
        emira_done(m, seat, 0);
}

/* Gives a seat a counter of the board. */
static inline void emira_take_counter(emira_match *m, int seat, int kind)
{
    emira_remove(m->t->shown_counters, kind);
    m->t->counters[seat][kind]++;
    emira_done(m, seat, EMIRA_APPEARANCE_PRICE);
}

/* Gives a seat a status card of the board. */
static inline void emira_take_status(emira_match *m, int seat, int card)
{
    emira_remove(m->t->shown_status, card);
    m->t->status[seat][card]++;
    emira_done(m, seat, emira_price(card));
}

/* Gives a seat a caravan, a section or a camel out of the supply (E2, E22). */
static inline void emira_take_item(emira_match *m, int seat, int action)
{
    emira_table *t = m->t;
    int item = action == EMIRA_PALACE ? EMIRA_SECTIONS : action == EMIRA_CAMEL ? EMIRA_CAMELS : (action - EMIRA_TAKE_CARAVAN) / 2;
    int price = emira_action_price(t, seat, action);
    if (item == EMIRA_SECTIONS)
        t->sections[seat]++;
    else if (item == EMIRA_CAMELS)
        t->camels[seat]++;
    else
        t->caravans[seat][action - EMIRA_TAKE_CARAVAN][emira_length(action - EMIRA_TAKE_CARAVAN) - 1]++;
    t->supply[item]--;
    t->open &= (uint8_t)~(1u << item);
    emira_done(m, seat, price);
}

/* Lets a seat take a counter of the board, after asking if there are two kinds (O8). */
static inline void emira_choose_counter(emira_match *m, int seat)
{
    unsigned kinds = (unsigned)emira_mask(m->t->shown_counters);
    if (kinds & (kinds - 1))
        emira_ask(m, EMIRA_TAKE_APPEARANCE, seat, kinds, 0);
    else if (kinds)
        emira_take_counter(m, seat, emira_bit(kinds, 0));
}

/* Lets a seat take a status card of the board, after asking if it can pay two (O8). */
static inline void emira_choose_status(emira_match *m, int seat)
{
    uint32_t cards = emira_status_to_pay(m->t, seat);
    if (cards & (cards - 1))
        emira_ask(m, EMIRA_TAKE_STATUS, seat, cards, 0);
    else if (cards)
        emira_take_status(m, seat, emira_bit(cards, 0));
}

/* Takes the action that a seat chose. */
static inline void emira_answer_action(emira_match *m, int seat, int action)
{
    switch (action) {
    case EMIRA_NO_ACTION: emira_done(m, seat, 0); break;
    case EMIRA_APPEARANCE: emira_choose_counter(m, seat); break;
    case EMIRA_STATUS: emira_choose_status(m, seat); break;
    case EMIRA_GRANT:
        emira_take_grant(m, seat);
        emira_later(m, EMIRA_DO_RECHECK, 0);
        break;
    default: emira_take_item(m, seat, action); break;
    }
}

/* --- phase 5 --- */

/* Returns the price of looking at two or three event cards (E24, E31). */
static inline int emira_event_price(const emira_table *t, int seat, int looks)
{
    return (looks == 3 ? 250 : 150) - (emira_has(t, seat, EMIRA_ZAINAB) ? 50 : 0);
}

/* Lets the next seat pay to look at two or three event cards (E24). */
static inline void emira_buy_turn(emira_match *m, int offset)
{
    const emira_table *t = m->t;
    int seat, cards = m->s->events.card[0];
    if (offset >= t->seats)
        return;
    emira_later(m, EMIRA_DO_BUY, offset + 1);
    seat = emira_clockwise(t, offset);
    if (cards == 0 || t->gold[seat] < emira_event_price(t, seat, 2) || t->lost[seat] == t->round)
        return;
    emira_ask(m, EMIRA_BUY, seat, cards > 2 && t->gold[seat] >= emira_event_price(t, seat, 3) ? 7 : 3, 0);
}

/* Gives the buyer a card, and puts the others under the deck in the order they lay; only the buyer knows them there. */
static inline void emira_answer_keep(emira_match *m, int seat, int kept)
{
    emira_deck *deck = &m->s->events;
    int looks = m->t->looks, last_place = deck->card[0], is_kept = 0;
    emira_note(m, EMIRA_LINE_BUY, 2, seat, looks, 0);
    emira_note_item(m->memory, kept);
    for (int i = 0; i < looks && i < last_place; i++) {
        int card = emira_draw(deck);
        if (card == kept && !is_kept) {
            is_kept = 1;
            continue;
        }
        emira_put_under(deck, card, 1u << seat);
        emira_note_item(m->memory, card);
    }
    m->s->hand[seat][kept]++;
    m->t->looks = 0;
}

/* Shows the buyer the top event cards, and asks which to keep if they differ. */
static inline void emira_look_to_keep(emira_match *m, int seat, int looks)
{
    uint32_t cards = 0;
    m->t->looks = (uint8_t)looks;
    for (int place = 0; place < looks; place++)
        cards |= (uint32_t)1 << emira_look(&m->s->events, place, seat);
    if (cards & (cards - 1))
        emira_ask(m, EMIRA_KEEP, seat, cards, 0);
    else if (cards)
        emira_answer_keep(m, seat, emira_bit(cards, 0));
}

/* Takes the price of so many looks from a seat. */
static inline void emira_answer_buy(emira_match *m, int seat, int looks)
{
    int cards = m->s->events.card[0];
    if (looks == 0)
        return;
    m->t->gold[seat] -= emira_event_price(m->t, seat, looks);
    emira_later(m, EMIRA_DO_RECHECK, 0);
    emira_look_to_keep(m, seat, looks < cards ? looks : cards);
}

#endif
