// All that a bot in C++17 needs to speak wire protocol 1, on msgpack-cxx. A bot is one call:
//
//   int main() { return khiva::play("my-bot", [](const khiva::Decide& decide, const khiva::Match&) { return 0; }); }
//
// The function returns an index into decide.legal. Values are msgpack::object: get makes them what you need. What is printed
// goes to stderr, so it can never break the conversation.
#pragma once

#define MSGPACK_NO_BOOST
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <functional>
#include <iostream>
#include <map>
#include <msgpack.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "khiva_output.hpp"

namespace khiva {

using Value = msgpack::object;

// The arbiter's hello; `hello` is the whole message.
struct Match {
    Value hello, rules;
    std::string game;
    int seat = 0, seats = 0;
    std::uint64_t seed = 0;
};

// One request; `message` is the whole of it.
struct Decide {
    std::string kind;
    Value message, view, events;
    std::vector<Value> legal;
};

// The value of a key in a map; nil where there is none.
inline Value find(const Value& map, const char* key)
{
    return map.as<std::map<std::string, Value>>()[key];
}

// The value of a key as a C++ type, such as get<std::vector<int>>(decide.view, "gems"). Throws if it is not there.
template <typename T>
T get(const Value& map, const char* key)
{
    const Value value = find(map, key);
    if (value.is_nil()) throw std::out_of_range(std::string("there is no ") + key);
    return value.as<T>();
}

// Say a line to the people who run the bot, on stderr.
template <typename... Words>
void note(const Words&... words)
{
    (std::cerr << ... << words) << std::endl;
}

// Chance that a replay repeats: equal seeds give equal numbers (splitmix64).
struct Lottery {
    std::uint64_t state;

    // From 0 to n - 1, each equally likely.
    std::uint64_t below(std::uint64_t n)
    {
        const std::uint64_t rest = (UINT64_MAX % n + 1) % n;
        std::uint64_t z;
        do {  // numbers beyond the last whole multiple of n would favour the small ones
            z = (state += 0x9e3779b97f4a7c15u);
            z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
            z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
            z ^= z >> 31;
        } while (z > UINT64_MAX - rest);
        return z % n;
    }
};

// Exactly `size` bytes; false at the end of input. A signal is none.
inline bool read_all(void* into, std::size_t size)
{
    auto at = static_cast<char*>(into);
    for (ssize_t got; size > 0; at += got, size -= got)
        while ((got = ::read(0, at, size)) <= 0)
            if (got == 0 || errno != EINTR) return false;
    return true;
}

// The next message; false at the end of input.
inline bool read_frame(msgpack::object_handle& message)
{
    constexpr std::uint32_t most = 1048576;
    unsigned char head[4];
    if (!read_all(head, 4)) return false;
    const std::uint32_t size = std::uint32_t{head[0]} << 24 | head[1] << 16 | head[2] << 8 | head[3];
    if (size == 0 || size > most) throw std::length_error("a frame of " + std::to_string(size) + " bytes");
    std::vector<char> payload(size);
    if (!read_all(payload.data(), size)) return false;
    message = msgpack::unpack(payload.data(), size, nullptr, nullptr, {most, most, most, most, most, 64});
    return true;
}

// Send one message at once: write_frame(out, key, value, key, value, ...).
template <typename... Words>
void write_frame(int out, const Words&... words)
{
    msgpack::sbuffer frame;
    frame.write("\0\0\0\0", 4);
    msgpack::packer<msgpack::sbuffer> packer(frame);
    packer.pack_map(sizeof...(words) / 2);
    (packer.pack(words), ...);
    frame.data()[2] = static_cast<char>((frame.size() - 4) >> 8);
    frame.data()[3] = static_cast<char>(frame.size() - 4);
    while (::write(out, frame.data(), frame.size()) < 0)  // of so few bytes a pipe takes all or none
        if (errno != EINTR) throw std::runtime_error("the arbiter does not listen any more");
}

// Play one match with choose(decide, match). Returns the exit status: 0 when the input ended, 1 after an exception.
inline int play(std::string name, std::function<long(const Decide&, const Match&)> choose, std::string version = "")
try {
    const int out = guarded_output();
    msgpack::object_handle hello, received;
    Match match;
    while (read_frame(received)) {
        const Value message = received.get();
        const auto type = get<std::string>(message, "type");
        if (type == "hello") {
            hello = std::move(received);  // its values live on with it
            match = {message, find(message, "rules"), get<std::string>(message, "game"), get<int>(message, "seat"),
                     get<int>(message, "seats"), get<std::uint64_t>(message, "seed")};
            if (get<std::set<std::int64_t>>(message, "protos").count(1) == 0) {
                note("the arbiter speaks protocols ", find(message, "protos"), ", this kit speaks 1");
                return 0;
            }
            version.empty() ? write_frame(out, "type", "hello", "proto", 1, "name", name)
                            : write_frame(out, "type", "hello", "proto", 1, "name", name, "version", version);
        } else if (type == "decide") {
            const Decide decide{get<std::string>(message, "kind"), message, find(message, "view"), find(message, "events"),
                                get<std::vector<Value>>(message, "legal")};
            write_frame(out, "type", "act", "req", get<std::int64_t>(message, "req"), "choice", choose(decide, match));
        } else if (type == "fault") {
            note("fault: ", get<std::string>(message, "code"), ": ", get<std::string>(message, "detail"), " (strikes: ",
                 get<int>(message, "strikes"), ")");
        }
        // After "end" comes the end of input. Anything else is from a later arbiter and is not meant for us.
    }
    return 0;
} catch (const std::exception& error) {
    note("ended by an exception: ", error.what());
    return 1;
}

}  // namespace khiva
