/* Khiva's chance: the deal, the redeals and the two hidden piles, each from a stream of its own (RULES.md, "The deal"). */
#ifndef KHIVA_DEALING_H
#define KHIVA_DEALING_H

#include "memory.h"

/* Opens the stream of one purpose; ordinal: the number of the deal, else 1. */
static inline void khiva_open(arena_stream *stream, const khiva_state *s, const char *purpose, int ordinal)
{
    char text[12] = {0}, *digits = text + 11;
    for (; ordinal > 0; ordinal /= 10)
        *--digits = (char)('0' + ordinal % 10);
    const char *const labels[3] = {"khiva", purpose, digits};
    arena_open(stream, s->secret, s->quick, labels, 3);
}

/* Deals the cards of a pool on top of what the hands hold, and puts the rest aside (K1, K15, K21). */
static inline void khiva_deal_cards(khiva_state *s, uint32_t pool, int each)
{
    uint8_t cards[KHIVA_CARDS];
    int count = 0, at = 0;
    arena_stream stream;
    for (int i = 0; i < KHIVA_CARDS; i++) /* by colour, in it by value */
        if (pool >> khiva_card(i / 5, i % 5 + 1) & 1)
            cards[count++] = (uint8_t)khiva_card(i / 5, i % 5 + 1);
    khiva_open(&stream, s, "deal", s->deal);
    arena_shuffle(&stream, cards, count);
    for (int seat = 0; seat < s->seats; seat++)
        for (int i = 0; i < each && at < count; i++)
            khiva_insert(s->hand[seat], cards[at++]);
    s->discard[0] = s->shown[0] = s->aside[0] = 0;
    for (; at < count; at++)
        khiva_push(s->seats == 2 && s->shown[0] < KHIVA_SHOWN ? s->shown : s->aside, cards[at]);
}

/* Deals the discard and all that is aside (K15, K21). */
static inline void khiva_redeal(khiva_state *s)
{
    const uint8_t *const from[3] = {s->discard, s->aside, s->shown};
    uint32_t pool = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 1; j <= from[i][0]; j++)
            pool |= (uint32_t)1 << from[i][j];
    khiva_deal_cards(s, pool, khiva_first_hand(s->seats) - khiva_each(s->seats));
}

/* Shuffles all teapots, of which the first five go on the camels (K13), and all carpets. */
static inline void khiva_build_piles(khiva_state *s, const khiva_rules *rules)
{
    uint8_t pieces[KHIVA_CARPETS];
    int count = 0;
    arena_stream stream;
    for (int value = 2; value <= 7; value++)
        for (int i = 0; i < rules->teapots[value - 2]; i++)
            pieces[count++] = (uint8_t)value;
    khiva_open(&stream, s, "teapots", 1);
    arena_shuffle(&stream, pieces, count);
    for (int camel = 0; camel < KHIVA_CAMELS; camel++)
        s->load[camel] = pieces[camel];
    while (count > KHIVA_CAMELS)
        khiva_push(s->teapot_pile, pieces[--count]);
    count = 0;
    for (int colour = 0; colour < KHIVA_CAMELS; colour++)
        for (int i = 1; i <= rules->carpets[0]; i++)
            pieces[count++] = (uint8_t)(10 * colour + rules->carpets[i]);
    khiva_open(&stream, s, "carpets", 1);
    arena_shuffle(&stream, pieces, count);
    while (count > 0)
        khiva_push(s->carpet_pile, pieces[--count]);
    for (int value = 6; value <= 10; value++)
        khiva_push(s->salt_pile, value);
}

/* Sets up a match as the arena does from its secret (K1, K13, K21). memory: what the seats see from here on, or NULL. quick: all
   chance comes from the quick generator, seeded by the secret: other deals, equally likely. Returns KHIVA_OK or KHIVA_BAD_SEATS.
   */
static inline int khiva_new(khiva_state *s, khiva_memory *memory, const khiva_rules *rules, int seats,
                            const unsigned char secret[ARENA_SECRET], int quick)
{
    if (seats < 2 || seats > KHIVA_SEATS)
        return KHIVA_BAD_SEATS;
    memset(s, 0, sizeof *s);
    memcpy(s->secret, secret, ARENA_SECRET);
    s->seats = (uint8_t)seats, s->quick = quick != 0, s->turn = s->deal = 1;
    s->supply = rules->supply;
    s->kind = KHIVA_PLAY_PASS, s->camel = KHIVA_CAMELS;
    khiva_build_piles(s, rules);
    khiva_deal_cards(s, ((uint32_t)1 << KHIVA_CARDS) - 1, khiva_first_hand(seats));
    if (memory)
        khiva_forget(memory);
    return KHIVA_OK;
}

#endif
