#include "tests/support/allocation_count.h"

#include <atomic>
#include <cstdlib>
#include <new>

#if defined(__has_feature)
#define FIRN_TEST_HAS_FEATURE(x) __has_feature(x)
#else
#define FIRN_TEST_HAS_FEATURE(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    FIRN_TEST_HAS_FEATURE(address_sanitizer) || FIRN_TEST_HAS_FEATURE(thread_sanitizer)
#define FIRN_TEST_COUNTS 0
#else
#define FIRN_TEST_COUNTS 1
#endif

namespace firn::test {
namespace {
std::atomic<std::uint64_t> counted{0};
}

bool counts_allocations() { return FIRN_TEST_COUNTS != 0; }
std::uint64_t allocations() { return counted.load(std::memory_order_relaxed); }

#if FIRN_TEST_COUNTS
namespace {
void* counted_allocation(std::size_t bytes, std::size_t alignment) {
  counted.fetch_add(1, std::memory_order_relaxed);
  const std::size_t size = bytes > 0 ? (bytes + alignment - 1) / alignment * alignment : alignment;
  void* memory = alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__
                     ? std::malloc(size)
                     : std::aligned_alloc(alignment, size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
}  // namespace
#endif

}  // namespace firn::test

#if FIRN_TEST_COUNTS
// The forms for arrays and without exceptions call these.
void* operator new(std::size_t bytes) {
  return firn::test::counted_allocation(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return firn::test::counted_allocation(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
#endif
