/* Put this process into a bot's cell, then become the bot: the launcher of every level, at strict and standard inside namespaces.

   launch -LETTER VALUE ... -- PROGRAM WORD...

   The orders are carried out as they stand:

   -l NUMBER:SOFT:HARD  a limit by its number in sys/resource.h; -1 is no limit, and none is raised above what this process has
   -b TCP               begin rules of Landlock; 1 allows TCP, 0 does not
   -r PATH, -w PATH     a path to read and run, to read and write; one that is not there is passed over
   -s NAME              a file of /proc/PID that the program may read of itself
   -d FOLDER            the folder in which the program starts
   -u USER              the number of the user and the group that the program runs as
   -n NUMBER            the most user namespaces that can be made in this one
   -m SOURCE:PATH       mount a file or a folder over another one
   -o FOLDER            make all mounts from a folder down read-only, without devices and set-user-ID programs
   -k USER              as -u, and neither the program nor any that it runs can have a capability; -1 is the user that it is
   -c NUMBER            a descriptor to close
   -p PARENT            die with the thread that started this process, which is of process PARENT
   -i NUMBER            stands in seccomp programs for the number of this process
   -f HEX, -g HEX       enforce the rules and a seccomp program: -g where Landlock keeps no signals, else -f
   -e NUMBER            enforce the seccomp program that a descriptor is open on, and close that

   It does what bots/sandbox/launcher.py, bubblewrap, setpriv and prlimit do where there is no compiler. It allocates nothing. The
   environment is the program's already. A failure is one line on stderr and code 126, before the program runs. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FAILED 126
#define SAYS "khiva-arena launcher: "
#ifndef LANDLOCK_MOST /* a test says that the kernel has less */
#define LANDLOCK_MOST 1000
#endif
#define CREATE_RULESET 444
#define ADD_RULE 445
#define RESTRICT_SELF 446
#define STEPS 4096 /* the kernel takes no longer program */
#ifndef SET_ATTRIBUTES /* a test says that the kernel lacks it */
#define SET_ATTRIBUTES 442
#endif
#define AND_BELOW 0x8000
#define SEALED 7 /* read-only, no set-user-ID, no devices */
#define SAME_USER 4294967295U

/* Landlock's rights: of a file, of a folder, and those that came later, by the version that brought them. */
#define EXECUTE (1 << 0)
#define WRITE (1 << 1)
#define READ (1 << 2)
#define LIST (1 << 3)
#define REMOVE_AND_MAKE (1 << 4 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 9 | 1 << 10 | 1 << 12) /* all but devices */
#define FILES ((1 << 13) - 1)
#define REFER (1 << 13)         /* version 2 */
#define TRUNCATE (1 << 14)      /* 3 */
#define DEVICE_CONTROL (1 << 15) /* 5 */
#define CONNECT_AND_BIND 3      /* 4 */
#define SCOPES 3                /* 6: abstract sockets and signals */
#define SIGNALS_SINCE 6

struct rules { unsigned long long files, network, scoped; };
struct __attribute__((packed)) beneath { unsigned long long allowed; int parent; };
struct attributes { unsigned long long set, clear, propagation, users; };
struct step { unsigned short code; unsigned char if_true, if_false; unsigned int value; };
struct program { unsigned short length; struct step *steps; };

static struct step steps[STEPS];
static int version, rules = -1;
static unsigned int placeholder;
static unsigned long long refer, truncate_;

static void fail(const char *action, const char *reason)
{
    char line[4608];
    int length = snprintf(line, sizeof line, SAYS "%s%s%s\n", action, *reason ? ": " : "", reason);
    if (length >= (int)sizeof line)
        length = sizeof line - 1;
    if (write(2, line, length) < 0)
        _exit(FAILED); /* nobody listens */
    _exit(FAILED);
}

static long checked(long result, const char *action)
{
    if (result < 0)
        fail(action, strerror(errno));
    return result;
}

static unsigned long long number(const char *word)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(word, &end, 10);
    if (errno || end == word || *end)
        fail(word, "not a number");
    return value;
}

/* --- limits --- */

static rlim_t least(const char *word, rlim_t most)
{
    return strcmp(word, "-1") && number(word) < most ? number(word) : most;
}

static void set_limit(char *word)
{
    char *soft = strchr(word, ':'), *hard = soft ? strchr(soft + 1, ':') : NULL;
    struct rlimit now, limit;
    if (!hard)
        fail(word, "not a limit");
    *soft++ = *hard++ = 0;
    checked(getrlimit(number(word), &now), "limits");
    limit.rlim_cur = least(soft, now.rlim_max);
    limit.rlim_max = least(hard, now.rlim_max);
    checked(setrlimit(number(word), &limit), "limits");
}

/* --- Landlock --- */

static void begin(int network)
{
    version = syscall(CREATE_RULESET, NULL, 0L, 1);
    version = version > LANDLOCK_MOST ? LANDLOCK_MOST : version;
    if (version < 1)
        fail("this kernel has no Landlock", "");
    refer = version >= 2 ? REFER : 0;
    truncate_ = version >= 3 ? TRUNCATE : 0;
    struct rules handled = {FILES | refer | truncate_ | (version >= 5 ? DEVICE_CONTROL : 0),
                            version >= 4 && !network ? CONNECT_AND_BIND : 0, version >= SIGNALS_SINCE ? SCOPES : 0};
    size_t size = version < 4 ? 8 : version < SIGNALS_SINCE ? 16 : 24; /* Landlock refuses what its version does not know */
    rules = checked(syscall(CREATE_RULESET, &handled, size, 0), "Landlock");
}

