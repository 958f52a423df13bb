/* Bots in Python as a module of the arena: CPython, with the author's files as its payload on descriptor 3.

   khiva_init starts the interpreter, once, when the module is built: what the memory is then becomes part of the module, so that a
   bot begins with it. _start runs a bot: boot.py takes its files and tells what they throw. */
#include "Python.h"
#include "marshal.h"
#include "pycore_frame.h"
#include "pycore_import.h"
#include "pycore_pathconfig.h"
#include "pycore_pystate.h"

#include <unistd.h>

extern void _initialize(void); /* of the C library */

#ifdef FREEZER /* the same interpreter without its library, which it compiles */
static const struct _frozen NOTHING[] = {{0}};
const struct _frozen *_PyImport_FrozenBootstrap = NOTHING, *_PyImport_FrozenStdlib = NOTHING, *_PyImport_FrozenTest = NOTHING;
const struct _frozen *PyImport_FrozenModules;
static const struct _module_alias ALIASES[] = {{0}};
const struct _module_alias *_PyImport_FrozenAliases = ALIASES;

PyObject *khiva_frozen(const char *row, Py_ssize_t size)
{
    return NULL;
}

#else

/* Returns the code of a module of the library, from its row of PLACES in frozen.c. It lies in the first segment of data, which is in
   no memory, so what a bot does not import takes none. */
PyObject *khiva_frozen(const char *row, Py_ssize_t size)
{
    void *bytes = PyMem_Malloc(size);
    if (!bytes)
        return PyErr_NoMemory();
    uint32_t at = ((const uint32_t *)row)[1];
    __asm__ volatile("local.get %0\n local.get %1\n local.get %2\n memory.init 0, 0" : : "r"(bytes), "r"(at), "r"(size) : "memory");
    PyObject *code = PyMarshal_ReadObjectFromString(bytes, size);
    PyMem_Free(bytes);
    return code;
}

#endif

PyStatus _PyConfig_InitPathConfig(PyConfig *config, int compute) /* there are no paths */
{
    return PyStatus_Ok();
}

static void stop(const char *why)
{
    write(2, why, strlen(why));
    write(2, "\n", 1);
    __builtin_trap();
}

__attribute__((export_name("khiva_init"))) void khiva_init(void)
{
    _initialize();
    PyPreConfig before;
    PyPreConfig_InitIsolatedConfig(&before);
    before.utf8_mode = 1;
    before.configure_locale = 0;
    Py_PreInitialize(&before);
    PyConfig config;
    PyConfig_InitIsolatedConfig(&config);
    config.site_import = config.install_signal_handlers = config.write_bytecode = config.pathconfig_warnings = 0;
    config.use_hash_seed = 1; /* of 0: sets have one and the same order everywhere */
    config.hash_seed = 0;
    config.use_frozen_modules = 1;
    config.module_search_paths_set = 1;
    config.code_debug_ranges = 0; /* marks below a line of a trace cost memory and ticks */
#ifdef FREEZER
    config._install_importlib = config._init_main = 0;
#endif
    wchar_t **const PLACES[] = {&config.prefix, &config.exec_prefix, &config.base_prefix, &config.base_exec_prefix,
                                &config.executable, &config.base_executable, &config.home};
    for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES; i++)
        PyConfig_SetString(&config, PLACES[i], L"");
    PyConfig_SetString(&config, &config.program_name, L"bot");
    PyConfig_SetString(&config, &config.stdlib_dir, L"/lib"); /* where `__file__` says that the library is */
    PyStatus status = Py_InitializeFromConfig(&config);
    if (PyStatus_Exception(status))
        stop(status.err_msg ? status.err_msg : "the interpreter does not start");
    PyConfig_Clear(&config);
#ifndef FREEZER
    if (!PyImport_ImportModule("_khiva_boot")) {
        PyErr_Print();
        stop("boot.py cannot be imported");
    }
    PyGC_Collect();
#endif
}

#ifdef FREEZER

__attribute__((export_name("khiva_room"))) void *khiva_room(uint32_t size)
{
    return calloc(size, 1);
}

