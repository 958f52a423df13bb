/* What a view says of the cards that other seats drew unseen: khiva_arena/games/silk_road/knowledge.py in C, draw by draw.
   Every order of the piles in which each card that somebody gave had been in its hand is equally likely.

   A card that another seat draws unseen is a slot, filled from the pile of its time. A pile that has run out went where all saw
   it, to this seat, and into the slots of its time; the rest of the last pile is still there. So the cards are one list: a card
   for each slot, in order, then the rest. A walk from one possible world to others exchanges cards of a pile.

   A need says that the first slots of a seat hold so many cards of a good, since it gave them later. Its slack is what they
   hold beyond that; a world is possible when no slack is below 0. Four slacks are one number of 64 bits, each with
   SILK_ROAD_NO_SLACK added, so that one addition counts a card for all of them. */
#ifndef SILK_ROAD_KNOWLEDGE_H
#define SILK_ROAD_KNOWLEDGE_H

#include "view.h"

enum {
    SILK_ROAD_STEPS_A_SLOT = 6, /* length of a walk: steps for each slot, and further steps */
    SILK_ROAD_FURTHER_STEPS = 60,
    SILK_ROAD_HUNT = 400000, /* steps in which the first possible world is looked for */
    SILK_ROAD_COOLING = 4000, /* steps after which the search begins again more boldly */
    SILK_ROAD_EXCHANGES = 128, /* of a step: as many coins in a row never fall on one side */
    SILK_ROAD_LISTED = SILK_ROAD_DRAWN + SILK_ROAD_CARDS,
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

/* Sorts the slots by seat, and counts their cards for the needs. */
static inline void silk_road_count_slots(silk_road_knowledge *k, int me)
{
    for (int seat = 1; seat < SILK_ROAD_SEATS; seat++)
        k->begin[seat] = k->begin[seat - 1] + k->count[seat - 1];
    for (int i = 0; i < k->fours; i++)
        k->slack[i] = k->needs[i].slack;
    for (int at = 0; at < k->cards; at++) {
        if (at < k->slots)
            k->order[k->begin[k->seat[at]] + k->rank[at]] = (uint16_t)at;
        else
            k->seat[at] = (uint8_t)me, k->rank[at] = 0;
        silk_road_count_card(k, at, k->card[at], 1);
    }
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

/* Tells how many cards the asked seat lacks for its question, if it gave `lent` cards of each good that it had not. */
static inline int silk_road_lacks(const silk_road_knowledge *k, const int lent[SILK_ROAD_GOODS])
{
    int has[SILK_ROAD_GOODS], kinds = 0;
    for (int good = 0; good < SILK_ROAD_GOODS; good++)
        has[good] = k->held[k->asked][good] + lent[good];
    for (int i = 0; i < k->count[k->asked]; i++)
        has[k->card[k->order[k->begin[k->asked] + i]]]++;
    for (int good = 0; good < SILK_ROAD_GOODS; good++)
        kinds += has[good] > 0;
    return (k->wanted >= 0 && has[k->wanted] <= 0) + (kinds < k->kinds ? k->kinds - kinds : 0);
}

/* Counts the cards of a seat that are not where they must have been. */
static inline int silk_road_amiss(const silk_road_knowledge *k, int seat)
{
    int lent[SILK_ROAD_GOODS] = {0}, amiss = 0;
    for (int good = 0; good < SILK_ROAD_GOODS; good++) {
        int i = SILK_ROAD_GOODS * seat + good;
        do
            for (int shift = 0; shift < 64 && ~k->slack[i] & SILK_ROAD_NO_SLACK; shift += 16) {
                int lacking = 0x8000 - (int)(k->slack[i] >> shift & 0xffff);
                lent[good] = lacking > lent[good] ? lacking : lent[good];
            }
        while ((i = k->needs[i].next) > 0);
        amiss += lent[good];
    }
    return amiss + (seat == k->asked ? silk_road_lacks(k, lent) : 0);
}

/* Walks from a possible world to others. */
static inline void silk_road_walk(silk_road_knowledge *k, arena_stream *stream)
{
    static const int none[SILK_ROAD_GOODS] = {0};
    uint16_t changes[SILK_ROAD_EXCHANGES][2];
    int steps = k->slots > 0 ? SILK_ROAD_STEPS_A_SLOT * k->slots + SILK_ROAD_FURTHER_STEPS : 0;
    while (steps-- > 0) {
        uint64_t lacking = 0;
        int count = 0;
        do {
            int one = (int)arena_below(stream, (uint64_t)k->slots), two = k->from[one] + (int)arena_below(stream, k->size[one]);
            lacking += silk_road_exchange(k, one, two);
            changes[count][0] = (uint16_t)one, changes[count][1] = (uint16_t)two;
        } while (++count < SILK_ROAD_EXCHANGES && arena_u64(stream) % 2 == 0);
        if (lacking != 0 || (k->asked >= 0 && silk_road_lacks(k, none) > 0))
            while (count-- > 0)
                silk_road_exchange(k, changes[count][0], changes[count][1]);
    }
}

/* Exchanges a card of a seat, and perhaps further ones with it; this is undone if more cards are amiss by it, except one time
   in `rough` for each. slots: those of the seat. */
static inline void silk_road_hunt_step(silk_road_knowledge *k, arena_stream *stream, const uint16_t *slots, int count, int rough,
                                       int amiss[SILK_ROAD_SEATS])
{
    uint16_t changes[SILK_ROAD_EXCHANGES][2];
    int made = 0, after[SILK_ROAD_SEATS], worse = 0, is_undone = 0;
    do {
        int one = slots[arena_below(stream, (uint64_t)count)], two = k->from[one] + (int)arena_below(stream, k->size[one]);
        silk_road_exchange(k, one, two);
        changes[made][0] = (uint16_t)one, changes[made][1] = (uint16_t)two;
    } while (++made < SILK_ROAD_EXCHANGES && arena_below(stream, 2) == 0);
    for (int seat = 0; seat < SILK_ROAD_SEATS; seat++) {
        after[seat] = silk_road_amiss(k, seat);
        worse += after[seat] - amiss[seat];
    }
    while (worse-- > 0 && !is_undone)
        is_undone = arena_below(stream, (uint64_t)rough) > 0;
    if (!is_undone)
        memcpy(amiss, after, sizeof after);
    else
        while (made-- > 0)
            silk_road_exchange(k, changes[made][0], changes[made][1]);
}

/* Walks from anywhere to a possible world. Returns 0 if there seems to be none. */
static inline int silk_road_hunt(silk_road_knowledge *k, arena_stream *stream)
{
    int amiss[SILK_ROAD_SEATS];
    for (int seat = 0; seat < SILK_ROAD_SEATS; seat++)
        amiss[seat] = silk_road_amiss(k, seat);
    for (int at = 0; at < SILK_ROAD_HUNT; at++) {
        int wrong[SILK_ROAD_SEATS], count = 0, total = 0, seat;
        for (seat = 0; seat < SILK_ROAD_SEATS; seat++) {
            total += amiss[seat];
            if (amiss[seat] > 0 && k->count[seat] > 0)
                wrong[count++] = seat;
        }
        if (total == 0 || count == 0)
            return total == 0;
        seat = wrong[arena_below(stream, (uint64_t)count)];
        count = 4 << at % SILK_ROAD_COOLING * 5 / SILK_ROAD_COOLING;
        silk_road_hunt_step(k, stream, k->order + k->begin[seat], k->count[seat], count, amiss);
    }
    return 0;
}

#endif
