/* Emira's fixed tables: words, caravans, prices, Emiras, cards and goals.

   Numbers: a colour, kind of counter, type of caravan, event card or Emira is its place in the tables of RULES.md, from 0; a
   status card is the place of its price among the prices, rising; a palace value is in halves (E13). */
#ifndef EMIRA_TABLES_H
#define EMIRA_TABLES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define EMIRA_RULES_VERSION "1" /* of the game in Python that plays alike */

typedef enum {
    EMIRA_OK, EMIRA_BAD_SEATS, EMIRA_BAD_RULES, EMIRA_OTHER_GAME, EMIRA_OTHER_VERSION, EMIRA_BAD_VIEW, EMIRA_NO_WORLD,
    EMIRA_BAD_CHOICE, EMIRA_OTHER_SEAT
} emira_error;

/* Kinds of decision. EMIRA_OVER: nobody is asked. */
typedef enum {
    EMIRA_OVER, EMIRA_FIRST_EVENT, EMIRA_PLAY, EMIRA_PLACE, EMIRA_MIND, EMIRA_ORDER, EMIRA_SPLIT, EMIRA_GOOD_LOOKING,
    EMIRA_CARAVAN, EMIRA_VERMIN, EMIRA_VERMIN_MOVE, EMIRA_NOBLE, EMIRA_BAZAAR, EMIRA_BID, EMIRA_ACTION, EMIRA_TAKE_APPEARANCE,
    EMIRA_TAKE_STATUS, EMIRA_BUY, EMIRA_KEEP, EMIRA_DROP_APPEARANCE, EMIRA_DROP_STATUS, EMIRA_ABDUCT, EMIRA_GIFT, EMIRA_DECISIONS
} emira_kind;

/* Phases. EMIRA_IN_INCOME: its effects are being settled. */
typedef enum {
    EMIRA_IN_SETUP, EMIRA_IN_EVENTS, EMIRA_IN_INCOME, EMIRA_IN_PREPARE, EMIRA_IN_AUCTION, EMIRA_IN_BUY, EMIRA_IN_CHOICE,
    EMIRA_IN_UPKEEP, EMIRA_AT_END
} emira_phase;

typedef enum { EMIRA_GOES_ON, EMIRA_BY_GOAL, EMIRA_BY_ROUNDS } emira_ending;
typedef enum { EMIRA_GREEN, EMIRA_WHITE, EMIRA_RED, EMIRA_BLUE, EMIRA_BLACK } emira_colour;
typedef enum { EMIRA_BEAUTY, EMIRA_MANNERS, EMIRA_DRESS } emira_counter;
typedef enum { EMIRA_SMALL, EMIRA_LARGE, EMIRA_CAMELS, EMIRA_SECTIONS } emira_item; /* what the supply counts */
typedef enum { EMIRA_KEEP_MIND, EMIRA_SWAP, EMIRA_BOTTOM } emira_mind;
typedef enum { EMIRA_PAID, EMIRA_REFUSED, EMIRA_UNABLE, EMIRA_GONE } emira_outcome;

/* Actions; 1 to 4 are the caravans by type. */
typedef enum {
    EMIRA_NO_ACTION, EMIRA_TAKE_CARAVAN, EMIRA_APPEARANCE = 5, EMIRA_STATUS, EMIRA_PALACE, EMIRA_CAMEL, EMIRA_GRANT
} emira_action_word;

typedef enum {
    EMIRA_CARD_BAZAAR, EMIRA_CARD_BETTER_BREED, EMIRA_CARD_CAMEL_BREEDING, EMIRA_CARD_CAMEL_EPIDEMIC,
    EMIRA_CARD_CHANGING_HER_MIND, EMIRA_CARD_COURT_INFLUENCE, EMIRA_CARD_DOUBLE_TROUBLE, EMIRA_CARD_GOLDEN_TIMES,
    EMIRA_CARD_GOOD_LOOKING, EMIRA_CARD_GUEST_HOUSE, EMIRA_CARD_INTERRUPT_SPICE_TRADE, EMIRA_CARD_NEW_ORDERS,
    EMIRA_CARD_NEW_SPICE_CARAVAN, EMIRA_CARD_NOBLE_MERCHANDISE, EMIRA_CARD_QUIET_DAYS, EMIRA_CARD_RESTORATION,
    EMIRA_CARD_SICK_CAMELS, EMIRA_CARD_VERMIN
} emira_card;

