// What a Khiva position is worth to a seat, in points: bots/python/shared/evaluate.py in C++, to the last bit. For that, sums are
// added up in the same order, and the build line forbids products to be fused into them (-ffp-contract=off).
//
// A card is 10 * colour + value; a place is 0 for the tent and 6 * path + shop for the rest (5: outpost).
#pragma once

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

constexpr int tent = 0, outpost = 5, salt_price = 3;
constexpr double gem = 1.5, carpet = 2.0;
constexpr double near[] = {0.0, 0.22, 0.22, 0.20, 0.18, 0.06, 0.03, 0.0, 0.0, 0.0};

// Steps to the seat's outpost with nothing in the way.
inline int distance(int seat, int place)
{
    const int path = place / 6, shop = place % 6;
    if (shop == 0)
        return 5;
    return path == seat ? 5 - shop : shop + 4;
}

// What lies on the table, as far as it decides what a move is worth. Vectors by seat or by camel.
class Board {
public:
    struct Rules {
        bool own_tent, no_move;
        std::vector<std::vector<int>> slots;
    };

    // `cargo`: what each camel would bring each seat at its outpost, the teapot and the carpets of its colour.
    Board(Rules rules, std::vector<int> camels, std::vector<int> gems, std::vector<std::vector<int>> cargo, int salt)
        : rules_(std::move(rules)), camels_(std::move(camels)), gems_(std::move(gems)), cargo_(std::move(cargo)), salt_(salt)
    {
    }

    int seats() const { return static_cast<int>(gems_.size()); }

    // What it is worth to win a bid with this card, moved on as well as the gems allow; 0 where it leads nowhere.
    double card(int seat, int card)
    {
        const auto known = cards_.find({seat, card});
        if (known != cards_.end())
            return known->second;
        const std::vector<int> lands = reach(seat, card);
        std::vector<double> worth;
        for (std::size_t boost = 0; boost < lands.size(); boost++)
            worth.push_back(landing(seat, card / 10, lands[boost], static_cast<int>(boost)));
        return cards_[{seat, card}] = worth.empty() ? 0.0 : *std::max_element(worth.begin(), worth.end());
    }

    // What it is worth to move a camel there for so many gems: what is gained at once and the better outlook.
    double landing(int seat, int camel, int place, int boost)
    {
        const auto now = now_.try_emplace({seat, camel}, 0.0);
        if (now.second)
            now.first->second = outlook(seat, camel, camels_[camel]);
        double gain = -gem * boost - now.first->second;
        const int shop = place % 6;
        if (shop == outpost)
            return gain + cargo_[seat][camel];  // a new teapot in the tent promises everybody the same
        if (shop == 1)
            gain += gem;
        else if (shop == 2)
            gain += carpet;
        else if (shop == 3)
            gain += 2 * gem;
        else if (shop == 4)
            gain += std::max(carpet, gems_[seat] - boost >= salt_price ? salt_ - salt_price * gem : 0.0);
        return gain + outlook(seat, camel, place);
    }

private:
    // Where the camel of this card may stop: the index is the number of gems spent.
    std::vector<int> reach(int seat, int card) const
    {
        const int camel = card / 10, value = card % 10;
        const std::vector<int> way = walk(seat, camels_[camel]);
        const int count = static_cast<int>(way.size());
        if (count < value)
            return rules_.no_move ? std::vector<int>{} : std::vector<int>{way.back()};
        const int most = value + std::min(gems_[seat], rules_.slots[camel][value - 1]);
        return {way.begin() + value - 1, way.begin() + std::min(most, count)};
    }

    // The free places ahead of a camel that this seat moves, nearest first.
    std::vector<int> walk(int seat, int place) const
    {
        const int path = place / 6, shop = place % 6;
        std::vector<int> way;
        const auto put = [&](int at) {
            if (at == tent || std::count(camels_.begin(), camels_.end(), at) == 0)
                way.push_back(at);
        };
        const bool elsewhere = shop != 0 && path != seat;
        for (int s = shop - 1; elsewhere && s > 0; s--)
            put(6 * path + s);
        if (elsewhere && rules_.own_tent)
            put(tent);
        for (int s = shop != 0 && !elsewhere ? shop + 1 : 1; s <= outpost; s++)
            put(6 * seat + s);
        return way;
    }

    // What this camel would promise the seat there, less what it would promise the others on average.
    double outlook(int seat, int camel, int place) const
    {
        double total = 0.0;
        for (int other = 0; other < seats(); other++)
            if (other != seat)
                total += near[distance(other, place)] * cargo_[other][camel];
        return near[distance(seat, place)] * cargo_[seat][camel] - total / (seats() - 1);
    }

    Rules rules_;
    std::vector<int> camels_, gems_;
    std::vector<std::vector<int>> cargo_;
    int salt_;
    std::map<std::pair<int, int>, double> now_, cards_;
};
