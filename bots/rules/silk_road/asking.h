/* What is asked in Silk Road: who, how many choices, and what each means. */
#ifndef SILK_ROAD_ASKING_H
#define SILK_ROAD_ASKING_H

#include "board.h"
#include "cards.h"

/* Adds the entries of goods, or colours, that are there. */
static inline void silk_road_offer_all(uint8_t *menu, const uint8_t counts[5])
{
    for (int good = 0; good < 5; good++)
        if (counts[good] > 0)
            silk_road_push(menu, good);
}

/* Adds what the robber can take, 8 * seat + good: of seats that are neither active nor robbed before, the nearest first (S12). */
static inline void silk_road_offer_victims(const silk_road_state *s, uint8_t *menu)
{
    for (int i = 1; i < s->seats; i++) {
        int victim = (s->asker + i) % s->seats;
        if (victim == s->active || s->robbed >> victim & 1)
            continue;
        for (int good = 0; good < SILK_ROAD_GOODS; good++)
            if (s->display[victim][good] > 0)
                silk_road_push(menu, 8 * victim + good);
    }
}

/* Writes the list of the open question's entries, default first; not of a move. */
static inline void silk_road_menu(const silk_road_rules *rules, const silk_road_state *s, uint8_t menu[SILK_ROAD_MENU + 1])
{
    int seat = s->asker, why = s->doing.a;
    menu[0] = 0;
    switch (s->kind) {
    case SILK_ROAD_DRAW: /* S5, S10, S16, O10, O16 */
        if (why == SILK_ROAD_WHY_EMPTY ? rules->empty_optional : why != SILK_ROAD_WHY_TURN && rules->extra_optional)
            silk_road_push(menu, SILK_ROAD_NOTHING);
        if (silk_road_can_draw(s))
            silk_road_push(menu, SILK_ROAD_PILE);
        silk_road_offer_all(menu, s->open);
        break;
    case SILK_ROAD_CUSTOMS: /* S11 */
    case SILK_ROAD_PAY: silk_road_offer_all(menu, s->hand[seat]); break;
    case SILK_ROAD_SANDSTORM: silk_road_offer_all(menu, s->display[seat]); break;
    case SILK_ROAD_ROBBER: silk_road_offer_victims(s, menu); break;
    case SILK_ROAD_BAZAAR: /* S13 */
        if (s->doing.a == 0)
            silk_road_push(menu, SILK_ROAD_NO);
        for (int good = 0; good < SILK_ROAD_GOODS; good++)
            if (s->display[seat][good] > 0 && !(s->doing.a > 0 && s->doing.b == good) && !(s->doing.a > 1 && s->doing.c == good))
                silk_road_push(menu, good);
        break;
    case SILK_ROAD_BAKSHEESH:
        if (rules->baksheesh_optional) /* O4 */
            silk_road_push(menu, SILK_ROAD_NOTHING);
        silk_road_offer_all(menu, s->open);
        break;
    case SILK_ROAD_SELL: /* S15 */
        silk_road_push(menu, SILK_ROAD_DO_SELL);
        silk_road_push(menu, SILK_ROAD_DECLINE);
        break;
    case SILK_ROAD_JEWEL: silk_road_offer_all(menu, s->lots[(s->doing.a & 3) - 1]); break;
    case SILK_ROAD_LAY_OUT: /* S17 */
        for (int count = s->hand[seat][s->doing.b]; count >= 0; count--)
            silk_road_push(menu, count);
        break;
    default: break;
    }
}

/* Asks a seat, and returns -1; or, if there is one entry, returns that one unasked; SILK_ROAD_GONE if there is none. */
static inline int silk_road_ask(const silk_road_rules *rules, silk_road_state *s, silk_road_task task, int seat)
{
    uint8_t menu[SILK_ROAD_MENU + 1];
    s->doing = task;
    s->kind = task.step;
    s->asker = (uint8_t)seat;
    silk_road_menu(rules, s, menu);
    if (menu[0] > 1)
        return -1;
    s->kind = SILK_ROAD_OVER;
    return menu[0] ? (int)menu[1] : (int)SILK_ROAD_GONE;
}

/* Returns the mask of the seats that are asked, 0 when the match is over. */
static inline unsigned silk_road_asked(const silk_road_rules *rules, const silk_road_state *s)
{
    (void)rules;
    return s->kind == SILK_ROAD_OVER ? 0 : 1u << s->asker;
}

/* Returns the kind of a seat's decision, SILK_ROAD_OVER if it is not asked. */
static inline int silk_road_kind_of(const silk_road_state *s, int seat)
{
    return s->asker == seat ? (int)s->kind : (int)SILK_ROAD_OVER;
}

/* All choices of the open question. */
typedef struct {
    uint8_t menu[SILK_ROAD_MENU + 1];
    silk_road_moves moves; /* in its place if a move is asked */
} silk_road_options;

/* Lists the choices of the open question, and returns how many; 0 when the match is over. */
static inline int silk_road_list(const silk_road_rules *rules, const silk_road_state *s, silk_road_options *options)
{
    if (s->kind == SILK_ROAD_MOVE)
        return silk_road_list_moves(rules, s, s->asker, &options->moves);
    silk_road_menu(rules, s, options->menu);
    return options->menu[0];
}

/* Returns how many choices a seat has; 0 if it is not asked. */
static inline int silk_road_choices(const silk_road_rules *rules, const silk_road_state *s, int seat)
{
    silk_road_options options;
    return silk_road_kind_of(s, seat) == SILK_ROAD_OVER ? 0 : silk_road_list(rules, s, &options);
}

/* Writes what a choice of a seat means, an entry of `legal`; an empty one if the seat does not have that choice. */
static inline void silk_road_choice(const silk_road_rules *rules, const silk_road_state *s, int seat, int choice,
                                    silk_road_entry *entry)
{
    silk_road_options options;
    memset(entry, 0, sizeof *entry);
    if (silk_road_kind_of(s, seat) == SILK_ROAD_OVER || choice < 0 || choice >= silk_road_list(rules, s, &options))
        return;
    entry->count = 1;
    if (s->kind == SILK_ROAD_MOVE) {
        entry->count = 4;
        silk_road_find_move(s, seat, &options.moves, choice, entry->item);
    } else if (s->kind == SILK_ROAD_ROBBER) {
        entry->count = 2;
        entry->item[0] = options.menu[choice + 1] / 8, entry->item[1] = options.menu[choice + 1] % 8;
    } else {
        entry->item[0] = options.menu[choice + 1];
    }
}

#endif
