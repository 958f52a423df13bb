/* What the history of a view says happened: where the open cards went, line by line. It is checked as it is read, since all that
   follows relies on it; and the goals with which somebody would have won are found on the way (E32). */
#ifndef EMIRA_PAST_H
#define EMIRA_PAST_H

#include "view.h"

typedef struct {
    int seats, me, round, riots, shuffles;
    int emiras, status, events; /* cards of the decks */
    int last_player, last_buyer;
    uint32_t deck;              /* mask of the Emiras in the deck */
    uint32_t without[EMIRA_SEATS]; /* masks of the goals with which a seat would have won */
    unsigned unpaid;            /* mask of the seats with a riot this round */
    uint8_t status_deck[EMIRA_PRICES], played[EMIRA_EVENTS], now[EMIRA_EVENTS]; /* how many; now: played this round */
    uint8_t own[EMIRA_EVENTS], kept, back[2], stock[EMIRA_EVENTS];
    uint8_t hands[EMIRA_SEATS], dealt;
    uint8_t princesses[EMIRA_SEATS][EMIRA_EMIRAS + 1];
} emira_past;

/* Notes the goals with which seats would have won at the end of a round: they have not, since the match goes on (E32). */
static inline void emira_past_round(emira_past *past)
{
    for (int seat = 0; seat < past->seats; seat++)
        if (!(past->unpaid >> seat & 1) && past->princesses[seat][0] >= emira_least_princesses(past->seats))
            for (int goal = 0; goal < emira_goals(past->seats); goal++)
                past->without[seat] |= (uint32_t)emira_has_talents(past->princesses[seat], past->seats, goal) << goal;
    past->unpaid = 0;
    memset(past->now, 0, sizeof past->now);
    past->round++;
}

/* Takes an Emira out of a palace; returns 0 if she does not live there. */
static inline int emira_past_leaves(emira_past *past, int seat, int card)
{
    if (seat >= past->seats || emira_find(past->princesses[seat], card) == 0)
        return 0;
    emira_remove(past->princesses[seat], card);
    return 1;
}

/* Takes an Emira into a palace; returns 0 if she is in the deck or in one. */
static inline int emira_past_joins(emira_past *past, int seat, int card)
{
    if (seat >= past->seats || card >= EMIRA_EMIRAS || past->deck >> card & 1)
        return 0;
    for (int other = 0; other < past->seats; other++)
        if (emira_find(past->princesses[other], card) > 0)
            return 0;
    if (card != EMIRA_SIDI)
        emira_push(past->princesses[seat], card);
    return 1;
}

/* Puts Emiras whom a riot took under the deck; returns 0 if they did not live there. */
static inline int emira_past_under(emira_past *past, const uint8_t *item, int count)
{
    if (count < 2 || item[0] >= past->seats)
        return 0;
    for (int i = 1; i < count; i++) {
        if (item[i] >= EMIRA_EMIRAS || !emira_past_leaves(past, item[0], item[i]))
            return 0;
        past->deck |= (uint32_t)1 << item[i];
    }
    past->unpaid |= 1u << item[0];
    past->emiras += count - 1;
    past->riots++;
    return 1;
}

/* Reads what this seat was dealt: the card kept and two others. */
static inline int emira_past_deal(emira_past *past, const uint8_t *item, int count)
{
    if (count != 4 || item[0] != past->me || past->dealt)
        return 0;
    for (int i = 1; i < count; i++)
        if (item[i] >= EMIRA_EVENTS || past->stock[item[i]] == 0)
            return 0;
    past->dealt = 1;
    past->own[item[1]]++;
    past->kept = item[1];
    past->back[0] = item[2], past->back[1] = item[3];
    return 1;
}

/* Takes a card out of a hand; returns 0 if it cannot be there. */
static inline int emira_past_play(emira_past *past, const uint8_t *item, int count)
{
    if (count != 2 || item[0] >= past->seats || item[1] >= EMIRA_EVENTS || past->hands[item[0]] == 0)
        return 0;
    if (item[0] == past->me && past->own[item[1]]-- == 0)
        return 0;
    past->hands[item[0]]--;
    past->played[item[1]]++;
    past->now[item[1]]++;
    past->last_player = item[0];
    return past->played[item[1]] <= past->stock[item[1]];
}

/* Puts a card into a hand; returns 0 if there is none. This seat's own line names all cards, the kept one first. */
static inline int emira_past_buy(emira_past *past, const uint8_t *item, int count)
{
    if (count < 2 || item[0] >= past->seats || item[1] < 1 || item[1] > 3 || item[1] > past->events)
        return 0;
    if (count != (item[0] == past->me ? 2 + item[1] : 2))
        return 0;
    for (int i = 2; i < count; i++)
        if (item[i] >= EMIRA_EVENTS)
            return 0;
    if (count > 2)
        past->own[item[2]]++;
    past->events--;
    past->hands[item[0]]++;
    past->last_buyer = item[0];
    return 1;
}

