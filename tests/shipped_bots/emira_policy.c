/* A bot for test_strong_emira.py: the policy of the strong bot with the weights of greedy_emira, so that both can be compared. */
#include "kit.h"
#include "emira.h"
#include "emira_policy.h"

/* Chooses by the policy in one world of the view. */
static long choose(const kit_decide *decide, const kit_match *match, void *own)
{
    static const emira_weights greedy = {
        0.9, 20.0, 500.0, 0.15, 900.0, 250.0, 180.0, 900.0, {9.0, 9.0, 6.0}, 160.0, 0.4, {0.5, 0.3, 0.15, 0.05}, 0.1, 350.0,
        150.0,
        60.0, 1000.0, 300.0, 4.0, 0.4, 250.0, 150.0, 600.0, 0.0, 0.0, 1.0, 0.0};
    static emira_view view;
    static emira_knowledge knowledge;
    emira_player player;
    emira_rules rules;
    emira_state world;
    arena_stream stream;
    int seats;
    (void)own;
    arena_stream_quick(&stream, 1);
    if (emira_read_hello(match->hello, &rules, &seats) || emira_read_view(decide->view, &rules, &view)
        || emira_think(&knowledge, &rules, &view) || emira_world(&world, NULL, &rules, &view, &knowledge, &stream))
        return -1;
    memset(&player, 0, sizeof player);
    player.rules = &rules;
    player.weights[view.seat] = &greedy;
    return policy_choose(&player, &world, view.seat);
}

int main(void)
{
    return kit_play("emira-policy", choose, NULL);
}
