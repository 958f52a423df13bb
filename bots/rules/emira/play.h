/* The flow of Emira: set-up, the eight phases of a round, who is asked, what an answer does, the end. */
#ifndef EMIRA_PLAY_H
#define EMIRA_PLAY_H

#include "upkeep.h"

/* An entry of `legal`, item by item: numbers as they are, words by their enum (kinds of counters, event cards, Emiras, types of
   caravans, actions, words of `mind`), a status card by its price. `play`: EMIRA_NONE is "none". `bid`: 0 is "pass", 1 "grant".
   `split`: 0 is "odd", 1 "even". `gift`: 0 is "refuse", 1 "pay". */
typedef struct {
    int count, item[EMIRA_ENTRY];
} emira_entry;

/* --- set-up --- */

/* Takes an empty table to the first question: which event card to keep (E14-E17). */
static inline void emira_set_up(emira_match *m)
{
    emira_state *s = m->s;
    emira_table *t = m->t;
    uint8_t lots[EMIRA_EMIRAS] = {0, 1, 2, 3, 4};
    int blue = 0;
    emira_shuffle(s, "colours", 1, lots, 5);
    memcpy(t->colours, lots, t->seats);
    t->start = (uint8_t)emira_lot(s, "start", 1, t->seats);
    for (int item = 0; item < EMIRA_ITEMS; item++)
        t->supply[item] = (uint8_t)emira_stock(item, t->seats);
    for (int seat = 0; seat < t->seats; seat++) {
        t->gold[seat] = EMIRA_START_GOLD;
        switch (t->colours[seat]) {
        case EMIRA_GREEN: t->camels[seat]++, t->supply[EMIRA_CAMELS]--; break;
        case EMIRA_WHITE: t->sections[seat]++, t->supply[EMIRA_SECTIONS]--; break;
        case EMIRA_RED: t->status[seat][EMIRA_RED_CARD]++; break;
        case EMIRA_BLUE: t->counters[seat][EMIRA_DRESS]++, blue = 1; break;
        default: break;
        }
    }
    for (int kind = 0; kind < EMIRA_COUNTERS; kind++)
        t->bag[kind] = (uint8_t)(emira_stock_of_counters(kind, t->seats) - (kind == EMIRA_DRESS && blue));
    emira_deal_status(s);
    for (int goal = 0; goal < EMIRA_GOALS_MOST; goal++)
        lots[goal] = (uint8_t)goal;
    emira_shuffle(s, "goals", 1, lots, emira_goals(t->seats));
    memcpy(s->goals, lots, t->seats);
    for (int card = 0; card < EMIRA_EMIRAS; card++)
        lots[card] = (uint8_t)card;
    emira_shuffle(s, "emiras", 1, lots, EMIRA_EMIRAS);
    emira_lay(&s->emiras, lots, EMIRA_EMIRAS);
    emira_deal_events(s, m->rules->advanced);
    t->kind = EMIRA_FIRST_EVENT;
}

/* Lets each seat keep one of its three event cards, and shuffles the others back (E17). choices: by seat, among its cards. */
static inline void emira_keep_first(emira_match *m, const int choices[EMIRA_SEATS])
{
    emira_state *s = m->s;
    uint8_t stock[EMIRA_EVENTS] = {0}, cards[EMIRA_EVENTS * EMIRA_COPIES];
    int count;
    for (int i = 1; i <= s->events.card[0]; i++)
        stock[s->events.card[i]]++;
    for (int seat = 0; seat < m->t->seats; seat++) {
        uint32_t dealt = emira_held(s->hand[seat], EMIRA_EVENTS);
        int kept = emira_bit(dealt, dealt & (dealt - 1) ? choices[seat] : 0);
        s->hand[seat][kept]--;
        emira_note(m, EMIRA_LINE_DEAL, 2, seat, kept, 0);
        for (int card = 0; card < EMIRA_EVENTS; card++)
            for (; s->hand[seat][card] > 0; s->hand[seat][card]--) {
                stock[card]++;
                emira_note_item(m->memory, card);
            }
        s->hand[seat][kept] = 1;
    }
    count = emira_rising(stock, EMIRA_EVENTS, cards);
    emira_shuffle(s, "events", 2, cards, count);
    emira_lay(&s->events, cards, count);
    emira_later(m, EMIRA_DO_NEW_ROUND, 0);
}

