/* Looks one turn ahead, from the view alone: for each card, how likely it wins its camel and what that would bring.
   bots/python/shared/policy.py in C: it chooses the same in every position. */
#include <math.h>

#include "evaluate.h"
#define KIT_VERSION "1"
#include "kit.h"

#define TEMPER 2.0 /* points of difference at which another seat is e times as likely to play the better of two cards */
#define KEEP 0.3   /* what is kept for later turns */
#define GIVE 0.3   /* what the left neighbour may do with what is passed to it */
#define REJECTED GEM

typedef struct {
    int count, code[32];
} cards;

static cards read_cards(kit_cursor *list)
{
    cards read = {0, {0}};
    for (uint32_t left = kit_array(list); left > 0; left--) {
        kit_array(list);
        int colour = (int)kit_int(list), value = (int)kit_int(list);
        if (read.count < 32)
            read.code[read.count++] = 10 * colour + value;
    }
    return read;
}

static cards find_cards(kit_cursor view, const char *key)
{
    kit_cursor list;
    return kit_find(view, key, &list) ? read_cards(&list) : (cards){0, {0}};
}

/* A list of whole numbers, at most `room` of them; returns how many. */
static int find_ints(kit_cursor view, const char *key, int *out, int room)
{
    kit_cursor list;
    int count = 0, all = kit_find(view, key, &list) ? (int)kit_array(&list) : 0;
    while (count < all && count < room)
        out[count++] = (int)kit_int(&list);
    return count;
}

static int read_place(kit_cursor *at)
{
    int path = (int)kit_int(at), shop = (int)kit_int(at);
    return shop ? 6 * path + shop : TENT;
}

static void read_rules(kit_cursor rules, board *b)
{
    kit_cursor list;
    char word[32];
    kit_find_str(rules, "khiva_spaces", word, sizeof word);
    b->own_tent = strcmp(word, "own_tent") == 0;
    kit_find_str(rules, "overshoot", word, sizeof word);
    b->no_move = strcmp(word, "no_move") == 0;
    if (kit_find(rules, "gem_slots", &list) && kit_array(&list) == CAMELS)
        for (int i = 0; i < CAMELS * 5; i++) {
            if (i % 5 == 0)
                kit_array(&list);
            b->slots[i / 5][i % 5] = (int)kit_int(&list);
        }
}

static board read_board(kit_cursor view, const kit_match *match)
{
    board b = {.seats = (int)kit_find_int(view, "seats", 0)};
    kit_cursor list;
    int loads[CAMELS] = {0};
    if (kit_find(match->hello, "rules", &list))
        read_rules(list, &b);
    if (kit_find(view, "camels", &list) && kit_array(&list) == CAMELS)
        for (int camel = 0; camel < CAMELS; camel++) {
            kit_array(&list);
            b.camels[camel] = read_place(&list);
            loads[camel] = (int)kit_int(&list);
        }
    find_ints(view, "gems", b.gems, SEATS);
    find_ints(view, "salts_left", &b.salt, 1);
    if (kit_find(view, "carpets", &list))
        kit_array(&list);
    for (int seat = 0; seat < b.seats; seat++) {
        cards held = read_cards(&list);
        memcpy(b.cargo[seat], loads, sizeof loads);
        for (int i = 0; i < held.count; i++)
            b.cargo[seat][held.code[i] / 10] += held.code[i] % 10;
        for (int camel = 0; camel < CAMELS; camel++)
            b.now[seat][camel] = UNKNOWN;
        for (int code = 0; code < CODES; code++)
            b.worth[seat][code] = UNKNOWN;
    }
    return b;
}

/* e to the power of points / TEMPER, near enough, and the same on every machine. */
static double appeal(double points)
{
    double x = 1.0 + points / TEMPER / 1024.0;
    for (int i = 0; i < 10; i++)
        x *= x;
    return x;
}

/* The seats that may hold each card that this seat passed on, as a mask; 0 for all other cards. Returns how many there are. */
static int read_known(kit_cursor view, unsigned known[CODES])
{
    kit_cursor list;
    int count = 0;
    for (uint32_t left = kit_find(view, "passed", &list) ? kit_array(&list) : 0; left > 0; left--) {
        kit_array(&list);
        kit_skip(&list); /* the turn */
        kit_array(&list);
        int colour = (int)kit_int(&list), value = (int)kit_int(&list), code = 10 * colour + value;
        count += known[code] == 0;
        known[code] = 0;
        for (uint32_t seats = kit_array(&list); seats > 0; seats--)
            known[code] |= 1u << kit_int(&list);
    }
    return count;
}

static int ones(unsigned mask)
{
    int count = 0;
    for (; mask; mask &= mask - 1)
        count++;
    return count;
}

