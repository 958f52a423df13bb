/* Phase 1: playing the event cards, and the effect of each (E12, E19, E34-E37, E39). */
#ifndef EMIRA_CARDS_H
#define EMIRA_CARDS_H

#include "courtship.h"

/* Lets the next seat play one event card whose symbol has not been played this round (E19). */
static inline void emira_play_turn(emira_match *m, int offset)
{
    uint32_t cards;
    int seat;
    if (offset >= m->t->seats)
        return;
    emira_later(m, EMIRA_DO_PLAY, offset + 1);
    seat = emira_clockwise(m->t, offset);
    cards = emira_held(m->s->hand[seat], EMIRA_EVENTS) & ~m->t->blocked;
    if (cards && m->t->lost[seat] != m->t->round)
        emira_ask(m, EMIRA_PLAY, seat, (uint64_t)cards << 1 | 1, 0);
}

/* Gives each seat a camel for each two, if the supply has enough for all; or takes one for each three (E12). */
static inline void emira_change_camels(emira_table *t, int breeding)
{
    int changes[EMIRA_SEATS], total = 0;
    for (int seat = 0; seat < t->seats; seat++) {
        changes[seat] = breeding ? t->camels[seat] / 2 : -(t->camels[seat] / 3);
        total += changes[seat];
    }
    for (int seat = 0; seat < t->seats && total <= t->supply[EMIRA_CAMELS]; seat++)
        t->camels[seat] = (uint8_t)(t->camels[seat] + changes[seat]);
    if (total <= t->supply[EMIRA_CAMELS])
        t->supply[EMIRA_CAMELS] = (uint8_t)(t->supply[EMIRA_CAMELS] - total);
}

/* --- what lies in the decks --- */

/* Shows a seat the Emira at a place of the deck, and asks what she shall do (E34). */
static inline void emira_look_at(emira_match *m, int seat, int place)
{
    int card = emira_look(&m->s->emiras, place, seat);
    emira_ask(m, EMIRA_MIND, seat, card == EMIRA_SIDI ? 1u << EMIRA_KEEP_MIND | 1u << EMIRA_BOTTOM : 7, place);
}

/* Lets a seat look at the top Emira; with three players at one of those who will come, chosen unseen (E34, E39). */
static inline void emira_change_mind(emira_match *m, int seat)
{
    int later, now = emira_to_draw(m->t, &later), places = m->t->seats == 3 && now + later > 1 ? now + later : 1;
    places = places < m->s->emiras.card[0] ? places : m->s->emiras.card[0];
    if (places > 1)
        emira_ask(m, EMIRA_PLACE, seat, (1u << places) - 1, 0);
    else if (places)
        emira_look_at(m, seat, 0);
}

/* Leaves the Emira at a place, swaps her wishes, or puts her under the deck (E34). */
static inline void emira_answer_mind(emira_match *m, int seat, int mind, int place)
{
    emira_deck *deck = &m->s->emiras;
    int card = deck->card[place + 1];
    if (mind == EMIRA_SWAP)
        m->s->turned ^= (uint32_t)1 << card;
    if (mind == EMIRA_BOTTOM) {
        emira_put_under(deck, emira_pull(deck->card, place + 1), (unsigned)emira_pull(deck->seen, place + 1));
        m->s->turned &= ~((uint32_t)1 << card);
    }
    emira_note(m, EMIRA_LINE_MIND, 3, seat, place, mind);
    emira_note_item(m->memory, card);
}

/* Writes the permutation of this rank of two or three places; ranks 0 and 1 are of two, 2 to 7 of three. */
static inline int emira_permutation(int rank, uint8_t places[3])
{
    int count = rank < 2 ? 2 : 3, first = rank < 2 ? rank : (rank - 2) / 2, swap = rank < 2 ? 0 : rank % 2;
    places[0] = (uint8_t)first;
    places[1 + swap] = (uint8_t)(first == 0);
    if (count == 3)
        places[2 - swap] = (uint8_t)(first == 2 ? 1 : 2);
    return count;
}

