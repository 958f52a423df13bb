/* The rules in C as a library for Python: khiva_arena/crules calls it. It needs nothing of the system but memcpy and its like. */
#include "emira.h"
#include "khiva.h"
#include "silk_road.h"

#define EXPORTED __attribute__((visibility("default")))

#define GAME khiva
#define MOST KHIVA_SEATS
#define LEARNS
#include "trainer_calls.h"
#undef GAME
#undef MOST
#undef LEARNS

#define GAME emira
#define MOST EMIRA_SEATS
#include "trainer_calls.h"
#undef GAME
#undef MOST

#define GAME silk_road
#define MOST SILK_ROAD_SEATS
#include "trainer_calls.h"
#undef GAME
#undef MOST

EXPORTED void arena_lib_stream(arena_stream *stream, const unsigned char *secret, const char *label, int quick)
{
    arena_open(stream, secret, quick, &label, 1);
}

EXPORTED uint64_t arena_lib_u64(arena_stream *stream)
{
    return arena_u64(stream);
}
