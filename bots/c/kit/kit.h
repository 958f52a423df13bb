/* Wire protocol 1 for bots in C99, one header and no library.

   A bot is a function and one call:

     static long choose(const kit_decide *decide, const kit_match *match, void *own) { return 0; }
     int main(void) { return kit_play("my-bot", choose, NULL); }

   decide->view and decide->legal are cursors on msgpack values: walk them with kit_map, kit_array, kit_str, kit_int and
   kit_skip. A cursor is a value; copy it to read something twice. Every read is checked against the end of the frame: after
   the first breach the cursor is `bad`, reads nothing more and yields zeros. Print on stderr only. */
#ifndef KIT_H
#define KIT_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KIT_FRAME_MOST 1048576u

typedef struct {
    const unsigned char *at, *end;
    int bad;
} kit_cursor;

typedef struct {
    uint64_t seed;
    int seat, seats;
    char game[32];
    kit_cursor hello; /* the whole message, for rules and time */
} kit_match;

typedef struct {
    int64_t req;
    char kind[32];
    uint32_t choices; /* number of entries in legal, at least 2 */
    kit_cursor view, legal, events;
} kit_decide;

typedef long (*kit_choose)(const kit_decide *decide, const kit_match *match, void *own);

/* --- reading msgpack --- */

static inline uint64_t kit_big_endian(kit_cursor *c, int bytes)
{
    uint64_t value = 0;
    if (c->bad || c->end - c->at < bytes) {
        c->bad = 1;
        return 0;
    }
    while (bytes-- > 0)
        value = value << 8 | *c->at++;
    return value;
}

static inline void kit_advance(kit_cursor *c, uint64_t bytes)
{
    if (c->bad || (uint64_t)(c->end - c->at) < bytes)
        c->bad = 1;
    else
        c->at += bytes;
}

/* Length of a map, an array or a string in one of its encodings; `fixed` to `fixed + most` carry it in the first byte. */
static inline uint32_t kit_length(kit_cursor *c, int fixed, int most, int of8, int of16, int of32)
{
    int tag = (int)kit_big_endian(c, 1);
    if (c->bad)
        return 0;
    if (tag >= fixed && tag <= fixed + most)
        return (uint32_t)(tag - fixed);
    if (tag == of8)
        return (uint32_t)kit_big_endian(c, 1);
    if (tag == of16)
        return (uint32_t)kit_big_endian(c, 2);
    if (tag == of32)
        return (uint32_t)kit_big_endian(c, 4);
    c->bad = 1;
    return 0;
}

/* Number of pairs; then read that many times a key and a value. */
static inline uint32_t kit_map(kit_cursor *c)
{
    return kit_length(c, 0x80, 15, -1, 0xde, 0xdf);
}

/* Number of items; then read that many values. */
static inline uint32_t kit_array(kit_cursor *c)
{
    return kit_length(c, 0x90, 15, -1, 0xdc, 0xdd);
}

/* A string of *size bytes, not ended by a zero. */
static inline const char *kit_str(kit_cursor *c, uint32_t *size)
{
    const char *text;
    *size = kit_length(c, 0xa0, 31, 0xd9, 0xda, 0xdb);
    text = (const char *)c->at;
    kit_advance(c, *size);
    if (c->bad)
        *size = 0;
    return c->bad ? "" : text;
}

static inline int64_t kit_int(kit_cursor *c)
{
    int tag = (int)kit_big_endian(c, 1);
    if (c->bad)
        return 0;
    if (tag <= 0x7f)
        return tag;
    if (tag >= 0xe0)
        return tag - 0x100;
    switch (tag) {
    case 0xcc: return (int64_t)kit_big_endian(c, 1);
    case 0xcd: return (int64_t)kit_big_endian(c, 2);
    case 0xce: return (int64_t)kit_big_endian(c, 4);
    case 0xcf: { /* no number of the protocol needs the top bit */
        uint64_t value = kit_big_endian(c, 8);
        if (value > INT64_MAX)
            c->bad = 1;
        return c->bad ? 0 : (int64_t)value;
    }
    case 0xd0: return (int8_t)kit_big_endian(c, 1);
    case 0xd1: return (int16_t)kit_big_endian(c, 2);
    case 0xd2: return (int32_t)kit_big_endian(c, 4);
    case 0xd3: return (int64_t)kit_big_endian(c, 8);
    default: c->bad = 1; return 0;
    }
}

