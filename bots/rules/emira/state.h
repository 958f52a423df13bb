/* The data of a match of Emira: the rules map, all that lies open, all that is hidden, what seats have seen, and the tasks that
   are left to do. Lists by seat unless said otherwise.

   A counted list has its length in item 0 and its items from 1 on. */
#ifndef EMIRA_STATE_H
#define EMIRA_STATE_H

#include "../arena/stream.h"
#include "tables.h"

/* The rules map, compiled. */
typedef struct {
    uint32_t blocks[EMIRA_EVENTS]; /* by event card: mask of the cards that it keeps from being played later in the round (O2) */
    int32_t base_income, black_income; /* O1 */
    uint8_t advanced;
    uint8_t gold_hidden;      /* O3 */
    uint8_t always;           /* every undecided Emira is looked at after each change (O4) */
    uint8_t grant_at_bid;     /* O5 */
    uint8_t buys_3p;          /* event cards are bought in the even round (O6) */
    uint8_t return_odd;       /* an unsold counter goes back after the odd round (O7) */
    uint8_t extra;            /* the item chosen comes besides the one drawn (O8) */
    uint8_t zahrah_under;     /* her status card goes under the deck (O9) */
    uint8_t xenia_room;       /* Xenia needs room where she moves (O10) */
    uint8_t bonus_capped;     /* there are twelve counters "+1" (O11) */
    uint8_t good_looking_all; /* counters that princesses brought count, too (O12) */
    uint8_t hind_undecided;   /* undecided Emiras may join in the lost round (O13) */
    uint8_t max_rounds;       /* O14 */
} emira_rules;

/* All that lies open, or is known to all. A list of Emiras has room for all of them, one of status cards, too. */
typedef struct {
    int32_t gold[EMIRA_SEATS];       /* in a view -1 where it is hidden (O3) */
    int32_t shown_gold[EMIRA_SEATS]; /* as last shown (O3) */
    int32_t bid;
    uint32_t met[EMIRA_SEATS]; /* mask of Emiras whose once-only effect has struck (E26) */
    uint32_t fresh;            /* mask of Emiras who became undecided in this round's phase 6, and still wait (O13) */
    uint32_t blocked;          /* mask of event cards that cannot be played this round any more */
    uint8_t seats, round, start, phase, ending;
    uint8_t kind, asker; /* the open question; EMIRA_FIRST_EVENT is asked of all */
    /* its subject: a place (mind), 0 Emiras or 1 status cards (order), an event card (split), a type of caravan (vermin_move) */
    uint8_t about;
    uint8_t looks; /* how many event cards the buyer looks at (keep); in a view 0 if somebody else is asked */
    uint8_t colours[EMIRA_SEATS], shown_round[EMIRA_SEATS]; /* shown_round: 0 if gold was never shown */
    uint8_t caravans[EMIRA_SEATS][EMIRA_CARAVANS][EMIRA_LEFT]; /* how many, by seat, type, and incomes left - 1 */
    uint8_t camels[EMIRA_SEATS], breed[EMIRA_SEATS];           /* breed: the place on the camel track */
    uint8_t counters[EMIRA_SEATS][EMIRA_COUNTERS];
    uint8_t bonus[EMIRA_SEATS], looking[EMIRA_SEATS][4]; /* counters "+1": for sets (O11, else 0), on each Good Looking */
    uint8_t status[EMIRA_SEATS][EMIRA_PRICES];           /* how many cards of each price */
    uint8_t sections[EMIRA_SEATS], guests[EMIRA_SEATS];
    int8_t disc[EMIRA_SEATS]; /* the palace track in halves (E13) */
    uint8_t princesses[EMIRA_SEATS][EMIRA_EMIRAS + 1]; /* in the order they joined */
    uint8_t arrivals[EMIRA_SEATS], lost[EMIRA_SEATS];  /* lost: the latest round lost to Hind, 0 for none */
    uint8_t gift_round, gift_first, xenia_left; /* 0 while Xenia lives nowhere; xenia_left: EMIRA_NOBODY for nobody (E30) */
    uint8_t active[EMIRA_EMIRAS + 1], coming[EMIRA_EMIRAS + 1], undecided[EMIRA_EMIRAS + 1], gone[EMIRA_EMIRAS + 1];
    uint8_t removed[EMIRA_STATUS_CARDS + 1], shown_status[EMIRA_STATUS_CARDS + 1], shown_counters[5];
    uint8_t open;                                                            /* mask of items that can still be bought */
    uint8_t supply[EMIRA_ITEMS], bag[EMIRA_COUNTERS], bonus_left;            /* bonus_left: EMIRA_NOBODY without limit */
    uint8_t golden, interrupted, sick, quiet, doubles, early, bazaar, noble; /* early: the odd round gets the larger part */
    uint8_t served, bidding, bidder, free, last; /* the auction; free: who acts if all pass; last: who acted last */
    uint8_t opened, granted; /* an auction was opened this round; who took the grant as the last answer in it */
    uint8_t settled, paid;   /* masks */
} emira_table;

