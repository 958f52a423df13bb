/* The map of Silk Road: the ways of a caravan to its target, and where it can stop (S3). */
#ifndef SILK_ROAD_BOARD_H
#define SILK_ROAD_BOARD_H

#include "state.h"

/* Points to the places that roads lead to from a place, or to the one that a signpost for the target shows; returns how many. */
static inline int silk_road_next(const silk_road_rules *rules, int place, int target, const uint8_t **next)
{
    if (place >= rules->cities) {
        *next = rules->post + (place - rules->cities) * rules->cities + target;
        if (**next != SILK_ROAD_GONE)
            return 1;
    }
    *next = rules->to + rules->road[place];
    return rules->road[place + 1] - rules->road[place];
}

/* Marks the target and the places from which roads lead to it without entering another city. */
static inline void silk_road_near(const silk_road_rules *rules, int target, uint8_t near[SILK_ROAD_PLACES])
{
    int places = rules->cities + rules->villages, is_growing = 1;
    memset(near, 0, SILK_ROAD_PLACES);
    near[target] = 1;
    while (is_growing) {
        is_growing = 0;
        for (int place = 0; place < places; place++) {
            const uint8_t *next;
            int count = silk_road_next(rules, place, target, &next);
            for (int i = 0; i < count && !near[place]; i++)
                if (near[next[i]] && (next[i] >= rules->cities || next[i] == target))
                    is_growing = near[place] = 1;
        }
    }
}

/* Writes how many ways lead from a place to a target, no place twice, then the places of each. Returns how many steps they have,
   more than SILK_ROAD_STEPS if they are too many. budget: how many places may still be looked at. */
static inline int silk_road_search(const silk_road_rules *rules, const uint8_t *near, int here, int target, int *budget,
                                   uint8_t found[SILK_ROAD_STEPS + 1])
{
    uint8_t path[SILK_ROAD_PLACES], at[SILK_ROAD_PLACES] = {0}, is_on[SILK_ROAD_PLACES] = {0};
    int length = 1, steps = 0;
    path[0] = (uint8_t)here;
    is_on[here] = 1;
    found[0] = 0;
    --*budget;
    while (length > 0 && *budget >= 0) {
        int place = path[length - 1], step;
        const uint8_t *next;
        if (at[length - 1] == silk_road_next(rules, place, target, &next)) {
            is_on[place] = 0;
            length--;
            continue;
        }
        step = next[at[length - 1]++];
        if (step == target) {
            if ((steps += length) > SILK_ROAD_STEPS)
                return steps;
            memcpy(found + 1 + steps - length, path + 1, (size_t)length - 1);
            found[steps] = (uint8_t)target;
            found[0]++;
        } else if (step >= rules->cities && near[step] && !is_on[step]) {
            at[length] = 0;
            is_on[step] = 1;
            path[length++] = (uint8_t)step;
            --*budget;
        }
    }
    return steps;
}

/* Points to the ways from a place to a target: how many, then the places of each. found: room for them. */
static inline const uint8_t *silk_road_ways(const silk_road_rules *rules, int here, int target,
                                            uint8_t found[SILK_ROAD_STEPS + 1])
{
    int pair = here * rules->cities + target, budget = SILK_ROAD_SEARCH;
    uint8_t near[SILK_ROAD_PLACES];
    if (pair < SILK_ROAD_PAIRS && rules->way[pair])
        return rules->ways + rules->way[pair];
    silk_road_near(rules, target, near);
    if (here == target || silk_road_search(rules, near, here, target, &budget, found) > SILK_ROAD_STEPS)
        found[0] = 0;
    return found;
}

/* Works out the ways of a map. Returns 0 if they are too many, a city cannot be reached from another one, or a village is on no
   way between cities. */
