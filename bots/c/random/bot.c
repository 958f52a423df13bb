/* Any legal choice, each equally likely; equal seeds give equal choices. Write your own choose. */
#define KIT_VERSION "1"
#include "kit.h"

static long choose(const kit_decide *decide, const kit_match *match, void *own)
{
    static uint64_t lots;
    static int begun;
    (void)own;
    if (!begun) {
        lots = match->seed;
        begun = 1;
    }
    return (long)kit_below(&lots, decide->choices);
}

int main(void)
{
    return kit_play("random-c", choose, NULL);
}