/* Lays the top cards of a deck in a new order, which the seat alone knows; a single card stays as it is. */
static inline void emira_lay_back(emira_match *m, int seat, int which, const uint8_t *places, int count)
{
    emira_deck *deck = which ? &m->s->status : &m->s->emiras;
    uint8_t top[3];
    memcpy(top, deck->card + 1, sizeof top);
    emira_note(m, EMIRA_LINE_ORDER, 3, seat, which, count);
    for (int i = 0; i < count; i++) {
        if (count > 1) {
            deck->card[i + 1] = top[places[i]];
            deck->seen[i + 1] = (uint8_t)(1u << seat);
        }
        emira_note_item(m->memory, deck->card[i + 1]);
    }
}

/* Lets a seat lay back the top three cards, or as many as there are: 0 of the Emiras, 1 of the status cards (E34). */
static inline void emira_look_and_order(emira_match *m, int seat, int which)
{
    emira_deck *deck = which ? &m->s->status : &m->s->emiras;
    int count = deck->card[0] < 3 ? deck->card[0] : 3;
    uint8_t places[3] = {0};
    for (int place = 0; place < count; place++)
        emira_look(deck, place, seat);
    if (count == 1)
        emira_lay_back(m, seat, which, places, 1);
    else if (count > 1)
        emira_ask(m, EMIRA_ORDER, seat, count == 2 ? 3 : 252, which);
}

/* --- caravans --- */

/* Moves a caravan to another place on its track; 0 is off its left end. */
static inline void emira_move_caravan(emira_table *t, int seat, int type, int left, int to)
{
    t->caravans[seat][type][left - 1]--;
    if (to > 0)
        t->caravans[seat][type][to - 1]++;
    else
        t->supply[type / 2]++;
}

/* Returns the mask of a seat's caravans that are not on the right end: bit 8 * type + incomes left - 1 (E36). */
static inline uint32_t emira_movable(const emira_table *t, int seat)
{
    uint32_t mask = 0;
    for (int type = 0; type < EMIRA_CARAVANS; type++)
        mask |= emira_held(t->caravans[seat][type], emira_length(type) - 1) << EMIRA_LEFT * type;
    return mask;
}

/* Gives a caravan of the seat one income more, if one can have it (E36). */
static inline void emira_new_spice_caravan(emira_match *m, int seat)
{
    uint32_t movable = emira_movable(m->t, seat);
    if (movable & (movable - 1))
        emira_ask(m, EMIRA_CARAVAN, seat, movable, 0);
    else if (movable) {
        int at = emira_bit(movable, 0);
        emira_move_caravan(m->t, seat, at / EMIRA_LEFT, at % EMIRA_LEFT + 1, at % EMIRA_LEFT + 2);
    }
}

/* Writes the rising pair of places on a track, from 1, that has this rank among all pairs. */
static inline void emira_pair(int rank, int *first, int *second)
{
    *first = 1;
    while (rank > EMIRA_LEFT - *first)
        rank -= EMIRA_LEFT + 1 - (*first)++;
    *second = *first + rank;
}

/* Returns the mask of the caravans of a type, or of two slow ones, that vermin can move: bit incomes left - 1, or 8 and the rank
   of a pair (E36). */
static inline uint64_t emira_infested(const uint8_t caravans[EMIRA_LEFT], int type)
{
    uint64_t mask = 0;
    int count = 0, first, second;
    for (int left = 0; left < EMIRA_LEFT; left++)
        count += caravans[left];
    if (emira_length(type) < EMIRA_LEFT || count < 2)
        return emira_held(caravans, EMIRA_LEFT);
    for (int rank = 0; rank < EMIRA_LEFT * (EMIRA_LEFT + 1) / 2; rank++) {
        emira_pair(rank, &first, &second);
        if (caravans[first - 1] > (first == second) && caravans[second - 1] > 0)
            mask |= (uint64_t)1 << (EMIRA_LEFT + rank);
    }
    return mask;
}

/* Moves the caravans that an entry of `vermin_move` names one place on. */
static inline void emira_answer_infest(emira_match *m, int seat, int type, int entry)
{
    int first = entry + 1, second = 0;
    if (entry >= EMIRA_LEFT)
        emira_pair(entry - EMIRA_LEFT, &first, &second);
    emira_move_caravan(m->t, seat, type, first, first - 1);
    if (second > 0)
        emira_move_caravan(m->t, seat, type, second, second - 1);
}

