// A bot of Khiva that searches. It draws positions that its view allows and tries its choices in each of them: it plays on some
// turns to see what they were good for. khiva.h, in C, has the rules and those playouts, this file has the search and the time.
//
// All choices are tried in the same positions, so that none is luckier than another. From time to time the worse half of them is
// given up, until one is left. So most of the time goes to choices that are hard to tell apart. In the playouts everybody chooses
// by habit: a seat does again what served it well in playouts before (khiva_try).
#include "khiva_kit.hpp"

#include "khiva.h"

#include <algorithm>
#include <chrono>

// A decision takes a twentieth of the turn and a five-hundredth of what is left in the bank. So the answer comes in time
// even where the machine is twenty times too busy, and the bank never runs out.
constexpr double turn_share = 20, bank_share = 500;
// Set it to 3000, say, to think for so many playouts instead, and not to look at the clock: such a match can be replayed. In an
// event with `--clock ticks` it can be replayed as it is, since the clock of a module counts what the module spent.
#ifndef PLAYOUTS
#define PLAYOUTS 0
#endif
constexpr int turns = 4;         // what a choice is good for shows within so many turns
constexpr std::size_t look = 8;  // playouts between two looks at the clock

using Clock = std::chrono::steady_clock;

// A choice that has not been given up, and the sum of its leads.
struct Candidate {
    int choice;
    double sum;

    bool operator<(const Candidate& other) const { return sum != other.sum ? sum > other.sum : choice < other.choice; }
};

// Packs a value again, for the readers in C.
struct Bytes {
    msgpack::sbuffer packed;

    explicit Bytes(const khiva::Value& value) { msgpack::pack(packed, value); }

    kit_cursor cursor() const
    {
        const auto first = reinterpret_cast<const unsigned char*>(packed.data());
        return {first, first + packed.size(), 0};
    }
};

// A decision that is being thought about.
struct Thinking {
    khiva_rules rules;
    khiva_view view;
    khiva_knowledge knowledge;
    khiva_habits habits;
    arena_stream chance;
    Clock::time_point began;
    double most;
    long playouts;

    // Reads what is asked; returns false where it makes no sense.
    bool begin(const khiva::Decide& decide, const khiva::Match& match)
    {
        began = Clock::now();
        most = khiva::get<double>(decide.message, "turn_ms") / turn_share
             + khiva::get<double>(decide.message, "bank_ms") / bank_share;
        playouts = 0;
        habits = {};
        if (khiva_read_rules(Bytes(match.rules).cursor(), &rules) != KHIVA_OK
            || khiva_read_view(Bytes(decide.view).cursor(), &rules, &view) != KHIVA_OK
            || khiva_think(&knowledge, &rules, &view) != KHIVA_OK)
            return false;
        arena_stream_quick(&chance, match.seed + static_cast<std::uint64_t>(view.turn));
        return true;
    }

    double milliseconds() const { return std::chrono::duration<double, std::milli>(Clock::now() - began).count(); }

    // Returns what part of the thinking is done, 1 or more at its end and where there is no time at all.
    double done() const
    {
        const double spent = PLAYOUTS > 0 ? static_cast<double>(playouts) : milliseconds(), all = PLAYOUTS > 0 ? PLAYOUTS : most;
        return spent < all ? spent / all : 1;
    }

    // Tries candidates in one position, and returns how far ahead each leads; of the first ones alone if the time is up before.
    std::vector<double> try_all(const std::vector<Candidate>& candidates, const khiva_state& world)
    {
        std::vector<double> leads;
        for (const auto& candidate : candidates) {
            if (!leads.empty() && leads.size() % look == 0 && done() >= 1) break;
            khiva_state state = world;
            leads.push_back(khiva_try(&rules, &state, &habits, view.seat, candidate.choice, turns, &chance));
            playouts++;
        }
        return leads;
    }

    // Returns the best choice of so many; 0 for one alone, and where the view fits no position or has another number of choices.
    int search(int count)
    {
        std::vector<Candidate> candidates;
        for (int i = 0; i < count; i++) candidates.push_back({i, 0.0});
        if (count < 2) return 0;
        int halvings = 0, halved = 0, worlds = 0;
        for (int left = count; left > 1; left = (left + 1) / 2) halvings++;
        while (candidates.size() > 1) {
            khiva_state world;
            if (khiva_world(&world, nullptr, &rules, &view, &knowledge, &chance) != KHIVA_OK) return 0;
            if (worlds == 0 && khiva_choices(&rules, &world, view.seat) != count) return 0;
            const auto leads = try_all(candidates, world);
            // Else the time is up amid a position, which counts for some and not for others.
            if (leads.size() == candidates.size() || worlds == 0) {
                candidates.resize(leads.size());
                for (std::size_t i = 0; i < leads.size(); i++) candidates[i].sum += leads[i];
                worlds++;
            }
            for (; candidates.size() > 1 && done() * halvings >= halved + 1; halved++) {
                std::sort(candidates.begin(), candidates.end());
                candidates.resize((candidates.size() + 1) / 2);
            }
        }
        return candidates[0].choice;
    }
};

// Returns the answer to a request: an index into its legal entries.
long choose(const khiva::Decide& decide, const khiva::Match& match)
{
    static Thinking thinking;
    if (!thinking.begin(decide, match)) return 0;
    const int choice = thinking.search(static_cast<int>(decide.legal.size()));
    khiva::note(thinking.playouts, " playouts in ", thinking.milliseconds(), " ms");
    return choice;
}

int main()
{
    return khiva::play("thinker-cpp", choose, "1");
}