/* A face-down deck, top first, with the mask of the seats that know where a card lies. */
typedef struct {
    uint8_t card[EMIRA_EVENTS * EMIRA_COPIES + 1], seen[EMIRA_EVENTS * EMIRA_COPIES + 1];
} emira_deck;

/* A match. The lists of what is left to do come last: (task, subject) pairs, the next one last. */
typedef struct {
    emira_table table;
    uint64_t options; /* mask of the entries of the open question; of a bid: twice the number of amounts, and 1 with the grant */
    uint32_t turned;  /* mask of Emiras whose wishes are swapped */
    uint16_t riots;
    uint8_t shuffles, winners, goals[EMIRA_SEATS], hand[EMIRA_SEATS][EMIRA_EVENTS]; /* hand: how many of each event card */
    emira_deck emiras, status, events;
    uint8_t todo[48];
    uint8_t tasks, quick;
    unsigned char secret[ARENA_SECRET];
} emira_state;

/* Words of the history. */
typedef enum {
    EMIRA_LINE_DEAL, EMIRA_LINE_PLAY, EMIRA_LINE_MIND, EMIRA_LINE_ORDER, EMIRA_LINE_BUY, EMIRA_LINE_EMIRAS, EMIRA_LINE_JOIN,
    EMIRA_LINE_ABDUCT, EMIRA_LINE_GIFT, EMIRA_LINE_UNDER, EMIRA_LINE_STATUS, EMIRA_LINE_NOBLE, EMIRA_LINE_UNSOLD,
    EMIRA_LINE_UNDER_STATUS, EMIRA_LINES
} emira_line;

enum { EMIRA_HISTORY = 10240 }; /* bytes; 200 rounds need fewer than 9,300, since lines are made by cards that move */

/* The history of RULES.md, line by line: round, word, number of items, items. What only the seat did that knows stands last; of a
   `deal` its seat comes first. */
typedef struct {
    uint16_t size, last; /* last: where the last line begins */
    uint8_t line[EMIRA_HISTORY];
} emira_memory;

/* A match being changed. memory may be null. */
typedef struct {
    const emira_rules *rules;
    emira_table *t;
    emira_state *s;
    emira_memory *memory;
} emira_match;

/* Tasks. Those below EMIRA_DO_PLAY begin the phase of the same number. */
typedef enum {
    EMIRA_DO_PLAY = EMIRA_AT_END + 1, /* subject: how many places the seat sits to the left of the start player */
    EMIRA_DO_INFEST,                  /* subject: 8 * type + seat */
    EMIRA_DO_SHOW_COUNTER, EMIRA_DO_OPEN_BOARD, EMIRA_DO_OPEN_AUCTION,
    EMIRA_DO_GO_ON, /* subject: a seat, as of the next two */
    EMIRA_DO_ACTION, EMIRA_DO_PAY, EMIRA_DO_CLOSE_PHASE,
    EMIRA_DO_BUY, /* subject as of EMIRA_DO_PLAY */
    EMIRA_DO_CHOOSE,
    EMIRA_DO_UPKEEP, /* subject as of EMIRA_DO_PLAY */
    EMIRA_DO_RECHECK, EMIRA_DO_NEW_ROUND, EMIRA_DO_SHOW_STATUS
} emira_task;

/* --- lists --- */

/* Adds an item to a list that has room. */
static inline void emira_push(uint8_t *list, int item)
{
    list[++list[0]] = (uint8_t)item;
}

/* Returns where an item stands in a list, 0 if it does not. */
static inline int emira_find(const uint8_t *list, int item)
{
    int at = list[0];
    while (at > 0 && list[at] != item)
        at--;
    return at;
}

/* Takes the item at a place, from 1, out of a list and returns it. */
static inline int emira_pull(uint8_t *list, int at)
{
    int item = list[at];
    memmove(list + at, list + at + 1, (size_t)(list[0] - at));
    list[list[0]--] = 0; /* so that equal lists are equal bytes */
    return item;
}