/* The Emiras that have a power; the others are numbered, too. */
typedef enum {
    EMIRA_ALBINA = 0, EMIRA_HALIMAH = 1, EMIRA_NOOR = 3, EMIRA_RASHA = 4, EMIRA_ZAINAB = 6, EMIRA_SAMIRA = 8, EMIRA_ZAHRAH = 9,
    EMIRA_LAYLA = 11, EMIRA_NADIA = 13, EMIRA_FIRYAL = 14, EMIRA_HIND = 15, EMIRA_FARAH = 16, EMIRA_ADARA = 18,
    EMIRA_SULEIKA = 19, EMIRA_JANAN = 20, EMIRA_ZAFIRAH = 23, EMIRA_XENIA = 24, EMIRA_BADRA = 26, EMIRA_SIDI = 27
} emira_princess;

typedef enum { EMIRA_BY_APPEARANCE, EMIRA_BY_STATUS, EMIRA_BY_PALACE, EMIRA_BY_GOLD } emira_wish;

enum {
    EMIRA_SEATS = 5, EMIRA_ENTRY = 3, EMIRA_EMIRAS = 28, EMIRA_EVENTS = 18, EMIRA_COPIES = 3, EMIRA_PRICES = 12,
    EMIRA_STATUS_CARDS = 20, EMIRA_COUNTERS = 3, EMIRA_CARAVANS = 4,
    EMIRA_LEFT = 8, /* incomes of a caravan at most */
    EMIRA_ITEMS = 4, EMIRA_ROUNDS_MOST = 200, EMIRA_INCOME_MOST = 10000,
    EMIRA_GOLD_MOST = 100000000, /* that a view may show; no match has a tenth of it */
    EMIRA_START_GOLD = 750, EMIRA_BASE_ROOM = 2, EMIRA_BONUS_COUNTERS = 12, EMIRA_APPEARANCE_PRICE = 350, EMIRA_GRANT_GOLD = 150,
    EMIRA_GRANT_BELOW = 500, EMIRA_GRANT_PRINCESSES = 4,
    EMIRA_STEP = 10, /* of bids, and the least one */
    EMIRA_BIDS_MOST = 1000, EMIRA_HIGHEST_BID = 100000,
    EMIRA_SURCHARGE = 100, /* for each Emira who joins where Suleika lives */
    EMIRA_GIFT_GOLD = 250, EMIRA_GIFT_EVERY = 3,
    EMIRA_NONE = -1,     /* the word "none" of a `play` */
    EMIRA_NOBODY = 255,  /* no seat; no card in a list; no limit of counters "+1" */
    EMIRA_UNKNOWN = 254, /* a card in a deck of a view */
    EMIRA_RED_CARD = 1,  /* the status card of the red sheik: 350 */
    EMIRA_ONCE = 1 << EMIRA_ALBINA | 1 << EMIRA_FIRYAL | 1 << EMIRA_SAMIRA | 1 << EMIRA_ZAHRAH | 1 << EMIRA_HIND /* E26 */
};

/* Returns the price of a status card. */
static inline int emira_price(int card)
{
    static const int16_t prices[EMIRA_PRICES] = {300, 350, 400, 700, 750, 800, 850, 900, 1200, 1300, 1400, 1500};
    return prices[card];
}

/* Returns the points of a status card. */
static inline int emira_points(int card)
{
    return card < 3 ? 1 : card < 8 ? 2 : 3;
}

/* Returns how many status cards of a price a match with so many seats has (E16). */
static inline int emira_status_copies(int card, int seats)
{
    static const uint8_t copies[2][EMIRA_PRICES] = {{2, 3, 2, 1, 1, 0, 1, 1, 1, 1, 0, 1}, {3, 4, 3, 1, 1, 2, 1, 1, 1, 1, 1, 1}};
    return copies[seats > 3][card];
}

/* Returns how many status cards below 3 points lie on top of the deck at first (E15, E16). */
static inline int emira_status_on_top(int seats)
{
    return seats == 3 ? 3 : 6;
}

/* Returns how much of an item there is, in the supply and with the sheiks together. */
static inline int emira_stock(int item, int seats)
{
    static const uint8_t stock[2][EMIRA_ITEMS] = {{8, 8, 16, 20}, {12, 12, 23, 20}};
    return stock[seats > 3][item];
}

/* Returns how many counters of a kind there are (E16). */
static inline int emira_stock_of_counters(int kind, int seats)
{
    return (seats == 3 ? 6 : 8) + (kind == EMIRA_DRESS);
}