/* --- a round --- */

/* Tells whether a round has a phase (E18); with three players odd and even rounds differ (E38, O6). */
static inline int emira_has_phase(const emira_rules *rules, const emira_table *t, int phase)
{
    int three = t->seats == 3, odd = t->round % 2;
    if (phase == EMIRA_IN_EVENTS)
        return (!three || odd) && (t->round > 1 || rules->advanced); /* E19 */
    if (phase == EMIRA_IN_BUY)
        return !three || (!odd && rules->buys_3p);
    return phase > EMIRA_IN_SETUP;
}

/* Puts the phases of this round after a phase on the tasks, and the end of the round. */
static inline void emira_later_phases(emira_match *m, int after)
{
    for (int phase = EMIRA_AT_END; phase > after; phase--)
        if (emira_has_phase(m->rules, m->t, phase))
            emira_later(m, phase, 0);
}

/* Begins a round. */
static inline void emira_new_round(emira_match *m)
{
    emira_table *t = m->t;
    t->round++;
    t->blocked = t->fresh = 0;
    t->golden = t->doubles = t->interrupted = t->sick = t->quiet = 0;
    t->early = 1;
    t->bazaar = t->noble = EMIRA_NOBODY;
    t->settled = t->paid = 0;
    emira_later_phases(m, EMIRA_IN_SETUP);
}

/* Pays a seat its base income, and what its caravans bring, which then move on (E1, E36). */
static inline void emira_earn(const emira_rules *rules, emira_table *t, int seat)
{
    int32_t gold = t->colours[seat] == EMIRA_BLACK ? rules->black_income : rules->base_income;
    for (int type = 0; type < EMIRA_CARAVANS && !t->interrupted; type++) {
        uint8_t *caravans = t->caravans[seat][type];
        for (int left = 0; left < EMIRA_LEFT; left++)
            gold += caravans[left] * emira_caravan_income(type);
        t->supply[type / 2] = (uint8_t)(t->supply[type / 2] + caravans[0]);
        memmove(caravans, caravans + 1, EMIRA_LEFT - 1);
        caravans[EMIRA_LEFT - 1] = 0;
    }
    t->gold[seat] += gold + gold * t->golden / 5;
}

/* Draws the Emiras of this round and, with three players, of the next one (E20, E38). */
static inline void emira_prepare(emira_match *m)
{
    emira_table *t = m->t;
    uint8_t *deck = m->s->emiras.card;
    int later, now = emira_to_draw(t, &later);
    if (t->seats == 3 && t->round % 2 == 0) {
        memcpy(t->active, t->coming, sizeof t->active);
        memset(t->coming, 0, sizeof t->coming);
        if (t->supply[EMIRA_SECTIONS] > 0)
            t->open |= 1u << EMIRA_SECTIONS;
        return;
    }
    memset(t->active, 0, sizeof t->active);
    memset(t->coming, 0, sizeof t->coming);
    if (now + later > 0 && deck[0] > 0)
        emira_note(m, EMIRA_LINE_EMIRAS, 0, 0, 0, 0);
    for (int i = 0; i < now + later && deck[0] > 0; i++) {
        int card = emira_draw(&m->s->emiras);
        emira_push(i < now ? t->active : t->coming, card);
        emira_note_item(m->memory, card);
    }
    emira_later(m, EMIRA_DO_OPEN_BOARD, 0);
    emira_later(m, EMIRA_DO_SHOW_COUNTER, 0);
    emira_later(m, EMIRA_DO_SHOW_STATUS, 0);
}

/* Plays phase 8, the end of a round or of the match (E32, E41). */
static inline void emira_end_round(emira_match *m)
{
    emira_table *t = m->t;
    m->s->winners = (uint8_t)emira_winners(m->s);
    if (m->s->winners || t->round >= m->rules->max_rounds) {
        t->ending = m->s->winners ? EMIRA_BY_GOAL : EMIRA_BY_ROUNDS;
        return;
    }
    t->start = (uint8_t)emira_left(t->start, t->seats);
    emira_later(m, EMIRA_DO_NEW_ROUND, 0);
}

