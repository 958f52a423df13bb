/* What the places do where a caravan stops: tasks that they plan, and the answers to their questions (S7, S9 to S13). */
#ifndef SILK_ROAD_VILLAGES_H
#define SILK_ROAD_VILLAGES_H

#include "markets.h"

/* Plans a discard of each other seat, first from the left of the active one (S11): at customs of the hand, else of the display.
   */
static inline void silk_road_plan_discards(silk_road_state *s, int step, int last)
{
    for (int i = s->seats - 1; i >= last; i--) {
        int seat = (s->active + i) % s->seats;
        int limit = step == SILK_ROAD_CUSTOMS ? SILK_ROAD_CUSTOMS_LIMIT : 0;
        if (silk_road_sum(step == SILK_ROAD_CUSTOMS ? s->hand[seat] : s->display[seat]) > limit)
            silk_road_plan(s, step, seat, 0, 0);
    }
}

/* Opens the bazaar if there are three goods to give and a jewel to get (S13, O6). */
static inline int silk_road_has_bazaar(const silk_road_rules *rules, const silk_road_state *s)
{
    return !(rules->capped && silk_road_colourless_left(s) == 0) && silk_road_kinds(s->display[s->active]) >= 3;
}

/* Plans what the place does where the caravan has stopped (S4). */
static inline void silk_road_act(const silk_road_rules *rules, silk_road_state *s)
{
    int size = s->played[2], place = s->place[size - 1], tile, camel;
    if (place < rules->cities) {
        silk_road_open_market(s, silk_road_market_of(SILK_ROAD_LARGE, size), SILK_ROAD_CAMELS + 1);
        return;
    }
    tile = s->tiles[place - rules->cities];
    if (tile <= SILK_ROAD_TILE_BLACK) { /* S9 */
        camel = silk_road_highest(s->camels[size - 1] & (tile < SILK_ROAD_TILE_BLACK ? silk_road_carriers(tile) : ~0u));
        if (camel > 0)
            silk_road_plan(s, SILK_ROAD_SELL,
                           silk_road_market_of(tile < SILK_ROAD_TILE_BLACK ? SILK_ROAD_SMALL : SILK_ROAD_BLACK, size), camel, 0);
    } else if (tile <= SILK_ROAD_TILE_CAMELS_3) { /* S10 */
        if (size <= tile - SILK_ROAD_TILE_CAMELS_1 + 1)
            silk_road_plan(s, SILK_ROAD_DRAW, SILK_ROAD_WHY_CAMELS, 0, 0);
    } else if (tile == SILK_ROAD_TILE_CUSTOMS) {
        silk_road_plan_discards(s, SILK_ROAD_CUSTOMS, 1);
    } else if (tile == SILK_ROAD_TILE_SANDSTORM) {
        silk_road_plan_discards(s, SILK_ROAD_SANDSTORM, 1);
    } else if (tile == SILK_ROAD_TILE_ROBBER) {
        s->robbed = 0;
        silk_road_plan(s, SILK_ROAD_ROBBER, s->active, 0, 0);
    } else if (tile == SILK_ROAD_TILE_BAZAAR) {
        if (silk_road_has_bazaar(rules, s))
            silk_road_plan(s, SILK_ROAD_BAZAAR, 0, 0, 0);
    } else if (silk_road_sum(s->open) > 0 && silk_road_sum(s->hand[s->active]) > 0) {
        silk_road_plan(s, SILK_ROAD_BAKSHEESH, 0, 0, 0);
    }
}

/* Moves a card from display to display; its owner is the next of the chain, and the last one is helped out (S12). */
static inline void silk_road_rob(silk_road_state *s, silk_road_memory *memory, int seat, int code)
{
    int victim = code / 8, good = code % 8;
    if (code == SILK_ROAD_GONE) {
        silk_road_salvage(s, memory, seat);
        return;
    }
    s->display[victim][good]--;
    s->display[seat][good]++;
    s->robbed = (uint8_t)(s->robbed | 1u << victim);
    silk_road_plan(s, SILK_ROAD_ROBBER, victim, 0, 0);
}

