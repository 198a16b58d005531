// Replaces operator new by one that counts, and stands between Cpu::allocate and its callers: the
// linker's --wrap (tests/CMakeLists.txt) sends their calls here. In a file of its own, since a
// compiler that sees both sides of a pair inline warns that new and free do not belong together.
#include "tests/allocation/counted_allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

#include "kernels/exec/backend.h"

namespace {

std::atomic<long> count = 0;

void* counted(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  ++count;
  return memory;
}

}  // namespace

long firn::test::allocations() { return count; }

void* operator new(std::size_t size) { return counted(std::malloc(size > 0 ? size : 1)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto a = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(a, (size + a - 1) / a * a));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

extern "C" {
void* __real__ZN4firn3Cpu8allocateEm(firn::Cpu* exec, std::size_t bytes);
void* __wrap__ZN4firn3Cpu8allocateEm(firn::Cpu* exec, std::size_t bytes);
void* __wrap__ZN4firn3Cpu8allocateEm(firn::Cpu* exec, std::size_t bytes) {
  return counted(__real__ZN4firn3Cpu8allocateEm(exec, bytes));
}
}
