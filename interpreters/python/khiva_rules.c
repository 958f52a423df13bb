/* The module khiva_rules: the functions of khiva_arena/native/rules.c, for khiva_arena.crules. An argument is a number, or what has
   memory, of which C gets the place: nothing is checked here, since crules has checked it. */
#include "Python.h"

#include "rules.c"

enum { MOST_WORDS = 8 };

/* Writes arguments as C takes them; those that lack are 0. Returns -1 with an error set if one is neither number nor memory. */
static int take(PyObject *const *given, Py_ssize_t count, uint64_t words[MOST_WORDS])
{
    if (count > MOST_WORDS) {
        PyErr_SetString(PyExc_TypeError, "too many arguments");
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        Py_buffer memory;
        if (PyLong_Check(given[i])) {
            words[i] = PyLong_AsUnsignedLongLongMask(given[i]);
            continue;
        }
        if (PyObject_GetBuffer(given[i], &memory, PyBUF_SIMPLE) < 0)
            return -1;
        words[i] = (uintptr_t)memory.buf;
        PyBuffer_Release(&memory); /* it stays where it is: no Python runs before C is done */
    }
    return 0;
}

/* The arguments of a function: a place in memory, or a number, which C converts. */
#define P(n) ((void *)(uintptr_t)w[n])
#define N(n) w[n]
#define VALUES(GAME, ROW) \
    ROW(GAME, read_rules, (P(0), N(1), P(2))) \
    ROW(GAME, read_view, (P(0), N(1), P(2), P(3))) \
    ROW(GAME, new, (P(0), P(1), P(2), N(3), P(4), N(5))) \
    ROW(GAME, asked, (P(0), P(1))) \
    ROW(GAME, questions, (P(0), P(1), P(2), P(3))) \
    ROW(GAME, apply, (P(0), P(1), P(2), P(3))) \
    ROW(GAME, playout, (P(0), P(1), P(2))) \
    ROW(GAME, think, (P(0), P(1), P(2))) \
    ROW(GAME, seats_of, (P(0))) \
    ROW(GAME, world, (P(0), P(1), P(2), P(3), P(4), P(5))) \
    ROW(GAME, numbers, (P(0), N(1), N(2))) \
    ROW(GAME, observe, (P(0), P(1), P(2), N(3), N(4), P(5))) \
    ROW(GAME, actions, (P(0), N(1)))
#define VOIDS(GAME, ROW) \
    ROW(GAME, sizes, (P(0))) \
    ROW(GAME, legal, (P(0), P(1), N(2), P(3))) \
    ROW(GAME, standing, (P(0), P(1), N(2), P(3), P(4))) \
    ROW(GAME, see, (P(0), P(1), P(2), N(3), P(4))) \
    ROW(GAME, actions_of, (P(0), P(1), N(2), P(3)))
#define OTHER_VALUES(ROW) \
    ROW(khiva, habits_size, ()) \
    ROW(khiva, try, (P(0), P(1), P(2), N(3), N(4), N(5), P(6))) \
    ROW(arena, stream_size, ()) \
    ROW(arena, u64, (P(0))) \
    ROW(arena, below, (P(0), N(1)))
#define OTHER_VOIDS(ROW) ROW(arena, stream, (P(0), P(1), P(2), N(3)))

#define MADE(value) \
    _Generic((value), int: PyLong_FromLong, unsigned: PyLong_FromUnsignedLong, uint64_t: PyLong_FromUnsignedLongLong, \
             double: PyFloat_FromDouble)(value)
#define METHOD(game, name, result) \
    static PyObject *game##_##name##_(PyObject *module, PyObject *const *given, Py_ssize_t count) \
    { \
        uint64_t w[MOST_WORDS] = {0}; \
        return take(given, count, w) < 0 ? NULL : result; \
    }
#define VALUE(game, name, words) METHOD(game, name, MADE(game##_lib_##name words))
#define VOID(game, name, words) METHOD(game, name, (game##_lib_##name words, Py_NewRef(Py_None)))
#define ENTRY(game, name, words) {#game "_lib_" #name, (PyCFunction)(void *)game##_##name##_, METH_FASTCALL},
#define ALL(GAME) VALUES(GAME, VALUE) VOIDS(GAME, VOID)
#define ENTRIES(GAME) VALUES(GAME, ENTRY) VOIDS(GAME, ENTRY)

ALL(khiva) ALL(emira) ALL(silk_road) OTHER_VALUES(VALUE) OTHER_VOIDS(VOID)

static PyMethodDef METHODS[] = {
    ENTRIES(khiva) ENTRIES(emira) ENTRIES(silk_road) OTHER_VALUES(ENTRY) OTHER_VOIDS(ENTRY) {0}};

PyObject *PyInit_khiva_rules(void)
{
    static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "khiva_rules", NULL, -1, METHODS};
    return PyModule_Create(&MODULE);
}