/* Begins a phase. */
static inline void emira_begin(emira_match *m, int phase)
{
    emira_table *t = m->t;
    int before = t->phase;
    t->phase = (uint8_t)phase;
    switch (phase) {
    case EMIRA_IN_EVENTS: emira_later(m, EMIRA_DO_PLAY, 0); break;
    case EMIRA_IN_INCOME:
        for (int seat = 0; seat < t->seats; seat++)
            emira_earn(m->rules, t, seat);
        emira_later(m, EMIRA_DO_RECHECK, 0);
        break;
    case EMIRA_IN_PREPARE: emira_prepare(m); break;
    case EMIRA_IN_AUCTION: emira_open_phase(m); break;
    case EMIRA_IN_BUY: emira_later(m, EMIRA_DO_BUY, 0); break;
    case EMIRA_IN_CHOICE: emira_later(m, EMIRA_DO_CHOOSE, 0); break;
    case EMIRA_IN_UPKEEP:
        emira_later(m, EMIRA_DO_RECHECK, 0);
        emira_later(m, EMIRA_DO_UPKEEP, 0);
        break;
    default:
        emira_end_round(m);
        t->phase = (uint8_t)(t->ending ? phase : before);
        break;
    }
}

/* Does a task. */
static inline void emira_do(emira_match *m, int task, int about)
{
    switch (task) {
    case EMIRA_DO_PLAY: emira_play_turn(m, about); break;
    case EMIRA_DO_INFEST: emira_infest(m, about % 8, about / 8); break;
    case EMIRA_DO_SHOW_STATUS: emira_show_status(m); break;
    case EMIRA_DO_SHOW_COUNTER: emira_show_counter(m); break;
    case EMIRA_DO_OPEN_BOARD: emira_open_board(m->t); break;
    case EMIRA_DO_OPEN_AUCTION: emira_open_auction(m); break;
    case EMIRA_DO_GO_ON: emira_go_on(m, about); break;
    case EMIRA_DO_ACTION: emira_ask_action(m, about); break;
    case EMIRA_DO_PAY: emira_pay(m, about); break;
    case EMIRA_DO_CLOSE_PHASE: emira_close_phase(m); break;
    case EMIRA_DO_BUY: emira_buy_turn(m, about); break;
    case EMIRA_DO_CHOOSE: emira_choose_next(m); break;
    case EMIRA_DO_UPKEEP: emira_upkeep_turn(m, about); break;
    case EMIRA_DO_RECHECK: emira_recheck(m); break;
    case EMIRA_DO_NEW_ROUND: emira_new_round(m); break;
    default: emira_begin(m, task); break;
    }
}

/* Does the tasks until a question is open or nothing is left. */
static inline void emira_run(emira_match *m)
{
    emira_state *s = m->s;
    emira_settle_bonus(m->t);
    while (s->tasks > 0 && m->t->kind == EMIRA_OVER) {
        s->tasks--;
        emira_do(m, s->todo[2 * s->tasks], s->todo[2 * s->tasks + 1]);
        emira_settle_bonus(m->t);
    }
}

/* --- questions and answers --- */

/* Returns the mask of the seats that are asked, 0 when the match is over. */
static inline unsigned emira_asked(const emira_rules *rules, const emira_state *s)
{
    unsigned seats = 0;
    (void)rules;
    if (s->table.kind == EMIRA_OVER)
        return 0;
    if (s->table.kind != EMIRA_FIRST_EVENT)
        return 1u << s->table.asker;
    for (int seat = 0; seat < s->table.seats; seat++) {
        uint32_t dealt = emira_held(s->hand[seat], EMIRA_EVENTS);
        seats |= (dealt & (dealt - 1) ? 1u : 0u) << seat;
    }
    return seats;
}

/* Returns the kind of a seat's decision, EMIRA_OVER if it is not asked. */
static inline int emira_kind_of(const emira_state *s, int seat)
{
    return seat >= 0 && seat < s->table.seats && emira_asked(NULL, s) >> seat & 1 ? (int)s->table.kind : (int)EMIRA_OVER;
}

