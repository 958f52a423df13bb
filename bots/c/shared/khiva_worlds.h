/* Positions of Khiva that a seat's view allows, for bots that search: khiva_arena/games/khiva/worlds.py in C, draw by draw.

   Fill a khiva_view, call khiva_think once, then khiva_world for each world. */
#ifndef KHIVA_WORLDS_H
#define KHIVA_WORLDS_H

#include "khiva_knowledge.h"

/* A view, as RULES.md lists its keys. Numbers are those of khiva_rules.h; lists by seat, by camel where it says so. */
typedef struct {
    int turn, aside, supply, carpet_top; /* carpet_top: -1 if nobody sees it */
    int hands[KHIVA_SEATS], gems[KHIVA_SEATS];
    uint8_t place[KHIVA_CAMELS], load[KHIVA_CAMELS];
    khiva_list table[KHIVA_SEATS], carpets[KHIVA_SEATS], delivered[KHIVA_SEATS], teapots[KHIVA_SEATS], salts[KHIVA_SEATS];
    khiva_list discard, shown, teapots_left, carpets_left, salts_left;
    khiva_ending ending;
    khiva_kind kind; /* KHIVA_PLAY_PASS if no question is open */
    int asker, card, camel;
    khiva_list lands;
    unsigned holders[KHIVA_CARDS]; /* by card that the seat passed and has not seen since: mask of the seats that may hold it */
    khiva_memory memory;
} khiva_view;

/* Adds the cards of a list to a mask. Returns 0 if one is none, or there already. */
static inline int khiva_add_cards(uint32_t *mask, const khiva_list *cards)
{
    for (int i = 0; i < cards->count; i++) {
        if (cards->item[i] >= KHIVA_CARDS || *mask >> cards->item[i] & 1)
            return 0;
        *mask |= (uint32_t)1 << cards->item[i];
    }
    return 1;
}

static inline int khiva_are_cards(const uint8_t *cards, int count)
{
    while (count > 0)
        if (cards[--count] >= KHIVA_CARDS)
            return 0;
    return 1;
}

static inline int khiva_is_place(int place, int seats, int most)
{
    return place == KHIVA_TENT || (place > 0 && place < 6 * seats && place % 6 > 0 && place % 6 <= most);
}

static inline int khiva_are_carpets(const khiva_list *carpets)
{
    for (int i = 0; i < carpets->count; i++)
        if (i == KHIVA_ROOM || carpets->item[i] / 10 >= KHIVA_CAMELS || carpets->item[i] % 10 == 0)
            return 0;
    return 1;
}

/* Tells whether camels stand apart and the open question is one. */
static inline int khiva_is_open(const khiva_view *view)
{
    int seats = view->memory.seats, is_bid = 0;
    uint32_t taken = 0;
    for (int camel = 0; camel < KHIVA_CAMELS; camel++) {
        if (!khiva_is_place(view->place[camel], seats, 4) || (view->place[camel] && taken >> view->place[camel] & 1))
            return 0;
        taken |= (uint32_t)1 << view->place[camel];
    }
    if (view->kind == KHIVA_PLAY_PASS)
        return 1;
    if (view->kind < KHIVA_MOVE || view->kind > KHIVA_SHOP4 || view->asker < 0 || view->asker >= seats)
        return 0;
    if (view->camel < 0 || view->camel >= KHIVA_CAMELS)
        return 0;
    if (view->lands.count < 1 || view->lands.count > KHIVA_SLOTS + 1 || view->memory.turns < 1)
        return 0;
    for (int i = 0; i < view->lands.count; i++)
        if (!khiva_is_place(view->lands.item[i], seats, KHIVA_OUTPOST))
            return 0;
    for (int i = 0; i < view->table[view->asker].count; i++)
        is_bid |= view->table[view->asker].item[i] == view->card && khiva_colour(view->card) == view->camel;
    return is_bid;
}

/* Tells whether a view is of a match that goes on: every number in its bounds, every card in one place. All that follows relies
   on it. */
