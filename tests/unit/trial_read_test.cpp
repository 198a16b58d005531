// What a copy of the process tells of a function that ends well, says why not, crashes, aborts,
// takes too much memory or never ends; and that none of it harms the process itself.
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "src/scene/trial_read.h"

namespace firn::test {
namespace {

constexpr TrialLimits kLimits{64ull << 20, 2};

TEST(TrialRead, TellsHowItWent) {
  EXPECT_EQ(try_in_copy(kLimits, [] { return std::string(); }), "");
  const std::string long_words(100'000, 'x');  // more than a pipe holds
  EXPECT_EQ(try_in_copy(kLimits, [&] { return long_words; }), long_words);
}

TEST(TrialRead, WhatItChangesStaysThere) {
  int value = 1;
  EXPECT_EQ(try_in_copy(kLimits, [&] { return std::to_string(++value); }), "2");
  EXPECT_EQ(value, 1);
}

TEST(TrialRead, OutlivesACrash) {
  for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE})
    EXPECT_EQ(try_in_copy(kLimits, [&]() -> std::string { return std::raise(signal), ""; }),
              "it makes its reader fail");
  EXPECT_EQ(try_in_copy(kLimits, []() -> std::string { std::_Exit(3); }),
            "it makes its reader fail");
}

TEST(TrialRead, EndsWhatNeverEnds) {
  EXPECT_EQ(try_in_copy({kLimits.memory, 1},
                        []() -> std::string {
                          for (std::atomic<unsigned> i = 0;;) ++i;
                        }),
            "it is not read within 1 seconds");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(TrialRead, BoundsMemory) {
  const auto take = [](std::size_t bytes) {
    return try_in_copy(kLimits, [&]() -> std::string {
      try {
        std::vector<char> taken(bytes, 1);
        return taken.back() == 1 ? "had it" : "";
      } catch (const std::bad_alloc&) {
        return "too much";
      }
    });
  };
  EXPECT_EQ(take(std::size_t{16} << 20), "had it");
  EXPECT_EQ(take(std::size_t{1} << 30), "too much");
}
#endif

// Threads that allocate while it begins hold locks that a copy would wait for forever.
TEST(TrialRead, BeginsWhileThreadsWork) {
  std::jthread busy([](const std::stop_token& stop) {
    while (!stop.stop_requested()) static_cast<void>(std::make_unique<std::string>(1000, 'a'));
  });
  for (int i = 0; i < 50; ++i)
    ASSERT_EQ(try_in_copy(kLimits, [] { return std::string(1000, 'b'); }), std::string(1000, 'b'));
}

}  // namespace
}  // namespace firn::test
