/* What a seat of Khiva sees: made of a position, or filled by a caller, whose every number is then checked. */
#ifndef KHIVA_VIEW_H
#define KHIVA_VIEW_H

#include "rules.h"

/* A view, as RULES.md lists its keys. Lists and numbers are those of khiva_state; cards of the histories those of khiva_memory.
   */
typedef struct {
    int seats, seat, turn, deal;
    khiva_kind kind; /* KHIVA_PLAY_PASS if no question is open */
    khiva_ending ending;
    int asker, card, camel; /* of the open question, else 0 */
    int supply, aside, carpet_top; /* carpet_top: the colour, -1 if nobody sees it */
    int hands[KHIVA_SEATS], gems[KHIVA_SEATS];
    uint8_t hand[KHIVA_HAND + 1], lands[KHIVA_LANDS + 1];
    uint8_t place[KHIVA_CAMELS], load[KHIVA_CAMELS]; /* by camel */
    uint8_t table[KHIVA_SEATS][3], teapots[KHIVA_SEATS][KHIVA_TEAPOTS + 1], salts[KHIVA_SEATS][KHIVA_SALTS + 1];
    uint8_t carpets[KHIVA_SEATS][KHIVA_CARPETS + 1], delivered[KHIVA_SEATS][KHIVA_CARPETS + 1];
    uint8_t discard[KHIVA_CARDS + 1], shown[KHIVA_SHOWN + 1];
    uint8_t teapots_left[KHIVA_TEAPOTS + 1], carpets_left[KHIVA_CARPETS + 1]; /* rising */
    uint8_t salts_left[KHIVA_SALTS + 1];                                      /* top first */
    uint16_t away[KHIVA_CARDS]; /* by card: the turn in which the seat passed it, if it has not seen it since, else 0 */
    int turns;                  /* turns that were revealed */
    uint8_t played[KHIVA_TURNS_MOST * KHIVA_SEATS], passed[KHIVA_TURNS_MOST * 2], received[KHIVA_TURNS_MOST * 2];
} khiva_view;

/* Returns how many seats the match of a view has. */
static inline int khiva_seats_of(const khiva_view *view)
{
    return view->seats;
}

/* Copies a list in rising order. */
static inline void khiva_copy_sorted(uint8_t *list, const uint8_t *from)
{
    list[0] = 0;
    for (int i = 1; i <= from[0]; i++) {
        int at = ++list[0];
        for (; at > 1 && list[at - 1] > from[i]; at--)
            list[at] = list[at - 1];
        list[at] = from[i];
    }
}

/* Copies what one giver passed. */
static inline void khiva_copy_passes(uint8_t *passed, const khiva_memory *memory, int seats, int giver)
{
    int each = khiva_each(seats);
    for (int turn = 0; turn < memory->turns; turn++)
        memcpy(passed + turn * each, memory->passed + (turn * seats + giver) * each, (size_t)each);
}

/* Writes the view that a seat has of a match that goes on. */
static inline void khiva_see(const khiva_rules *rules, const khiva_state *s, const khiva_memory *memory, int seat,
                             khiva_view *view)
{
    memset(view, 0, sizeof *view);
    view->seats = s->seats, view->seat = seat, view->turn = s->turn, view->deal = s->deal;
    view->kind = (khiva_kind)s->kind, view->ending = (khiva_ending)s->ending;
    view->supply = s->supply, view->aside = s->aside[0];
    view->carpet_top = rules->top_visible && s->carpet_pile[0] > 0 ? s->carpet_pile[s->carpet_pile[0]] / 10 : -1; /* O7 */
    if (s->kind > KHIVA_PLAY_PASS) {
        view->asker = s->asker, view->card = s->card, view->camel = s->camel;
        khiva_copy(view->lands, s->lands);
    }
    khiva_copy(view->hand, s->hand[seat]);
    khiva_copy(view->discard, s->discard);
    khiva_copy(view->shown, s->shown);
    memcpy(view->place, s->place, sizeof view->place);
    memcpy(view->load, s->load, sizeof view->load);
    for (int other = 0; other < s->seats; other++) {
        view->hands[other] = s->hand[other][0];
        view->gems[other] = s->gems[other];
        khiva_copy(view->teapots[other], s->teapots[other]);
        khiva_copy(view->salts[other], s->salts[other]);
        khiva_copy(view->carpets[other], s->carpets[other]);
        khiva_copy(view->delivered[other], s->delivered[other]);
    }
    for (int camel = 0; camel < KHIVA_CAMELS; camel++)
        for (int i = 1; i <= s->bids[camel][0]; i++)
            khiva_push(view->table[s->bidder[s->bids[camel][i]]], s->bids[camel][i]);
    khiva_copy_sorted(view->teapots_left, s->teapot_pile);
    khiva_copy_sorted(view->carpets_left, s->carpet_pile);
    for (int i = s->salt_pile[0]; i > 0; i--)
        khiva_push(view->salts_left, s->salt_pile[i]);
    memcpy(view->away, memory->away[seat], sizeof view->away);
    view->turns = memory->turns;
    memcpy(view->played, memory->played, (size_t)(memory->turns * s->seats * khiva_each(s->seats)));
    khiva_copy_passes(view->passed, memory, s->seats, seat);
    khiva_copy_passes(view->received, memory, s->seats, (seat + s->seats - 1) % s->seats);
}