static inline int silk_road_find_ways(silk_road_rules *rules)
{
    int places = rules->cities + rules->villages, budget = SILK_ROAD_SEARCH, used = 1;
    uint8_t near[SILK_ROAD_PLACES], found[SILK_ROAD_STEPS + 1], is_used[SILK_ROAD_PLACES] = {0};
    for (int target = 0; target < rules->cities; target++) {
        silk_road_near(rules, target, near);
        for (int here = 0; here < places; here++) {
            int pair = here * rules->cities + target, steps, length = 0;
            if (here == target || (!near[here] && here >= rules->cities))
                continue;
            steps = silk_road_search(rules, near, here, target, &budget, found);
            if (steps == 0 || steps > SILK_ROAD_STEPS || budget < 0)
                return 0;
            for (int i = 1; i <= steps; i++) {
                is_used[found[i]] |= here < rules->cities;
                length++;
                rules->longest = (uint8_t)(length > rules->longest ? length : rules->longest);
                length = found[i] == target ? 0 : length;
            }
            if (pair < SILK_ROAD_PAIRS && used + steps < SILK_ROAD_WAYS) {
                rules->way[pair] = (uint16_t)used;
                memcpy(rules->ways + used, found, (size_t)steps + 1);
                used += steps + 1;
            }
        }
    }
    return memchr(is_used + rules->cities, 0, rules->villages) == NULL;
}

/* Sorts roads, [from, to], by the place that they lead from, into the rules. */
static inline void silk_road_lay_roads(silk_road_rules *rules, const uint8_t roads[SILK_ROAD_ROADS][2], int count)
{
    int places = rules->cities + rules->villages, used = 0;
    for (int place = 0; place < places; place++) {
        rules->road[place] = (uint16_t)used;
        for (int i = 0; i < count; i++)
            if (roads[i][0] == place)
                rules->to[used++] = roads[i][1];
    }
    rules->road[places] = (uint16_t)used;
}

/* Adds a place with a name of so many bytes. */
static inline void silk_road_add_place(silk_road_rules *rules, int place, const char *name, uint32_t size)
{
    memcpy(rules->names + rules->name[place], name, size);
    rules->name[place + 1] = (uint16_t)(rules->name[place] + size);
}

/* Lays out the map r1 (O1). */
static inline void silk_road_lay_r1(silk_road_rules *rules)
{
    static const char *const names[28] = {
        "Byzanz", "Samarkand", "Tashkent", "Chang'an", "Amritsar", "Isfahan", "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7",
        "r8", "r9", "out_Byz", "in_Byz", "out_Sam", "in_Sam", "out_Tas", "in_Tas", "out_Cha", "in_Cha", "out_Amr", "in_Amr",
        "out_Isf", "in_Isf"};
    static const uint8_t joins[6] = {1, 3, 4, 6, 8, 9}, leaves[6] = {0, 2, 3, 5, 7, 8}; /* the ring, from and to each city */
    static const uint8_t start[3] = {2, 4, 3}, target[3] = {5, 1, 0};
    uint8_t roads[SILK_ROAD_ROADS][2];
    int count = 0;
    rules->cities = 6, rules->villages = 22;
    memcpy(rules->start, start, sizeof start);
    memcpy(rules->target, target, sizeof target);
    memset(rules->post, SILK_ROAD_GONE, sizeof rules->post);
    for (int place = 0; place < 28; place++)
        silk_road_add_place(rules, place, names[place], (uint32_t)strlen(names[place]));
    for (int i = 0; i < 10; i++, count++)
        roads[count][0] = (uint8_t)(6 + i), roads[count][1] = (uint8_t)(6 + (i + 1) % 10);
    for (int city = 0; city < 6; city++) {
        uint8_t here = (uint8_t)city, out = (uint8_t)(16 + 2 * city), in = (uint8_t)(out + 1), join = (uint8_t)(6 + joins[city]);
        uint8_t leave = (uint8_t)(6 + leaves[city]);
        const uint8_t pairs[6][2] = {{here, out}, {out, join}, {here, in}, {in, here}, {in, leave}, {leave, in}};
        memcpy(roads + count, pairs, sizeof pairs);
        count += 6;
        rules->post[(leave - 6) * 6 + city] = in;
    }
    silk_road_lay_roads(rules, (const uint8_t(*)[2])roads, count);
}

