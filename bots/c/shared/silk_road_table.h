/* What a position of Silk Road is worth to a seat, in points: bots/python/shared/silk_road/evaluate.py in C. Markets are played
   out on paper, near ones count more than far ones. C99 and C++17.

   Include the rules of Silk Road before it. Cards are counted in hundredths, since a card in hand is only a part of a lead. */
#ifndef SILK_ROAD_TABLE_H
#define SILK_ROAD_TABLE_H

enum { SILK_ROAD_NEAR = 12, SILK_ROAD_WHOLE = 100 };

/* What things are worth. near: what a market counts by the steps that its caravan still has to go. */
typedef struct {
    double card, near[SILK_ROAD_NEAR], colourless[3]; /* card: beyond the markets in sight; colourless: by those held already */
    double next_card, excess, sand, theft, last_card; /* a draw; what others lose; a robbery; an empty hand */
    double large, spite;                              /* a sale in a city; a jewel that others want */
    int own, known, unknown; /* hundredths of a card laid out: a card in the own hand, one known in another one, any other one */
} silk_road_weights;

/* Steps to each city from each place, with nothing in the way; 255 if no way leads there. */
typedef struct {
    uint8_t steps[SILK_ROAD_PLACES][SILK_ROAD_PLACES];
} silk_road_chart;

/* Measures a map. */
static inline void silk_road_measure(const silk_road_rules *rules, silk_road_chart *chart)
{
    int places = rules->cities + rules->villages;
    memset(chart, 255, sizeof *chart);
    for (int city = 0; city < rules->cities; city++) {
        uint8_t *steps = chart->steps[city];
        int is_growing = 1;
        steps[city] = 0;
        for (int length = 1; is_growing && length < 255; length++) {
            is_growing = 0;
            for (int place = 0; place < places; place++) {
                const uint8_t *next;
                int count = silk_road_next(rules, place, city, &next);
                for (int i = 0; i < count && steps[place] == 255; i++)
                    if (steps[next[i]] == length - 1 && (next[i] >= rules->cities || next[i] == city))
                        steps[place] = (uint8_t)length, is_growing = 1;
            }
        }
    }
}

/* Returns the points that one more jewel of a colour brings: it makes the set that lacks it one colour bigger. */
static inline int silk_road_jewel_gain(const uint8_t held[SILK_ROAD_COLOURS], int colour)
{
    int gain = 1;
    for (int other = 0; other < SILK_ROAD_COLOURS; other++)
        gain += held[other] > held[colour];
    return gain;
}

/* Returns the seat that would sell a good: most cards, then the higher driver. */
static inline int silk_road_seller(int seats, const int cards[SILK_ROAD_SEATS][SILK_ROAD_GOODS], const uint8_t *drivers, int good)
{
    int seller = 0;
    for (int seat = 1; seat < seats; seat++)
        if (cards[seat][good] > cards[seller][good]
            || (cards[seat][good] == cards[seller][good] && drivers[seat] > drivers[seller]))
            seller = seat;
    return seller;
}

/* Writes what a large market brings each seat, if everybody sells. */
static inline void silk_road_market_gains(const silk_road_weights *worth, const silk_road_state *s, int i,
                                          const int counts[SILK_ROAD_SEATS][SILK_ROAD_GOODS], double gains[SILK_ROAD_SEATS])
{
    int cards[SILK_ROAD_SEATS][SILK_ROAD_GOODS], seats = s->seats, jewels = silk_road_sum(s->lots[i]);
    uint8_t drivers[SILK_ROAD_SEATS], left[SILK_ROAD_COLOURS], held[SILK_ROAD_SEATS][SILK_ROAD_COLOURS];
    memcpy(cards, counts, sizeof cards);
    memcpy(drivers, s->drivers, sizeof drivers);
    memcpy(left, s->lots[i], sizeof left);
    memcpy(held, s->jewels, sizeof held);
    for (int seat = 0; seat < SILK_ROAD_SEATS; seat++)
        gains[seat] = 0.0;
    for (int camel = SILK_ROAD_CAMELS; camel > 0 && jewels > 0; camel--) {
        int good, seller, count, lowest, colour = -1, best = 0;
        if (!(s->camels[i] >> camel & 1))
            continue;
        good = silk_road_good_of(camel);
        seller = silk_road_seller(seats, (const int(*)[SILK_ROAD_GOODS])cards, drivers, good);
        count = cards[seller][good];
        if (count < SILK_ROAD_WHOLE)
            continue;
        for (int other = 0; other < SILK_ROAD_COLOURS; other++) {
            int gain = left[other] > 0 ? silk_road_jewel_gain(held[seller], other) : 0;
            if (gain > best)
                best = gain, colour = other;
        }
        gains[seller] += best - worth->card * count / (2 * SILK_ROAD_WHOLE);
        held[seller][colour]++;
        left[colour]--;
        jewels--;
        lowest = seller;
        for (int seat = 0; seat < seats; seat++)
            if (cards[seat][good] == count && drivers[seat] < drivers[lowest])
                lowest = seat;
        uint8_t driver = drivers[seller];
        drivers[seller] = drivers[lowest];
        drivers[lowest] = driver;
        cards[seller][good] = count / (2 * SILK_ROAD_WHOLE) * SILK_ROAD_WHOLE;
    }
}

