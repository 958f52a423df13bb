/* Plays the strong bot of Khiva against itself, and writes what fit_networks.py fits its networks to: at the end of each turn,
   for each seat, the ROWS numbers that describe it, its rank in the end and the number of the match, as floats.

       khiva_selfplay SEATS MATCHES OWN_WORLDS OTHERS_WORLDS > FILE */
#define KIT_VERSION "1"
#include "kit.h"
#include "khiva.h"
#include "khiva_strong.h"

enum { TURNS = 400, COLUMNS = ROWS + 2 };

static float rows[TURNS * SEATS][COLUMNS];

/* Writes the numbers of each seat after a turn. */
static void describe_turn(const khiva_rules *rules, const khiva_state *s, hands held, float (*row)[COLUMNS])
{
    outlook_table table;
    double shares[SEATS][PLACES], numbers[ROWS];
    share_loads(s->seats, shares);
    table.state = *s;
    lay_outlook(&table, rules, shares);
    for (int seat = 0; seat < s->seats; seat++)
        foresee(&table, seat, held);
    for (int seat = 0; seat < s->seats; seat++) {
        describe_open(&table, seat, numbers);
        describe_hand(&table, seat, held, numbers);
        describe_forecast(&table, seat, held, numbers);
        for (int i = 0; i < ROWS; i++)
            row[seat][i] = (float)numbers[i];
    }
}

/* Plays a match and writes its rows to stdout. */
static void play_match(const khiva_rules *rules, int seats, unsigned match, int own_worlds, int others_worlds)
{
    static khiva_memory memory;
    static khiva_view view;
    khiva_state s;
    arena_stream chance;
    unsigned char secret[ARENA_SECRET];
    int turns = 0, ranks[SEATS];
    hands held;
    arena_stream_quick(&chance, match);
    arena_draw_secret(&chance, secret);
    khiva_new(&s, &memory, rules, seats, secret, 1);
    while (!khiva_is_over(&s) && turns < TURNS) {
        int choices[SEATS] = {0}, turn = s.turn;
        for (int seat = 0; seat < seats; seat++)
            if (khiva_asked(rules, &s) >> seat & 1) {
                khiva_see(rules, &s, &memory, seat, &view);
                choices[seat] = (int)search_strongly(&view, rules, khiva_choices(rules, &s, seat), arena_u64(&chance), own_worlds,
                                                      others_worlds);
            }
        if (s.kind == KHIVA_PLAY_PASS)
            pass_on(&s, choices, held);
        khiva_apply(rules, &s, &memory, choices);
        if (s.kind == KHIVA_PLAY_PASS && s.turn != turn)
            describe_turn(rules, &s, held, rows + seats * turns++);
    }
    khiva_ranks(rules, &s, ranks);
    for (int i = 0; i < seats * turns; i++) {
        rows[i][ROWS] = (float)ranks[i % seats];
        rows[i][ROWS + 1] = (float)match;
    }
    fwrite(rows, sizeof rows[0], (size_t)(seats * turns), stdout);
}

int main(int argc, char **argv)
{
    khiva_rules rules;
    if (argc != 5 || atoi(argv[1]) < 2 || atoi(argv[1]) > SEATS)
        return 2;
    khiva_default_rules(&rules);
    for (int match = 0; match < atoi(argv[2]); match++)
        play_match(&rules, atoi(argv[1]), (unsigned)match, atoi(argv[3]), atoi(argv[4]));
    return 0;
}
