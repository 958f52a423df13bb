/* MessagePack between bytes and JavaScript's values, the part that the wire protocol uses: all that a bot reads, and the flat map
   of strings and whole numbers that it writes, in the bytes that the kit for node makes of it.

   A failure throws in JavaScript: functions that give a JSValue return JS_EXCEPTION then, others false. */
#ifndef MSGPACK_H
#define MSGPACK_H

typedef struct {
    JSContext *ctx;
    const uint8_t *at, *end;
} Reader;

typedef struct {
    JSContext *ctx;
    uint8_t *bytes;
    size_t size;
} Writer;

/* Numbers are big-endian. Fails at the end of the bytes. */
static bool read_number(Reader *reader, size_t size, uint64_t *number)
{
    if ((size_t)(reader->end - reader->at) < size)
        return JS_ThrowRangeError(reader->ctx, "a message that ends inside a value"), false;
    for (*number = 0; size > 0; size--)
        *number = *number << 8 | *reader->at++;
    return true;
}

static JSValue read_value(Reader *reader);

static JSValue read_string(Reader *reader, size_t size)
{
    if ((size_t)(reader->end - reader->at) < size)
        return JS_ThrowRangeError(reader->ctx, "a message that ends inside a value");
    reader->at += size;
    return JS_NewStringLen(reader->ctx, (const char *)reader->at - size, size);
}

static JSValue read_array(Reader *reader, uint64_t size)
{
    JSValue array = JS_NewArray(reader->ctx);
    for (uint32_t i = 0; i < size && !JS_IsException(array); i++) {
        JSValue item = read_value(reader);
        if (JS_IsException(item) || JS_DefinePropertyValueUint32(reader->ctx, array, i, item, JS_PROP_C_W_E) < 0) {
            JS_FreeValue(reader->ctx, array);
            array = JS_EXCEPTION;
        }
    }
    return array;
}

static bool read_pair(Reader *reader, JSValue map)
{
    JSValue key = read_value(reader);
    JSAtom name = JS_IsException(key) ? JS_ATOM_NULL : JS_ValueToAtom(reader->ctx, key);
    JS_FreeValue(reader->ctx, key);
    if (name == JS_ATOM_NULL)
        return false;
    JSValue value = read_value(reader);
    bool done = !JS_IsException(value) && JS_DefinePropertyValue(reader->ctx, map, name, value, JS_PROP_C_W_E) >= 0;
    JS_FreeAtom(reader->ctx, name);
    return done;
}

static JSValue read_map(Reader *reader, uint64_t size)
{
    JSValue map = JS_NewObject(reader->ctx);
    for (; size > 0 && !JS_IsException(map); size--) {
        if (!read_pair(reader, map)) {
            JS_FreeValue(reader->ctx, map);
            map = JS_EXCEPTION;
        }
    }
    return map;
}

/* A value whose tag says in how many bytes its number stands: an integer, or how long a string, array or map is. */
static JSValue read_sized(Reader *reader, int tag)
{
    static const uint8_t SIZES[] = {1, 2, 4, 8, 1, 2, 4, 8, 0, 0, 0, 0, 0, 1, 2, 4, 2, 4, 2, 4}; /* from 0xcc on */
    size_t size = tag < 0xcc ? 0 : SIZES[tag - 0xcc];
    uint64_t number;
    if (size == 0)
        return JS_ThrowTypeError(reader->ctx, "a value of type 0x%x, which the protocol does not have", tag);
    if (!read_number(reader, size, &number))
        return JS_EXCEPTION;
    if (tag <= 0xcf)
        return number >> 63 ? JS_NewFloat64(reader->ctx, (double)number) : JS_NewInt64(reader->ctx, (int64_t)number);
    if (tag <= 0xd3)
        return JS_NewInt64(reader->ctx, (int64_t)(number << (64 - 8 * size)) >> (64 - 8 * size));
    return tag <= 0xdb ? read_string(reader, number) : tag <= 0xdd ? read_array(reader, number) : read_map(reader, number);
}

