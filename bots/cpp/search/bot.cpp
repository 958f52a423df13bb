// Imagines six worlds and looks a turn ahead in each of them: search.h has the search, khiva.h the rules, both in C.
// It chooses the same as bots/python/search in every position.
#include "khiva_kit.hpp"

#include "khiva.h"
#include "lottery.h"
#include "search.h"

// The bytes of a value, for the readers in C.
struct Bytes {
    msgpack::sbuffer packed;

    explicit Bytes(const khiva::Value& value) { msgpack::pack(packed, value); }

    kit_cursor cursor() const
    {
        const auto first = reinterpret_cast<const unsigned char*>(packed.data());
        return {first, first + packed.size(), 0};
    }
};

long choose(const khiva::Decide& decide, const khiva::Match& match)
{
    static khiva_view view;
    khiva_rules rules;
    unsigned char secret[ARENA_SECRET];
    const Bytes rules_map(match.rules), view_map(decide.view);
    if (khiva_read_rules(rules_map.cursor(), &rules) != KHIVA_OK || khiva_read_view(view_map.cursor(), &rules, &view) != KHIVA_OK)
        return 0;
    return lottery("search", match.seed, view_map.cursor(), secret) ? search(&view, &rules, secret) : 0;
}

int main()
{
    return khiva::play("search-cpp", choose, "1");
}
