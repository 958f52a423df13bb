/* Positions that a seat's view allows, for bots that search: khiva_arena/games/emira/worlds.py in C, draw by draw.

   Fill an emira_view, call emira_think once, then emira_world for each world. */
#ifndef EMIRA_WORLDS_H
#define EMIRA_WORLDS_H

#include "hidden.h"
#include "sound.h"

enum { EMIRA_TRIES = 400, EMIRA_GOAL_WAYS = 360 }; /* tries: for a world in which somebody is asked the open question */

/* What all worlds of a view have in common. */
typedef struct {
    int ways;
    uint8_t goals[EMIRA_GOAL_WAYS][EMIRA_SEATS]; /* by way, by seat */
    emira_past past;
    emira_layouts decks[3];
    emira_changed changed;
} emira_knowledge;

/* Writes every combination of goals that the seats may have, in the order of permutations of all goals. */
static inline void emira_find_goals(emira_knowledge *knowledge, const emira_view *view)
{
    int seats = view->table.seats, goals = emira_goals(seats), seat = 0;
    uint8_t way[EMIRA_SEATS] = {0};
    unsigned taken = 0; /* by the seats before this one */
    knowledge->ways = 0;
    while (seat >= 0) {
        int goal = way[seat];
        if (goal == goals) {
            way[seat--] = 0;
            if (seat >= 0)
                taken &= ~(1u << way[seat]++);
            continue;
        }
        if (taken >> goal & 1 || (seat == view->seat ? goal != view->goal : knowledge->past.without[seat] >> goal & 1)) {
            way[seat]++;
        } else if (seat == seats - 1) {
            memcpy(knowledge->goals[knowledge->ways++], way, sizeof way);
            way[seat]++;
        } else {
            taken |= 1u << goal;
            seat++;
        }
    }
}

/* Checks a view and works out what all its worlds have in common. Returns EMIRA_OK; EMIRA_BAD_VIEW if it is not of a match with
   these rules that goes on; EMIRA_NO_WORLD if it fits no position. */
static inline int emira_think(emira_knowledge *knowledge, const emira_rules *rules, const emira_view *view)
{
    int setup = view->table.phase == EMIRA_IN_SETUP;
    if (emira_has_forgotten(view))
        return EMIRA_OTHER_SEAT;
    if (!emira_is_sound(rules, view, &knowledge->past))
        return EMIRA_BAD_VIEW;
    emira_find_goals(knowledge, view);
    if (knowledge->ways == 0)
        return EMIRA_NO_WORLD;
    for (int which = EMIRA_OF_EMIRAS; which <= (setup ? EMIRA_OF_STATUS : EMIRA_OF_EVENTS); which++)
        if (!emira_learn(&knowledge->decks[which], &knowledge->changed, which, view, &knowledge->past))
            return EMIRA_NO_WORLD;
    return EMIRA_OK;
}

/* --- the hidden cards --- */

/* Lays a deck drawn from what is known. Returns 0 if that does not fit. */
static inline int emira_lay_known(emira_deck *deck, const emira_layouts *all, const uint8_t *shown, int me, arena_stream *stream,
                                  uint8_t tokens[EMIRA_TOKENS])
{
    if (!emira_pick(all, stream, tokens))
        return 0;
    emira_lay(deck, tokens, all->deck);
    for (int i = 1; i <= all->deck; i++)
        deck->seen[i] = (uint8_t)((shown[i] != EMIRA_UNKNOWN) << me);
    return 1;
}

/* Draws three event cards for each seat, of which it will keep one, and the decks (E17). */
static inline int emira_draw_setup(emira_state *s, const emira_view *view, const emira_knowledge *knowledge, arena_stream *stream)
{
    uint8_t stock[EMIRA_EVENTS], cards[EMIRA_TOKENS], tokens[EMIRA_TOKENS];
    int count;
    memcpy(stock, knowledge->past.stock, sizeof stock);
    for (int card = 0; card < EMIRA_EVENTS; card++)
        stock[card] = (uint8_t)(stock[card] - view->hand[card]);
    count = emira_rising(stock, EMIRA_EVENTS, cards);
    arena_shuffle(stream, cards, count);
    memcpy(s->hand[view->seat], view->hand, sizeof view->hand);
    for (int seat = 0; seat < view->table.seats; seat++)
        for (int i = 0; i < 3 && seat != view->seat; i++) {
            s->hand[seat][cards[--count]]++;
            stock[cards[count]]--;
        }
    count = emira_rising(stock, EMIRA_EVENTS, cards);
    emira_lay(&s->events, cards, count);
    return emira_lay_known(&s->status, &knowledge->decks[EMIRA_OF_STATUS], view->status, view->seat, stream, tokens)
        && emira_lay_known(&s->emiras, &knowledge->decks[EMIRA_OF_EMIRAS], view->emiras, view->seat, stream, tokens);
}

