/* The flow of Silk Road: set up, the phases of a turn, the end. */
#ifndef SILK_ROAD_PLAY_H
#define SILK_ROAD_PLAY_H

#include "villages.h"

/* Ends the match: nothing is left to do (S17, O11). */
static inline void silk_road_finish(silk_road_state *s)
{
    s->tasks = 0;
    memset(&s->doing, 0, sizeof s->doing);
}

static inline void silk_road_ask_move(silk_road_state *s)
{
    memset(&s->doing, 0, sizeof s->doing);
    s->kind = s->doing.step = SILK_ROAD_MOVE;
    s->asker = s->active;
}

/* Lets the next seat move a caravan (S2); with an empty hand it draws two cards instead (S16). */
static inline void silk_road_turn(const silk_road_rules *rules, silk_road_state *s)
{
    if (s->turn >= rules->max_turns || s->idle >= s->seats) { /* O11 */
        s->ending = SILK_ROAD_STALLED;
        silk_road_finish(s);
        return;
    }
    s->turn++;
    s->active = (uint8_t)((s->active + 1) % s->seats);
    memset(s->played, 0, sizeof s->played);
    if (silk_road_sum(s->hand[s->active]) > 0) {
        s->idle = 0;
        silk_road_ask_move(s);
    } else if (silk_road_sum(s->open) > 0 || silk_road_can_draw(s)) {
        s->idle = 0;
        silk_road_plan(s, SILK_ROAD_DO_REFILL, 0, 0, 0);
        silk_road_plan(s, SILK_ROAD_DRAW, SILK_ROAD_WHY_EMPTY, 0, 0);
        silk_road_plan(s, SILK_ROAD_DRAW, SILK_ROAD_WHY_EMPTY, 0, 0);
    } else {
        s->idle++;
        silk_road_plan(s, SILK_ROAD_DO_TURN, 0, 0, 0);
    }
}

/* Plays the cards, moves, and plans the rest of the turn: draw one card, and one more if the caravan carries the good (S2 to
   S5). */
static inline void silk_road_move(silk_road_state *s, silk_road_memory *memory, int seat, const int move[4])
{
    int good = move[0], count = move[1], i = move[2] - 1;
    silk_road_add_to_display(s, memory, seat, good, count);
    s->played[0] = (uint8_t)good, s->played[1] = (uint8_t)count, s->played[2] = (uint8_t)move[2], s->played[3] = s->place[i];
    s->place[i] = (uint8_t)move[3];
    silk_road_plan(s, SILK_ROAD_DO_REFILL, 0, 0, 0);
    silk_road_plan(s, SILK_ROAD_DO_ACT, 0, 0, 0);
    if (s->camels[i] & silk_road_carriers(good))
        silk_road_plan(s, SILK_ROAD_DRAW, SILK_ROAD_WHY_MATCH, 0, 0);
    silk_road_plan(s, SILK_ROAD_DRAW, SILK_ROAD_WHY_TURN, 0, 0);
}

/* Does a task that may ask a seat; the only entry is played unasked. */
static inline void silk_road_question(const silk_road_rules *rules, silk_road_state *s, silk_road_memory *memory,
                                      silk_road_task task)
{
    int seat = s->active, entry;
    switch (task.step) {
    case SILK_ROAD_CUSTOMS:
        if (silk_road_sum(s->hand[task.a]) <= SILK_ROAD_CUSTOMS_LIMIT) {
            silk_road_sort_discards(rules, s, task.b);
            return;
        } /* fall through */
    case SILK_ROAD_SANDSTORM:
    case SILK_ROAD_ROBBER:
    case SILK_ROAD_LAY_OUT: seat = task.a; break;
    case SILK_ROAD_JEWEL: seat = task.c; break;
    case SILK_ROAD_SELL:
        seat = silk_road_leader(s, silk_road_good_of(task.b), task.c);
        if (seat < 0 && silk_road_is_in_city(task.a))
            silk_road_to_stable(s, task.a & 3, task.b);
        if (seat < 0)
            return;
        break;
    default: break;
    }
    entry = silk_road_ask(rules, s, task, seat);
    if (entry >= 0)
        silk_road_answer(rules, s, memory, entry);
}

/* Does one task after the other, until one asks or the match is over. */
static inline void silk_road_run(const silk_road_rules *rules, silk_road_state *s, silk_road_memory *memory)
{
    while (s->kind == SILK_ROAD_OVER && s->tasks > 0) {
        silk_road_task task = s->task[--s->tasks];
        switch (task.step) {
        case SILK_ROAD_DO_TURN: silk_road_turn(rules, s); break;
        case SILK_ROAD_DO_ACT: silk_road_act(rules, s); break;
        case SILK_ROAD_DO_REFILL:
            silk_road_refill(rules, s, memory);
            silk_road_plan(s, SILK_ROAD_DO_TURN, 0, 0, 0);
            break;
        case SILK_ROAD_DO_SWAP: silk_road_swap(s, task.a, task.b); break;
        case SILK_ROAD_DO_LEAD_AWAY: silk_road_lead_away(s, task.a, task.b); break;
        case SILK_ROAD_DO_CLOSE: silk_road_close(rules, s, memory, task.a); break;
        case SILK_ROAD_DO_FINISH: silk_road_finish(s); break;
        default: silk_road_question(rules, s, memory, task);
        }
    }
}

