/* The rules of Khiva from a position on: who is asked, what an answer does, scores and ranks. khiva_arena/games/khiva/RULES.md
   states them; its K and O numbers are named here. C99 and C++17, without allocations and globals.

   A state is plain data: copy it by assignment to try something. It holds no memory of what was played or passed before.
   Numbers: colours and camels are 0-4; a card is 5 * (5 - value) + colour, so that a rising list is a hand in its order; a carpet
   is 10 * colour + value; a place is 0 for the tent, else 6 * path + shop, where shop 5 is the outpost. */
#ifndef KHIVA_RULES_H
#define KHIVA_RULES_H

#include "khiva_stream.h"

enum {
    KHIVA_SEATS = 5,
    KHIVA_CAMELS = 5,
    KHIVA_CARDS = 25,
    KHIVA_ROOM = 50, /* items of a list; there are at most 10 carpets of each colour (O8) */
    KHIVA_TENT = 0,
    KHIVA_OUTPOST = 5,
    KHIVA_SALT_PRICE = 3,
    KHIVA_SLOTS = 5,  /* gems that a card can take at most (O1) */
    KHIVA_WALK = 13,  /* places ahead of a camel at most: 3 back, the tent, 5 out, and 4 back again (O4 bounce) */
    KHIVA_GEMS = 1000000, /* more than any match has */
    KHIVA_UNLIMITED = -1
};

typedef enum { KHIVA_OVER, KHIVA_PLAY_PASS, KHIVA_MOVE, KHIVA_BOOST, KHIVA_SHOP4 } khiva_kind;
typedef enum { KHIVA_GOES_ON, KHIVA_TEAPOTS, KHIVA_CARPETS, KHIVA_SALTS, KHIVA_TURNS } khiva_ending;
typedef enum { KHIVA_STOP_AT_OUTPOST, KHIVA_NO_MOVE, KHIVA_BOUNCE } khiva_overshoot;
typedef enum { KHIVA_PER_CARD, KHIVA_PER_PLAYER, KHIVA_PER_TURN } khiva_compensation;
typedef enum { KHIVA_CARPET, KHIVA_SALT, KHIVA_NOTHING } khiva_ware;

typedef struct {
    uint8_t slots[KHIVA_CAMELS][5]; /* O1: by colour and value - 1 */
    khiva_overshoot overshoot;
    khiva_compensation compensation;
    int own_tent, pay_after, top_visible, sum_bags, end_on_empty, may_decline, max_turns;
} khiva_rules;

typedef struct {
    uint8_t count, item[KHIVA_ROOM];
} khiva_list;

/* Lists by seat, by camel where it says so. The top of a pile is its last item. */
typedef struct {
    int seats, turn, deal;
    khiva_kind kind;
    khiva_ending ending;
    int asker, card, camel; /* who is asked, with what card, about what camel; camel is 5 while all choose */
    unsigned winners;       /* mask of the seats that won a camel this turn */
    int supply, gems[KHIVA_SEATS];
    uint8_t place[KHIVA_CAMELS], load[KHIVA_CAMELS];
    khiva_list lands; /* where the camel stops with 0, 1, ... gems; for shop 4 where it stands */
    khiva_list bids[KHIVA_CAMELS]; /* by camel: cards revealed and not yet discarded */
    uint8_t bidder[KHIVA_CARDS];   /* the seat that played a card of `bids` */
    khiva_list hand[KHIVA_SEATS], carpets[KHIVA_SEATS], delivered[KHIVA_SEATS], teapots[KHIVA_SEATS], salts[KHIVA_SEATS];
    khiva_list aside, shown, discard, teapot_pile, carpet_pile, salt_pile;
    unsigned char secret[KHIVA_SECRET]; /* redeals are draw from it */
} khiva_state;

static inline int khiva_colour(int card)
{
    return card % 5;
}

static inline int khiva_value(int card)
{
    return 5 - card / 5;
}

static inline int khiva_card(int colour, int value)
{
    return 5 * (5 - value) + colour;
}

/* Tells how many cards a seat plays, and passes, in a turn; as many are kept at a redeal. */
static inline int khiva_each(int seats)
{
    return seats == 2 ? 2 : 1;
}

static inline int khiva_first_hand(int seats)
{
    return seats == 2 ? 8 : 5;
}

static inline int khiva_turns_per_deal(int seats)
{
    return seats == 2 ? 3 : 4;
}

