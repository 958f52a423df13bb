/* Bots in JavaScript as a module of the arena: quickjs-ng, with the author's files as its payload on descriptor 3.

   What is in runtime.js runs these files as node does, and tells what they throw. This file gives it what JavaScript lacks: bytes
   of the payload, frames, MessagePack and stderr. A bot that throws ends with code 1. */
#include "quickjs.c" /* one unit: the numbers that its chance begins with lie inside */

#include <unistd.h>

#include "msgpack.h"

#define FRAME_MOST 1048576u
#define ROOM 65536
#define STACK_MOST (128 * 1024) /* of the stack in memory: there JavaScript throws, before the meter's height is reached */

typedef struct {
    uint8_t *bytes;
    size_t size, room;
} Buffer;

static const char RUNTIME[] = {
#embed "runtime.js"
    , 0};
static Buffer payload, input;
static JSValue forgotten[2]; /* a promise that was rejected and that nobody handles, and its reason */

/* Reads from a descriptor behind what is there. Returns what `read` gives. */
static ssize_t fill(Buffer *buffer, int descriptor)
{
    if (buffer->room < buffer->size + ROOM) {
        size_t room = buffer->room + buffer->room / 4 + ROOM;
        uint8_t *bytes = realloc(buffer->bytes, room);
        if (!bytes)
            return -1;
        buffer->bytes = bytes;
        buffer->room = room;
    }
    ssize_t got = read(descriptor, buffer->bytes + buffer->size, buffer->room - buffer->size);
    buffer->size += got > 0 ? (size_t)got : 0;
    return got;
}

static bool write_all(int descriptor, const void *bytes, size_t size)
{
    for (ssize_t put = 0; size > 0; bytes = (const char *)bytes + put, size -= (size_t)put)
        if ((put = write(descriptor, bytes, size)) < 0)
            return false;
    return true;
}

/* readFrame(): the next message, or null at the end of input. */
static JSValue read_frame(JSContext *ctx, JSValueConst this_value, int count, JSValueConst *values)
{
    uint64_t size = 0;
    while (size == 0 || input.size < 4 + size) {
        Reader head = {ctx, input.bytes, input.bytes + 4};
        if (input.size >= 4 && read_number(&head, 4, &size) && (size == 0 || size > FRAME_MOST))
            return JS_ThrowRangeError(ctx, "a frame of %u bytes", (unsigned)size);
        if ((size == 0 || input.size < 4 + size) && fill(&input, 0) <= 0)
            return JS_NULL;
    }
    JSValue message = decode(ctx, input.bytes + 4, size);
    input.size -= 4 + size;
    memmove(input.bytes, input.bytes + 4 + size, input.size);
    return message;
}

/* writeFrame(message): sends a flat map of strings and whole numbers. */
static JSValue write_frame(JSContext *ctx, JSValueConst this_value, int count, JSValueConst *values)
{
    Writer writer = {ctx, js_mallocz(ctx, 4), 4};
    bool done = writer.bytes && put_map(&writer, values[0]);
    for (int i = 0; i < 4 && done; i++)
        writer.bytes[i] = (uint8_t)((writer.size - 4) >> (24 - 8 * i));
    if (done && !write_all(1, writer.bytes, writer.size))
        done = (JS_ThrowInternalError(ctx, "nobody reads the frames of this bot"), false);
    js_free(ctx, writer.bytes);
    return done ? JS_UNDEFINED : JS_EXCEPTION;
}

/* decode(bytes): the value of a message in MessagePack. */
static JSValue decode_bytes(JSContext *ctx, JSValueConst this_value, int count, JSValueConst *values)
{
    size_t size;
    uint8_t *bytes = JS_GetUint8Array(ctx, &size, values[0]);
    return bytes ? decode(ctx, bytes, size) : JS_EXCEPTION;
}

/* encode(message): a flat map of strings and whole numbers as bytes in MessagePack. */
static JSValue encode_map(JSContext *ctx, JSValueConst this_value, int count, JSValueConst *values)
{
    Writer writer = {ctx, NULL, 0};
    JSValue bytes = put_map(&writer, values[0]) ? JS_NewUint8ArrayCopy(ctx, writer.bytes, writer.size) : JS_EXCEPTION;
    js_free(ctx, writer.bytes);
    return bytes;
}

/* say(text): writes a line to stderr. */
static JSValue say(JSContext *ctx, JSValueConst this_value, int count, JSValueConst *values)
{
    size_t size;
    const char *text = JS_ToCStringLen(ctx, &size, values[0]);
    if (!text)
        return JS_EXCEPTION;
    write_all(2, text, size); /* a bot whose notes nobody keeps plays on */
    write_all(2, "\n", 1);
    JS_FreeCString(ctx, text);
    return JS_UNDEFINED;
}

/* A part of the payload from an offset on, of so many bytes, as numbers of JavaScript. */
static const char *part(JSContext *ctx, JSValueConst start, JSValueConst length, uint32_t *size)
{
    uint32_t at;
    if (JS_ToUint32(ctx, &at, start) < 0 || JS_ToUint32(ctx, size, length) < 0)
        return NULL;
    if (at <= payload.size && *size <= payload.size - at)
        return (const char *)payload.bytes + at;
    JS_ThrowRangeError(ctx, "the payload ends inside a file");
    return NULL;
}

