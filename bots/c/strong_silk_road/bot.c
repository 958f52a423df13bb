/* Imagines worlds and plays its promising choices on for a round in each: silk_road_search.h has the search, silk_road_policy.h
   how everybody is thought to choose, silk_road_outlook.h what a position is worth, silk_road.h the rules. */
#define KIT_VERSION "1"
#include "kit.h"
#include "silk_road.h"
#include "silk_road_search.h"

/* Makes the seed of the bot's own chance from the match's seed and the bytes of the view. */
static uint64_t own_seed(uint64_t seed, kit_cursor view)
{
    unsigned char number[8], digest[ARENA_SECRET];
    const unsigned char *from = view.at;
    uint64_t own = 0;
    arena_sha256 sum;
    kit_skip(&view);
    arena_sha256_begin(&sum);
    for (int i = 0; i < 8; i++)
        number[i] = (unsigned char)(seed >> 8 * i);
    arena_sha256_add(&sum, number, sizeof number);
    arena_sha256_add(&sum, from, (size_t)(view.at - from));
    arena_sha256_end(&sum, digest);
    for (int i = 0; i < 8; i++)
        own = own << 8 | digest[i];
    return own;
}

/* Chooses; 0 for whatever is odd. */
static long choose(const kit_decide *decide, const kit_match *match, void *own)
{
    silk_road_mind *mind = (silk_road_mind *)own;
    static int seats = 0; /* 0 until the hello is read */
    if (seats == 0) {
        if (silk_road_read_hello(match->hello, &mind->rules, &seats) != SILK_ROAD_OK)
            return seats = 0;
        silk_road_measure(&mind->rules, &mind->chart);
    }
    if (silk_road_read_view(decide->view, &mind->rules, &mind->view) != SILK_ROAD_OK)
        return 0;
    return silk_road_search_choice(mind, decide->choices, own_seed(match->seed, decide->view));
}

int main(void)
{
    static silk_road_mind mind;
    return kit_play("strong-silk-road", choose, &mind);
}