/* Draws the decks and hands as they lie after the first event cards are chosen. Returns 0 if they do not fit. */
static inline int emira_draw_decks(emira_state *s, const emira_view *view, const emira_knowledge *knowledge, arena_stream *stream)
{
    const emira_layouts *events = &knowledge->decks[EMIRA_OF_EVENTS];
    uint8_t tokens[EMIRA_TOKENS];
    int at = events->deck;
    if (!emira_lay_known(&s->emiras, &knowledge->decks[EMIRA_OF_EMIRAS], view->emiras, view->seat, stream, tokens))
        return 0;
    s->turned = view->swapped;
    for (int i = 1; i <= s->emiras.card[0]; i++)
        s->turned |= (view->turned >> (i - 1) & 1) << s->emiras.card[i];
    if (!emira_lay_known(&s->status, &knowledge->decks[EMIRA_OF_STATUS], view->status, view->seat, stream, tokens)
        || !emira_lay_known(&s->events, events, view->events, view->seat, stream, tokens))
        return 0;
    for (int seat = 0; seat < view->table.seats; seat++)
        for (int i = 0; i < events->hand[seat]; i++)
            s->hand[seat][tokens[at++]]++;
    memcpy(s->hand[view->seat], view->hand, sizeof view->hand);
    return 1;
}

/* Guesses the gold that O3 hides: what was last shown, or as much more as a bid says, and `more` for the seat that is asked. */
static inline void emira_guess_gold(emira_state *s, const emira_view *view, int more)
{
    emira_table *t = &s->table;
    for (int seat = 0; seat < t->seats; seat++) {
        int32_t guess = t->shown_round[seat] ? t->shown_gold[seat] : (int32_t)EMIRA_START_GOLD;
        if (t->phase == EMIRA_IN_AUCTION && t->bidder == seat && guess < t->bid - emira_discount(t, seat))
            guess = t->bid - emira_discount(t, seat);
        if (view->table.phase != EMIRA_IN_SETUP && view->table.asker == seat)
            guess += more;
        if (t->gold[seat] < 0)
            t->gold[seat] = guess;
    }
}

/* --- the open question --- */

/* Puts the tasks of the phase that follow the open question on those left to do. */
static inline void emira_later_here(emira_match *m, int kind, int asker, const emira_past *past)
{
    emira_table *t = m->t;
    int before = t->seats - t->start;
    switch (t->phase) {
    case EMIRA_IN_EVENTS: emira_later(m, EMIRA_DO_PLAY, (past->last_player + before) % t->seats + 1); break;
    case EMIRA_IN_PREPARE:
        emira_later(m, EMIRA_DO_OPEN_BOARD, 0);
        if (kind == EMIRA_NOBLE)
            emira_later(m, EMIRA_DO_SHOW_COUNTER, 0);
        return;
    case EMIRA_IN_AUCTION:
        emira_later(m, EMIRA_DO_CLOSE_PHASE, 0);
        emira_later(m, EMIRA_DO_OPEN_AUCTION, 0);
        if (kind <= EMIRA_TAKE_STATUS)
            return;
        /* An Emira has joined: before the first auction, after a grant, between a payment and the action, or after the action. */
        if (t->opened && t->bidding && t->bidder != EMIRA_NOBODY && t->bidder == t->last) {
            if (!(t->served >> t->bidder & 1))
                emira_later(m, EMIRA_DO_ACTION, t->bidder);
        } else if (t->opened && t->bidding && t->granted != EMIRA_NOBODY) {
            emira_later(m, EMIRA_DO_GO_ON, t->granted);
        }
        break;
    case EMIRA_IN_BUY:
        emira_later(m, EMIRA_DO_BUY, ((kind == EMIRA_KEEP ? asker : past->last_buyer) + before) % t->seats + 1);
        break;
    case EMIRA_IN_CHOICE: emira_later(m, EMIRA_DO_CHOOSE, 0); break;
    default: break;
    }
    emira_later(m, EMIRA_DO_RECHECK, 0);
}

