/* Where the hidden cards of Khiva may lie, given all that a seat has seen: every way in which the cards can have been dealt and
   passed counts once. khiva_arena/games/khiva/knowledge.py says why only some cards, the traced ones, need counting.

   The other seats sit in a row: row 0 is the left neighbour. Turns and rows are those of a deal. */
#ifndef KHIVA_KNOWLEDGE_H
#define KHIVA_KNOWLEDGE_H

#include "view.h"

#define KHIVA_NOWHERE 255 /* the row of a card that is not on its way */

enum {
    KHIVA_HANDS = 4,     /* most rows, most turns of a deal, and most cards kept by all rows */
    KHIVA_TRACES = 8,    /* cards kept at a redeal and passed since, at most */
    KHIVA_WAYS = 576,    /* positions of the traced cards at the end of a turn: 4! of the kept ones, 4! of the passed ones */
    KHIVA_ENDS = 64,     /* ways to keep cards at a redeal: 42 at four seats, fewer at others */
    KHIVA_WORDS = 8,     /* of 32 bits, for products that no counted cards can exceed */
    KHIVA_DRAW_BITS = 62 /* of a number that a stream draws below */
};

typedef struct {
    uint32_t word[KHIVA_WORDS]; /* the lowest first */
} khiva_big;

/* A deal as a seat saw it, or as much of it as has been played. */
typedef struct {
    int turns, rows, size, old; /* size: of a hand now; old: how many cards the rows kept from the deal before */
    uint8_t sighting[KHIVA_HANDS + 1][KHIVA_CARDS]; /* by turn and card: 1 + the row that a card was seen to leave */
    uint32_t own, played;                          /* masks: cards that the seat held when the deal began; all cards played */
    int traces;
    uint8_t card[KHIVA_TRACES], since[KHIVA_TRACES], home[KHIVA_TRACES];
    uint8_t leaves[KHIVA_TRACES], from[KHIVA_TRACES]; /* turn and row of the next sighting; turn 0: there is none */
    int stride[KHIVA_TRACES];
    int32_t ways[KHIVA_HANDS][KHIVA_WAYS]; /* -1: not counted yet */
} khiva_deal;

/* The cards that the rows may have kept at a redeal, each way with a weight. */
typedef struct {
    int count;
    uint8_t card[KHIVA_ENDS][KHIVA_HANDS];
    uint64_t weight[KHIVA_ENDS];
} khiva_ends;

typedef struct {
    khiva_deal deal;
    khiva_ends ends;
    khiva_big sofar[KHIVA_ENDS]; /* by way to keep cards: number of all ways up to it */
    int hidden, beyond;          /* cards not seen in this deal; bits of a number that are left out */
} khiva_knowledge;

static inline void khiva_big_add(khiva_big *sum, const khiva_big *more)
{
    uint64_t carry = 0;
    for (int i = 0; i < KHIVA_WORDS; i++, carry >>= 32) {
        carry += (uint64_t)sum->word[i] + more->word[i];
        sum->word[i] = (uint32_t)carry;
    }
}

static inline void khiva_big_multiply(khiva_big *product, int by)
{
    uint64_t carry = 0;
    for (int i = 0; i < KHIVA_WORDS; i++, carry >>= 32) {
        carry += (uint64_t)product->word[i] * (uint32_t)by;
        product->word[i] = (uint32_t)carry;
    }
}

static inline int khiva_big_bits(const khiva_big *number)
{
    int bits = 32 * KHIVA_WORDS;
    while (bits > 0 && !(number->word[(bits - 1) / 32] >> (bits - 1) % 32 & 1))
        bits--;
    return bits;
}

static inline uint64_t khiva_big_shift(const khiva_big *number, int by)
{
    uint64_t shifted = 0;
    for (int i = by / 32; i < KHIVA_WORDS && 32 * i - by < 64; i++)
        shifted |= 32 * i < by ? (uint64_t)number->word[i] >> (by - 32 * i) : (uint64_t)number->word[i] << (32 * i - by);
    return shifted;
}