static inline void khiva_push(khiva_list *list, int item)
{
    if (list->count < KHIVA_ROOM)
        list->item[list->count++] = (uint8_t)item;
}

/* Puts a card into a hand, at its place. */
static inline void khiva_insert(khiva_list *hand, int card)
{
    khiva_push(hand, card);
    int at = hand->count - 1;
    for (; at > 0 && hand->item[at - 1] > card; at--)
        hand->item[at] = hand->item[at - 1];
    hand->item[at] = (uint8_t)card;
}

static inline int khiva_sum(const khiva_list *list)
{
    int total = 0;
    for (int i = 0; i < list->count; i++)
        total += list->item[i] % 10; /* of a carpet its value */
    return total;
}

/* --- what is asked --- */

/* Writes the goods that shop 4 has for a seat, default first (K10, K17, O11), and returns how many. */
static inline int khiva_wares(const khiva_rules *rules, const khiva_state *s, int seat, khiva_ware wares[3])
{
    int count = 0, has_salt = s->salt_pile.count > 0 && s->gems[seat] >= KHIVA_SALT_PRICE;
    wares[count++] = s->carpet_pile.count > 0 ? KHIVA_CARPET : KHIVA_NOTHING;
    if (has_salt)
        wares[count++] = KHIVA_SALT;
    if (rules->may_decline && s->carpet_pile.count > 0)
        wares[count++] = KHIVA_NOTHING;
    return count;
}

static inline int khiva_pairs(int of)
{
    return of * (of - 1) / 2;
}

/* Tells how many choices a seat has; 0 if it is not asked. */
static inline int khiva_choices(const khiva_rules *rules, const khiva_state *s, int seat)
{
    khiva_ware wares[3];
    int hand = s->hand[seat].count;
    if (s->kind == KHIVA_PLAY_PASS)
        return s->seats == 2 ? khiva_pairs(hand) * khiva_pairs(hand - 2) : hand * (hand - 1);
    if (s->kind == KHIVA_OVER || s->asker != seat)
        return 0;
    return s->kind == KHIVA_MOVE ? 2 : s->kind == KHIVA_BOOST ? s->lands.count : khiva_wares(rules, s, seat, wares);
}

/* Writes the pair of positions, rising, that has this rank among all pairs of `of` positions. */
static inline void khiva_pair(int rank, int of, int *first, int *second)
{
    *first = 0;
    while (rank >= of - 1 - *first)
        rank -= of - 1 - (*first)++;
    *second = *first + 1 + rank;
}

/* Writes the positions in a hand of the cards played, then of those passed, by the index of the choice. */
static inline void khiva_entry(int seats, int hand, int choice, int position[4])
{
    if (seats > 2) {
        position[0] = choice / (hand - 1);
        position[1] = choice % (hand - 1);
        position[1] += position[1] >= position[0];
        return;
    }
    khiva_pair(choice / khiva_pairs(hand - 2), hand, &position[0], &position[1]);
    khiva_pair(choice % khiva_pairs(hand - 2), hand - 2, &position[2], &position[3]);
    for (int i = 2; i < 4; i++) { /* those are counted without the cards played */
        position[i] += position[i] >= position[0];
        position[i] += position[i] >= position[1];
    }
}

/* Writes where a winner's camel stops with 0, 1, ... gems; nothing if it may not move at all (K4-K8, O3, O4). */
static inline void khiva_reach(const khiva_rules *rules, const khiva_state *s, int seat, int card, khiva_list *lands)
{
    int colour = khiva_colour(card), value = khiva_value(card), here = s->place[colour], path = here / 6, shop = here % 6;
    int slots = rules->slots[colour][value - 1], most = value + (s->gems[seat] < slots ? s->gems[seat] : slots), count = 0;
    uint8_t ahead[KHIVA_WALK];
    uint32_t taken = 0;
    for (int camel = 0; camel < KHIVA_CAMELS; camel++)
        taken |= (uint32_t)1 << s->place[camel];
    taken &= ~(uint32_t)1; /* each camel has a tent of its own */
    if (shop && path != seat) {
        for (int back = here - 1; back > 6 * path; back--)
            if (!(taken >> back & 1))
                ahead[count++] = (uint8_t)back;
        if (rules->own_tent)
            ahead[count++] = KHIVA_TENT;
    }
    for (int out = shop && path == seat ? here + 1 : 6 * seat + 1; out <= 6 * seat + KHIVA_OUTPOST; out++)
        if (!(taken >> out & 1))
            ahead[count++] = (uint8_t)out;
    if (rules->overshoot == KHIVA_BOUNCE)
        for (int back = 6 * seat + KHIVA_OUTPOST - 1; back > 6 * seat; back--)
            if (!(taken >> back & 1) || back == here)
                ahead[count++] = (uint8_t)back;
    lands->count = 0;
    for (int i = value - 1; i < most && i < count; i++)
        khiva_push(lands, ahead[i]);
    if (lands->count == 0 && rules->overshoot != KHIVA_NO_MOVE && count > 0)
        khiva_push(lands, ahead[count - 1]);
}

