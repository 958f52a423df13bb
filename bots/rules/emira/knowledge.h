/* Where the cards lie that a seat cannot see, given the history of its view: khiva_arena/games/emira/knowledge.py in C, number by
   number. A card in a deck or in another's hand is a token: a card that the seat knows, EMIRA_FREE for any other, EMIRA_BOUND for
   one of a certain sort, or from EMIRA_GROUP on one of several that were put under the deck in an order nobody knows.

   The observations allow some layouts of tokens, each with a weight: how likely the observations are with it. The weights are the
   doubles of Python, since the least likely layouts are left out by them. */
#ifndef EMIRA_KNOWLEDGE_H
#define EMIRA_KNOWLEDGE_H

#include "view.h"

enum {
    EMIRA_TOKENS = 56,
    EMIRA_BACK = 54, /* where a layout of event cards has those that the seat put back and has not seen since, rising */
    EMIRA_GROUP_OF = 28, /* where a layout of Emiras has, by card, 1 + the group of a card that no token names yet */
    EMIRA_LAYOUTS = 1000,
    EMIRA_CHANGED = 6 * EMIRA_LAYOUTS, /* nothing that is seen makes more than six layouts of one: three cards have six orders */
    EMIRA_SLOTS = 16384,
    EMIRA_FEW = 16, /* layouts that are sought one by one */
    EMIRA_FREE = 60, EMIRA_BOUND = 61, EMIRA_GROUP = 64,
    EMIRA_LIES_TURNED = 128 /* added to a token of the deck */
};

typedef enum { EMIRA_OF_EMIRAS, EMIRA_OF_STATUS, EMIRA_OF_EVENTS } emira_which;

/* Tokens of the deck, top first, then of the hands by seat, rising in each; and what belongs to them. */
typedef struct {
    double weight;
    uint8_t token[EMIRA_TOKENS];
} emira_layout;

/* Layouts of a deck and of the hands that are filled from it. stock: the cards that deck and hands hold together. */
typedef struct {
    int which, count, deck, groups, hand[EMIRA_SEATS];
    int stock[EMIRA_EMIRAS];
    emira_layout layout[EMIRA_LAYOUTS];
} emira_layouts;

/* The layouts that a change makes of all. */
typedef struct {
    int count, full;
    uint16_t slot[EMIRA_SLOTS], order[2][EMIRA_CHANGED];
    emira_layout layout[EMIRA_CHANGED];
} emira_changed;

/* Things that are seen. */
typedef enum {
    EMIRA_SEE,       /* a card lies at a place of the deck */
    EMIRA_SHIFT,     /* the top card is drawn */
    EMIRA_OF_SORT,   /* the card at a place is one that a bound token may be */
    EMIRA_TURN,      /* the card at a place is turned, or turned back */
    EMIRA_LIE,       /* the cards at the places of a mask lie turned, and no others */
    EMIRA_UNDER,     /* cards are put under the deck */
    EMIRA_TO_BOTTOM, /* the card at a place is put under the deck */
    EMIRA_REORDER,   /* the top cards are laid in a new order, which `cards` tells if there are any */
    EMIRA_MIX,       /* a card is taken out of the deck, which is then shuffled */
    EMIRA_BUYS,      /* another seat keeps one of the top cards */
    EMIRA_KEEPS,     /* this seat keeps the first of `cards`; the others go under the deck */
    EMIRA_PLAYS      /* another seat plays a card of its hand */
} emira_sight;

typedef struct {
    int what, place, seat, card, count;
    uint32_t places;
    uint8_t cards[EMIRA_EMIRAS];
} emira_seen;

/* Tells whether a bound token may be a card (E15). */
static inline int emira_of_sort(int which, int card)
{
    return which == EMIRA_OF_EMIRAS ? card != EMIRA_SIDI : which == EMIRA_OF_STATUS ? emira_points(card) < 3 : 1;
}

/* Returns how many cards that differ a deck can have. */
static inline int emira_faces(int which)
{
    return which == EMIRA_OF_EMIRAS ? (int)EMIRA_EMIRAS : which == EMIRA_OF_STATUS ? (int)EMIRA_PRICES : (int)EMIRA_EVENTS;
}

