/* The module `msgpack` of bots in Python: packb and unpackb of the values that messages have, in the shortest form. */
#include "Python.h"

#include <stdbool.h>

typedef struct {
    const uint8_t *at, *end;
} Reader;

typedef struct {
    uint8_t *bytes;
    size_t size, room;
} Writer;

static PyObject *decode(Reader *reader);

static PyObject *bad(const char *why)
{
    PyErr_SetString(PyExc_ValueError, why);
    return NULL;
}

/* Takes bytes. Returns NULL, with an error, if there are fewer. */
static const uint8_t *take(Reader *reader, size_t size)
{
    if ((size_t)(reader->end - reader->at) < size)
        return bad("the bytes end inside a message"), NULL;
    reader->at += size;
    return reader->at - size;
}

static bool number(Reader *reader, int bytes, uint64_t *value)
{
    const uint8_t *at = take(reader, (size_t)bytes);
    *value = 0;
    for (int i = 0; at && i < bytes; i++)
        *value = *value << 8 | at[i];
    return at != NULL;
}

static PyObject *string(Reader *reader, size_t size)
{
    const char *text = (const char *)take(reader, size);
    return text ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)size, NULL) : NULL;
}

static PyObject *binary(Reader *reader, size_t size)
{
    const char *bytes = (const char *)take(reader, size);
    return bytes ? PyBytes_FromStringAndSize(bytes, (Py_ssize_t)size) : NULL;
}