/* Moves a seat's caravans of a type, after asking if there is a choice (E36). */
static inline void emira_infest(emira_match *m, int seat, int type)
{
    uint64_t mask = emira_infested(m->t->caravans[seat][type], type);
    if (mask & (mask - 1))
        emira_ask(m, EMIRA_VERMIN_MOVE, seat, mask, type);
    else if (mask)
        emira_answer_infest(m, seat, type, emira_bit(mask, 0));
}

/* Lets every owner, from the player of the card on, move caravans of a type (E36). skip: how many have done so. */
static inline void emira_send_vermin(emira_match *m, int player, int type, int skip)
{
    for (int offset = m->t->seats - 1; offset >= skip; offset--)
        emira_later(m, EMIRA_DO_INFEST, 8 * type + (player + offset) % m->t->seats);
}

/* --- what the cards do --- */

/* Gives a seat a counter "+1" for each three of a kind, kept to the end (E37, O11, O12). */
static inline void emira_answer_good_looking(emira_match *m, int seat, int kind)
{
    emira_table *t = m->t;
    int count = (m->rules->good_looking_all ? emira_counters(t, seat, kind) : t->counters[seat][kind]) / 3;
    if (t->bonus_left != EMIRA_NOBODY) {
        count = count < t->bonus_left ? count : t->bonus_left;
        t->bonus_left = (uint8_t)(t->bonus_left - count);
    }
    if (t->looking[seat][0] < EMIRA_COPIES)
        emira_push(t->looking[seat], count);
}

/* Asks which of the two rounds gets more, with three players (E39). */
static inline void emira_ask_split(emira_match *m, int seat, int card)
{
    if (m->t->seats == 3)
        emira_ask(m, EMIRA_SPLIT, seat, 3, card);
}

/* Plays an event card. */
static inline void emira_play_event(emira_match *m, int seat, int card)
{
    emira_table *t = m->t;
    m->s->hand[seat][card]--;
    t->blocked |= m->rules->blocks[card];
    emira_note(m, EMIRA_LINE_PLAY, 2, seat, card, 0);
    emira_later(m, EMIRA_DO_RECHECK, 0);
    switch (card) {
    case EMIRA_CARD_BAZAAR: t->bazaar = (uint8_t)seat; break;
    case EMIRA_CARD_BETTER_BREED: t->breed[seat] = (uint8_t)(t->breed[seat] < 3 ? t->breed[seat] + 1 : 3); break; /* E37 */
    case EMIRA_CARD_CAMEL_BREEDING: emira_change_camels(t, 1); break;
    case EMIRA_CARD_CAMEL_EPIDEMIC: emira_change_camels(t, 0); break;
    case EMIRA_CARD_CHANGING_HER_MIND: emira_change_mind(m, seat); break;
    case EMIRA_CARD_COURT_INFLUENCE: emira_look_and_order(m, seat, 0); break;
    case EMIRA_CARD_DOUBLE_TROUBLE:
        t->doubles++;
        emira_ask_split(m, seat, card);
        break;
    case EMIRA_CARD_GOLDEN_TIMES: t->golden++; break;
    case EMIRA_CARD_GOOD_LOOKING: emira_ask(m, EMIRA_GOOD_LOOKING, seat, 7, 0); break;
    case EMIRA_CARD_GUEST_HOUSE: t->guests[seat]++; break;
    case EMIRA_CARD_INTERRUPT_SPICE_TRADE: t->interrupted = 1; break;
    case EMIRA_CARD_NEW_ORDERS: emira_look_and_order(m, seat, 1); break;
    case EMIRA_CARD_NEW_SPICE_CARAVAN: emira_new_spice_caravan(m, seat); break;
    case EMIRA_CARD_NOBLE_MERCHANDISE: t->noble = (uint8_t)seat; break;
    case EMIRA_CARD_QUIET_DAYS:
        t->quiet = 1;
        emira_ask_split(m, seat, card);
        break;
    case EMIRA_CARD_RESTORATION: t->disc[seat]++; break; /* E13 */
    case EMIRA_CARD_SICK_CAMELS: t->sick = 1; break;
    default: emira_ask(m, EMIRA_VERMIN, seat, 15, 0); break;
    }
}

#endif
