/* Observations and actions of Khiva as numbers: khiva_arena/env/khiva.py in C, number by number. docs/trainers.md explains them.
   */
#ifndef KHIVA_NUMBERS_H
#define KHIVA_NUMBERS_H

#include "../arena/numbers.h"
#include "rules.h"

/* The keys of an observation in their order: bit 1 << key of `without` leaves one out. */
typedef enum {
    KHIVA_KEY_SEAT, KHIVA_KEY_SEATS, KHIVA_KEY_TURN, KHIVA_KEY_DEAL, KHIVA_KEY_HAND, KHIVA_KEY_HANDS, KHIVA_KEY_TABLE,
    KHIVA_KEY_DISCARD, KHIVA_KEY_SHOWN, KHIVA_KEY_ASIDE, KHIVA_KEY_CAMELS, KHIVA_KEY_GEMS, KHIVA_KEY_CARPETS, KHIVA_KEY_DELIVERED,
    KHIVA_KEY_TEAPOTS, KHIVA_KEY_SALTS, KHIVA_KEY_TEAPOTS_LEFT, KHIVA_KEY_CARPETS_LEFT, KHIVA_KEY_CARPET_TOP,
    KHIVA_KEY_SALTS_LEFT, KHIVA_KEY_GEMS_LEFT, KHIVA_KEY_ENDING, KHIVA_KEY_ASK, KHIVA_KEY_PASSED, KHIVA_KEY_HISTORY, KHIVA_KEYS
} khiva_key;

/* Returns how many kinds of carpets there are of each colour (O8). */
static inline int khiva_carpet_kinds(const khiva_rules *rules)
{
    int kinds = 0;
    for (int i = 1; i <= rules->carpets[0]; i++)
        kinds += i == 1 || rules->carpets[i] != rules->carpets[i - 1];
    return kinds;
}

/* Returns how many numbers a key takes. */
static inline int khiva_key_size(const khiva_rules *rules, int seats, int key)
{
    int places = 1 + 5 * seats, cards = khiva_each(seats) * rules->max_turns;
    switch (key) {
    case KHIVA_KEY_SEATS: return 0;
    case KHIVA_KEY_SEAT: case KHIVA_KEY_HANDS: case KHIVA_KEY_GEMS: return seats;
    case KHIVA_KEY_HAND: case KHIVA_KEY_DISCARD: return KHIVA_CARDS;
    case KHIVA_KEY_TABLE: return seats * KHIVA_CARDS;
    case KHIVA_KEY_SHOWN: return seats == 2 ? KHIVA_CARDS : 0;
    case KHIVA_KEY_CAMELS: return KHIVA_CAMELS * (places + 1);
    case KHIVA_KEY_CARPETS: case KHIVA_KEY_DELIVERED: return seats * KHIVA_CAMELS * rules->carpets[0];
    case KHIVA_KEY_TEAPOTS: return seats * KHIVA_TEAPOTS;
    case KHIVA_KEY_SALTS: return seats * KHIVA_SALTS;
    case KHIVA_KEY_TEAPOTS_LEFT: return 6;
    case KHIVA_KEY_CARPETS_LEFT: return KHIVA_CAMELS * khiva_carpet_kinds(rules);
    case KHIVA_KEY_CARPET_TOP: case KHIVA_KEY_SALTS_LEFT: return 5;
    case KHIVA_KEY_GEMS_LEFT: return 2;
    case KHIVA_KEY_ENDING: return 4;
    case KHIVA_KEY_ASK: return 1 + 3 + seats + KHIVA_CAMELS + KHIVA_CARDS + KHIVA_LANDS;
    case KHIVA_KEY_PASSED: return KHIVA_CARDS * (seats + 1);
    case KHIVA_KEY_HISTORY: return (seats + 2) * cards;
    default: return 1; /* turn, deal, aside */
    }
}

/* Returns how many numbers an observation has. */
static inline int khiva_numbers(const khiva_rules *rules, int seats, uint64_t without)
{
    int total = 0;
    for (int key = 0; key < KHIVA_KEYS; key++)
        if (!(without >> key & 1))
            total += khiva_key_size(rules, seats, key);
    return total;
}

/* Returns the number of a place: 0 is the tent. */
static inline int khiva_place_number(int place)
{
    return place == KHIVA_TENT ? 0 : 5 * (place / 6) + place % 6;
}

static inline void khiva_put_cards(float *at, const uint8_t *cards)
{
    for (int i = 1; i <= cards[0]; i++)
        at[cards[i]] = 1.0f;
}

/* Writes the place of each card in a list, from 1. */
static inline void khiva_put_ranked(float *at, const uint8_t *cards)
{
    for (int i = 1; i <= cards[0]; i++)
        at[cards[i]] = (float)i;
}

/* Writes the place of each carpet in a list; of equal carpets the first stands first. */
static inline void khiva_put_carpets(const khiva_rules *rules, float *at, const uint8_t *carpets)
{
    for (int i = 1; i <= carpets[0]; i++) {
        int piece = 1;
        while (rules->carpets[piece] != carpets[i] % 10)
            piece++;
        piece += carpets[i] / 10 * rules->carpets[0] - 1;
        while (at[piece] != 0.0f)
            piece++;
        at[piece] = (float)i;
    }
}

