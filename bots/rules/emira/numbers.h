/* What a seat sees and may do, as numbers for a trainer: khiva_arena/env/emira.py in C. docs/trainers.md explains them. */
#ifndef EMIRA_NUMBERS_H
#define EMIRA_NUMBERS_H

#include "../arena/numbers.h"
#include "view.h"

/* The keys of an observation, in their order. */
typedef enum {
    EMIRA_KEY_SEAT, EMIRA_KEY_SEATS, EMIRA_KEY_ROUND, EMIRA_KEY_START, EMIRA_KEY_PHASE, EMIRA_KEY_COLOURS, EMIRA_KEY_GOAL,
    EMIRA_KEY_HAND, EMIRA_KEY_HANDS, EMIRA_KEY_GOLD, EMIRA_KEY_GOLD_SHOWN, EMIRA_KEY_CARAVANS, EMIRA_KEY_CAMELS,
    EMIRA_KEY_DISCOUNT, EMIRA_KEY_OFF_BID, EMIRA_KEY_APPEARANCE, EMIRA_KEY_COUNTERS, EMIRA_KEY_SETS, EMIRA_KEY_GOOD_LOOKING,
    EMIRA_KEY_STATUS, EMIRA_KEY_STATUS_CARDS, EMIRA_KEY_PALACE, EMIRA_KEY_SECTIONS, EMIRA_KEY_GUESTS, EMIRA_KEY_ROOM,
    EMIRA_KEY_PRINCESSES, EMIRA_KEY_UPKEEP, EMIRA_KEY_ARRIVALS, EMIRA_KEY_MET, EMIRA_KEY_LOST, EMIRA_KEY_XENIA,
    EMIRA_KEY_XENIA_LEFT, EMIRA_KEY_ACTIVE, EMIRA_KEY_COMING, EMIRA_KEY_UNDECIDED, EMIRA_KEY_FRESH, EMIRA_KEY_SWAPPED,
    EMIRA_KEY_GONE, EMIRA_KEY_REMOVED, EMIRA_KEY_BOARD, EMIRA_KEY_SUPPLY, EMIRA_KEY_BONUS_LEFT, EMIRA_KEY_BAG,
    EMIRA_KEY_EMIRA_DECK, EMIRA_KEY_EMIRA_TURNED, EMIRA_KEY_STATUS_DECK, EMIRA_KEY_EVENT_DECK, EMIRA_KEY_EFFECTS,
    EMIRA_KEY_AUCTION, EMIRA_KEY_SETTLED, EMIRA_KEY_PAID, EMIRA_KEY_ENDING, EMIRA_KEY_GOALS, EMIRA_KEY_ASK,
    EMIRA_KEYS
} emira_key;

/* Returns how many numbers a key has. */
static inline int emira_key_size(int seats, int key)
{
    /* by key: numbers apart from those that each seat has, and these */
    static const uint8_t size[EMIRA_KEYS][2] = {
        {0, 1}, {0, 0}, {1, 0}, {0, 1}, {9, 0}, {0, 5}, {0, 0}, {54, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 32}, {0, 1}, {0, 1},
        {0, 1}, {0, 1}, {0, 3}, {0, 1}, {0, 3}, {0, 1}, {0, 20}, {0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 28}, {0, 1}, {0, 1},
        {0, 28}, {0, 1}, {3, 1}, {0, 1}, {28, 0}, {28, 0}, {28, 0}, {28, 0}, {28, 0}, {28, 0}, {20, 0}, {8, 0}, {4, 0}, {2, 0},
        {3, 0}, {29, 0}, {28, 0}, {21, 0}, {55, 0}, {25, 2}, {2, 5}, {0, 1}, {0, 1}, {2, 0}, {1, 0}, {57, 1}};
    int goals = key == EMIRA_KEY_GOAL ? emira_goals(seats) : key == EMIRA_KEY_GOALS ? seats * emira_goals(seats) : 0;
    return size[key][0] + size[key][1] * seats + goals;
}