static inline int khiva_is_sound(const khiva_view *view)
{
    const khiva_memory *memory = &view->memory;
    int seats = memory->seats, each, first, carpets = view->carpets_left.count, teapots = view->teapots_left.count, salts = 0;
    uint32_t cards = 0;
    if (seats < 2 || seats > KHIVA_SEATS || memory->seat < 0 || memory->seat >= seats)
        return 0;
    if (view->turn < 1 || view->turn > KHIVA_TURNS_MOST)
        return 0;
    each = khiva_each(seats);
    first = ((view->turn - 1) / khiva_turns_per_deal(seats)) * khiva_turns_per_deal(seats);
    if (memory->deal != first / khiva_turns_per_deal(seats) + 1 || memory->turns != view->turn - (view->kind == KHIVA_PLAY_PASS))
        return 0;
    for (int seat = 0; seat < seats; seat++) {
        if (view->hands[seat] != khiva_first_hand(seats) - (memory->turns - first) * each)
            return 0;
        if (view->gems[seat] < 0 || view->gems[seat] > KHIVA_GEMS || view->supply > KHIVA_GEMS)
            return 0;
        if (!khiva_add_cards(&cards, &view->table[seat]) || !khiva_are_carpets(&view->carpets[seat]))
            return 0;
        if (!khiva_are_carpets(&view->delivered[seat]))
            return 0;
        carpets += view->carpets[seat].count + view->delivered[seat].count;
        teapots += view->teapots[seat].count;
        salts += view->salts[seat].count;
    }
    if (!khiva_add_cards(&cards, &view->discard) || !khiva_add_cards(&cards, &view->shown))
        return 0;
    if (!khiva_add_cards(&cards, &memory->hand))
        return 0;
    if (!khiva_are_carpets(&view->carpets_left) || carpets > KHIVA_ROOM || teapots > KHIVA_ROOM - KHIVA_CAMELS)
        return 0;
    if (salts + view->salts_left.count > KHIVA_ROOM || view->aside < 0 || view->supply < KHIVA_UNLIMITED)
        return 0;
    if (memory->hand.count != view->hands[memory->seat] || !khiva_are_cards(memory->played, memory->turns * each * seats))
        return 0;
    if (!khiva_are_cards(memory->passed, memory->turns * each) || !khiva_are_cards(memory->received, memory->turns * each))
        return 0;
    return khiva_is_open(view);
}

/* Works out what all worlds of a view have in common. Returns 0 if the view fits no position. */
static inline int khiva_think(khiva_knowledge *knowledge, const khiva_view *view)
{
    return khiva_is_sound(view) && khiva_learn(knowledge, &view->memory);
}

/* Lays the seat's own hand and all open cards, then the hidden ones into the places that are left. Returns 0 if they do not
   fit. */
static inline int khiva_lay_cards(khiva_state *s, const khiva_view *view, khiva_knowledge *knowledge, khiva_stream *stream)
{
    const khiva_memory *memory = &view->memory;
    khiva_list hidden;
    uint8_t row[KHIVA_TRACES];
    uint32_t cards = 0;
    int free_places = view->aside;
    s->hand[memory->seat] = memory->hand;
    khiva_add_cards(&cards, &memory->hand);
    khiva_add_cards(&cards, &view->discard);
    khiva_add_cards(&cards, &view->shown);
    for (int seat = 0; seat < s->seats; seat++) {
        khiva_add_cards(&cards, &view->table[seat]);
        for (int i = 0; i < view->table[seat].count; i++) {
            int card = view->table[seat].item[i];
            khiva_push(&s->bids[khiva_colour(card)], card);
            s->bidder[card] = (uint8_t)seat;
        }
    }
    khiva_draw_rows(knowledge, stream, row);
    for (int i = 0; i < KHIVA_TRACES; i++)
        if (row[i] != KHIVA_NOWHERE) {
            int card = knowledge->deal.card[i];
            if (cards >> card & 1)
                return 0;
            cards |= (uint32_t)1 << card;
            khiva_insert(&s->hand[(memory->seat + 1 + row[i]) % s->seats], card);
        }
    hidden.count = 0;
    for (int card = 0; card < KHIVA_CARDS; card++)
        if (!(cards >> card & 1))
            khiva_push(&hidden, card);
    khiva_shuffle(stream, hidden.item, hidden.count);
    for (int seat = 0; seat < s->seats; seat++) {
        if (view->hands[seat] < s->hand[seat].count)
            return 0;
        free_places += view->hands[seat] - s->hand[seat].count;
    }
    if (free_places != hidden.count)
        return 0;
    for (int seat = 0; seat < s->seats; seat++)
        while (s->hand[seat].count < view->hands[seat])
            khiva_insert(&s->hand[seat], hidden.item[--hidden.count]);
    s->aside = hidden;
    return 1;
}