/* Gathers what the seat saw in a deal; `hand` is its hand at the end of it, or now. */
static inline void khiva_deal_begin(khiva_deal *deal, const khiva_view *view, int ordinal, const uint8_t *hand, int size)
{
    int each = khiva_each(view->seats), per_deal = khiva_turns_per_deal(view->seats), first = (ordinal - 1) * per_deal;
    memset(deal, 0, sizeof *deal);
    deal->turns = view->turns - first < per_deal ? view->turns - first : per_deal;
    deal->rows = view->seats - 1;
    deal->size = khiva_first_hand(view->seats) - deal->turns * each;
    for (int i = 0; i < size; i++)
        deal->own |= (uint32_t)1 << hand[i];
    for (int turn = deal->turns; turn > 0; turn--) {
        const uint8_t *played = view->played + (first + turn - 1) * each * view->seats;
        const uint8_t *passed = view->passed + (first + turn - 1) * each;
        const uint8_t *received = view->received + (first + turn - 1) * each;
        for (int i = 0; i < each * view->seats; i++) {
            int row = (i / each - view->seat - 1 + view->seats) % view->seats;
            deal->played |= (uint32_t)1 << khiva_card_of(played[i]);
            if (row < deal->rows)
                deal->sighting[turn][khiva_card_of(played[i])] = (uint8_t)(row + 1);
        }
        for (int i = 0; i < each; i++) {
            deal->sighting[turn][khiva_card_of(received[i])] = (uint8_t)deal->rows;
            deal->own &= ~((uint32_t)1 << khiva_card_of(received[i]));
        }
        for (int i = 0; i < each; i++)
            deal->own |= (uint32_t)1 << khiva_card_of(passed[i]) | (uint32_t)1 << khiva_card_of(played[view->seat * each + i]);
    }
    deal->old = ordinal > 1 ? deal->rows * each : 0;
    deal->traces = deal->old;
    for (int i = 0; i < deal->old; i++)
        deal->home[i] = (uint8_t)(i % deal->rows);
    for (int i = 0; i < deal->turns * each; i++) {
        deal->card[deal->traces] = (uint8_t)khiva_card_of(view->passed[first * each + i]);
        deal->since[deal->traces++] = (uint8_t)(i / each + 1);
    }
    for (int i = 0, stride = 1; i < deal->traces; i++) {
        int rows = deal->rows - deal->home[i], moves = deal->turns - deal->since[i] + 1;
        deal->stride[i] = stride;
        stride *= rows < moves ? rows : moves;
    }
    deal->leaves[0] = KHIVA_NOWHERE; /* nothing is counted yet */
}

/* Follows the kept cards, and those passed since, to where they are seen next. Returns 0 if the seat itself held a kept card. */
static inline int khiva_deal_follow(khiva_deal *deal, const uint8_t *old)
{
    int changed = 0;
    for (int i = 0; i < deal->old; i++) {
        if (deal->own >> old[i] & 1)
            return 0;
        deal->card[i] = old[i];
    }
    for (int i = 0; i < deal->traces; i++) {
        int turn = deal->since[i] + 1, from = 0;
        while (turn <= deal->turns && !deal->sighting[turn][deal->card[i]])
            turn++;
        if (turn <= deal->turns)
            from = deal->sighting[turn][deal->card[i]] - 1;
        else
            turn = 0;
        changed |= deal->leaves[i] != turn || deal->from[i] != from;
        deal->leaves[i] = (uint8_t)turn;
        deal->from[i] = (uint8_t)from;
    }
    if (changed)
        memset(deal->ways, 0xff, sizeof deal->ways);
    return 1;
}

static inline int32_t khiva_ways(khiva_deal *deal, int turn, const uint8_t *row);

/* Counts the ways in which this row and those behind it can have handed a card back; `before` is where that leaves the cards. */
static inline int32_t khiva_undo(khiva_deal *deal, int turn, const uint8_t *row, uint8_t *before, int this_row)
{
    int32_t total = 0, others = deal->size + deal->turns - turn;
    if (this_row == deal->rows)
        return khiva_ways(deal, turn - 1, before);
    for (int i = 0; i < deal->traces; i++)
        if (row[i] == this_row && deal->since[i] != turn) {
            others--;
            before[i]--;
            total += khiva_undo(deal, turn, row, before, this_row + 1);
            before[i]++;
        }
    return others > 0 ? total + others * khiva_undo(deal, turn, row, before, this_row + 1) : total;
}

/* Counts the ways in which the rows can have passed cards up to the end of a turn, if the traced cards are in these rows then.
   A card that is not on its way at that time is in row KHIVA_NOWHERE. */
static inline int32_t khiva_ways(khiva_deal *deal, int turn, const uint8_t *row)
{
    uint8_t before[KHIVA_TRACES];
    int32_t *ways;
    int index = 0;
    for (int i = 0; i < deal->traces; i++)
        if (row[i] != KHIVA_NOWHERE) {
            if (row[i] < deal->home[i] || row[i] > deal->home[i] + turn - deal->since[i])
                return 0;
            index += (row[i] - deal->home[i]) * deal->stride[i];
        }
    if (turn == 0 || deal->rows == 1)
        return 1;
    ways = &deal->ways[turn - 1][index];
    if (*ways < 0) {
        for (int i = 0; i < deal->traces; i++)
            before[i] = deal->leaves[i] == turn ? deal->from[i] : deal->since[i] == turn ? KHIVA_NOWHERE : row[i];
        *ways = khiva_undo(deal, turn, row, before, 1);
    }
    return *ways;
}

