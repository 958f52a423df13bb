/* Whether a view is one of a match that goes on: every number in its bounds, every piece in one place, and a question that can
   be open. All that is done with a view later relies on this. */
#ifndef SILK_ROAD_CHECKING_H
#define SILK_ROAD_CHECKING_H

#include "knowledge.h"

/* Tells whether five numbers are 0 to `most` each. */
static inline int silk_road_are_at_most(const uint8_t counts[5], int most)
{
    for (int i = 0; i < 5; i++)
        if (counts[i] > most)
            return 0;
    return 1;
}

/* Tells whether all jewels are there, and the things of each seat are in their bounds. */
static inline int silk_road_are_things(const silk_road_rules *rules, const silk_road_view *view)
{
    int jewels[SILK_ROAD_COLOURS] = {0}, colourless = 0, markers = 0;
    unsigned drivers = 0;
    for (int colour = 0; colour < SILK_ROAD_COLOURS; colour++) {
        jewels[colour] += view->bag[colour] + view->removed[colour];
        for (int i = 0; i < SILK_ROAD_SIZES; i++)
            jewels[colour] += view->lots[i][colour];
        for (int seat = 0; seat < view->seats; seat++)
            jewels[colour] += view->jewels[seat][colour];
        if (jewels[colour] != SILK_ROAD_PER_COLOUR)
            return 0;
    }
    for (int seat = 0; seat < view->seats; seat++) {
        int driver = view->drivers[seat];
        if (driver < 1 || driver > SILK_ROAD_DRIVERS || drivers >> driver & 1 || view->markers[seat] > SILK_ROAD_TURNS_MOST)
            return 0;
        drivers |= 1u << driver;
        colourless += view->colourless[seat];
        markers += view->markers[seat];
        if (view->colourless[seat] > 2 && !rules->capped)
            return 0;
    }
    return !rules->capped || (colourless <= SILK_ROAD_COLOURLESS && markers <= SILK_ROAD_MARKERS); /* O6 */
}

/* Tells whether hands, displays, open cards and discards are in bounds, and the tiles are those of the rules. */
static inline int silk_road_are_cards(const silk_road_rules *rules, const silk_road_view *view)
{
    int tiles[SILK_ROAD_TILES] = {0}, open = silk_road_sum(view->open);
    if (view->pile < 0 || view->pile > SILK_ROAD_CARDS || view->discard[0] > SILK_ROAD_CARDS || open > SILK_ROAD_OPEN)
        return 0;
    for (int i = 1; i <= view->discard[0]; i++)
        if (view->discard[i] >= SILK_ROAD_GOODS)
            return 0;
    for (int seat = 0; seat < view->seats; seat++)
        if (view->hands[seat] > SILK_ROAD_CARDS || !silk_road_are_at_most(view->displays[seat], SILK_ROAD_PER_GOOD))
            return 0;
    for (int i = 0; i < rules->villages; i++) {
        if (view->tiles[i] >= SILK_ROAD_TILES || (rules->laid && view->tiles[i] != rules->tiles[i]))
            return 0;
        tiles[view->tiles[i]]++;
        tiles[rules->tiles[i]]--;
    }
    for (int tile = 0; tile < SILK_ROAD_TILES; tile++)
        if (tiles[tile])
            return 0;
    return silk_road_are_at_most(view->hand, SILK_ROAD_PER_GOOD);
}

/* Tells whether the question is about the caravan of a size in a city: a market, or the cards for the last one. */
static inline int silk_road_is_market_of(const silk_road_view *view, int size)
{
    if (view->kind == SILK_ROAD_LAY_OUT)
        return view->target[size - 1] != SILK_ROAD_GONE;
    return (view->kind == SILK_ROAD_SELL || view->kind == SILK_ROAD_JEWEL) && view->size == size
        && (view->market == SILK_ROAD_LARGE || view->market == SILK_ROAD_LAST);
}

/* Tells whether a caravan has its camels and jewels and stands on a way to its target, or in it where the question says so. */
static inline int silk_road_is_caravan(const silk_road_rules *rules, const silk_road_view *view, int i)
{
    uint8_t found[SILK_ROAD_STEPS + 1];
    int place = view->place[i], target = view->target[i];
    int camels = silk_road_bits(view->camels[i]), lots = silk_road_sum(view->lots[i]);
    int has_moved = view->kind == SILK_ROAD_DRAW && view->why <= SILK_ROAD_WHY_MATCH && view->played[2] == i + 1;
    if (place == SILK_ROAD_GONE)
        return target == SILK_ROAD_GONE && camels == 0 && lots == 0;
    if (place >= rules->cities + rules->villages || target >= rules->cities)
        return 0;
    if (silk_road_is_market_of(view, i + 1))
        return place == target && camels > 0 && camels <= lots && lots <= i + 1;
    if (camels != i + 1 || lots != i + 1)
        return 0;
    if (place == target)
        return has_moved;
    return silk_road_ways(rules, place, target, found)[0] > 0 && (place >= rules->cities || !has_moved);
}

