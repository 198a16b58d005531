#include <omp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "firn/error.h"
#include "kernels/exec/backend.h"
#include "kernels/math/pack.h"

namespace firn {

Cpu::Cpu(int threads) : threads_(threads > 0 ? threads : omp_get_num_procs()) {}

std::string Cpu::name() const {
  return "cpu (" + std::to_string(threads_) + (threads_ == 1 ? " thread, " : " threads, ") +
         std::to_string(8 * sizeof(Pack<float>)) + "-bit vectors)";
}

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

// Stands right before every buffer.
struct alignas(64) Origin {
  void* base;
  std::size_t mapped;  // bytes; 0: from the heap
};

Origin map_huge(std::size_t bytes) {
  const std::size_t length = bytes + kHugePage + sizeof(Origin);
  if (length < bytes) return {nullptr, 0};
  void* base = ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) return {nullptr, 0};
#if defined(MADV_HUGEPAGE)
  ::madvise(base, length, MADV_HUGEPAGE);  // advice: nothing is lost if it is not taken
#endif
  return {base, length};
}
// Unmaps whole pages before `begin` and after `end`. Otherwise the last part of a buffer would get
// a huge page of its own, which over the many buffers of a run would come to tens of megabytes.
Origin give_back_ends(Origin mapping, std::uintptr_t begin, std::uintptr_t end) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<std::uintptr_t>(mapping.base), last = first + mapping.mapped;
  begin = begin / page * page;
  end = (end + page - 1) / page * page;
  if (begin > first) ::munmap(mapping.base, begin - first);
  if (last > end) ::munmap(reinterpret_cast<void*>(end), last - end);
  return {reinterpret_cast<void*>(begin), end - begin};
}
Origin allocate_small(std::size_t bytes) {
  const std::size_t rounded = (bytes + 63) / 64 * 64;
  return {std::aligned_alloc(64, rounded + sizeof(Origin)), 0};
}

}  // namespace

// Large buffers come from the system, in huge pages where it has them: blocks and particles are
// visited along the Morton curve, whose jumps miss the translation buffer of small pages.
void* Cpu::allocate(std::size_t bytes) {
  const bool huge = bytes >= 2 * kHugePage;
  Origin origin = huge ? map_huge(bytes) : allocate_small(bytes);
  if (origin.base == nullptr)
    throw Error(ErrorCategory::kDevice,
                "out of memory: " + std::to_string(bytes >> 20) +
                    " MiB could not be allocated; use fewer particles or a larger grid.dx");
  auto at = reinterpret_cast<std::uintptr_t>(origin.base) + sizeof(Origin);
  if (huge) {
    at = (at + kHugePage - 1) / kHugePage * kHugePage;
    origin = give_back_ends(origin, at - sizeof(Origin), at + bytes);
  }
  *(reinterpret_cast<Origin*>(at) - 1) = origin;
  return reinterpret_cast<void*>(at);
}
void Cpu::release(void* pointer) noexcept {
  const Origin origin = *(static_cast<Origin*>(pointer) - 1);
  if (origin.mapped > 0)
    ::munmap(origin.base, origin.mapped);
  else
    std::free(origin.base);
}
void Cpu::upload(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);  // of nothing, the pointers may be null
}
void Cpu::download(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);  // of nothing, the pointers may be null
}
void Cpu::copy(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0) std::memmove(to, from, bytes);
}
void Cpu::zero(void* to, std::size_t bytes) {
  // In slices, so that each thread first touches (and clears) its share of the pages.
  constexpr std::size_t kSlice = std::size_t{1} << 20;
  const auto slices = static_cast<std::int64_t>((bytes + kSlice - 1) / kSlice);
#pragma omp parallel for num_threads(threads_) schedule(static) if (slices > 1)
  for (std::int64_t s = 0; s < slices; ++s) {
    const std::size_t begin = static_cast<std::size_t>(s) * kSlice;
    std::memset(static_cast<char*>(to) + begin, 0, std::min(kSlice, bytes - begin));
  }
}

void* Cpu::workspace(std::size_t bytes) {
  if (workspace_.size() * sizeof(std::uint64_t) < bytes) workspace_.resize((bytes + 7) / 8 * 5 / 4);
  return workspace_.data();
}

void Cpu::mark(int stage) {
  const auto now = std::chrono::steady_clock::now();
  if (stage >= 0) seconds_[stage] += std::chrono::duration<double>(now - last_).count();
  last_ = now;
}
std::vector<double> Cpu::collect_times() {
  std::vector<double> times(seconds_, seconds_ + kMaxStages);
  std::fill(seconds_, seconds_ + kMaxStages, 0.0);
  return times;
}

}  // namespace firn
