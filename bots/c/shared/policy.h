/* How the greedy bot chooses, for bots that search: bots/python/shared/policy.py over a khiva_view, to the last bit. The greedy
   bot itself reads its view without the rules. C99 and C++17. */
#ifndef POLICY_H
#define POLICY_H

#include <math.h>

#include "evaluate.h"
#include "khiva.h"

#define TEMPER 2.0 /* points of difference at which another seat is e times as likely to play the better of two cards */
#define KEEP 0.3   /* what is kept for later turns */
#define GIVE 0.3   /* what the left neighbour may do with what is passed to it */
#define REJECTED GEM
#define ENTRIES 420 /* choices of a turn at most */

/* Lays out the board by which moves are valued; `salt` is the top bag, 0 if there is none. */
static inline board lay_board(const khiva_rules *rules, int seats, const uint8_t *place, const uint8_t *load, const int32_t *gems,
                              const uint8_t (*carpets)[KHIVA_CARPETS + 1], int salt)
{
    board b;
    b.seats = seats, b.salt = salt;
    b.own_tent = rules->own_tent, b.no_move = rules->overshoot == KHIVA_NO_MOVE;
    for (int camel = 0; camel < CAMELS; camel++) {
        b.camels[camel] = place[camel];
        for (int value = 0; value < 5; value++)
            b.slots[camel][value] = rules->slots[camel][value];
    }
    for (int seat = 0; seat < seats; seat++) {
        b.gems[seat] = gems[seat];
        for (int camel = 0; camel < CAMELS; camel++) {
            b.cargo[seat][camel] = load[camel];
            b.now[seat][camel] = UNKNOWN;
        }
        for (int i = 1; i <= carpets[seat][0]; i++)
            b.cargo[seat][carpets[seat][i] / 10] += carpets[seat][i] % 10;
        for (int code = 0; code < CODES; code++)
            b.worth[seat][code] = UNKNOWN;
    }
    return b;
}

/* Returns e to the power of points / TEMPER, near enough, and the same on every machine. */
static inline double appeal(double points)
{
    double x = 1.0 + points / TEMPER / 1024.0;
    for (int i = 0; i < 10; i++)
        x *= x;
    return x;
}

static inline int ones(unsigned mask)
{
    int count = 0;
    for (; mask; mask &= mask - 1)
        count++;
    return count;
}

/* Returns the mask of the seats that may hold a card which the seat passed and has not seen since, 0 for another card. */
static inline unsigned holders_of(const khiva_view *view, int card)
{
    uint8_t seats[KHIVA_SEATS];
    unsigned mask = 0;
    int count = view->away[card] ? khiva_holders(view->seats, view->turns, view->seat, view->away[card], seats) : 0;
    while (count > 0)
        mask |= 1u << seats[--count];
    return mask;
}

/* Tells how likely another seat plays each card that is not seen, by card; 0 for all others. */
static inline void rivals(const khiva_view *view, board *b, double risk[KHIVA_CARDS])
{
    uint32_t seen = 0;
    int hidden[KHIVA_CARDS], count = 0, loose, plays = b->seats == 2 ? 2 : 1;
    khiva_add_cards(&seen, view->hand, KHIVA_CARDS);
    khiva_add_cards(&seen, view->discard, KHIVA_CARDS);
    khiva_add_cards(&seen, view->shown, KHIVA_CARDS);
    for (int i = 0; i < KHIVA_CARDS; i++) /* by colour, in it by value, as sums are added up */
        if (!(seen >> khiva_card(i / 5, i % 5 + 1) & 1))
            hidden[count++] = khiva_card(i / 5, i % 5 + 1);
    loose = count;
    for (int card = 0; card < KHIVA_CARDS; card++) {
        loose -= view->away[card] != 0;
        risk[card] = 0.0;
    }
    for (int seat = 0; seat < b->seats; seat++) {
        double weights[KHIVA_CARDS], usual = 0.0;
        int size = view->hands[seat];
        if (seat == view->seat)
            continue;
        for (int i = 0; i < count; i++)
            weights[i] = appeal(card_worth(b, seat, khiva_code(hidden[i])));
        for (int i = 0; i < count; i++)
            usual += weights[i] / count;
        for (int i = 0; i < count; i++) {
            unsigned holders = holders_of(view, hidden[i]);
            double *of_it = &risk[hidden[i]], holds = fmin(1.0, (double)size / (loose > 1 ? loose : 1));
            double picks = plays * weights[i] / (weights[i] + (size - 1) * usual);
            if (holders)
                holds = holders >> seat & 1 ? 1.0 / ones(holders) : 0.0;
            *of_it = 1.0 - (1.0 - *of_it) * (1.0 - holds * fmin(1.0, picks));
        }
    }
}