/* --- gems and ends --- */

static inline void khiva_gain(khiva_state *s, int seat, int count)
{
    if (s->supply != KHIVA_UNLIMITED) {
        count = count < s->supply ? count : s->supply;
        s->supply -= count;
    }
    s->gems[seat] += count;
}

static inline void khiva_pay(khiva_state *s, int seat, int count)
{
    s->gems[seat] -= count;
    if (s->supply != KHIVA_UNLIMITED)
        s->supply += count;
}

/* Makes this the last turn; the first cause stands (K16). */
static inline void khiva_trigger(khiva_state *s, khiva_ending cause)
{
    if (s->ending == KHIVA_GOES_ON)
        s->ending = cause;
}

/* Pays for the cards that did not win the camel, in seat order (K3, O6). */
static inline void khiva_compensate(const khiva_rules *rules, khiva_state *s, int won)
{
    const khiva_list *bids = &s->bids[s->camel];
    unsigned paid = 0;
    for (int i = 0; i < bids->count && rules->compensation != KHIVA_PER_TURN; i++) {
        int seat = s->bidder[bids->item[i]];
        if (bids->item[i] == won || (rules->compensation == KHIVA_PER_PLAYER && paid >> seat & 1))
            continue;
        khiva_gain(s, seat, 1);
        paid |= 1u << seat;
    }
}

/* Deals the discard and all that is aside (K15, K21). */
static inline void khiva_redeal(khiva_state *s)
{
    const khiva_list *from[3] = {&s->discard, &s->aside, &s->shown};
    char ordinal[12] = {0}, *digits = ordinal + 11;
    khiva_stream stream;
    uint32_t pool = 0;
    uint8_t cards[KHIVA_CARDS];
    int count = 0, at = 0, size = khiva_first_hand(s->seats) - khiva_each(s->seats);
    for (int left = s->deal; left > 0; left /= 10)
        *--digits = (char)('0' + left % 10);
    const char *const labels[3] = {"khiva", "deal", digits};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < from[i]->count; j++)
            pool |= (uint32_t)1 << from[i]->item[j];
    for (int i = 0; i < KHIVA_CARDS; i++) /* by colour, in it by value */
        if (pool >> khiva_card(i / 5, i % 5 + 1) & 1)
            cards[count++] = (uint8_t)khiva_card(i / 5, i % 5 + 1);
    khiva_stream_begin(&stream, s->secret, labels, 3);
    khiva_shuffle(&stream, cards, count);
    for (int seat = 0; seat < s->seats; seat++)
        for (int i = 0; i < size && at < count; i++)
            khiva_insert(&s->hand[seat], cards[at++]);
    s->discard.count = s->shown.count = s->aside.count = 0;
    while (at < count) {
        khiva_push(s->seats == 2 && s->shown.count < 4 ? &s->shown : &s->aside, cards[at]);
        at++;
    }
}

static inline void khiva_end_turn(const khiva_rules *rules, khiva_state *s)
{
    for (int seat = 0; seat < s->seats && rules->compensation == KHIVA_PER_TURN; seat++)
        if (!(s->winners >> seat & 1))
            khiva_gain(s, seat, 1);
    if (s->ending != KHIVA_GOES_ON || s->turn >= rules->max_turns) {
        khiva_trigger(s, KHIVA_TURNS);
        s->kind = KHIVA_OVER;
        return;
    }
    s->turn++;
    if (s->hand[0].count == khiva_each(s->seats)) {
        s->deal++;
        khiva_redeal(s);
    }
    s->kind = KHIVA_PLAY_PASS;
}

/* --- camels: what returns an int tells whether somebody is asked --- */

static inline int khiva_ask(khiva_state *s, khiva_kind kind, int seat, int card)
{
    s->kind = kind;
    s->asker = seat;
    s->card = card;
    return 1;
}

