/* Markets of Silk Road: sellers, prices, the end and the start of caravans (S6 to S9, S14, S15, S17), and the score (S18). */
#ifndef SILK_ROAD_MARKETS_H
#define SILK_ROAD_MARKETS_H

#include "asking.h"

/* A market is a pile of tasks: a sale for each camel, in a city then its close. Its kind and the size of its caravan are one
   number. */
static inline int silk_road_market_of(int market, int size)
{
    return 4 * market + size;
}

/* Tells whether the market is in a city: the camels leave, and jewels are sold. */
static inline int silk_road_is_in_city(int market)
{
    return market >> 2 == SILK_ROAD_LARGE || market >> 2 == SILK_ROAD_LAST;
}

/* Plans the sale of all camels below one, the highest first, then the close (S7). */
static inline void silk_road_open_market(silk_road_state *s, int market, int below)
{
    unsigned camels = s->camels[(market & 3) - 1];
    silk_road_plan(s, SILK_ROAD_DO_CLOSE, market, 0, 0);
    for (int camel = 1; camel < below; camel++)
        if (camels >> camel & 1)
            silk_road_plan(s, SILK_ROAD_SELL, market, camel, 0);
}

/* Leads a camel to the tail of the queue. */
static inline void silk_road_to_stable(silk_road_state *s, int size, int camel)
{
    s->camels[size - 1] = (uint16_t)(s->camels[size - 1] & ~(1u << camel));
    silk_road_push(s->queue, camel);
}

/* Takes the head of the queue. */
static inline int silk_road_head(silk_road_state *s)
{
    int camel = s->queue[1];
    memmove(s->queue + 1, s->queue + 2, (size_t)--s->queue[0]);
    return camel;
}

/* Returns the seat with most cards of a good that has not declined, of several the one with the highest driver; -1 if nobody
   has one (S7, S15). */
static inline int silk_road_leader(const silk_road_state *s, int good, unsigned declined)
{
    int top = 0, best = -1;
    for (int seat = 0; seat < s->seats; seat++) {
        int count = s->display[seat][good];
        if (count == 0 || declined >> seat & 1)
            continue;
        if (count > top || (count == top && s->drivers[seat] > s->drivers[best]))
            top = count, best = seat;
    }
    return best;
}

/* Plans the change of drivers between highest and lowest of those tied with the seller before its sale, if there are two (S7).
   A seat that declined is no longer tied; with O3 original_tie it is. */
static inline void silk_road_plan_swap(const silk_road_rules *rules, silk_road_state *s, int seat, int good, int count,
                                       unsigned declined)
{
    int highest = -1, lowest = -1;
    for (int other = 0; other < s->seats; other++) {
        if ((other == seat ? count : s->display[other][good]) != count || (rules->drop_tied && declined >> other & 1))
            continue;
        if (highest < 0 || s->drivers[other] > s->drivers[highest])
            highest = other;
        if (lowest < 0 || s->drivers[other] < s->drivers[lowest])
            lowest = other;
    }
    if (highest != lowest)
        silk_road_plan(s, SILK_ROAD_DO_SWAP, highest, lowest, 0);
}

/* Gives a seat a colourless jewel; the third becomes a marker at once (S9, S14), as far as the supply goes (O6). */
static inline void silk_road_gain_colourless(const silk_road_rules *rules, silk_road_state *s, int seat)
{
    if (rules->capped && silk_road_colourless_left(s) == 0)
        return;
    s->colourless[seat]++;
    if (s->colourless[seat] >= 3 && !(rules->capped && silk_road_markers_left(s) == 0)) {
        s->colourless[seat] = (uint8_t)(s->colourless[seat] - 3);
        s->markers[seat]++;
    }
}

/* Sells half of the seat's cards, rounded up; then follow the price, the change of drivers, the camel (S7, S9). */
static inline void silk_road_sell(const silk_road_rules *rules, silk_road_state *s, int seat, silk_road_task sale)
{
    int good = silk_road_good_of(sale.b), count = s->display[seat][good];
    silk_road_plan(s, SILK_ROAD_DO_LEAD_AWAY, sale.a, sale.b, 0);
    silk_road_plan_swap(rules, s, seat, good, count, sale.c);
    for (int i = 0; i < (count + 1) / 2; i++)
        silk_road_discard_display(s, seat, good);
    if (silk_road_is_in_city(sale.a))
        silk_road_plan(s, SILK_ROAD_JEWEL, sale.a, sale.b, seat);
    else
        silk_road_gain_colourless(rules, s, seat);
}

/* Leads a sold camel away; in a village the head of the queue takes its place (S7, S9). */
static inline void silk_road_lead_away(silk_road_state *s, int market, int camel)
{
    int size = market & 3;
    silk_road_to_stable(s, size, camel);
    if (!silk_road_is_in_city(market))
        s->camels[size - 1] = (uint16_t)(s->camels[size - 1] | 1u << silk_road_head(s));
}

/* Lets two seats change drivers (S7). */
static inline void silk_road_swap(silk_road_state *s, int one, int other)
{
    uint8_t driver = s->drivers[one];
    s->drivers[one] = s->drivers[other];
    s->drivers[other] = driver;
}

/* --- the end of a large market --- */

/* Tells whether a city has no caravan and no jewels. */
static inline int silk_road_is_empty(const silk_road_state *s, int city)
{
    for (int i = 0; i < SILK_ROAD_SIZES; i++)
        if (s->place[i] == city || (s->target[i] == city && silk_road_sum(s->lots[i]) > 0))
            return 0;
    return 1;
}

