/* A bot that answers at once, for benchmarks: what is left of a decision's cost is the arbiter's.

     cc -O2 -o instant instant.c
     ./instant            answers every request with choice 0
     ./instant rotate     answers request r with choice r modulo the number of legal entries
     ./instant think MS   answers as rotate does, after it has kept its core busy for so many milliseconds by the clock
     ./instant stamp FILE answers 0, and writes to FILE when the first request came: seconds since 1970

   As a module it answers with choice 0, since modules have no arguments and no files.

   It plays any game. It looks at the top level of each message only and steps over all values but "type", "req" and, when
   rotating, the length of "legal"; nothing is allocated. Not an example of a bot: see bots/ for those. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *stamp;
static double think;
static unsigned char input[4 + 1048576];
static const unsigned char *at, *end;

static uint64_t number(int bytes)
{
    uint64_t value = 0;
    if (end - at < bytes)
        _exit(2);
    while (bytes-- > 0)
        value = value << 8 | *at++;
    return value;
}

static void advance(uint64_t bytes)
{
    if ((uint64_t)(end - at) < bytes)
        _exit(2);
    at += bytes;
}

/* Step over one value; counts what is left instead of recursing. */
static void skip(void)
{
    uint64_t left = 1;
    while (left-- > 0) {
        unsigned tag = (unsigned)number(1);
        if (tag <= 0x7f || tag >= 0xe0 || tag == 0xc0 || tag == 0xc2 || tag == 0xc3)
            continue;
        if (tag <= 0x8f)
            left += 2 * (tag - 0x80);
        else if (tag <= 0x9f)
            left += tag - 0x90;
        else if (tag <= 0xbf)
            advance(tag - 0xa0);
        else
            switch (tag) {
            case 0xcc: case 0xd0: advance(1); break;
            case 0xcd: case 0xd1: advance(2); break;
            case 0xce: case 0xd2: advance(4); break;
            case 0xcf: case 0xd3: advance(8); break;
            case 0xd9: advance(number(1)); break;
            case 0xda: advance(number(2)); break;
            case 0xdb: advance(number(4)); break;
            case 0xdc: left += number(2); break;
            case 0xdd: left += number(4); break;
            case 0xde: left += 2 * number(2); break;
            case 0xdf: left += 2 * number(4); break;
            default: _exit(2);
            }
    }
}

static uint64_t integer(void)
{
    unsigned tag = (unsigned)number(1);
    if (tag <= 0x7f)
        return tag;
    if (tag < 0xcc || tag > 0xd3)
        _exit(2);
    return number(1 << (tag & 3)); /* cc cd ce cf and d0 d1 d2 d3: 1, 2, 4, 8 bytes; a req is never negative */
}

static uint64_t size_of(unsigned fixed, unsigned of16, unsigned of32)
{
    unsigned tag = (unsigned)number(1);
    if (tag >= fixed && tag <= fixed + 15)
        return tag - fixed;
    if (tag == of16)
        return number(2);
    if (tag == of32)
        return number(4);
    _exit(2);
}

static int is(const unsigned char *text, size_t size, const char *word)
{
    return size == strlen(word) && memcmp(text, word, size) == 0;
}

static void send_all(const unsigned char *from, size_t size)
{
    while (size > 0) {
        ssize_t put = write(1, from, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            _exit(0);
        from += put;
        size -= (size_t)put;
    }
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void answer(int rotate)
{
    /* length, map of 3, "type" "act", "req" uint64, "choice" uint32 */
    static unsigned char act[] = "\0\0\0\x23\x83\xa4type\xa3" "act\xa3req\xcf" "........" "\xa6" "choice\xce" "....";
    enum { REQ = 4 + 1 + 5 + 4 + 4 + 1, CHOICE = REQ + 8 + 7 + 1, SIZE = CHOICE + 4 };
    static const unsigned char hello[] = "\0\0\0\x20\x83\xa4type\xa5hello\xa5proto\x01\xa4name\xa7instant";
    uint64_t pairs = size_of(0x80, 0xde, 0xdf), req = 0, choices = 1;
    char kind = 0;
    int i;
    while (pairs-- > 0) {
        unsigned tag = (unsigned)number(1);
        size_t size;
        const unsigned char *key;
        if (tag < 0xa0 || tag > 0xbf) { /* no key that we look for has a longer form here; step over it */
            at--;
            skip();
            skip();
            continue;
        }
        size = tag - 0xa0;
        key = at;
        advance(size);
        if (is(key, size, "type")) {
            const unsigned char *value = at;
            skip();
            kind = at - value == 6 && value[1] == 'h' ? 'h' : at - value == 7 && value[1] == 'd' ? 'd' : 'x';
        } else if (is(key, size, "req")) {
            req = integer();
            if (!rotate && kind == 'd')
                break;
        } else if (rotate && is(key, size, "legal")) {
            const unsigned char *legal = at;
            choices = size_of(0x90, 0xdc, 0xdd);
            at = legal;
            if (kind == 'd' && req)
                break;
            skip();
        } else {
            skip();
        }
    }
    if (kind == 'h')
        send_all(hello, sizeof hello - 1);
    if (kind != 'd')
        return;
#ifndef __wasi__
    if (stamp) {
        struct timespec now;
        FILE *file = fopen(stamp, "w");
        clock_gettime(CLOCK_REALTIME, &now);
        if (!file || fprintf(file, "%ld.%09ld\n", (long)now.tv_sec, now.tv_nsec) < 0 || fclose(file) != 0)
            _exit(2);
        stamp = NULL;
    }
#endif
    if (think > 0) {
        double until = now() + think;
        while (now() < until)
            ;
    }
    for (i = 0; i < 8; i++)
        act[REQ + i] = (unsigned char)(req >> (56 - 8 * i));
    req = rotate && choices ? req % choices : 0;
    for (i = 0; i < 4; i++)
        act[CHOICE + i] = (unsigned char)(req >> (24 - 8 * i));
    send_all(act, SIZE);
}

int main(int argc, char **argv)
{
    int rotate = argc > 1 && strcmp(argv[1], "rotate") == 0;
    size_t have = 0;
    if (argc > 2 && strcmp(argv[1], "stamp") == 0)
        stamp = argv[2];
    if (argc > 2 && strcmp(argv[1], "think") == 0) {
        think = atof(argv[2]);
        rotate = 1;
    }
    for (;;) {
        /* One read brings a whole frame, most often: length and payload together. */
        size_t size = have < 4 ? 0 : (size_t)input[0] << 24 | (size_t)input[1] << 16 | (size_t)input[2] << 8 | input[3];
        if (size > sizeof input - 4)
            return 2;
        if (have < 4 || have < 4 + size) {
            ssize_t got = read(0, input + have, sizeof input - have);
            if (got < 0 && errno == EINTR)
                continue;
            if (got <= 0)
                return 0;
            have += (size_t)got;
            continue;
        }
        at = input + 4;
        end = at + size;
        answer(rotate);
        have -= 4 + size;
        memmove(input, input + 4 + size, have);
    }
}