/* For each card not seen: how likely another seat plays it this turn. */
static void rivals(kit_cursor view, board *b, int me, const cards *hand, double risk[CODES])
{
    const cards seen[3] = {*hand, find_cards(view, "discard"), find_cards(view, "shown")};
    unsigned known[CODES] = {0};
    int is_seen[CODES] = {0}, hidden[25], count = 0, hands[SEATS] = {0}, plays = b->seats == 2 ? 2 : 1;
    for (int list = 0; list < 3; list++)
        for (int i = 0; i < seen[list].count; i++)
            is_seen[seen[list].code[i]] = 1;
    for (int i = 0; i < 25; i++)
        if (!is_seen[10 * (i / 5) + i % 5 + 1])
            hidden[count++] = 10 * (i / 5) + i % 5 + 1;
    int free_cards = count - read_known(view, known);
    find_ints(view, "hands", hands, SEATS);
    for (int seat = 0; seat < b->seats; seat++) {
        double weights[25], usual = 0.0;
        if (seat == me)
            continue;
        for (int i = 0; i < count; i++)
            weights[i] = appeal(card_worth(b, seat, hidden[i]));
        for (int i = 0; i < count; i++)
            usual += weights[i] / count;
        for (int i = 0; i < count; i++) {
            double holds = (double)hands[seat] / (free_cards > 1 ? free_cards : 1), picks;
            unsigned holders = known[hidden[i]];
            if (holds > 1.0)
                holds = 1.0;
            if (holders)
                holds = holders >> seat & 1 ? 1.0 / ones(holders) : 0.0;
            picks = plays * weights[i] / (weights[i] + (hands[seat] - 1) * usual);
            risk[hidden[i]] = 1.0 - (1.0 - risk[hidden[i]]) * (1.0 - holds * (picks > 1.0 ? 1.0 : picks));
        }
    }
}

static long play_pass(const kit_decide *decide, board *b, int me)
{
    cards hand = find_cards(decide->view, "hand");
    double risk[CODES] = {0}, worth[CODES] = {0}, given[CODES] = {0}, all_kept = 0.0, best = 0.0;
    kit_cursor legal = decide->legal;
    long chosen = 0;
    rivals(decide->view, b, me, &hand, risk);
    for (int i = 0; i < hand.count; i++) {
        int card = hand.code[i];
        double win = 1.0;
        for (int value = 1; value < card % 10; value++)
            win *= 1.0 - risk[card - card % 10 + value];
        worth[card] = win * card_worth(b, me, card) + (1.0 - win) * REJECTED;
        given[card] = card_worth(b, (me + 1) % b->seats, card);
    }
    for (int i = 0; i < hand.count; i++)
        all_kept += KEEP * worth[hand.code[i]];
    kit_array(&legal);
    for (uint32_t entry = 0; entry < decide->choices; entry++) {
        int card[8] = {0}, size = (int)kit_array(&legal), half = size / 2;
        double points = all_kept;
        for (int i = 0; i < size && i < 8; i++)
            card[i] = hand.code[kit_int(&legal) & 31];
        for (int i = 0; i < half; i++) {
            /* Two cards of a seat on one camel: the higher one is rejected, whatever the others do. */
            int beaten = 0;
            for (int j = 0; j < half; j++)
                beaten |= card[i] / 10 == card[j] / 10 && card[i] > card[j];
            points += (beaten ? REJECTED : worth[card[i]]) - KEEP * worth[card[i]];
        }
        for (int i = half; i < size; i++)
            points -= KEEP * worth[card[i]] + GIVE * given[card[i]];
        points = floor(points * 1e6 + 0.5); /* in millionths, so that the last bit of a sum never decides */
        if (entry == 0 || points > best) {
            best = points;
            chosen = (long)entry;
        }
    }
    return chosen;
}

/* How many gems to spend: the index into `lands` is the number. */
static long boost(kit_cursor view, board *b)
{
    kit_cursor ask, lands;
    double best = 0.0;
    long chosen = 0;
    if (!kit_find(view, "ask", &ask) || !kit_find(ask, "lands", &lands))
        return 0;
    int seat = (int)kit_find_int(ask, "seat", 0), camel = (int)kit_find_int(ask, "camel", 0), count = (int)kit_array(&lands);
    for (int gems = 0; gems < count; gems++) {
        kit_array(&lands);
        double worth = landing(b, seat, camel, read_place(&lands), gems);
        if (gems == 0 || worth > best) {
            best = worth;
            chosen = gems;
        }
    }
    return chosen;
}

/* Salt when it can be had; else what is usual. */
static long other(const kit_decide *decide)
{
    kit_cursor legal = decide->legal;
    kit_array(&legal);
    for (uint32_t entry = 0; entry < decide->choices; entry++) {
        uint32_t size;
        kit_array(&legal);
        const char *word = kit_str(&legal, &size);
        if (size == 4 && memcmp(word, "salt", 4) == 0)
            return (long)entry;
    }
    return 0;
}

static long choose(const kit_decide *decide, const kit_match *match, void *own)
{
    (void)own;
    if (strcmp(decide->kind, "play_pass") != 0 && strcmp(decide->kind, "boost") != 0)
        return other(decide);
    board b = read_board(decide->view, match);
    return decide->kind[0] == 'b' ? boost(decide->view, &b) : play_pass(decide, &b, (int)kit_find_int(decide->view, "seat", 0));
}

int main(void)
{
    return kit_play("greedy-c", choose, NULL);
}