/* Puts the cards not seen since into the first rows where they may be. */
static inline void khiva_first_rows(const khiva_deal *deal, uint8_t *row)
{
    for (int i = 0; i < KHIVA_TRACES; i++)
        row[i] = i < deal->traces && deal->leaves[i] == 0 ? deal->home[i] : KHIVA_NOWHERE;
}

/* Moves them on to the next rows, the last card first. Returns 0 after the last. */
static inline int khiva_next_rows(const khiva_deal *deal, uint8_t *row)
{
    for (int i = deal->traces - 1; i >= 0; i--) {
        if (row[i] == KHIVA_NOWHERE)
            continue;
        if (row[i] + 1 < deal->rows && row[i] < deal->home[i] + deal->turns - deal->since[i]) {
            row[i]++;
            return 1;
        }
        row[i] = deal->home[i];
    }
    return 0;
}

/* Counts the ways to deal and pass all hidden cards so that the traced ones are in these rows now. */
static inline khiva_big khiva_count(khiva_knowledge *knowledge, int end, const uint8_t *row)
{
    khiva_big count;
    int free_places[KHIVA_HANDS], unseen = 0, places = 1;
    memset(&count, 0, sizeof count);
    for (int i = 0; i < knowledge->deal.rows; i++)
        free_places[i] = knowledge->deal.size;
    for (int i = 0; i < knowledge->deal.traces; i++)
        if (row[i] != KHIVA_NOWHERE) {
            places *= free_places[row[i]]--;
            unseen++;
        }
    if (places == 0)
        return count;
    count.word[0] = (uint32_t)knowledge->ends.weight[end];
    count.word[1] = (uint32_t)(knowledge->ends.weight[end] >> 32);
    khiva_big_multiply(&count, places);
    khiva_big_multiply(&count, khiva_ways(&knowledge->deal, knowledge->deal.turns, row));
    for (int i = knowledge->hidden - unseen; i > 1; i--)
        khiva_big_multiply(&count, i);
    return count;
}

/* Divides the weights by what they have in common, then cuts them to their 40 leading bits, which ten deals may exceed. */
static inline void khiva_ends_reduce(khiva_ends *ends)
{
    uint64_t common = 0, all = 0;
    for (int i = 0; i < ends->count; i++)
        for (uint64_t b = ends->weight[i], rest; b > 0; b = rest) {
            rest = common % b;
            common = b;
        }
    for (int i = 0; i < ends->count; i++)
        all |= ends->weight[i] /= common;
    for (; all >> 40; all >>= 1)
        for (int i = 0; i < ends->count; i++)
            ends->weight[i] >>= 1;
}

/* Writes all ways to keep one of `count` cards in each row but the first, in lexicographic order. Returns 0 if they are too
   many. */
static inline int khiva_list_ends(khiva_ends *ends, const uint8_t *cards, int count, int rows, uint8_t *end, int row)
{
    if (row >= rows || row >= KHIVA_HANDS) {
        if (ends->count == KHIVA_ENDS)
            return 0;
        memcpy(ends->card[ends->count++], end, KHIVA_HANDS);
        return 1;
    }
    for (int i = 0; i < count; i++) {
        int is_double = 0;
        for (int j = 1; j < row; j++)
            is_double |= end[j] == cards[i];
        end[row] = cards[i];
        if (!is_double && !khiva_list_ends(ends, cards, count, rows, end, row + 1))
            return 0;
    }
    return 1;
}

/* Tells the row that keeps a card at the end of a deal, KHIVA_NOWHERE if none does. */
static inline uint8_t khiva_row_of(const khiva_deal *deal, const uint8_t *end, int count, int card)
{
    for (int i = 0; i < count; i++)
        if (end[i] == card)
            return (uint8_t)(i % deal->rows);
    return KHIVA_NOWHERE;
}

/* Goes from the cards that the rows may have kept before a deal to those that they may keep after it. Returns 0 if there is no
   way, or there are more than real cards can have. */
