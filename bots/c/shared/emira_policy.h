/* How a seat chooses in a position of Emira by what courts are worth: each entry is tried on paper, and the best is taken. Only
   what the seat sees is used, so that it can play any seat of an imagined world. C99 and C++17. */
#ifndef EMIRA_POLICY_H
#define EMIRA_POLICY_H

#include "emira_worth.h"

/* What the right to choose an action is worth to a seat: kept for an auction, since courts change only when a seat is served. */
typedef struct {
    int round, served; /* round: 0 for nothing kept */
    int count;
    double most[EMIRA_GRANT]; /* how much more than none the best actions are worth, the best first */
} emira_gains;

/* A player of all seats of a world. */
typedef struct {
    const emira_rules *rules;
    const emira_weights *weights[EMIRA_SEATS];
    emira_gains gains[EMIRA_SEATS];
} emira_player;

/* --- actions and bids --- */

/* Lays an action out on a court. Returns 0 if the seat cannot pay it. */
static inline int policy_act(court *c, int action)
{
    const emira_table *t = &c->s->table;
    int *gold = &c->value[EMIRA_BY_GOLD][c->me], price = 0;
    switch (action) {
    case EMIRA_NO_ACTION: break;
    case EMIRA_APPEARANCE:
        price = EMIRA_APPEARANCE_PRICE;
        court_add_counter(c, t->shown_counters[1]);
        break;
    case EMIRA_STATUS:
        price = emira_price(t->shown_status[1]);
        c->value[EMIRA_BY_STATUS][c->me] += emira_points(t->shown_status[1]);
        break;
    case EMIRA_PALACE:
        price = emira_action_price(t, c->me, action);
        c->value[EMIRA_BY_PALACE][c->me] += 2;
        c->room[c->me]++;
        break;
    case EMIRA_CAMEL:
        price = emira_action_price(t, c->me, action);
        c->camels++;
        break;
    case EMIRA_GRANT: price = -EMIRA_GRANT_GOLD; break;
    default:
        price = emira_action_price(t, c->me, action);
        action -= EMIRA_TAKE_CARAVAN;
        c->travelling += court_caravan(c, action, emira_length(action));
        c->income += emira_caravan_income(action);
        break;
    }
    *gold -= price;
    return *gold >= 0 || price <= 0;
}

/* Returns what the position after an action is worth, very little if it cannot be paid. */
static inline double policy_action(const court *before, int action)
{
    court c = *before;
    return policy_act(&c, action) ? court_worth(&c) : -1e9;
}

/* Works out how much more than none each action is worth that can still be had and paid, the best first. */
static inline void policy_find_gains(emira_gains *gains, const court *c)
{
    static const uint8_t item_of[] = {0, EMIRA_SMALL, EMIRA_SMALL, EMIRA_LARGE, EMIRA_LARGE, 0, 0, EMIRA_SECTIONS, EMIRA_CAMELS};
    const emira_table *t = &c->s->table;
    double nothing = court_worth(c);
    gains->count = 0;
    for (int action = EMIRA_TAKE_CARAVAN; action < EMIRA_GRANT; action++) {
        int open = action == EMIRA_APPEARANCE ? t->shown_counters[0] > 0
                 : action == EMIRA_STATUS     ? t->shown_status[0] > 0
                                              : t->open >> item_of[action] & 1;
        double worth = open ? policy_action(c, action) : -1e9;
        int at = gains->count;
        if (worth == -1e9)
            continue;
        for (; at > 0 && gains->most[at - 1] < worth - nothing; at--)
            gains->most[at] = gains->most[at - 1];
        gains->most[at] = worth - nothing;
        gains->count++;
    }
}

/* Returns what the right to choose is worth to a seat that is asked for a bid: the best first. */
static inline const emira_gains *policy_gains(emira_player *p, const emira_state *s, int seat)
{
    emira_gains *gains = &p->gains[seat];
    court c;
    if (gains->round == s->table.round && gains->served == s->table.served)
        return gains;
    gains->round = s->table.round, gains->served = s->table.served;
    court_lay(&c, p->rules, s, seat, p->weights[seat]);
    policy_find_gains(gains, &c);
    return gains;
}

