/* More calls of Khiva for bots in Python that search: khiva_arena/crules/khiva.py calls them. They are a part of the library of
   the rules (rules.c), and no part of the interpreter of Python in ticks, whose files are those of its release. */
#include "khiva.h"

#define EXPORTED __attribute__((visibility("default")))

enum { BY_HABIT = -1 }; /* the choice of a seat that does as the others do */

/* The worth of what makes no points yet. With the numbers of khiva_leads an attempt is equal to khiva_try. */
typedef struct {
    double gem, gems; /* of each of the first so many gems, beside the point that it is */
    double carpet;    /* of each point of a carpet that is not delivered */
    double load;      /* of each point of a teapot on the seat's path */
    double way;       /* of each point of it, for each shop that it has come */
    double card;      /* of each card in the hand, for each point that its value is below 3 */
} judgement;

/* Writes how far each seat is ahead of the others on average, as khiva_leads does, by other weights. */
static void judge(const khiva_rules *rules, const khiva_state *s, const judgement *by, double leads[KHIVA_SEATS])
{
    double total = 0.0;
    for (int seat = 0; seat < s->seats; seat++) {
        leads[seat] = khiva_score(rules, s, seat);
        if (s->kind != KHIVA_OVER) {
            leads[seat] += by->gem * (s->gems[seat] < by->gems ? s->gems[seat] : by->gems);
            leads[seat] += by->carpet * khiva_sum_carpets(s->carpets[seat]);
            for (int camel = 0; camel < KHIVA_CAMELS; camel++)
                if (s->place[camel] % 6 && s->place[camel] / 6 == seat)
                    leads[seat] += (by->load + by->way * (s->place[camel] % 6)) * s->load[camel];
            for (int i = 1; i <= s->hand[seat][0]; i++)
                leads[seat] += by->card * (3 - khiva_value(s->hand[seat][i]));
        }
        total += leads[seat];
    }
    for (int seat = 0; seat < s->seats; seat++)
        leads[seat] = (s->seats * leads[seat] - total) / (s->seats - 1);
}

/* Teaches habits what the choices of a playout were good for: deeds and leads by turn, so many of them. */
static void learn(khiva_habits *habits, const khiva_deed deeds[KHIVA_DEPTH][KHIVA_DEEDS], const int counts[KHIVA_DEPTH],
                  const double leads[KHIVA_DEPTH + 1][KHIVA_SEATS], int turns)
{
    for (int at = 0; at < turns; at++) {
        const double *after = leads[at + KHIVA_CREDIT < turns ? at + KHIVA_CREDIT : turns];
        for (int i = 0; i < counts[at]; i++) {
            const khiva_deed *deed = &deeds[at][i];
            for (int j = 0; j < deed->count; j++) {
                habits->sum[deed->seat][deed->keys[j]] += after[deed->seat] - leads[at][deed->seat];
                habits->tries[deed->seat][deed->keys[j]] += 1.0;
            }
        }
    }
}

/* Plays on as khiva_try does, by other weights. The seat may choose by habit, too: then it need not be asked. */
static double attempt(const khiva_rules *rules, khiva_state *s, khiva_habits *habits, int seat, int choice, int turns,
                      arena_stream *stream, const judgement *by)
{
    double leads[KHIVA_DEPTH + 1][KHIVA_SEATS];
    khiva_deed deeds[KHIVA_DEPTH][KHIVA_DEEDS];
    int counts[KHIVA_DEPTH] = {0}, begun = 0, first = choice != BY_HABIT, turn = s->turn;
    if (first && (!(khiva_asked(rules, s) >> seat & 1) || choice < 0 || choice >= khiva_choices(rules, s, seat)))
        return 0.0;
    judge(rules, s, by, leads[0]);
    while (s->kind != KHIVA_OVER && begun < turns) {
        int choices[KHIVA_SEATS] = {0};
        unsigned asked = khiva_asked(rules, s);
        for (int other = 0; other < s->seats; other++)
            if (asked >> other & 1) {
                khiva_deed *deed = &deeds[begun][counts[begun]++];
                if (first && other == seat)
                    choices[other] = choice, khiva_do(rules, s, other, choice, deed);
                else
                    choices[other] = khiva_habit(rules, s, habits, other, begun ? KHIVA_LOTS : KHIVA_LOTS_FIRST, stream, deed);
            }
        first = 0;
        khiva_play(rules, s, NULL, choices);
        if (s->turn != turn || s->kind == KHIVA_OVER) {
            turn = s->turn;
            judge(rules, s, by, leads[++begun]);
        }
    }
    learn(habits, (const khiva_deed(*)[KHIVA_DEEDS])deeds, counts, (const double(*)[KHIVA_SEATS])leads, begun);
    return leads[begun][seat];
}

/* Tries choices of a seat, each in a copy of a position, in their order, and writes the leads. turns: 1 to KHIVA_DEPTH. */
EXPORTED void khiva_lib_attempt_all(const khiva_rules *rules, const khiva_state *s, khiva_habits *habits, int seat,
                                    const int *choices, int count, int turns, arena_stream *stream, const judgement *by,
                                    double *leads)
{
    for (int i = 0; i < count; i++) {
        khiva_state copy = *s;
        leads[i] = attempt(rules, &copy, habits, seat, choices[i], turns, stream, by);
    }
}

/* Writes the cards of a seat in the order of its hand, and returns how many it has. */
EXPORTED int khiva_lib_hand(const khiva_state *s, int seat, int cards[KHIVA_HAND])
{
    for (int i = 0; i < s->hand[seat][0]; i++)
        cards[i] = khiva_code(s->hand[seat][1 + i]);
    return s->hand[seat][0];
}

/* Writes how often a seat did a deed, and what it gained by it in all. The kinds of deeds: 0 plays a card, 1 passes it on (a: its
   colour, b: its value), 2 brings a camel (a) to a place (b), 3 answers a question of the kind a with b, a number of its entry. */
EXPORTED void khiva_lib_deed(const khiva_habits *habits, int seat, int kind, int a, int b, double found[2])
{
    int keys[4] = {khiva_card(a, b), KHIVA_CARDS + khiva_card(a, b), 80 + 32 * a + b, 2 * KHIVA_CARDS + 4 * a + b};
    found[0] = habits->tries[seat][keys[kind]];
    found[1] = habits->sum[seat][keys[kind]];
}