/* Discards all cards of the colour, lowest value first (K14). */
static inline int khiva_finish_camel(const khiva_rules *rules, khiva_state *s, int won)
{
    khiva_list *bids = &s->bids[s->camel], rising;
    if (rules->pay_after)
        khiva_compensate(rules, s, won);
    rising.count = 0;
    for (int i = 0; i < bids->count; i++)
        khiva_insert(&rising, bids->item[i]);
    while (rising.count > 0)
        khiva_push(&s->discard, rising.item[--rising.count]);
    bids->count = 0;
    s->camel++;
    return 0;
}

/* Gives a seat the top carpet, if there is one (K10, K16, K17). */
static inline void khiva_draw_carpet(const khiva_rules *rules, khiva_state *s, int seat)
{
    int was_there = s->carpet_pile.count > 0;
    if (was_there)
        khiva_push(&s->carpets[seat], s->carpet_pile.item[--s->carpet_pile.count]);
    if (!was_there || (s->carpet_pile.count == 0 && rules->end_on_empty))
        khiva_trigger(s, KHIVA_CARPETS);
}

static inline int khiva_trade(const khiva_rules *rules, khiva_state *s, int seat, int card, khiva_ware ware)
{
    if (ware == KHIVA_SALT) {
        khiva_pay(s, seat, KHIVA_SALT_PRICE);
        khiva_push(&s->salts[seat], s->salt_pile.item[--s->salt_pile.count]);
        if (s->salt_pile.count == 0 && rules->end_on_empty)
            khiva_trigger(s, KHIVA_SALTS);
    } else if (ware == KHIVA_CARPET || !rules->may_decline) {
        khiva_draw_carpet(rules, s, seat); /* or the one that is owed and not there (K17, O10) */
    }
    return khiva_finish_camel(rules, s, card);
}

/* Delivers teapot and carpets; the camel goes back to its tent and is loaded again (K11-K13). */
static inline void khiva_deliver(const khiva_rules *rules, khiva_state *s, int seat)
{
    khiva_list *held = &s->carpets[seat];
    int kept = 0;
    khiva_push(&s->teapots[seat], s->load[s->camel]);
    for (int i = 0; i < held->count; i++)
        if (held->item[i] / 10 == s->camel)
            khiva_push(&s->delivered[seat], held->item[i]);
        else
            held->item[kept++] = held->item[i];
    held->count = (uint8_t)kept;
    s->place[s->camel] = KHIVA_TENT;
    s->load[s->camel] = s->teapot_pile.count > 0 ? s->teapot_pile.item[--s->teapot_pile.count] : 0;
    if (s->load[s->camel] == 0 || (s->teapot_pile.count == 0 && rules->end_on_empty))
        khiva_trigger(s, KHIVA_TEAPOTS);
}

/* Pays, moves, and lets the landing place work for the mover (K4, K9). */
static inline int khiva_move(const khiva_rules *rules, khiva_state *s, int seat, int card, int boost, int place)
{
    khiva_ware wares[3];
    khiva_pay(s, seat, boost);
    s->place[s->camel] = (uint8_t)place;
    switch (place % 6) {
    case 1: khiva_gain(s, seat, 1); break;
    case 2: khiva_draw_carpet(rules, s, seat); break;
    case 3: khiva_gain(s, seat, 2); break;
    case 4:
        if (khiva_wares(rules, s, seat, wares) == 1)
            return khiva_trade(rules, s, seat, card, wares[0]);
        s->lands.count = 0;
        khiva_push(&s->lands, place);
        return khiva_ask(s, KHIVA_SHOP4, seat, card);
    case KHIVA_OUTPOST: khiva_deliver(rules, s, seat); break;
    default: break;
    }
    return khiva_finish_camel(rules, s, card);
}

/* Asks the winner for the boost, if there is a choice (K4). */
static inline int khiva_boost(const khiva_rules *rules, khiva_state *s, int seat, int card)
{
    if (s->lands.count > 1)
        return khiva_ask(s, KHIVA_BOOST, seat, card);
    return khiva_move(rules, s, seat, card, 0, s->lands.item[0]);
}

/* Gives the camel to the lowest card, compensates the others, and moves the winner (K2, K3). */
static inline int khiva_award(const khiva_rules *rules, khiva_state *s)
{
    const khiva_list *bids = &s->bids[s->camel];
    int card = 0, seat;
    for (int i = 0; i < bids->count; i++)
        card = bids->item[i] > card ? bids->item[i] : card;
    seat = s->bidder[card];
    s->winners |= 1u << seat;
    if (!rules->pay_after)
        khiva_compensate(rules, s, card);
    khiva_reach(rules, s, seat, card, &s->lands);
    if (s->lands.count == 0)
        return khiva_finish_camel(rules, s, card);
    return rules->may_decline ? khiva_ask(s, KHIVA_MOVE, seat, card) : khiva_boost(rules, s, seat, card);
}