static PyObject *array(Reader *reader, size_t size)
{
    if ((size_t)(reader->end - reader->at) < size)
        return bad("the bytes end inside a message");
    PyObject *list = PyList_New((Py_ssize_t)size);
    for (size_t i = 0; list && i < size; i++) {
        PyObject *value = decode(reader);
        if (value)
            PyList_SET_ITEM(list, (Py_ssize_t)i, value);
        else
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *map(Reader *reader, size_t size)
{
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && i < size; i++) {
        PyObject *key = decode(reader), *value = NULL;
        if (key && PyUnicode_CheckExact(key))
            PyUnicode_InternInPlace(&key);
        if (!key || !(value = decode(reader)) || PyDict_SetItem(dict, key, value) < 0)
            Py_CLEAR(dict);
        Py_XDECREF(key);
        Py_XDECREF(value);
    }
    return dict;
}

static PyObject *real(uint64_t bits, int bytes)
{
    uint32_t half = (uint32_t)bits;
    float small;
    double large;
    memcpy(&small, &half, sizeof small);
    memcpy(&large, &bits, sizeof large);
    return PyFloat_FromDouble(bytes == 4 ? small : large);
}

/* A value whose first byte is 0xC0 or above, and below 0xE0. */
static PyObject *long_form(Reader *reader, uint8_t type)
{
    static const uint8_t BYTES[] = {0, 0, 0, 0, 1, 2, 4, 0, 0, 0, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 0, 0, 0, 0, 0, 1, 2, 4, 2, 4, 2, 4};
    int bytes = BYTES[type - 0xC0];
    uint64_t value;
    if (!number(reader, bytes, &value))
        return NULL;
    if (type <= 0xC3)
        return type == 0xC0 ? Py_NewRef(Py_None) : type == 0xC1 ? bad("no message begins so") : PyBool_FromLong(type & 1);
    if (type <= 0xC6)
        return binary(reader, value);
    if (type == 0xCA || type == 0xCB)
        return real(value, bytes);
    if (type >= 0xCC && type <= 0xCF)
        return PyLong_FromUnsignedLongLong(value);
    if (type >= 0xD0 && type <= 0xD3)
        return PyLong_FromLongLong((int64_t)(value << (64 - 8 * bytes)) >> (64 - 8 * bytes));
    if (type >= 0xD9)
        return type <= 0xDB ? string(reader, value) : type <= 0xDD ? array(reader, value) : map(reader, value);
    return bad("messages have no extension types");
}

static PyObject *decode(Reader *reader)
{
    const uint8_t *first = take(reader, 1);
    if (!first)
        return NULL;
    if (*first <= 0x7F || *first >= 0xE0)
        return PyLong_FromLong((int8_t)*first);
    if (*first >= 0xA0 && *first <= 0xBF)
        return string(reader, *first & 0x1F);
    if (Py_EnterRecursiveCall(" in a message"))
        return NULL;
    PyObject *value = *first <= 0x8F ? map(reader, *first & 0x0F) : *first <= 0x9F ? array(reader, *first & 0x0F) : long_form(reader, *first);
    Py_LeaveRecursiveCall();
    return value;
}

static PyObject *unpackb(PyObject *module, PyObject *bytes)
{
    Py_buffer view;
    if (PyObject_GetBuffer(bytes, &view, PyBUF_SIMPLE) < 0)
        return NULL;
    Reader reader = {view.buf, (const uint8_t *)view.buf + view.len};
    PyObject *value = decode(&reader);
    if (value && reader.at < reader.end) {
        Py_CLEAR(value);
        bad("bytes lie behind the message");
    }
    PyBuffer_Release(&view);
    return value;
}

static bool put(Writer *writer, const void *bytes, size_t size)
{
    if (writer->room - writer->size < size) {
        size_t room = writer->room * 2 + size + 64;
        uint8_t *more = PyMem_Realloc(writer->bytes, room);
        if (!more)
            return PyErr_NoMemory(), false;
        writer->bytes = more;
        writer->room = room;
    }
    memcpy(writer->bytes + writer->size, bytes, size);
    writer->size += size;
    return true;
}

static bool put_number(Writer *writer, uint8_t type, int bytes, uint64_t value)
{
    uint8_t form[9] = {type};
    for (int i = 0; i < bytes; i++)
        form[1 + i] = (uint8_t)(value >> (8 * (bytes - 1 - i)));
    return put(writer, form, 1 + (size_t)bytes);
}

/* Writes how long a value is: in its first byte below a bound, else in 1, 2 or 4 bytes. `small` is 0 if there is no form of 1. */
static bool put_size(Writer *writer, size_t size, size_t bound, uint8_t fixed, uint8_t small, uint8_t middle)
{
    if (size < bound)
        return put_number(writer, (uint8_t)(fixed | size), 0, 0);
    if (small && size <= 0xFF)
        return put_number(writer, small, 1, size);
    return size <= 0xFFFF ? put_number(writer, middle, 2, size) : put_number(writer, (uint8_t)(middle + 1), 4, size);
}

static bool put_whole(Writer *writer, PyObject *value)
{
    int beyond;
    int64_t small = PyLong_AsLongLongAndOverflow(value, &beyond);
    uint64_t large = beyond > 0 ? PyLong_AsUnsignedLongLong(value) : (uint64_t)small;
    if (PyErr_Occurred())
        return false;
    if (beyond < 0)
        return bad("an integer of a message has 64 bits"), false;
    if (beyond == 0 && small < 0) {
        if (small >= -32)
            return put_number(writer, (uint8_t)small, 0, 0);
        int size = small >= INT8_MIN ? 0 : small >= INT16_MIN ? 1 : small >= INT32_MIN ? 2 : 3;
        return put_number(writer, (uint8_t)(0xD0 + size), 1 << size, large);
    }
    if (large <= 0x7F)
        return put_number(writer, (uint8_t)large, 0, 0);
    int size = large <= 0xFF ? 0 : large <= 0xFFFF ? 1 : large <= 0xFFFFFFFF ? 2 : 3;
    return put_number(writer, (uint8_t)(0xCC + size), 1 << size, large);
}

static bool encode(Writer *writer, PyObject *value);

static bool put_items(Writer *writer, PyObject *value)
{
    size_t size = (size_t)PySequence_Fast_GET_SIZE(value);
    if (!put_size(writer, size, 16, 0x90, 0, 0xDC))
        return false;
    for (size_t i = 0; i < size; i++)
        if (!encode(writer, PySequence_Fast_GET_ITEM(value, (Py_ssize_t)i)))
            return false;
    return true;
}

static bool put_map(Writer *writer, PyObject *value)
{
    PyObject *key, *item;
    Py_ssize_t at = 0;
    if (!put_size(writer, (size_t)PyDict_GET_SIZE(value), 16, 0x80, 0, 0xDE))
        return false;
    while (PyDict_Next(value, &at, &key, &item))
        if (!encode(writer, key) || !encode(writer, item))
            return false;
    return true;
}

static bool put_text(Writer *writer, PyObject *value)
{
    Py_ssize_t size;
    const char *text = PyUnicode_AsUTF8AndSize(value, &size);
    return text && put_size(writer, (size_t)size, 32, 0xA0, 0xD9, 0xDA) && put(writer, text, (size_t)size);
}

static bool put_bytes(Writer *writer, PyObject *value)
{
    size_t size = (size_t)PyBytes_GET_SIZE(value);
    return put_size(writer, size, 0, 0, 0xC4, 0xC5) && put(writer, PyBytes_AS_STRING(value), size);
}

static bool put_real(Writer *writer, PyObject *value)
{
    double real = PyFloat_AS_DOUBLE(value);
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    return put_number(writer, 0xCB, 8, bits);
}

static bool encode(Writer *writer, PyObject *value)
{
    if (value == Py_None || PyBool_Check(value))
        return put_number(writer, value == Py_None ? 0xC0 : value == Py_True ? 0xC3 : 0xC2, 0, 0);
    if (PyLong_Check(value))
        return put_whole(writer, value);
    if (PyUnicode_Check(value))
        return put_text(writer, value);
    if (PyBytes_Check(value))
        return put_bytes(writer, value);
    if (PyFloat_Check(value))
        return put_real(writer, value);
    if (!PyDict_Check(value) && !PyList_Check(value) && !PyTuple_Check(value))
        return PyErr_Format(PyExc_TypeError, "can not serialize '%s' object", Py_TYPE(value)->tp_name), false;
    if (Py_EnterRecursiveCall(" in a message"))
        return false;
    bool done = PyDict_Check(value) ? put_map(writer, value) : put_items(writer, value);
    Py_LeaveRecursiveCall();
    return done;
}

static PyObject *packb(PyObject *module, PyObject *value)
{
    Writer writer = {NULL, 0, 0};
    PyObject *bytes = encode(&writer, value) ? PyBytes_FromStringAndSize((const char *)writer.bytes, (Py_ssize_t)writer.size) : NULL;
    PyMem_Free(writer.bytes);
    return bytes;
}

static PyMethodDef METHODS[] = {{"packb", packb, METH_O, NULL}, {"unpackb", unpackb, METH_O, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "msgpack", NULL, -1, METHODS};

PyObject *PyInit_msgpack(void)
{
    return PyModule_Create(&MODULE);
}
