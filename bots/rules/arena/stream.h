/* The stream khiva-stream-1, from which all chance of a match comes (protocol/SPEC.md defines it), and a quick generator that has
   the same calls, for playouts and training: as even, and some forty times as fast as SHA-256. C99 and C++17. */
#ifndef ARENA_STREAM_H
#define ARENA_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { ARENA_SECRET = 32 }; /* bytes */

typedef struct {
    uint32_t state[8];
    uint64_t size;
    unsigned char block[64];
} arena_sha256;

/* A stream of numbers. quick: not 0 if `block` is the state of the quick generator, and the key is not used. */
typedef struct {
    unsigned char key[ARENA_SECRET];
    uint64_t block, ready[4];
    int left, quick;
} arena_stream;

static inline uint32_t arena_rotate(uint32_t x, int by)
{
    return x >> by | x << (32 - by);
}

static inline void arena_sha256_block(arena_sha256 *sum)
{
    static const uint32_t round[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
        0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
        0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
        0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
        0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
        0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
    uint32_t word[64], a = sum->state[0], b = sum->state[1], c = sum->state[2], d = sum->state[3];
    uint32_t e = sum->state[4], f = sum->state[5], g = sum->state[6], h = sum->state[7];
    for (int i = 0; i < 16; i++) {
        const unsigned char *at = sum->block + 4 * i;
        word[i] = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
    }
    for (int i = 16; i < 64; i++) {
        uint32_t near = word[i - 15], late = word[i - 2];
        near = arena_rotate(near, 7) ^ arena_rotate(near, 18) ^ near >> 3;
        late = arena_rotate(late, 17) ^ arena_rotate(late, 19) ^ late >> 10;
        word[i] = word[i - 16] + near + word[i - 7] + late;
    }
    for (int i = 0; i < 64; i++) {
        uint32_t one = arena_rotate(e, 6) ^ arena_rotate(e, 11) ^ arena_rotate(e, 25);
        uint32_t two = arena_rotate(a, 2) ^ arena_rotate(a, 13) ^ arena_rotate(a, 22);
        one += h + ((e & f) ^ (~e & g)) + round[i] + word[i];
        two += (a & b) ^ (a & c) ^ (b & c);
        h = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + two;
    }
    sum->state[0] += a, sum->state[1] += b, sum->state[2] += c, sum->state[3] += d;
    sum->state[4] += e, sum->state[5] += f, sum->state[6] += g, sum->state[7] += h;
}

static inline void arena_sha256_begin(arena_sha256 *sum)
{
    static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(sum->state, first, sizeof first);
    sum->size = 0;
}

static inline void arena_sha256_add(arena_sha256 *sum, const void *bytes, size_t size)
{
    const unsigned char *at = (const unsigned char *)bytes;
    while (size > 0) {
        size_t used = (size_t)(sum->size % 64), part = 64 - used < size ? 64 - used : size;
        memcpy(sum->block + used, at, part);
        sum->size += part, at += part, size -= part;
        if (used + part == 64)
            arena_sha256_block(sum);
    }
}

static inline void arena_sha256_end(arena_sha256 *sum, unsigned char digest[ARENA_SECRET])
{
    static const unsigned char padding[64] = {0x80};
    unsigned char bits[8];
    for (int i = 0; i < 8; i++)
        bits[i] = (unsigned char)(sum->size * 8 >> (56 - 8 * i));
    arena_sha256_add(sum, padding, (size_t)(1 + (119 - sum->size % 64) % 64));
    arena_sha256_add(sum, bits, 8);
    for (int i = 0; i < ARENA_SECRET; i++)
        digest[i] = (unsigned char)(sum->state[i / 4] >> (24 - 8 * (i % 4)));
}

/* Starts the stream that a secret and a path of labels name. */
static inline void arena_stream_begin(arena_stream *stream, const unsigned char *secret, const char *const *labels, int count)
{
    arena_sha256 sum;
    arena_sha256_begin(&sum);
    arena_sha256_add(&sum, "khiva-stream-1", 15); /* with its zero */
    arena_sha256_add(&sum, secret, ARENA_SECRET);
    for (int i = 0; i < count; i++) {
        size_t size = strlen(labels[i]);
        unsigned char head[4];
        for (int j = 0; j < 4; j++)
            head[j] = (unsigned char)(size >> (24 - 8 * j));
        arena_sha256_add(&sum, head, 4);
        arena_sha256_add(&sum, labels[i], size);
    }
    arena_sha256_end(&sum, stream->key);
    stream->block = 0;
    stream->left = 0;
    stream->quick = 0;
}

/* Starts the quick generator (SplitMix64) at a seed. */
static inline void arena_stream_quick(arena_stream *stream, uint64_t seed)
{
    memset(stream, 0, sizeof *stream);
    stream->block = seed;
    stream->quick = 1;
}

/* Starts the stream that a match's secret and a path of labels name; with `quick` the quick generator, from a mix of both. */
static inline void arena_open(arena_stream *stream, const unsigned char *secret, int quick, const char *const *labels, int count)
{
    uint64_t seed = 0;
    if (!quick) {
        arena_stream_begin(stream, secret, labels, count);
        return;
    }
    for (int i = 0; i < 8; i++)
        seed = seed << 8 | secret[i];
    for (int i = 0; i < count; i++)
        for (const char *at = labels[i]; *at; at++)
            seed = (seed ^ (unsigned char)*at) * 0x100000001b3u;
    arena_stream_quick(stream, seed);
}

/* Draws the next number, 0 to 2^64 - 1. */
static inline uint64_t arena_u64(arena_stream *stream)
{
    if (stream->quick) {
        uint64_t mixed = stream->block += 0x9e3779b97f4a7c15u;
        mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
        return mixed ^ mixed >> 31;
    }
    if (stream->left == 0) {
        arena_sha256 sum;
        unsigned char bytes[ARENA_SECRET];
        for (int i = 0; i < 8; i++)
            bytes[i] = (unsigned char)(stream->block >> (56 - 8 * i));
        arena_sha256_begin(&sum);
        arena_sha256_add(&sum, stream->key, ARENA_SECRET);
        arena_sha256_add(&sum, bytes, 8);
        arena_sha256_end(&sum, bytes);
        for (int i = 0; i < 4; i++) {
            stream->ready[i] = 0;
            for (int j = 0; j < 8; j++)
                stream->ready[i] = stream->ready[i] << 8 | bytes[8 * i + j];
        }
        stream->block++;
        stream->left = 4;
    }
    return stream->ready[4 - stream->left--];
}

/* Draws a number from 0 to n - 1, each equally likely; n is at least 1. The quick generator multiplies where the stream of a
   match divides (for n below 2^32). */
static inline uint64_t arena_below(arena_stream *stream, uint64_t n)
{
    uint64_t rest, draw;
    if (stream->quick && n <= UINT32_MAX) {
        draw = (arena_u64(stream) >> 32) * n;
        if ((uint32_t)draw < n)
            for (uint32_t least = (uint32_t)(((uint64_t)1 << 32) % n); (uint32_t)draw < least;)
                draw = (arena_u64(stream) >> 32) * n;
        return draw >> 32;
    }
    rest = (UINT64_MAX % n + 1) % n;
    do
        draw = arena_u64(stream);
    while (draw > UINT64_MAX - rest);
    return draw % n;
}

/* Shuffles as protocol/SPEC.md says. */
static inline void arena_shuffle(arena_stream *stream, uint8_t *items, int count)
{
    for (int i = count - 1; i > 0; i--) {
        int j = (int)arena_below(stream, (uint64_t)i + 1);
        uint8_t item = items[i];
        items[i] = items[j];
        items[j] = item;
    }
}

/* Writes the secret of a world's later chance: four numbers of a stream, big-endian, as `determinise` draws it. */
static inline void arena_draw_secret(arena_stream *stream, unsigned char secret[ARENA_SECRET])
{
    for (int i = 0; i < 4; i++) {
        uint64_t part = arena_u64(stream);
        for (int j = 0; j < 8; j++)
            secret[8 * i + j] = (unsigned char)(part >> (56 - 8 * j));
    }
}

#endif