/* Returns how many tokens a layout has. */
static inline int emira_tokens(const emira_layouts *all)
{
    int count = all->deck;
    for (int seat = 0; seat < EMIRA_SEATS; seat++)
        count += all->hand[seat];
    return count;
}

/* Returns a token without the mark of one that lies turned. */
static inline int emira_face(int token)
{
    return token & (EMIRA_LIES_TURNED - 1);
}

/* Puts another token at a place, turned if the one there was. */
static inline void emira_put(emira_layout *layout, int place, int token)
{
    layout->token[place] = (uint8_t)((layout->token[place] & EMIRA_LIES_TURNED) | token);
}

/* Makes a layout of free tokens. */
static inline void emira_forget(const emira_layouts *all, emira_layout *layout)
{
    memset(layout, 0, sizeof *layout);
    layout->weight = 1.0;
    memset(layout->token, EMIRA_FREE, (size_t)emira_tokens(all));
    if (all->which == EMIRA_OF_EVENTS)
        memset(layout->token + EMIRA_BACK, EMIRA_NOBODY, 2);
}

/* Takes one of the cards that the seat put back off a layout. */
static inline void emira_take_back(emira_layout *layout, int card)
{
    uint8_t *back = layout->token + EMIRA_BACK;
    if (back[0] == card)
        back[0] = back[1];
    back[1] = EMIRA_NOBODY;
}

/* Writes the layouts that remain when a token of a layout, which is left to the caller, proves to be a card, each with its
   likelihood as the weight; returns how many. */
static inline int emira_named(const emira_layouts *all, const emira_layout *before, int token, int card, emira_layout after[2])
{
    const uint8_t *tokens = before->token;
    int count = 0, placed = 0, sort_placed = 0, bound = 0, unbound = 0, total = 0, held, back = 0, tokens_all = emira_tokens(all);
    if (token < EMIRA_FREE) {
        after[0] = *before, after[0].weight = 1.0;
        return token == card;
    }
    if (token >= EMIRA_GROUP) {
        int group = token - EMIRA_GROUP + 1;
        for (int other = 0; other < EMIRA_EMIRAS; other++)
            count += tokens[EMIRA_GROUP_OF + other] == group;
        after[0] = *before, after[0].weight = count > 0 ? 1.0 / (double)count : 0.0;
        after[0].token[EMIRA_GROUP_OF + card] = 0;
        return tokens[EMIRA_GROUP_OF + card] == group;
    }
    for (int i = 0; i < tokens_all; i++) {
        int face = emira_face(tokens[i]);
        placed += face == card, bound += face == EMIRA_BOUND, unbound += face == EMIRA_FREE;
        sort_placed += face < EMIRA_FREE && emira_of_sort(all->which, face);
    }
    for (int other = 0; other < EMIRA_EMIRAS && all->which == EMIRA_OF_EMIRAS; other++)
        if (tokens[EMIRA_GROUP_OF + other]) {
            placed += other == card;
            sort_placed += other != EMIRA_SIDI;
        }
    for (int i = EMIRA_BACK; i < EMIRA_TOKENS && all->which == EMIRA_OF_EVENTS; i++) {
        back += tokens[i] == card;
        sort_placed += tokens[i] != EMIRA_NOBODY; /* so many that the sort has fewer */
    }
    for (int face = 0; face < emira_faces(all->which); face++)
        total += emira_of_sort(all->which, face) ? all->stock[face] : 0;
    total -= sort_placed;
    placed = all->stock[card] - placed;
    held = emira_of_sort(all->which, card) ? placed - back : 0;
    if (held > 0) {
        after[count] = *before;
        after[count++].weight = token == EMIRA_BOUND ? (double)held / (double)total
                                                     : (double)(held * (total - bound)) / (double)(total * unbound);
    }
    if (token == EMIRA_FREE && placed > held) {
        after[count] = *before;
        after[count].weight = (double)(placed - held) / (double)unbound;
        if (back > 0)
            emira_take_back(&after[count], card);
        count++;
    }
    return count;
}

