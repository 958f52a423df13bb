/* How the greedy Silk Road bot chooses: bots/python/shared/silk_road/policy.py in C. It tries each entry on paper and takes the
   one with the best outlook. C99 and C++17. */
#ifndef SILK_ROAD_POLICY_H
#define SILK_ROAD_POLICY_H

#include "silk_road_table.h"

enum { SILK_ROAD_ENTRIES = 2048 }; /* of a question at most */
#define SILK_ROAD_EQUAL 1e-6 /* what differs by less is equal, so that the last bit of a sum never decides */

/* Returns what a colourless jewel is worth to a seat. */
static inline double silk_road_colourless_worth(const silk_road_table *table, int seat)
{
    int held = table->s->colourless[seat];
    return table->worth->colourless[held < 2 ? held : 2];
}

/* Counts the displays in hundredths of cards, with so many cards more of a good for the seat. */
static inline void silk_road_count_displays(const silk_road_table *table, int good, int more,
                                            int cards[SILK_ROAD_SEATS][SILK_ROAD_GOODS])
{
    for (int seat = 0; seat < table->s->seats; seat++)
        for (int i = 0; i < SILK_ROAD_GOODS; i++)
            cards[seat][i] = SILK_ROAD_WHOLE * (table->s->display[seat][i] + (seat == table->me && i == good ? more : 0));
}

/* Returns what the sale of one camel's good for a colourless jewel brings. */
static inline double silk_road_small_market(const silk_road_table *table, int camel, int played, int more)
{
    int cards[SILK_ROAD_SEATS][SILK_ROAD_GOODS] = {{0}}, good = silk_road_good_of(camel), seller, count;
    double gains[SILK_ROAD_SEATS] = {0.0};
    silk_road_count_displays(table, played, more, cards);
    seller = silk_road_seller(table->s->seats, (const int(*)[SILK_ROAD_GOODS])cards, table->s->drivers, good);
    count = cards[seller][good] / SILK_ROAD_WHOLE;
    if (count > 0)
        gains[seller] = silk_road_colourless_worth(table, seller) - table->worth->card * ((count + 1) / 2);
    return silk_road_margin(table->s->seats, gains, table->me);
}

/* Returns the colourless jewel less what the three goods that can best be spared are worth in the display. nearness: what the
   markets count, by size - 1; played, more: cards that are laid out besides. */
static inline double silk_road_bazaar_gain(silk_road_table *table, const double nearness[SILK_ROAD_SIZES], int played, int more)
{
    double losses[SILK_ROAD_GOODS], full[SILK_ROAD_SIZES];
    int count = 0, change = more * (SILK_ROAD_WHOLE - table->worth->own);
    silk_road_shift(table, table->me, played, change, full);
    for (int good = 0; good < SILK_ROAD_GOODS; good++) {
        double markets[SILK_ROAD_SIZES], loss = table->worth->card;
        int at = count;
        if (table->s->display[table->me][good] + (good == played ? more : 0) == 0)
            continue;
        table->strength[table->me][played] += change;
        silk_road_shift(table, table->me, good, -SILK_ROAD_WHOLE, markets);
        table->strength[table->me][played] -= change;
        for (int i = 0; i < SILK_ROAD_SIZES; i++)
            if (table->s->camels[i] & silk_road_carriers(good) && table->s->place[i] != SILK_ROAD_GONE)
                loss += nearness[i] * (full[i] - markets[i]);
        for (; at > 0 && losses[at - 1] > loss; at--)
            losses[at] = losses[at - 1];
        losses[at] = loss;
        count++;
    }
    return count < 3 ? -1.0 : silk_road_colourless_worth(table, table->me) - losses[0] - losses[1] - losses[2];
}

