// What is told at the end of a program: findings and a table of counters on stderr, both as JSON.
#include <cxxabi.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bounds.h"
#include "check.h"
#include "json.h"
#include "settings.h"

namespace emulator {

namespace core {

namespace {

constexpr const char* kClassNames[] = {
    "fp32",  "fp64",  "int32",         "int64",         "special", "conversion", "global", "shared",
    "local", "param", "atomic_global", "atomic_shared", "branch",  "sync",       "other"};
static_assert(std::size(kClassNames) == kClasses);

double ratio(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
}

std::string demangled(const std::string& name) {
  char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, nullptr);
  const std::string out = text != nullptr ? text : name;
  std::free(text);
  return out;
}

std::uint64_t all_sectors(const KernelSum& s) { return s.sectors[0] + s.sectors[1] + s.sectors[2]; }

void print_findings() {
  for (const Finding& x : findings())
    std::fprintf(stderr, "emulator: %s, %llu times: kernel %s, %s: %s\n", name_of(x.kind),
                 static_cast<unsigned long long>(x.count), x.kernel.c_str(), x.place.c_str(),
                 x.example.c_str());
}

void print_row(const std::string& name, const KernelSum& s) {
  const Bound bound = largest(bounds(s, kH100));
  std::fprintf(stderr, "%10llu %8.0f %12llu %6.1f %7.1f %7.1f %8.1f %9.0f %12.0f %8s  %s\n",
               static_cast<unsigned long long>(s.launches), ratio(s.blocks, s.launches),
               static_cast<unsigned long long>(s.instructions),
               ratio(s.lane_instructions, s.instructions), ratio(all_sectors(s), s.global_requests),
               ratio(s.wavefronts, s.shared_requests),
               ratio(s.global_turns + s.shared_turns, s.global_atomics + s.shared_atomics),
               static_cast<double>(s.lane_instructions) / s.seconds / 1e6,
               bound.seconds / static_cast<double>(s.launches) * 1e9, bound.name, name.c_str());
}

void print_counters() {
  std::fprintf(
      stderr,
      "emulator: kernels (bounds from PTX counts, not measured: ns per launch, what binds)\n"
      "%10s %8s %12s %6s %7s %7s %8s %9s %12s %8s  kernel\n",
      "launches", "blocks", "warp instr", "lanes", "sect/rq", "wave/rq", "turns/at", "M lane/s",
      "bound ns", "by");
  const auto all = sums();
  std::vector<const std::pair<const std::string, KernelSum>*> rows;
  for (const auto& row : all) rows.push_back(&row);
  std::sort(rows.begin(), rows.end(),
            [](auto* a, auto* b) { return a->second.instructions > b->second.instructions; });
  for (const auto* row : rows) print_row(row->first, row->second);
}

void write_finding(Json& json, const Finding& x) {
  json.line();
  json.begin('{');
  json.member("kind", std::string_view(name_of(x.kind)));
  json.member("kernel", x.kernel);
  json.member("place", x.place);
  json.member("count", x.count);
  json.member("example", x.example);
  json.end('}');
}

void write_classes(Json& json, const char* name, std::uint64_t total,
                   const std::uint64_t (&of)[kClasses]) {
  json.key(name);
  json.begin('{');
  json.member("total", total);
  for (std::size_t k = 0; k < kClasses; ++k) json.member(kClassNames[k], of[k]);
  json.end('}');
}

void write_memory(Json& json, const KernelSum& s) {
  json.key("global");
  json.begin('{');
  json.member("requests", s.global_requests);
  json.member("bytes", s.global_bytes);
  json.member("sectors_read", s.sectors[static_cast<std::size_t>(Touch::kRead)]);
  json.member("sectors_written", s.sectors[static_cast<std::size_t>(Touch::kWrite)]);
  json.member("sectors_atomic", s.sectors[static_cast<std::size_t>(Touch::kAtomic)]);
  json.member("sectors_per_request", ratio(all_sectors(s), s.global_requests));
  json.end('}');
  json.key("shared");
  json.begin('{');
  json.member("requests", s.shared_requests);
  json.member("wavefronts", s.wavefronts);
  json.end('}');
  json.key("atomics");
  json.begin('{');
  json.member("global_requests", s.global_atomics);
  json.member("global_turns", s.global_turns);
  json.member("shared_requests", s.shared_atomics);
  json.member("shared_turns", s.shared_turns);
  json.end('}');
  json.key("dram");
  json.begin('{');
  json.member("bytes_read", s.dram_read * 32);
  json.member("bytes_written", s.dram_written * 32);
  json.end('}');
}

void write_bounds(Json& json, const char* name, const char* parts, const char* limit,
                  const std::vector<Bound>& all) {
  json.member(name, largest(all).seconds);
  json.member(limit, std::string_view(largest(all).name));
  json.key(parts);
  json.begin('{');
  for (const Bound& b : all) json.member(b.name, b.seconds);
  json.end('}');
}

void write_kernel(Json& json, const std::string& symbol, const KernelSum& s) {
  json.line();
  json.begin('{');
  json.member("kernel", demangled(symbol));
  json.member("symbol", symbol);
  json.member("launches", s.launches);
  json.member("blocks", s.blocks);
  json.member("threads_per_block", ratio(s.threads, s.blocks));
  json.member("barriers", s.barriers);
  write_classes(json, "warp_instructions", s.instructions, s.instructions_of);
  write_classes(json, "issued_instructions", s.issued, s.issued_of);
  json.member("active_lanes", ratio(s.lane_instructions, s.instructions));
  write_memory(json, s);
  write_bounds(json, "bound_h100_s", "bounds_h100_s", "limited_by", bounds(s, kH100));
  write_bounds(json, "bound_h200_s", "bounds_h200_s", "limited_by_h200", bounds(s, kH200));
  json.member("interpreter_s", s.seconds);
  json.end('}');
}

void write_report() {
  const std::string& path = settings().report;
  if (path.empty()) return;
  std::FILE* f = std::fopen(path.c_str(), "w");
  if (f == nullptr) {
    std::fprintf(stderr, "emulator: EMULATOR_REPORT=%s cannot be written: %s\n", path.c_str(),
                 std::strerror(errno));
    return;
  }
  const std::string text = report_json();
  std::fwrite(text.data(), 1, text.size(), f);
  std::fclose(f);
}

void at_exit() {
  print_findings();
  if (settings().counters) print_counters();
  write_report();
  std::fflush(nullptr);
  if (settings().strict && !findings().empty()) _exit(97);
}

}  // namespace

}  // namespace core

using namespace core;

std::string report_json() {
  Json json;
  json.begin('{');
  json.key("findings");
  json.begin('[');
  for (const Finding& x : findings()) write_finding(json, x);
  json.end(']');
  json.line();
  json.key("kernels");
  json.begin('[');
  for (const auto& [name, sum] : sums()) write_kernel(json, name, sum);
  json.end(']');
  json.line();
  json.key("kernels_never_launched");
  json.begin('[');
  for (const std::string& name : never_launched()) {
    json.line();
    json.value(demangled(name));
  }
  json.end(']');
  json.end('}');
  return json.text() + "\n";
}

void report_at_exit() {
  static const bool registered = std::atexit(at_exit) == 0;
  (void)registered;
}

}  // namespace emulator