/* Writes the place of each teapot in a list of values from 2 to 7; of equal teapots the first stands first. */
static inline void khiva_put_teapots(const khiva_rules *rules, float *at, const uint8_t *teapots)
{
    for (int i = 1; i <= teapots[0]; i++) {
        int piece = 0;
        for (int value = 2; value < teapots[i]; value++)
            piece += rules->teapots[value - 2];
        while (at[piece] != 0.0f)
            piece++;
        at[piece] = (float)i;
    }
}

static inline void khiva_put_ask(const khiva_state *s, float *at)
{
    if (s->kind <= KHIVA_PLAY_PASS)
        return;
    at = arena_put_number(at, 1);
    at = arena_put_one_of(at, 3, s->kind - KHIVA_MOVE);
    at = arena_put_one_of(at, s->seats, s->asker);
    at = arena_put_one_of(at, KHIVA_CAMELS, s->camel);
    at = arena_put_one_of(at, KHIVA_CARDS, s->card);
    for (int i = 1; i <= s->lands[0]; i++)
        at[i - 1] = (float)(1 + khiva_place_number(s->lands[i]));
}

/* Writes for each card that the seat passed and has not seen since: its place among them, the turn, the seats that may hold it.
   */
static inline void khiva_put_passed(const khiva_state *s, const khiva_memory *memory, int seat, float *at)
{
    const uint16_t *away = memory->away[seat];
    for (int card = 0; card < KHIVA_CARDS; card++, at += s->seats + 1) {
        uint8_t holders[KHIVA_SEATS];
        int place = 1, count;
        if (away[card] == 0)
            continue;
        for (int other = 0; other < KHIVA_CARDS; other++)
            place += away[other] > 0 && (away[other] < away[card] || (away[other] == away[card] && other < card));
        at[0] = (float)place;
        at[1] = (float)away[card];
        count = khiva_holders(s->seats, memory->turns, seat, away[card], holders);
        for (int i = 0; i < count; i++)
            at[2 + i] = (float)(1 + holders[i]);
    }
}

static inline void khiva_put_history(const khiva_rules *rules, const khiva_state *s, const khiva_memory *memory, int seat,
                                     float *at)
{
    int each = khiva_each(s->seats), cards = each * rules->max_turns, giver = (seat + s->seats - 1) % s->seats;
    for (int i = 0; i < memory->turns * each * s->seats; i++)
        at[i] = (float)(1 + memory->played[i]);
    at += s->seats * cards;
    for (int turn = 0; turn < memory->turns; turn++)
        for (int i = 0; i < each; i++) {
            const uint8_t *passed = memory->passed + turn * s->seats * each;
            at[turn * each + i] = (float)(1 + passed[seat * each + i]);
            at[cards + turn * each + i] = (float)(1 + passed[giver * each + i]);
        }
}

/* Writes the piles: teapots and carpets counted by kind, salt bags by bag. */
static inline void khiva_put_pile(const khiva_rules *rules, const khiva_state *s, int key, float *at)
{
    int kinds = khiva_carpet_kinds(rules);
    if (key == KHIVA_KEY_TEAPOTS_LEFT)
        for (int i = 1; i <= s->teapot_pile[0]; i++)
            at[s->teapot_pile[i] - 2] += 1.0f;
    else if (key == KHIVA_KEY_SALTS_LEFT)
        for (int i = 1; i <= s->salt_pile[0]; i++)
            at[10 - s->salt_pile[i]] = 1.0f;
    else
        for (int i = 1; i <= s->carpet_pile[0]; i++) {
            int kind = 0;
            for (int j = 2; j <= rules->carpets[0] && rules->carpets[j] <= s->carpet_pile[i] % 10; j++)
                kind += rules->carpets[j] != rules->carpets[j - 1];
            at[s->carpet_pile[i] / 10 * kinds + kind] += 1.0f;
        }
}

