/* Emira's chance: the deal, the appearance counters and the riots, each from a stream of its own (RULES.md, "The deal"). */
#ifndef EMIRA_DEALING_H
#define EMIRA_DEALING_H

#include "values.h"

/* Opens the stream of a purpose and an ordinal. */
static inline void emira_open(arena_stream *stream, const emira_state *s, const char *purpose, int ordinal)
{
    char ordinal_text[12] = {0}, *digits = ordinal_text + 11;
    const char *labels[3] = {"emira", purpose, NULL};
    for (int left = ordinal; left > 0; left /= 10)
        *--digits = (char)('0' + left % 10);
    labels[2] = digits;
    arena_open(stream, s->secret, s->quick, labels, 3);
}

/* Shuffles cards with the stream of a purpose and an ordinal. */
static inline void emira_shuffle(const emira_state *s, const char *purpose, int ordinal, uint8_t *cards, int count)
{
    arena_stream stream;
    emira_open(&stream, s, purpose, ordinal);
    arena_shuffle(&stream, cards, count);
}

/* Draws a number below `below` with the stream of a purpose and an ordinal. */
static inline int emira_lot(const emira_state *s, const char *purpose, int ordinal, int below)
{
    arena_stream stream;
    emira_open(&stream, s, purpose, ordinal);
    return (int)arena_below(&stream, (uint64_t)below);
}

/* Writes the cards of a stock, rising, and returns how many. */
static inline int emira_rising(const uint8_t *stock, int faces, uint8_t *cards)
{
    int count = 0;
    for (int card = 0; card < faces; card++)
        for (int copy = 0; copy < stock[card]; copy++)
            cards[count++] = (uint8_t)card;
    return count;
}

/* Writes how many there are of each event card: none of Restoration in the basic game (E17). */
static inline void emira_event_stock(int advanced, uint8_t stock[EMIRA_EVENTS])
{
    memset(stock, EMIRA_COPIES, EMIRA_EVENTS);
    if (!advanced)
        stock[EMIRA_CARD_RESTORATION] = 0;
}

/* Lays the status deck: cards below 3 points on top, then all others (E15, E16). */
static inline void emira_deal_status(emira_state *s)
{
    uint8_t stock[EMIRA_PRICES], cards[EMIRA_STATUS_CARDS];
    int small, count, top = emira_status_on_top(s->table.seats);
    for (int card = 0; card < EMIRA_PRICES; card++)
        stock[card] = (uint8_t)emira_status_copies(card, s->table.seats);
    for (int seat = 0; seat < s->table.seats; seat++)
        if (s->table.colours[seat] == EMIRA_RED)
            stock[EMIRA_RED_CARD]--;
    small = emira_rising(stock, 8, cards);
    emira_shuffle(s, "status", 1, cards, small);
    for (int i = 0; i < top; i++)
        stock[cards[i]]--;
    count = top + emira_rising(stock, EMIRA_PRICES, cards + top);
    emira_shuffle(s, "status", 2, cards + top, count - top);
    emira_lay(&s->status, cards, count);
}

/* Deals three event cards to each seat, and lays the others, rising (E17). */
static inline void emira_deal_events(emira_state *s, int advanced)
{
    uint8_t stock[EMIRA_EVENTS], cards[EMIRA_EVENTS * EMIRA_COPIES];
    int count;
    emira_event_stock(advanced, stock);
    count = emira_rising(stock, EMIRA_EVENTS, cards);
    emira_shuffle(s, "events", 1, cards, count);
    for (int i = 0; i < 3 * s->table.seats; i++) {
        s->hand[i / 3][cards[i]]++;
        stock[cards[i]]--;
    }
    count = emira_rising(stock, EMIRA_EVENTS, cards);
    emira_lay(&s->events, cards, count);
}

/* Shuffles the status deck after a Noble Merchandise (E35). */
static inline void emira_reshuffle_status(emira_state *s)
{
    uint8_t stock[EMIRA_PRICES] = {0}, cards[EMIRA_STATUS_CARDS + 1];
    int count;
    for (int i = 1; i <= s->status.card[0]; i++)
        stock[s->status.card[i]]++;
    count = emira_rising(stock, EMIRA_PRICES, cards);
    emira_shuffle(s, "status", 2 + ++s->shuffles, cards, count);
    emira_lay(&s->status, cards, count);
}

/* Draws the kind of this round's appearance counter (E20). */
static inline int emira_draw_counter(const emira_state *s)
{
    const uint8_t *bag = s->table.bag;
    int lot = emira_lot(s, "appearance", s->table.round, bag[0] + bag[1] + bag[2]);
    return lot < bag[0] ? EMIRA_BEAUTY : lot < bag[0] + bag[1] ? EMIRA_MANNERS : EMIRA_DRESS;
}

/* Draws one of a seat's princesses, in a riot whose stream is given (E9). */
static inline int emira_draw_runaway(const emira_table *t, int seat, arena_stream *riot)
{
    uint32_t palace = emira_mask(t->princesses[seat]);
    return emira_bit(palace, (int)arena_below(riot, (uint64_t)t->princesses[seat][0]));
}

#endif
