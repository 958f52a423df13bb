/* Any legal choice, each equally likely. Plays every game; equal seeds give equal choices. */
#include "kit.h"

static long choose(const kit_decide *decide, const kit_match *match, void *own)
{
    uint64_t *state = own;
    if (*state == 0) /* not begun */
        *state = match->seed + 1;
    return (long)kit_below(state, decide->choices);
}

int main(void)
{
    uint64_t state = 0;
    return kit_play("random-c", choose, &state);
}
