/* A bot of Khiva that searches. It draws positions that its view allows and tries its choices in each of them: it plays on some
   turns to see what they were good for. khiva.h has the rules and those playouts, this file has the search and the time.

   All choices are tried in the same positions, so that none is luckier than another. From time to time the worse half of them is
   given up, until one is left. So most of the time goes to choices that are hard to tell apart. In the playouts everybody chooses
   by habit: a seat does again what served it well in playouts before (khiva_try). */
#define _POSIX_C_SOURCE 200809L
#define KIT_VERSION "1"
#include "kit.h"
#include "khiva.h"
#include <time.h>

/* A decision takes a twentieth of the turn and a five-hundredth of what is left in the bank. So the answer comes in time even
   where the machine is twenty times too busy, and the bank never runs out. */
#define TURN_SHARE 20
#define BANK_SHARE 500
/* Set it to 3000, say, to think for so many playouts instead, and not to look at the clock: such a match can be replayed. In an
   event with `--clock ticks` it can be replayed as it is, since the clock of a module counts what the module spent. */
#ifndef PLAYOUTS
#define PLAYOUTS 0
#endif

enum {
    CHOICES = 420, /* of a decision at most: 8 cards at two seats */
    TURNS = 4,     /* what a choice is good for shows within so many turns */
    LOOK = 8       /* playouts between two looks at the clock */
};

/* A choice that has not been given up, and the sum of its leads. */
typedef struct {
    int choice;
    double sum;
} candidate;

/* A decision that is being thought about. */
typedef struct {
    khiva_rules rules;
    khiva_view view;
    khiva_knowledge knowledge;
    khiva_habits habits;
    arena_stream chance;
    double began, most; /* milliseconds */
    long playouts;
} thinking;

/* Returns the time of a clock that never goes back. */
static double milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

/* Returns what part of the thinking is done, 1 or more at its end and where there is no time at all. */
static double done(const thinking *t)
{
    double spent = milliseconds() - t->began, most = t->most;
    if (PLAYOUTS > 0)
        spent = (double)t->playouts, most = PLAYOUTS;
    return spent < most ? spent / most : 1.0;
}

/* Tries candidates in one position, and writes how far ahead each leads. Returns how many there was time for. */
static int try_all(thinking *t, const candidate *candidates, int count, const khiva_state *world, double *leads)
{
    for (int i = 0; i < count; i++) {
        khiva_state state = *world;
        if (i > 0 && i % LOOK == 0 && done(t) >= 1.0)
            return i;
        leads[i] = khiva_try(&t->rules, &state, &t->habits, t->view.seat, candidates[i].choice, TURNS, &t->chance);
        t->playouts++;
    }
    return count;
}

/* Tells which of two candidates comes first: the better one, of equal ones the one of the lower number. */
static int compare(const void *one, const void *other)
{
    const candidate *a = (const candidate *)one, *b = (const candidate *)other;
    return a->sum != b->sum ? (a->sum < b->sum) - (a->sum > b->sum) : a->choice - b->choice;
}

/* Returns how often the worse half of so many candidates is given up until one is left. */
static int halvings(int count)
{
    return count > 1 ? 1 + halvings((count + 1) / 2) : 0;
}

/* Returns the best choice of so many; 0 for one alone, and where the view fits no position or has another number of choices. */
static int search(thinking *t, int count)
{
    candidate candidates[CHOICES];
    double leads[CHOICES];
    khiva_state world;
    int halved = 0, all = halvings(count), worlds = 0;
    if (count < 2)
        return 0;
    for (int i = 0; i < count; i++)
        candidates[i] = (candidate){i, 0.0};
    while (count > 1) {
        int tried;
        if (khiva_world(&world, NULL, &t->rules, &t->view, &t->knowledge, &t->chance) != KHIVA_OK)
            return 0;
        if (worlds == 0 && khiva_choices(&t->rules, &world, t->view.seat) != count)
            return 0;
        tried = try_all(t, candidates, count, &world, leads);
        if (tried == count || worlds == 0) { /* else the time is up amid a position, which counts for some and not for others */
            count = tried, worlds++;
            for (int i = 0; i < count; i++)
                candidates[i].sum += leads[i];
        }
        for (; count > 1 && done(t) * all >= halved + 1; halved++) {
            qsort(candidates, (size_t)count, sizeof *candidates, compare);
            count = (count + 1) / 2;
        }
    }
    return candidates[0].choice;
}

/* Returns the answer to a request: an index into its legal entries. */
static long choose(const kit_decide *decide, const kit_match *match, void *own)
{
    static thinking t;
    int seats, choice;
    (void)own;
    t.began = milliseconds();
    t.most = (double)decide->turn_ms / TURN_SHARE + (double)decide->bank_ms / BANK_SHARE;
    t.playouts = 0;
    if (decide->choices > CHOICES || khiva_read_hello(match->hello, &t.rules, &seats) != KHIVA_OK
        || khiva_read_view(decide->view, &t.rules, &t.view) != KHIVA_OK
        || khiva_think(&t.knowledge, &t.rules, &t.view) != KHIVA_OK)
        return 0;
    memset(&t.habits, 0, sizeof t.habits);
    arena_stream_quick(&t.chance, match->seed + (uint64_t)t.view.turn);
    choice = search(&t, (int)decide->choices);
    kit_note("%ld playouts in %.1f ms", t.playouts, milliseconds() - t.began);
    return choice;
}

int main(void)
{
    return kit_play("thinker-c", choose, NULL);
}
