/* What a view says of the cards that other seats drew unseen: khiva_arena/games/silk_road/knowledge.py in C, draw by draw.
   Every order of the piles in which each card that somebody gave had been in its hand is equally likely.

   A card that another seat draws unseen is a slot, filled from the pile of its time. A pile that has run out went where all saw
   it, to this seat, and into the slots of its time; the rest of the last pile is still there. So the cards are one list: a card
   for each slot, in order, then the rest. A walk from one possible world to others exchanges cards of a pile.

   The world that walks begin at is looked for by counts: how many cards of each good a seat drew from each pile. Counts will do
   if the cards that a seat gave had come from earlier piles, or were of the pile of that time, and of it no more than it had
   drawn.

   A need says that the first slots of a seat hold so many cards of a good, since it gave them later. Its slack is what they
   hold beyond that; a world is possible when no slack is below 0. Four slacks are one number of 64 bits, each with
   SILK_ROAD_NO_SLACK added, so that one addition counts a card for all of them. */
#ifndef SILK_ROAD_KNOWLEDGE_H
#define SILK_ROAD_KNOWLEDGE_H

#include "view.h"

enum {
    SILK_ROAD_STEPS_A_SLOT = 8, /* length of a walk: steps for each slot, and further steps */
    SILK_ROAD_FURTHER_STEPS = 60,
    SILK_ROAD_HUNTS = 400, /* searches for the first possible world */
    SILK_ROAD_WORK = 36000000, /* fewer if that many times the squared number of slots is above */
    SILK_ROAD_HUNT = 500, /* steps of a search */
    SILK_ROAD_ROUGH = 64, /* a step that adds to the cards lacking is taken one time in so many */
    SILK_ROAD_EXCHANGES = 100, /* the most that a step tries: so many, and one for each five pairs of a slot and a card */
    SILK_ROAD_EXCHANGES_MOST = 1000,
    SILK_ROAD_LEAVES = 96, /* of 256 that leave a need unmet, so many are made */
    SILK_ROAD_LISTED = (int)SILK_ROAD_DRAWN + (int)SILK_ROAD_CARDS,
    SILK_ROAD_FOURS = SILK_ROAD_SEATS * SILK_ROAD_GOODS + SILK_ROAD_DRAWN / 4
};

#define SILK_ROAD_NO_SLACK ((uint64_t)0x8000800080008000)

/* Four needs of a seat and good, with rising ends; where there is none, the end is beyond all slots, and there is slack enough.
   */
typedef struct {
    uint64_t slack;            /* in the world that walks begin at */
    uint16_t end[4], next;     /* how many first slots a need is about; the next four of this seat and good, or 0 */
} silk_road_needs;

/* What all worlds of a view have in common: of 110 kB, so keep it off a small stack. */
typedef struct {
    silk_road_state base; /* the position without hands, pile and bag */
    int slots, cards;     /* how many slots, and cards in all */
    int last;             /* the first slot of the last pile */
    int walked;           /* whether `card` is a world that a walk has come to */
    int asked, kinds, wanted; /* the seat asked for a card, or -1; how many goods it has at least; one that it has, or -1 */
    int fours;                                        /* how many needs, in fours */
    int begin[SILK_ROAD_SEATS], count[SILK_ROAD_SEATS]; /* slots of a seat in `order` */
    int16_t held[SILK_ROAD_SEATS][SILK_ROAD_GOODS];   /* cards taken openly, less those given; of this seat, the hand */
    int16_t number[SILK_ROAD_SEATS][SILK_ROAD_GOODS]; /* of the need with the largest end */
    uint16_t newest[SILK_ROAD_SEATS][SILK_ROAD_GOODS], ends[SILK_ROAD_SEATS][SILK_ROAD_GOODS]; /* the four with it; its end */
    uint8_t known[SILK_ROAD_SEATS][SILK_ROAD_GOODS];
    silk_road_needs needs[SILK_ROAD_FOURS]; /* those of a seat and good begin at SILK_ROAD_GOODS * seat + good */
    uint64_t slack[SILK_ROAD_FOURS];        /* in this world */
    uint8_t size[SILK_ROAD_DRAWN];                         /* by slot: how many cards its pile has in the list */
    uint16_t from[SILK_ROAD_DRAWN], order[SILK_ROAD_DRAWN]; /* by slot: where its pile begins; slots by seat */
    uint8_t seat[SILK_ROAD_LISTED];  /* by card: whose slot; the rest of the pile counts as this seat's, which has no needs */
    uint16_t rank[SILK_ROAD_LISTED]; /* by card: its place among the slots of the seat */
    uint8_t start[SILK_ROAD_LISTED], card[SILK_ROAD_LISTED]; /* at first; in this world */
} silk_road_knowledge;

