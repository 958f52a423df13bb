// The sum of a value: for tests of what the kit makes of bytes.
#include <csignal>

#include "khiva_kit.hpp"

constexpr std::int64_t M = 2147483647;

std::int64_t total(const khiva::Value& value)
{
    std::int64_t sum = 6;
    switch (value.type) {
    case msgpack::type::NIL:
        return 1;
    case msgpack::type::BOOLEAN:
        return value.as<bool>() ? 3 : 2;
    case msgpack::type::POSITIVE_INTEGER:
    case msgpack::type::NEGATIVE_INTEGER:
        return (4 * 31 + (value.as<std::int64_t>() % M + M) % M) % M;
    case msgpack::type::STR:
        sum = 5;
        for (unsigned char byte : value.as<std::string>())
            sum = (sum * 31 + byte) % M;
        return sum;
    case msgpack::type::ARRAY:
        for (const auto& item : value.via.array)
            sum = (sum * 31 + total(item)) % M;
        return sum;
    case msgpack::type::MAP:
        for (const auto& pair : value.via.map)
            sum = (sum + total(pair.key) * 31 + total(pair.val)) % M;
        return sum;
    default:
        throw std::domain_error("a value that the protocol does not have");
    }
}

int main()
{
    struct sigaction action {};  // without SA_RESTART: it cuts a read short
    action.sa_handler = [](int) {};
    sigaction(SIGUSR1, &action, nullptr);
    return khiva::play("süm", [](const khiva::Decide& decide, const khiva::Match&) {
        std::cout << "noise " << khiva::get<std::int64_t>(decide.message, "req") << std::endl;
        return total(khiva::find(decide.view, "value"));
    });
}
