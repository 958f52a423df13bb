/* A small Monte-Carlo search: bots/python/shared/search.py in C, to the last bit. For that, sums are added up in the same order,
   and the build line forbids products to be fused into them (-ffp-contract=off). C99 and C++17.

   It imagines worlds: positions that its view allows, with the hidden cards dealt again. In each world the others choose as the
   greedy bot would, near enough, or now and then anything, and each of our promising choices is played to the end of the turn
   and judged. */
#ifndef SEARCH_H
#define SEARCH_H

#include "policy.h"
#include "searching.h"

#define ODD 8 /* one choice in so many of the others' is draw by lot: nobody is as predictable as our model of them */
#define WORLDS 6
#define PROMISING 4
#define PLACES (6 * SEATS)

/* What things are worth beyond the points they have made; search.py says where the numbers come from. */
static const double AT_END[10] = {0.0, 0.18, 0.18, 0.14, 0.12, 0.02, 0.0, 0.0, 0.0, 0.0};
static const double SHOPS[6] = {0.0, GEM, CARPET, 2 * GEM, 0.0, 0.0};
#define GEMS 0.3
#define CARPETS 0.3
#define HAND 0.3
#define VICTORY 10.0
#define LEADER 0.5 /* the best of the others counts this much more than their average alone */

/* What each seat gains by a card, by seat and card: to play it, to play it beside a lower one of its camel; `give` is the loss by
   passing it. */
typedef struct {
    double play[SEATS][KHIVA_CARDS], beaten[SEATS][KHIVA_CARDS], give[SEATS][KHIVA_CARDS];
} others;

/* Tells how likely a seat with so many cards leaves each one to the others, by what they are worth to it. */
static inline void spare(const double *worth, const int *hidden, int count, int size, int plays, double spares[KHIVA_CARDS])
{
    double weights[KHIVA_CARDS], usual = 0.0, holds = fmin(1.0, (double)size / count);
    for (int i = 0; i < count; i++)
        weights[i] = appeal(worth[hidden[i]]);
    for (int i = 0; i < count; i++)
        usual += weights[i] / count;
    for (int i = 0; i < KHIVA_CARDS; i++)
        spares[i] = 1.0;
    for (int i = 0; i < count; i++)
        spares[hidden[i]] = 1.0 - holds * fmin(1.0, plays * weights[i] / (weights[i] + (size - 1) * usual));
}

/* Reckons what cards promise the others, once for all worlds: from the table as it lies and the cards that nobody has seen. */
static inline void expect(others *model, const khiva_view *view, board *b)
{
    double worth[SEATS][KHIVA_CARDS], spares[SEATS][KHIVA_CARDS];
    int hidden[KHIVA_CARDS], count = 0, seats = b->seats;
    uint32_t seen = 0;
    khiva_add_cards(&seen, view->discard, KHIVA_CARDS);
    khiva_add_cards(&seen, view->shown, KHIVA_CARDS);
    memset(model, 0, sizeof *model);
    for (int card = 0; card < KHIVA_CARDS; card++)
        if (!(seen >> card & 1))
            hidden[count++] = card;
    for (int seat = 0; seat < seats; seat++) {
        for (int i = 0; i < count; i++)
            worth[seat][hidden[i]] = card_worth(b, seat, khiva_code(hidden[i]));
        spare(worth[seat], hidden, count, view->hands[seat], seats == 2 ? 2 : 1, spares[seat]);
    }
    for (int seat = 0; seat < seats; seat++)
        for (int i = 0; i < count; i++) {
            int card = hidden[i];
            double win = 1.0, promised;
            for (int value = 1; value < khiva_value(card); value++)
                for (int other = 0; other < seats; other++)
                    if (other != seat)
                        win *= spares[other][khiva_card(khiva_colour(card), value)];
            promised = win * worth[seat][card] + (1.0 - win) * REJECTED;
            model->play[seat][card] = (1.0 - KEEP) * promised;
            model->beaten[seat][card] = REJECTED - KEEP * promised;
            model->give[seat][card] = KEEP * promised + GIVE * worth[(seat + 1) % seats][card];
        }
}