/* Reads what somebody did with cards that he looked at: `mind` or `order`; the cards stand there if this seat did it. */
static inline int emira_past_look(const emira_past *past, int word, const uint8_t *item, int count)
{
    int cards = word == EMIRA_LINE_MIND ? 1 : count > 2 ? item[2] : 0;
    if (count < 3 || item[0] >= past->seats || (count != 3 && count != 3 + cards))
        return 0;
    if (word == EMIRA_LINE_MIND)
        return item[1] < past->emiras && item[2] <= EMIRA_BOTTOM && (count == 3 || item[3] < EMIRA_EMIRAS);
    if (item[1] > 1 || cards < 1 || cards > 3 || cards > (item[1] ? past->status : past->emiras))
        return 0;
    for (int i = 3; i < count; i++)
        if (item[i] >= (item[1] ? (int)EMIRA_PRICES : (int)EMIRA_EMIRAS))
            return 0;
    return 1;
}

/* Draws Emiras from the deck; returns 0 if one is not there. */
static inline int emira_past_draw(emira_past *past, const uint8_t *item, int count)
{
    for (int i = 0; i < count; i++) {
        if (item[i] >= EMIRA_EMIRAS || !(past->deck >> item[i] & 1))
            return 0;
        past->deck &= ~((uint32_t)1 << item[i]);
    }
    past->emiras -= count;
    return count > 0;
}

/* Takes a status card out of the deck, or puts one under it; returns 0 if it is not there or there already. */
static inline int emira_past_status(emira_past *past, int word, const uint8_t *item, int count)
{
    int takes = word == EMIRA_LINE_STATUS || word == EMIRA_LINE_NOBLE, card;
    if (count != 1 + (word == EMIRA_LINE_NOBLE) || item[count - 1] >= EMIRA_PRICES || (count == 2 && item[0] >= past->seats))
        return 0;
    card = item[count - 1];
    if (takes ? past->status_deck[card] == 0 : past->status_deck[card] >= emira_status_copies(card, past->seats))
        return 0;
    past->status_deck[card] = (uint8_t)(past->status_deck[card] + (takes ? -1 : 1));
    past->status += takes ? -1 : 1;
    past->shuffles += word == EMIRA_LINE_NOBLE;
    return 1;
}

/* Reads the next line; returns 0 if what it says cannot have happened. */
static inline int emira_past_line(emira_past *past, const uint8_t *line)
{
    const uint8_t *item = line + 3;
    int count = line[2];
    switch (line[1]) {
    case EMIRA_LINE_DEAL: return emira_past_deal(past, item, count);
    case EMIRA_LINE_PLAY: return emira_past_play(past, item, count);
    case EMIRA_LINE_BUY: return emira_past_buy(past, item, count);
    case EMIRA_LINE_MIND:
    case EMIRA_LINE_ORDER: return emira_past_look(past, line[1], item, count);
    case EMIRA_LINE_EMIRAS: return emira_past_draw(past, item, count);
    case EMIRA_LINE_UNDER: return emira_past_under(past, item, count);
    case EMIRA_LINE_JOIN: return count == 2 && emira_past_joins(past, item[0], item[1]);
    case EMIRA_LINE_ABDUCT: return count == 2 && emira_past_leaves(past, item[0], item[1]);
    case EMIRA_LINE_GIFT:
        return count == 2 && item[1] <= EMIRA_GONE && item[0] < past->seats
            && (item[1] == EMIRA_PAID || emira_past_leaves(past, item[0], EMIRA_XENIA));
    default: return line[1] < EMIRA_LINES && emira_past_status(past, line[1], item, count);
    }
}

/* Reads the whole history of a view; returns 0 if what it says cannot have happened. */
static inline int emira_recall(const emira_rules *rules, const emira_view *view, emira_past *past)
{
    const emira_memory *history = &view->history;
    int at = 0, events = 0, seats = view->table.seats;
    memset(past, 0, sizeof *past);
    past->seats = seats, past->me = view->seat;
    past->last_player = past->last_buyer = EMIRA_NOBODY;
    past->deck = ((uint32_t)1 << EMIRA_EMIRAS) - 1;
    past->emiras = EMIRA_EMIRAS;
    emira_event_stock(rules->advanced, past->stock);
    for (int card = 0; card < EMIRA_EVENTS; card++)
        events += past->stock[card];
    past->events = events - seats;
    for (int card = 0; card < EMIRA_PRICES; card++)
        past->status_deck[card] = (uint8_t)emira_status_copies(card, seats);
    for (int seat = 0; seat < seats; seat++) {
        past->hands[seat] = 1;
        if (view->table.colours[seat] == EMIRA_RED)
            past->status_deck[EMIRA_RED_CARD]--;
    }
    for (int card = 0; card < EMIRA_PRICES; card++)
        past->status += past->status_deck[card];
    if (history->size > EMIRA_HISTORY)
        return 0;
    while (at < history->size) {
        const uint8_t *line = history->line + at;
        if (at + 3 > history->size || at + 3 + line[2] > history->size || line[0] < past->round || line[0] > view->table.round)
            return 0;
        while (past->round < line[0])
            emira_past_round(past);
        if (!emira_past_line(past, line))
            return 0;
        at += 3 + line[2];
    }
    while (past->round < view->table.round)
        emira_past_round(past);
    return 1;
}

#endif