static inline int khiva_ends_after(khiva_deal *deal, const khiva_view *view, int ordinal, khiva_ends *ends)
{
    int each = khiva_each(view->seats), last = (ordinal * khiva_turns_per_deal(view->seats) - 1) * each;
    int count = 0, number = 0;
    uint8_t end[KHIVA_HANDS] = {0}, kept[2] = {0}, cards[KHIVA_CARDS], order[KHIVA_ENDS], row[KHIVA_TRACES];
    uint32_t known;
    khiva_ends all, after;
    memset(&all, 0, sizeof all);
    memset(&after, 0, sizeof after);
    for (int i = 0; i < each; i++)
        kept[i] = (uint8_t)khiva_card_of(view->received[last + i]);
    khiva_deal_begin(deal, view, ordinal, kept, each);
    known = deal->played;
    for (int i = 0; i < each; i++) {
        end[i] = (uint8_t)khiva_card_of(view->passed[last + i]);
        known |= (uint32_t)1 << end[i] | (uint32_t)1 << kept[i];
    }
    for (int card = 0; card < KHIVA_CARDS; card++)
        if (!(known >> card & 1))
            cards[count++] = (uint8_t)card;
    if (!khiva_list_ends(&all, cards, count, deal->rows, end, 1))
        return 0;
    memset(order, KHIVA_NOWHERE, sizeof order);
    for (int before = 0; before < ends->count; before++) {
        if (!khiva_deal_follow(deal, ends->card[before]))
            continue;
        for (int i = 0; i < all.count; i++) {
            int fits = 1;
            for (int j = 0; j < deal->traces; j++) {
                row[j] = KHIVA_NOWHERE;
                if (deal->leaves[j] == 0)
                    fits &= (row[j] = khiva_row_of(deal, all.card[i], deal->rows * each, deal->card[j])) != KHIVA_NOWHERE;
            }
            uint64_t ways = fits ? (uint64_t)khiva_ways(deal, deal->turns, row) : 0;
            if (ways == 0)
                continue;
            if (order[i] == KHIVA_NOWHERE) {
                order[i] = (uint8_t)number++;
                memcpy(after.card[order[i]], all.card[i], KHIVA_HANDS);
            }
            after.weight[order[i]] += ends->weight[before] * ways;
        }
    }
    after.count = number;
    *ends = after;
    if (number > 0)
        khiva_ends_reduce(ends);
    return number > 0;
}

/* Works out what the seat may know of the hidden cards. Returns 0 if nothing fits what it has seen. */
static inline int khiva_learn(khiva_knowledge *knowledge, const khiva_view *view)
{
    khiva_big total;
    uint8_t row[KHIVA_TRACES];
    memset(&total, 0, sizeof total);
    memset(&knowledge->ends, 0, sizeof knowledge->ends);
    knowledge->ends.count = 1;
    knowledge->ends.weight[0] = 1;
    for (int ordinal = 1; ordinal < view->deal; ordinal++)
        if (!khiva_ends_after(&knowledge->deal, view, ordinal, &knowledge->ends))
            return 0;
    khiva_deal_begin(&knowledge->deal, view, view->deal, view->hand + 1, view->hand[0]);
    knowledge->hidden = KHIVA_CARDS - view->hand[0];
    for (uint32_t played = knowledge->deal.played; played; played &= played - 1)
        knowledge->hidden--;
    for (int i = 0; i < knowledge->ends.count; i++) {
        if (khiva_deal_follow(&knowledge->deal, knowledge->ends.card[i])) {
            khiva_first_rows(&knowledge->deal, row);
            do {
                khiva_big count = khiva_count(knowledge, i, row);
                khiva_big_add(&total, &count);
            } while (khiva_next_rows(&knowledge->deal, row));
        }
        knowledge->sofar[i] = total;
    }
    knowledge->beyond = khiva_big_bits(&total) > KHIVA_DRAW_BITS ? khiva_big_bits(&total) - KHIVA_DRAW_BITS : 0;
    return khiva_big_bits(&total) > 0;
}

/* Draws where the traced cards lie that have not been seen since, by their place in knowledge->deal.card; all others are in row
   KHIVA_NOWHERE. */
static inline void khiva_draw_rows(khiva_knowledge *knowledge, arena_stream *stream, uint8_t row[KHIVA_TRACES])
{
    uint64_t draw = arena_below(stream, khiva_big_shift(&knowledge->sofar[knowledge->ends.count - 1], knowledge->beyond));
    khiva_big sofar;
    int i = 0;
    while (khiva_big_shift(&knowledge->sofar[i], knowledge->beyond) <= draw)
        i++;
    memset(&sofar, 0, sizeof sofar);
    if (i > 0)
        sofar = knowledge->sofar[i - 1];
    khiva_deal_follow(&knowledge->deal, knowledge->ends.card[i]);
    khiva_first_rows(&knowledge->deal, row);
    do {
        khiva_big count = khiva_count(knowledge, i, row);
        khiva_big_add(&sofar, &count);
    } while (khiva_big_shift(&sofar, knowledge->beyond) <= draw && khiva_next_rows(&knowledge->deal, row));
}

#endif