/* --- the trail of the cards --- */

/* Lays out the cards that left a pile unseen, shuffled, for the slots since `last`. Returns 0 if there are not as many of them,
   or in the last pile fewer. */
static inline int silk_road_lay_pile(silk_road_knowledge *k, const uint8_t left[SILK_ROAD_GOODS], int is_last,
                                     arena_stream *stream)
{
    int size = silk_road_sum(left), slots = k->slots - k->last;
    if (size > SILK_ROAD_CARDS || (is_last ? size < slots : size != slots))
        return 0;
    k->cards = k->last;
    for (int good = 0; good < SILK_ROAD_GOODS; good++)
        for (int i = 0; i < left[good]; i++)
            k->card[k->cards++] = (uint8_t)good;
    arena_shuffle(stream, k->card + k->last, size);
    for (int slot = k->last; slot < k->slots; slot++)
        k->from[slot] = (uint16_t)k->last, k->size[slot] = (uint8_t)size;
    return 1;
}

/* Notes a card drawn unseen: of this seat it is `own`, of another one a slot. Returns 0 if the pile has not got it. */
static inline int silk_road_follow_draw(silk_road_knowledge *k, const silk_road_view *view, int seat, int *own,
                                        uint8_t left[SILK_ROAD_GOODS])
{
    if (seat == view->seat) {
        int good = *own < view->draws ? (int)view->draw[*own] : (int)SILK_ROAD_GOODS;
        ++*own;
        if (good >= SILK_ROAD_GOODS || left[good]-- == 0)
            return 0;
        k->held[seat][good]++;
        return 1;
    }
    if (k->slots == SILK_ROAD_DRAWN)
        return 0;
    k->seat[k->slots] = (uint8_t)seat;
    k->rank[k->slots++] = (uint16_t)k->count[seat]++;
    return 1;
}

/* Makes room for four needs. */
static inline void silk_road_add_four(silk_road_knowledge *k)
{
    silk_road_needs *needs = &k->needs[k->fours++];
    needs->slack = SILK_ROAD_NO_SLACK + SILK_ROAD_NO_SLACK / 2;
    memset(needs->end, 0xff, sizeof needs->end);
    needs->next = 0;
}

/* Adds the need of so many cards of a good among the slots that a seat has so far, or raises it. Returns 0 if there are too
   many. */
static inline int silk_road_add_need(silk_road_knowledge *k, int seat, int good, int number)
{
    silk_road_needs *needs = &k->needs[k->newest[seat][good]];
    int i = 0, is_new = k->number[seat][good] == 0 || k->ends[seat][good] < k->count[seat];
    if (is_new && needs->end[3] != 0xffff) {
        if (k->fours == SILK_ROAD_FOURS)
            return 0;
        k->newest[seat][good] = needs->next = (uint16_t)k->fours;
        silk_road_add_four(k);
        needs = &k->needs[k->fours - 1];
    }
    while (i < 4 && needs->end[i] != 0xffff)
        i++;
    i -= !is_new;
    k->ends[seat][good] = needs->end[i] = (uint16_t)k->count[seat];
    k->number[seat][good] = (int16_t)number;
    needs->slack = (needs->slack & ~((uint64_t)0xffff << 16 * i)) | (uint64_t)(0x8000 - number) << 16 * i;
    return 1;
}

/* Notes a card given. Returns 0 if the seat cannot have had it. */
static inline int silk_road_follow_gift(silk_road_knowledge *k, int me, int seat, int good)
{
    int lacking = -(--k->held[seat][good]);
    if (k->known[seat][good] > 0)
        k->known[seat][good]--;
    if (lacking <= k->number[seat][good])
        return 1;
    return seat != me && lacking <= k->count[seat] && silk_road_add_need(k, seat, good, lacking);
}

