/* Emira's rules map and hello, read as they come from the arbiter with the kit's cursor. */
#ifndef EMIRA_RULES_H
#define EMIRA_RULES_H

#include "../arena/map.h"
#include "state.h"

/* Writes the rules that hold where nothing else is said. */
static inline void emira_default_rules(emira_rules *rules)
{
    static const uint32_t groups[5] = {
        1u << EMIRA_CARD_BAZAAR,
        1u << EMIRA_CARD_CAMEL_BREEDING | 1u << EMIRA_CARD_CAMEL_EPIDEMIC | 1u << EMIRA_CARD_SICK_CAMELS,
        1u << EMIRA_CARD_DOUBLE_TROUBLE | 1u << EMIRA_CARD_QUIET_DAYS,
        1u << EMIRA_CARD_GOLDEN_TIMES | 1u << EMIRA_CARD_INTERRUPT_SPICE_TRADE,
        1u << EMIRA_CARD_NOBLE_MERCHANDISE,
    };
    memset(rules, 0, sizeof *rules);
    for (int group = 0; group < 5; group++)
        for (int card = 0; card < EMIRA_EVENTS; card++)
            if (groups[group] >> card & 1)
                rules->blocks[card] = groups[group];
    rules->base_income = 100;
    rules->black_income = 150;
    rules->grant_at_bid = rules->buys_3p = rules->return_odd = rules->zahrah_under = 1;
    rules->xenia_room = rules->good_looking_all = 1;
    rules->max_rounds = 40;
}

/* Reads an event card by its name. */
static inline int emira_read_event(kit_cursor *c)
{
    static const char *const events[EMIRA_EVENTS] = {
        "bazaar",       "better_breed", "camel_breeding",         "camel_epidemic", "changing_her_mind", "court_influence",
        "double_trouble", "golden_times", "good_looking",         "guest_house",    "interrupt_spice_trade", "new_orders",
        "new_spice_caravan", "noble_merchandise", "quiet_days",   "restoration",    "sick_camels",       "vermin"};
    return arena_word(c, events, EMIRA_EVENTS);
}

/* Reads the groups of event cards that share a symbol (O2). */
static inline void emira_read_symbols(kit_cursor *c, emira_rules *rules)
{
    memset(rules->blocks, 0, sizeof rules->blocks);
    for (uint32_t groups = kit_array(c); groups > 0 && !c->bad; groups--) {
        uint32_t group = 0, cards = kit_array(c);
        c->bad |= cards == 0;
        for (; cards > 0 && !c->bad; cards--) {
            int card = emira_read_event(c);
            c->bad |= group >> card & 1 || rules->blocks[card] != 0;
            group |= 1u << card;
        }
        for (int card = 0; card < EMIRA_EVENTS; card++)
            if (group >> card & 1)
                rules->blocks[card] = group;
    }
}

/* Reads a complete rules map. Returns EMIRA_OK or EMIRA_BAD_RULES. */
static inline int emira_read_rules(kit_cursor map, emira_rules *rules)
{
    static const char *const modes[] = {"basic", "advanced"}, *const gold[] = {"public", "hidden"};
    static const char *const looked_at[] = {"auction", "always"}, *const grants[] = {"serving", "bidding"};
    static const char *const buys[] = {"never", "even"}, *const returns[] = {"even", "odd"};
    static const char *const extras[] = {"replace", "extra"}, *const cards[] = {"removed", "deck"};
    static const char *const no_yes[] = {"no", "yes"}, *const bonus[] = {"unlimited", "twelve"};
    static const char *const looking[] = {"own", "all"}, *const hind[] = {"nobody", "undecided"};
    arena_map keys = arena_read_map(&map);
    kit_cursor income = arena_at(&keys, "base_income"), symbols = arena_at(&keys, "symbols");
    int bad = map.bad || keys.count != 15; /* a rule that is not known here would be played wrong */
    memset(rules, 0, sizeof *rules);
    rules->advanced = (uint8_t)arena_word_at(&keys, "mode", modes, 2, &bad);
    bad |= kit_array(&income) != 2;
    rules->base_income = arena_number(&income, 0, EMIRA_INCOME_MOST);
    rules->black_income = arena_number(&income, rules->base_income, EMIRA_INCOME_MOST);
    bad |= rules->base_income % 50 != 0 || rules->black_income % 50 != 0;
    emira_read_symbols(&symbols, rules);
    rules->gold_hidden = (uint8_t)arena_word_at(&keys, "gold", gold, 2, &bad);
    rules->always = (uint8_t)arena_word_at(&keys, "undecided", looked_at, 2, &bad);
    rules->grant_at_bid = (uint8_t)arena_word_at(&keys, "grant_timing", grants, 2, &bad);
    rules->buys_3p = (uint8_t)arena_word_at(&keys, "event_buy_3p", buys, 2, &bad);
    rules->return_odd = (uint8_t)arena_word_at(&keys, "appearance_return_3p", returns, 2, &bad);
    rules->extra = (uint8_t)arena_word_at(&keys, "bazaar_noble", extras, 2, &bad);
    rules->zahrah_under = (uint8_t)arena_word_at(&keys, "zahrah_card", cards, 2, &bad);
    rules->xenia_room = (uint8_t)arena_word_at(&keys, "xenia_room", no_yes, 2, &bad);
    rules->bonus_capped = (uint8_t)arena_word_at(&keys, "bonus_counters", bonus, 2, &bad);
    rules->good_looking_all = (uint8_t)arena_word_at(&keys, "good_looking", looking, 2, &bad);
    rules->hind_undecided = (uint8_t)arena_word_at(&keys, "hind_round", hind, 2, &bad);
    rules->max_rounds = (uint8_t)arena_number_at(&keys, "max_rounds", 1, EMIRA_ROUNDS_MOST, &bad);
    return bad || income.bad || symbols.bad ? EMIRA_BAD_RULES : EMIRA_OK;
}

/* Reads game, version, rules and number of seats of a hello. Returns EMIRA_OK or what is wrong with it. */
static inline int emira_read_hello(kit_cursor hello, emira_rules *rules, int *seats)
{
    arena_map keys = arena_read_map(&hello);
    int is_game = arena_is_game(&keys, "emira", EMIRA_RULES_VERSION), bad = hello.bad;
    if (is_game <= 0)
        return is_game == 0 ? EMIRA_OTHER_GAME : EMIRA_OTHER_VERSION;
    *seats = arena_number_at(&keys, "seats", 3, EMIRA_SEATS, &bad);
    return bad ? EMIRA_BAD_SEATS : emira_read_rules(arena_at(&keys, "rules"), rules);
}

#endif
