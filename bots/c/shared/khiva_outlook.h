/* How likely a seat finishes ahead of the others, judged from a position at the end of a turn in which all cards lie open.

   Each seat has an outlook: a small network's opinion of numbers that describe what the seat has made, what waits for it on the
   camels, and what its cards promise. One seat finishes ahead of another with the chance 1 / (1 + e to the power of minus the
   difference of their outlooks). khiva_weights.h has the network's weights, and says how they were made.

   The numbers of a seat are in three parts: what all can see, reckoned once a position; what its cards promise; and what the next
   turn may bring, if everybody is the likelier to play a card the more it promises. Cards that are passed on change the last two
   alone. C99. */
#ifndef KHIVA_OUTLOOK_H
#define KHIVA_OUTLOOK_H

#include "khiva_weights.h"
#include "search.h"

#define FAR 6 /* so many free places from its outpost, or more, a camel is far away from a seat */

typedef uint8_t hands[SEATS][KHIVA_HAND + 1];

/* A position and what was reckoned of it; `hidden` is the first layer of the network, as far as all can see. */
typedef struct {
    const khiva_rules *rules;
    khiva_state state;
    double (*shares)[PLACES];
    int cargo[SEATS][CAMELS];
    double promised[SEATS][KHIVA_CARDS]; /* UNKNOWN until asked for */
    double playing[SEATS][KHIVA_CARDS];  /* how likely a seat plays each card of its hand in the next turn */
    float hidden[SEATS][WIDE];
} outlook_table;

/* Adds numbers that describe a seat, each times the weights of its row, to the first layer. */
static inline void add_rows(const network *net, float *restrict hidden, const double *numbers, int from, int to)
{
    for (int row = from; row < to; row++) {
        float number = (float)numbers[row];
        for (int i = 0; number != 0.0f && i < WIDE; i++)
            hidden[i] += number * net->first[row][i];
    }
}

/* Tells about how many turns a match has left, from how many pieces leave their piles in a turn. */
static inline double turns_left(const khiva_state *s)
{
    double teapots = s->teapot_pile[0] / (s->seats == 2 ? 1.55 : 1.05);
    double carpets = s->carpet_pile[0] / (s->seats == 2 ? 0.95 : 0.8);
    return teapots < carpets ? teapots : carpets;
}

/* Counts the free places from a place to the seat's outpost, from 1 to FAR; the tent is never counted. */
static inline int free_places(const khiva_state *s, int seat, int place)
{
    int path = place / 6, shop = place % 6, from = path == seat && shop != 0 ? shop + 1 : 1, count = 0;
    uint32_t taken = 0;
    for (int camel = 0; camel < CAMELS; camel++)
        taken |= 1u << s->place[camel];
    for (int back = shop - 1; path != seat && back > 0; back--)
        count += !(taken >> (6 * path + back) & 1);
    for (int on = from; on <= OUTPOST; on++)
        count += !(taken >> (6 * seat + on) & 1);
    return count < 1 ? 1 : count > FAR ? FAR : count;
}

/* Writes what all can see of a seat: numbers 0 to OPEN - 1. */
static inline void describe_open(const outlook_table *table, int seat, double *numbers)
{
    const khiva_state *s = &table->state;
    double left = turns_left(s), total = 0.0, load[FAR] = {0.0}, carpets[FAR] = {0.0};
    int score = khiva_score(table->rules, s, seat), gems = s->gems[seat], best = -1;
    int salt = s->salt_pile[0] > 0 ? s->salt_pile[s->salt_pile[0]] : 0;
    for (int other = 0; other < s->seats; other++)
        if (other != seat) {
            int points = khiva_score(table->rules, s, other);
            best = points > best ? points : best;
            total += points;
        }
    for (int camel = 0; camel < CAMELS; camel++) {
        int steps = free_places(s, seat, s->place[camel]) - 1;
        load[steps] += s->load[camel];
        carpets[steps] += table->cargo[seat][camel] - s->load[camel];
    }
    const double open[OPEN] = {
        1.0, score / 20.0, (score - best) / 10.0, (score - total / (s->seats - 1)) / 10.0,
        gems / 5.0, (gems < 3 ? gems : 3) / 3.0, gems > 0,
        left / 10.0, 1.0 / (1.0 + left), left < 2.0, s->teapot_pile[0] / 22.0, s->carpet_pile[0] / 15.0,
        load[0] / 5.0, load[1] / 5.0, load[2] / 5.0, load[3] / 5.0, load[4] / 5.0, load[5] / 5.0,
        carpets[0] / 5.0, carpets[1] / 5.0, carpets[2] / 5.0, carpets[3] / 5.0, carpets[4] / 5.0, carpets[5] / 5.0,
        khiva_sum_carpets(s->carpets[seat]) / 5.0, s->carpets[seat][0] / 3.0,
        salt / 10.0, gems >= SALT_PRICE ? salt / 10.0 : 0.0, s->salt_pile[0] / 5.0,
    };
    memcpy(numbers, open, sizeof open);
}

