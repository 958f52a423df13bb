/* The floor under every arbiter: requests and replies through pipes, and nothing else. No codec, no rules, no clocks.

     cc -O2 -o pingpong pingpong.c
     ./pingpong [-n CHILDREN] [-r REQUEST_BYTES] [-a REPLY_BYTES] [-s SECONDS]        (defaults: 4, 750, 26, 1)

   Two modes, each for SECONDS: "sequential" is one child, asked and read in turn; "lockstep" is CHILDREN of them: all are
   written to, then all are read, as a simultaneous decision is. Prints one line of JSON: for each mode decisions (replies),
   decisions per second, and microseconds of CPU per decision, of parent and children together and of the parent alone. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST 64

static unsigned char bytes[1 << 20];

static void give_up(const char *what)
{
    perror(what);
    exit(1);
}

static int read_all(int descriptor, size_t size)
{
    size_t have = 0;
    while (have < size) {
        ssize_t got = read(descriptor, bytes + have, size - have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return 0;
        have += (size_t)got;
    }
    return 1;
}

static void write_all(int descriptor, size_t size)
{
    size_t sent = 0;
    while (sent < size) {
        ssize_t put = write(descriptor, bytes + sent, size - sent);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            give_up("write");
        sent += (size_t)put;
    }
}

static double wall(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double cpu(int who)
{
    struct rusage usage;
    getrusage(who, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
           + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void run(const char *mode, int children, size_t request, size_t reply, double seconds)
{
    int to[MOST], from[MOST], i, j;
    double began, parent, all, took;
    unsigned long decisions = 0;
    double children_before = cpu(RUSAGE_CHILDREN);
    fflush(stdout);
    for (i = 0; i < children; i++) {
        int down[2], up[2];
        pid_t pid;
        if (pipe(down) || pipe(up))
            give_up("pipe");
        pid = fork();
        if (pid < 0)
            give_up("fork");
        if (pid == 0) {
            for (j = 0; j < i; j++) { /* else the earlier children would never see the end of their input */
                close(to[j]);
                close(from[j]);
            }
            close(down[1]);
            close(up[0]);
            while (read_all(down[0], request))
                write_all(up[1], reply);
            _exit(0);
        }
        close(down[0]);
        close(up[1]);
        to[i] = down[1];
        from[i] = up[0];
    }
    for (i = 0; i < children; i++) { /* once round, so that forks are over before the clock starts */
        write_all(to[i], request);
        if (!read_all(from[i], reply))
            give_up("read");
    }
    began = wall();
    parent = cpu(RUSAGE_SELF);
    do {
        int round;
        for (round = 0; round < 100; round++) {
            for (i = 0; i < children; i++)
                write_all(to[i], request);
            for (i = 0; i < children; i++)
                if (!read_all(from[i], reply))
                    give_up("read");
        }
        decisions += 100ul * (unsigned long)children;
    } while (wall() - began < seconds);
    took = wall() - began;
    parent = cpu(RUSAGE_SELF) - parent;
    for (i = 0; i < children; i++)
        close(to[i]);
    while (wait(NULL) > 0 || errno == EINTR)
        ;
    for (i = 0; i < children; i++)
        close(from[i]);
    all = parent + cpu(RUSAGE_CHILDREN) - children_before;
    printf("\"%s\": {\"children\": %d, \"decisions\": %lu, ", mode, children, decisions);
    printf("\"per_second\": %.0f, \"cpu_us\": %.3f, \"parent_cpu_us\": %.3f}", (double)decisions / took,
           1e6 * all / (double)decisions, 1e6 * parent / (double)decisions);
}

int main(int argc, char **argv)
{
    int children = 4, option;
    long request = 750, reply = 26;
    double seconds = 1.0;
    while ((option = getopt(argc, argv, "n:r:a:s:")) != -1) {
        if (option == 'n')
            children = atoi(optarg);
        else if (option == 'r')
            request = atol(optarg);
        else if (option == 'a')
            reply = atol(optarg);
        else if (option == 's')
            seconds = atof(optarg);
        else
            return 2;
    }
    /* Up to 60,000 bytes a request and all replies fit into the pipes, so that lockstep cannot deadlock. */
    if (children < 1 || children > MOST || request < 1 || request > 60000 || reply < 1 || reply > 60000 || seconds <= 0) {
        fprintf(stderr, "usage: pingpong [-n 1..%d] [-r 1..60000] [-a 1..60000] [-s seconds]\n", MOST);
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    printf("{\"request_bytes\": %ld, \"reply_bytes\": %ld, ", request, reply);
    run("sequential", 1, (size_t)request, (size_t)reply, seconds);
    printf(", ");
    run("lockstep", children, (size_t)request, (size_t)reply, seconds);
    printf("}\n");
    return 0;
}