/* Takes an item out of a list, if it is there. */
static inline void emira_remove(uint8_t *list, int item)
{
    int at = emira_find(list, item);
    if (at > 0)
        emira_pull(list, at);
}

/* Returns the mask of the items of a list. */
static inline uint32_t emira_mask(const uint8_t *list)
{
    uint32_t mask = 0;
    for (int i = 1; i <= list[0]; i++)
        mask |= (uint32_t)1 << (list[i] & 31);
    return mask;
}

/* Counts the bits of a mask. */
static inline int emira_bits(uint64_t mask)
{
    mask -= mask >> 1 & 0x5555555555555555u;
    mask = (mask & 0x3333333333333333u) + (mask >> 2 & 0x3333333333333333u);
    return (int)(((mask + (mask >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56);
}

/* Returns the place of the bit that has so many bits of the mask below it. */
static inline int emira_bit(uint64_t mask, int below)
{
    int place = 0;
    while (below-- > 0)
        mask &= mask - 1;
    for (int half = 32; half > 0; half /= 2)
        if ((mask & (((uint64_t)1 << half) - 1)) == 0)
            mask >>= half, place += half;
    return place;
}

/* --- decks --- */

/* Draws the top card. */
static inline int emira_draw(emira_deck *deck)
{
    emira_pull(deck->seen, 1);
    return emira_pull(deck->card, 1);
}

/* Puts a card under a deck, known there to the seats of a mask. */
static inline void emira_put_under(emira_deck *deck, int card, unsigned seen)
{
    emira_push(deck->card, card);
    emira_push(deck->seen, (int)seen);
}

/* Returns the card at a place, from 0, which the seat knows from now on. */
static inline int emira_look(emira_deck *deck, int place, int seat)
{
    deck->seen[place + 1] |= (uint8_t)(1u << seat);
    return deck->card[place + 1];
}

/* Makes a deck of cards that nobody knows. */
static inline void emira_lay(emira_deck *deck, const uint8_t *cards, int count)
{
    memset(deck, 0, sizeof *deck);
    deck->card[0] = deck->seen[0] = (uint8_t)count;
    memcpy(deck->card + 1, cards, (size_t)count);
}

/* --- the history --- */

/* Adds a line with so many of the three items. */
static inline void emira_note_in(emira_memory *memory, int round, int word, int count, int a, int b, int c)
{
    uint8_t *at;
    if (!memory || memory->size + 6 > EMIRA_HISTORY)
        return;
    at = memory->line + memory->size;
    at[0] = (uint8_t)round, at[1] = (uint8_t)word, at[2] = (uint8_t)count;
    if (count > 0)
        at[3] = (uint8_t)a;
    if (count > 1)
        at[4] = (uint8_t)b;
    if (count > 2)
        at[5] = (uint8_t)c;
    memory->last = memory->size;
    memory->size = (uint16_t)(memory->size + 3 + count);
}

/* Adds a line of this round to the history of a match. */
static inline void emira_note(emira_match *m, int word, int count, int a, int b, int c)
{
    emira_note_in(m->memory, m->t->round, word, count, a, b, c);
}

/* Adds an item to the last line. */
static inline void emira_note_item(emira_memory *memory, int item)
{
    if (!memory || memory->size >= EMIRA_HISTORY || memory->size == 0 || memory->line[memory->last + 2] == 255)
        return;
    memory->line[memory->last + 2]++;
    memory->line[memory->size++] = (uint8_t)item;
}

/* --- tasks and questions --- */

/* Puts a task on those left to do. */
static inline void emira_later(emira_match *m, int task, int about)
{
    emira_state *s = m->s;
    if (2 * s->tasks + 2 > (int)sizeof s->todo)
        return; /* no match comes near */
    s->todo[2 * s->tasks] = (uint8_t)task;
    s->todo[2 * s->tasks++ + 1] = (uint8_t)about;
}

/* Asks a seat. options: mask of the entries that it has, of all that a question of this kind can have. */
static inline void emira_ask(emira_match *m, int kind, int seat, uint64_t options, int about)
{
    m->t->kind = (uint8_t)kind, m->t->asker = (uint8_t)seat, m->t->about = (uint8_t)about;
    m->s->options = options;
}

/* Returns the seat so many places to the left of the start player. */
static inline int emira_clockwise(const emira_table *t, int offset)
{
    return (t->start + offset) % t->seats;
}

/* Returns the seat to the left of one. */
static inline int emira_left(int seat, int seats)
{
    return seat + 1 < seats ? seat + 1 : 0;
}

#endif