/* Returns what the action of a village is worth about, for a caravan that gets there by so many cards of a good. */
static inline double silk_road_village(silk_road_table *table, const double nearness[SILK_ROAD_SIZES], int tile, int i,
                                       int played, int more)
{
    const silk_road_weights *worth = table->worth;
    const silk_road_state *s = table->s;
    int others = s->seats - 1, excess = 0, with_display = 0, camel;
    double gain;
    for (int seat = 0; seat < s->seats; seat++) {
        int held = silk_road_sum(s->hand[seat]);
        if (seat == table->me)
            continue;
        excess += held > SILK_ROAD_CUSTOMS_LIMIT ? held - SILK_ROAD_CUSTOMS_LIMIT : 0;
        with_display += silk_road_sum(s->display[seat]) > 0;
    }
    switch (tile) {
    case SILK_ROAD_TILE_CAMELS_1:
    case SILK_ROAD_TILE_CAMELS_2:
    case SILK_ROAD_TILE_CAMELS_3: return i <= tile - SILK_ROAD_TILE_CAMELS_1 ? worth->next_card : 0.0;
    case SILK_ROAD_TILE_CUSTOMS: return worth->excess * excess;
    case SILK_ROAD_TILE_SANDSTORM: return worth->sand * with_display / others;
    case SILK_ROAD_TILE_ROBBER: return with_display > 0 ? worth->theft : worth->card;
    case SILK_ROAD_TILE_BAZAAR:
        gain = silk_road_bazaar_gain(table, nearness, played, more);
        return gain > 0.0 ? gain : 0.0;
    case SILK_ROAD_TILE_BAKSHEESH: return 0.0; /* a card for a card */
    default: break;
    }
    camel = silk_road_highest(s->camels[i] & (tile == SILK_ROAD_TILE_BLACK ? ~0u : silk_road_carriers(tile)));
    return camel > 0 ? silk_road_small_market(table, camel, played, more) : 0.0;
}

/* Returns what it is worth to lead a caravan to a place by so many cards of a good. markets: what they promise then. */
static inline double silk_road_stop(silk_road_table *table, const double markets[SILK_ROAD_SIZES], int i, int place, int good,
                                    int cards)
{
    const silk_road_state *s = table->s;
    double points = 0.0, nearness[SILK_ROAD_SIZES] = {0.0, 0.0, 0.0};
    int is_in_city = place == s->target[i];
    for (int j = 0; j < SILK_ROAD_SIZES; j++)
        if (s->place[j] != SILK_ROAD_GONE && !(j == i && is_in_city)) {
            nearness[j] = silk_road_nearness(table, j, j == i ? place : s->place[j]);
            points += nearness[j] * markets[j];
        }
    if (is_in_city) {
        int displays[SILK_ROAD_SEATS][SILK_ROAD_GOODS];
        double gains[SILK_ROAD_SEATS];
        silk_road_count_displays(table, good, cards, displays);
        silk_road_market_gains(table->worth, s, i, (const int(*)[SILK_ROAD_GOODS])displays, gains);
        points += silk_road_margin(s->seats, gains, table->me);
    } else {
        points += silk_road_village(table, nearness, s->tiles[place - table->rules->cities], i, good, cards);
    }
    return points + (s->camels[i] & silk_road_carriers(good) ? table->worth->next_card : 0.0);
}

/* Writes what each move is worth, in the order of `legal`. */
static inline void silk_road_judge_moves(silk_road_table *table, const silk_road_moves *moves, double *points)
{
    const silk_road_state *s = table->s;
    int from[SILK_ROAD_SIZES] = {0, 0, 0}, held = silk_road_sum(s->hand[table->me]), count = 0;
    for (int cards = 1; cards <= moves->most; cards++) {
        int ends[SILK_ROAD_SIZES];
        for (int i = 0; i < SILK_ROAD_SIZES; i++)
            for (ends[i] = from[i]; ends[i] < moves->stops[i] && moves->stop[i][ends[i]] >> 7 == cards;)
                ends[i]++;
        for (int good = 0; good < SILK_ROAD_GOODS; good++) {
            double markets[SILK_ROAD_SIZES];
            if (s->hand[table->me][good] < cards)
                continue;
            silk_road_shift(table, table->me, good, cards * (SILK_ROAD_WHOLE - table->worth->own), markets);
            for (int i = 0; i < SILK_ROAD_SIZES; i++)
                for (int at = from[i]; at < ends[i] && count < SILK_ROAD_ENTRIES; at++)
                    points[count++] = silk_road_stop(table, markets, i, moves->stop[i][at] & 127, good, cards)
                        - (held == cards ? table->worth->last_card : 0.0);
        }
        memcpy(from, ends, sizeof from);
    }
}

