/* Positions of Khiva that a seat's view allows, for bots that search: khiva_arena/games/khiva/worlds.py in C, draw by draw.

   Call khiva_think once for a view, then khiva_world for each world. */
#ifndef KHIVA_WORLDS_H
#define KHIVA_WORLDS_H

#include "knowledge.h"

/* Works out what all worlds of a view have in common, and looks whether it is a view. Returns KHIVA_OK, KHIVA_BAD_VIEW,
   KHIVA_OTHER_SEAT or KHIVA_NO_WORLD. */
static inline int khiva_think(khiva_knowledge *knowledge, const khiva_rules *rules, const khiva_view *view)
{
    knowledge->ends.count = 0;
    if (khiva_has_forgotten(view))
        return KHIVA_OTHER_SEAT;
    if (!khiva_is_sound(rules, view))
        return KHIVA_BAD_VIEW;
    if (khiva_learn(knowledge, view))
        return KHIVA_OK;
    knowledge->ends.count = 0;
    return KHIVA_NO_WORLD;
}

/* Lays the seat's own hand and all open cards, then the hidden ones into the places that are left. Returns 0 if they do not
   fit. */
static inline int khiva_lay_cards(khiva_state *s, const khiva_view *view, khiva_knowledge *knowledge, arena_stream *stream)
{
    uint8_t row[KHIVA_TRACES], hidden[KHIVA_CARDS];
    uint32_t cards = 0;
    int free_places = view->aside, count = 0;
    khiva_copy(s->hand[view->seat], view->hand);
    khiva_add_cards(&cards, view->hand, KHIVA_CARDS);
    khiva_add_cards(&cards, view->discard, KHIVA_CARDS);
    khiva_add_cards(&cards, view->shown, KHIVA_CARDS);
    for (int seat = 0; seat < s->seats; seat++) {
        khiva_add_cards(&cards, view->table[seat], KHIVA_CARDS);
        for (int i = 1; i <= view->table[seat][0]; i++) {
            int card = view->table[seat][i];
            khiva_push(s->bids[khiva_colour(card)], card);
            s->bidder[card] = (uint8_t)seat;
        }
    }
    khiva_draw_rows(knowledge, stream, row);
    for (int i = 0; i < KHIVA_TRACES; i++)
        if (row[i] != KHIVA_NOWHERE) {
            int card = knowledge->deal.card[i], holder = (view->seat + 1 + row[i]) % s->seats;
            if (cards >> card & 1 || s->hand[holder][0] >= view->hands[holder])
                return 0;
            cards |= (uint32_t)1 << card;
            khiva_insert(s->hand[holder], card);
        }
    for (int card = 0; card < KHIVA_CARDS; card++)
        if (!(cards >> card & 1))
            hidden[count++] = (uint8_t)card;
    arena_shuffle(stream, hidden, count);
    for (int seat = 0; seat < s->seats; seat++)
        free_places += view->hands[seat] - s->hand[seat][0];
    if (free_places != count)
        return 0;
    for (int seat = 0; seat < s->seats; seat++)
        while (s->hand[seat][0] < view->hands[seat])
            khiva_insert(s->hand[seat], hidden[--count]);
    for (int i = 0; i < count; i++)
        khiva_push(s->aside, hidden[i]);
    return 1;
}

/* Builds the hidden piles in a new order; a visible top carpet keeps its colour (O7). Returns 0 if there is none of it. */
static inline int khiva_guess_piles(khiva_state *s, const khiva_view *view, arena_stream *stream)
{
    uint8_t *pile = s->carpet_pile;
    int at = 1;
    for (int i = view->salts_left[0]; i > 0; i--)
        khiva_push(s->salt_pile, view->salts_left[i]);
    khiva_copy(s->teapot_pile, view->teapots_left);
    arena_shuffle(stream, s->teapot_pile + 1, s->teapot_pile[0]);
    khiva_copy(pile, view->carpets_left);
    arena_shuffle(stream, pile + 1, pile[0]);
    while (view->carpet_top >= 0 && at <= pile[0] && pile[at] / 10 != view->carpet_top)
        at++;
    if (view->carpet_top >= 0 && at <= pile[0]) {
        uint8_t top = pile[at];
        pile[at] = pile[pile[0]];
        pile[pile[0]] = top;
    }
    return view->carpet_top < 0 || at <= pile[0];
}