/* Follows the cards through the history, and fills the slots somehow. left: what this seat did not see leave the last pile.
   Returns 0 if the cards cannot have gone so. */
static inline int silk_road_follow(silk_road_knowledge *k, const silk_road_view *view, uint8_t left[SILK_ROAD_GOODS],
                                   arena_stream *stream)
{
    int own = 0, shuffles = 0, is_sound = 1;
    memset(left, SILK_ROAD_PER_GOOD, SILK_ROAD_GOODS);
    for (int i = 0; i < SILK_ROAD_FIRST_HAND * view->seats && is_sound; i++)
        is_sound = silk_road_follow_draw(k, view, i / SILK_ROAD_FIRST_HAND, &own, left);
    for (int i = 0; i < view->codes && is_sound; i++) {
        int code = view->code[i], seat = code / SILK_ROAD_SEAT_CODES, what = code % SILK_ROAD_SEAT_CODES;
        if (code == SILK_ROAD_RESHUFFLE) {
            is_sound = shuffles < view->shuffles && silk_road_lay_pile(k, left, 0, stream);
            k->last = k->slots;
            if (is_sound)
                memcpy(left, view->shuffle[shuffles++], SILK_ROAD_GOODS);
            for (int good = 0; good < SILK_ROAD_GOODS; good++)
                is_sound &= left[good] <= SILK_ROAD_PER_GOOD;
        } else if (code >= SILK_ROAD_TURNED_UP) {
            is_sound = code < SILK_ROAD_RESHUFFLE && left[code - SILK_ROAD_TURNED_UP]-- > 0;
        } else if (seat >= view->seats || what > SILK_ROAD_BLIND) {
            is_sound = 0;
        } else if (what == SILK_ROAD_BLIND) {
            is_sound = silk_road_follow_draw(k, view, seat, &own, left);
        } else if (what >= SILK_ROAD_GIVEN) {
            is_sound = silk_road_follow_gift(k, view->seat, seat, what - SILK_ROAD_GIVEN);
        } else {
            k->held[seat][what]++;
            k->known[seat][what]++;
            is_sound = k->known[seat][what] <= SILK_ROAD_PER_GOOD;
        }
    }
    return is_sound && own == view->draws && shuffles == view->shuffles && silk_road_lay_pile(k, left, 1, stream);
}

/* Counts a card of the list in, or out. Returns what this adds to the number of needs that are not met, as four numbers of 16
   bits. */
static inline uint64_t silk_road_count_card(silk_road_knowledge *k, int at, int good, int is_in)
{
    int i = SILK_ROAD_GOODS * k->seat[at] + good, rank = k->rank[at];
    uint64_t lacking = 0;
    do {
        const silk_road_needs *needs = &k->needs[i];
        int before = (needs->end[0] <= rank) + (needs->end[1] <= rank) + (needs->end[2] <= rank) + (needs->end[3] <= rank);
        uint64_t ones = (uint64_t)0x0001000100010001 << 8 * before << 8 * before, slack = k->slack[i];
        k->slack[i] = is_in ? slack + ones : slack - ones;
        lacking += (slack & SILK_ROAD_NO_SLACK) >> 15;
        lacking -= (k->slack[i] & SILK_ROAD_NO_SLACK) >> 15;
        i = needs->next;
    } while (i > 0);
    return lacking;
}

/* Sorts the slots by seat. */
static inline void silk_road_sort_slots(silk_road_knowledge *k, int me)
{
    for (int seat = 1; seat < SILK_ROAD_SEATS; seat++)
        k->begin[seat] = k->begin[seat - 1] + k->count[seat - 1];
    for (int at = 0; at < k->cards; at++)
        if (at < k->slots)
            k->order[k->begin[k->seat[at]] + k->rank[at]] = (uint16_t)at;
        else
            k->seat[at] = (uint8_t)me, k->rank[at] = 0;
}

/* Makes this world the one that walks begin at. */
static inline void silk_road_begin_here(silk_road_knowledge *k)
{
    for (int i = 0; i < k->fours; i++)
        k->slack[i] = k->needs[i].slack;
    for (int at = 0; at < k->cards; at++)
        silk_road_count_card(k, at, k->card[at], 1);
    for (int i = 0; i < k->fours; i++)
        k->needs[i].slack = k->slack[i];
    memcpy(k->start, k->card, (size_t)k->cards);
}