/* Returns a seat's gain less that of the others on average. */
static inline double silk_road_margin(int seats, const double gains[SILK_ROAD_SEATS], int me)
{
    double others = 0.0;
    for (int seat = 0; seat < seats; seat++)
        others += seat == me ? 0.0 : gains[seat];
    return gains[me] - others / (seats - 1);
}

/* A position as a seat sees it. strength: cards laid out, and a part of those that may be by the time of a market. markets: what
   those in sight promise the seat, by size - 1. */
typedef struct {
    const silk_road_weights *worth;
    const silk_road_chart *chart;
    const silk_road_rules *rules;
    const silk_road_state *s;
    int me, strength[SILK_ROAD_SEATS][SILK_ROAD_GOODS];
    double markets[SILK_ROAD_SIZES];
} silk_road_table;

static inline double silk_road_promise(const silk_road_table *table, int i)
{
    double gains[SILK_ROAD_SEATS];
    silk_road_market_gains(table->worth, table->s, i, (const int(*)[SILK_ROAD_GOODS])table->strength, gains);
    return silk_road_margin(table->s->seats, gains, table->me);
}

/* Counts the strengths of all seats as one of them sees them. known: cards that all know to be in a hand. */
static inline void silk_road_weigh(const silk_road_weights *worth, const silk_road_state *s,
                                   const uint8_t known[SILK_ROAD_SEATS][SILK_ROAD_GOODS], int me,
                                   int strength[SILK_ROAD_SEATS][SILK_ROAD_GOODS])
{
    for (int seat = 0; seat < s->seats; seat++) {
        int hidden = worth->unknown * (silk_road_sum(s->hand[seat]) - silk_road_sum(known[seat]));
        for (int good = 0; good < SILK_ROAD_GOODS; good++)
            strength[seat][good] = SILK_ROAD_WHOLE * s->display[seat][good]
                + (seat == me ? worth->own * s->hand[seat][good] : worth->known * known[seat][good] + hidden);
    }
}

/* Lays a table out. */
static inline void silk_road_lay_table(silk_road_table *table, const silk_road_weights *worth, const silk_road_chart *chart,
                                       const silk_road_rules *rules, const silk_road_state *s,
                                       const uint8_t known[SILK_ROAD_SEATS][SILK_ROAD_GOODS], int me)
{
    table->worth = worth, table->chart = chart, table->rules = rules, table->s = s, table->me = me;
    silk_road_weigh(worth, s, known, me, table->strength);
    for (int i = 0; i < SILK_ROAD_SIZES; i++)
        table->markets[i] = s->place[i] == SILK_ROAD_GONE ? 0.0 : silk_road_promise(table, i);
}

/* Returns what the market of a caravan counts when it stands at a place. */
static inline double silk_road_nearness(const silk_road_table *table, int i, int place)
{
    int steps = table->chart->steps[table->s->target[i]][place];
    return table->worth->near[steps < SILK_ROAD_NEAR ? steps : SILK_ROAD_NEAR - 1];
}

/* Writes what the markets promise the seat when its strength in a good is changed. */
static inline void silk_road_shift(silk_road_table *table, int seat, int good, int change, double markets[SILK_ROAD_SIZES])
{
    table->strength[seat][good] += change;
    for (int i = 0; i < SILK_ROAD_SIZES; i++)
        markets[i] = table->s->camels[i] & silk_road_carriers(good) && table->s->place[i] != SILK_ROAD_GONE
            ? silk_road_promise(table, i) : table->markets[i];
    table->strength[seat][good] -= change;
}

/* Returns what all markets promise together: each counts as much as its caravan is near. */
static inline double silk_road_sum_markets(const silk_road_table *table, const double markets[SILK_ROAD_SIZES])
{
    double total = 0.0;
    for (int i = 0; i < SILK_ROAD_SIZES; i++)
        if (table->s->place[i] != SILK_ROAD_GONE)
            total += silk_road_nearness(table, i, table->s->place[i]) * markets[i];
    return total;
}

/* Returns the outlook after a change of the seat's own strength in a good by one card, in hand or display. */
static inline double silk_road_outlook_with(silk_road_table *table, int good, int change, int cards)
{
    double markets[SILK_ROAD_SIZES];
    silk_road_shift(table, table->me, good, change, markets);
    return silk_road_sum_markets(table, markets) + table->worth->card * cards;
}

#endif