/* Returns how long an observation is. without: bit i leaves out key i. */
static inline int emira_numbers(const emira_rules *rules, int seats, uint64_t without)
{
    int total = 0;
    (void)rules;
    for (int key = 0; key < EMIRA_KEYS; key++)
        if (!(without >> key & 1))
            total += emira_key_size(seats, key);
    return total;
}

/* Writes a 1 at each place of a mask. */
static inline float *emira_put_mask(float *at, uint32_t mask, int places)
{
    for (int i = 0; i < places; i++)
        at[i] = (float)(mask >> i & 1);
    return at + places;
}

/* Writes by piece its place in a list of cards of a deck's kind, from 1; of equal pieces the first stands first. seen: by item
   the mask of the seats that see it, of which one looks; or NULL. */
static inline void emira_put_seen(float *at, int which, const uint8_t *list, const uint8_t *seen, int seat)
{
    static const uint8_t first[EMIRA_PRICES] = {0, 3, 7, 10, 11, 12, 14, 15, 16, 17, 18, 19};
    uint8_t used[EMIRA_EMIRAS] = {0};
    for (int i = 1; i <= list[0]; i++)
        if (!seen || seen[i] >> seat & 1) {
            int card = list[i], copy = used[card]++;
            at[which == 0 ? card : which == 1 ? first[card] + copy : card + EMIRA_EVENTS * copy] = (float)i;
        }
}

/* Writes a list of cards that all see. */
static inline void emira_put_ranked(float *at, int which, const uint8_t *list)
{
    emira_put_seen(at, which, list, NULL, 0);
}

/* Writes a list of cards that is given by how many there are of each, rising, as emira_put_ranked does. */
static inline void emira_put_counts(float *at, int which, const uint8_t *counts, int faces)
{
    uint8_t list[EMIRA_EVENTS * EMIRA_COPIES + 1];
    list[0] = (uint8_t)emira_rising(counts, faces, list + 1);
    emira_put_ranked(at, which, list);
}

/* Writes how many cards a deck has, and those that a seat knows. */
static inline void emira_put_deck(float *at, int which, const emira_deck *deck, int seat)
{
    emira_put_seen(arena_put_number(at, deck->card[0]), which, deck->card, deck->seen, seat);
}

/* Writes those Emiras of a list that are in a mask. */
static inline void emira_put_some(float *at, const uint8_t *list, uint32_t mask)
{
    int place = 0;
    for (int i = 1; i <= list[0]; i++)
        if (mask >> list[i] & 1)
            at[list[i]] = (float)++place;
}

/* Writes the last items of a list, as numbers from `first`. */
static inline float *emira_put_last(float *at, int most, const uint8_t *list, int first)
{
    int from = list[0] > most ? list[0] - most : 0;
    for (int i = from; i < list[0]; i++)
        at[i - from] = (float)(list[i + 1] + first);
    return at + most;
}

/* Returns the number that a key has for a seat, if it is one. */
static inline int emira_seat_number(const emira_state *s, int key, int seat)
{
    const emira_table *t = &s->table;
    switch (key) {
    case EMIRA_KEY_HANDS: return emira_hand_size(s, seat);
    case EMIRA_KEY_CAMELS: return t->camels[seat];
    case EMIRA_KEY_DISCOUNT: return emira_track(t->breed[seat]);
    case EMIRA_KEY_OFF_BID: return emira_discount(t, seat);
    case EMIRA_KEY_APPEARANCE: return emira_appearance(t, seat);
    case EMIRA_KEY_SETS: return emira_sets(t, seat);
    case EMIRA_KEY_STATUS: return emira_status(t, seat);
    case EMIRA_KEY_PALACE: return emira_palace(t, seat);
    case EMIRA_KEY_SECTIONS: return t->sections[seat];
    case EMIRA_KEY_GUESTS: return t->guests[seat];
    case EMIRA_KEY_ROOM: return emira_room(t, seat);
    case EMIRA_KEY_UPKEEP: return emira_upkeep(t, seat);
    case EMIRA_KEY_ARRIVALS: return t->arrivals[seat];
    default: return t->lost[seat];
    }
}

