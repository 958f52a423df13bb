/* Whether a view is of a match that goes on: every number in its bounds, every piece in one place. All that follows relies on
   it. */
#ifndef EMIRA_SOUND_H
#define EMIRA_SOUND_H

#include "past.h"

/* Adds the Emiras of a list to a mask; returns 0 if the list is too long, or if one is none or there already. */
static inline int emira_add_emiras(uint32_t *mask, const uint8_t *list)
{
    if (list[0] > EMIRA_EMIRAS)
        return 0;
    for (int i = 1; i <= list[0]; i++) {
        if (list[i] >= EMIRA_EMIRAS || *mask >> list[i] & 1)
            return 0;
        *mask |= (uint32_t)1 << list[i];
    }
    return 1;
}

/* Tells whether every Emira lies in one place, the deck or open, and lives where the history says. */
static inline int emira_emiras_sound(const emira_view *view, const emira_past *past)
{
    const emira_table *t = &view->table;
    uint32_t open = 0, known = 0;
    int sound = emira_add_emiras(&open, t->active) && emira_add_emiras(&open, t->coming) && emira_add_emiras(&open, t->undecided)
        && emira_add_emiras(&open, t->gone);
    for (int seat = 0; seat < t->seats && sound; seat++)
        sound = emira_add_emiras(&open, t->princesses[seat])
            && memcmp(t->princesses[seat], past->princesses[seat], (size_t)t->princesses[seat][0] + 1) == 0;
    if (!sound || open != (past->deck ^ (((uint32_t)1 << EMIRA_EMIRAS) - 1)) || view->emiras[0] != past->emiras)
        return 0;
    for (int i = 1; i <= view->emiras[0]; i++)
        if (view->emiras[i] != EMIRA_UNKNOWN) {
            if (view->emiras[i] >= EMIRA_EMIRAS || !(past->deck & ~known & (uint32_t)1 << view->emiras[i]))
                return 0;
            known |= (uint32_t)1 << view->emiras[i];
        }
    if (view->swapped & ~emira_face_up(t) || view->turned >> view->emiras[0] || t->fresh & ~emira_mask(t->undecided))
        return 0;
    return !(view->swapped >> EMIRA_SIDI & 1);
}

/* Tells whether the known cards of a deck are as many as `left` allows; it is used up. */
static inline int emira_deck_sound(const uint8_t *deck, int count, uint8_t *left, int faces)
{
    if (deck[0] != count)
        return 0;
    for (int i = 1; i <= count; i++)
        if (deck[i] != EMIRA_UNKNOWN && (deck[i] >= faces || left[deck[i]]-- == 0))
            return 0;
    return 1;
}

/* Counts the status cards of a list by price; returns 0 if it is too long or one is none. */
static inline int emira_count_status(const uint8_t *list, int counts[EMIRA_PRICES])
{
    for (int i = 1; i <= list[0]; i++) {
        if (i > EMIRA_STATUS_CARDS || list[i] >= EMIRA_PRICES)
            return 0;
        counts[list[i]]++;
    }
    return 1;
}

/* Tells whether every status card lies in one place. */
static inline int emira_status_sound(const emira_view *view, const emira_past *past)
{
    const emira_table *t = &view->table;
    uint8_t left[EMIRA_PRICES];
    int open[EMIRA_PRICES] = {0};
    memcpy(left, past->status_deck, sizeof left);
    if (!emira_count_status(t->removed, open) || !emira_count_status(t->shown_status, open))
        return 0;
    for (int card = 0; card < EMIRA_PRICES; card++) {
        for (int seat = 0; seat < t->seats; seat++)
            open[card] += t->status[seat][card];
        if (open[card] + left[card] != emira_status_copies(card, t->seats))
            return 0;
    }
    return emira_deck_sound(view->status, past->status, left, EMIRA_PRICES);
}

/* Tells whether every event card lies in one place: before the first choice each seat holds three. */
static inline int emira_events_sound(const emira_view *view, const emira_past *past)
{
    const emira_table *t = &view->table;
    uint8_t left[EMIRA_EVENTS];
    int own = 0, setup = t->phase == EMIRA_IN_SETUP;
    for (int card = 0; card < EMIRA_EVENTS; card++) {
        if (view->hand[card] + past->played[card] > past->stock[card] || (!setup && view->hand[card] != past->own[card]))
            return 0;
        left[card] = (uint8_t)(past->stock[card] - past->played[card] - view->hand[card]);
        own += view->hand[card];
    }
    for (int seat = 0; seat < t->seats; seat++)
        if (view->hands[seat] != (setup ? 3 : past->hands[seat]))
            return 0;
    if (past->dealt == setup || own != view->hands[view->seat])
        return 0;
    return emira_deck_sound(view->events, past->events - (setup ? 2 * t->seats : 0), left, EMIRA_EVENTS);
}

