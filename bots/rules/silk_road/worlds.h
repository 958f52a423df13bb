/* Positions of Silk Road that a seat's view allows, for bots that search: khiva_arena/games/silk_road/worlds.py in C, draw by
   draw.

   Call silk_road_think once for a view, then silk_road_world for each world, or silk_road_next_world for those of a search. */
#ifndef SILK_ROAD_WORLDS_H
#define SILK_ROAD_WORLDS_H

#include "checking.h"

/* --- the open question --- */

/* Counts the cards that the asked seat has discarded at customs so far. */
static inline int silk_road_count_paid(const silk_road_view *view)
{
    int paid = 0, gift = (SILK_ROAD_SEAT_CODES * view->asker + SILK_ROAD_GIVEN) / SILK_ROAD_GIVEN;
    while (paid < view->codes && view->code[view->codes - 1 - paid] / SILK_ROAD_GIVEN == gift)
        paid++;
    return paid;
}

/* Plans the change of drivers that follows the jewel being chosen. The seller's cards are gone already: half of them, rounded
   up, went to the discard pile, so as many as are left, or one more. Tied seats with higher drivers were asked before, and
   declined. */
static inline void silk_road_guess_swap(const silk_road_rules *rules, silk_road_state *s, int seat, int good)
{
    int held = s->display[seat][good], is_odd = s->discard[0] > held;
    unsigned declined = 0;
    for (int i = 0; i <= held && is_odd; i++)
        is_odd = s->discard[s->discard[0] - i] == good;
    for (int other = 0; other < s->seats; other++)
        declined |= (unsigned)(s->drivers[other] > s->drivers[seat]) << other;
    silk_road_plan_swap(rules, s, seat, good, 2 * held + is_odd, declined);
}

/* Plans what is left of a discard by all other seats, after the one that is asked. */
static inline void silk_road_plan_later(silk_road_state *s, const silk_road_view *view)
{
    for (int i = s->seats - 1; i > (view->asker + s->seats - s->active) % s->seats; i--) {
        int seat = (s->active + i) % s->seats;
        if (view->kind == SILK_ROAD_CUSTOMS ? view->hands[seat] > SILK_ROAD_CUSTOMS_LIMIT : silk_road_sum(s->display[seat]) > 0)
            silk_road_plan(s, (int)view->kind, seat, 0, 0);
    }
}

/* Plans the last market, and what seats may add to their displays after the question (S17). */
static inline void silk_road_plan_last(const silk_road_rules *rules, silk_road_state *s, const silk_road_view *view)
{
    int i = 0, first = s->active + rules->active_lays_last;
    while (s->place[i] == SILK_ROAD_GONE)
        i++;
    silk_road_open_market(s, silk_road_market_of(SILK_ROAD_LAST, i + 1), SILK_ROAD_CAMELS + 1);
    for (int later = s->seats - 1; later >= 0; later--) {
        int seat = (first + later) % s->seats;
        silk_road_plan_lay_out(s, s->camels[i], seat, seat == view->asker ? view->good + 1 : 0);
        if (seat == view->asker)
            return;
    }
}