/* Tells which seats won a camel this turn, up to the one being activated. */
static inline unsigned khiva_winners(const khiva_view *view)
{
    int each = khiva_each(view->memory.seats), count = each * view->memory.seats, best[KHIVA_CAMELS] = {-1, -1, -1, -1, -1};
    const uint8_t *revealed = view->memory.played + (view->memory.turns - 1) * count;
    unsigned winners = 0;
    for (int i = 0; i < count; i++) {
        int camel = khiva_colour(revealed[i]);
        if (camel <= view->camel && (best[camel] < 0 || revealed[i] > revealed[best[camel]]))
            best[camel] = i;
    }
    for (int camel = 0; camel < KHIVA_CAMELS; camel++)
        if (best[camel] >= 0)
            winners |= 1u << best[camel] / each;
    return winners;
}

/* Makes a position in which the seat has exactly this view; what it does not know is draw. Each way in which the cards can have
   been dealt and passed, and each order of the piles, is equally likely. Returns 0 if the view fits no position. */
static inline int khiva_world(khiva_state *s, const khiva_view *view, khiva_knowledge *knowledge, khiva_stream *stream)
{
    memset(s, 0, sizeof *s);
    for (int i = 0; i < 4; i++) {
        uint64_t part = khiva_u64(stream);
        for (int j = 0; j < 8; j++)
            s->secret[8 * i + j] = (unsigned char)(part >> (56 - 8 * j));
    }
    s->seats = view->memory.seats, s->turn = view->turn, s->deal = view->memory.deal;
    s->ending = view->ending, s->supply = view->supply;
    s->discard = view->discard, s->shown = view->shown;
    s->teapot_pile = view->teapots_left, s->carpet_pile = view->carpets_left;
    memcpy(s->gems, view->gems, sizeof s->gems);
    memcpy(s->place, view->place, sizeof s->place);
    memcpy(s->load, view->load, sizeof s->load);
    memcpy(s->carpets, view->carpets, sizeof s->carpets);
    memcpy(s->delivered, view->delivered, sizeof s->delivered);
    memcpy(s->teapots, view->teapots, sizeof s->teapots);
    memcpy(s->salts, view->salts, sizeof s->salts);
    for (int i = view->salts_left.count; i > 0; i--)
        khiva_push(&s->salt_pile, view->salts_left.item[i - 1]);
    khiva_shuffle(stream, s->teapot_pile.item, s->teapot_pile.count);
    khiva_shuffle(stream, s->carpet_pile.item, s->carpet_pile.count);
    for (int i = 0, last = s->carpet_pile.count - 1; i <= last && view->carpet_top >= 0; i++)
        if (s->carpet_pile.item[i] / 10 == view->carpet_top) { /* a visible top carpet keeps its colour (O7) */
            uint8_t top = s->carpet_pile.item[i];
            s->carpet_pile.item[i] = s->carpet_pile.item[last];
            s->carpet_pile.item[last] = top;
            break;
        }
    s->kind = view->kind;
    s->camel = KHIVA_CAMELS;
    if (view->kind != KHIVA_PLAY_PASS) {
        s->asker = view->asker, s->card = view->card, s->camel = view->camel;
        s->lands = view->lands;
        s->winners = khiva_winners(view);
    }
    return khiva_lay_cards(s, view, knowledge, stream);
}

#endif