/* Tells whether all camels are there, and as many caravans, apart from each other, as the end has left (S17). */
static inline int silk_road_are_caravans(const silk_road_rules *rules, const silk_road_view *view)
{
    int caravans = 0, is_last = view->kind == SILK_ROAD_LAY_OUT;
    unsigned camels = 0;
    is_last |= (view->kind == SILK_ROAD_SELL || view->kind == SILK_ROAD_JEWEL) && view->market == SILK_ROAD_LAST;
    if (view->queue[0] > SILK_ROAD_CAMELS)
        return 0;
    for (int i = 1; i <= view->queue[0]; i++) {
        if (view->queue[i] < 1 || view->queue[i] > SILK_ROAD_CAMELS || camels >> view->queue[i] & 1)
            return 0;
        camels |= 1u << view->queue[i];
    }
    for (int i = 0; i < SILK_ROAD_SIZES; i++) {
        if (camels & view->camels[i] || !silk_road_is_caravan(rules, view, i))
            return 0;
        camels |= view->camels[i];
        caravans += view->place[i] != SILK_ROAD_GONE;
        for (int j = 0; j < i; j++)
            if (view->place[i] != SILK_ROAD_GONE && (view->place[i] == view->place[j] || view->target[i] == view->target[j]))
                return 0;
    }
    if (camels != (2u << SILK_ROAD_CAMELS) - 2 || (is_last && view->ending == SILK_ROAD_GOES_ON))
        return 0;
    return caravans == (view->ending == SILK_ROAD_GOES_ON ? 3 : is_last ? 1 : 2);
}

/* Returns the tile where the caravan stands that has moved, -1 if it is in a city or none has. */
static inline int silk_road_tile_here(const silk_road_rules *rules, const silk_road_view *view)
{
    int place = view->played[1] > 0 ? (int)view->place[view->played[2] - 1] : (int)SILK_ROAD_GONE;
    return place >= rules->cities && place != SILK_ROAD_GONE ? view->tiles[place - rules->cities] : -1;
}

/* Tells whether a sale, or the choice of a jewel, is one that can be open. */
static inline int silk_road_is_sale(const silk_road_rules *rules, const silk_road_view *view)
{
    int tile = silk_road_tile_here(rules, view);
    unsigned camels;
    if (view->size < 1 || view->size > SILK_ROAD_SIZES || view->camel < 1 || view->camel > SILK_ROAD_CAMELS)
        return 0;
    camels = view->camels[view->size - 1];
    if (!(camels >> view->camel & 1) || view->declined >= 1u << view->seats)
        return 0;
    switch (view->market) {
    case SILK_ROAD_SMALL: return tile == silk_road_good_of(view->camel) && view->size == view->played[2];
    case SILK_ROAD_BLACK:
        return tile == SILK_ROAD_TILE_BLACK && view->size == view->played[2] && view->camel == silk_road_highest(camels);
    case SILK_ROAD_LARGE: return view->size == view->played[2] && view->camel == silk_road_highest(camels);
    case SILK_ROAD_LAST: return view->camel == silk_road_highest(camels);
    default: return 0;
    }
}

/* Tells whether a draw can be asked for its reason, for one after a move with the caravan still there. */
static inline int silk_road_is_draw(const silk_road_view *view, int tile)
{
    switch (view->why) {
    case SILK_ROAD_WHY_TURN: return view->place[view->played[2] - 1] != SILK_ROAD_GONE && (view->more == 0 || view->more == 1);
    case SILK_ROAD_WHY_MATCH: return view->place[view->played[2] - 1] != SILK_ROAD_GONE && view->more == 0;
    case SILK_ROAD_WHY_CAMELS: return tile >= SILK_ROAD_TILE_CAMELS_1 && tile <= SILK_ROAD_TILE_CAMELS_3 && view->more == 0;
    case SILK_ROAD_WHY_EMPTY: return view->more == 0 || view->more == 1;
    default: return 0;
    }
}

