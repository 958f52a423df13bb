/* What searching bots of all games need: the best of many choices, and a chance from a difference of outlooks. Sums and products
   alone, so that both come out equal on every machine. C99 and C++17. */
#ifndef SEARCHING_H
#define SEARCHING_H

/* Writes the best of a list of worths, best first and of equal ones the first, and returns how many. A worth is greater than
   another one if it is so by more than `margin`. */
static inline int best_choices(const double *worth, int all, int *best, int most, double margin)
{
    int count = 0;
    for (int choice = 0; choice < all; choice++) {
        int at = count;
        while (at > 0 && worth[choice] > worth[best[at - 1]] + margin)
            at--;
        if (at == most)
            continue;
        count += count < most;
        for (int i = count - 1; i > at; i--)
            best[i] = best[i - 1];
        best[at] = choice;
    }
    return count;
}

/* Returns the logistic function, 1 / (1 + e to the power of -x), near enough. */
static inline double logistic(double x)
{
    double power = 1.0 - (x < -500.0 ? -500.0 : x > 500.0 ? 500.0 : x) / 1024.0;
    for (int i = 0; i < 10; i++)
        power *= power;
    return 1.0 / (1.0 + power);
}

#endif