/* Writes what each choice of a turn is worth to a seat with its hand in a world, and returns how many choices there are. */
static inline int choice_worths(const others *model, const khiva_rules *rules, const khiva_state *s, int seat,
                                double worth[ENTRIES])
{
    const uint8_t *hand = s->hand[seat] + 1;
    const double *play = model->play[seat], *give = model->give[seat];
    int choices = khiva_choices(rules, s, seat);
    for (int choice = 0; choice < choices; choice++) {
        int at[4];
        khiva_positions(s->seats, s->hand[seat][0], choice, at);
        if (s->seats > 2) {
            worth[choice] = play[hand[at[0]]] - give[hand[at[1]]];
        } else {
            /* Of two cards on one camel the first is rejected: a hand has its high cards first. */
            int a = hand[at[0]], b = hand[at[1]], is_beaten = khiva_colour(a) == khiva_colour(b);
            worth[choice] = play[b] + (is_beaten ? model->beaten[seat][a] : play[a]);
            worth[choice] = worth[choice] - give[hand[at[2]]] - give[hand[at[3]]];
        }
    }
    return choices;
}

/* Chooses for another seat in a world. */
static inline int guess(const others *model, const khiva_rules *rules, const khiva_state *s, int seat, arena_stream *stream)
{
    double worth[ENTRIES];
    int choices, chosen = 0;
    if (arena_below(stream, ODD) == 0)
        return (int)arena_below(stream, (uint64_t)khiva_choices(rules, s, seat));
    choices = choice_worths(model, rules, s, seat, worth);
    for (int choice = 1; choice < choices; choice++)
        chosen = worth[choice] > worth[chosen] ? choice : chosen;
    return chosen;
}

/* Returns what a point of what a camel brings `owner` promises `seat` while the camel stands there, by the greedy reckoning. */
static inline double share(int seats, int seat, int owner, int place)
{
    double near = NEAR[distance(owner, place)];
    return owner == seat ? near : -near / (seats - 1);
}

/* Writes what a point that a camel brings everybody alike promises each seat, by seat and place. */
static inline void share_loads(int seats, double shares[SEATS][PLACES])
{
    for (int seat = 0; seat < seats; seat++)
        for (int place = 0; place < PLACES; place++) {
            double sum = 0.0, lost = 0.0; /* what additions lose is kept: the Python bot rounds the whole sum once */
            for (int owner = 0; owner < seats; owner++) {
                double part = share(seats, seat, owner, place), next = sum + part, added = next - sum;
                lost += (sum - (next - added)) + (part - added);
                sum = next;
            }
            shares[seat][place] = sum + lost;
        }
}

/* Returns what the carpets of a camel's colour add to what it promises the seat there. */
static inline double look(const khiva_state *s, int seat, int camel, int place)
{
    double total = 0.0;
    for (int owner = 0; owner < s->seats; owner++)
        for (int i = 1; i <= s->carpets[owner][0]; i++)
            if (s->carpets[owner][i] / 10 == camel)
                total += s->carpets[owner][i] % 10 * share(s->seats, seat, owner, place);
    return total;
}

/* Returns what it is worth to win a bid with this card, moved on as well as the gems allow. Never less than 0. */
static inline double promise(const khiva_rules *rules, const khiva_state *s, double shares[SEATS][PLACES], int seat, int card,
                             int cargo)
{
    int camel = khiva_colour(card), load = s->load[camel], top = s->salt_pile[0];
    double salt = top > 0 ? fmax(CARPET, s->salt_pile[top] - SALT_PRICE * GEM) : CARPET, best = 0.0;
    double now = load * shares[seat][s->place[camel]] + look(s, seat, camel, s->place[camel]);
    uint8_t lands[KHIVA_LANDS + 1];
    khiva_reach(rules, s, seat, card, lands);
    for (int boost = 0; boost < lands[0]; boost++) {
        int place = lands[1 + boost], shop = place % 6;
        double gain = SHOPS[shop] - GEM * boost - now;
        if (shop == OUTPOST) {
            gain += cargo;
        } else {
            gain += load * shares[seat][place];
            gain += look(s, seat, camel, place);
            if (shop == 4)
                gain += s->gems[seat] - boost >= SALT_PRICE ? salt : CARPET;
        }
        best = gain > best ? gain : best;
    }
    return best;
}