/* Tells whether the goods named at the bazaar are different ones of the display. */
static inline int silk_road_are_named(const silk_road_view *view)
{
    const uint8_t *named = view->named;
    for (int i = 1; i <= named[0] && i <= 2; i++)
        if (named[i] >= SILK_ROAD_GOODS || view->displays[view->active][named[i]] == 0)
            return 0;
    return named[0] < 2 || (named[0] == 2 && named[1] != named[2]);
}

/* Tells whether the last caravan carries the good of which cards are asked for, and the seat may have some (S17). */
static inline int silk_road_is_lay_out(const silk_road_rules *rules, const silk_road_view *view)
{
    unsigned camels = view->camels[0] | view->camels[1] | view->camels[2];
    if (!rules->choose_dump || view->good < 0 || view->good >= SILK_ROAD_GOODS || !(camels & silk_road_carriers(view->good)))
        return 0;
    return view->asker == view->seat ? view->hand[view->good] > 0 : view->hands[view->asker] > 0;
}

/* Tells whether the question can be open, as far as its numbers go; whether it has two entries is seen when it is opened. */
static inline int silk_road_is_question(const silk_road_rules *rules, const silk_road_view *view)
{
    int tile = silk_road_tile_here(rules, view), is_active = view->asker == view->active, hand = view->hands[view->asker];
    int kinds = view->asker == view->seat ? silk_road_kinds(view->hand) : hand;
    int is_first = view->kind == SILK_ROAD_MOVE || (view->kind == SILK_ROAD_DRAW && view->why == SILK_ROAD_WHY_EMPTY);
    if (is_first != (view->played[1] == 0))
        return 0;
    switch (view->kind) {
    case SILK_ROAD_MOVE: return is_active && hand > 0;
    case SILK_ROAD_DRAW: return is_active && silk_road_is_draw(view, tile);
    case SILK_ROAD_CUSTOMS:
        return tile == SILK_ROAD_TILE_CUSTOMS && !is_active && view->left > 0 && view->left == hand - SILK_ROAD_CUSTOMS_LIMIT
            && kinds > 1;
    case SILK_ROAD_SANDSTORM: return tile == SILK_ROAD_TILE_SANDSTORM && !is_active;
    case SILK_ROAD_ROBBER:
        return tile == SILK_ROAD_TILE_ROBBER && view->robbed < 1u << view->seats && !(view->robbed >> view->active & 1)
            && (is_active || view->robbed >> view->asker & 1);
    case SILK_ROAD_BAZAAR: return tile == SILK_ROAD_TILE_BAZAAR && is_active && silk_road_are_named(view);
    case SILK_ROAD_BAKSHEESH: return tile == SILK_ROAD_TILE_BAKSHEESH && is_active && hand > 0;
    case SILK_ROAD_PAY:
        return tile == SILK_ROAD_TILE_BAKSHEESH && is_active && kinds > 1 && view->good >= 0 && view->good < SILK_ROAD_GOODS;
    case SILK_ROAD_SELL: return silk_road_is_sale(rules, view);
    case SILK_ROAD_JEWEL: return silk_road_is_sale(rules, view) && silk_road_is_market_of(view, view->size);
    case SILK_ROAD_LAY_OUT: return silk_road_is_lay_out(rules, view);
    default: return 0;
    }
}

/* Tells whether a view is sound, but for its history. */
static inline int silk_road_is_sound(const silk_road_rules *rules, const silk_road_view *view)
{
    if (view->seats < 2 || view->seats > SILK_ROAD_SEATS || view->seat < 0 || view->seat >= view->seats)
        return 0;
    if (view->active < 0 || view->active >= view->seats || view->asker < 0 || view->asker >= view->seats)
        return 0;
    if (view->turn < 1 || view->turn > rules->max_turns || view->idle < 0 || view->idle > view->seats)
        return 0;
    if (view->ending != SILK_ROAD_GOES_ON && view->ending != SILK_ROAD_BY_BAG)
        return 0;
    if (view->played[1] > SILK_ROAD_PER_GOOD || view->played[0] >= SILK_ROAD_GOODS || view->played[2] > SILK_ROAD_SIZES)
        return 0;
    if ((view->played[1] > 0 && view->played[2] < 1) || view->played[3] >= rules->cities + rules->villages)
        return 0;
    if (view->codes < 0 || view->codes > SILK_ROAD_CODES || view->draws < 0 || view->draws > SILK_ROAD_DRAWN)
        return 0;
    if (view->shuffles < 0 || view->shuffles > SILK_ROAD_SHUFFLES)
        return 0;
    return silk_road_are_things(rules, view) && silk_road_are_cards(rules, view) && silk_road_are_caravans(rules, view)
        && silk_road_is_question(rules, view);
}

#endif