static JSValue read_value(Reader *reader)
{
    uint64_t tag;
    if (js_check_stack_overflow(JS_GetRuntime(reader->ctx), 0))
        return JS_ThrowStackOverflow(reader->ctx);
    if (!read_number(reader, 1, &tag))
        return JS_EXCEPTION;
    if (tag <= 0x7f || tag >= 0xe0)
        return JS_NewInt32(reader->ctx, (int8_t)tag);
    if (tag <= 0x8f)
        return read_map(reader, tag - 0x80);
    if (tag <= 0x9f)
        return read_array(reader, tag - 0x90);
    if (tag <= 0xbf)
        return read_string(reader, tag - 0xa0);
    return tag == 0xc0 ? JS_NULL : tag == 0xc2 ? JS_FALSE : tag == 0xc3 ? JS_TRUE : read_sized(reader, (int)tag);
}

static JSValue decode(JSContext *ctx, const uint8_t *bytes, size_t size)
{
    Reader reader = {ctx, bytes, bytes + size};
    JSValue value = read_value(&reader);
    if (JS_IsException(value) || reader.at == reader.end)
        return value;
    JS_FreeValue(ctx, value);
    return JS_ThrowRangeError(ctx, "bytes behind the message");
}

static bool put(Writer *writer, int tag, size_t tag_size, uint64_t number, const void *bytes, size_t size)
{
    uint8_t *larger = js_realloc(writer->ctx, writer->bytes, writer->size + 1 + tag_size + size);
    if (!larger)
        return false;
    uint8_t *at = larger + writer->size;
    *at = (uint8_t)tag;
    for (size_t i = tag_size; i > 0; i--, number >>= 8)
        at[i] = (uint8_t)number;
    if (size > 0)
        memcpy(at + 1 + tag_size, bytes, size);
    writer->bytes = larger;
    writer->size += 1 + tag_size + size;
    return true;
}

/* Writes a string or a whole number, which is freed. */
static bool put_value(Writer *writer, JSValue value)
{
    size_t size;
    double number;
    bool done = false;
    if (JS_IsString(value)) {
        const char *text = JS_ToCStringLen(writer->ctx, &size, value);
        if (text && size > 0xffff)
            JS_ThrowRangeError(writer->ctx, "a string of %u bytes in a message: 65535 are the most", (unsigned)size);
        else
            done = text && put(writer, 0xda, 2, size, text, size);
        JS_FreeCString(writer->ctx, text);
    } else if (JS_IsNumber(value) && JS_ToFloat64(writer->ctx, &number, value) == 0 && is_safe_integer(number)) {
        done = put(writer, 0xd3, 8, (uint64_t)(int64_t)number, NULL, 0);
    } else if (!JS_IsException(value)) {
        JS_ThrowTypeError(writer->ctx, "a message of a bot has strings and whole numbers only");
    }
    JS_FreeValue(writer->ctx, value);
    return done;
}

/* Appends a map of at most 15 pairs to the bytes. */
static bool put_map(Writer *writer, JSValueConst map)
{
    JSPropertyEnum *pairs;
    uint32_t count;
    if (JS_GetOwnPropertyNames(writer->ctx, &pairs, &count, map, JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY) < 0)
        return false;
    bool done = count <= 15 ? put(writer, 0x80 + (int)count, 0, 0, NULL, 0)
                            : (JS_ThrowRangeError(writer->ctx, "a message of %u pairs: 15 are the most", count), false);
    for (uint32_t i = 0; i < count && done; i++)
        done = put_value(writer, JS_AtomToString(writer->ctx, pairs[i].atom)) &&
               put_value(writer, JS_GetProperty(writer->ctx, map, pairs[i].atom));
    JS_FreePropertyEnum(writer->ctx, pairs, count);
    return done;
}

#endif