/* Writes the layouts that remain when cards are seen in the deck, from a place on, each with its likelihood; returns how many. */
static inline int emira_sights(const emira_layouts *all, const emira_layout *before, const uint8_t *cards, int seen, int place,
                               emira_layout ways[8])
{
    emira_layout last[8], after[2];
    int count = 1;
    ways[0] = *before;
    ways[0].weight = 1.0;
    for (int at = 0; at < seen && at < 3; at++) {
        int lasts = count;
        memcpy(last, ways, (size_t)count * sizeof *ways);
        count = 0;
        for (int i = 0; i < lasts; i++) {
            int named = emira_named(all, &last[i], emira_face(last[i].token[place + at]), cards[at], after);
            for (int j = 0; j < named; j++) {
                emira_put(&after[j], place + at, cards[at]);
                after[j].weight = last[i].weight * after[j].weight;
                ways[count++] = after[j];
            }
        }
    }
    return count;
}

/* --- changes --- */

/* Mixes the tokens of a layout into a number of a slot. */
static inline unsigned emira_hash(const emira_layout *layout)
{
    uint64_t hash = 0, part;
    for (size_t i = 0; i < EMIRA_TOKENS; i += sizeof part) {
        memcpy(&part, layout->token + i, sizeof part);
        hash = (hash ^ part) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return (unsigned)(hash & (EMIRA_SLOTS - 1));
}

/* Returns the slot of a layout, or the empty one that it can have. */
static inline unsigned emira_slot(const emira_changed *changed, const emira_layout *layout)
{
    unsigned slot = emira_hash(layout);
    while (changed->slot[slot] && memcmp(changed->layout[changed->slot[slot] - 1].token, layout->token, EMIRA_TOKENS) != 0)
        slot = (slot + 1) % EMIRA_SLOTS;
    return slot;
}

/* Adds a layout that a change makes of one of this weight, or its weight to an equal one. */
static inline void emira_add(emira_changed *changed, emira_layout *layout, double weight)
{
    int at = 0;
    unsigned slot = 0;
    volatile double more = weight * layout->weight; /* rounded as in Python, never fused with the sum below */
    if (layout->weight == 0.0)
        return;
    if (changed->count < EMIRA_FEW) {
        while (at < changed->count && memcmp(changed->layout[at].token, layout->token, EMIRA_TOKENS) != 0)
            at++;
    } else {
        if (changed->count == EMIRA_FEW) {
            memset(changed->slot, 0, sizeof changed->slot);
            for (int i = 0; i < EMIRA_FEW; i++)
                changed->slot[emira_slot(changed, &changed->layout[i])] = (uint16_t)(i + 1);
        }
        slot = emira_slot(changed, layout);
        at = changed->slot[slot] ? changed->slot[slot] - 1 : changed->count;
    }
    if (at < changed->count) {
        changed->layout[at].weight += more;
        return;
    }
    if (changed->count == EMIRA_CHANGED) {
        changed->full = 1;
        return;
    }
    if (changed->count >= EMIRA_FEW)
        changed->slot[slot] = (uint16_t)(at + 1);
    changed->layout[at] = *layout;
    changed->layout[at].weight = more;
    changed->count++;
}

/* Moves a token of the deck to its end, without the mark of one that lies turned. */
static inline void emira_move_last(const emira_layouts *all, emira_layout *layout, int place)
{
    int token = emira_face(layout->token[place]);
    memmove(layout->token + place, layout->token + place + 1, (size_t)(all->deck - place - 1));
    layout->token[all->deck - 1] = (uint8_t)token;
}

/* Returns what the tokens of a hand rise by: bound ones come first, then free ones, then cards. */
static inline int emira_rises(int token)
{
    return token < EMIRA_FREE ? token + 2 : token == EMIRA_FREE;
}

/* Puts a token into a hand, which begins at `first`; `end` is behind the last token of all. */
static inline void emira_to_hand(emira_layout *layout, int first, int size, int end, int token)
{
    int at = first + size;
    memmove(layout->token + at + 1, layout->token + at, (size_t)(end - at));
    for (; at > first && emira_rises(layout->token[at - 1]) > emira_rises(token); at--)
        layout->token[at] = layout->token[at - 1];
    layout->token[at] = (uint8_t)token;
}

/* Returns where the hand of a seat begins. */
static inline int emira_hand_at(const emira_layouts *all, int seat)
{
    int at = all->deck;
    for (int other = 0; other < seat; other++)
        at += all->hand[other];
    return at;
}

/* Lets another seat keep one of the top cards, any of them; the others go under the deck as they lie. */
static inline void emira_change_by_buy(const emira_layouts *all, const emira_layout *before, const emira_seen *seen,
                                       emira_changed *changed)
{
    int end = emira_tokens(all), deck = all->deck - 1, hand = emira_hand_at(all, seen->seat) - 1;
    for (int place = 0; place < seen->count; place++) {
        emira_layout layout = *before;
        layout.weight = 1.0;
        memmove(layout.token, before->token + seen->count, (size_t)(all->deck - seen->count));
        for (int i = 0, at = all->deck - seen->count; i < seen->count; i++)
            if (i != place)
                layout.token[at++] = before->token[i];
        memmove(layout.token + deck, before->token + deck + 1, (size_t)(end - deck - 1));
        emira_to_hand(&layout, hand, all->hand[seen->seat], end - 1, before->token[place]);
        emira_add(changed, &layout, before->weight);
    }
}

/* Lets this seat keep one of the top cards, of several equal ones the first. */
static inline void emira_change_by_keeping(const emira_layouts *all, const emira_layout *before, const emira_seen *seen,
                                           emira_changed *changed)
{
    emira_layout ways[8];
    const uint8_t *others = seen->cards + 1;
    int end = emira_tokens(all), looks = seen->count, last = 0;
    while (last < looks - 1 && others[last] != seen->cards[0])
        last++;
    for (int place = 0; place <= last; place++) {
        uint8_t top[3] = {0};
        int count;
        for (int i = 0; i < looks; i++)
            top[i] = i < place ? others[i] : i == place ? seen->cards[0] : others[i - 1];
        count = emira_sights(all, before, top, looks, 0, ways);
        for (int i = 0; i < count; i++) {
            uint8_t *token = ways[i].token;
            memmove(token, token + looks, (size_t)(all->deck - looks));
            memcpy(token + all->deck - looks, others, (size_t)(looks - 1));
            memmove(token + all->deck - 1, token + all->deck, (size_t)(end - all->deck));
            token[end - 1] = 0;
            emira_add(changed, &ways[i], before->weight);
        }
    }
}

/* Lets another seat play a card of its hand. */
static inline void emira_change_by_play(const emira_layouts *all, const emira_layout *before, const emira_seen *seen,
                                        emira_changed *changed)
{
    emira_layout after[2];
    int end = emira_tokens(all), first = emira_hand_at(all, seen->seat);
    for (int at = first; at < first + all->hand[seen->seat]; at++) {
        int count = emira_named(all, before, before->token[at], seen->card, after);
        for (int i = 0; i < count; i++) {
            memmove(after[i].token + at, after[i].token + at + 1, (size_t)(end - at - 1));
            after[i].token[end - 1] = 0;
            emira_add(changed, &after[i], before->weight);
        }
    }
}

/* Returns how likely it is that the card at a place is of the sort; binds its token if it is free. */
static inline double emira_bind(const emira_layouts *all, emira_layout *layout, int place)
{
    emira_layout after[2];
    double likely = 0.0;
    int token = emira_face(layout->token[place]);
    if (token != EMIRA_FREE)
        return token > EMIRA_FREE || emira_of_sort(all->which, token) ? 1.0 : 0.0;
    for (int card = 0; card < emira_faces(all->which); card++)
        if (emira_of_sort(all->which, card)) {
            int count = emira_named(all, layout, token, card, after);
            for (int i = 0; i < count; i++)
                likely += after[i].weight;
        }
    emira_put(layout, place, EMIRA_BOUND);
    return likely;
}

/* Adds what a sight makes of a layout. */
static inline void emira_change(const emira_layouts *all, const emira_layout *before, const emira_seen *seen,
                                emira_changed *changed)
{
    emira_layout layout = *before, ways[8];
    uint8_t *token = layout.token, places[3] = {0};
    uint32_t turned = 0;
    int count = 0;
    layout.weight = 1.0;
    switch (seen->what) {
    case EMIRA_BUYS: emira_change_by_buy(all, before, seen, changed); return;
    case EMIRA_KEEPS: emira_change_by_keeping(all, before, seen, changed); return;
    case EMIRA_PLAYS: emira_change_by_play(all, before, seen, changed); return;
    case EMIRA_SEE:
        count = emira_sights(all, before, seen->cards, 1, seen->place, ways);
        for (int i = 0; i < count; i++)
            emira_add(changed, &ways[i], before->weight);
        return;
    case EMIRA_REORDER:
        for (int order = 0; order < (seen->count == 3 ? 6 : seen->count); order++) {
            if (seen->count > 1)
                emira_permutation(seen->count == 3 ? 2 + order : order, places);
            for (int i = 0; i < seen->count; i++)
                token[i] = before->token[places[i]];
            count = emira_sights(all, &layout, seen->cards, seen->card ? seen->count : 0, 0, ways);
            for (int i = 0; i < count; i++)
                emira_add(changed, &ways[i], before->weight);
        }
        return;
    case EMIRA_SHIFT:
        memmove(token, token + 1, (size_t)all->deck - 1);
        token[all->deck - 1] = 0;
        break;
    case EMIRA_OF_SORT: layout.weight = emira_bind(all, &layout, seen->place); break;
    case EMIRA_TURN: token[seen->place] ^= EMIRA_LIES_TURNED; break;
    case EMIRA_LIE:
        for (int place = 0; place < all->deck; place++)
            turned |= (uint32_t)(token[place] >= EMIRA_LIES_TURNED) << (place & 31);
        layout.weight = turned == seen->places ? 1.0 : 0.0;
        break;
    case EMIRA_UNDER:
        for (int i = 0; i < seen->count; i++) {
            token[all->deck + i] = seen->count == 1 ? seen->cards[0] : (uint8_t)(EMIRA_GROUP + all->groups);
            if (seen->count > 1)
                token[EMIRA_GROUP_OF + seen->cards[i]] = (uint8_t)(all->groups + 1);
        }
        break;
    case EMIRA_TO_BOTTOM: emira_move_last(all, &layout, seen->place); break;
    default: /* EMIRA_MIX */
        memset(token, EMIRA_FREE, (size_t)all->deck - 1);
        token[all->deck - 1] = 0;
        break;
    }
    emira_add(changed, &layout, before->weight);
}

/* Sorts what a change made by weight, the likeliest first, equal ones as they were; returns the order. */
static inline const uint16_t *emira_sort(emira_changed *changed)
{
    int from = 0, count = changed->count;
    for (int i = 0; i < count; i++)
        changed->order[0][i] = (uint16_t)i;
    for (int width = 1; width < count && count > EMIRA_LAYOUTS; width *= 2, from = !from)
        for (int left = 0; left < count; left += 2 * width) {
            const uint16_t *order = changed->order[from];
            int middle = left + width < count ? left + width : count, end = middle + width < count ? middle + width : count;
            int first = left, second = middle;
            for (int at = left; at < end; at++) {
                int is_second = first == middle;
                if (first < middle && second < end)
                    is_second = changed->layout[order[second]].weight > changed->layout[order[first]].weight;
                changed->order[!from][at] = order[is_second ? second++ : first++];
            }
        }
    return changed->order[from];
}

/* Replaces every layout by those that a sight makes of it, of very many the likeliest. If none remains, since the true one has
   been left out, all is forgotten. Returns 0, with nothing changed, if not even then one remains. */
static inline int emira_each(emira_layouts *all, const emira_seen *seen, emira_changed *changed)
{
    emira_layout forgotten;
    const uint16_t *order;
    double total = 0.0;
    changed->count = changed->full = 0;
    for (int i = 0; i < all->count; i++)
        emira_change(all, &all->layout[i], seen, changed);
    if (changed->count == 0) {
        emira_forget(all, &forgotten);
        emira_change(all, &forgotten, seen, changed);
    }
    if (changed->count == 0 || changed->full)
        return 0;
    order = emira_sort(changed);
    all->count = changed->count < EMIRA_LAYOUTS ? changed->count : (int)EMIRA_LAYOUTS;
    for (int i = 0; i < all->count; i++)
        total += changed->layout[order[i]].weight;
    for (int i = 0; i < all->count; i++) {
        all->layout[i] = changed->layout[order[i]];
        all->layout[i].weight /= total;
    }
    return 1;
}

#endif