/* Returns how many choices a seat has; 0 if it is not asked. */
static inline int emira_choices(const emira_rules *rules, const emira_state *s, int seat)
{
    (void)rules;
    switch (emira_kind_of(s, seat)) {
    case EMIRA_OVER: return 0;
    case EMIRA_FIRST_EVENT: return emira_bits(emira_held(s->hand[seat], EMIRA_EVENTS));
    case EMIRA_BID: return 1 + (int)(s->options & 1) + (int)(s->options >> 1);
    default: return emira_bits(s->options);
    }
}

/* Returns which of all entries of its kind a choice of a seat that is asked is. A bid is 0 for a pass, 1 for the grant, 2 and
   more for the amounts, rising. */
static inline int emira_option(const emira_state *s, int seat, int choice)
{
    if (s->table.kind == EMIRA_BID)
        return choice == 0 ? 0 : choice + !(s->options & 1);
    return emira_bit(s->table.kind == EMIRA_FIRST_EVENT ? emira_held(s->hand[seat], EMIRA_EVENTS) : s->options, choice);
}

/* Writes what a choice of a seat means: an entry of `legal`; no items if it is none. */
static inline void emira_choice(const emira_rules *rules, const emira_state *s, int seat, int choice, emira_entry *entry)
{
    int option;
    uint8_t places[3];
    memset(entry, 0, sizeof *entry);
    if (choice < 0 || choice >= emira_choices(rules, s, seat))
        return;
    option = emira_option(s, seat, choice);
    entry->count = 1;
    entry->item[0] = option;
    switch (s->table.kind) {
    case EMIRA_PLAY: entry->item[0] = option - 1; break;
    case EMIRA_BUY: entry->item[0] = option > 0 ? option + 1 : 0; break;
    case EMIRA_BID: entry->item[0] = option < 2 ? option : (int)s->table.bid + EMIRA_STEP * (option - 1); break;
    case EMIRA_NOBLE:
    case EMIRA_TAKE_STATUS:
    case EMIRA_DROP_STATUS: entry->item[0] = emira_price(option); break;
    case EMIRA_ORDER:
        entry->count = emira_permutation(option, places);
        for (int i = 0; i < entry->count; i++)
            entry->item[i] = places[i];
        break;
    case EMIRA_CARAVAN:
        entry->count = 2;
        entry->item[0] = option / EMIRA_LEFT, entry->item[1] = option % EMIRA_LEFT + 1;
        break;
    case EMIRA_VERMIN_MOVE:
        entry->item[0]++;
        if (option >= EMIRA_LEFT) {
            entry->count = 2;
            emira_pair(option - EMIRA_LEFT, &entry->item[0], &entry->item[1]);
        }
        break;
    default: break;
    }
}

/* Takes an answer: the option that was chosen. */
static inline void emira_answer(emira_match *m, int seat, int option)
{
    int kind = m->t->kind, about = m->t->about;
    uint8_t places[3] = {0};
    int32_t bid = m->t->bid;
    m->t->kind = EMIRA_OVER, m->t->about = m->t->asker = 0;
    m->s->options = 0;
    switch (kind) {
    case EMIRA_PLAY:
        if (option > 0)
            emira_play_event(m, seat, option - 1);
        break;
    case EMIRA_PLACE: emira_look_at(m, seat, option); break;
    case EMIRA_MIND: emira_answer_mind(m, seat, option, about); break;
    case EMIRA_ORDER: emira_lay_back(m, seat, about, places, emira_permutation(option, places)); break;
    case EMIRA_SPLIT: m->t->early = option == 0; break;
    case EMIRA_GOOD_LOOKING: emira_answer_good_looking(m, seat, option); break;
    case EMIRA_CARAVAN:
        emira_move_caravan(m->t, seat, option / EMIRA_LEFT, option % EMIRA_LEFT + 1, option % EMIRA_LEFT + 2);
        break;
    case EMIRA_VERMIN: emira_send_vermin(m, seat, option, 0); break;
    case EMIRA_VERMIN_MOVE: emira_answer_infest(m, seat, about, option); break;
    case EMIRA_NOBLE: emira_answer_noble(m, seat, option); break;
    case EMIRA_BAZAAR: emira_put_counter(m->t, option); break;
    case EMIRA_BID: emira_answer_bid(m, seat, option < 2 ? option : (int)bid + EMIRA_STEP * (option - 1)); break;
    case EMIRA_ACTION: emira_answer_action(m, seat, option); break;
    case EMIRA_TAKE_APPEARANCE: emira_take_counter(m, seat, option); break;
    case EMIRA_TAKE_STATUS: emira_take_status(m, seat, option); break;
    case EMIRA_BUY: emira_answer_buy(m, seat, option > 0 ? option + 1 : 0); break;
    case EMIRA_KEEP: emira_answer_keep(m, seat, option); break;
    case EMIRA_DROP_APPEARANCE: emira_drop_counter(m, seat, option); break;
    case EMIRA_DROP_STATUS: emira_drop_status(m, seat, option); break;
    case EMIRA_ABDUCT: emira_abduct(m, seat, option); break;
    default:
        if (option == 1)
            emira_give(m, seat);
        else
            emira_move_on(m, seat, EMIRA_REFUSED);
        break;
    }
}

