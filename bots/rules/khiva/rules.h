/* The flow of Khiva: who is asked, what an answer does, ends of turns, deals and matches. */
#ifndef KHIVA_RULES_H
#define KHIVA_RULES_H

#include "dealing.h"

/* --- what is asked --- */

/* Writes the goods that shop 4 has for a seat, default first (K10, K17, K23, O11), and returns how many. */
static inline int khiva_wares(const khiva_rules *rules, const khiva_state *s, int seat, khiva_ware wares[3])
{
    int count = 0, has_salt = s->salt_pile[0] > 0 && s->gems[seat] >= KHIVA_SALT_PRICE;
    wares[count++] = s->carpet_pile[0] > 0 ? KHIVA_CARPET : KHIVA_NOTHING;
    if (has_salt)
        wares[count++] = KHIVA_SALT;
    if (rules->may_decline && s->carpet_pile[0] > 0)
        wares[count++] = KHIVA_NOTHING;
    return count;
}

static inline int khiva_pairs(int of)
{
    return of * (of - 1) / 2;
}

/* Returns the mask of the seats that are asked, 0 when the match is over. */
static inline unsigned khiva_asked(const khiva_rules *rules, const khiva_state *s)
{
    (void)rules;
    return s->kind == KHIVA_PLAY_PASS ? (1u << s->seats) - 1 : s->kind == KHIVA_OVER ? 0 : 1u << s->asker;
}

/* Returns the kind of a seat's decision, KHIVA_OVER if it is not asked. */
static inline int khiva_kind_of(const khiva_state *s, int seat)
{
    return s->kind == KHIVA_PLAY_PASS || s->asker == seat ? (int)s->kind : (int)KHIVA_OVER;
}

/* Returns how many choices a seat has; 0 if it is not asked. */
static inline int khiva_choices(const khiva_rules *rules, const khiva_state *s, int seat)
{
    khiva_ware wares[3];
    int hand = s->hand[seat][0];
    switch (khiva_kind_of(s, seat)) {
    case KHIVA_PLAY_PASS: return s->seats == 2 ? khiva_pairs(hand) * khiva_pairs(hand - 2) : hand * (hand - 1);
    case KHIVA_MOVE: return 2;
    case KHIVA_BOOST: return s->lands[0];
    case KHIVA_SHOP4: return khiva_wares(rules, s, seat, wares);
    default: return 0;
    }
}

/* Writes the pair of positions, rising, that has this rank among all pairs of `of` positions. */
static inline void khiva_pair(int rank, int of, int *first, int *second)
{
    *first = 0;
    while (rank >= of - 1 - *first)
        rank -= of - 1 - (*first)++;
    *second = *first + 1 + rank;
}

/* Writes the positions in a hand of so many cards that a choice plays, then those that it passes. */
static inline void khiva_positions(int seats, int hand, int choice, int position[4])
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

/* Writes what a choice of a seat that is asked means: an entry of `legal`. */
static inline void khiva_choice(const khiva_rules *rules, const khiva_state *s, int seat, int choice, khiva_entry *entry)
{
    khiva_ware wares[3];
    memset(entry, 0, sizeof *entry);
    entry->count = 1;
    entry->item[0] = choice;
    if (s->kind == KHIVA_PLAY_PASS) {
        entry->count = 2 * khiva_each(s->seats);
        khiva_positions(s->seats, s->hand[seat][0], choice, entry->item);
    } else if (s->kind == KHIVA_SHOP4) {
        khiva_wares(rules, s, seat, wares);
        entry->item[0] = (int)wares[choice];
    }
}

/* Adds a place to those ahead of a camel, unless another camel stands there (K5). Written without a branch, as chance decides. */
static inline void khiva_pass(uint8_t *ahead, int *count, int place, uint32_t taken)
{
    ahead[*count] = (uint8_t)place;
    *count += !(taken >> place & 1);
}

