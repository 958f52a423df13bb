/* The stream khiva-stream-1, from which all chance of a match comes: protocol/SPEC.md defines it. C99 and C++17. */
#ifndef KHIVA_STREAM_H
#define KHIVA_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { KHIVA_SECRET = 32 };

typedef struct {
    uint32_t state[8];
    uint64_t size;
    unsigned char block[64];
} khiva_sha256;

typedef struct {
    unsigned char key[KHIVA_SECRET];
    uint64_t block, ready[4];
    int left;
} khiva_stream;

static inline uint32_t khiva_rotate(uint32_t x, int by)
{
    return x >> by | x << (32 - by);
}

static inline void khiva_sha256_block(khiva_sha256 *sum)
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
        near = khiva_rotate(near, 7) ^ khiva_rotate(near, 18) ^ near >> 3;
        late = khiva_rotate(late, 17) ^ khiva_rotate(late, 19) ^ late >> 10;
        word[i] = word[i - 16] + near + word[i - 7] + late;
    }
    for (int i = 0; i < 64; i++) {
        uint32_t one = khiva_rotate(e, 6) ^ khiva_rotate(e, 11) ^ khiva_rotate(e, 25);
        uint32_t two = khiva_rotate(a, 2) ^ khiva_rotate(a, 13) ^ khiva_rotate(a, 22);
        one += h + ((e & f) ^ (~e & g)) + round[i] + word[i];
        two += (a & b) ^ (a & c) ^ (b & c);
        h = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + two;
    }
    sum->state[0] += a, sum->state[1] += b, sum->state[2] += c, sum->state[3] += d;
    sum->state[4] += e, sum->state[5] += f, sum->state[6] += g, sum->state[7] += h;
}

static inline void khiva_sha256_begin(khiva_sha256 *sum)
{
    static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(sum->state, first, sizeof first);
    sum->size = 0;
}

static inline void khiva_sha256_add(khiva_sha256 *sum, const void *bytes, size_t size)
{
    const unsigned char *at = (const unsigned char *)bytes;
    while (size > 0) {
        size_t used = (size_t)(sum->size % 64), part = 64 - used < size ? 64 - used : size;
        memcpy(sum->block + used, at, part);
        sum->size += part, at += part, size -= part;
        if (used + part == 64)
            khiva_sha256_block(sum);
    }
}

static inline void khiva_sha256_end(khiva_sha256 *sum, unsigned char digest[KHIVA_SECRET])
{
    static const unsigned char padding[64] = {0x80};
    unsigned char bits[8];
    for (int i = 0; i < 8; i++)
        bits[i] = (unsigned char)(sum->size * 8 >> (56 - 8 * i));
    khiva_sha256_add(sum, padding, (size_t)(1 + (119 - sum->size % 64) % 64));
    khiva_sha256_add(sum, bits, 8);
    for (int i = 0; i < KHIVA_SECRET; i++)
        digest[i] = (unsigned char)(sum->state[i / 4] >> (24 - 8 * (i % 4)));
}

/* Starts the stream that a secret and a path of labels name. */
static inline void khiva_stream_begin(khiva_stream *stream, const unsigned char *secret, const char *const *labels, int count)
{
    khiva_sha256 sum;
    khiva_sha256_begin(&sum);
    khiva_sha256_add(&sum, "khiva-stream-1", 15); /* with its zero */
    khiva_sha256_add(&sum, secret, KHIVA_SECRET);
    for (int i = 0; i < count; i++) {
        size_t size = strlen(labels[i]);
        unsigned char head[4];
        for (int j = 0; j < 4; j++)
            head[j] = (unsigned char)(size >> (24 - 8 * j));
        khiva_sha256_add(&sum, head, 4);
        khiva_sha256_add(&sum, labels[i], size);
    }
    khiva_sha256_end(&sum, stream->key);
    stream->block = 0;
    stream->left = 0;
}

/* Draws the next number, 0 to 2^64 - 1. */
static inline uint64_t khiva_u64(khiva_stream *stream)
{
    if (stream->left == 0) {
        khiva_sha256 sum;
        unsigned char bytes[KHIVA_SECRET];
        for (int i = 0; i < 8; i++)
            bytes[i] = (unsigned char)(stream->block >> (56 - 8 * i));
        khiva_sha256_begin(&sum);
        khiva_sha256_add(&sum, stream->key, KHIVA_SECRET);
        khiva_sha256_add(&sum, bytes, 8);
        khiva_sha256_end(&sum, bytes);
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

/* Draws a number from 0 to n - 1, each equally likely; n is at least 1. */
static inline uint64_t khiva_below(khiva_stream *stream, uint64_t n)
{
    uint64_t rest = (UINT64_MAX % n + 1) % n, draw;
    do
        draw = khiva_u64(stream);
    while (draw > UINT64_MAX - rest);
    return draw % n;
}

static inline void khiva_shuffle(khiva_stream *stream, uint8_t *items, int count)
{
    for (int i = count - 1; i > 0; i--) {
        int j = (int)khiva_below(stream, (uint64_t)i + 1);
        uint8_t item = items[i];
        items[i] = items[j];
        items[j] = item;
    }
}

#endif
