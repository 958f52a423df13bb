/* The chance to finish ahead of another seat in a position of Silk Road, and what things are worth to the policy. The weights of
   the chance were fitted to 12,000 matches of the policy with itself at each seat count, by logistic regressions of who finished
   ahead of whom; what things are worth was tuned by such matches at all seat counts. The programs were written for the purpose
   and thrown away. C99 and C++17. */
#ifndef SILK_ROAD_OUTLOOK_H
#define SILK_ROAD_OUTLOOK_H

#include "searching.h"
#include "silk_road_policy.h"

/* What counts for a seat, in the order of the weights. */
enum {
    SILK_ROAD_BY_SCORE, SILK_ROAD_BY_DISPLAY, SILK_ROAD_BY_HAND, SILK_ROAD_BY_COLOURLESS, /* one or two of these jewels */
    SILK_ROAD_BY_DRIVER = SILK_ROAD_BY_COLOURLESS + 2,
    SILK_ROAD_BY_JEWELS,  /* what a jewel of the bag brings on average */
    SILK_ROAD_BY_MARKETS, /* what large markets promise, by the steps to go: 1, 2, 3, 4, 5 or 6, more */
    SILK_ROAD_BY_WAIT = SILK_ROAD_BY_MARKETS + 6, /* turns until its own */
    SILK_ROAD_BY_SQUARES, /* a tenth of the squares of its cards laid out, by good */
    SILK_ROAD_FACTORS
};

enum { SILK_ROAD_PHASES = 4, SILK_ROAD_FEW = 4, SILK_ROAD_SOME = 9 }; /* by the jewels in the bag */

static const silk_road_weights silk_road_worth = {
    0.686, {1.08, 0.495, 0.41, 0.252, 0.194, 0.152, 0.119, 0.093, 0.072, 0.056, 0.043, 0.033}, {1.515, 1.743, 3.082},
    0.448, 0.252, 0.71, 1.802, 0.404, 3.0, 0.165, 18, 60, 10};

/* By seats, from 2; by phase, the end first; by factor. */
static const double silk_road_factors[SILK_ROAD_SEATS - 1][SILK_ROAD_PHASES][SILK_ROAD_FACTORS] = {
    {{0.391, 0.053, 0.123, 0.056, 0.302, 0.107, 0.000, 0.358, 0.335, 0.273, 0.277, 0.249, 0.190, -0.389, 0.095},
     {0.300, 0.175, 0.111, 0.138, 0.357, 0.058, 0.137, 0.169, 0.156, 0.148, 0.136, 0.112, 0.097, -0.328, -0.053},
     {0.250, 0.211, 0.134, 0.159, 0.250, 0.025, 0.466, 0.084, 0.093, 0.076, 0.043, 0.050, 0.042, -0.328, -0.034},
     {0.226, 0.313, 0.176, 0.070, 0.111, 0.032, 0.524, 0.065, 0.053, 0.058, 0.055, 0.017, 0.003, -0.362, -0.093}},
    {{0.477, 0.040, 0.131, 0.058, 0.284, 0.135, 0.000, 0.372, 0.316, 0.325, 0.269, 0.226, 0.208, -0.272, 0.264},
     {0.353, 0.238, 0.143, 0.061, 0.389, 0.083, 0.123, 0.168, 0.150, 0.145, 0.112, 0.094, 0.085, -0.272, 0.018},
     {0.314, 0.340, 0.168, 0.122, 0.281, 0.048, 0.449, 0.087, 0.078, 0.070, 0.054, 0.055, 0.026, -0.284, -0.048},
     {0.281, 0.392, 0.172, 0.083, 0.102, 0.045, 0.505, 0.080, 0.075, 0.041, 0.031, 0.016, -0.001, -0.286, -0.070}},
    {{0.560, 0.069, 0.137, 0.030, 0.266, 0.155, 0.000, 0.377, 0.356, 0.293, 0.280, 0.266, 0.212, -0.232, 0.341},
     {0.425, 0.246, 0.153, 0.047, 0.397, 0.101, 0.120, 0.206, 0.177, 0.141, 0.125, 0.103, 0.081, -0.226, 0.106},
     {0.351, 0.388, 0.167, 0.108, 0.320, 0.058, 0.516, 0.100, 0.096, 0.078, 0.052, 0.049, 0.034, -0.239, -0.060},
     {0.317, 0.435, 0.174, 0.098, 0.177, 0.050, 0.603, 0.106, 0.086, 0.072, 0.029, 0.026, -0.000, -0.240, -0.061}},
    {{0.668, 0.068, 0.139, 0.023, 0.183, 0.193, 0.000, 0.411, 0.381, 0.346, 0.277, 0.274, 0.217, -0.193, 0.481},
     {0.498, 0.254, 0.133, 0.034, 0.375, 0.130, 0.146, 0.235, 0.212, 0.178, 0.135, 0.119, 0.092, -0.189, 0.163},
     {0.412, 0.396, 0.161, 0.056, 0.380, 0.087, 0.545, 0.135, 0.121, 0.094, 0.080, 0.045, 0.040, -0.202, 0.086},
     {0.368, 0.492, 0.170, 0.103, 0.314, 0.063, 0.684, 0.126, 0.096, 0.059, 0.041, 0.020, -0.020, -0.211, -0.028}}};

