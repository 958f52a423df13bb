// Any legal choice, each equally likely; equal seeds give equal choices. Write your own choose.
#include "khiva_kit.hpp"

long choose(const khiva::Decide& decide, const khiva::Match& match)
{
    static khiva::Lottery lots{match.seed};
    return static_cast<long>(lots.below(decide.legal.size()));
}

int main()
{
    return khiva::play("random-cpp", choose, "1");
}