/* Notes the next good of the bazaar, or takes the cards once all three are named, in that order (S13, O9). */
static inline void silk_road_barter(const silk_road_rules *rules, silk_road_state *s, int seat, int good)
{
    silk_road_task named = s->doing;
    if (good == SILK_ROAD_NO)
        return;
    if (named.a < 2) {
        silk_road_plan(s, SILK_ROAD_BAZAAR, named.a + 1, named.a == 0 ? good : named.b, named.a == 0 ? 0 : good);
        return;
    }
    silk_road_discard_display(s, seat, named.b);
    silk_road_discard_display(s, seat, named.c);
    silk_road_discard_display(s, seat, good);
    silk_road_sort_discards(rules, s, 3);
    silk_road_gain_colourless(rules, s, seat);
}

/* Moves an open card to the display, and plans what it costs (S13). */
static inline void silk_road_buy(silk_road_state *s, int seat, int good)
{
    if (good == SILK_ROAD_NOTHING)
        return;
    s->open[good]--;
    s->display[seat][good]++;
    silk_road_plan(s, SILK_ROAD_PAY, good, 0, 0);
}

/* Draws the card that was chosen. A seat with an empty hand that leaves the first of two leaves both (O16). */
static inline void silk_road_draw(const silk_road_rules *rules, silk_road_state *s, silk_road_memory *memory, int seat, int code)
{
    const silk_road_task *next = &s->task[s->tasks - 1];
    if (code == SILK_ROAD_PILE)
        silk_road_draw_blind(rules, s, memory, seat);
    else if (code < SILK_ROAD_PILE)
        silk_road_take_open(s, memory, seat, code);
    else if (code == SILK_ROAD_NOTHING && next->step == SILK_ROAD_DRAW && next->a == SILK_ROAD_WHY_EMPTY)
        s->tasks--;
}

/* Plays an entry of the question in `doing`, but for a move: one of its menu, or SILK_ROAD_GONE if there was none. */
static inline void silk_road_answer(const silk_road_rules *rules, silk_road_state *s, silk_road_memory *memory, int code)
{
    silk_road_task doing = s->doing;
    int seat = s->asker;
    if (code == SILK_ROAD_GONE && doing.step != SILK_ROAD_ROBBER)
        return;
    switch (doing.step) {
    case SILK_ROAD_DRAW: silk_road_draw(rules, s, memory, seat, code); break;
    case SILK_ROAD_CUSTOMS:
        silk_road_discard_hand(s, memory, seat, code);
        silk_road_plan(s, SILK_ROAD_CUSTOMS, seat, doing.b + 1, 0);
        break;
    case SILK_ROAD_SANDSTORM: silk_road_discard_display(s, seat, code); break;
    case SILK_ROAD_ROBBER: silk_road_rob(s, memory, seat, code); break;
    case SILK_ROAD_BAZAAR: silk_road_barter(rules, s, seat, code); break;
    case SILK_ROAD_BAKSHEESH: silk_road_buy(s, seat, code); break;
    case SILK_ROAD_PAY: silk_road_discard_hand(s, memory, seat, code); break;
    case SILK_ROAD_SELL:
        if (code == SILK_ROAD_DO_SELL)
            silk_road_sell(rules, s, seat, doing);
        else
            silk_road_plan(s, SILK_ROAD_SELL, doing.a, doing.b, (int)(doing.c | 1u << seat)); /* S15 */
        break;
    case SILK_ROAD_JEWEL:
        s->lots[(doing.a & 3) - 1][code]--;
        s->jewels[seat][code]++;
        break;
    case SILK_ROAD_LAY_OUT: silk_road_add_to_display(s, memory, seat, doing.b, code); break;
    default: break;
    }
}

#endif