/* Compiles a text, named as `<frozen NAME>`, without what it documents. Returns bytes that are marshalled, and their number. */
__attribute__((export_name("khiva_freeze"))) const char *khiva_freeze(const char *file, const char *text, Py_ssize_t *size)
{
    char *bytes = NULL;
    PyObject *code = Py_CompileStringExFlags(text, file, Py_file_input, NULL, 2);
    PyObject *made = code ? PyMarshal_WriteObjectToString(code, Py_MARSHAL_VERSION) : NULL;
    if (!made || PyBytes_AsStringAndSize(made, &bytes, size) < 0) {
        PyErr_Print();
        stop(file);
    }
    return bytes;
}

__attribute__((export_name("_start"))) void _start(void)
{
}

#else

__attribute__((export_name("_start"))) void _start(void)
{
    PyObject *boot = PyImport_ImportModule("_khiva_boot"), *code = boot ? PyObject_CallMethod(boot, "run", NULL) : NULL;
    if (!code) { /* too little memory is left, or the author's objects throw again */
        static const char WHY[] = "python: an error that cannot be shown\n";
        write(2, WHY, sizeof WHY - 1);
    }
    _exit(code ? (int)PyLong_AsLong(code) : 1);
}

/* Which function runs, for who counts where ticks go: "choose main.py:12", with the line it begins in; "" if none does. It has to
   leave all as it is, so it makes no objects. */
static char place[240];

static size_t put(size_t at, PyObject *text)
{
    for (Py_ssize_t i = 0; i < PyUnicode_GET_LENGTH(text) && at < sizeof place - 16; i++) {
        Py_UCS4 letter = PyUnicode_READ_CHAR(text, i);
        place[at++] = letter >= ' ' && letter < 127 ? (char)letter : '?';
    }
    return at;
}

__attribute__((export_name("khiva_frame"))) const char *khiva_frame(void)
{
    PyThreadState *state = _PyThreadState_GET();
    _PyInterpreterFrame *frame = state ? _PyThreadState_GetFrame(state) : NULL;
    place[0] = 0;
    if (frame) {
        PyCodeObject *code = _PyFrame_GetCode(frame);
        size_t at = put(0, code->co_qualname);
        place[at++] = ' ';
        at = put(at, code->co_filename);
        snprintf(place + at, sizeof place - at, ":%d", code->co_firstlineno);
    }
    return place;
}

#endif

/* There are no files and no sockets: what wasi-libc would ask of its host is answered here. */
#define NONE(name, ...) \
    __attribute__((used)) int32_t __imported_wasi_snapshot_preview1_##name(__VA_ARGS__) \
    { \
        return 52; \
    }

/* That the conversation, stderr and the payload are open, and that nothing is known of them: Python asks before it uses one. */
__attribute__((used)) int32_t __imported_wasi_snapshot_preview1_fd_filestat_get(int32_t descriptor, int32_t place)
{
    if (descriptor > 3)
        return 52;
    memset((void *)place, 0, 64);
    return 0;
}

typedef int32_t i;
typedef int64_t I;
NONE(fd_advise, i a, I b, I c, i d)
NONE(fd_allocate, i a, I b, I c)
NONE(fd_datasync, i a)
NONE(fd_filestat_set_size, i a, I b)
NONE(fd_filestat_set_times, i a, I b, I c, i d)
NONE(fd_pread, i a, i b, i c, I d, i e)
NONE(fd_pwrite, i a, i b, i c, I d, i e)
NONE(fd_readdir, i a, i b, i c, I d, i e)
NONE(fd_sync, i a)
NONE(fd_tell, i a, i b)
NONE(fd_renumber, i a, i b)
NONE(fd_fdstat_set_rights, i a, I b, I c)
NONE(path_create_directory, i a, i b, i c)
NONE(path_filestat_get, i a, i b, i c, i d, i e)
NONE(path_filestat_set_times, i a, i b, i c, i d, I e, I f, i g)
NONE(path_link, i a, i b, i c, i d, i e, i f, i g)
NONE(path_open, i a, i b, i c, i d, i e, I f, I g, i h, i j)
NONE(path_readlink, i a, i b, i c, i d, i e, i f)
NONE(path_remove_directory, i a, i b, i c)
NONE(path_rename, i a, i b, i c, i d, i e, i f)
NONE(path_symlink, i a, i b, i c, i d, i e)
NONE(path_unlink_file, i a, i b, i c)
NONE(sock_accept, i a, i b, i c)
NONE(sock_recv, i a, i b, i c, i d, i e, i f)
NONE(sock_send, i a, i b, i c, i d, i e)
NONE(sock_shutdown, i a, i b)