/* --- whether a view is one --- */

/* Tells whether a view lacks what its seat remembers, as that of another seat in a world does. */
static inline int khiva_has_forgotten(const khiva_view *view)
{
    size_t count = (size_t)khiva_each(view->seats) * (size_t)(view->turns < 0 ? 0 : view->turns);
    return count <= sizeof view->passed && (memchr(view->passed, 0, count) || memchr(view->received, 0, count));
}

/* Adds the cards of a list to a mask. Returns 0 if there are more than `most`, or one is no card or there already. */
static inline int khiva_add_cards(uint32_t *mask, const uint8_t *cards, int most)
{
    if (cards[0] > most)
        return 0;
    for (int i = 1; i <= cards[0]; i++) {
        if (cards[i] >= KHIVA_CARDS || *mask >> cards[i] & 1)
            return 0;
        *mask |= (uint32_t)1 << cards[i];
    }
    return 1;
}

/* Counts the pieces of a list by number. Returns 0 if there are more than `most`, or one has a number of `numbers` or above. */
static inline int khiva_add_pieces(uint16_t *counts, int numbers, const uint8_t *pieces, int most)
{
    if (pieces[0] > most)
        return 0;
    for (int i = 1; i <= pieces[0]; i++) {
        if (pieces[i] >= numbers)
            return 0;
        counts[pieces[i]]++;
    }
    return 1;
}

static inline int khiva_is_place(int place, int seats, int most)
{
    return place == KHIVA_TENT || (place > 0 && place < 6 * seats && place % 6 > 0 && place % 6 <= most);
}

static inline int khiva_is_code(int code)
{
    return code / 10 < KHIVA_CAMELS && code % 10 > 0 && code % 10 <= 5;
}

static inline int khiva_are_codes(const uint8_t *codes, int count)
{
    for (int i = 0; i < count; i++)
        if (!khiva_is_code(codes[i]))
            return 0;
    return 1;
}

/* Tells whether all teapots, carpets, salt bags and gems are there once, in order where the view has one. */
static inline int khiva_are_pieces(const khiva_rules *rules, const khiva_view *view)
{
    uint16_t teapots[11] = {0}, carpets[50] = {0}, salts[11] = {0};
    uint8_t loads[KHIVA_CAMELS + 1] = {0};
    int gems = view->supply;
    if (gems < KHIVA_UNLIMITED || gems > KHIVA_GEMS_MOST)
        return 0;
    for (int camel = 0; camel < KHIVA_CAMELS; camel++)
        if (view->load[camel])
            khiva_push(loads, view->load[camel]);
        else if (view->kind == KHIVA_PLAY_PASS || camel >= view->camel)
            return 0; /* a camel is bare only after its delivery in the last turn (K16, K17) */
    if (!khiva_add_pieces(teapots, 11, loads, KHIVA_CAMELS) || !khiva_add_pieces(teapots, 11, view->teapots_left, KHIVA_TEAPOTS))
        return 0;
    if (!khiva_add_pieces(carpets, 50, view->carpets_left, KHIVA_CARPETS))
        return 0;
    if (!khiva_add_pieces(salts, 11, view->salts_left, KHIVA_SALTS))
        return 0;
    for (int seat = 0; seat < view->seats; seat++) {
        if (!khiva_add_pieces(teapots, 11, view->teapots[seat], KHIVA_TEAPOTS))
            return 0;
        if (!khiva_add_pieces(carpets, 50, view->carpets[seat], KHIVA_CARPETS))
            return 0;
        if (!khiva_add_pieces(carpets, 50, view->delivered[seat], KHIVA_CARPETS))
            return 0;
        if (!khiva_add_pieces(salts, 11, view->salts[seat], KHIVA_SALTS))
            return 0;
        if (view->gems[seat] < 0 || view->gems[seat] > KHIVA_GEMS_MOST)
            return 0;
        gems += view->gems[seat];
    }
    for (int value = 0; value <= 10; value++) /* O2 */
        if (teapots[value] != (value < 2 || value > 7 ? 0 : rules->teapots[value - 2]) || salts[value] != (value >= 6))
            return 0;
    for (int i = 1; i <= rules->carpets[0]; i++) /* O8 */
        for (int colour = 0; colour < KHIVA_CAMELS; colour++)
            carpets[10 * colour + rules->carpets[i]]--;
    for (int i = 0; i < 50; i++)
        if (carpets[i])
            return 0;
    for (int i = 2; i <= view->carpets_left[0]; i++)
        if (view->carpets_left[i] < view->carpets_left[i - 1])
            return 0;
    for (int i = 2; i <= view->teapots_left[0]; i++)
        if (view->teapots_left[i] < view->teapots_left[i - 1])
            return 0;
    if (view->carpet_top < -1 || view->carpet_top >= KHIVA_CAMELS)
        return 0;
    if ((view->carpet_top >= 0) != (rules->top_visible && view->carpets_left[0] > 0)) /* O7 */
        return 0;
    if (rules->supply == KHIVA_UNLIMITED) /* O5 */
        return view->supply == KHIVA_UNLIMITED;
    return view->supply >= 0 && gems == rules->supply;
}