/* Returns the phase of a match. */
static inline int silk_road_phase(const silk_road_state *s)
{
    if (s->ending != SILK_ROAD_GOES_ON)
        return 0;
    return s->bag[0] <= SILK_ROAD_FEW ? 1 : s->bag[0] <= SILK_ROAD_SOME ? 2 : 3;
}

/* Returns what all things that a seat has promise it, but for the markets. */
static inline double silk_road_possessions(const silk_road_rules *rules, const silk_road_state *s, int seat,
                                           const double *weights)
{
    int held = s->colourless[seat] < 2 ? s->colourless[seat] : 2, squares = 0, gains = 0;
    double points = weights[SILK_ROAD_BY_SCORE] * silk_road_score(rules, s, seat);
    for (int good = 0; good < SILK_ROAD_GOODS; good++)
        squares += s->display[seat][good] * s->display[seat][good];
    for (int i = 1; i <= s->bag[0]; i++)
        gains += silk_road_jewel_gain(s->jewels[seat], s->bag[i]);
    points += weights[SILK_ROAD_BY_DISPLAY] * silk_road_sum(s->display[seat]);
    points += weights[SILK_ROAD_BY_HAND] * silk_road_sum(s->hand[seat]);
    points += held > 0 ? weights[SILK_ROAD_BY_COLOURLESS + held - 1] : 0.0;
    points += weights[SILK_ROAD_BY_DRIVER] * s->drivers[seat];
    points += s->bag[0] > 0 ? weights[SILK_ROAD_BY_JEWELS] * gains / s->bag[0] : 0.0;
    points += weights[SILK_ROAD_BY_WAIT] * ((seat + s->seats - s->active) % s->seats);
    return points + weights[SILK_ROAD_BY_SQUARES] * squares / 10.0;
}

/* Writes how a match stands for each seat: of two, the difference tells who is likely to finish ahead. All hands are seen. */
static inline void silk_road_stand(const silk_road_weights *worth, const silk_road_chart *chart, const silk_road_rules *rules,
                                   const silk_road_state *s, double stand[SILK_ROAD_SEATS])
{
    const double *weights = silk_road_factors[s->seats - 2][silk_road_phase(s)];
    int strength[SILK_ROAD_SEATS][SILK_ROAD_GOODS];
    for (int seat = 0; seat < s->seats; seat++) {
        stand[seat] = silk_road_possessions(rules, s, seat, weights);
        for (int good = 0; good < SILK_ROAD_GOODS; good++)
            strength[seat][good] = SILK_ROAD_WHOLE * s->display[seat][good] + worth->own * s->hand[seat][good];
    }
    for (int i = 0; i < SILK_ROAD_SIZES; i++) {
        static const uint8_t group[] = {0, 0, 1, 2, 3, 4, 4, 5};
        double gains[SILK_ROAD_SEATS];
        int steps;
        if (s->place[i] == SILK_ROAD_GONE)
            continue;
        steps = chart->steps[s->target[i]][s->place[i]];
        silk_road_market_gains(worth, s, i, (const int(*)[SILK_ROAD_GOODS])strength, gains);
        for (int seat = 0; seat < s->seats; seat++)
            stand[seat] += weights[SILK_ROAD_BY_MARKETS + group[steps < 7 ? steps : 7]] * gains[seat];
    }
}

/* Returns the chance to finish ahead of another seat, on average over the others. */
static inline double silk_road_chance(const silk_road_weights *worth, const silk_road_chart *chart, const silk_road_rules *rules,
                                      const silk_road_state *s, int me)
{
    double stand[SILK_ROAD_SEATS], sum = 0.0;
    int ranks[SILK_ROAD_SEATS];
    if (silk_road_is_over(s))
        silk_road_ranks(rules, s, ranks);
    else
        silk_road_stand(worth, chart, rules, s, stand);
    for (int seat = 0; seat < s->seats; seat++)
        if (seat != me)
            sum += silk_road_is_over(s) ? (ranks[me] < ranks[seat]) + 0.5 * (ranks[me] == ranks[seat])
                                        : logistic(stand[me] - stand[seat]);
    return sum / (s->seats - 1);
}

#endif
