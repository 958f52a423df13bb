/* The fields of khiva_arena/env/fields.py, written as floats: each function writes one field and returns where the next begins.
   What is to be written is 0 already. C99 and C++17. */
#ifndef ARENA_NUMBERS_H
#define ARENA_NUMBERS_H

#include <stdint.h>

/* Writes a number as it is. */
static inline float *arena_put_number(float *at, int number)
{
    *at = (float)number;
    return at + 1;
}

/* Writes a 1 at one of so many places, nothing if the place is negative. */
static inline float *arena_put_one_of(float *at, int words, int place)
{
    if (place >= 0)
        at[place] = 1.0f;
    return at + words;
}

#endif