/* Plays choices that are known to be such, in a match that is not over. */
static inline void emira_play(emira_match *m, const int choices[EMIRA_SEATS])
{
    int seat = m->t->asker;
    if (m->t->kind == EMIRA_FIRST_EVENT) {
        m->t->kind = EMIRA_OVER;
        emira_keep_first(m, choices);
    } else {
        emira_answer(m, seat, emira_option(m->s, seat, choices[seat]));
    }
    emira_run(m);
}

/* Plays the choices of all who are asked, by seat; those of others are not read. memory: of this match, or NULL. Returns
   EMIRA_OK, or EMIRA_BAD_CHOICE with nothing changed if a choice is none or the match is over. */
static inline int emira_apply(const emira_rules *rules, emira_state *s, emira_memory *memory, const int choices[EMIRA_SEATS])
{
    emira_match match = {rules, &s->table, s, memory};
    unsigned asked = emira_asked(rules, s);
    if (asked == 0)
        return EMIRA_BAD_CHOICE;
    for (int seat = 0; seat < s->table.seats; seat++)
        if (asked >> seat & 1 && (choices[seat] < 0 || choices[seat] >= emira_choices(rules, s, seat)))
            return EMIRA_BAD_CHOICE;
    emira_play(&match, choices);
    return EMIRA_OK;
}

/* Tells whether no decision is left. */
static inline int emira_is_over(const emira_state *s)
{
    return s->table.kind == EMIRA_OVER;
}

/* Sets a match up as the arena deals it: all chance comes from the secret. memory: of this match, or NULL. quick: not 0 for other
   chance of the same law, which costs less. Returns EMIRA_OK or EMIRA_BAD_SEATS. */
static inline int emira_new(emira_state *s, emira_memory *memory, const emira_rules *rules, int seats,
                            const unsigned char secret[ARENA_SECRET], int quick)
{
    static const int none[EMIRA_SEATS] = {0};
    emira_match match = {rules, &s->table, s, memory};
    if (seats < 3 || seats > EMIRA_SEATS)
        return EMIRA_BAD_SEATS;
    memset(s, 0, sizeof *s);
    if (memory)
        memory->size = memory->last = 0;
    memcpy(s->secret, secret, ARENA_SECRET);
    s->quick = quick != 0;
    s->table.seats = (uint8_t)seats;
    s->table.early = 1;
    s->table.bazaar = s->table.noble = s->table.xenia_left = EMIRA_NOBODY;
    s->table.bonus_left = rules->bonus_capped ? EMIRA_BONUS_COUNTERS : EMIRA_NOBODY;
    emira_set_up(&match);
    if (emira_asked(rules, s) == 0)
        emira_play(&match, none);
    return EMIRA_OK;
}

/* Plays a match on to its end, each choice equally likely, and returns how many decisions that took. */
static inline int emira_playout(const emira_rules *rules, emira_state *s, arena_stream *stream)
{
    emira_match match = {rules, &s->table, s, NULL};
    int decisions = 0, choices[EMIRA_SEATS] = {0};
    while (s->table.kind != EMIRA_OVER) {
        unsigned asked = emira_asked(rules, s);
        for (int seat = 0; seat < s->table.seats; seat++)
            if (asked >> seat & 1) {
                choices[seat] = (int)arena_below(stream, (uint64_t)emira_choices(rules, s, seat));
                decisions++;
            }
        emira_play(&match, choices);
    }
    return decisions;
}

#endif
