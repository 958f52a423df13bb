/* Decks and hands that a seat's view allows: the view's history told to knowledge.h, deck by deck, and worlds' cards drawn from
   what it leaves. */
#ifndef EMIRA_HIDDEN_H
#define EMIRA_HIDDEN_H

#include "knowledge.h"
#include "past.h"

/* Tells the layouts one sight; returns 0 if they fit nothing. */
static inline int emira_tell(emira_layouts *all, emira_changed *changed, int what, int place, int card)
{
    emira_seen seen;
    memset(&seen, 0, sizeof seen);
    seen.what = what, seen.place = place, seen.card = card, seen.count = 1;
    seen.cards[0] = (uint8_t)card;
    return emira_each(all, &seen, changed);
}

/* Draws a card, which was the top one, from the deck. */
static inline int emira_tell_draw(emira_layouts *all, emira_changed *changed, int card)
{
    if (!emira_tell(all, changed, EMIRA_SEE, 0, card))
        return 0;
    all->stock[card]--;
    if (!emira_tell(all, changed, EMIRA_SHIFT, 0, 0))
        return 0;
    all->deck--;
    return 1;
}

/* Numbers the groups anew, those that some layout still has, in their order. */
static inline void emira_number_groups(emira_layouts *all)
{
    uint8_t number[EMIRA_LIES_TURNED - EMIRA_GROUP + 1] = {0};
    for (int i = 0; i < all->count; i++)
        for (int card = 0; card < EMIRA_EMIRAS; card++)
            number[all->layout[i].token[EMIRA_GROUP_OF + card]] = 1;
    number[0] = 0;
    all->groups = 0;
    for (int group = 1; group <= EMIRA_LIES_TURNED - EMIRA_GROUP; group++)
        number[group] = (uint8_t)(number[group] ? ++all->groups : 0);
    for (int i = 0; i < all->count; i++) {
        uint8_t *token = all->layout[i].token;
        for (int card = 0; card < EMIRA_EMIRAS; card++) {
            token[EMIRA_GROUP_OF + card] = number[token[EMIRA_GROUP_OF + card]];
            if (card < all->deck && emira_face(token[card]) >= EMIRA_GROUP)
                emira_put(&all->layout[i], card, EMIRA_GROUP + number[emira_face(token[card]) - EMIRA_GROUP + 1] - 1);
        }
    }
}

/* Puts cards under the deck: several in an order that nobody knows. */
static inline int emira_tell_under(emira_layouts *all, emira_changed *changed, const uint8_t *cards, int count)
{
    emira_seen seen;
    memset(&seen, 0, sizeof seen);
    seen.what = EMIRA_UNDER, seen.count = count;
    if (count > EMIRA_EMIRAS)
        return 0;
    memcpy(seen.cards, cards, (size_t)count);
    for (int i = 0; i < count; i++)
        all->stock[cards[i]]++;
    if (count > 1)
        emira_number_groups(all);
    if (!emira_each(all, &seen, changed))
        return 0;
    all->deck += count;
    all->groups += count > 1;
    return 1;
}

/* Lays the top cards in a new order, which `items` tells after three others if there are more. */
static inline int emira_tell_order(emira_layouts *all, emira_changed *changed, const uint8_t *items, int count)
{
    emira_seen seen;
    memset(&seen, 0, sizeof seen);
    seen.what = EMIRA_REORDER, seen.count = items[2], seen.card = count > 3;
    for (int i = 3; i < count; i++)
        seen.cards[i - 3] = items[i];
    return emira_each(all, &seen, changed);
}

/* Tells the layouts of the Emira deck a line. */
static inline int emira_tell_emiras(emira_layouts *all, emira_changed *changed, const uint8_t *line)
{
    const uint8_t *item = line + 3;
    int count = line[2];
    switch (line[1]) {
    case EMIRA_LINE_EMIRAS:
        for (int i = 0; i < count; i++)
            if (!emira_tell_draw(all, changed, item[i]))
                return 0;
        return 1;
    case EMIRA_LINE_UNDER: return emira_tell_under(all, changed, item + 1, count - 1);
    case EMIRA_LINE_ORDER: return item[1] != 0 || emira_tell_order(all, changed, item, count);
    case EMIRA_LINE_MIND:
        if (count > 3 && !emira_tell(all, changed, EMIRA_SEE, item[1], item[3]))
            return 0;
        if (item[2] == EMIRA_SWAP)
            return emira_tell(all, changed, EMIRA_OF_SORT, item[1], 0) && emira_tell(all, changed, EMIRA_TURN, item[1], 0);
        return item[2] != EMIRA_BOTTOM || emira_tell(all, changed, EMIRA_TO_BOTTOM, item[1], 0);
    default: return 1;
    }
}

