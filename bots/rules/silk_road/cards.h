/* Chance of Silk Road, and moves of goods cards between hands, displays, open cards, pile and discard pile, with what seats
   remember of them. memory: NULL if nobody wants to see. */
#ifndef SILK_ROAD_CARDS_H
#define SILK_ROAD_CARDS_H

#include "state.h"

/* Codes of the history, beside 20 * seat (RULES.md, "The view"). */
enum {
    SILK_ROAD_SEAT_CODES = 20,
    SILK_ROAD_GIVEN = 5,
    SILK_ROAD_BLIND = 10,
    SILK_ROAD_TURNED_UP = 100,
    SILK_ROAD_RESHUFFLE = 105
};

/* Shuffles with the stream of a purpose (RULES.md, "The deal"). */
static inline void silk_road_shuffle(const silk_road_state *s, const char *purpose, int ordinal, uint8_t *items, int count)
{
    char text[8] = {0}, *digits = text + 7;
    const char *labels[3];
    arena_stream stream;
    for (; ordinal > 0; ordinal /= 10)
        *--digits = (char)('0' + ordinal % 10);
    labels[0] = "silk_road", labels[1] = purpose, labels[2] = digits;
    arena_open(&stream, s->secret, s->quick, labels, 3);
    arena_shuffle(&stream, items, count);
}

static inline void silk_road_note(silk_road_memory *memory, int code)
{
    if (memory && memory->codes < SILK_ROAD_CODES)
        memory->code[memory->codes++] = (uint8_t)code;
}

/* Tells whether the pile has a card, if need be after a reshuffle. */
static inline int silk_road_can_draw(const silk_road_state *s)
{
    return s->pile[0] > 0 || s->discard[0] > 0;
}

/* Turns items over into a list, so that the first lies on top. */
static inline void silk_road_stack(uint8_t *list, const uint8_t *items, int count)
{
    list[0] = 0;
    while (count > 0)
        silk_road_push(list, items[--count]);
}

/* Makes the discards the pile (S16). */
static inline void silk_road_reshuffle(silk_road_state *s, silk_road_memory *memory)
{
    uint8_t counts[SILK_ROAD_GOODS] = {0}, cards[SILK_ROAD_CARDS];
    int count = 0;
    for (int i = 1; i <= s->discard[0]; i++)
        counts[s->discard[i]]++;
    for (int good = 0; good < SILK_ROAD_GOODS; good++)
        for (int i = 0; i < counts[good]; i++)
            cards[count++] = (uint8_t)good;
    s->shuffles++;
    silk_road_shuffle(s, "goods", s->shuffles + 1, cards, count);
    silk_road_stack(s->pile, cards, count);
    s->discard[0] = 0;
    if (memory) {
        memcpy(memory->pool, counts, sizeof counts);
        memset(memory->fresh, 0, sizeof memory->fresh);
        if (memory->shuffles < SILK_ROAD_SHUFFLES)
            memcpy(memory->shuffle[memory->shuffles++], counts, sizeof counts);
    }
    silk_road_note(memory, SILK_ROAD_RESHUFFLE);
}

/* Shuffles the discards when the pile has just run out (S16), unless the rules wait until a card is needed (O13). */
static inline void silk_road_restore_pile(const silk_road_rules *rules, silk_road_state *s, silk_road_memory *memory)
{
    if (s->pile[0] == 0 && s->discard[0] > 0 && rules->shuffle_at_once)
        silk_road_reshuffle(s, memory);
}

/* Returns the top of the pile, after a reshuffle if there is none; a card has to be there. */
static inline int silk_road_top(silk_road_state *s, silk_road_memory *memory)
{
    if (s->pile[0] == 0)
        silk_road_reshuffle(s, memory);
    return s->pile[s->pile[0]--];
}

/* Moves an open card to a hand. */
static inline void silk_road_take_open(silk_road_state *s, silk_road_memory *memory, int seat, int good)
{
    s->open[good]--;
    s->hand[seat][good]++;
    if (memory)
        memory->known[seat][good]++;
    silk_road_note(memory, SILK_ROAD_SEAT_CODES * seat + good);
}

/* Moves the top of the pile to a hand. */
static inline void silk_road_draw_blind(const silk_road_rules *rules, silk_road_state *s, silk_road_memory *memory, int seat)
{
    int good = silk_road_top(s, memory);
    s->hand[seat][good]++;
    if (memory) {
        memory->fresh[seat][good]++;
        if (memory->draws < SILK_ROAD_DRAWN)
            memory->draw[memory->draws++] = (uint8_t)good;
    }
    silk_road_note(memory, SILK_ROAD_SEAT_CODES * seat + SILK_ROAD_BLIND);
    silk_road_restore_pile(rules, s, memory);
}

/* Returns the top of the pile, shown to all. */
static inline int silk_road_turn_up(silk_road_state *s, silk_road_memory *memory)
{
    int good = silk_road_top(s, memory);
    if (memory)
        memory->pool[good]--;
    silk_road_note(memory, SILK_ROAD_TURNED_UP + good);
    return good;
}

/* Takes cards out of a hand for all to see. Cards known to be there are counted off first. */
static inline void silk_road_give(silk_road_state *s, silk_road_memory *memory, int seat, int good, int count)
{
    s->hand[seat][good] = (uint8_t)(s->hand[seat][good] - count);
    if (!memory)
        return;
    memory->known[seat][good] = (uint8_t)(memory->known[seat][good] > count ? memory->known[seat][good] - count : 0);
    for (int i = 0; i < count; i++)
        silk_road_note(memory, SILK_ROAD_SEAT_CODES * seat + SILK_ROAD_GIVEN + good);
}

/* Makes up the open cards to three from the pile, as far as there are cards (S5, S16). */
static inline void silk_road_refill(const silk_road_rules *rules, silk_road_state *s, silk_road_memory *memory)
{
    int missing = SILK_ROAD_OPEN - silk_road_sum(s->open), shown = 0;
    for (; missing > 0 && silk_road_can_draw(s); missing--, shown++)
        s->open[silk_road_turn_up(s, memory)]++;
    if (shown)
        silk_road_restore_pile(rules, s, memory);
}

static inline void silk_road_discard_display(silk_road_state *s, int seat, int good)
{
    s->display[seat][good]--;
    silk_road_push(s->discard, good);
}

static inline void silk_road_discard_hand(silk_road_state *s, silk_road_memory *memory, int seat, int good)
{
    silk_road_give(s, memory, seat, good, 1);
    silk_road_push(s->discard, good);
}

/* Moves the top of the discard pile, else of the pile, to a display (S12). */
static inline void silk_road_salvage(silk_road_state *s, silk_road_memory *memory, int seat)
{
    if (s->discard[0] > 0)
        s->display[seat][s->discard[s->discard[0]--]]++;
    else if (s->pile[0] > 0)
        s->display[seat][silk_road_turn_up(s, memory)]++;
}

/* Sorts cards that were discarded together, if the rules say so (O9). */
static inline void silk_road_sort_discards(const silk_road_rules *rules, silk_road_state *s, int count)
{
    uint8_t *last = s->discard + s->discard[0] + 1 - count;
    for (int i = 1; rules->sort_discards && i < count; i++)
        for (int j = i; j > 0 && last[j - 1] > last[j]; j--) {
            uint8_t good = last[j];
            last[j] = last[j - 1];
            last[j - 1] = good;
        }
}

#endif