/* --- walks --- */

/* Exchanges the card of a slot with another one of its pile. Returns what silk_road_count_card does. */
static inline uint64_t silk_road_exchange(silk_road_knowledge *k, int one, int two)
{
    int good = k->card[one], other = k->card[two];
    if (good == other)
        return 0;
    k->card[one] = (uint8_t)other;
    k->card[two] = (uint8_t)good;
    return silk_road_count_card(k, one, good, 0) + silk_road_count_card(k, one, other, 1) + silk_road_count_card(k, two, other, 0)
        + silk_road_count_card(k, two, good, 1);
}

/* Tells whether the asked seat holds what its question is about. */
static inline int silk_road_can_be_asked(const silk_road_knowledge *k)
{
    int has[SILK_ROAD_GOODS], kinds = 0;
    for (int good = 0; good < SILK_ROAD_GOODS; good++)
        has[good] = k->held[k->asked][good];
    for (int i = 0; i < k->count[k->asked]; i++)
        has[k->card[k->order[k->begin[k->asked] + i]]]++;
    for (int good = 0; good < SILK_ROAD_GOODS; good++)
        kinds += has[good] > 0;
    return kinds >= k->kinds && (k->wanted < 0 || has[k->wanted] > 0);
}

/* Walks from a possible world to others. A step may lead through worlds in which one need is not met, and is undone if that
   lasts too long. An exchange is 32 bits of the stream: 16 for the slot, 8 for the card of its pile, 8 for whether a need may be
   left unmet. That some cards are likelier than others does no harm, since each exchange is as likely as back. lacking: the
   needs that are not met, as four numbers of 16 bits. shorter: how many times as short as the walk that forgets its beginning. */
static inline void silk_road_walk(silk_road_knowledge *k, arena_stream *stream, int shorter)
{
    uint16_t changes[SILK_ROAD_EXCHANGES_MOST][2];
    uint64_t number = 0;
    int steps = k->slots > 0 ? (SILK_ROAD_STEPS_A_SLOT * k->slots + SILK_ROAD_FURTHER_STEPS) / shorter : 0, is_half = 0;
    int most = SILK_ROAD_EXCHANGES + k->slots * k->cards / 5;
    if (most > SILK_ROAD_EXCHANGES_MOST)
        most = SILK_ROAD_EXCHANGES_MOST;
    while (steps-- > 0) {
        uint64_t lacking = 0;
        int count = 0, tries = 0;
        do {
            uint64_t after;
            int one, two;
            number = is_half ? number >> 32 : arena_u64(stream);
            is_half = !is_half;
            one = (int)((number & 0xffff) * (uint64_t)k->slots >> 16);
            two = k->from[one] + (int)((number >> 16 & 0xff) * k->size[one] >> 8);
            after = lacking + silk_road_exchange(k, one, two);
            if ((after & (after - 1)) != 0 || (after & ~(uint64_t)0x0001000100010001) != 0 /* more than one */
                || (lacking == 0 && after != 0 && (number >> 24 & 0xff) >= SILK_ROAD_LEAVES)) {
                silk_road_exchange(k, one, two);
                continue;
            }
            lacking = after;
            changes[count][0] = (uint16_t)one, changes[count++][1] = (uint16_t)two;
        } while (++tries < most && lacking != 0);
        if (lacking != 0 || (k->asked >= 0 && !silk_road_can_be_asked(k)))
            while (count-- > 0)
                silk_road_exchange(k, changes[count][0], changes[count][1]);
    }
}

/* --- the world that walks begin at --- */

/* Adds the cards of a pile to a hand. */
static inline void silk_road_take_up(int hand[SILK_ROAD_GOODS], int left[SILK_ROAD_GOODS])
{
    for (int good = 0; good < SILK_ROAD_GOODS; good++)
        hand[good] += left[good], left[good] = 0;
}

/* Returns how many cards a seat gave, or must hold, and had not, in whatever order it drew its cards of each pile. good, piles:
   of the card with this number, its good, and in how many of the piles that the seat has slots in it may have been. */