/* Prepares a table whose state was set. */
static inline void lay_outlook(outlook_table *table, const khiva_rules *rules, double shares[SEATS][PLACES])
{
    const khiva_state *s = &table->state;
    const network *net = &NETWORKS[s->seats - 2];
    double numbers[ROWS];
    table->rules = rules, table->shares = shares;
    for (int seat = 0; seat < s->seats; seat++) {
        for (int camel = 0; camel < CAMELS; camel++)
            table->cargo[seat][camel] = s->load[camel];
        for (int i = 1; i <= s->carpets[seat][0]; i++)
            table->cargo[seat][s->carpets[seat][i] / 10] += s->carpets[seat][i] % 10;
        for (int card = 0; card < KHIVA_CARDS; card++)
            table->promised[seat][card] = UNKNOWN;
        memcpy(table->hidden[seat], net->first_bias, sizeof table->hidden[seat]);
        describe_open(table, seat, numbers);
        add_rows(net, table->hidden[seat], numbers, 0, OPEN);
    }
}

/* Returns what a card promises a seat, reckoned once. */
static inline double promise_of(outlook_table *table, int seat, int card)
{
    double *known = &table->promised[seat][card];
    if (*known == UNKNOWN)
        *known = promise(table->rules, &table->state, table->shares, seat, card, table->cargo[seat][khiva_colour(card)]);
    return *known;
}

/* Foresees how likely a seat plays each of its cards in the next turn, by what they promise. */
static inline void foresee(outlook_table *table, int seat, hands held)
{
    double weight[KHIVA_HAND + 1], total = 0.0;
    for (int i = 1; i <= held[seat][0]; i++) {
        weight[i] = appeal(promise_of(table, seat, held[seat][i]));
        total += weight[i];
    }
    for (int i = 1; i <= held[seat][0]; i++)
        table->playing[seat][held[seat][i]] = fmin(1.0, khiva_each(table->state.seats) * weight[i] / total);
}

/* Tells how likely nobody else plays a card of a colour after `card`, which are the lower ones. */
static inline double unbeaten_by(const outlook_table *table, int seat, int colour, int card, hands held)
{
    double chance = 1.0;
    for (int other = 0; other < table->state.seats; other++)
        for (int i = 1; other != seat && i <= held[other][0]; i++)
            if (held[other][i] > card && khiva_colour(held[other][i]) == colour)
                chance *= 1.0 - table->playing[other][held[other][i]];
    return chance;
}

/* Writes what the next turn may bring a seat, and take from it: numbers PROMISES to ROWS - 1. */
static inline void describe_forecast(const outlook_table *table, int seat, hands held, double *numbers)
{
    const khiva_state *s = &table->state;
    double best = 0.0, second = 0.0, all = 0.0, win = 0.0, wins = 0.0, waiting = 0.0, exposed = 0.0;
    int turns = held[seat][0] / khiva_each(s->seats);
    for (int i = 1; i <= held[seat][0]; i++) {
        int card = held[seat][i];
        double chance = unbeaten_by(table, seat, khiva_colour(card), card, held);
        double gain = chance * table->promised[seat][card] + (1.0 - chance) * REJECTED;
        all += gain;
        wins += chance;
        if (gain > best) {
            second = best;
            best = gain;
            win = chance;
        } else if (gain > second) {
            second = gain;
        }
    }
    for (int camel = 0; camel < CAMELS; camel++) {
        double near = NEAR[distance(seat, s->place[camel])] * table->cargo[seat][camel];
        waiting += near;
        exposed += near * (1.0 - unbeaten_by(table, seat, camel, -1, held));
    }
    const double forecast[ROWS - PROMISES] = {
        best / 5.0, second / 5.0, all / 10.0, win, wins / 3.0,
        turns == 1 ? best / 5.0 : 0.0, turns == 2 ? (best + second) / 5.0 : 0.0, turns >= 3 ? (best + second) / 5.0 : 0.0,
        exposed, waiting, s->gems[seat] >= SALT_PRICE && s->salt_pile[0] == 1, s->deal > 3,
    };
    memcpy(numbers + PROMISES, forecast, sizeof forecast);
}