/* Tells the layouts of the status deck a line. */
static inline int emira_tell_status(emira_layouts *all, emira_changed *changed, const uint8_t *line)
{
    const uint8_t *item = line + 3;
    switch (line[1]) {
    case EMIRA_LINE_STATUS: return emira_tell_draw(all, changed, item[0]);
    case EMIRA_LINE_NOBLE:
        all->stock[item[1]]--;
        if (!emira_tell(all, changed, EMIRA_MIX, 0, 0))
            return 0;
        all->deck--;
        return 1;
    case EMIRA_LINE_UNSOLD:
    case EMIRA_LINE_UNDER_STATUS: return emira_tell_under(all, changed, item, 1);
    case EMIRA_LINE_ORDER: return item[1] != 1 || emira_tell_order(all, changed, item, line[2]);
    default: return 1;
    }
}

/* Tells the layouts of the event deck and the hands a line. */
static inline int emira_tell_events(emira_layouts *all, emira_changed *changed, const uint8_t *line, int me)
{
    const uint8_t *item = line + 3;
    emira_seen seen;
    if ((line[1] != EMIRA_LINE_PLAY || item[0] == me) && line[1] != EMIRA_LINE_BUY)
        return 1;
    memset(&seen, 0, sizeof seen);
    seen.seat = item[0];
    seen.card = seen.count = item[1];
    seen.what = line[1] == EMIRA_LINE_PLAY ? EMIRA_PLAYS : item[0] == me ? EMIRA_KEEPS : EMIRA_BUYS;
    if (seen.what == EMIRA_KEEPS)
        memcpy(seen.cards, item + 2, item[1]);
    if (!emira_each(all, &seen, changed))
        return 0;
    if (seen.what != EMIRA_BUYS)
        all->stock[seen.what == EMIRA_KEEPS ? seen.cards[0] : seen.card]--;
    all->hand[item[0]] += seen.what == EMIRA_PLAYS ? -1 : seen.what == EMIRA_BUYS;
    all->deck -= seen.what != EMIRA_PLAYS;
    return 1;
}

/* Begins the layouts of a deck: one, in which the seat knows nothing but the sort of some cards. */
static inline void emira_begin_layouts(emira_layouts *all, int which, const emira_view *view, const emira_past *past)
{
    int seats = view->table.seats;
    uint8_t *token = all->layout[0].token;
    all->which = which;
    all->count = 1;
    all->groups = all->deck = 0;
    memset(all->hand, 0, sizeof all->hand);
    memset(all->stock, 0, sizeof all->stock);
    for (int card = 0; card < emira_faces(which); card++) {
        all->stock[card] = which == EMIRA_OF_EVENTS ? past->stock[card] : 1;
        if (which == EMIRA_OF_STATUS)
            all->stock[card] = emira_status_copies(card, seats);
        for (int seat = 0; seat < seats && which == EMIRA_OF_STATUS && card == EMIRA_RED_CARD; seat++)
            all->stock[card] -= view->table.colours[seat] == EMIRA_RED;
        all->deck += all->stock[card];
    }
    if (which == EMIRA_OF_EVENTS) {
        all->deck -= seats;
        for (int seat = 0; seat < seats; seat++)
            all->hand[seat] = seat != view->seat;
        all->stock[past->kept]--;
    }
    emira_forget(all, &all->layout[0]);
    if (which == EMIRA_OF_STATUS)
        memset(token, EMIRA_BOUND, (size_t)emira_status_on_top(seats));
    if (which == EMIRA_OF_EVENTS) {
        int swap = past->back[0] > past->back[1];
        memset(token + all->deck, EMIRA_BOUND, (size_t)seats - 1);
        token[EMIRA_BACK] = past->back[swap], token[EMIRA_BACK + 1] = past->back[!swap];
    }
}

/* Narrows the layouts of a deck by the history, then by what the view shows of the deck. Returns 0 if nothing fits. */
static inline int emira_learn(emira_layouts *all, emira_changed *changed, int which, const emira_view *view,
                              const emira_past *past)
{
    const emira_memory *history = &view->history;
    const uint8_t *deck = which == EMIRA_OF_EMIRAS ? view->emiras : which == EMIRA_OF_STATUS ? view->status : view->events;
    emira_seen lie;
    emira_begin_layouts(all, which, view, past);
    for (int at = 0; at < history->size; at += 3 + history->line[at + 2]) {
        const uint8_t *line = history->line + at;
        int fits = which == EMIRA_OF_EMIRAS   ? emira_tell_emiras(all, changed, line)
                   : which == EMIRA_OF_STATUS ? emira_tell_status(all, changed, line)
                                              : emira_tell_events(all, changed, line, view->seat);
        if (!fits)
            return 0;
    }
    for (int place = 0; place < all->deck; place++)
        if (deck[place + 1] != EMIRA_UNKNOWN && !emira_tell(all, changed, EMIRA_SEE, place, deck[place + 1]))
            return 0;
    memset(&lie, 0, sizeof lie);
    lie.what = EMIRA_LIE;
    lie.places = which == EMIRA_OF_EMIRAS ? view->turned : 0;
    if (emira_each(all, &lie, changed))
        return 1;
    for (int place = 0; place < all->deck; place++) /* all has been forgotten, even that cards were turned */
        if (lie.places >> place & 1 && !emira_tell(all, changed, EMIRA_OF_SORT, place, 0))
            return 0;
    return 1;
}