/* Writes one key of a seat's observation. */
static inline void khiva_put_key(const khiva_rules *rules, const khiva_state *s, const khiva_memory *memory, int seat, int key,
                                 float *at)
{
    int places = 1 + 5 * s->seats, carpets = KHIVA_CAMELS * rules->carpets[0];
    switch (key) {
    case KHIVA_KEY_SEAT: at[seat] = 1.0f; break;
    case KHIVA_KEY_TURN: *at = (float)s->turn; break;
    case KHIVA_KEY_DEAL: *at = (float)s->deal; break;
    case KHIVA_KEY_HAND: khiva_put_cards(at, s->hand[seat]); break;
    case KHIVA_KEY_DISCARD: khiva_put_ranked(at, s->discard); break;
    case KHIVA_KEY_SHOWN: khiva_put_ranked(at, s->shown); break;
    case KHIVA_KEY_ASIDE: *at = (float)s->aside[0]; break;
    case KHIVA_KEY_CAMELS:
        for (int camel = 0; camel < KHIVA_CAMELS; camel++)
            at = arena_put_number(arena_put_one_of(at, places, khiva_place_number(s->place[camel])), s->load[camel]);
        break;
    case KHIVA_KEY_TEAPOTS_LEFT: case KHIVA_KEY_CARPETS_LEFT: case KHIVA_KEY_SALTS_LEFT: khiva_put_pile(rules, s, key, at); break;
    case KHIVA_KEY_CARPET_TOP:
        if (rules->top_visible && s->carpet_pile[0] > 0) /* O7 */
            at[s->carpet_pile[s->carpet_pile[0]] / 10] = 1.0f;
        break;
    case KHIVA_KEY_GEMS_LEFT:
        if (s->supply != KHIVA_UNLIMITED) /* O5 */
            arena_put_number(arena_put_number(at, 1), s->supply);
        break;
    case KHIVA_KEY_ENDING: arena_put_one_of(at, 4, s->ending - KHIVA_BY_TEAPOTS); break;
    case KHIVA_KEY_ASK: khiva_put_ask(s, at); break;
    case KHIVA_KEY_PASSED: khiva_put_passed(s, memory, seat, at); break;
    case KHIVA_KEY_HISTORY: khiva_put_history(rules, s, memory, seat, at); break;
    case KHIVA_KEY_TABLE:
        for (int camel = 0; camel < KHIVA_CAMELS; camel++)
            for (int i = 1; i <= s->bids[camel][0]; i++)
                at[s->bidder[s->bids[camel][i]] * KHIVA_CARDS + s->bids[camel][i]] = 1.0f;
        break;
    default:
        for (int other = 0; other < s->seats; other++)
            switch (key) {
            case KHIVA_KEY_HANDS: at[other] = (float)s->hand[other][0]; break;
            case KHIVA_KEY_GEMS: at[other] = (float)s->gems[other]; break;
            case KHIVA_KEY_CARPETS: khiva_put_carpets(rules, at + other * carpets, s->carpets[other]); break;
            case KHIVA_KEY_DELIVERED: khiva_put_carpets(rules, at + other * carpets, s->delivered[other]); break;
            case KHIVA_KEY_TEAPOTS: khiva_put_teapots(rules, at + other * KHIVA_TEAPOTS, s->teapots[other]); break;
            case KHIVA_KEY_SALTS:
                for (int i = 1; i <= s->salts[other][0]; i++)
                    at[other * KHIVA_SALTS + 10 - s->salts[other][i]] = (float)i;
                break;
            default: break;
            }
    }
}

/* Writes what a seat sees, as khiva_numbers numbers, and returns how many. */
static inline int khiva_observe(const khiva_rules *rules, const khiva_state *s, const khiva_memory *memory, int seat,
                                uint64_t without, float *numbers)
{
    int total = khiva_numbers(rules, s->seats, without), at = 0;
    memset(numbers, 0, (size_t)total * sizeof *numbers);
    for (int key = 0; key < KHIVA_KEYS; key++)
        if (!(without >> key & 1)) {
            khiva_put_key(rules, s, memory, seat, key, numbers + at);
            at += khiva_key_size(rules, s->seats, key);
        }
    return total;
}

/* --- actions: 0 waits, then the choices of a first hand, two of a move, six of a boost, three of shop 4 --- */

/* Returns how many actions there are, that of waiting included. */
static inline int khiva_actions(const khiva_rules *rules, int seats)
{
    int hand = khiva_first_hand(seats);
    (void)rules;
    return 1 + (seats == 2 ? khiva_pairs(hand) * khiva_pairs(hand - 2) : hand * (hand - 1)) + 2 + KHIVA_LANDS + 3;
}

/* Returns the rank of a rising pair of positions among all pairs of `of` positions. */
static inline int khiva_pair_rank(int first, int second, int of)
{
    return khiva_pairs(of) - khiva_pairs(of - first) + second - first - 1;
}

/* Returns the action that means a choice of a seat that is asked. */
static inline int khiva_action(const khiva_rules *rules, const khiva_state *s, int seat, int choice)
{
    int hand = khiva_first_hand(s->seats), last = khiva_actions(rules, s->seats);
    khiva_entry entry;
    const int *at = entry.item;
    khiva_choice(rules, s, seat, choice, &entry);
    switch (s->kind) {
    case KHIVA_MOVE: return last - 3 - KHIVA_LANDS - 2 + at[0];
    case KHIVA_BOOST: return last - 3 - KHIVA_LANDS + at[0];
    case KHIVA_SHOP4: return last - 3 + at[0];
    default: break;
    }
    if (s->seats > 2)
        return 1 + at[0] * (hand - 1) + at[1] - (at[1] > at[0]);
    return 1 + khiva_pair_rank(at[0], at[1], hand) * khiva_pairs(hand - 2)
        + khiva_pair_rank(at[2] - (at[2] > at[0]) - (at[2] > at[1]), at[3] - (at[3] > at[0]) - (at[3] > at[1]), hand - 2);
}

#endif
