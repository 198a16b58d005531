// Replaces operator new by one that counts and may refuse, and stands between Cpu::allocate and its
// callers, and between it and the system: the linker's --wrap (tests/CMakeLists.txt) sends their
// calls here. In a file of its own, since a compiler that sees both sides of a pair inline warns
// that new and free do not belong together.
#include "tests/allocation/counted_allocations.h"

#include <malloc.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "kernels/exec/backend.h"

namespace {

std::atomic<long> count = 0;
std::atomic<std::int64_t> in_use = 0, peak = 0;

constexpr long kUnlimited = -1;
std::atomic<long> allowed = kUnlimited;
std::atomic<bool> lasting = false, refused = false;

// Whether this allocation is to fail.
bool refuses() {
  if (allowed == kUnlimited) return false;
  if (allowed > 0) {
    --allowed;
    return false;
  }
  refused = true;
  if (!lasting) allowed = kUnlimited;
  return true;
}

void* counted(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  ++count;
  return memory;
}

void* taken(void* memory) {
  const std::int64_t now = in_use += static_cast<std::int64_t>(malloc_usable_size(counted(memory)));
  for (std::int64_t most = peak; now > most && !peak.compare_exchange_weak(most, now);) {
  }
  return memory;
}
void given_back(void* memory) noexcept {
  in_use -= static_cast<std::int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

namespace firn::test {

long allocations() { return count; }
std::int64_t bytes_in_use() { return in_use; }
std::int64_t take_peak_of_bytes() { return peak.exchange(in_use); }

void refuse_allocations(long after, bool all) { refused = false, lasting = all, allowed = after; }
bool allow_allocations() {
  allowed = kUnlimited;
  return refused;
}

}  // namespace firn::test

void* operator new(std::size_t size) {
  return taken(refuses() ? nullptr : std::malloc(size > 0 ? size : 1));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto a = static_cast<std::size_t>(alignment);
  return taken(std::aligned_alloc(a, (size + a - 1) / a * a));
}
// Never refused: who asks this way goes on without (std::stable_sort sorts in place).
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return taken(std::malloc(size > 0 ? size : 1));
}
void operator delete(void* memory) noexcept { given_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { given_back(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { given_back(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { given_back(memory); }

extern "C" {
void* __real__ZN4firn3Cpu8allocateEm(firn::Cpu* exec, std::size_t bytes);
void* __wrap__ZN4firn3Cpu8allocateEm(firn::Cpu* exec, std::size_t bytes);
void* __wrap__ZN4firn3Cpu8allocateEm(firn::Cpu* exec, std::size_t bytes) {
  return counted(__real__ZN4firn3Cpu8allocateEm(exec, bytes));
}

void* __real_aligned_alloc(std::size_t alignment, std::size_t bytes);
void* __wrap_aligned_alloc(std::size_t alignment, std::size_t bytes);
void* __wrap_aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return refuses() ? nullptr : __real_aligned_alloc(alignment, bytes);
}
void* __real_mmap(void* at, std::size_t length, int protection, int flags, int file, off_t offset);
void* __wrap_mmap(void* at, std::size_t length, int protection, int flags, int file, off_t offset);
void* __wrap_mmap(void* at, std::size_t length, int protection, int flags, int file, off_t offset) {
  return refuses() ? MAP_FAILED : __real_mmap(at, length, protection, flags, file, offset);
}
}