/* Opens the question of a view again, with the tasks that follow it. */
static inline void silk_road_reopen(const silk_road_rules *rules, silk_road_state *s, const silk_road_view *view)
{
    int market = silk_road_market_of((int)view->market, view->size), seat = view->asker;
    silk_road_task *doing = &s->doing;
    s->kind = doing->step = (uint8_t)view->kind;
    s->asker = (uint8_t)seat;
    if (view->kind == SILK_ROAD_MOVE)
        return;
    silk_road_plan(s, SILK_ROAD_DO_REFILL, 0, 0, 0);
    switch (view->kind) {
    case SILK_ROAD_DRAW:
        doing->a = (uint8_t)view->why;
        if (view->why <= SILK_ROAD_WHY_MATCH)
            silk_road_plan(s, SILK_ROAD_DO_ACT, 0, 0, 0);
        if (view->more)
            silk_road_plan(s, SILK_ROAD_DRAW, (int)(view->why == SILK_ROAD_WHY_TURN ? SILK_ROAD_WHY_MATCH : view->why), 0, 0);
        break;
    case SILK_ROAD_CUSTOMS: doing->b = (uint8_t)silk_road_count_paid(view); /* fall through */
    case SILK_ROAD_SANDSTORM:
        doing->a = (uint8_t)seat;
        silk_road_plan_later(s, view);
        break;
    case SILK_ROAD_ROBBER:
        doing->a = (uint8_t)seat;
        s->robbed = (uint8_t)view->robbed;
        break;
    case SILK_ROAD_BAZAAR: doing->a = view->named[0], doing->b = view->named[1], doing->c = view->named[2]; break;
    case SILK_ROAD_PAY: doing->a = (uint8_t)view->good; break;
    case SILK_ROAD_SELL:
    case SILK_ROAD_JEWEL:
        doing->a = (uint8_t)market, doing->b = (uint8_t)view->camel;
        doing->c = (uint8_t)(view->kind == SILK_ROAD_SELL ? view->declined : (unsigned)seat);
        if (silk_road_is_in_city(market))
            silk_road_open_market(s, market, view->camel);
        if (view->kind == SILK_ROAD_JEWEL) {
            silk_road_plan(s, SILK_ROAD_DO_LEAD_AWAY, market, view->camel, 0);
            silk_road_guess_swap(rules, s, seat, silk_road_good_of(view->camel));
        }
        break;
    case SILK_ROAD_LAY_OUT:
        doing->a = (uint8_t)seat, doing->b = (uint8_t)view->good;
        silk_road_plan_last(rules, s, view);
        break;
    default: break;
    }
}

/* Tells whether the open question of a position without hands has the right seat and two entries; hands have what it needs. */
static inline int silk_road_is_open(const silk_road_rules *rules, const silk_road_state *s)
{
    uint8_t menu[SILK_ROAD_MENU + 1];
    switch (s->kind) {
    case SILK_ROAD_MOVE:
    case SILK_ROAD_PAY:
    case SILK_ROAD_LAY_OUT: return 1;
    case SILK_ROAD_CUSTOMS: return s->doing.b <= s->discard[0];
    case SILK_ROAD_SELL: return silk_road_leader(s, silk_road_good_of(s->doing.b), s->doing.c) == s->asker;
    default: break;
    }
    if (s->kind == SILK_ROAD_BAZAAR && !silk_road_has_bazaar(rules, s))
        return 0;
    silk_road_menu(rules, s, menu);
    return menu[0] > 1;
}

/* --- the view as a position --- */

/* Lays out the things that all see, and opens the question; the pile's size stands for the pile. */
static inline void silk_road_lay_out(const silk_road_rules *rules, silk_road_state *s, const silk_road_view *view)
{
    memset(s, 0, sizeof *s);
    s->seats = (uint8_t)view->seats, s->turn = (uint16_t)view->turn, s->shuffles = (uint16_t)view->shuffles;
    s->active = (uint8_t)view->active, s->idle = (uint8_t)view->idle, s->ending = (uint8_t)view->ending;
    s->pile[0] = (uint8_t)view->pile;
    memcpy(s->display, view->displays, sizeof s->display);
    memcpy(s->open, view->open, sizeof s->open);
    memcpy(s->discard, view->discard, sizeof s->discard);
    memcpy(s->place, view->place, sizeof s->place);
    memcpy(s->target, view->target, sizeof s->target);
    memcpy(s->lots, view->lots, sizeof s->lots);
    memcpy(s->camels, view->camels, sizeof s->camels);
    memcpy(s->markers, view->markers, sizeof s->markers);
    memcpy(s->queue, view->queue, sizeof s->queue);
    memcpy(s->tiles, view->tiles, sizeof s->tiles);
    memcpy(s->removed, view->removed, sizeof s->removed);
    memcpy(s->jewels, view->jewels, sizeof s->jewels);
    memcpy(s->colourless, view->colourless, sizeof s->colourless);
    memcpy(s->drivers, view->drivers, sizeof s->drivers);
    memcpy(s->played, view->played, sizeof s->played);
    memcpy(s->hand[view->seat], view->hand, sizeof view->hand);
    for (int colour = 0; colour < SILK_ROAD_COLOURS; colour++)
        for (int i = 0; i < view->bag[colour]; i++)
            silk_road_push(s->bag, colour);
    silk_road_reopen(rules, s, view);
}