/* text(start, size): a part of the payload as a string. */
static JSValue text_of(JSContext *ctx, JSValueConst this_value, int count, JSValueConst *values)
{
    uint32_t size;
    const char *bytes = part(ctx, values[0], values[1], &size);
    return bytes ? JS_NewStringLen(ctx, bytes, size) : JS_EXCEPTION;
}

/* compile(path, start, size): a file of the payload as a function of what node gives a file. Its first line has the number 1. */
static JSValue compile(JSContext *ctx, JSValueConst this_value, int count, JSValueConst *values)
{
    static const char BEFORE[] = "(function (exports, require, module, __filename, __dirname) {\n\n", BEHIND[] = "\n})";
    uint32_t size;
    const char *bytes = part(ctx, values[1], values[2], &size), *path = bytes ? JS_ToCString(ctx, values[0]) : NULL;
    char *code = path ? js_malloc(ctx, sizeof BEFORE + size + sizeof BEHIND) : NULL;
    JSValue function = JS_EXCEPTION;
    if (code) {
        JSEvalOptions options = {JS_EVAL_OPTIONS_VERSION, JS_EVAL_TYPE_GLOBAL, path, -1};
        memcpy(code, BEFORE, sizeof BEFORE - 1);
        memcpy(code + sizeof BEFORE - 1, bytes, size);
        memcpy(code + sizeof BEFORE - 1 + size, BEHIND, sizeof BEHIND); /* with its 0, at which the parser looks */
        function = JS_EvalThis2(ctx, JS_UNDEFINED, code, sizeof BEFORE + size + sizeof BEHIND - 2, &options);
    }
    js_free(ctx, code);
    JS_FreeCString(ctx, path);
    return function;
}

static void remember(JSContext *ctx, JSValueConst promise, JSValueConst reason, bool is_handled, void *own)
{
    if (is_handled && JS_IsStrictEqual(ctx, promise, forgotten[0]))
        forgotten[0] = JS_UNDEFINED; /* never freed: it is one at the most, in a program that ends soon */
    if (!is_handled && JS_IsUndefined(forgotten[0])) {
        forgotten[0] = JS_DupValue(ctx, promise);
        forgotten[1] = JS_DupValue(ctx, reason);
    }
}

static const JSCFunctionListEntry HOST[] = {
    JS_CFUNC_DEF("readFrame", 0, read_frame), JS_CFUNC_DEF("writeFrame", 1, write_frame), JS_CFUNC_DEF("decode", 1, decode_bytes),
    JS_CFUNC_DEF("encode", 1, encode_map),    JS_CFUNC_DEF("say", 1, say),                JS_CFUNC_DEF("text", 2, text_of),
    JS_CFUNC_DEF("compile", 3, compile),
};

/* Calls a function of runtime.js by its name. */
static bool call(JSContext *ctx, JSValueConst runtime, const char *name, JSValueConst value)
{
    JSValue function = JS_GetPropertyStr(ctx, runtime, name), result = JS_Call(ctx, function, runtime, 1, &value);
    JS_FreeValue(ctx, function);
    JS_FreeValue(ctx, result);
    return !JS_IsException(result);
}

int main(void)
{
    uint64_t seeds[2];
    forgotten[0] = JS_UNDEFINED;
    ssize_t got;
    while ((got = fill(&payload, 3)) > 0) /* first of all: nothing lies behind it, so it grows where it is */
        ;
    JSRuntime *runtime = JS_NewRuntime();
    JSContext *ctx = runtime && getentropy(seeds, sizeof seeds) == 0 ? JS_NewContext(runtime) : NULL;
    if (!ctx || got < 0)
        return write_all(2, "javascript: no payload, or no memory for it\n", 44), 1;
    JS_SetMaxStackSize(runtime, STACK_MOST);
    JS_SetHostPromiseRejectionTracker(runtime, remember, NULL);
    ctx->random_state = seeds[0] | 1;
    ctx->hash_seed = (uint32_t)seeds[1];
    JSValue host = JS_NewObject(ctx), error;
    JS_SetPropertyFunctionList(ctx, host, HOST, countof(HOST));
    JS_SetPropertyStr(ctx, host, "payload", JS_NewUint8Array(ctx, payload.bytes, payload.size, NULL, NULL, false));
    JSValue own = JS_Eval(ctx, RUNTIME, sizeof RUNTIME - 1, "<interpreter>", JS_EVAL_TYPE_GLOBAL);
    bool runs = call(ctx, own, "run", host);
    while (runs && JS_IsJobPending(runtime))
        runs = JS_ExecutePendingJob(runtime, &ctx) >= 0;
    if (runs && JS_IsUndefined(forgotten[0]))
        return 0;
    error = runs ? forgotten[1] : JS_GetException(ctx);
    if (!call(ctx, own, "tell", error)) /* too little memory is left, or the author's objects throw again */
        write_all(2, "javascript: an error that cannot be shown\n", 42);
    return 1;
}