/* Writes where a winner's camel stops with 0, 1, ... gems; nothing if it may not move at all (K4-K8, O3, O4). */
static inline void khiva_reach(const khiva_rules *rules, const khiva_state *s, int seat, int card, uint8_t *lands)
{
    int colour = khiva_colour(card), value = khiva_value(card), here = s->place[colour], path = here / 6, shop = here % 6;
    int slots = rules->slots[colour][value - 1], most = value + (s->gems[seat] < slots ? s->gems[seat] : slots), count = 0;
    uint8_t ahead[KHIVA_WALK];
    uint32_t taken = 0;
    for (int camel = 0; camel < KHIVA_CAMELS; camel++)
        taken |= (uint32_t)1 << s->place[camel];
    taken &= ~(uint32_t)1; /* each camel has a tent of its own */
    if (shop && path != seat) { /* K6 */
        for (int back = here - 1; back > 6 * path; back--)
            khiva_pass(ahead, &count, back, taken);
        if (rules->own_tent) /* O3 */
            ahead[count++] = KHIVA_TENT;
    }
    for (int out = shop && path == seat ? here + 1 : 6 * seat + 1; out <= 6 * seat + KHIVA_OUTPOST; out++)
        khiva_pass(ahead, &count, out, taken);
    if (rules->overshoot == KHIVA_BOUNCE) /* O4 */
        for (int back = 6 * seat + KHIVA_OUTPOST - 1; back > 6 * seat; back--)
            khiva_pass(ahead, &count, back, taken & ~((uint32_t)1 << here));
    lands[0] = 0;
    for (int i = value - 1; i < most && i < count; i++)
        khiva_push(lands, ahead[i]);
    if (lands[0] == 0 && rules->overshoot != KHIVA_NO_MOVE && count > 0)
        khiva_push(lands, ahead[count - 1]); /* K8 */
}

/* --- gems and ends --- */

/* Gives a seat gems from the supply, as many as it has (O5). */
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
        s->ending = (uint8_t)cause;
}

/* Pays for the cards that did not win the camel, in seat order (K3, O6). */
static inline void khiva_compensate(const khiva_rules *rules, khiva_state *s, int won)
{
    const uint8_t *bids = s->bids[s->camel];
    unsigned paid = 0;
    for (int i = 1; i <= bids[0] && rules->compensation != KHIVA_PER_TURN; i++) {
        int seat = s->bidder[bids[i]];
        if (bids[i] == won || (rules->compensation == KHIVA_PER_PLAYER && paid >> seat & 1))
            continue;
        khiva_gain(s, seat, 1);
        paid |= 1u << seat;
    }
}

static inline void khiva_end_turn(const khiva_rules *rules, khiva_state *s)
{
    for (int seat = 0; seat < s->seats && rules->compensation == KHIVA_PER_TURN; seat++) /* O6 */
        if (!(s->winners >> seat & 1))
            khiva_gain(s, seat, 1);
    if (s->ending != KHIVA_GOES_ON || s->turn >= rules->max_turns) {
        khiva_trigger(s, KHIVA_BY_TURNS);
        s->kind = KHIVA_OVER;
        return;
    }
    s->turn++;
    if (s->hand[0][0] == khiva_each(s->seats)) { /* K15 */
        s->deal++;
        khiva_redeal(s);
    }
    s->kind = KHIVA_PLAY_PASS;
}

/* --- camels: what returns an int tells whether somebody is asked --- */

static inline int khiva_ask(khiva_state *s, khiva_kind kind, int seat, int card)
{
    s->kind = (uint8_t)kind, s->asker = (uint8_t)seat, s->card = (uint8_t)card;
    return 1;
}

/* Discards all cards of the colour, lowest value first (K14). */
static inline int khiva_finish_camel(const khiva_rules *rules, khiva_state *s, int won)
{
    uint8_t *bids = s->bids[s->camel], rising[6] = {0};
    if (rules->pay_after) /* O12 */
        khiva_compensate(rules, s, won);
    for (int i = 1; i <= bids[0]; i++)
        khiva_insert(rising, bids[i]);
    while (rising[0] > 0)
        khiva_push(s->discard, rising[rising[0]--]);
    bids[0] = 0;
    s->camel++;
    return 0;
}