/* Writes a key that each seat has, for one of them, as `seat` sees it. */
static inline void emira_put_seat(const emira_rules *rules, const emira_state *s, int seat, int key, int other, float *at)
{
    const emira_table *t = &s->table;
    switch (key) {
    case EMIRA_KEY_COLOURS: arena_put_one_of(at, 5, t->colours[other]); break;
    case EMIRA_KEY_GOLD:
        if (emira_sees_gold(rules, t, seat, other))
            arena_put_number(arena_put_number(at, 1), (int)t->gold[other]);
        break;
    case EMIRA_KEY_GOLD_SHOWN:
        if (t->shown_round[other])
            arena_put_number(arena_put_number(arena_put_number(at, 1), t->shown_round[other]), (int)t->shown_gold[other]);
        break;
    case EMIRA_KEY_CARAVANS:
        for (int i = 0; i < EMIRA_CARAVANS * EMIRA_LEFT; i++)
            at[i] = (float)t->caravans[other][i / EMIRA_LEFT][i % EMIRA_LEFT];
        break;
    case EMIRA_KEY_COUNTERS:
        for (int kind = 0; kind < EMIRA_COUNTERS; kind++)
            at[kind] = (float)t->counters[other][kind];
        break;
    case EMIRA_KEY_GOOD_LOOKING: emira_put_last(at, EMIRA_COPIES, t->looking[other], 1); break;
    case EMIRA_KEY_STATUS_CARDS: emira_put_counts(at, 1, t->status[other], EMIRA_PRICES); break;
    case EMIRA_KEY_PRINCESSES: emira_put_ranked(at, 0, t->princesses[other]); break;
    case EMIRA_KEY_MET: emira_put_mask(at, t->met[other], EMIRA_EMIRAS); break;
    default: arena_put_number(at, emira_seat_number(s, key, other)); break;
    }
}

/* Writes where Xenia lives and when she wants her next gift. */
static inline void emira_put_xenia(const emira_table *t, float *at)
{
    for (int seat = 0; seat < t->seats; seat++)
        if (emira_has(t, seat, EMIRA_XENIA)) {
            at = arena_put_one_of(arena_put_number(at, 1), t->seats, seat);
            arena_put_number(arena_put_number(at, t->gift_round), t->gift_first);
            return;
        }
}

/* Returns the place of a seat among all, -1 for nobody. */
static inline int emira_place(int seat)
{
    return seat == EMIRA_NOBODY ? -1 : seat;
}

/* Writes what this round's event cards do. */
static inline void emira_put_effects(const emira_table *t, float *at)
{
    at = arena_put_number(arena_put_number(arena_put_number(at, t->golden), t->interrupted), t->sick);
    at = arena_put_one_of(arena_put_number(arena_put_number(at, t->quiet), t->doubles), 2, !t->early);
    at = arena_put_one_of(arena_put_one_of(at, t->seats, emira_place(t->bazaar)), t->seats, emira_place(t->noble));
    emira_put_mask(at, t->blocked, EMIRA_EVENTS);
}

/* Writes the auction in progress. */
static inline void emira_put_auction(const emira_table *t, float *at)
{
    if (t->phase != EMIRA_IN_AUCTION)
        return;
    at = emira_put_mask(emira_put_mask(arena_put_number(at, 1), t->served, t->seats), t->bidding, t->seats);
    at = arena_put_one_of(arena_put_number(at, (int)t->bid), t->seats, emira_place(t->bidder));
    arena_put_one_of(arena_put_one_of(at, t->seats, emira_place(t->free)), t->seats, t->last);
}

/* Returns the place of the open question's subject among all, -1 if it has none. */
static inline int emira_about(const emira_table *t)
{
    switch (t->kind) {
    case EMIRA_ORDER: return t->about;
    case EMIRA_SPLIT: return 2 + t->about;
    case EMIRA_VERMIN_MOVE: return 2 + EMIRA_EVENTS + t->about;
    case EMIRA_MIND: return 2 + EMIRA_EVENTS + EMIRA_CARAVANS + t->about;
    case EMIRA_GIFT: return 29;
    default: return -1;
    }
}