/* Tells whether items, counters and counters "+1" are as many as there are, and what can be bought is there. */
static inline int emira_pieces_sound(const emira_rules *rules, const emira_table *t, const emira_past *past)
{
    int bonus = t->bonus_left, looking = 0;
    if (t->shown_counters[0] > 2 || t->shown_counters[1] > EMIRA_DRESS || t->shown_counters[2] > EMIRA_DRESS)
        return 0;
    if ((t->bonus_left != EMIRA_NOBODY) != rules->bonus_capped || t->open & ~emira_held(t->supply, EMIRA_ITEMS))
        return 0;
    for (int item = 0; item < EMIRA_ITEMS; item++) {
        int count = t->supply[item];
        for (int seat = 0; seat < t->seats; seat++) {
            for (int i = 0; i < 2 * EMIRA_LEFT && item <= EMIRA_LARGE; i++) {
                int caravans = t->caravans[seat][2 * item + i / EMIRA_LEFT][i % EMIRA_LEFT];
                if (caravans > 0 && i % EMIRA_LEFT >= emira_length(2 * item + i / EMIRA_LEFT))
                    return 0;
                count += caravans;
            }
            count += item == EMIRA_CAMELS ? t->camels[seat] : item == EMIRA_SECTIONS ? t->sections[seat] : 0;
        }
        if (count != emira_stock(item, t->seats))
            return 0;
    }
    for (int kind = 0; kind < EMIRA_COUNTERS; kind++) {
        int count = t->bag[kind];
        for (int seat = 0; seat < t->seats; seat++)
            count += t->counters[seat][kind];
        for (int i = 1; i <= t->shown_counters[0]; i++)
            count += t->shown_counters[i] == kind;
        if (count != emira_stock_of_counters(kind, t->seats))
            return 0;
    }
    for (int seat = 0; seat < t->seats; seat++) {
        if (t->looking[seat][0] > EMIRA_COPIES)
            return 0;
        bonus += t->bonus[seat];
        looking += t->looking[seat][0];
        for (int i = 1; i <= t->looking[seat][0]; i++) {
            if (t->looking[seat][i] > EMIRA_COPIES)
                return 0;
            bonus += rules->bonus_capped ? t->looking[seat][i] : 0;
        }
    }
    return looking <= past->played[EMIRA_CARD_GOOD_LOOKING]
        && bonus == (rules->bonus_capped ? (int)EMIRA_BONUS_COUNTERS : (int)EMIRA_NOBODY);
}

/* Tells whether what a sheik has is in its bounds. */
static inline int emira_sheiks_sound(const emira_rules *rules, const emira_view *view)
{
    const emira_table *t = &view->table;
    unsigned colours = 0;
    for (int seat = 0; seat < t->seats; seat++) {
        int32_t gold = t->gold[seat];
        if (t->colours[seat] > EMIRA_BLACK || colours >> t->colours[seat] & 1)
            return 0;
        colours |= 1u << t->colours[seat];
        if (gold > EMIRA_GOLD_MOST || gold < -1 || (gold == -1 && emira_sees_gold(rules, t, view->seat, seat)))
            return 0;
        if (t->shown_gold[seat] < 0 || t->shown_gold[seat] > EMIRA_GOLD_MOST || t->shown_round[seat] > t->round)
            return 0;
        if (t->breed[seat] > 3 || t->guests[seat] > EMIRA_COPIES || t->disc[seat] > 100 || t->disc[seat] < -100)
            return 0;
        if (t->arrivals[seat] > (emira_has(t, seat, EMIRA_SULEIKA) ? (int)EMIRA_EMIRAS : 0) || t->lost[seat] > t->round + 1)
            return 0;
        if (t->met[seat] >> EMIRA_EMIRAS)
            return 0;
    }
    return 1;
}