/* Returns how many incomes a caravan brings. */
static inline int emira_length(int type)
{
    return type % 2 == 0 ? 8 : 4;
}

/* Returns what a caravan brings each time (E1). */
static inline int emira_caravan_income(int type)
{
    static const int16_t income[EMIRA_CARAVANS] = {150, 300, 250, 500};
    return income[type];
}

/* Returns the price of a caravan; adara: 1 where she lives (E31). */
static inline int emira_caravan_price(int type, int adara)
{
    static const int16_t price[2][EMIRA_CARAVANS] = {{450, 550, 750, 900}, {400, 500, 650, 800}};
    return price[adara][type];
}

/* Returns what a camel takes off a bid, by how often its owner has played Better Breed (E3). */
static inline int emira_track(int breed)
{
    static const uint8_t track[4] = {50, 70, 100, 150};
    return track[breed];
}

/* Returns what an Emira wants first or second; EMIRA_NOBODY for Sidi Suleiman. */
static inline int emira_wants(int card, int second)
{
    static const uint8_t wants[EMIRA_EMIRAS][2] = {{0, 1}, {0, 1}, {0, 1}, {0, 2}, {0, 2}, {0, 2}, {0, 3}, {0, 3}, {0, 3}, {1, 0},
                                                   {1, 0}, {1, 0}, {1, 2}, {1, 2}, {1, 2}, {1, 3}, {1, 3}, {1, 3}, {2, 0}, {2, 0},
                                                   {2, 1}, {2, 1}, {2, 3}, {2, 3}, {3, 0}, {3, 1}, {3, 2}, {255, 255}};
    return wants[card][second];
}

/* Tells whether gold matters to an Emira, first or second. */
static inline int emira_loves_gold(int card)
{
    return emira_wants(card, 0) == EMIRA_BY_GOLD || emira_wants(card, 1) == EMIRA_BY_GOLD;
}

/* Returns the mask of an Emira's talents: 1 intelligence, 2 household, 4 cooking, 8 romance. */
static inline int emira_talents(int card)
{
    static const uint8_t talents[EMIRA_EMIRAS] = {1, 2, 4, 3, 4, 8, 1, 2, 8, 1, 2, 8, 1, 2,
                                                  4, 10, 1, 4, 1, 2, 5, 8, 1, 4, 12, 2, 1, 0};
    return talents[card];
}

enum { EMIRA_GOALS_MOST = 7, EMIRA_WAYS_MOST = 3, EMIRA_TALENTS = 4 };

/* Returns how many goals there are. */
static inline int emira_goals(int seats)
{
    return seats == 3 ? 4 : seats == 4 ? 5 : 7;
}

/* Returns how many princesses of each talent a way to fulfil a goal names; a null pointer if the goal has no such way. */
static inline const uint8_t *emira_goal(int seats, int goal, int way)
{
    static const uint8_t goals[3][EMIRA_GOALS_MOST][EMIRA_WAYS_MOST][EMIRA_TALENTS] = {
        {{{2, 1, 1, 1}}, {{2, 2, 1, 0}, {1, 2, 2, 0}}, {{2, 2, 0, 1}, {2, 1, 0, 2}}, {{2, 0, 2, 1}, {2, 0, 1, 2}, {1, 0, 2, 2}}},
        {{{1, 1, 1, 1}},
         {{2, 1, 1, 0}},
         {{1, 2, 0, 1}, {1, 1, 0, 2}},
         {{2, 0, 1, 1}, {1, 0, 2, 1}},
         {{0, 2, 1, 1}, {0, 1, 2, 1}, {0, 1, 1, 2}}},
        {{{1, 1, 0, 1}},
         {{1, 0, 1, 1}},
         {{0, 1, 1, 1}},
         {{2, 1, 0, 0}},
         {{2, 0, 1, 0}},
         {{2, 0, 0, 1}, {1, 0, 0, 2}},
         {{0, 2, 1, 0}, {0, 1, 2, 0}}}};
    const uint8_t *demand = way < EMIRA_WAYS_MOST ? goals[seats - 3][goal][way] : NULL;
    return demand && demand[0] + demand[1] + demand[2] + demand[3] > 0 ? demand : NULL;
}

/* Returns how many princesses win with the talents of the goal (E32). */
static inline int emira_least_princesses(int seats)
{
    return 9 - seats;
}

/* Returns how many princesses win with any talents (E32). */
static inline int emira_most_princesses(int seats)
{
    return 11 - seats;
}

#endif
