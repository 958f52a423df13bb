/* Wire protocol 1 for bots in C99: this header and cursor.h, no library. A bot is a function and one call:

     static long choose(const kit_decide *decide, const kit_match *match, void *own) { return 0; }
     int main(void) { return kit_play("my-bot", choose, NULL); }

   decide->view and decide->legal are cursors: walk them with what cursor.h has. What is printed goes to stderr. */
#ifndef KIT_H
#define KIT_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cursor.h"

#define KIT_FRAME_MOST 1048576u
#ifndef KIT_VERSION
#define KIT_VERSION "" /* what the bot greets with beside its name; define yours before the include */
#endif

typedef struct {
    uint64_t seed;
    int seat, seats;
    char game[32];
    kit_cursor hello; /* the whole message, for rules and time */
} kit_match;

typedef struct {
    int64_t req, turn_ms, bank_ms; /* time for this decision, and what is left beyond it for the match */
    char kind[32];
    uint32_t choices; /* number of entries in legal, at least 2 */
    kit_cursor view, legal, events;
} kit_decide;

typedef long (*kit_choose)(const kit_decide *decide, const kit_match *match, void *own);

/* Say a line to the people who run the bot, as printf does, on stderr. */
#define kit_note(...) (fprintf(stderr, __VA_ARGS__), fputc('\n', stderr))

/* From 0 to n - 1, each equally likely. Start `state` as match->seed, and a replay repeats the numbers (splitmix64). */
static inline uint64_t kit_below(uint64_t *state, uint64_t n)
{
    uint64_t rest = (UINT64_MAX % n + 1) % n, z;
    do { /* numbers beyond the last whole multiple of n would favour the small ones */
        z = (*state += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        z ^= z >> 31;
    } while (z > UINT64_MAX - rest);
    return z % n;
}

/* Exactly `size` bytes. Returns 0 at the end of input; a signal is none. */
static inline int kit_read_all(unsigned char *into, size_t size)
{
    for (ssize_t got; size > 0; into += got, size -= (size_t)got)
        while ((got = read(0, into, size)) <= 0)
            if (got == 0 || errno != EINTR)
                return 0;
    return 1;
}

/* Reads one frame into `buffer`. Returns 0 at the end of input, -1 on a length that no frame may have. */
static inline int kit_read_frame(unsigned char buffer[KIT_FRAME_MOST], kit_cursor *message)
{
    unsigned char head[4];
    if (!kit_read_all(head, 4))
        return 0;
    size_t size = (size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
    if (size == 0 || size > KIT_FRAME_MOST)
        return kit_note("a frame of %lu bytes", (unsigned long)size), -1;
    *message = (kit_cursor){buffer, buffer + size, 0};
    return kit_read_all(buffer, size);
}

/* `frame` has four bytes left free for the length; `end` is behind the payload. Returns 0 when it could not be sent. */
static inline int kit_send(int out, unsigned char *frame, unsigned char *end)
{
    size_t size = (size_t)(end - frame);
    frame[0] = frame[1] = 0;
    frame[2] = (unsigned char)((size - 4) >> 8);
    frame[3] = (unsigned char)(size - 4);
    ssize_t put; /* of so few bytes a pipe takes all or none */
    do put = write(out, frame, size); while (put < 0 && errno == EINTR);
    return put == (ssize_t)size;
}

/* Takes up the match and greets. Returns 0 when no protocol is common, or nobody listens. */
static inline int kit_greet(int out, kit_match *match, const char *name)
{
    unsigned char frame[640], *at = frame + 4;
    kit_cursor protos;
    uint32_t count = kit_find(match->hello, "protos", &protos) ? kit_array(&protos) : 0;
    while (count > 0 && kit_int(&protos) != 1)
        count = protos.bad ? 0 : count - 1;
    if (count == 0)
        return kit_note("the arbiter does not speak protocol 1, and this kit speaks 1 alone"), 0;
    match->seed = (uint64_t)kit_find_int(match->hello, "seed", 0);
    match->seat = (int)kit_find_int(match->hello, "seat", 0);
    match->seats = (int)kit_find_int(match->hello, "seats", 0);
    kit_find_str(match->hello, "game", match->game, sizeof match->game);
    *at++ = *KIT_VERSION ? 0x84 : 0x83; /* a map of four, or of three */
    at = kit_put_str(kit_put_str(at, "type"), "hello");
    at = kit_put_int(kit_put_str(at, "proto"), 1);
    at = kit_put_str(kit_put_str(at, "name"), name);
    at = *KIT_VERSION ? kit_put_str(kit_put_str(at, "version"), KIT_VERSION) : at;
    return kit_send(out, frame, at);
}

/* Answers one request. Returns 0 when it made no sense, or nobody listens. */
static inline int kit_answer(int out, kit_cursor message, kit_choose choose, const kit_match *match, void *own)
{
    unsigned char frame[64], *at = frame + 4;
    kit_decide decide = {.req = kit_find_int(message, "req", 0), .turn_ms = kit_find_int(message, "turn_ms", 0),
                         .bank_ms = kit_find_int(message, "bank_ms", 0)};
    if (!kit_find(message, "legal", &decide.legal) || !kit_find(message, "view", &decide.view))
        return 0;
    kit_find(message, "events", &decide.events);
    kit_cursor legal = decide.legal;
    decide.choices = kit_array(&legal);
    kit_find_str(message, "kind", decide.kind, sizeof decide.kind);
    *at++ = 0x83;
    at = kit_put_str(kit_put_str(at, "type"), "act");
    at = kit_put_int(kit_put_str(at, "req"), decide.req);
    at = kit_put_int(kit_put_str(at, "choice"), decide.choices > 0 ? choose(&decide, match, own) : 0);
    return kit_send(out, frame, at);
}

/* Plays one match. Returns the exit status: 0 when the input ended, 1 when a message made no sense or could not be sent. */
static inline int kit_play(const char *name, kit_choose choose, void *own)
{
    static unsigned char hello[KIT_FRAME_MOST], buffer[KIT_FRAME_MOST];
    kit_match match = {0};
    kit_cursor message;
    char type[16], detail[256];
    int out = 1; /* a module has no second descriptor for the conversation: it must print nothing to stdout */
#ifndef __wasi__ /* the conversation on a descriptor of its own; what this process or a child of it prints goes to stderr */
    if ((out = dup(1)) < 0 || fcntl(out, F_SETFD, FD_CLOEXEC) != 0 || dup2(2, 1) != 1)
        return 1;
#endif
    int got = kit_read_frame(hello, &match.hello);
    if (got > 0 && !kit_greet(out, &match, name))
        return 0;
    while (got > 0 && (got = kit_read_frame(buffer, &message)) > 0) {
        kit_find_str(message, "type", type, sizeof type);
        if (strcmp(type, "decide") == 0 && !kit_answer(out, message, choose, &match, own))
            return 1;
        if (strcmp(type, "fault") == 0) {
            kit_find_str(message, "detail", detail, sizeof detail);
            kit_find_str(message, "code", type, sizeof type);
            kit_note("fault: %s: %s (strikes: %d)", type, detail, (int)kit_find_int(message, "strikes", 0));
        }
        /* After "end" comes the end of input; any other message is for bots of a later day. */
    }
    return got < 0;
}

#endif