/* Writes what each choice of a turn promises, in millionths of a point, and returns how many choices there are. */
static inline int totals(const khiva_view *view, board *b, double promised[ENTRIES])
{
    const uint8_t *hand = view->hand;
    int seats = b->seats, half = khiva_each(seats), count = hand[0] * (hand[0] - 1), me = view->seat;
    double risk[KHIVA_CARDS], worth[KHIVA_CARDS], given[KHIVA_CARDS], all_kept = 0.0;
    rivals(view, b, risk);
    for (int i = 1; i <= hand[0]; i++) {
        int card = hand[i];
        double win = 1.0;
        for (int value = 1; value < khiva_value(card); value++)
            win *= 1.0 - risk[khiva_card(khiva_colour(card), value)];
        worth[card] = win * card_worth(b, me, khiva_code(card)) + (1.0 - win) * REJECTED;
        given[card] = card_worth(b, (me + 1) % seats, khiva_code(card));
        all_kept += KEEP * worth[card];
    }
    if (seats == 2)
        count = khiva_pairs(hand[0]) * khiva_pairs(hand[0] - 2);
    for (int entry = 0; entry < count; entry++) {
        int position[4], card[4];
        double points = all_kept;
        khiva_positions(seats, hand[0], entry, position);
        for (int i = 0; i < 2 * half; i++)
            card[i] = hand[1 + position[i]];
        for (int i = 0; i < half; i++) {
            /* Two cards of a seat on one camel: the higher one is rejected, whatever the others do. */
            int beaten = 0;
            for (int j = 0; j < half; j++)
                beaten |= khiva_colour(card[i]) == khiva_colour(card[j]) && card[i] < card[j];
            points += (beaten ? REJECTED : worth[card[i]]) - KEEP * worth[card[i]];
        }
        for (int i = half; i < 2 * half; i++)
            points -= KEEP * worth[card[i]] + GIVE * given[card[i]];
        promised[entry] = floor(points * 1e6 + 0.5); /* in millionths, so that the last bit of a sum never decides */
    }
    return count;
}

/* Answers the question that is open in the middle of a turn. */
static inline int answer(const khiva_rules *rules, const khiva_state *s)
{
    int seat = s->asker, chosen = 0, salt = s->salt_pile[0] > 0 ? s->salt_pile[s->salt_pile[0]] : 0;
    if (s->kind == KHIVA_BOOST) {
        board b = lay_board(rules, s->seats, s->place, s->load, s->gems, s->carpets, salt);
        double best = 0.0;
        for (int gems = 0; gems < s->lands[0]; gems++) {
            double here = landing(&b, seat, s->camel, s->lands[1 + gems], gems);
            if (gems == 0 || here > best) {
                best = here;
                chosen = gems;
            }
        }
    }
    if (s->kind == KHIVA_SHOP4) { /* salt when it can be had; else what is usual */
        khiva_ware wares[3];
        for (int i = khiva_wares(rules, s, seat, wares) - 1; i > 0; i--)
            if (wares[i] == KHIVA_SALT)
                chosen = i;
    }
    return chosen;
}

#endif