/* Gives a seat the top carpet, if there is one (K10, K16, K17, O10). */
static inline void khiva_draw_carpet(const khiva_rules *rules, khiva_state *s, int seat)
{
    int was_there = s->carpet_pile[0] > 0;
    if (was_there)
        khiva_push(s->carpets[seat], s->carpet_pile[s->carpet_pile[0]--]);
    if (!was_there || (s->carpet_pile[0] == 0 && rules->end_on_empty))
        khiva_trigger(s, KHIVA_BY_CARPETS);
}

/* Gives the mover what it took at shop 4 (K10). */
static inline int khiva_trade(const khiva_rules *rules, khiva_state *s, int seat, int card, khiva_ware ware)
{
    if (ware == KHIVA_SALT) {
        khiva_pay(s, seat, KHIVA_SALT_PRICE);
        khiva_push(s->salts[seat], s->salt_pile[s->salt_pile[0]--]);
        if (s->salt_pile[0] == 0 && rules->end_on_empty)
            khiva_trigger(s, KHIVA_BY_SALTS);
    } else if (ware == KHIVA_CARPET || !rules->may_decline) {
        khiva_draw_carpet(rules, s, seat); /* or the one that is owed and not there (K17, O10) */
    }
    return khiva_finish_camel(rules, s, card);
}

/* Delivers teapot and carpets; the camel goes back to its tent and is loaded again (K11-K13). */
static inline void khiva_deliver(const khiva_rules *rules, khiva_state *s, int seat)
{
    uint8_t *held = s->carpets[seat], kept = 0;
    khiva_push(s->teapots[seat], s->load[s->camel]);
    for (int i = 1; i <= held[0]; i++)
        if (held[i] / 10 == s->camel)
            khiva_push(s->delivered[seat], held[i]);
        else
            held[++kept] = held[i];
    held[0] = kept;
    s->place[s->camel] = KHIVA_TENT;
    s->load[s->camel] = s->teapot_pile[0] > 0 ? s->teapot_pile[s->teapot_pile[0]--] : 0; /* K17 */
    if (s->load[s->camel] == 0 || (s->teapot_pile[0] == 0 && rules->end_on_empty))
        khiva_trigger(s, KHIVA_BY_TEAPOTS);
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
        s->lands[0] = 0;
        khiva_push(s->lands, place);
        return khiva_ask(s, KHIVA_SHOP4, seat, card);
    case KHIVA_OUTPOST: khiva_deliver(rules, s, seat); break;
    default: break;
    }
    return khiva_finish_camel(rules, s, card);
}

/* Asks the winner for the boost, if there is a choice (K4). */
static inline int khiva_boost(const khiva_rules *rules, khiva_state *s, int seat, int card)
{
    if (s->lands[0] > 1)
        return khiva_ask(s, KHIVA_BOOST, seat, card);
    return khiva_move(rules, s, seat, card, 0, s->lands[1]);
}

/* Gives the camel to the lowest card, compensates the others, and moves the winner (K2, K3). */
static inline int khiva_award(const khiva_rules *rules, khiva_state *s)
{
    const uint8_t *bids = s->bids[s->camel];
    int card = 0, seat;
    for (int i = 1; i <= bids[0]; i++)
        card = bids[i] > card ? bids[i] : card;
    seat = s->bidder[card];
    s->winners |= (uint8_t)(1u << seat);
    if (!rules->pay_after)
        khiva_compensate(rules, s, card);
    khiva_reach(rules, s, seat, card, s->lands);
    if (s->lands[0] == 0)
        return khiva_finish_camel(rules, s, card);
    return rules->may_decline ? khiva_ask(s, KHIVA_MOVE, seat, card) : khiva_boost(rules, s, seat, card); /* O11 */
}

/* --- playing --- */