/* Returns the mask of the seats that won a camel this turn, up to the one being activated. */
static inline unsigned khiva_winners(const khiva_view *view)
{
    int each = khiva_each(view->seats), count = each * view->seats, best[KHIVA_CAMELS] = {-1, -1, -1, -1, -1};
    const uint8_t *revealed = view->played + (view->turns - 1) * count;
    unsigned winners = 0;
    for (int i = 0; i < count; i++) {
        int camel = revealed[i] / 10;
        if (camel <= view->camel && (best[camel] < 0 || revealed[i] < revealed[best[camel]]))
            best[camel] = i;
    }
    for (int camel = 0; camel < KHIVA_CAMELS; camel++)
        if (best[camel] >= 0)
            winners |= 1u << best[camel] / each;
    return winners;
}

/* Restores the public cards, and those that the seat and its neighbours passed each other; the rest of what was passed is
   unknown. */
static inline void khiva_recall(khiva_memory *memory, const khiva_state *s, const khiva_view *view)
{
    int seats = view->seats, each = khiva_each(seats), giver = (view->seat + seats - 1) % seats;
    int last_kept = (view->deal - 1) * khiva_turns_per_deal(seats);
    uint32_t held = 0;
    khiva_add_cards(&held, s->hand[view->seat], KHIVA_CARDS);
    khiva_forget(memory);
    memory->turns = view->turns;
    memcpy(memory->played, view->played, (size_t)(view->turns * seats * each));
    memset(memory->passed, 0, (size_t)(view->turns * seats * each));
    for (int i = 0; i < view->turns * each; i++) {
        int turn = i / each, card = khiva_card_of(view->received[i]);
        memory->passed[(turn * seats + giver) * each + i % each] = view->received[i];
        if (turn + 1 >= last_kept && held >> card & 1) /* then the giver knows it, too */
            memory->away[giver][card] = (uint16_t)(turn + 1);
    }
    for (int i = 0; i < view->turns * each; i++)
        memory->passed[(i / each * seats + view->seat) * each + i % each] = view->passed[i];
    memcpy(memory->away[view->seat], view->away, sizeof view->away);
}

/* Makes a position in which the seat has exactly this view; what it does not know is drawn. Each way in which the cards can have
   been dealt and passed, and each order of the piles, is equally likely. knowledge: of this view, by khiva_think. memory: what
   the seats then remember, or NULL. Returns KHIVA_OK, or KHIVA_NO_WORLD if the view fits no position. */
static inline int khiva_world(khiva_state *s, khiva_memory *memory, const khiva_rules *rules, const khiva_view *view,
                              khiva_knowledge *knowledge, arena_stream *stream)
{
    (void)rules;
    memset(s, 0, sizeof *s);
    arena_draw_secret(stream, s->secret);
    s->seats = (uint8_t)view->seats, s->turn = (int16_t)view->turn, s->deal = (int16_t)view->deal;
    s->ending = (uint8_t)view->ending, s->supply = view->supply, s->quick = (uint8_t)stream->quick;
    khiva_copy(s->discard, view->discard);
    khiva_copy(s->shown, view->shown);
    memcpy(s->place, view->place, sizeof s->place);
    memcpy(s->load, view->load, sizeof s->load);
    for (int seat = 0; seat < view->seats; seat++) {
        s->gems[seat] = view->gems[seat];
        khiva_copy(s->teapots[seat], view->teapots[seat]);
        khiva_copy(s->salts[seat], view->salts[seat]);
        khiva_copy(s->carpets[seat], view->carpets[seat]);
        khiva_copy(s->delivered[seat], view->delivered[seat]);
    }
    if (knowledge->ends.count == 0 || !khiva_guess_piles(s, view, stream))
        return KHIVA_NO_WORLD;
    s->kind = (uint8_t)view->kind;
    s->camel = KHIVA_CAMELS;
    if (view->kind != KHIVA_PLAY_PASS) {
        s->asker = (uint8_t)view->asker, s->card = (uint8_t)view->card, s->camel = (uint8_t)view->camel;
        khiva_copy(s->lands, view->lands);
        s->winners = (uint8_t)khiva_winners(view);
    }
    if (!khiva_lay_cards(s, view, knowledge, stream))
        return KHIVA_NO_WORLD;
    if (memory)
        khiva_recall(memory, s, view);
    return KHIVA_OK;
}

#endif
