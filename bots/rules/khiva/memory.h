/* What the seats of a match of Khiva have seen and its position no longer shows: views and numbers need it, playing does not. */
#ifndef KHIVA_MEMORY_H
#define KHIVA_MEMORY_H

#include "state.h"

/* The memory of all seats. Cards are 10 * colour + value; 0: a card that this memory does not know, as in a world of a view. */
typedef struct {
    int turns;                                     /* turns that were revealed */
    uint16_t away[KHIVA_SEATS][KHIVA_CARDS];       /* by giver and card: the turn of a pass since when it did not see it, or 0 */
    uint8_t played[KHIVA_TURNS_MOST * KHIVA_SEATS]; /* turn by turn, in it seat by seat, two for each of two seats */
    uint8_t passed[KHIVA_TURNS_MOST * KHIVA_SEATS]; /* in the same order, by the seat that passed */
} khiva_memory;

static inline void khiva_forget(khiva_memory *memory)
{
    memory->turns = 0;
    memset(memory->away, 0, sizeof memory->away);
}

/* Notes the cards that all seats play and pass in a turn; card: by seat, the cards played, then those passed. */
static inline void khiva_remember(khiva_memory *memory, int seats, int turn, uint8_t card[KHIVA_SEATS][4])
{
    int each = khiva_each(seats), at = memory->turns * seats * each;
    for (int seat = 0; seat < seats; seat++)
        for (int i = 0; i < each; i++, at++) {
            memory->passed[at] = (uint8_t)khiva_code(card[seat][each + i]);
            memory->played[at] = (uint8_t)khiva_code(card[seat][i]);
            memory->away[seat][card[seat][each + i]] = (uint16_t)turn;
            memory->away[(seat + 1) % seats][card[seat][each + i]] = 0;
            for (int other = 0; other < seats; other++)
                memory->away[other][card[seat][i]] = 0;
        }
    memory->turns++;
}

/* Writes the seats that may hold a card that `seat` passed in a turn and has not seen since, nearest first, and returns how many.
   done: turns that were revealed. A card moves on at most one seat a turn, and not in that of its pass; on the last turn of a
   deal it must move unless it was passed in it. */
static inline int khiva_holders(int seats, int done, int seat, int turn, uint8_t holders[KHIVA_SEATS])
{
    int per_deal = khiva_turns_per_deal(seats), count = 0;
    for (int i = done / per_deal - turn / per_deal; i <= done - turn && i < seats - 1; i++)
        holders[count++] = (uint8_t)((seat + 1 + i) % seats);
    return count;
}

#endif
