/* The part of msgpack that the protocol uses. Reading is done in place: a cursor stands on a value in a frame.

   A cursor is a plain value; copy it to read something twice. Every read moves it behind what was read and is checked against
   the end of the frame: after the first breach, or a value of another type than asked for, the cursor is `bad`, reads nothing
   more and yields zeros. */
#ifndef KIT_CURSOR_H
#define KIT_CURSOR_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    const unsigned char *at, *end;
    int bad;
} kit_cursor;

typedef enum { KIT_BAD, KIT_NIL, KIT_BOOL, KIT_INT, KIT_STR, KIT_ARRAY, KIT_MAP } kit_type;

/* What the cursor stands on; it does not move. The protocol has no other types: KIT_BAD is what it does not have. */
static inline kit_type kit_peek(kit_cursor c)
{
    int tag;
    if (c.bad || c.at == c.end)
        return KIT_BAD;
    tag = *c.at;
    if (tag <= 0x7f || tag >= 0xe0 || (tag >= 0xcc && tag <= 0xd3))
        return KIT_INT;
    if (tag <= 0x8f || tag == 0xde || tag == 0xdf)
        return KIT_MAP;
    if (tag <= 0x9f || tag == 0xdc || tag == 0xdd)
        return KIT_ARRAY;
    if (tag <= 0xbf || (tag >= 0xd9 && tag <= 0xdb))
        return KIT_STR;
    return tag == 0xc0 ? KIT_NIL : tag == 0xc2 || tag == 0xc3 ? KIT_BOOL : KIT_BAD;
}

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

/* Length of a map, an array or a string in one of its encodings; `fixed` to `fixed + most` carry it in the first byte. */
static inline uint32_t kit_length(kit_cursor *c, int fixed, int most, int of8, int of16, int of32)
{
    int tag = (int)kit_big_endian(c, 1);
    if (!c->bad && tag >= fixed && tag <= fixed + most)
        return (uint32_t)(tag - fixed);
    if (!c->bad && (tag == of8 || tag == of16 || tag == of32))
        return (uint32_t)kit_big_endian(c, tag == of8 ? 1 : tag == of16 ? 2 : 4);
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
    if (c->bad || (uint64_t)(c->end - c->at) < *size) {
        c->bad = 1;
        *size = 0;
        return "";
    }
    c->at += *size;
    return text;
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
    case 0xcf: /* as int64: no number of the protocol needs the top bit */
    case 0xd3: return (int64_t)kit_big_endian(c, 8);
    case 0xd0: return (int8_t)kit_big_endian(c, 1);
    case 0xd1: return (int16_t)kit_big_endian(c, 2);
    case 0xd2: return (int32_t)kit_big_endian(c, 4);
    default: c->bad = 1; return 0;
    }
}

static inline int kit_bool(kit_cursor *c)
{
    int tag = (int)kit_big_endian(c, 1);
    c->bad |= tag != 0xc2 && tag != 0xc3;
    return tag == 0xc3;
}

/* Step over one value of any type. It counts what is left instead of calling itself, so no nesting can exhaust the stack. */
static inline void kit_skip(kit_cursor *c)
{
    uint64_t left = 1;
    uint32_t size;
    for (; left > 0 && !c->bad; left--)
        switch (kit_peek(*c)) {
        case KIT_NIL: c->at++; break;
        case KIT_BOOL: kit_bool(c); break;
        case KIT_INT: kit_int(c); break;
        case KIT_STR: kit_str(c, &size); break;
        case KIT_ARRAY: left += kit_array(c); break;
        case KIT_MAP: left += 2 * (uint64_t)kit_map(c); break;
        default: c->bad = 1;
        }
}

/* Put *found on the value of `key` in the map at `map`, which stays where it is. Returns 0 when there is no such key. */
static inline int kit_find(kit_cursor map, const char *key, kit_cursor *found)
{
    size_t wanted = strlen(key);
    uint32_t pairs = kit_map(&map), size;
    int seen = 0;
    while (pairs-- > 0 && !map.bad) {
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

/* --- writing: each returns where to go on --- */

static inline unsigned char *kit_put_str(unsigned char *at, const char *text)
{
    size_t size = strlen(text);
    if (size > 255)
        size = 255;
    *at++ = 0xd9; /* str8; an encoding longer than needed is as good as the shortest */
    *at++ = (unsigned char)size;
    memcpy(at, text, size);
    return at + size;
}

static inline unsigned char *kit_put_int(unsigned char *at, int64_t value)
{
    *at++ = 0xd3; /* int64 */
    for (int shift = 56; shift >= 0; shift -= 8)
        *at++ = (unsigned char)((uint64_t)value >> shift);
    return at;
}

#endif