/* Writes the rules that hold where nothing else is said. */
static inline void silk_road_default_rules(silk_road_rules *rules)
{
    int count = 0;
    memset(rules, 0, sizeof *rules);
    rules->drop_tied = rules->choose_dump = rules->extra_optional = rules->shuffle_at_once = 1;
    rules->most_cards = SILK_ROAD_PER_GOOD;
    rules->max_turns = 400;
    for (int tile = 0; tile < SILK_ROAD_TILES; tile++) /* O2 A */
        for (int i = 0; i < (tile <= SILK_ROAD_TILE_BLACK ? 1 : 2); i++)
            rules->tiles[count++] = (uint8_t)tile;
    silk_road_lay_r1(rules);
    silk_road_find_ways(rules);
}

/* --- moves --- */

/* The moves of a seat. held: by number of cards, how many goods it holds so often. stop: by size, 128 * cards + place, rising. */
typedef struct {
    int most, held[SILK_ROAD_PER_GOOD + 1], stops[SILK_ROAD_SIZES];
    uint16_t stop[SILK_ROAD_SIZES][SILK_ROAD_STEPS];
} silk_road_moves;

/* Writes where a caravan can stop with up to `most` cards, and returns how many entries that makes (S2, S3). */
static inline int silk_road_stops(const silk_road_rules *rules, const silk_road_state *s, int i, int most, uint16_t *stop)
{
    uint8_t found[SILK_ROAD_STEPS + 1];
    const uint8_t *way = silk_road_ways(rules, s->place[i], s->target[i], found);
    int other = s->place[(i + 1) % 3], another = s->place[(i + 2) % 3], count = 0;
    for (int left = *way++; left > 0; left--) {
        int cards = 0, place;
        do {
            place = *way++;
            if (cards < most && place != other && place != another) {
                int key = 128 * ++cards + place, at = count;
                while (at > 0 && stop[at - 1] > key)
                    at--;
                if (at > 0 && stop[at - 1] == key)
                    continue;
                memmove(stop + at + 1, stop + at, (size_t)(count++ - at) * sizeof *stop);
                stop[at] = (uint16_t)key;
            }
        } while (place != s->target[i] && (left > 1 || cards < most));
    }
    return count;
}

/* Lists the moves of a seat, and returns how many there are (S2, S3, O5). */
static inline int silk_road_list_moves(const silk_road_rules *rules, const silk_road_state *s, int seat, silk_road_moves *moves)
{
    int count = 0, most = 0;
    memset(moves->held, 0, sizeof moves->held);
    for (int good = 0; good < SILK_ROAD_GOODS; good++) {
        int held = s->hand[seat][good] < rules->most_cards ? s->hand[seat][good] : rules->most_cards;
        most = held > most ? held : most;
        for (int cards = 1; cards <= held; cards++)
            moves->held[cards]++;
    }
    moves->most = most;
    for (int i = 0; i < SILK_ROAD_SIZES; i++) {
        moves->stops[i] = s->place[i] == SILK_ROAD_GONE ? 0 : silk_road_stops(rules, s, i, most, moves->stop[i]);
        for (int j = 0; j < moves->stops[i]; j++)
            count += moves->held[moves->stop[i][j] >> 7];
    }
    return count;
}

/* Writes good, cards, size and place of a move: by number of cards, then good, then size, then place. Returns 0 if there is no
   such choice. */
static inline int silk_road_find_move(const silk_road_state *s, int seat, const silk_road_moves *moves, int choice, int move[4])
{
    int from[SILK_ROAD_SIZES] = {0, 0, 0};
    for (int cards = 1; cards <= moves->most && choice >= 0; cards++) {
        int ends[SILK_ROAD_SIZES], stops = 0;
        for (int i = 0; i < SILK_ROAD_SIZES; i++) {
            for (ends[i] = from[i]; ends[i] < moves->stops[i] && moves->stop[i][ends[i]] >> 7 == cards;)
                ends[i]++;
            stops += ends[i] - from[i];
        }
        if (choice < stops * moves->held[cards]) {
            int good = -1, i = 0, stop = choice % stops;
            for (int left = choice / stops; left >= 0; left--)
                do
                    good++;
                while (s->hand[seat][good] < cards);
            while (stop >= ends[i] - from[i])
                stop -= ends[i] - from[i], i++;
            move[0] = good, move[1] = cards, move[2] = i + 1, move[3] = moves->stop[i][from[i] + stop] & 127;
            return 1;
        }
        choice -= stops * moves->held[cards];
        memcpy(from, ends, sizeof from);
    }
    return 0;
}

#endif