/* Writes the open question, and to the seat that is asked the cards at which it looks. */
static inline void emira_put_question(const emira_state *s, int seat, float *at)
{
    const emira_table *t = &s->table;
    const uint8_t *top = t->kind == EMIRA_KEEP ? s->events.card + 1 : t->about ? s->status.card + 1 : s->emiras.card + 1;
    int first = t->kind == EMIRA_KEEP ? 1 : t->about ? 1 + EMIRA_EVENTS + EMIRA_EMIRAS : 1 + EMIRA_EVENTS;
    int looks = t->kind == EMIRA_KEEP ? t->looks : t->kind == EMIRA_ORDER ? (s->options & 3 ? 2 : 3) : 0;
    if (t->kind == EMIRA_OVER || t->kind == EMIRA_FIRST_EVENT)
        return;
    at = arena_put_one_of(arena_put_number(at, 1), EMIRA_DECISIONS - 1, t->kind - EMIRA_FIRST_EVENT);
    at = arena_put_one_of(arena_put_one_of(at, t->seats, t->asker), 30, emira_about(t));
    if (t->asker != seat)
        return;
    at = arena_put_number(at, 1);
    for (int i = 0; i < looks; i++)
        at[i] = (float)(top[i] + first);
    if (t->kind == EMIRA_MIND)
        at[0] = (float)(s->emiras.card[t->about + 1] + 1 + EMIRA_EVENTS);
}

/* Writes a key that is not by seat. */
static inline void emira_put_key(const emira_state *s, int seat, int key, float *at)
{
    const emira_table *t = &s->table;
    uint32_t face_up = s->turned & emira_face_up(t);
    int place = 0;
    switch (key) {
    case EMIRA_KEY_SEAT: arena_put_one_of(at, t->seats, seat); break;
    case EMIRA_KEY_ROUND: arena_put_number(at, t->round); break;
    case EMIRA_KEY_START: arena_put_one_of(at, t->seats, t->start); break;
    case EMIRA_KEY_PHASE: arena_put_one_of(at, EMIRA_AT_END + 1, t->phase); break;
    case EMIRA_KEY_GOAL: arena_put_one_of(at, emira_goals(t->seats), s->goals[seat]); break;
    case EMIRA_KEY_HAND: emira_put_counts(at, 2, s->hand[seat], EMIRA_EVENTS); break;
    case EMIRA_KEY_XENIA: emira_put_xenia(t, at); break;
    case EMIRA_KEY_XENIA_LEFT: arena_put_one_of(at, t->seats, emira_place(t->xenia_left)); break;
    case EMIRA_KEY_ACTIVE: emira_put_ranked(at, 0, t->active); break;
    case EMIRA_KEY_COMING: emira_put_ranked(at, 0, t->coming); break;
    case EMIRA_KEY_UNDECIDED: emira_put_ranked(at, 0, t->undecided); break;
    case EMIRA_KEY_FRESH: emira_put_some(at, t->undecided, t->fresh); break;
    case EMIRA_KEY_SWAPPED:
        for (int card = 0; card < EMIRA_EMIRAS; card++)
            if (face_up >> card & 1)
                at[card] = (float)++place;
        break;
    case EMIRA_KEY_GONE: emira_put_ranked(at, 0, t->gone); break;
    case EMIRA_KEY_REMOVED: emira_put_ranked(at, 1, t->removed); break;
    case EMIRA_KEY_BOARD:
        at = emira_put_last(emira_put_last(at, 2, t->shown_counters, 1), 2, t->shown_status, 1);
        emira_put_mask(at, t->open & 3u, 2);
        at[2] = (float)(t->open >> EMIRA_CAMELS & 1), at[3] = (float)(t->open >> EMIRA_SECTIONS & 1);
        break;
    case EMIRA_KEY_SUPPLY:
        for (int item = 0; item < EMIRA_ITEMS; item++)
            at[item] = (float)t->supply[item];
        break;
    case EMIRA_KEY_BONUS_LEFT:
        if (t->bonus_left != EMIRA_NOBODY)
            arena_put_number(arena_put_number(at, 1), t->bonus_left);
        break;
    case EMIRA_KEY_BAG:
        for (int kind = 0; kind < EMIRA_COUNTERS; kind++)
            at[kind] = (float)t->bag[kind];
        break;
    case EMIRA_KEY_EMIRA_DECK: emira_put_deck(at, 0, &s->emiras, seat); break;
    case EMIRA_KEY_EMIRA_TURNED: emira_put_mask(at, emira_turned_places(s), EMIRA_EMIRAS); break;
    case EMIRA_KEY_STATUS_DECK: emira_put_deck(at, 1, &s->status, seat); break;
    case EMIRA_KEY_EVENT_DECK: emira_put_deck(at, 2, &s->events, seat); break;
    case EMIRA_KEY_EFFECTS: emira_put_effects(t, at); break;
    case EMIRA_KEY_AUCTION: emira_put_auction(t, at); break;
    case EMIRA_KEY_SETTLED: emira_put_mask(at, t->settled, t->seats); break;
    case EMIRA_KEY_PAID: emira_put_mask(at, t->paid, t->seats); break;
    case EMIRA_KEY_ENDING: arena_put_one_of(at, 2, t->ending - EMIRA_BY_GOAL); break;
    case EMIRA_KEY_GOALS:
        if (t->phase == EMIRA_AT_END)
            *at++ = 1.0f;
        for (int other = 0; other < t->seats && t->phase == EMIRA_AT_END; other++)
            at = arena_put_one_of(at, emira_goals(t->seats), s->goals[other]);
        break;
    case EMIRA_KEY_ASK: emira_put_question(s, seat, at); break;
    default: break;
    }
}