/* Tells whether what the view says of the cards is what its history says, and each card is in one place. left: what this seat
   did not see leave the last pile. */
static inline int silk_road_are_counts(const silk_road_knowledge *k, const silk_road_view *view,
                                       const uint8_t left[SILK_ROAD_GOODS])
{
    uint8_t unseen[SILK_ROAD_GOODS];
    int total[SILK_ROAD_GOODS] = {0};
    silk_road_count_unseen(&k->base, k->known, view->seat, unseen);
    if (memcmp(unseen, view->unseen, sizeof unseen) != 0 || memcmp(left, view->pool, sizeof unseen) != 0)
        return 0;
    if (k->cards - k->slots != view->pile)
        return 0;
    for (int i = 1; i <= view->discard[0]; i++)
        total[view->discard[i]]++;
    for (int i = 0; i < k->cards; i++)
        total[k->card[i]]++;
    for (int seat = 0; seat < view->seats; seat++) {
        const uint8_t *known = seat == view->seat ? view->hand : k->known[seat];
        int size = k->count[seat];
        for (int good = 0; good < SILK_ROAD_GOODS; good++) {
            size += k->held[seat][good];
            total[good] += k->held[seat][good] + view->displays[seat][good];
            if (view->known[seat][good] != known[good] || (seat == view->seat && k->held[seat][good] != view->hand[good]))
                return 0;
        }
        if (size != view->hands[seat])
            return 0;
    }
    for (int good = 0; good < SILK_ROAD_GOODS; good++)
        if (total[good] + view->open[good] != SILK_ROAD_PER_GOOD)
            return 0;
    return 1;
}

/* Works out what all worlds of a view have in common, and looks whether it is a view. Returns SILK_ROAD_OK, SILK_ROAD_BAD_VIEW or
   SILK_ROAD_NO_WORLD. */
static inline int silk_road_think(silk_road_knowledge *k, const silk_road_rules *rules, const silk_road_view *view)
{
    static const unsigned char secret[ARENA_SECRET] = {0};
    static const char *const label = "somehow";
    uint8_t left[SILK_ROAD_GOODS];
    arena_stream stream;
    if (!silk_road_is_sound(rules, view))
        return SILK_ROAD_BAD_VIEW;
    memset(k, 0, offsetof(silk_road_knowledge, needs));
    for (int seat = 0; seat < SILK_ROAD_SEATS; seat++)
        for (int good = 0; good < SILK_ROAD_GOODS; good++) {
            k->newest[seat][good] = (uint16_t)k->fours;
            silk_road_add_four(k);
        }
    k->asked = k->wanted = -1;
    if (view->asker != view->seat) { /* that it is asked tells something of its hand */
        k->kinds = view->kind == SILK_ROAD_CUSTOMS || view->kind == SILK_ROAD_PAY ? 2 : 0;
        k->wanted = view->kind == SILK_ROAD_LAY_OUT ? view->good : -1;
        k->asked = k->kinds > 0 || k->wanted >= 0 ? view->asker : -1;
    }
    silk_road_lay_out(rules, &k->base, view);
    arena_stream_begin(&stream, secret, &label, 1);
    if (!silk_road_is_open(rules, &k->base) || !silk_road_follow(k, view, left, &stream) || !silk_road_are_counts(k, view, left))
        return SILK_ROAD_BAD_VIEW;
    silk_road_sort_slots(k, view->seat);
    if (!silk_road_find_start(k, view, &stream))
        return SILK_ROAD_NO_WORLD;
    silk_road_begin_here(k);
    return SILK_ROAD_OK;
}