static inline int silk_road_lacks(const silk_road_knowledge *k, const silk_road_view *view, int seat, int number, int *good,
                                  int *piles)
{
    const uint16_t *own = k->order + k->begin[seat];
    int hand[SILK_ROAD_GOODS] = {0}, left[SILK_ROAD_GOODS] = {0}, kinds = 0, first = 0;
    int slots = 0, end = 0, begun = 0, unused = 0, count = 0;
    for (int i = -SILK_ROAD_FIRST_HAND; i < view->codes; i++) {
        int what = i < 0 ? (int)SILK_ROAD_BLIND : view->code[i] - SILK_ROAD_SEAT_CODES * seat;
        int given = what - SILK_ROAD_GIVEN;
        if (what < 0 || what > SILK_ROAD_BLIND)
            continue;
        if (what == SILK_ROAD_BLIND) {
            if (slots++ == end) {
                silk_road_take_up(hand, left);
                begun++, unused = 0;
                do
                    left[k->card[own[end]]]++;
                while (++end < k->count[seat] && k->from[own[end]] == k->from[own[end - 1]]);
            }
            unused++;
        } else if (given < 0) {
            hand[what]++;
        } else if (hand[given] > 0) {
            hand[given]--;
        } else if (unused > 0 && left[given] > 0) {
            left[given]--, unused--;
        } else if (count++ == number) {
            *good = given, *piles = begun;
        }
    }
    if (seat != k->asked)
        return count;
    silk_road_take_up(hand, left);
    if (k->wanted >= 0 && hand[k->wanted] == 0 && count++ == number)
        *good = k->wanted, *piles = begun;
    for (int one = SILK_ROAD_GOODS - 1; one >= 0; one--)
        kinds += hand[one] > 0, first = hand[one] > 0 ? first : one;
    if (kinds < k->kinds && count++ == number)
        *good = first, *piles = begun;
    return count;
}

/* Draws one of the first piles that a seat has slots in, and one of these slots. */
static inline int silk_road_draw_slot(const silk_road_knowledge *k, int seat, int piles, arena_stream *stream)
{
    const uint16_t *own = k->order + k->begin[seat];
    int begin = 0, end = 0;
    for (int pile = (int)arena_below(stream, (uint64_t)piles); pile >= 0; pile--)
        for (begin = end++; end < k->count[seat] && k->from[own[end]] == k->from[own[begin]];)
            end++;
    return own[begin + (int)arena_below(stream, (uint64_t)(end - begin))];
}

/* Draws a card of a good that another seat has of a slot's pile, or the rest. Returns its place, or -1 if there is none. */
static inline int silk_road_draw_other(const silk_road_knowledge *k, int slot, int good, arena_stream *stream)
{
    int places[SILK_ROAD_CARDS], count = 0;
    for (int at = k->from[slot]; at < k->from[slot] + k->size[slot]; at++)
        if (k->card[at] == good && k->seat[at] != k->seat[slot])
            places[count++] = at;
    return count > 0 && k->card[slot] != good ? places[arena_below(stream, (uint64_t)count)] : -1;
}

/* Exchanges cards that seats lack for cards of theirs until none is lacking. Returns whether that is so. */
static inline int silk_road_hunt(silk_road_knowledge *k, const silk_road_view *view, arena_stream *stream)
{
    int lacking[SILK_ROAD_SEATS] = {0}, total = 0, good = 0, piles = 0;
    for (int seat = 0; seat < view->seats; seat++)
        if (seat != view->seat)
            total += lacking[seat] = silk_road_lacks(k, view, seat, -1, &good, &piles);
    for (int at = 0; at < SILK_ROAD_HUNT && total > 0; at++) {
        int number = (int)arena_below(stream, (uint64_t)total), seat = 0, one, two, other, worse, is_undone = 0;
        int after = 0, others_after = 0;
        while (number >= lacking[seat])
            number -= lacking[seat++];
        silk_road_lacks(k, view, seat, number, &good, &piles);
        if (piles == 0)
            return 0;
        one = silk_road_draw_slot(k, seat, piles, stream);
        two = silk_road_draw_other(k, one, good, stream);
        if (two < 0)
            continue;
        other = k->seat[two];
        k->card[two] = k->card[one];
        k->card[one] = (uint8_t)good;
        after = silk_road_lacks(k, view, seat, -1, &good, &piles);
        if (other != view->seat)
            others_after = silk_road_lacks(k, view, other, -1, &good, &piles);
        worse = after + others_after - lacking[seat] - lacking[other];
        for (int i = 0; i < worse && !is_undone; i++)
            is_undone = arena_below(stream, SILK_ROAD_ROUGH) > 0;
        if (is_undone) {
            k->card[one] = k->card[two];
            k->card[two] = (uint8_t)good;
        } else {
            total += worse;
            lacking[seat] = after, lacking[other] = others_after;
        }
    }
    return total == 0;
}