/* Deals the goods (RULES.md, "The deal"). */
static inline void silk_road_deal(silk_road_state *s, silk_road_memory *memory)
{
    uint8_t goods[SILK_ROAD_CARDS];
    int dealt = SILK_ROAD_FIRST_HAND * s->seats;
    for (int i = 0; i < SILK_ROAD_CARDS; i++)
        goods[i] = (uint8_t)(i / SILK_ROAD_PER_GOOD);
    silk_road_shuffle(s, "goods", 1, goods, SILK_ROAD_CARDS);
    silk_road_stack(s->pile, goods + dealt, SILK_ROAD_CARDS - dealt);
    for (int i = 0; i < dealt; i++)
        s->hand[i / SILK_ROAD_FIRST_HAND][goods[i]]++;
    if (!memory)
        return;
    memory->codes = memory->shuffles = 0;
    memory->draws = dealt;
    memcpy(memory->draw, goods, (size_t)dealt);
    memcpy(memory->fresh, s->hand, sizeof memory->fresh);
    memset(memory->known, 0, sizeof memory->known);
    memset(memory->pool, SILK_ROAD_PER_GOOD, sizeof memory->pool);
}

/* Sets a match up from the arena's secret, to its first question (S1, S8). quick: chance comes from the quick generator.
   memory: what the seats will have seen, or NULL. */
static inline int silk_road_new(silk_road_state *s, silk_road_memory *memory, const silk_road_rules *rules, int seats,
                                const unsigned char secret[ARENA_SECRET], int quick)
{
    uint8_t items[SILK_ROAD_JEWELS];
    int first = 0;
    if (seats < 2 || seats > SILK_ROAD_SEATS)
        return SILK_ROAD_BAD_SEATS;
    memset(s, 0, sizeof *s);
    memcpy(s->secret, secret, ARENA_SECRET);
    s->quick = quick != 0;
    s->seats = (uint8_t)seats;
    memcpy(s->tiles, rules->tiles, sizeof s->tiles);
    if (!rules->laid) /* O2 */
        silk_road_shuffle(s, "tiles", 1, s->tiles, rules->villages);
    for (int i = 0; i < SILK_ROAD_CAMELS; i++)
        items[i] = (uint8_t)(i + 1);
    silk_road_shuffle(s, "camels", 1, items, SILK_ROAD_CAMELS);
    for (int i = 0; i < SILK_ROAD_CAMELS; i++)
        if (i < 6)
            s->camels[(i > 0) + (i > 2)] = (uint16_t)(s->camels[(i > 0) + (i > 2)] | 1u << items[i]);
        else
            silk_road_push(s->queue, items[i]);
    for (int i = 0; i < SILK_ROAD_JEWELS; i++)
        items[i] = (uint8_t)(i / SILK_ROAD_PER_COLOUR);
    silk_road_shuffle(s, "jewels", 1, items, SILK_ROAD_JEWELS);
    silk_road_stack(s->bag, items, SILK_ROAD_JEWELS);
    memcpy(s->place, rules->start, sizeof s->place);
    memcpy(s->target, rules->target, sizeof s->target);
    for (int size = 1; size <= SILK_ROAD_SIZES; size++) {
        if (rules->count_targets) /* O8 */
            silk_road_set_target(rules, s, size);
        silk_road_lay_jewels(s, size);
    }
    silk_road_deal(s, memory);
    for (int i = 0; i < SILK_ROAD_DRIVERS; i++)
        items[i] = (uint8_t)(i + 1);
    silk_road_shuffle(s, "drivers", 1, items, SILK_ROAD_DRIVERS);
    memcpy(s->drivers, items, (size_t)seats);
    for (int seat = 1; seat < seats; seat++)
        first = s->drivers[seat] < s->drivers[first] ? seat : first;
    s->active = (uint8_t)((first + seats - 1) % seats);
    silk_road_refill(rules, s, memory);
    silk_road_plan(s, SILK_ROAD_DO_TURN, 0, 0, 0);
    silk_road_run(rules, s, memory);
    return SILK_ROAD_OK;
}

/* Plays a choice of the listed options. */
static inline void silk_road_play(const silk_road_rules *rules, silk_road_state *s, silk_road_memory *memory,
                                  const silk_road_options *options, int choice)
{
    int move[4], is_move = s->kind == SILK_ROAD_MOVE;
    s->kind = SILK_ROAD_OVER;
    if (is_move && silk_road_find_move(s, s->asker, &options->moves, choice, move))
        silk_road_move(s, memory, s->asker, move);
    else if (!is_move)
        silk_road_answer(rules, s, memory, options->menu[choice + 1]);
    silk_road_run(rules, s, memory);
}

/* Plays the choice of the seat that is asked; those of others are not read. Returns SILK_ROAD_OK, or SILK_ROAD_BAD_CHOICE with
   nothing changed. memory: what the seats have seen, or NULL. */
static inline int silk_road_apply(const silk_road_rules *rules, silk_road_state *s, silk_road_memory *memory,
                                  const int choices[SILK_ROAD_SEATS])
{
    silk_road_options options;
    int choice = choices[s->asker];
    if (choice < 0 || choice >= silk_road_list(rules, s, &options))
        return SILK_ROAD_BAD_CHOICE;
    silk_road_play(rules, s, memory, &options, choice);
    return SILK_ROAD_OK;
}

static inline int silk_road_is_over(const silk_road_state *s)
{
    return s->kind == SILK_ROAD_OVER;
}

/* Plays random choices to the end, and returns how many. */
static inline int silk_road_playout(const silk_road_rules *rules, silk_road_state *s, arena_stream *stream)
{
    silk_road_options options;
    int decisions = 0;
    for (; s->kind != SILK_ROAD_OVER; decisions++) {
        int count = silk_road_list(rules, s, &options);
        silk_road_play(rules, s, NULL, &options, (int)arena_below(stream, (uint64_t)count));
    }
    return decisions;
}

#endif