/* Restores what the seats have seen in a world. */
static inline void silk_road_recall(silk_road_memory *memory, const silk_road_knowledge *k, const silk_road_view *view)
{
    int own = 0, slot = 0, first = SILK_ROAD_FIRST_HAND * view->seats, shuffles = view->shuffles;
    memory->codes = view->codes;
    memcpy(memory->code, view->code, (size_t)view->codes);
    memory->shuffles = shuffles;
    memcpy(memory->shuffle, view->shuffle, (size_t)shuffles * SILK_ROAD_GOODS);
    memcpy(memory->known, k->known, sizeof memory->known);
    memcpy(memory->pool, view->pool, sizeof memory->pool);
    memset(memory->fresh, 0, sizeof memory->fresh);
    memory->draws = 0;
    for (int i = -first; i < view->codes; i++) {
        int code = i < 0 ? SILK_ROAD_SEAT_CODES * ((i + first) / SILK_ROAD_FIRST_HAND) + SILK_ROAD_BLIND : view->code[i];
        int seat = code / SILK_ROAD_SEAT_CODES, good;
        shuffles -= code == SILK_ROAD_RESHUFFLE;
        if (code >= SILK_ROAD_TURNED_UP || code % SILK_ROAD_SEAT_CODES != SILK_ROAD_BLIND || memory->draws == SILK_ROAD_DRAWN)
            continue;
        good = seat == view->seat ? view->draw[own++] : k->card[slot++];
        memory->draw[memory->draws++] = (uint8_t)good;
        if (shuffles == 0) {
            memory->fresh[seat][good]++;
            memory->pool[good] = (uint8_t)(memory->pool[good] + (seat == view->seat));
        }
    }
}

/* Walks, and makes a position of the world that the walk comes to; see silk_road_world. */
static inline int silk_road_walk_on(silk_road_state *s, silk_road_memory *memory, const silk_road_view *view,
                                    silk_road_knowledge *k, arena_stream *stream, int shorter)
{
    *s = k->base;
    s->quick = stream->quick != 0;
    arena_draw_secret(stream, s->secret);
    silk_road_walk(k, stream, shorter);
    k->walked = 1;
    for (int seat = 0; seat < s->seats; seat++)
        for (int good = 0; good < SILK_ROAD_GOODS; good++)
            s->hand[seat][good] = (uint8_t)k->held[seat][good];
    for (int slot = 0; slot < k->slots; slot++)
        s->hand[k->seat[slot]][k->card[slot]]++;
    s->pile[0] = (uint8_t)(k->cards - k->slots);
    memcpy(s->pile + 1, k->card + k->slots, s->pile[0]);
    arena_shuffle(stream, s->pile + 1, s->pile[0]);
    arena_shuffle(stream, s->bag + 1, s->bag[0]);
    if (memory)
        silk_road_recall(memory, k, view);
    return SILK_ROAD_OK;
}

/* Makes a position in which the seat has exactly this view; what it does not know is drawn: each order of the piles that
   fits all that was seen is nearly equally likely, as is every order of the bag. knowledge: of this view, by
   silk_road_think. memory: what the seats then remember, or NULL. Returns SILK_ROAD_OK. */
static inline int silk_road_world(silk_road_state *s, silk_road_memory *memory, const silk_road_rules *rules,
                                  const silk_road_view *view, silk_road_knowledge *k, arena_stream *stream)
{
    (void)rules;
    memcpy(k->card, k->start, (size_t)k->cards);
    for (int i = 0; i < k->fours; i++)
        k->slack[i] = k->needs[i].slack;
    return silk_road_walk_on(s, memory, view, k, stream, 1);
}

/* Makes a position as silk_road_world does, in a quarter of the walk: it goes on from the world that this knowledge made before,
   so it depends on what came before the stream. Each world is as likely; two in a row may be like each other. For searches, to
   which it matters that the worlds of a decision are right together. */
static inline int silk_road_next_world(silk_road_state *s, silk_road_memory *memory, const silk_road_rules *rules,
                                       const silk_road_view *view, silk_road_knowledge *k, arena_stream *stream)
{
    return k->walked ? silk_road_walk_on(s, memory, view, k, stream, 4) : silk_road_world(s, memory, rules, view, k, stream);
}

#endif
