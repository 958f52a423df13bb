/* Imagines six worlds and looks a turn ahead in each of them: search.h has the search, khiva.h the rules. It chooses the
   same as bots/python/search in every position. */
#define KIT_VERSION "1"
#include "kit.h"
#include "khiva.h"
#include "lottery.h"
#include "search.h"

static long choose(const kit_decide *decide, const kit_match *match, void *own)
{
    static khiva_view view;
    khiva_rules rules;
    int seats;
    unsigned char secret[ARENA_SECRET];
    (void)own;
    if (khiva_read_hello(match->hello, &rules, &seats) != KHIVA_OK)
        return 0;
    if (khiva_read_view(decide->view, &rules, &view) != KHIVA_OK)
        return 0;
    return lottery("search", match->seed, decide->view, secret) ? search(&view, &rules, secret) : 0;
}

int main(void)
{
    return kit_play("search-c", choose, NULL);
}
