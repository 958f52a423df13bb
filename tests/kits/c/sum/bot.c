/* The sum of a value: for tests of what the kit makes of bytes. */
#define _XOPEN_SOURCE 600
#include <signal.h>

#include "kit.h"

#define M 2147483647

static void nothing(int signal)
{
    (void)signal;
}

static int64_t fold(int64_t start, int64_t part)
{
    return (start * 31 + part) % M;
}

static int64_t total(kit_cursor *c)
{
    int64_t sum = 6;
    uint32_t size;
    const char *text;
    switch (kit_peek(*c)) {
    case KIT_NIL: kit_skip(c); return 1;
    case KIT_BOOL: return kit_bool(c) ? 3 : 2;
    case KIT_INT: return fold(4, (kit_int(c) % M + M) % M);
    case KIT_STR:
        text = kit_str(c, &size);
        for (sum = 5; size > 0; size--)
            sum = fold(sum, (unsigned char)*text++);
        return sum;
    case KIT_ARRAY:
        for (size = kit_array(c); size > 0; size--)
            sum = fold(sum, total(c));
        return sum;
    case KIT_MAP:
        for (size = kit_map(c); size > 0; size--) {
            int64_t key = total(c);
            sum = (sum + key * 31 + total(c)) % M;
        }
        return sum;
    default:
        kit_note("a value that the protocol does not have");
        exit(1);
    }
}

static long choose(const kit_decide *decide, const kit_match *match, void *own)
{
    kit_cursor value;
    (void)match;
    (void)own;
    printf("noise %lld\n", (long long)decide->req);
    fflush(stdout);
    return kit_find(decide->view, "value", &value) ? (long)total(&value) : -1;
}

int main(void)
{
    struct sigaction action = {.sa_handler = nothing}; /* without SA_RESTART: it cuts a read short */
    sigaction(SIGUSR1, &action, NULL);
    return kit_play("süm", choose, NULL);
}
