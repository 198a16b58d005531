#include "allocations.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "check.h"

namespace emulator {

namespace core {

namespace {

using u8 = std::uint8_t;
using u64 = std::uint64_t;

// Pages that take no memory before they are written.
void* lazy_pages(std::size_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw Fault("no memory for the shadow of device memory");
  return p;
}

std::size_t words_of(const Allocation& a) { return (a.end - a.begin + 3 + (a.begin & 3)) / 4; }
std::size_t sectors_of(const Allocation& a) { return (a.end + 31) / 32 - a.begin / 32; }
std::size_t flags_of(const Allocation& a) { return (a.end - a.begin) / 8 + 2; }

// f(pages, bytes) for what serial numbers of launches are in.
template <class F>
void for_each_shadow(const Allocation& a, F&& f) {
  if (a.shadow != nullptr) f(a.shadow, words_of(a) * sizeof(Shadow));
  f(a.sectors, sectors_of(a) * sizeof(SectorUse));
}

void set_bits(u8* bits, std::size_t from, std::size_t count) {
  while (count > 0 && from % 8 != 0)
    bits[from / 8] |= static_cast<u8>(1u << from % 8), ++from, --count;
  std::memset(bits + from / 8, 0xFF, count / 8);
  from += count / 8 * 8;
  for (count %= 8; count > 0; ++from, --count) bits[from / 8] |= static_cast<u8>(1u << from % 8);
}
void copy_bits(u8* to, std::size_t to_at, const u8* from, std::size_t from_at, std::size_t count) {
  for (; count > 0; ++to_at, ++from_at, --count) {
    const auto flag = static_cast<u8>(1u << to_at % 8);
    const bool set = (from[from_at / 8] >> from_at % 8 & 1) != 0;
    to[to_at / 8] = static_cast<u8>(set ? to[to_at / 8] | flag : to[to_at / 8] & ~flag);
  }
}

}  // namespace

// Outlives whatever frees memory at exit.
Memory& memory() {
  static Memory* m = new Memory;
  return *m;
}

const Allocation* Memory::find_other(u64 at) {
  const auto found = live.upper_bound(at);
  if (found == live.end() || at < found->second.begin) return nullptr;
  return last = &found->second;
}

void forget_launches() {
  for (auto& [end, a] : memory().live)
    for_each_shadow(a, [](void* p, std::size_t bytes) { madvise(p, bytes, MADV_DONTNEED); });
}

std::string place_in(const Allocation& a, u64 at) {
  return "byte " + std::to_string(static_cast<long long>(at - a.begin)) + " of '" + a.label +
         "' (" + std::to_string(a.end - a.begin) + " bytes)";
}

std::string explain(u64 at) {
  for (const Allocation& a : memory().freed)
    if (at >= a.begin && at < a.end) return place_in(a, at) + ", which was freed";
  const Allocation* near = nullptr;
  for (const auto& [end, a] : memory().live) {
    if (at >= a.end && at - a.end < 1 << 20) near = &a;
    if (at < a.begin) {
      if (near == nullptr && a.begin - at < 1 << 20) near = &a;
      break;
    }
  }
  return near != nullptr ? place_in(*near, at) : std::string("no known memory is near");
}

}  // namespace core

using namespace core;

void register_memory(void* address, std::size_t bytes, const char* label) {
  if (bytes == 0) return;
  Allocation a;
  a.begin = reinterpret_cast<std::uint64_t>(address);
  a.end = a.begin + bytes;
  a.label = label;
  if (tracks()) a.written = static_cast<std::uint8_t*>(lazy_pages(flags_of(a)));
  if (checks().race) a.shadow = static_cast<Shadow*>(lazy_pages(words_of(a) * sizeof(Shadow)));
  a.sectors = static_cast<SectorUse*>(lazy_pages(sectors_of(a) * sizeof(SectorUse)));
  Memory& m = memory();
  m.last = nullptr;
  m.live[a.end] = std::move(a);
}

void unregister_memory(void* address) {
  const auto begin = reinterpret_cast<std::uint64_t>(address);
  Memory& m = memory();
  const auto found = m.live.upper_bound(begin);
  if (found == m.live.end() || found->second.begin != begin) return;
  Allocation& a = found->second;
  if (a.written != nullptr) munmap(a.written, flags_of(a));
  for_each_shadow(a, [](void* p, std::size_t bytes) { munmap(p, bytes); });
  a.written = nullptr;
  a.shadow = nullptr;
  a.sectors = nullptr;
  m.freed.push_front(std::move(a));
  if (m.freed.size() > 4096) m.freed.pop_back();
  m.last = nullptr;
  m.live.erase(found);
}

void host_wrote(const void* address, std::size_t bytes) {
  const auto at = reinterpret_cast<std::uint64_t>(address);
  const Allocation* a = memory().find(at);
  if (a == nullptr || a->written == nullptr) return;
  set_bits(a->written, at - a->begin, std::min<std::size_t>(bytes, a->end - at));
}

void device_copied(void* to, const void* from, std::size_t bytes) {
  const auto target = reinterpret_cast<std::uint64_t>(to),
             source = reinterpret_cast<std::uint64_t>(from);
  const Allocation* s = memory().find(source);
  if (s == nullptr || s->written == nullptr) return host_wrote(to, bytes);
  const Allocation kept = *s;
  const Allocation* t = memory().find(target);
  if (t == nullptr || t->written == nullptr) return;
  bytes = std::min<std::size_t>({bytes, t->end - target, kept.end - source});
  if ((source - kept.begin) % 8 == 0 && (target - t->begin) % 8 == 0) {
    const std::size_t whole = bytes / 8;
    std::memmove(t->written + (target - t->begin) / 8, kept.written + (source - kept.begin) / 8,
                 whole);
    return copy_bits(t->written, target - t->begin + whole * 8, kept.written,
                     source - kept.begin + whole * 8, bytes % 8);
  }
  copy_bits(t->written, target - t->begin, kept.written, source - kept.begin, bytes);
}

}  // namespace emulator
