// The descriptor of a bot's conversation, for khiva_kit.hpp.
#pragma once

#ifdef __wasi__
#include <cstdlib>
#include <iostream>
#include <typeinfo>

// A module has no exceptions: a throw ends it, and a line on stderr names the type of what was thrown.
extern "C" {
__attribute__((weak)) void* __cxa_allocate_exception(std::size_t size) { return std::malloc(size); }
__attribute__((weak)) void __cxa_throw(void*, std::type_info* type, void (*)(void*))
{
    std::cerr << "thrown: " << type->name() << std::endl;
    std::abort();
}
}

namespace khiva {

// A module has no second descriptor for the conversation: it must print nothing to stdout.
inline int guarded_output() { return 1; }

}  // namespace khiva
#else
#include <fcntl.h>
#include <unistd.h>

#include <stdexcept>

namespace khiva {

// The conversation on a descriptor of its own; what this process or a child of it prints goes to stderr.
inline int guarded_output()
{
    const int out = fcntl(1, F_DUPFD_CLOEXEC, 3);
    if (out < 0 || dup2(2, 1) < 0) throw std::runtime_error("stdout cannot be guarded");
    return out;
}

}  // namespace khiva
#endif