static void allow(const char *path, unsigned long long of_folder, unsigned long long of_file)
{
    int at = open(path, O_PATH | O_CLOEXEC);
    struct stat status;
    if (at < 0 && errno == ENOENT)
        return;
    checked(at, path);
    checked(fstat(at, &status), path);
    struct beneath rule = {S_ISDIR(status.st_mode) ? of_folder : of_file, at};
    checked(syscall(ADD_RULE, rules, 1, &rule, 0), path);
    close(at);
}

static void allow_reading(const char *path)
{
    allow(path, EXECUTE | READ | LIST, EXECUTE | READ);
}

static void allow_own(const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%.40s", getpid(), name);
    allow_reading(path);
}

/* --- namespaces --- */

static void limit_namespaces(const char *most)
{
    int file = checked(open("/proc/sys/user/max_user_namespaces", O_WRONLY | O_CLOEXEC), "user namespaces");
    checked(write(file, most, strlen(most)), "user namespaces");
    close(file);
}

static void cover(char *source)
{
    char *path = strchr(source, ':');
    if (!path)
        fail(source, "not a source and a path");
    *path++ = 0;
    checked(mount(source, path, NULL, MS_BIND, NULL), path);
}

static void seal(const char *folder)
{
    struct attributes attributes = {SEALED, 0, 0, 0};
    checked(syscall(SET_ATTRIBUTES, AT_FDCWD, folder, AND_BELOW, &attributes, sizeof attributes), folder);
}

/* --- seccomp --- */

static int digit(char letter)
{
    return letter >= '0' && letter <= '9' ? letter - '0' : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

static void enforce(size_t size, int with_rules)
{
    struct program program = {size / sizeof *steps, steps};
    if (!size || size % sizeof *steps)
        fail("seccomp", "not a program");
    checked(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs");
    if (with_rules) {
        checked(syscall(RESTRICT_SELF, rules, 0), "Landlock");
        close(rules);
    }
    checked(prctl(PR_SET_SECCOMP, 2, &program, 0, 0), "seccomp");
}

static void enforce_words(const char *hex)
{
    size_t size = strlen(hex) / 2;
    if (size > sizeof steps)
        fail("seccomp", "not a program");
    for (size_t i = 0; i < size; i++) {
        int high = digit(hex[2 * i]), low = digit(hex[2 * i + 1]);
        if (high < 0 || low < 0)
            fail("seccomp", "not a program");
        ((unsigned char *)steps)[i] = high << 4 | low;
    }
    for (size_t i = 0; i < size / sizeof *steps; i++)
        if (steps[i].value == placeholder)
            steps[i].value = getpid(); /* a process may signal itself alone, and its number is known only here */
    enforce(size, 1);
}

static void enforce_file(int file)
{
    ssize_t size = checked(read(file, steps, sizeof steps), "seccomp");
    if (size == sizeof steps)
        fail("seccomp", "not a program"); /* or the rest of it would be left out */
    close(file);
    enforce(size, 0);
}

/* --- orders --- */

static void become(unsigned int user)
{
    checked(setgroups(0, NULL), "user");
    checked(setresgid(user, user, user), "user");
    checked(setresuid(user, user, user), "user");
}

static void become_without_capabilities(unsigned int user)
{
    struct __user_cap_header_struct of_this_process = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0, 0, 0}, {0, 0, 0}};
    for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++)
        checked(prctl(PR_CAPBSET_DROP, capability, 0, 0, 0), "capabilities");
    if (user != SAME_USER)
        become(user);
    checked(syscall(SYS_capset, &of_this_process, none), "capabilities");
    checked(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs");
}

static void die_with(unsigned int parent)
{
    checked(prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0), "the parent");
    if ((unsigned int)getppid() != parent)
        _exit(FAILED); /* the arbiter died before this process asked to die with it */
}

static void obey(char letter, char *value)
{
    switch (letter) {
    case 'l': set_limit(value); break;
    case 'b': begin(number(value)); break;
    case 'r': allow_reading(value); break;
    case 'w': allow(value, READ | WRITE | LIST | EXECUTE | REMOVE_AND_MAKE | truncate_ | refer, READ | WRITE); break;
    case 's': allow_own(value); break;
    case 'd': checked(chdir(value), value); break;
    case 'u': become(number(value)); break;
    case 'n': limit_namespaces(value); break;
    case 'm': cover(value); break;
    case 'o': seal(value); break;
    case 'k': become_without_capabilities(number(value)); break;
    case 'c': checked(close(number(value)), "a descriptor"); break;
    case 'p': die_with(number(value)); break;
    case 'i': placeholder = number(value); break;
    case 'f': if (version >= SIGNALS_SINCE) enforce_words(value); break;
    case 'g': if (version < SIGNALS_SINCE) enforce_words(value); break;
    case 'e': enforce_file(number(value)); break;
    default: fail("not an order", value);
    }
}

int main(int count, char **words)
{
    int at = 1;
    for (; at + 1 < count && strcmp(words[at], "--"); at += 2)
        obey(words[at][0] == '-' && words[at][1] && !words[at][2] ? words[at][1] : '?', words[at + 1]);
    if (at + 1 >= count)
        fail("no program", "");
    signal(SIGPIPE, SIG_DFL); /* Python ignores these two, and a bot would inherit that */
    signal(SIGXFSZ, SIG_DFL);
    execv(words[at + 1], words + at + 1);
    fail(words[at + 1], strerror(errno));
}