/* Writes what the cards of a seat promise, if all seats hold these: numbers OPEN to PROMISES - 1. */
static inline void describe_hand(outlook_table *table, int seat, hands held, double *numbers)
{
    double all = 0.0, unbeaten = 0.0, once = 0.0, best = 0.0, second = 0.0, best_unbeaten = 0.0;
    int seats = table->state.seats, count = 0, turns = held[seat][0] / khiva_each(seats);
    uint32_t others = 0;
    for (int other = 0; other < seats; other++)
        for (int i = 1; other != seat && i <= held[other][0]; i++)
            others |= 1u << held[other][i];
    for (int i = 1; i <= held[seat][0]; i++) {
        int card = held[seat][i], beaten = 0;
        double worth = promise_of(table, seat, card);
        for (int lower = card + 5; lower < KHIVA_CARDS; lower += 5)
            beaten += others >> lower & 1;
        all += worth;
        once += beaten == 1 ? worth : 0.0;
        if (beaten == 0) {
            unbeaten += worth;
            best_unbeaten = worth > best_unbeaten ? worth : best_unbeaten;
            count++;
        }
        if (worth > best) {
            second = best;
            best = worth;
        } else if (worth > second) {
            second = worth;
        }
    }
    const double promises[PROMISES - OPEN] = {
        all / 10.0, unbeaten / 5.0, once / 5.0, best / 5.0, second / 5.0, best_unbeaten / 5.0, count / 3.0,
        turns == 1, turns == 2, turns == 3, turns == 4,
        turns == 1 ? all / 5.0 : 0.0, turns == 1 ? unbeaten / 5.0 : 0.0, turns == 2 ? unbeaten / 5.0 : 0.0,
        turns >= 3 ? unbeaten / 5.0 : 0.0,
    };
    memcpy(numbers + OPEN, promises, sizeof promises);
}

/* Returns the outlook of a seat, if all seats hold these cards and what they play was foreseen. */
static inline double outlook_of(outlook_table *table, int seat, hands held)
{
    const network *net = &NETWORKS[table->state.seats - 2];
    double numbers[ROWS];
    float hidden[WIDE], next[NARROW], result = 0.0f;
    memcpy(hidden, table->hidden[seat], sizeof hidden);
    describe_hand(table, seat, held, numbers);
    describe_forecast(table, seat, held, numbers);
    add_rows(net, hidden, numbers, OPEN, ROWS);
    memcpy(next, net->second_bias, sizeof next);
    for (int i = 0; i < WIDE; i++)
        for (int j = 0; hidden[i] > 0.0f && j < NARROW; j++)
            next[j] += hidden[i] * net->second[i][j];
    for (int j = 0; j < NARROW; j++)
        result += next[j] > 0.0f ? next[j] * net->third[j] : 0.0f;
    return result;
}

/* Tells how likely a seat finishes ahead of another one, on average over the others, from the outlooks of all. */
static inline double chance_ahead(int seats, int seat, const double outlooks[SEATS])
{
    double total = 0.0;
    for (int other = 0; other < seats; other++)
        if (other != seat)
            total += logistic(outlooks[seat] - outlooks[other]);
    return total / (seats - 1);
}

/* Returns the share of the others that a seat finished ahead of, in a match that is over. */
static inline double share_ahead(const khiva_rules *rules, const khiva_state *s, int seat)
{
    int ranks[SEATS];
    double total = 0.0;
    khiva_ranks(rules, s, ranks);
    for (int other = 0; other < s->seats; other++)
        if (other != seat)
            total += ranks[seat] < ranks[other] ? 1.0 : ranks[seat] == ranks[other] ? 0.5 : 0.0;
    return total / (s->seats - 1);
}

#endif