/* Chooses a bid: to pass, the grant when nothing better is to be had, or the least bid if the right to choose is worth it. */
static inline int policy_bid(emira_player *p, const emira_state *s, int seat)
{
    const emira_weights *w = p->weights[seat];
    const emira_gains *gains;
    int grant = (int)(s->options & 1), amounts = (int)(s->options >> 1), rivals = emira_bits(s->table.bidding) - 1;
    int discount = emira_discount(&s->table, seat), least = s->table.bid + EMIRA_STEP, later;
    int too_much = rivals <= 0 || amounts == 0 || least > w->highest + discount;
    double best, limit, next;
    if (too_much && !grant)
        return 0;
    gains = policy_gains(p, s, seat);
    best = gains->count > 0 ? gains->most[0] : 0.0;
    if (grant && best < w->grant)
        return 1;
    if (too_much)
        return 0;
    /* With so many others before it, it would get about this one instead. */
    later = gains->count - 1 < rivals ? gains->count - 1 : rivals;
    next = gains->count > 0 ? gains->most[later] : 0.0;
    limit = fmin(w->eager * (best - fmax(0.0, next)), w->highest) + discount;
    return least <= limit ? 1 + grant : 0;
}

/* --- event cards --- */

/* Returns how much a number of the seat is more than that of the others on average. */
static inline double policy_against(const int *number, int seats, int me)
{
    double others = 0.0;
    for (int seat = 0; seat < seats; seat++)
        others += seat == me ? 0 : number[seat];
    return number[me] - others / (seats - 1);
}

/* Returns what the others lose by vermin among a type of caravans more than this seat, in hundreds. */
static inline double policy_vermin(const emira_table *t, int me, int type)
{
    int most = type % 2 == 0 ? 2 : 1, total = 0, mine = 0;
    for (int seat = 0; seat < t->seats; seat++) {
        int moves = 0;
        for (int left = 0; left < EMIRA_LEFT; left++)
            moves += t->caravans[seat][type][left];
        moves = moves < most ? moves : most;
        total += moves;
        mine = seat == me ? moves : mine;
    }
    return (total - mine * t->seats) * emira_caravan_income(type) / 100.0;
}

/* Returns the most that one of the seat's caravans would bring once more by New Spice Caravan. */
static inline int policy_movable(const emira_table *t, int me)
{
    int most = 0;
    for (int type = 0; type < EMIRA_CARAVANS; type++)
        for (int left = 1; left < emira_length(type); left++)
            if (t->caravans[me][type][left - 1] && emira_caravan_income(type) > most)
                most = emira_caravan_income(type);
    return most;
}

/* Returns what an event card brings now, more than 1 if it is worth playing; none is worth 1. */
static inline double policy_play(const emira_rules *rules, const emira_state *s, int me, int card)
{
    const emira_table *t = &s->table;
    int seats = t->seats, number[EMIRA_SEATS], most = 0;
    double best = 0.0;
    for (int seat = 0; seat < seats; seat++)
        number[seat] = card == EMIRA_CARD_GOLDEN_TIMES || card == EMIRA_CARD_INTERRUPT_SPICE_TRADE
                     ? court_income(rules, t, seat) : t->camels[seat];
    switch (card) {
    case EMIRA_NONE: return 1.0;
    case EMIRA_CARD_GUEST_HOUSE:
    case EMIRA_CARD_RESTORATION: return 9.0;
    case EMIRA_CARD_GOLDEN_TIMES: return 2.0 + policy_against(number, seats, me) / 100;
    case EMIRA_CARD_INTERRUPT_SPICE_TRADE: return 1.5 - policy_against(number, seats, me) / 100;
    case EMIRA_CARD_SICK_CAMELS:
    case EMIRA_CARD_CAMEL_EPIDEMIC: return 1.0 - policy_against(number, seats, me);
    case EMIRA_CARD_CAMEL_BREEDING:
        for (int seat = 0; seat < seats; seat++)
            most = seat != me && number[seat] / 2 > most ? number[seat] / 2 : most;
        return 1.0 + number[me] / 2 - most;
    case EMIRA_CARD_BETTER_BREED: return 1.0 + 0.5 * number[me];
    case EMIRA_CARD_GOOD_LOOKING:
        for (int kind = 0; kind < EMIRA_COUNTERS; kind++)
            most = t->counters[me][kind] > most ? t->counters[me][kind] : most;
        return 1.0 + 2 * (most / 3);
    case EMIRA_CARD_NEW_SPICE_CARAVAN: return 1.0 + 0.01 * policy_movable(t, me);
    case EMIRA_CARD_VERMIN:
        best = policy_vermin(t, me, 0);
        for (int type = 1; type < EMIRA_CARAVANS; type++)
            best = fmax(best, policy_vermin(t, me, type));
        return 1.0 + best;
    case EMIRA_CARD_DOUBLE_TROUBLE:
        for (int seat = 0; seat < seats; seat++)
            most += emira_appearance(t, me) > emira_appearance(t, seat) && emira_status(t, me) >= emira_status(t, seat);
        return 0.5 + (emira_room(t, me) > 1 ? most : 0);
    case EMIRA_CARD_BAZAAR:
    case EMIRA_CARD_NOBLE_MERCHANDISE:
    case EMIRA_CARD_CHANGING_HER_MIND:
    case EMIRA_CARD_COURT_INFLUENCE: return 1.2;
    default: return 0.5;
    }
}