/* Takes the chosen cards out of all hands; then the passes arrive; then all is revealed (K1). */
static inline void khiva_choose(khiva_state *s, khiva_memory *memory, const int choices[KHIVA_SEATS])
{
    uint8_t card[KHIVA_SEATS][4];
    int each = khiva_each(s->seats), position[4];
    for (int seat = 0; seat < s->seats; seat++) {
        uint8_t *hand = s->hand[seat], kept = 0;
        uint32_t gone = 0;
        khiva_positions(s->seats, hand[0], choices[seat], position);
        for (int i = 0; i < 2 * each; i++) {
            card[seat][i] = hand[1 + position[i]];
            gone |= (uint32_t)1 << position[i];
        }
        for (int i = 0; i < hand[0]; i++) { /* without a branch, as chance decides */
            hand[1 + kept] = hand[1 + i];
            kept = (uint8_t)(kept + !(gone >> i & 1));
        }
        hand[0] = kept;
    }
    for (int seat = 0; seat < s->seats; seat++)
        for (int i = 0; i < each; i++) {
            khiva_insert(s->hand[(seat + 1) % s->seats], card[seat][each + i]);
            khiva_push(s->bids[khiva_colour(card[seat][i])], card[seat][i]);
            s->bidder[card[seat][i]] = (uint8_t)seat;
        }
    if (memory)
        khiva_remember(memory, s->seats, s->turn, card);
    s->camel = 0;
    s->winners = 0;
}

/* Plays choices that are known to be such, in a match that is not over. */
static inline void khiva_play(const khiva_rules *rules, khiva_state *s, khiva_memory *memory, const int choices[KHIVA_SEATS])
{
    int waits = 0, seat = s->asker, card = s->card;
    khiva_ware wares[3];
    switch (s->kind) {
    case KHIVA_PLAY_PASS: khiva_choose(s, memory, choices); break;
    case KHIVA_MOVE:
        waits = choices[seat] == 0 ? khiva_boost(rules, s, seat, card) : khiva_finish_camel(rules, s, card);
        break;
    case KHIVA_BOOST: waits = khiva_move(rules, s, seat, card, choices[seat], s->lands[1 + choices[seat]]); break;
    default:
        khiva_wares(rules, s, seat, wares);
        waits = khiva_trade(rules, s, seat, card, wares[choices[seat]]);
        break;
    }
    while (!waits && s->camel < KHIVA_CAMELS) {
        if (s->bids[s->camel][0] > 0)
            waits = khiva_award(rules, s);
        else
            s->camel++;
    }
    if (!waits)
        khiva_end_turn(rules, s);
}

/* Plays the choices of all who are asked, by seat; those of others are not read. memory: of this match, or NULL. Returns
   KHIVA_OK, or KHIVA_BAD_CHOICE with nothing changed if a choice is none or the match is over. */
static inline int khiva_apply(const khiva_rules *rules, khiva_state *s, khiva_memory *memory, const int choices[KHIVA_SEATS])
{
    unsigned asked = khiva_asked(rules, s);
    for (int seat = 0; seat < s->seats; seat++)
        if (asked >> seat & 1 && (choices[seat] < 0 || choices[seat] >= khiva_choices(rules, s, seat)))
            return KHIVA_BAD_CHOICE;
    if (asked == 0)
        return KHIVA_BAD_CHOICE;
    khiva_play(rules, s, memory, choices);
    return KHIVA_OK;
}

static inline int khiva_is_over(const khiva_state *s)
{
    return s->kind == KHIVA_OVER;
}

/* Plays a match on to its end, each choice equally likely, and returns how many decisions that took. */
static inline int khiva_playout(const khiva_rules *rules, khiva_state *s, arena_stream *stream)
{
    int decisions = 0, choices[KHIVA_SEATS] = {0};
    while (s->kind != KHIVA_OVER) {
        int is_one = s->kind != KHIVA_PLAY_PASS, last = is_one ? s->asker : s->seats - 1;
        for (int seat = is_one ? last : 0; seat <= last; seat++, decisions++)
            choices[seat] = (int)arena_below(stream, (uint64_t)khiva_choices(rules, s, seat));
        khiva_play(rules, s, NULL, choices);
    }
    return decisions;
}

#endif