/* Returns what a card from the pile is worth: it is any that the seat did not see. */
static inline double silk_road_judge_pile(silk_road_table *table, const uint8_t known[SILK_ROAD_SEATS][SILK_ROAD_GOODS])
{
    uint8_t unseen[SILK_ROAD_GOODS], seen[SILK_ROAD_SEATS][SILK_ROAD_GOODS];
    double sum = 0.0;
    int total;
    memcpy(seen, known, sizeof seen);
    silk_road_count_unseen(table->s, (const uint8_t(*)[SILK_ROAD_GOODS])seen, table->me, unseen);
    total = silk_road_sum(unseen);
    for (int good = 0; good < SILK_ROAD_GOODS; good++)
        if (unseen[good] > 0)
            sum += unseen[good] * silk_road_outlook_with(table, good, table->worth->own, 1);
    return total > 0 ? sum / total : silk_road_sum_markets(table, table->markets);
}

/* Returns what it is worth to take a card out of another display. */
static inline double silk_road_judge_robbery(silk_road_table *table, int victim, int good)
{
    double points;
    table->strength[victim][good] -= SILK_ROAD_WHOLE;
    points = silk_road_outlook_with(table, good, SILK_ROAD_WHOLE, 0);
    table->strength[victim][good] += SILK_ROAD_WHOLE;
    return points;
}

/* Returns what it is worth to take an open card into the display for the hand card that can best be spared. */
static inline double silk_road_judge_purchase(silk_road_table *table, int good)
{
    silk_road_table with = *table;
    double best = -1e9;
    silk_road_shift(table, table->me, good, SILK_ROAD_WHOLE, with.markets);
    with.strength[table->me][good] += SILK_ROAD_WHOLE;
    for (int paid = 0; paid < SILK_ROAD_GOODS; paid++)
        if (table->s->hand[table->me][paid] > 0) {
            double points = silk_road_outlook_with(&with, paid, -table->worth->own, 0);
            best = points > best ? points : best;
        }
    return best;
}

/* Returns what it is worth to name a good at the bazaar: of the goods the first one to go is worth the whole barter, the others
   less. */
static inline double silk_road_judge_barter(silk_road_table *table, int entry)
{
    double nearness[SILK_ROAD_SIZES] = {0.0, 0.0, 0.0}, most = -1e9, mine = 0.0;
    const silk_road_state *s = table->s;
    if (entry == SILK_ROAD_NO)
        return 0.0;
    for (int i = 0; i < SILK_ROAD_SIZES; i++)
        if (s->place[i] != SILK_ROAD_GONE)
            nearness[i] = silk_road_nearness(table, i, s->place[i]);
    for (int good = 0; good < SILK_ROAD_GOODS; good++)
        if (s->display[table->me][good] > 0) {
            double points = silk_road_outlook_with(table, good, -SILK_ROAD_WHOLE, -1);
            most = points > most ? points : most;
            mine = good == entry ? points : mine;
        }
    return silk_road_bazaar_gain(table, nearness, 0, 0) + mine - most;
}