/* Returns how far we are ahead of the others, in points made and to be expected. */
static inline double lead(const khiva_rules *rules, const khiva_state *s, double shares[SEATS][PLACES], int me)
{
    double points[SEATS] = {0.0}, total = 0.0, best = 0.0;
    int is_first = 1, ranks[SEATS] = {0};
    for (int seat = 0; seat < s->seats; seat++) {
        int cargo[CAMELS];
        points[seat] = khiva_score(rules, s, seat);
        if (s->kind == KHIVA_OVER)
            continue;
        for (int camel = 0; camel < CAMELS; camel++)
            cargo[camel] = s->load[camel];
        for (int i = 1; i <= s->carpets[seat][0]; i++)
            cargo[s->carpets[seat][i] / 10] += s->carpets[seat][i] % 10;
        points[seat] += GEMS * s->gems[seat] + CARPETS * khiva_sum_carpets(s->carpets[seat]);
        for (int camel = 0; camel < CAMELS; camel++)
            points[seat] += AT_END[distance(seat, s->place[camel])] * cargo[camel];
        for (int i = 1; i <= s->hand[seat][0]; i++) {
            int card = s->hand[seat][i];
            points[seat] += HAND * promise(rules, s, shares, seat, card, cargo[khiva_colour(card)]);
        }
    }
    if (s->kind == KHIVA_OVER) {
        khiva_ranks(rules, s, ranks);
        points[me] += ranks[me] == 1 ? VICTORY : 0.0;
    }
    for (int seat = 0; seat < s->seats; seat++)
        if (seat != me) {
            total += points[seat];
            best = is_first || points[seat] > best ? points[seat] : best;
            is_first = 0;
        }
    return points[me] - LEADER * best - (1.0 - LEADER) * total / (s->seats - 1);
}

/* Rounds to millionths, half to even, as Python's round does: the product with a million is taken with its error. */
static inline double millionths(double x)
{
    double cut = 134217729.0 * x, high = cut - (cut - x), low = x - high;
    double product = x * 1e6, error = (high * 1e6 - product) + low * 1e6;
    double whole = floor(product), part = product - whole;
    if (part > 0.5 || (part == 0.5 && (error > 0.0 || (error == 0.0 && fmod(whole, 2.0) != 0.0))))
        whole += 1.0;
    return whole;
}

/* Writes the choices worth a closer look, best first, and returns how many. */
static inline int promising(const khiva_view *view, board *b, int candidates[PROMISING])
{
    double promised[ENTRIES];
    int all = totals(view, b, promised);
    return best_choices(promised, all, candidates, PROMISING, 0.0);
}

/* Chooses; the default where a view fits no position. */
static inline long search(const khiva_view *view, const khiva_rules *rules, const unsigned char *secret)
{
    static const char *const labels[] = {"worlds"};
    double shares[SEATS][PLACES], sums[KHIVA_LANDS] = {0.0};
    int candidates[KHIVA_LANDS], count = 0, best = 0, seats = view->seats, me = view->seat;
    khiva_knowledge knowledge;
    khiva_state world, after;
    arena_stream stream;
    others model;
    if (khiva_think(&knowledge, rules, view) != KHIVA_OK)
        return 0;
    arena_stream_begin(&stream, secret, labels, 1);
    share_loads(seats, shares);
    if (view->kind == KHIVA_PLAY_PASS) {
        int salt = view->salts_left[0] > 0 ? view->salts_left[1] : 0;
        board b = lay_board(rules, seats, view->place, view->load, view->gems, view->carpets, salt);
        count = promising(view, &b, candidates);
        expect(&model, view, &b);
    }
    for (int number = 0; number < WORLDS; number++) {
        int choices[SEATS] = {0};
        if (khiva_world(&world, NULL, rules, view, &knowledge, &stream) != KHIVA_OK)
            return 0;
        if (view->kind != KHIVA_PLAY_PASS)
            while (count < khiva_choices(rules, &world, me) && count < KHIVA_LANDS) {
                candidates[count] = count;
                count++;
            }
        for (int seat = 0; seat < seats; seat++)
            if (seat != me && view->kind == KHIVA_PLAY_PASS)
                choices[seat] = guess(&model, rules, &world, seat, &stream);
        for (int i = 0; i < count; i++) {
            int answers[SEATS] = {0};
            after = world;
            choices[me] = candidates[i];
            khiva_apply(rules, &after, NULL, choices);
            while (after.kind > KHIVA_PLAY_PASS) {
                answers[after.asker] = answer(rules, &after);
                khiva_apply(rules, &after, NULL, answers);
            }
            sums[i] += lead(rules, &after, shares, me);
        }
    }
    for (int i = 1; i < count; i++)
        if (millionths(sums[i]) > millionths(sums[best]))
            best = i;
    return candidates[best];
}

#endif
