/* The view of a match that one seat gets (E40). RULES.md, "The view", lists the keys. */
#ifndef EMIRA_VIEW_H
#define EMIRA_VIEW_H

#include "play.h"

/* A view. What RULES.md says of its keys holds, but for these: values that follow from others are left out; of `bids` only
   `table.opened` and `table.granted` are kept, since bids tell nothing of what is hidden. */
typedef struct {
    emira_table table;
    uint32_t swapped, turned; /* masks: Emiras face up, places in the deck */
    uint8_t seat, goal;
    uint8_t goals[EMIRA_SEATS]; /* EMIRA_NOBODY until the end */
    uint8_t hands[EMIRA_SEATS], hand[EMIRA_EVENTS]; /* hand: how many of each event card */
    /* decks, with EMIRA_UNKNOWN for a card that the seat does not know there */
    uint8_t emiras[EMIRA_EMIRAS + 1], status[EMIRA_STATUS_CARDS + 1], events[EMIRA_EVENTS * EMIRA_COPIES + 1];
    emira_memory history;
} emira_view;

/* Returns how many seats the match of a view has. */
static inline int emira_seats_of(const emira_view *view)
{
    return view->table.seats;
}

/* Returns how many cards a seat holds. */
static inline int emira_hand_size(const emira_state *s, int seat)
{
    int size = 0;
    for (int card = 0; card < EMIRA_EVENTS; card++)
        size += s->hand[seat][card];
    return size;
}

/* Returns the mask of the Emiras that lie face up. */
static inline uint32_t emira_face_up(const emira_table *t)
{
    uint32_t mask = emira_mask(t->active) | emira_mask(t->coming) | emira_mask(t->undecided);
    for (int seat = 0; seat < t->seats; seat++)
        mask |= emira_mask(t->princesses[seat]);
    return mask;
}

/* Returns the mask of the places in the deck where Emiras lie turned, for all to see (E34). */
static inline uint32_t emira_turned_places(const emira_state *s)
{
    uint32_t places = 0;
    for (int i = 1; i <= s->emiras.card[0] && s->turned; i++)
        places |= (s->turned >> s->emiras.card[i] & 1) << (i - 1);
    return places;
}

/* Tells whether a seat sees the gold of another (O3, E31). */
static inline int emira_sees_gold(const emira_rules *rules, const emira_table *t, int seat, int other)
{
    return !rules->gold_hidden || t->phase == EMIRA_AT_END || seat == other || emira_has(t, other, EMIRA_NOOR);
}

/* Writes a deck as a seat knows it. */
static inline void emira_see_deck(const emira_deck *deck, int seat, uint8_t *cards)
{
    cards[0] = deck->card[0];
    for (int i = 1; i <= deck->card[0]; i++)
        cards[i] = deck->seen[i] >> seat & 1 ? deck->card[i] : (uint8_t)EMIRA_UNKNOWN;
}

/* Returns how many items of a line all know; none of a `deal`, of which only its seat knows. */
static inline int emira_public_items(const uint8_t *line)
{
    switch (line[1]) {
    case EMIRA_LINE_DEAL: return 0;
    case EMIRA_LINE_MIND:
    case EMIRA_LINE_ORDER: return 3;
    case EMIRA_LINE_BUY: return 2;
    default: return line[2];
    }
}

/* Writes the history as far as a seat knows it. */
static inline void emira_see_history(const emira_memory *memory, int seat, emira_memory *seen)
{
    for (int at = 0; at < memory->size; at += 3 + memory->line[at + 2]) {
        const uint8_t *line = memory->line + at;
        int items = line[1] <= EMIRA_LINE_BUY && line[3] == seat ? line[2] : emira_public_items(line);
        if (items == 0)
            continue;
        emira_note_in(seen, line[0], line[1], 0, 0, 0, 0);
        for (int i = 0; i < items; i++)
            emira_note_item(seen, line[3 + i]);
    }
}

/* Writes the view that a seat has. memory: of this match. */
static inline void emira_see(const emira_rules *rules, const emira_state *s, const emira_memory *memory, int seat,
                             emira_view *view)
{
    const emira_table *t = &s->table;
    memset(view, 0, sizeof *view);
    memcpy(&view->table, t, sizeof *t);
    for (int other = 0; other < t->seats; other++) {
        if (!emira_sees_gold(rules, t, seat, other))
            view->table.gold[other] = -1;
        view->hands[other] = (uint8_t)emira_hand_size(s, other);
    }
    if (t->asker != seat)
        view->table.looks = 0;
    view->swapped = s->turned & emira_face_up(t);
    view->turned = emira_turned_places(s);
    view->seat = (uint8_t)seat;
    view->goal = s->goals[seat];
    memset(view->goals, EMIRA_NOBODY, sizeof view->goals);
    if (t->phase == EMIRA_AT_END)
        memcpy(view->goals, s->goals, t->seats);
    memcpy(view->hand, s->hand[seat], sizeof view->hand);
    emira_see_deck(&s->emiras, seat, view->emiras);
    emira_see_deck(&s->status, seat, view->status);
    emira_see_deck(&s->events, seat, view->events);
    emira_see_history(memory, seat, &view->history);
}

/* Tells whether a view lacks what its seat remembers, what it was dealt above all, as that of another seat in a world does. */
static inline int emira_has_forgotten(const emira_view *view)
{
    const emira_memory *history = &view->history;
    if (view->table.phase == EMIRA_IN_SETUP || view->table.seats > EMIRA_SEATS || view->table.seats < 3)
        return 0;
    for (int at = 0; at + 2 < history->size && at + 2 < EMIRA_HISTORY; at += 3 + history->line[at + 2])
        if (history->line[at + 1] == EMIRA_LINE_DEAL)
            return 0;
    return 1;
}

#endif
