// How often the program has asked for host memory through operator new, for tests of what must not.
#pragma once

#include <cstdint>

namespace firn::test {

// False where a sanitizer keeps its own operator new: then nothing is counted.
bool counts_allocations();
std::uint64_t allocations();  // of all threads, since the start

}  // namespace firn::test