/* --- playing --- */

/* Takes the chosen cards out of all hands; then the passes arrive; then all is revealed (K1). */
static inline void khiva_choose(khiva_state *s, const int choices[KHIVA_SEATS])
{
    int each = khiva_each(s->seats), card[KHIVA_SEATS][4], position[4];
    for (int seat = 0; seat < s->seats; seat++) {
        khiva_list old = s->hand[seat], *hand = &s->hand[seat];
        uint32_t gone = 0;
        khiva_entry(s->seats, old.count, choices[seat], position);
        for (int i = 0; i < 2 * each; i++) {
            card[seat][i] = old.item[position[i]];
            gone |= (uint32_t)1 << card[seat][i];
        }
        hand->count = 0;
        for (int i = 0; i < old.count; i++)
            if (!(gone >> old.item[i] & 1))
                khiva_push(hand, old.item[i]);
    }
    for (int seat = 0; seat < s->seats; seat++)
        for (int i = 0; i < each; i++) {
            khiva_insert(&s->hand[(seat + 1) % s->seats], card[seat][each + i]);
            khiva_push(&s->bids[khiva_colour(card[seat][i])], card[seat][i]);
            s->bidder[card[seat][i]] = (uint8_t)seat;
        }
    s->camel = 0;
    s->winners = 0;
}

/* Plays the choices of all who are asked, by seat; others' are not read. Returns 0, with nothing changed, if one is none. */
static inline int khiva_apply(const khiva_rules *rules, khiva_state *s, const int choices[KHIVA_SEATS])
{
    int waits = 0, seat = s->asker, card = s->card, choice = choices[seat];
    khiva_kind kind = s->kind;
    khiva_ware wares[3];
    for (int i = 0; i < s->seats; i++)
        if (khiva_choices(rules, s, i) > 0 && (choices[i] < 0 || choices[i] >= khiva_choices(rules, s, i)))
            return 0;
    switch (kind) {
    case KHIVA_OVER: return 0;
    case KHIVA_PLAY_PASS: khiva_choose(s, choices); break;
    case KHIVA_MOVE: waits = choice == 0 ? khiva_boost(rules, s, seat, card) : khiva_finish_camel(rules, s, card); break;
    case KHIVA_BOOST: waits = khiva_move(rules, s, seat, card, choice, s->lands.item[choice]); break;
    case KHIVA_SHOP4:
        khiva_wares(rules, s, seat, wares);
        waits = khiva_trade(rules, s, seat, card, wares[choice]);
        break;
    }
    while (!waits && s->camel < KHIVA_CAMELS) {
        if (s->bids[s->camel].count > 0)
            waits = khiva_award(rules, s);
        else
            s->camel++;
    }
    if (!waits)
        khiva_end_turn(rules, s);
    return 1;
}

/* --- score --- */

/* Counts teapots, salt, delivered carpets, and a point for each gem (K18). */
static inline int khiva_score(const khiva_state *s, int seat)
{
    int salt = 0;
    for (int i = 0; i < s->salts[seat].count; i++)
        salt += s->salts[seat].item[i];
    return khiva_sum(&s->teapots[seat]) + salt + khiva_sum(&s->delivered[seat]) + s->gems[seat];
}

/* Tells the place of a seat: by score, then number of teapots, then salt (K19, O9). */
static inline int khiva_rank(const khiva_rules *rules, const khiva_state *s, int seat)
{
    int key[KHIVA_SEATS][3], rank = 1;
    for (int other = 0; other < s->seats; other++) {
        const khiva_list *bags = &s->salts[other];
        key[other][0] = khiva_score(s, other);
        key[other][1] = s->teapots[other].count;
        key[other][2] = 0;
        for (int i = 0; i < bags->count; i++)
            if (rules->sum_bags)
                key[other][2] += bags->item[i];
            else if (bags->item[i] > key[other][2])
                key[other][2] = bags->item[i];
    }
    for (int other = 0; other < s->seats; other++) {
        int i = 0;
        while (i < 2 && key[other][i] == key[seat][i])
            i++;
        rank += key[other][i] > key[seat][i];
    }
    return rank;
}

#endif