/* Returns what a sale is worth: little if it costs a great lead. */
static inline double silk_road_judge_sale(const silk_road_table *table, int entry)
{
    const silk_road_state *s = table->s;
    int count = s->display[table->me][silk_road_good_of(s->doing.b)];
    double gain = silk_road_is_in_city(s->doing.a) ? table->worth->large : silk_road_colourless_worth(table, table->me);
    return entry == SILK_ROAD_DO_SELL ? gain - table->worth->card * ((count + 1) / 2) : 0.0;
}

/* Returns what a jewel is worth: the colour that completes most; then the one that the others want. */
static inline double silk_road_judge_jewel(const silk_road_table *table, int colour)
{
    const silk_road_state *s = table->s;
    int others = 0;
    for (int seat = 0; seat < s->seats; seat++)
        others += seat == table->me ? 0 : silk_road_jewel_gain(s->jewels[seat], colour);
    return silk_road_jewel_gain(s->jewels[table->me], colour) + table->worth->spite * others / (s->seats - 1);
}

/* Returns what an entry is worth, but for a move. */
static inline double silk_road_judge_entry(silk_road_table *table, const uint8_t known[SILK_ROAD_SEATS][SILK_ROAD_GOODS],
                                           int entry)
{
    int own = table->worth->own;
    switch (table->s->kind) {
    case SILK_ROAD_DRAW:
        if (entry == SILK_ROAD_NOTHING)
            return silk_road_outlook_with(table, 0, 0, -1);
        return entry == SILK_ROAD_PILE ? silk_road_judge_pile(table, known) : silk_road_outlook_with(table, entry, own, 1);
    case SILK_ROAD_CUSTOMS:
    case SILK_ROAD_PAY: return silk_road_outlook_with(table, entry, -own, -1);
    case SILK_ROAD_SANDSTORM: return silk_road_outlook_with(table, entry, -SILK_ROAD_WHOLE, -1);
    case SILK_ROAD_ROBBER: return silk_road_judge_robbery(table, entry / 8, entry % 8);
    case SILK_ROAD_BAZAAR: return silk_road_judge_barter(table, entry);
    case SILK_ROAD_BAKSHEESH:
        return entry == SILK_ROAD_NOTHING ? silk_road_outlook_with(table, 0, 0, 0) : silk_road_judge_purchase(table, entry);
    case SILK_ROAD_SELL: return silk_road_judge_sale(table, entry);
    case SILK_ROAD_JEWEL: return silk_road_judge_jewel(table, entry);
    default: return 0.0; /* the first entry of lay_out lays out everything */
    }
}

/* Writes what each of the listed choices is worth to the seat that is asked. */
static inline void silk_road_judge(silk_road_table *table, const uint8_t known[SILK_ROAD_SEATS][SILK_ROAD_GOODS],
                                   const silk_road_options *options, double points[SILK_ROAD_ENTRIES])
{
    if (table->s->kind == SILK_ROAD_MOVE)
        silk_road_judge_moves(table, &options->moves, points);
    else
        for (int i = 0; i < options->menu[0]; i++)
            points[i] = silk_road_judge_entry(table, known, options->menu[i + 1]);
}

/* Chooses for the seat that is asked; of equals the first. */
static inline int silk_road_guess(const silk_road_weights *worth, const silk_road_chart *chart, const silk_road_rules *rules,
                                  const silk_road_state *s, const uint8_t known[SILK_ROAD_SEATS][SILK_ROAD_GOODS],
                                  const silk_road_options *options, int count)
{
    double points[SILK_ROAD_ENTRIES];
    silk_road_table table;
    int best = 0;
    if (s->kind == SILK_ROAD_LAY_OUT)
        return 0;
    silk_road_lay_table(&table, worth, chart, rules, s, known, s->asker);
    silk_road_judge(&table, known, options, points);
    for (int i = 1; i < count && i < SILK_ROAD_ENTRIES; i++)
        best = points[i] > points[best] + SILK_ROAD_EQUAL ? i : best;
    return best;
}

#endif
