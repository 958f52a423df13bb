/* Guesses what the others choose by the means by which it chooses itself, and takes what is likeliest to bring it ahead:
   khiva_strong.h has the search, khiva_outlook.h the judgement, khiva.h the rules. */
#define KIT_VERSION "1"
#include "kit.h"
#include "khiva.h"
#include "lottery.h"
#include "khiva_strong.h"

/* Chooses; 0 for whatever is odd. */
static long choose(const kit_decide *decide, const kit_match *match, void *own)
{
    static khiva_view view;
    khiva_rules rules;
    int seats;
    unsigned char secret[ARENA_SECRET];
    (void)own;
    if (khiva_read_hello(match->hello, &rules, &seats) != KHIVA_OK || khiva_read_view(decide->view, &rules, &view) != KHIVA_OK)
        return 0;
    if (view.seats != seats || !lottery("strong", match->seed, decide->view, secret))
        return 0;
    return search_strongly(&view, &rules, (int)decide->choices, lottery_seed(secret), OWN_WORLDS[seats], OTHERS_WORLDS[seats]);
}

int main(void)
{
    return kit_play("strong-khiva", choose, NULL);
}