/* Tells whether round, effects and auction are in their bounds. */
static inline int emira_round_sound(const emira_rules *rules, const emira_table *t, const emira_past *past)
{
    unsigned seats = 1u << t->seats;
    int auction = t->phase == EMIRA_IN_AUCTION;
    if (t->golden != past->now[EMIRA_CARD_GOLDEN_TIMES] || t->doubles != past->now[EMIRA_CARD_DOUBLE_TROUBLE])
        return 0;
    if (t->interrupted > 1 || t->sick > 1 || t->quiet > 1 || t->early > 1 || t->gift_first > 1 || t->blocked >> EMIRA_EVENTS)
        return 0;
    if (t->served >= seats || t->bidding >= seats || t->settled >= seats || t->paid >= seats)
        return 0;
    if (t->bid < 0 || t->bid > EMIRA_HIGHEST_BID)
        return 0;
    if ((t->bidder >= t->seats && t->bidder != EMIRA_NOBODY) || (t->free >= t->seats && t->free != EMIRA_NOBODY))
        return 0;
    if ((t->granted >= t->seats && t->granted != EMIRA_NOBODY) || t->last >= t->seats || t->opened > 1)
        return 0;
    if (!auction && (t->served | t->bidding | t->bid | t->bidder | t->free | t->last | t->opened | t->granted) != 0)
        return 0;
    if ((t->bazaar >= t->seats && t->bazaar != EMIRA_NOBODY) || (t->noble >= t->seats && t->noble != EMIRA_NOBODY))
        return 0;
    if ((t->xenia_left >= t->seats && t->xenia_left != EMIRA_NOBODY) || t->gift_round > t->round + EMIRA_GIFT_EVERY)
        return 0;
    return t->round <= rules->max_rounds && t->ending == EMIRA_GOES_ON;
}

/* Returns the mask of the phases in which a kind of decision is asked. */
static inline unsigned emira_phases_of(int kind)
{
    switch (kind) {
    case EMIRA_FIRST_EVENT: return 1u << EMIRA_IN_SETUP;
    case EMIRA_NOBLE:
    case EMIRA_BAZAAR: return 1u << EMIRA_IN_PREPARE;
    case EMIRA_BID:
    case EMIRA_ACTION:
    case EMIRA_TAKE_APPEARANCE:
    case EMIRA_TAKE_STATUS: return 1u << EMIRA_IN_AUCTION;
    case EMIRA_BUY:
    case EMIRA_KEEP: return 1u << EMIRA_IN_BUY;
    case EMIRA_GIFT: return 1u << EMIRA_IN_UPKEEP;
    case EMIRA_DROP_APPEARANCE:
    case EMIRA_DROP_STATUS:
    case EMIRA_ABDUCT: return (1u << EMIRA_AT_END) - (1u << EMIRA_IN_EVENTS) - (1u << EMIRA_IN_PREPARE);
    default: return kind > EMIRA_OVER && kind < EMIRA_DECISIONS ? 1u << EMIRA_IN_EVENTS : 0;
    }
}

/* Tells whether the open question is one, in this phase and about what is there. */
static inline int emira_question_sound(const emira_rules *rules, const emira_view *view, const emira_past *past)
{
    const emira_table *t = &view->table;
    int looks = t->kind == EMIRA_KEEP && t->asker == view->seat;
    if (!(emira_phases_of(t->kind) >> t->phase & 1) || t->asker >= t->seats || (t->phase == EMIRA_IN_SETUP) != (t->round == 0))
        return 0;
    if (looks ? t->looks < 1 || t->looks > 3 || t->looks > past->events : t->looks != 0)
        return 0;
    if (t->phase == EMIRA_IN_SETUP)
        return t->asker == 0;
    if (!emira_has_phase(rules, t, t->phase))
        return 0;
    if (t->phase == EMIRA_IN_EVENTS && t->kind != EMIRA_PLAY && past->last_player == EMIRA_NOBODY)
        return 0;
    if (t->phase == EMIRA_IN_BUY && t->kind != EMIRA_BUY && t->kind != EMIRA_KEEP && past->last_buyer == EMIRA_NOBODY)
        return 0;
    switch (t->kind) {
    case EMIRA_MIND: return t->about < (t->seats == 3 ? 5 : 1) && t->about < past->emiras;
    case EMIRA_ORDER: return t->about < 2;
    case EMIRA_SPLIT: return t->about == EMIRA_CARD_DOUBLE_TROUBLE || t->about == EMIRA_CARD_QUIET_DAYS;
    case EMIRA_VERMIN_MOVE: return t->about < EMIRA_CARAVANS;
    default: return t->about == 0;
    }
}

/* Tells whether a view is of a match that goes on, and writes what its history says. */
static inline int emira_is_sound(const emira_rules *rules, const emira_view *view, emira_past *past)
{
    const emira_table *t = &view->table;
    if (t->seats < 3 || t->seats > EMIRA_SEATS || view->seat >= t->seats || t->start >= t->seats || t->phase >= EMIRA_AT_END)
        return 0;
    if (view->goal >= emira_goals(t->seats))
        return 0;
    return emira_recall(rules, view, past) && emira_emiras_sound(view, past) && emira_status_sound(view, past)
        && emira_events_sound(view, past) && emira_pieces_sound(rules, t, past) && emira_sheiks_sound(rules, view)
        && emira_round_sound(rules, t, past) && emira_question_sound(rules, view, past);
}

#endif
