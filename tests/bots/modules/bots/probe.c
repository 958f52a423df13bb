/* A bot that asks for everything a module may ask for, with sound arguments and odd ones, before each answer. Whatever it is told
   goes into a sum: its choice follows from that, and its notes show it. So two runs that differ anywhere differ in what it does. */
#include "kit.h"

#define CALL(name, ...) int name(__VA_ARGS__) __attribute__((import_module("wasi_snapshot_preview1"), import_name(#name)))
CALL(args_get, int, int);
CALL(args_sizes_get, int, int);
CALL(environ_get, int, int);
CALL(environ_sizes_get, int, int);
CALL(clock_res_get, int, int);
CALL(clock_time_get, int, long long, int);
CALL(fd_read, int, int, int, int);
CALL(fd_write, int, int, int, int);
CALL(fd_close, int);
CALL(fd_seek, int, long long, int, int);
CALL(fd_fdstat_get, int, int);
CALL(fd_fdstat_set_flags, int, int);
CALL(fd_prestat_get, int, int);
CALL(fd_prestat_dir_name, int, int, int);
CALL(poll_oneoff, int, int, int, int);
CALL(random_get, int, int);
CALL(sched_yield, void);

#define BEYOND ((int)0xfffffff0u)
static unsigned char room[4096];
static uint64_t sum = 0xcbf29ce484222325u;

static void take(const void *data, size_t size)
{
    for (const unsigned char *at = data; size > 0; size--)
        sum = (sum ^ *at++) * 0x100000001b3u;
}

/* Take a call's error number and what it left in the room. */
static void told(int error)
{
    take(&error, sizeof error);
    take(room, 256);
}

static void put(size_t at, uint64_t value, size_t bytes)
{
    memcpy(room + at, &value, bytes);
}

static void files(uint64_t lots)
{
    int here = (int)(uintptr_t)room;
    for (int fd = -1; fd < 5; fd++) {
        memset(room, 7, 256);
        told(fd_seek(fd, 3, 0, here));
        told(fd_fdstat_get(fd, here));
        told(fd_fdstat_get(fd, BEYOND));
        told(fd_fdstat_set_flags(fd, (int)(lots & 1)));
        told(fd_prestat_get(fd, here));
        told(fd_prestat_dir_name(fd, here, 9));
        put(64, (uint64_t)(uintptr_t)room + 128, 4);
        put(68, fd == 2 ? 8 : 0, 4);
        told(fd_write(fd, here + 64, 1, here));
        told(fd_write(fd, here + 64, 1, BEYOND));
        told(fd_write(fd, BEYOND, 2, here));
        told(fd_write(fd, here, 1025, here));
        put(68, 0, 4);
        told(fd_read(fd, here + 64, 1, here));
        told(fd_read(fd, here + 64, 0, BEYOND));
    }
    told(fd_close(4));
}

static void clocks(uint64_t lots)
{
    int here = (int)(uintptr_t)room;
    for (int clock = 0; clock < 5; clock++) {
        told(clock_time_get(clock, 1, here));
        told(clock_res_get(clock, here));
        told(clock_time_get(clock, 1, BEYOND));
        /* Two waits: for a time, absolute by turns, and for a descriptor. */
        memset(room, 0, 256);
        put(0, lots, 8);
        put(16, (uint64_t)clock, 4);
        put(24, lots % 5000, 8);
        put(40, lots & 1, 2);
        told(poll_oneoff(here, here + 128, 1, here + 252));
        put(48, lots >> 8, 8);
        put(56, 1 + (lots >> 3) % 3, 1);
        put(64, lots % 4, 4);
        told(poll_oneoff(here, here + 128, 2, here + 252));
        told(poll_oneoff(here, here + 128, 0, here + 252));
        told(poll_oneoff(BEYOND, here + 128, 1, here + 252));
    }
}

static void others(uint64_t lots)
{
    int here = (int)(uintptr_t)room;
    told(args_sizes_get(here, here + 4));
    told(args_get(here + 8, here + 16));
    told(args_get(BEYOND, here));
    told(environ_sizes_get(here, here + 4));
    told(environ_get(here, here));
    told(random_get(here, (int)(lots % 200)));
    told(random_get(BEYOND, 40));
    told(sched_yield());
    size_t pages = __builtin_wasm_memory_grow(0, lots % 97 == 0);
    take(&pages, sizeof pages);
    pages = __builtin_wasm_memory_grow(0, 70000);
    take(&pages, sizeof pages);
}

/* NaNs, whose bits a processor may choose. */
static void floats(uint64_t lots)
{
    union {
        uint64_t bits;
        double value;
    } one = {lots | 0x7ff0000000000000u}, other = {lots << 11};
    union {
        uint32_t bits;
        float value;
    } small = {(uint32_t)lots | 0x7f800000u};
    volatile double results[] = {one.value + other.value, one.value * 0, 0 / (other.value * 0), one.value / other.value,
        __builtin_sqrt(-other.value), other.value - one.value, small.value, __builtin_floor(one.value)};
    volatile float singles[] = {small.value + 1, (float)one.value, (float)other.value / 3};
    for (size_t at = 0; at < sizeof results / sizeof *results; at++)
        take((void *)&results[at], 8);
    for (size_t at = 0; at < sizeof singles / sizeof *singles; at++)
        take((void *)&singles[at], 4);
}

static long choose(const kit_decide *decide, const kit_match *match, void *own)
{
    static int decisions;
    uint64_t lots = sum ^ match->seed;
    (void)own;
    take(decide->view.at, (size_t)(decide->view.end - decide->view.at));
    if (decisions++ % 4 == 0) {
        files(lots);
        clocks(lots * 0x9e3779b97f4a7c15u);
        others(kit_below(&lots, UINT64_MAX));
        floats(kit_below(&lots, UINT64_MAX));
        kit_note("%016llx", (unsigned long long)sum);
    }
    return (long)(sum % decide->choices);
}

int main(void)
{
    return kit_play("probe", choose, NULL);
}
