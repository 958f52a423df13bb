/* A bot that plays a script once, at its start or at one decision, and is honest otherwise. Tests put the script into the bytes
   behind the mark: when it is played ("s" start, "t" turn, "e" end), at which decision from 1, then commands. A command is a
   letter, a number (u32, little-endian), a length (u32) and as many bytes; a zero ends the script. */
#define _GNU_SOURCE
#include <time.h>

#include "kit.h"

#define MARK "khiva-script:"
#define ROOM 100000
static const volatile unsigned char script[ROOM] = MARK;

static unsigned char frame[KIT_FRAME_MOST], piece[ROOM];
static kit_match match;
static kit_decide decide;
static uint64_t lots;
static volatile int zero;

typedef int (*binary)(int, int);
static int unary(int value)
{
    return value + zero;
}
static binary volatile pointer = (binary)(void *)unary;

static int deeper(volatile int *above)
{
    volatile int here[4];
    here[0] = *above + 1;
    return here[0] < 0 ? 0 : deeper(here) + here[0];
}

static void write_all(int to, const unsigned char *data, size_t size)
{
    for (ssize_t put; size > 0; data += put, size -= (size_t)put)
        if ((put = write(to, data, size)) < 0)
            return;
}

/* Put the request's number, or the count of choices, in the place of numbers that stand for them: six bytes and a distance. */
static void fill_in(unsigned char *data, size_t size)
{
    static const unsigned char words[2][6] = {{0, 0x1f, 0x22, 0x33, 0x44, 0x55}, {0, 0x1f, 0x99, 0xaa, 0xbb, 0xcc}};
    for (size_t at = 0; at + 8 <= size; at++)
        for (int word = 0; word < 2; word++)
            if (memcmp(data + at, words[word], 6) == 0) {
                int64_t number = (word ? (int64_t)decide.choices : decide.req) + (data[at + 6] << 8 | data[at + 7]) - 0x8000;
                for (int byte = 0; byte < 8; byte++)
                    data[at + byte] = (unsigned char)((uint64_t)number >> (56 - 8 * byte));
            }
}

static void answer(int64_t choice, uint32_t each)
{
    unsigned char out[64], *at = out + 4;
    *at++ = 0x83;
    at = kit_put_str(kit_put_str(at, "type"), "act");
    at = kit_put_int(kit_put_str(at, "req"), decide.req);
    at = kit_put_int(kit_put_str(at, "choice"), choice);
    size_t size = (size_t)(at - out);
    out[0] = out[1] = out[2] = 0;
    out[3] = (unsigned char)(size - 4);
    for (size_t done = 0, part = each ? each : size; done < size; done += part)
        write_all(1, out + done, size - done < part ? size - done : part);
}

static int next_message(char type[16])
{
    kit_cursor message;
    if (kit_read_frame(frame, &message) <= 0)
        return 0;
    kit_find_str(message, "type", type, 16);
    if (strcmp(type, "hello") == 0) {
        match.seed = (uint64_t)kit_find_int(message, "seed", 0);
        lots = match.seed;
    }
    if (strcmp(type, "decide") == 0) {
        decide.req = kit_find_int(message, "req", 0);
        if (kit_find(message, "legal", &decide.legal))
            decide.choices = kit_array(&decide.legal);
    }
    return 1;
}

/* As far as it may, and write to all that was had, if asked to. */
static void grow(uint32_t write)
{
    for (size_t pages; (pages = __builtin_wasm_memory_grow(0, 64)) != (size_t)-1;)
        if (write)
            memset((void *)(pages << 16), 1, 64 << 16);
}

static uint32_t number_at(size_t at)
{
    return script[at] | script[at + 1] << 8 | script[at + 2] << 16 | (uint32_t)script[at + 3] << 24;
}

static void play(size_t first)
{
    char type[16];
    struct timespec pause;
    for (size_t at = first; script[at];) {
        int letter = script[at];
        uint32_t number = number_at(at + 1), size = number_at(at + 5);
        for (uint32_t byte = 0; byte < size; byte++)
            piece[byte] = script[at + 9 + byte];
        at = letter == 'l' ? first : at + 9 + size;
        switch (letter) {
        case 'w': fill_in(piece, size); write_all((int)number, piece, size); break;
        case 'a': answer((int64_t)decide.choices - 1, number); break;
        case 'h': for (;;) zero = 0;
        case 's': pause = (struct timespec){number / 1000, number % 1000 * 1000000}; nanosleep(&pause, NULL); break;
        case 'f': while (next_message(type) && strcmp(type, "fault") != 0); break;
        case 'k': close((int)number); break;
        case 'x': exit((int)number);
        case 'u': __builtin_trap();
        case 'd': zero = (int)(decide.choices / (unsigned)zero); break;
        case 'b': zero = *(volatile int *)0xfffffff0u; break;
        case 'i': zero = pointer(1, 2); break;
        case 'n': zero = ((binary)(uintptr_t)zero)(1, 2); break;
        case 'r': zero = deeper(&zero); break;
        case 'g': grow(number); break;
        case 'c': clock_gettime(CLOCK_MONOTONIC, &pause); zero = pause.tv_nsec & 0; break;
        case 'o': getentropy(piece, number); break;
        }
    }
}

int main(void)
{
    char type[16];
    size_t head = sizeof MARK - 1;
    int when = script[head];
    uint32_t decisions = 0, turn = number_at(head + 1);
    if (when == 's' || when == 'S')
        play(head + 5);
    while (next_message(type)) {
        if (strcmp(type, "hello") == 0 && when != 'S') {
            static const unsigned char hello[] = "\0\0\0\x1f\x83\xa4type\xa5hello\xa5proto\1\xa4name\xa6script";
            write_all(1, hello, sizeof hello - 1);
        }
        if (strcmp(type, "end") == 0 && when == 'e')
            play(head + 5);
        if (strcmp(type, "decide") == 0 && ++decisions == turn && when == 't')
            play(head + 5);
        else if (strcmp(type, "decide") == 0)
            answer((int64_t)kit_below(&lots, decide.choices), 0);
    }
    return 0;
}
