/* Plays its choices on in hundreds of worlds that its view allows, and takes the one that promises most to finish ahead:
   emira_search.h has the search, emira.h the rules, emira_weights.h what both go by. */
#define KIT_VERSION "1"
#include "kit.h"
#include "emira.h"
#include "lottery.h"
#include "emira_search.h"
#include "emira_weights.h"

enum { CHOICES_MOST = 2000 }; /* more than any question has */

/* Chooses; 0 for whatever is odd. */
static long choose(const kit_decide *decide, const kit_match *match, void *own)
{
    static emira_view view;
    static emira_knowledge knowledge;
    unsigned char secret[ARENA_SECRET];
    emira_rules rules;
    emira_effort effort;
    int seats;
    (void)own;
    if (decide->choices > CHOICES_MOST || emira_read_hello(match->hello, &rules, &seats) != EMIRA_OK)
        return 0;
    if (emira_read_view(decide->view, &rules, &view) != EMIRA_OK || view.table.seats != seats)
        return 0;
    if (!lottery("worlds", match->seed, decide->view, secret))
        return 0;
    effort = weights_of_effort(seats);
    return search(&rules, &view, &knowledge, (int)decide->choices, lottery_seed(secret), &effort);
}

int main(void)
{
    return kit_play("strong-emira", choose, NULL);
}
