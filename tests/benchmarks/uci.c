/* A chess engine that answers at once, for benchmarks: what is left of a ply's cost is the arbiter's.

     cc -O2 -o uci uci.c
     ./uci          draws by threefold repetition after 48 plies
     ./uci short    the same after 8

   It knows no chess. A knight of White goes round six squares and one of Black round four others, always in the same order, so the
   move to make follows from how many were made; they never meet, and give no check. Both sides have to be this program. */
#include <stdio.h>
#include <string.h>

static const char *const white[] = {"g1h3", "h3f4", "f4d3", "d3e5", "e5f3", "f3g1"};
static const char *const black[] = {"b8a6", "a6b4", "b4c6", "c6b8"};
static const char *const there_and_back[2][2] = {{"g1f3", "f3g1"}, {"b8c6", "c6b8"}};

static int moves_in(const char *position)
{
    const char *at = strstr(position, " moves ");
    int moves = 0;
    if (!at)
        return 0;
    for (at += 6; (at = strchr(at, ' ')) != NULL; at++)
        moves += at[1] > ' ';
    return moves;
}

int main(int argc, char **argv)
{
    int is_short = argc > 1 && strcmp(argv[1], "short") == 0, made = 0;
    static char line[1 << 16];
    while (fgets(line, sizeof line, stdin)) {
        if (strncmp(line, "position", 8) == 0)
            made = moves_in(line);
        else if (strncmp(line, "go", 2) == 0) {
            int own = made / 2;
            const char *move = made % 2 ? black[own % 4] : white[own % 6];
            if (is_short)
                move = there_and_back[made % 2][own % 2];
            printf("info depth 1 score cp 0 pv %s\nbestmove %s\n", move, move);
        } else if (strncmp(line, "isready", 7) == 0)
            puts("readyok");
        else if (strcmp(line, "uci\n") == 0)
            puts("id name knights\nid author khiva-arena\nuciok");
        else if (strncmp(line, "quit", 4) == 0)
            return 0;
        fflush(stdout);
    }
    return 0;
}