/* Looks for slots that a seat has filled and that can hold a card of a good by an exchange in their pile. Returns how many there
   are. pair: the one with this number, and where the card is. is_own: only the seat's own cards are exchanged. */
static inline int silk_road_fits(const silk_road_knowledge *k, const uint8_t *is_placed, int seat, int slots, int good,
                                 int is_own, int number, int pair[2])
{
    int count = 0;
    for (int i = 0; i < slots; i++) {
        int one = k->order[k->begin[seat] + i], two = k->from[one], end = two + k->size[one];
        if (is_placed[one])
            continue;
        while (two < end && (k->card[two] != good || is_placed[two] || (is_own && k->seat[two] != seat)))
            two++;
        if (two < end && count++ == number)
            pair[0] = one, pair[1] = two;
    }
    return count;
}

/* Puts each card that was given into a slot that its seat had filled by then. is_own: cards of one seat and pile are exchanged
   with each other. */
static inline void silk_road_place_gifts(silk_road_knowledge *k, const silk_road_view *view, int is_own, arena_stream *stream)
{
    uint8_t is_placed[SILK_ROAD_LISTED] = {0};
    int hand[SILK_ROAD_SEATS][SILK_ROAD_GOODS] = {{0}}, slots[SILK_ROAD_SEATS] = {0}, first = SILK_ROAD_FIRST_HAND * view->seats;
    for (int i = -first; i < view->codes; i++) {
        int code = i < 0 ? SILK_ROAD_SEAT_CODES * ((i + first) / SILK_ROAD_FIRST_HAND) + SILK_ROAD_BLIND : view->code[i];
        int seat = code / SILK_ROAD_SEAT_CODES, what = code % SILK_ROAD_SEAT_CODES, good = what - SILK_ROAD_GIVEN, fits;
        int pair[2] = {0, 0};
        if (code >= SILK_ROAD_TURNED_UP || seat == view->seat)
            continue;
        if (what == SILK_ROAD_BLIND) {
            slots[seat]++;
        } else if (good < 0) {
            hand[seat][what]++;
        } else if (hand[seat][good] > 0) {
            hand[seat][good]--;
        } else if ((fits = silk_road_fits(k, is_placed, seat, slots[seat], good, is_own, 0, pair)) > 0) {
            if (!is_own)
                silk_road_fits(k, is_placed, seat, slots[seat], good, is_own, (int)arena_below(stream, (uint64_t)fits), pair);
            k->card[pair[1]] = k->card[pair[0]];
            k->card[pair[0]] = (uint8_t)good;
            is_placed[pair[0]] = 1;
        }
    }
}

/* Looks for a possible world: by exchanges from cards at random, then again and again from given cards put where they fit. The
   cards have been shuffled once. Returns 0 if there seems to be none. */
static inline int silk_road_find_start(silk_road_knowledge *k, const silk_road_view *view, arena_stream *stream)
{
    for (int hunts = 0; hunts < SILK_ROAD_HUNTS && hunts < 2 + SILK_ROAD_WORK / (1 + k->slots * k->slots); hunts++) {
        if (hunts > 0) {
            memcpy(k->card, k->start, (size_t)k->cards);
            for (int at = 0; at < k->last; at += k->size[at])
                arena_shuffle(stream, k->card + at, k->size[at]);
            arena_shuffle(stream, k->card + k->last, k->cards - k->last);
        }
        memcpy(k->start, k->card, (size_t)k->cards);
        if (hunts > 0)
            silk_road_place_gifts(k, view, 0, stream);
        if (silk_road_hunt(k, view, stream)) {
            silk_road_place_gifts(k, view, 1, stream);
            return 1;
        }
    }
    return 0;
}

#endif