/* Sets a target: as many empty cities on, clockwise, as the caravan has camels; a city may be counted again (S8). */
static inline void silk_road_set_target(const silk_road_rules *rules, silk_road_state *s, int size)
{
    int city = s->place[size - 1];
    for (int left = size; left > 0;) {
        city = (city + 1) % rules->cities;
        left -= silk_road_is_empty(s, city);
    }
    s->target[size - 1] = (uint8_t)city;
}

/* Lays as many jewels as camels from the bag onto the target (S8). */
static inline void silk_road_lay_jewels(silk_road_state *s, int size)
{
    for (int i = 0; i < size; i++)
        s->lots[size - 1][s->bag[s->bag[0]--]]++;
}

/* Adds cards of a hand to the display (S17). */
static inline void silk_road_add_to_display(silk_road_state *s, silk_road_memory *memory, int seat, int good, int count)
{
    silk_road_give(s, memory, seat, good, count);
    s->display[seat][good] = (uint8_t)(s->display[seat][good] + count);
}

/* Plans that a seat adds cards to its display: of each good that camels carry and that is not below the first (S17). */
static inline void silk_road_plan_lay_out(silk_road_state *s, unsigned camels, int seat, int first)
{
    for (int good = SILK_ROAD_GOODS - 1; good >= first; good--)
        if (camels & silk_road_carriers(good))
            silk_road_plan(s, SILK_ROAD_LAY_OUT, seat, good, 0);
}

/* Begins the last market: the caravan that is left jumps to its target; hands are laid out, then all is sold (S17, O7, O15). */
static inline void silk_road_last_market(const silk_road_rules *rules, silk_road_state *s, silk_road_memory *memory)
{
    int i = 0, first = s->active + rules->active_lays_last;
    while (s->place[i] == SILK_ROAD_GONE)
        i++;
    s->place[i] = s->target[i];
    silk_road_open_market(s, silk_road_market_of(SILK_ROAD_LAST, i + 1), SILK_ROAD_CAMELS + 1);
    if (rules->choose_dump) {
        for (int later = s->seats - 1; later >= 0; later--)
            silk_road_plan_lay_out(s, s->camels[i], (first + later) % s->seats, 0);
        return;
    }
    for (int later = 0; later < s->seats; later++)
        for (int good = 0, seat = (first + later) % s->seats; good < SILK_ROAD_GOODS; good++)
            silk_road_add_to_display(s, memory, seat, good, s->hand[seat][good]);
}

/* Sends out the head of the queue as the new caravan (S8). */
static inline void silk_road_set_out(const silk_road_rules *rules, silk_road_state *s, int size)
{
    for (int i = 0; i < size; i++)
        s->camels[size - 1] = (uint16_t)(s->camels[size - 1] | 1u << silk_road_head(s));
    silk_road_set_target(rules, s, size);
    silk_road_lay_jewels(s, size);
}

/* Removes the jewels that are left; then sends out a new caravan, or brings the end nearer (S7, S8, S17). */
static inline void silk_road_close(const silk_road_rules *rules, silk_road_state *s, silk_road_memory *memory, int market)
{
    int size = market & 3;
    uint8_t *lots = s->lots[size - 1];
    for (int colour = 0; colour < SILK_ROAD_COLOURS; colour++) {
        s->removed[colour] = (uint8_t)(s->removed[colour] + lots[colour]);
        lots[colour] = 0;
    }
    if (market >> 2 == SILK_ROAD_LAST) {
        silk_road_plan(s, SILK_ROAD_DO_FINISH, 0, 0, 0);
    } else if (s->ending == SILK_ROAD_GOES_ON && s->bag[0] >= size) {
        silk_road_set_out(rules, s, size);
    } else {
        s->place[size - 1] = s->target[size - 1] = SILK_ROAD_GONE;
        if (s->ending != SILK_ROAD_GOES_ON) {
            silk_road_last_market(rules, s, memory);
            return;
        }
        while (s->bag[0] > 0)
            s->removed[s->bag[s->bag[0]--]]++;
        s->ending = SILK_ROAD_BY_BAG;
        for (int i = 0; rules->camels_back && i < size; i++) { /* O14 */
            int camel = silk_road_head(s);
            silk_road_push(s->queue, camel);
        }
    }
}

/* --- the score --- */

/* Returns the points of a seat: sets of different colours, colourless jewels, markers (S18). */
static inline int silk_road_score(const silk_road_rules *rules, const silk_road_state *s, int seat)
{
    static const uint8_t sets[SILK_ROAD_COLOURS + 1] = {0, 1, 3, 6, 10, 15};
    int points = SILK_ROAD_MARKER_POINTS * (s->markers[seat] + s->colourless[seat] / 3) + 2 * (s->colourless[seat] % 3);
    (void)rules;
    for (int layer = 0; layer < SILK_ROAD_PER_COLOUR; layer++) {
        int colours = 0;
        for (int colour = 0; colour < SILK_ROAD_COLOURS; colour++)
            colours += s->jewels[seat][colour] > layer;
        points += sets[colours];
    }
    return points;
}

/* Writes the places of all seats: by score, then by the higher driver (S18, O12). */
static inline void silk_road_ranks(const silk_road_rules *rules, const silk_road_state *s, int ranks[SILK_ROAD_SEATS])
{
    int keys[SILK_ROAD_SEATS];
    for (int seat = 0; seat < s->seats; seat++)
        keys[seat] = 8 * silk_road_score(rules, s, seat) + s->drivers[seat];
    for (int seat = 0; seat < s->seats; seat++) {
        ranks[seat] = 1;
        for (int other = 0; other < s->seats; other++)
            ranks[seat] += keys[other] > keys[seat];
    }
}

#endif
