// How often this program has allocated since it began: by operator new, or a buffer of the CPU
// backend.
#pragma once

namespace firn::test {

long allocations();

}  // namespace firn::test