/* --- drawing --- */

/* Returns a layout drawn by the weights. */
static inline const emira_layout *emira_draw_layout(const emira_layouts *all, arena_stream *stream)
{
    double at = (double)arena_below(stream, (uint64_t)1 << 53) / 9007199254740992.0, sofar = 0.0;
    int i = 0;
    for (; i < all->count - 1; i++) {
        sofar += all->layout[i].weight;
        if (at < sofar)
            break;
    }
    return &all->layout[i];
}

/* Puts cards, the last one first, into the places of a token. Returns 0 if there are too few. */
static inline int emira_fill_tokens(uint8_t *tokens, int count, int token, const uint8_t *cards, int left)
{
    for (int i = 0; i < count; i++)
        if (tokens[i] == token) {
            if (left == 0)
                return 0;
            tokens[i] = cards[--left];
        }
    return 1;
}

/* Writes the cards that no token of a layout names, rising, and returns how many; -1 if there are too many of one. */
static inline int emira_unseen(const emira_layouts *all, const emira_layout *layout, uint8_t *cards)
{
    int left[EMIRA_EMIRAS], count = 0, tokens = emira_tokens(all);
    memcpy(left, all->stock, sizeof left);
    for (int i = 0; i < tokens; i++)
        if (emira_face(layout->token[i]) < EMIRA_FREE)
            left[emira_face(layout->token[i])]--;
    for (int card = 0; card < EMIRA_EMIRAS && all->which == EMIRA_OF_EMIRAS; card++)
        left[card] -= layout->token[EMIRA_GROUP_OF + card] != 0;
    for (int i = EMIRA_BACK; i < EMIRA_TOKENS && all->which == EMIRA_OF_EVENTS; i++)
        if (layout->token[i] != EMIRA_NOBODY)
            left[layout->token[i]]--;
    for (int card = 0; card < EMIRA_EMIRAS; card++) {
        if (left[card] < 0 || count + left[card] > EMIRA_TOKENS - 2)
            return -1;
        for (; left[card] > 0; left[card]--)
            cards[count++] = (uint8_t)card;
    }
    return count;
}

/* Draws a deck and hands by the weights of the layouts: tokens that are all cards, of the deck, then of the hands by seat.
   Returns 0 if they do not fit. */
static inline int emira_pick(const emira_layouts *all, arena_stream *stream, uint8_t tokens[EMIRA_TOKENS])
{
    const emira_layout *layout = emira_draw_layout(all, stream);
    uint8_t cards[EMIRA_TOKENS], bound[EMIRA_TOKENS], group[EMIRA_EMIRAS];
    int count, wanted = 0, found = 0, left = 0, total = emira_tokens(all), fits;
    count = emira_unseen(all, layout, cards);
    if (count < 0)
        return 0;
    for (int i = 0; i < total; i++) {
        tokens[i] = (uint8_t)emira_face(layout->token[i]);
        wanted += tokens[i] == EMIRA_BOUND;
    }
    arena_shuffle(stream, cards, count);
    for (int i = 0; i < count; i++)
        if (found < wanted && emira_of_sort(all->which, cards[i]))
            bound[found++] = cards[i];
        else
            cards[left++] = cards[i];
    for (int i = EMIRA_BACK; i < EMIRA_TOKENS && all->which == EMIRA_OF_EVENTS; i++)
        if (layout->token[i] != EMIRA_NOBODY)
            cards[left++] = layout->token[i];
    arena_shuffle(stream, cards, left);
    fits = emira_fill_tokens(tokens, total, EMIRA_FREE, cards, left)
        && emira_fill_tokens(tokens, total, EMIRA_BOUND, bound, found);
    for (int number = 1; number <= all->groups && fits; number++) {
        count = 0;
        for (int card = 0; card < EMIRA_EMIRAS; card++)
            if (layout->token[EMIRA_GROUP_OF + card] == number)
                group[count++] = (uint8_t)card;
        arena_shuffle(stream, group, count);
        fits = emira_fill_tokens(tokens, total, EMIRA_GROUP + number - 1, group, count);
    }
    return fits;
}

#endif
