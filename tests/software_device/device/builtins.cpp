// Functions that kernels call without bringing them: printf, assertions, the condition of a graph.
#include <cstdio>
#include <cstring>

#include "check.h"

namespace emulator {

void (*on_set_conditional)(unsigned long long, unsigned) = nullptr;

namespace core {

namespace {

template <class T>
T argument(const Warp& w, int lane, std::uint32_t place) {
  T value;
  std::memcpy(&value, w.block->local_of(w.thread(lane)) + place, sizeof value);
  return value;
}
const std::byte* generic(const Warp& w, int lane, std::uint64_t at) {
  const std::uint64_t inside = at & ~kWindowMask;
  switch (at & kWindowMask) {
    case kLocalWindow:
      return w.block->local_of(w.thread(lane)) + inside;
    case kSharedWindow:
      return w.block->shared + inside;
    default:
      return reinterpret_cast<const std::byte*>(at);
  }
}
const char* text_at(const Warp& w, int lane, std::uint64_t at) {
  return at == 0 ? "?" : reinterpret_cast<const char*>(generic(w, lane, at));
}

void set_conditional(Warp& w, const Instruction& in, Mask m) {
  for_each_lane(m, [&](int i) {
    if (on_set_conditional == nullptr) fault(w, in, i, "cudaGraphSetConditional outside a graph");
    on_set_conditional(argument<std::uint64_t>(w, i, in.r[0]),
                       argument<std::uint32_t>(w, i, in.r[1]));
  });
}

void assert_fail(Warp& w, const Instruction& in, Mask m) {
  const int i = std::countr_zero(m);
  const auto text = [&](int k) {
    return std::string(text_at(w, i, argument<std::uint64_t>(w, i, in.r[k])));
  };
  fault(w, in, i,
        "assertion '" + text(0) + "' failed at " + text(1) + ":" +
            std::to_string(argument<std::uint32_t>(w, i, in.r[2])));
}

// printf: values lie behind each other, each aligned to its size.
std::string format(const Warp& w, int lane, const char* f, const std::byte* values) {
  std::string out;
  std::size_t at = 0;
  const auto take = [&]<class T>(T v) {
    at = (at + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    std::memcpy(&v, values + at, sizeof v);
    at += sizeof v;
    return v;
  };
  char part[512];
  while (*f != '\0') {
    const std::size_t plain = std::strcspn(f, "%");
    out.append(f, plain);
    f += plain;
    if (*f == '\0') break;
    const std::size_t length = std::strspn(f + 1, "-+ #0123456789.lhzjt") + 2;
    const std::string spec(f, length);
    const char type = spec.back();
    const bool wide = spec.find_first_of("lzjt") != std::string::npos;
    f += length;
    if (type == '%')
      out += '%';
    else if (type == 's')
      std::snprintf(part, sizeof part, spec.c_str(), text_at(w, lane, take(std::uint64_t{}))),
          out += part;
    else if (std::strchr("eEfFgGaA", type) != nullptr)
      std::snprintf(part, sizeof part, spec.c_str(), take(0.0)), out += part;
    else if (wide || type == 'p')
      std::snprintf(part, sizeof part, spec.c_str(), take(std::uint64_t{})), out += part;
    else
      std::snprintf(part, sizeof part, spec.c_str(), take(std::uint32_t{})), out += part;
  }
  return out;
}

void print(Warp& w, const Instruction& in, Mask m) {
  for_each_lane(m, [&](int i) {
    const std::uint64_t values = argument<std::uint64_t>(w, i, in.r[1]);
    const std::string text = format(w, i, text_at(w, i, argument<std::uint64_t>(w, i, in.r[0])),
                                    values == 0 ? nullptr : generic(w, i, values));
    std::fwrite(text.data(), 1, text.size(), stdout);
  });
}

}  // namespace

Execute find_builtin(std::string_view name) {
  if (name == "cudaGraphSetConditional") return set_conditional;
  if (name == "__assertfail") return assert_fail;
  if (name == "vprintf") return print;
  return nullptr;
}

}  // namespace core

}  // namespace emulator