/* Step over one value of any type. It counts what is left instead of calling itself, so no nesting can exhaust the stack. */
static inline void kit_skip(kit_cursor *c)
{
    uint64_t left = 1;
    while (left-- > 0 && !c->bad) {
        int tag = (int)kit_big_endian(c, 1);
        if (c->bad)
            return;
        if (tag <= 0x7f || tag >= 0xe0 || tag == 0xc0 || tag == 0xc2 || tag == 0xc3)
            continue;
        if (tag <= 0x8f)
            left += 2u * (uint64_t)(tag - 0x80);
        else if (tag <= 0x9f)
            left += (uint64_t)(tag - 0x90);
        else if (tag <= 0xbf)
            kit_advance(c, (uint64_t)(tag - 0xa0));
        else
            switch (tag) {
            case 0xc4: case 0xd9: kit_advance(c, kit_big_endian(c, 1)); break;
            case 0xc5: case 0xda: kit_advance(c, kit_big_endian(c, 2)); break;
            case 0xc6: case 0xdb: kit_advance(c, kit_big_endian(c, 4)); break;
            case 0xc7: kit_advance(c, kit_big_endian(c, 1) + 1); break;
            case 0xc8: kit_advance(c, kit_big_endian(c, 2) + 1); break;
            case 0xc9: kit_advance(c, kit_big_endian(c, 4) + 1); break;
            case 0xcc: case 0xd0: kit_advance(c, 1); break;
            case 0xcd: case 0xd1: kit_advance(c, 2); break;
            case 0xca: case 0xce: case 0xd2: kit_advance(c, 4); break;
            case 0xcb: case 0xcf: case 0xd3: kit_advance(c, 8); break;
            case 0xd4: kit_advance(c, 2); break;
            case 0xd5: kit_advance(c, 3); break;
            case 0xd6: kit_advance(c, 5); break;
            case 0xd7: kit_advance(c, 9); break;
            case 0xd8: kit_advance(c, 17); break;
            case 0xdc: left += kit_big_endian(c, 2); break;
            case 0xdd: left += kit_big_endian(c, 4); break;
            case 0xde: left += 2 * kit_big_endian(c, 2); break;
            case 0xdf: left += 2 * kit_big_endian(c, 4); break;
            default: c->bad = 1; /* 0xc1 is no value at all */
            }
    }
}

/* Put *found on the value of `key` in the map at `map`, which stays where it is. Returns 0 when there is no such key. */
static inline int kit_find(kit_cursor map, const char *key, kit_cursor *found)
{
    size_t wanted = strlen(key);
    uint32_t pairs = kit_map(&map);
    int seen = 0;
    while (pairs-- > 0 && !map.bad) {
        uint32_t size;
        const char *text = kit_str(&map, &size);
        if (!map.bad && size == wanted && memcmp(text, key, wanted) == 0) {
            *found = map; /* and on to the end: of duplicate keys the last wins */
            seen = 1;
        }
        kit_skip(&map);
    }
    return seen && !map.bad;
}

static inline int64_t kit_find_int(kit_cursor map, const char *key, int64_t otherwise)
{
    kit_cursor value;
    int64_t number;
    if (!kit_find(map, key, &value))
        return otherwise;
    number = kit_int(&value);
    return value.bad ? otherwise : number;
}

/* Copies a string, cut to `room` - 1 bytes; "" when it is not there. */
static inline void kit_find_str(kit_cursor map, const char *key, char *out, size_t room)
{
    kit_cursor value;
    uint32_t size = 0;
    const char *text = "";
    if (kit_find(map, key, &value))
        text = kit_str(&value, &size);
    if (size > room - 1)
        size = (uint32_t)room - 1;
    memcpy(out, text, size);
    out[size] = 0;
}

/* --- frames --- */

