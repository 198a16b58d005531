// What is counted, and what is found: faults that end a kernel, and reports of races, of reads
// before a write and of lanes that are missing. Right kernels have none.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

#include "core_harness.h"
#include "device/check.h"
#include "device/counters.h"

namespace emulator::test {
namespace {

std::uint64_t found(core::Kind kind, const char* kernel) {
  std::uint64_t n = 0;
  for (const core::Finding& f : core::findings())
    if (f.kind == kind && f.kernel == kernel) n += f.count;
  return n;
}
void counts() {
  const core::Counters& c = *find_kernel(kernels, "add")->counters;
  const auto before = c;
  Array<float> a(std::vector<float>(1024, 1)), b(std::vector<float>(1024, 1)), out(1024);
  std::uint64_t sectors =
      0;  // a warp's 128 bytes are four, or five where the array begins within one
  for (Array<float>* x : {&a, &b, &out})
    sectors += reinterpret_cast<std::uintptr_t>(x->data()) % 32 == 0 ? 32 * 4 : 32 * 5;
  run("add", 4, 256, a.data(), b.data(), out.data(), 1024);
  EXPECT(c.global_requests - before.global_requests == 96 &&
         c.global_bytes - before.global_bytes == 3 * 4096);
  std::uint64_t counted = 0;
  for (int touch = 0; touch < 3; ++touch) counted += c.sectors[touch] - before.sectors[touch];
  EXPECT(counted == sectors && c.sectors[2] == before.sectors[2]);
}

void faults() {
  Array<float> a(std::vector<float>(64, 0), "victim"), out(64);
  expect_fault("byte 256 of 'victim' (256 bytes)", [&] { run("beyond", 1, 32, a.data(), 48); });
  expect_fault("not aligned", [&] { run("misaligned", 1, 32, a.data()); });
  expect_fault("shared memory", [&] { run("shared_beyond", 1, 32, out.data(), 8); });
  {
    auto gone = std::make_unique<Array<float>>(100000, "gone");
    float* volatile p = gone->data();  // the compiler would warn of the use below
    gone.reset();
    expect_fault("'gone' (400000 bytes), which was freed",
                 [&] { run("beyond", 1, 32, static_cast<float*>(p), 48); });
  }
  Array<int> ints(std::vector<int>(64, 0));
  expect_fault("divergent code", [&] { run("divergent_barrier", 1, 64, ints.data()); });
  expect_fault("does not name the lane itself", [&] { run("foreign_mask", 1, 32, ints.data()); });
  ints[7] = 3;
  expect_fault("assertion 'a[threadIdx.x] != 3' failed",
               [&] { run("asserts", 1, 32, ints.data()); });
  expect_fault("threads in a block", [&] { run("add", 1, 2048, a.data(), a.data(), a.data(), 1); });
  Array<unsigned> words(64);
  expect_fault("deadlock", [&] { run("misses_cluster", 2, 64, words.data()); });
  expect_fault("8 blocks in clusters of 4", [&] { run("rank_in_cluster", 8, 1, words.data()); });
  ints[5] = 0;
  expect_fault("does not end", [&] { run("lost_lane", 1, 32, ints.data()); });
}

void reports() {
  using core::Kind;
  Array<float> fresh(64, "fresh"), out(256);
  host_wrote(fresh.data(), 100);
  run("read_fresh", 1, 32, fresh.data(), out.data());
  EXPECT(found(Kind::kUninitialisedGlobal, "read_fresh") == 7);
  run("read_fresh_shared", 1, 32, out.data());
  EXPECT(found(Kind::kUninitialisedShared, "read_fresh_shared") == 16);
  run("shared_race", 1, 128, out.data());
  EXPECT(found(Kind::kRaceShared, "shared_race") > 0);
  run("warp_race", 1, 32, out.data());
  EXPECT(found(Kind::kRaceShared, "warp_race") == 32);
  run("late_write", 1, 128, out.data());
  EXPECT(found(Kind::kRaceShared, "late_write") > 0);
  Array<int> v(std::vector<int>(256, 0));
  run("reads_again", 1, 32, v.data());
  EXPECT(found(Kind::kRaceShared, "reads_again") == 0);
  run("reads_unevenly", 1, 128, v.data());
  EXPECT(found(Kind::kRaceGlobal, "reads_unevenly") == 0);
  run("reads_again_race", 1, 32, v.data());
  EXPECT(found(Kind::kRaceShared, "reads_again_race") > 0);
  run("global_race", 2, 32, v.data());
  EXPECT(found(Kind::kRaceGlobal, "global_race") == 32);
  Array<unsigned> passed(4 * 64), sums(std::vector<unsigned>(4 * 64, 0));
  run("passes_too_early", 4, 64, passed.data(), sums.data());
  EXPECT(found(Kind::kRaceGlobal, "passes_too_early") > 0);
  run("same_value", 2, 64, v.data());
  EXPECT(found(Kind::kRaceGlobal, "same_value") == 0);
  run("neighbours", 4, 64, v.data());
  EXPECT(found(Kind::kRaceGlobal, "neighbours") > 0);
  run("atomic_and_plain", 2, 32, v.data());
  EXPECT(found(Kind::kRaceGlobal, "atomic_and_plain") == 1);
  run("ended_lanes", 1, 32, v.data());
  EXPECT(found(Kind::kSync, "ended_lanes") > 0 && static_cast<unsigned>(v[0]) == 0x00FFFFF0u);
  Array<unsigned> shuffled(16);
  run("from_absent", 1, 32, shuffled.data());
  EXPECT(found(Kind::kSync, "from_absent") == 4 && shuffled[0] == 4 && shuffled[11] == 15);
  const char* right[] = {"round_large", "add",       "sum_blocks",  "collatz",     "groups",
                         "ballots",     "histogram", "table",       "local_array", "doubles",
                         "singles",     "by_value",  "variables",   "integers",    "convert",
                         "contraction", "reverse",   "barrier_sum", "halves",      "chain",
                         "relay",       "atomics",   "pass_round"};
  for (const core::Finding& f : core::findings())
    for (const char* name : right)
      if (f.kernel == name)
        std::printf("false finding: %s in %s: %s: %s\n", core::name_of(f.kind), name,
                    f.place.c_str(), f.example.c_str()),
            ++failures;
}

}  // namespace

std::vector<CoreTest> checker_tests() {
  return {{"counts", counts}, {"faults", faults}, {"reports", reports}};
}

}  // namespace emulator::test
