// Looks one turn ahead, from the view alone: for each card, how likely it wins its camel and what that would bring.
// bots/python/shared/policy.py in C++: it chooses the same in every position.
#include "khiva_kit.hpp"

#include <cmath>
#include <set>

#include "evaluate.hpp"

using Ints = std::vector<int>;
using Table = std::vector<Ints>;

constexpr double temper = 2.0;  // points of difference at which another seat is e times as likely to play the better card
constexpr double keep = 0.3;    // what is kept for later turns
constexpr double give = 0.3;    // what the left neighbour may do with what is passed to it
constexpr double rejected = gem;

int place(const Ints& at)
{
    return at[1] ? 6 * at[0] + at[1] : tent;
}

int code(const Ints& face)
{
    return 10 * face[0] + face[1];
}

Ints codes(const Table& faces)
{
    Ints out;
    for (const Ints& face : faces)
        out.push_back(code(face));
    return out;
}

// The first of the greatest.
long best(const std::vector<double>& worth)
{
    return std::max_element(worth.begin(), worth.end()) - worth.begin();
}

Board read(const khiva::Value& view, const khiva::Value& rules)
{
    Ints camels, loads;
    for (const Ints& camel : khiva::get<Table>(view, "camels")) {
        camels.push_back(place(camel));
        loads.push_back(camel[2]);
    }
    Table cargo;
    for (const Table& held : khiva::get<std::vector<Table>>(view, "carpets")) {
        cargo.push_back(loads);
        for (const Ints& face : held)
            cargo.back()[face[0]] += face[1];
    }
    const auto salts = khiva::get<Ints>(view, "salts_left");
    const bool own_tent = khiva::get<std::string>(rules, "khiva_spaces") == "own_tent";
    const bool no_move = khiva::get<std::string>(rules, "overshoot") == "no_move";
    return Board({own_tent, no_move, khiva::get<Table>(rules, "gem_slots")}, camels, khiva::get<Ints>(view, "gems"), cargo,
                 salts.empty() ? 0 : salts[0]);
}

// e to the power of points / temper, near enough, and the same on every machine.
double appeal(double points)
{
    double x = 1.0 + points / temper / 1024.0;
    for (int i = 0; i < 10; i++)
        x *= x;
    return x;
}

// For each card not seen: how likely another seat plays it this turn. 0 for all other cards.
std::vector<double> rivals(const khiva::Value& view, Board& board, int me)
{
    std::set<int> seen;
    for (const char* key : {"hand", "discard", "shown"})
        for (int card : codes(khiva::get<Table>(view, key)))
            seen.insert(card);
    Ints hidden;
    for (int card = 0; card < 50; card++)
        if (card % 10 >= 1 && card % 10 <= 5 && seen.count(card) == 0)
            hidden.push_back(card);
    std::map<int, Ints> known;  // who may hold what this seat passed on
    for (const auto& [turn, face, holders] : khiva::get<std::vector<std::tuple<int, Ints, Ints>>>(view, "passed"))
        known[code(face)] = holders;
    const int loose = std::max(1, static_cast<int>(hidden.size()) - static_cast<int>(known.size()));
    const int plays = board.seats() == 2 ? 2 : 1;
    const auto hands = khiva::get<Ints>(view, "hands");
    std::vector<double> risk(50, 0.0);
    for (int seat = 0; seat < board.seats(); seat++) {
        if (seat == me)
            continue;
        std::vector<double> weights;
        double usual = 0.0;
        for (int card : hidden)
            weights.push_back(appeal(board.card(seat, card)));
        for (double weight : weights)
            usual += weight / static_cast<double>(weights.size());
        for (std::size_t i = 0; i < hidden.size(); i++) {
            double holds = std::min(1.0, static_cast<double>(hands[seat]) / loose);
            if (const auto may = known.find(hidden[i]); may != known.end()) {
                const bool can = std::count(may->second.begin(), may->second.end(), seat) > 0;
                holds = can ? 1.0 / static_cast<double>(may->second.size()) : 0.0;
            }
            const double picks = plays * weights[i] / (weights[i] + (hands[seat] - 1) * usual);
            double& of_it = risk[hidden[i]];
            of_it = 1.0 - (1.0 - of_it) * (1.0 - holds * std::min(1.0, picks));
        }
    }
    return risk;
}

// What each entry of play_pass promises, in millionths of a point, so that the last bit of a sum never decides.
std::vector<double> totals(const khiva::Decide& decide, Board& board, int me)
{
    const Ints hand = codes(khiva::get<Table>(decide.view, "hand"));
    const std::vector<double> risk = rivals(decide.view, board, me);
    std::vector<double> worth(50), given(50), out;
    double all_kept = 0.0;
    for (int card : hand) {
        double win = 1.0;
        for (int lower = card - card % 10 + 1; lower < card; lower++)
            win *= 1.0 - risk[lower];
        worth[card] = win * board.card(me, card) + (1.0 - win) * rejected;
        given[card] = board.card((me + 1) % board.seats(), card);
        all_kept += keep * worth[card];
    }
    for (const auto& choice : decide.legal) {
        const auto entry = choice.as<Ints>();
        const auto half = entry.begin() + static_cast<long>(entry.size() / 2);
        double points = all_kept;
        for (auto at = entry.begin(); at != half; ++at) {
            const int card = hand[*at];
            // Two cards of a seat on one camel: the higher one is rejected, whatever the others do.
            const bool beaten =
                std::any_of(entry.begin(), half, [&](int i) { return card / 10 == hand[i] / 10 && card > hand[i]; });
            points += (beaten ? rejected : worth[card]) - keep * worth[card];
        }
        for (auto at = half; at != entry.end(); ++at)
            points -= keep * worth[hand[*at]] + give * given[hand[*at]];
        out.push_back(std::floor(points * 1e6 + 0.5));
    }
    return out;
}

long choose(const khiva::Decide& decide, const khiva::Match& match)
{
    if (decide.kind == "play_pass") {
        Board board = read(decide.view, match.rules);
        return best(totals(decide, board, khiva::get<int>(decide.view, "seat")));
    }
    if (decide.kind == "boost") {
        Board board = read(decide.view, match.rules);
        const khiva::Value ask = khiva::find(decide.view, "ask");
        const int seat = khiva::get<int>(ask, "seat"), camel = khiva::get<int>(ask, "camel");
        std::vector<double> worth;  // the index is the number of gems
        for (const Ints& land : khiva::get<Table>(ask, "lands"))
            worth.push_back(board.landing(seat, camel, place(land), static_cast<int>(worth.size())));
        return best(worth);
    }
    // Salt when it can be had; else what is usual.
    for (std::size_t i = 0; i < decide.legal.size(); i++)
        if (decide.legal[i].as<std::vector<std::string>>() == std::vector<std::string>{"salt"})
            return static_cast<long>(i);
    return 0;
}

int main()
{
    return khiva::play("greedy-cpp", choose, "1");
}
