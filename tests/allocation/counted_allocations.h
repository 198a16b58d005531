// What this program has allocated since it began.
#pragma once

#include <cstdint>

namespace firn::test {

// How often: by operator new, or a buffer of the CPU backend.
long allocations();

// Bytes from operator new that are in use, and the most that were since the last call of it: what
// the host takes beside the buffers of the backend.
std::int64_t bytes_in_use();
std::int64_t take_peak_of_bytes();

// From now on allocations fail, after the next `allowed`: all of them, or only one. Meant are
// operator new and what the CPU backend asks the system for. Until allow_allocations(), which says
// whether one has failed.
void refuse_allocations(long allowed, bool lasting);
bool allow_allocations();

}  // namespace firn::test
