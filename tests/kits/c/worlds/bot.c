/* Prints worlds that a view allows, and plays one in six positions on at random to its end, printing each position; then it
   chooses as search does. */
#include "kit.h"
#include "khiva_view.h"
#include "search.h"

#define WORLDS_PRINTED 4
#define PLAYED_ON 6

static void print_list(const khiva_list *list)
{
    fputs(" |", stderr);
    for (int i = 0; i < list->count; i++)
        fprintf(stderr, " %d", list->item[i]);
}

static void print_state(const khiva_rules *rules, const khiva_state *s)
{
    fprintf(stderr, "%d %d %d %d %d %u %d", s->turn, s->deal, s->kind, s->ending, s->camel, s->winners, s->supply);
    if (s->kind > KHIVA_PLAY_PASS) {
        fprintf(stderr, " asks %d %d", s->asker, s->card);
        print_list(&s->lands);
    }
    for (int camel = 0; camel < KHIVA_CAMELS; camel++) {
        fprintf(stderr, " camel %d %d", s->place[camel], s->load[camel]);
        for (int i = 0; i < s->bids[camel].count; i++)
            fprintf(stderr, " %d %d", s->bids[camel].item[i], s->bidder[s->bids[camel].item[i]]);
    }
    for (int seat = 0; seat < s->seats; seat++) {
        int score = khiva_score(s, seat), rank = khiva_rank(rules, s, seat);
        fprintf(stderr, " seat %d %d %d %d", khiva_choices(rules, s, seat), s->gems[seat], score, rank);
        print_list(&s->hand[seat]);
        print_list(&s->carpets[seat]);
        print_list(&s->delivered[seat]);
        print_list(&s->teapots[seat]);
        print_list(&s->salts[seat]);
    }
    fputs(" piles", stderr);
    print_list(&s->aside);
    print_list(&s->shown);
    print_list(&s->discard);
    print_list(&s->teapot_pile);
    print_list(&s->carpet_pile);
    print_list(&s->salt_pile);
    fputc(' ', stderr);
    for (int i = 0; i < KHIVA_SECRET; i++)
        fprintf(stderr, "%02x", s->secret[i]);
    fputc('\n', stderr);
}

static void play_on(const khiva_rules *rules, khiva_state *s, khiva_stream *stream)
{
    while (s->kind != KHIVA_OVER) {
        int choices[KHIVA_SEATS] = {0};
        for (int seat = 0; seat < s->seats; seat++)
            if (khiva_choices(rules, s, seat) > 0)
                choices[seat] = (int)khiva_below(stream, (uint64_t)khiva_choices(rules, s, seat));
        if (!khiva_apply(rules, s, choices))
            exit(1);
        print_state(rules, s);
    }
}

static long choose(const kit_decide *decide, const kit_match *match, void *own)
{
    static const char *const labels[] = {"worlds"};
    static khiva_view view;
    static khiva_knowledge knowledge;
    khiva_rules rules;
    khiva_state world;
    khiva_stream stream;
    kit_cursor map;
    unsigned char secret[KHIVA_SECRET];
    (void)own;
    if (!kit_find(match->hello, "rules", &map) || !khiva_read_rules(map, &rules) || !khiva_read_view(decide->view, &view))
        return 0;
    if (!khiva_lottery("worlds", match->seed, decide->view, secret) || !khiva_think(&knowledge, &view))
        return 0;
    khiva_stream_begin(&stream, secret, labels, 1);
    for (int i = 0; i < WORLDS_PRINTED; i++) {
        if (!khiva_world(&world, &view, &knowledge, &stream))
            return 0;
        print_state(&rules, &world);
    }
    if (decide->req % PLAYED_ON == 0)
        play_on(&rules, &world, &stream);
    return khiva_lottery("search", match->seed, decide->view, secret) ? search(&view, &rules, secret) : 0;
}

int main(void)
{
    return kit_play("worlds-c", choose, NULL);
}