/* Returns what it is worth that an Emira comes next: most if she joins the seat, least if she joins another one. */
static inline double policy_next(const court *c, int card, int swapped)
{
    int seat = court_chosen(c, card, swapped);
    return seat == c->me && card != EMIRA_SIDI ? 2.0 : seat == EMIRA_NOBODY ? 1.0 : 0.0;
}

/* --- all kinds --- */

/* Returns what an option of a question, as emira_option numbers it, is worth to the seat that is asked; 0 where one is as good as
   another. */
static inline double policy_option(const court *c, int option)
{
    /* What is worth keeping, before it is known when it will be played, by event card. */
    static const uint8_t fancy[EMIRA_EVENTS] = {5, 3, 3, 2, 4, 4, 6, 7, 5, 9, 4, 1, 5, 5, 2, 6, 3, 4};
    const emira_state *s = c->s;
    const emira_table *t = &s->table;
    int me = c->me, gold = c->value[EMIRA_BY_GOLD][me], hand = 0;
    uint8_t places[3];
    switch (t->kind) {
    case EMIRA_FIRST_EVENT:
    case EMIRA_KEEP: return fancy[option];
    case EMIRA_PLAY: return policy_play(c->rules, s, me, option - 1);
    case EMIRA_MIND:
        option = option == EMIRA_BOTTOM ? -1 : (option == EMIRA_SWAP) ^ (int)(s->turned >> s->emiras.card[t->about + 1] & 1);
        return option < 0 ? 0.5 : policy_next(c, s->emiras.card[t->about + 1], option);
    case EMIRA_ORDER:
        emira_permutation(option, places);
        if (t->about == 0)
            return policy_next(c, s->emiras.card[places[0] + 1], (int)(s->turned >> s->emiras.card[places[0] + 1] & 1));
        return emira_price(s->status.card[places[0] + 1]) <= gold ? emira_points(s->status.card[places[0] + 1]) : 0.0;
    case EMIRA_GOOD_LOOKING:
    case EMIRA_DROP_APPEARANCE: return c->counters[option];
    case EMIRA_CARAVAN: return emira_caravan_income(option / EMIRA_LEFT);
    case EMIRA_VERMIN: return policy_vermin(t, me, option);
    case EMIRA_NOBLE:
        return emira_price(option) <= gold - c->upkeep ? emira_points(option) - emira_price(option) / 10000.0 : 0.0;
    case EMIRA_TAKE_STATUS: return emira_points(option) - emira_price(option) / 10000.0;
    case EMIRA_BAZAAR:
    case EMIRA_TAKE_APPEARANCE: return -c->counters[option];
    case EMIRA_ACTION: return policy_action(c, option);
    case EMIRA_BUY:
        for (int card = 0; card < EMIRA_EVENTS; card++)
            hand += s->hand[me][card];
        return option == (gold >= c->upkeep + c->w->spare && hand < 2 ? 1 : 0);
    case EMIRA_ABDUCT: return court_talents_met(s, me, 0, option);
    case EMIRA_GIFT: return option;
    default: return 0.0;
    }
}

/* Writes what each choice of a seat is worth, bids apart, and returns how many there are. */
static inline int policy_values(const emira_rules *rules, const emira_state *s, int seat, const emira_weights *w, double *values,
                                int room)
{
    int count = emira_choices(rules, s, seat);
    court c;
    count = count < room ? count : room;
    court_lay(&c, rules, s, seat, w);
    for (int choice = 0; choice < count; choice++)
        values[choice] = policy_option(&c, emira_option(s, seat, choice));
    return count;
}

/* Chooses for a seat that is asked. */
static inline int policy_choose(emira_player *p, const emira_state *s, int seat)
{
    enum { CHOICES = 64 };
    double values[CHOICES];
    int best = 0, count;
    if (s->table.kind == EMIRA_BID)
        return policy_bid(p, s, seat);
    count = policy_values(p->rules, s, seat, p->weights[seat], values, CHOICES);
    for (int choice = 1; choice < count; choice++)
        best = values[choice] > values[best] + 5e-7 ? choice : best;
    return best;
}

#endif