/* 1 when all bytes came, 0 when the input ended. */
static inline int kit_read_all(void *into, size_t size)
{
    unsigned char *at = into;
    while (size > 0) {
        ssize_t got = read(0, at, size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return 0;
        at += got;
        size -= (size_t)got;
    }
    return 1;
}

static inline int kit_write_all(const void *from, size_t size)
{
    const unsigned char *at = from;
    while (size > 0) {
        ssize_t put = write(1, at, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return 0;
        at += put;
        size -= (size_t)put;
    }
    return 1;
}

/* Reads one frame into *buffer, which grows as needed. Returns 0 at the end of input or on a length no frame may have. */
static inline int kit_read_frame(unsigned char **buffer, size_t *room, kit_cursor *message)
{
    unsigned char head[4];
    size_t size;
    if (!kit_read_all(head, 4))
        return 0;
    size = (size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
    if (size == 0 || size > KIT_FRAME_MOST)
        return 0;
    if (size > *room) {
        unsigned char *larger = realloc(*buffer, size);
        if (larger == NULL)
            return 0;
        *buffer = larger;
        *room = size;
    }
    if (!kit_read_all(*buffer, size))
        return 0;
    message->at = *buffer;
    message->end = *buffer + size;
    message->bad = 0;
    return 1;
}

static inline unsigned char *kit_put_str(unsigned char *at, const char *text)
{
    size_t size = strlen(text);
    if (size > 64)
        size = 64;
    *at++ = 0xd9; /* str8; an encoding longer than needed is as good as the shortest */
    *at++ = (unsigned char)size;
    memcpy(at, text, size);
    return at + size;
}

static inline unsigned char *kit_put_int(unsigned char *at, int64_t value)
{
    int shift;
    *at++ = 0xd3; /* int64 */
    for (shift = 56; shift >= 0; shift -= 8)
        *at++ = (unsigned char)((uint64_t)value >> shift);
    return at;
}

/* `frame` has four bytes left free for the length; `end` is behind the payload. */
static inline int kit_send(unsigned char *frame, unsigned char *end)
{
    size_t size = (size_t)(end - frame) - 4;
    frame[0] = frame[1] = 0;
    frame[2] = (unsigned char)(size >> 8);
    frame[3] = (unsigned char)size;
    return kit_write_all(frame, size + 4);
}

static inline int kit_send_hello(const char *name)
{
    unsigned char frame[128], *at = frame + 4;
    *at++ = 0x83;
    at = kit_put_str(kit_put_str(at, "type"), "hello");
    at = kit_put_int(kit_put_str(at, "proto"), 1);
    at = kit_put_str(kit_put_str(at, "name"), name);
    return kit_send(frame, at);
}

static inline int kit_send_act(int64_t req, int64_t choice)
{
    unsigned char frame[64], *at = frame + 4;
    *at++ = 0x83;
    at = kit_put_str(kit_put_str(at, "type"), "act");
    at = kit_put_int(kit_put_str(at, "req"), req);
    at = kit_put_int(kit_put_str(at, "choice"), choice);
    return kit_send(frame, at);
}

/* --- chance --- */

/* The next number of a splitmix64 sequence; start `state` from match->seed and a replay repeats it. */
static inline uint64_t kit_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* From 0 to n - 1, each equally likely: numbers beyond the last whole multiple of n are thrown away. */
static inline uint64_t kit_below(uint64_t *state, uint64_t n)
{
    uint64_t rest = (UINT64_MAX % n + 1) % n, x;
    do
        x = kit_random(state);
    while (x > UINT64_MAX - rest);
    return x % n;
}

/* --- the conversation --- */

/* Reads what kit_choose needs off a request. Returns 0 when something is missing. */
static inline int kit_read_decide(kit_cursor message, kit_decide *decide)
{
    kit_cursor legal;
    memset(decide, 0, sizeof *decide);
    if (!kit_find(message, "legal", &decide->legal) || !kit_find(message, "view", &decide->view))
        return 0;
    if (!kit_find(message, "events", &decide->events))
        decide->events.bad = 1;
    legal = decide->legal;
    decide->choices = kit_array(&legal);
    decide->req = kit_find_int(message, "req", -1);
    kit_find_str(message, "kind", decide->kind, sizeof decide->kind);
    return decide->choices > 0 && decide->req >= 0;
}

static inline void kit_print_fault(kit_cursor message)
{
    char code[32], detail[256];
    kit_find_str(message, "code", code, sizeof code);
    kit_find_str(message, "detail", detail, sizeof detail);
    fprintf(stderr, "fault: %s: %s (strikes: %d)\n", code, detail, (int)kit_find_int(message, "strikes", 0));
}

/* Plays one match. Returns the exit status: 0 when the input ended, 1 when a message made no sense or could not be sent. */
static inline int kit_play(const char *name, kit_choose choose, void *own)
{
    unsigned char *hello = NULL, *buffer = NULL;
    size_t hello_room = 0, room = 0;
    kit_cursor message;
    kit_match match;
    kit_decide decide;
    char type[16];
    int good = 1;
    memset(&match, 0, sizeof match);
    if (kit_read_frame(&hello, &hello_room, &match.hello)) {
        match.seed = (uint64_t)kit_find_int(match.hello, "seed", 0);
        match.seat = (int)kit_find_int(match.hello, "seat", 0);
        match.seats = (int)kit_find_int(match.hello, "seats", 0);
        kit_find_str(match.hello, "game", match.game, sizeof match.game);
        good = kit_send_hello(name);
    }
    while (good && kit_read_frame(&buffer, &room, &message)) {
        kit_find_str(message, "type", type, sizeof type);
        if (strcmp(type, "decide") == 0)
            good = kit_read_decide(message, &decide) && kit_send_act(decide.req, choose(&decide, &match, own));
        else if (strcmp(type, "fault") == 0)
            kit_print_fault(message);
        /* After "end" comes the end of input; any other message is for bots of a later day. */
    }
    free(hello);
    free(buffer);
    return good ? 0 : 1;
}

#endif