/* Asks a question of a kind again. */
static inline void emira_ask_again(emira_match *m, int kind, int seat, int about, int looks)
{
    int cards = m->s->events.card[0];
    switch (kind) {
    case EMIRA_PLACE: emira_change_mind(m, seat); break;
    case EMIRA_MIND: emira_look_at(m, seat, about); break;
    case EMIRA_ORDER: emira_look_and_order(m, seat, about); break;
    case EMIRA_SPLIT: emira_ask_split(m, seat, about); break;
    case EMIRA_GOOD_LOOKING: emira_ask(m, EMIRA_GOOD_LOOKING, seat, 7, 0); break;
    case EMIRA_CARAVAN: emira_new_spice_caravan(m, seat); break;
    case EMIRA_VERMIN: emira_ask(m, EMIRA_VERMIN, seat, 15, 0); break;
    case EMIRA_VERMIN_MOVE: emira_infest(m, seat, about); break;
    case EMIRA_NOBLE: emira_ask_noble(m, seat); break;
    case EMIRA_BAZAAR: emira_ask_bazaar(m, seat); break;
    case EMIRA_BID: emira_ask_bid(m, seat); break;
    case EMIRA_ACTION: emira_ask_action(m, seat); break;
    case EMIRA_TAKE_APPEARANCE: emira_choose_counter(m, seat); break;
    case EMIRA_TAKE_STATUS: emira_choose_status(m, seat); break;
    case EMIRA_KEEP: emira_look_to_keep(m, seat, looks > 0 ? looks : cards < 3 ? cards : 3); break;
    case EMIRA_DROP_APPEARANCE: emira_ask_drop_counter(m, seat); break;
    case EMIRA_DROP_STATUS: emira_ask_drop_status(m, seat); break;
    default: emira_ask_abduct(m, seat); break;
    }
}

/* Opens the question of a view again, and puts what follows it on the tasks left to do. */
static inline void emira_reopen(emira_match *m, const emira_view *view, const emira_past *past)
{
    emira_table *t = m->t;
    int kind = t->kind, seat = t->asker, about = t->about, offset = (seat + t->seats - t->start) % t->seats;
    t->kind = EMIRA_OVER;
    t->asker = t->about = t->looks = 0;
    emira_later_phases(m, t->phase);
    if (kind == EMIRA_PLAY) {
        emira_play_turn(m, offset);
    } else if (kind == EMIRA_BUY) {
        emira_buy_turn(m, offset);
    } else if (kind == EMIRA_GIFT) {
        emira_later(m, EMIRA_DO_RECHECK, 0);
        emira_upkeep_turn(m, offset);
    } else {
        emira_later_here(m, kind, seat, past);
        if (kind == EMIRA_VERMIN_MOVE)
            emira_send_vermin(m, past->last_player, about, (seat + t->seats - past->last_player) % t->seats + 1);
        emira_ask_again(m, kind, seat, about, view->table.looks);
    }
}

/* Makes a position in which the seat has exactly this view; what it does not know is drawn from the stream, and the later chance
   is quick if that is. The view is the one that emira_think checked. memory: of the world, or NULL. Returns EMIRA_OK or
   EMIRA_NO_WORLD. */
static inline int emira_world(emira_state *s, emira_memory *memory, const emira_rules *rules, const emira_view *view,
                              emira_knowledge *knowledge, arena_stream *stream)
{
    emira_match match = {rules, &s->table, s, memory};
    int setup = view->table.phase == EMIRA_IN_SETUP;
    for (int more = 0; more < EMIRA_TRIES; more++) {
        memset(s, 0, sizeof *s);
        memcpy(&s->table, &view->table, sizeof s->table);
        if (memory) {
            memory->size = view->history.size, memory->last = view->history.last;
            memcpy(memory->line, view->history.line, memory->size);
        }
        arena_draw_secret(stream, s->secret);
        s->quick = stream->quick != 0;
        s->riots = (uint16_t)knowledge->past.riots;
        s->shuffles = (uint8_t)knowledge->past.shuffles;
        emira_guess_gold(s, view, 50 * more);
        memcpy(s->goals, knowledge->goals[arena_below(stream, (uint64_t)knowledge->ways)], sizeof s->goals);
        if (!(setup ? emira_draw_setup(s, view, knowledge, stream) : emira_draw_decks(s, view, knowledge, stream)))
            return EMIRA_NO_WORLD;
        if (!setup)
            emira_reopen(&match, view, &knowledge->past);
        if (emira_asked(rules, s) && (setup || s->table.asker == view->table.asker))
            return EMIRA_OK;
    }
    return EMIRA_NO_WORLD;
}

#endif