/* Tells whether a key has a value for each seat. */
static inline int emira_is_by_seat(int key)
{
    return key == EMIRA_KEY_COLOURS || (key >= EMIRA_KEY_HANDS && key <= EMIRA_KEY_LOST);
}

/* Writes what a seat sees, as emira_numbers numbers, and returns how many. memory is not read. */
static inline int emira_observe(const emira_rules *rules, const emira_state *s, const emira_memory *memory, int seat,
                                uint64_t without, float *numbers)
{
    int total = emira_numbers(rules, s->table.seats, without), seats = s->table.seats;
    (void)memory;
    memset(numbers, 0, (size_t)total * sizeof *numbers);
    for (int key = 0; key < EMIRA_KEYS; key++) {
        int size = emira_key_size(seats, key);
        if (without >> key & 1)
            continue;
        if (emira_is_by_seat(key))
            for (int other = 0; other < seats; other++)
                emira_put_seat(rules, s, seat, key, other, numbers + other * size / seats);
        else
            emira_put_key(s, seat, key, numbers);
        numbers += size;
    }
    return total;
}

/* --- actions: 0 waits, then all entries that there can be, by kind; a bid counts the steps of 10 above the least --- */

/* Returns the first action of a kind of decision; of EMIRA_DECISIONS how many actions there are. */
static inline int emira_first_action(int kind)
{
    static const uint8_t entries[EMIRA_DECISIONS] = {1, 18, 19, 5, 3, 8, 2, 3, 32, 4, 44, EMIRA_PRICES, 3, 2,
                                                     10, 3, EMIRA_PRICES, 3, 18, 3, EMIRA_PRICES, 28, 2};
    int first = kind > EMIRA_BID ? EMIRA_BIDS_MOST : 0;
    for (int other = EMIRA_OVER; other < kind; other++)
        first += entries[other];
    return first;
}

/* Returns how many actions there are, that of waiting included. */
static inline int emira_actions(const emira_rules *rules, int seats)
{
    (void)rules, (void)seats;
    return emira_first_action(EMIRA_DECISIONS);
}

/* Returns the action that means a choice of a seat; 0 if it is none. */
static inline int emira_action(const emira_rules *rules, const emira_state *s, int seat, int choice)
{
    if (choice < 0 || choice >= emira_choices(rules, s, seat))
        return 0;
    return emira_first_action(s->table.kind) + emira_option(s, seat, choice);
}

#endif