/* Tells whether camels stand apart and the open question is one. */
static inline int khiva_is_open(const khiva_rules *rules, const khiva_view *view)
{
    int is_bid = 0, wares = 1;
    uint32_t taken = 0;
    for (int camel = 0; camel < KHIVA_CAMELS; camel++) {
        if (!khiva_is_place(view->place[camel], view->seats, 4) || (view->place[camel] && taken >> view->place[camel] & 1))
            return 0;
        taken |= (uint32_t)1 << view->place[camel];
    }
    if (view->kind == KHIVA_PLAY_PASS)
        return 1;
    if (view->kind < KHIVA_MOVE || view->kind > KHIVA_SHOP4 || view->asker < 0 || view->asker >= view->seats || view->turns < 1)
        return 0;
    if (view->camel < 0 || view->camel >= KHIVA_CAMELS || view->lands[0] < 1 || view->lands[0] > KHIVA_LANDS)
        return 0;
    if (view->kind == KHIVA_MOVE && !rules->may_decline)
        return 0;
    wares += view->salts_left[0] > 0 && view->gems[view->asker] >= KHIVA_SALT_PRICE;
    wares += rules->may_decline && view->carpets_left[0] > 0;
    if (view->kind == KHIVA_SHOP4 && wares < 2)
        return 0;
    if (view->kind == KHIVA_BOOST && view->lands[0] < 2)
        return 0;
    if (view->kind != KHIVA_SHOP4 && view->gems[view->asker] < view->lands[0] - 1)
        return 0;
    for (int i = 1; i <= view->lands[0]; i++)
        if (!khiva_is_place(view->lands[i], view->seats, view->kind == KHIVA_SHOP4 ? 4 : KHIVA_OUTPOST))
            return 0;
    for (int seat = 0; seat < view->seats; seat++)
        for (int i = 1, last = -1; i <= view->table[seat][0]; i++) {
            int card = view->table[seat][i], rank = KHIVA_CARDS * khiva_colour(card) + card;
            if (rank <= last || khiva_colour(card) < view->camel)
                return 0; /* they lie in the order of the camels; those of earlier ones were discarded (K2, K14) */
            last = rank;
            is_bid |= seat == view->asker && card == view->card && khiva_colour(card) == view->camel;
        }
    return is_bid;
}

/* Tells whether a view is of a match that goes on: every number in its bounds, every piece in one place. What makes worlds relies
   on it. */
static inline int khiva_is_sound(const khiva_rules *rules, const khiva_view *view)
{
    int seats = view->seats, each, first, table = 0;
    uint32_t cards = 0;
    if (seats < 2 || seats > KHIVA_SEATS || view->seat < 0 || view->seat >= seats)
        return 0;
    if (view->turn < 1 || view->turn > rules->max_turns)
        return 0;
    each = khiva_each(seats);
    first = ((view->turn - 1) / khiva_turns_per_deal(seats)) * khiva_turns_per_deal(seats);
    if (view->deal != first / khiva_turns_per_deal(seats) + 1 || view->turns != view->turn - (view->kind == KHIVA_PLAY_PASS))
        return 0;
    if (view->ending != KHIVA_GOES_ON && view->kind == KHIVA_PLAY_PASS)
        return 0;
    if (view->ending < KHIVA_GOES_ON || view->ending > KHIVA_BY_SALTS || view->aside < 0 || view->aside > KHIVA_CARDS)
        return 0;
    for (int seat = 0; seat < seats; seat++) {
        if (view->hands[seat] != khiva_first_hand(seats) - (view->turns - first) * each)
            return 0;
        if (!khiva_add_cards(&cards, view->table[seat], each))
            return 0;
        table += view->table[seat][0];
    }
    if (!khiva_add_cards(&cards, view->discard, KHIVA_CARDS) || !khiva_add_cards(&cards, view->shown, KHIVA_SHOWN))
        return 0;
    if (!khiva_add_cards(&cards, view->hand, KHIVA_HAND) || view->hand[0] != view->hands[view->seat])
        return 0;
    if ((table > 0) != (view->kind != KHIVA_PLAY_PASS) || view->shown[0] != (seats == 2 ? KHIVA_SHOWN : 0))
        return 0;
    for (int i = 2; i <= view->hand[0]; i++)
        if (view->hand[i] < view->hand[i - 1])
            return 0;
    for (int card = 0; card < KHIVA_CARDS; card++)
        if (view->away[card] > view->turns)
            return 0;
    if (!khiva_are_codes(view->played, view->turns * each * seats) || !khiva_are_codes(view->passed, view->turns * each))
        return 0;
    if (!khiva_are_codes(view->received, view->turns * each))
        return 0;
    return khiva_is_open(rules, view) && khiva_are_pieces(rules, view);
}

#endif
