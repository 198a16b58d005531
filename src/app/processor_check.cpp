// Ends a program that was built for a later processor than this one with words instead of SIGILL,
// before anything else of it runs. Compiled for any x86-64, and nothing inline of others is called,
// which may be what this processor cannot do.
#if defined(__x86_64__)
#include <unistd.h>

#include "src/app/instruction_sets.h"

namespace firn::app {
namespace {

constexpr int kDeviceError = 4;
constexpr int kFirst = 101;  // of what is left to programs

void say(const char* text) {
  unsigned long length = 0;
  while (text[length] != '\0') ++length;
  if (write(STDERR_FILENO, text, length) < 0) _exit(kDeviceError);
}

[[gnu::constructor(kFirst)]] void check_processor() {
  __builtin_cpu_init();
  unsigned has = 0;
  if (__builtin_cpu_supports("sse4.2")) has |= kSse42;
  if (__builtin_cpu_supports("avx")) has |= kAvx;
  if (__builtin_cpu_supports("avx2")) has |= kAvx2;
  if (__builtin_cpu_supports("fma")) has |= kFma;
  if (__builtin_cpu_supports("bmi2")) has |= kBmi2;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
    has |= kAvx512;
  const unsigned missing = built_with_instructions & ~has;
  if (missing == 0) return;
  say("error: this firn was built for a processor with");
  if (missing & kSse42) say(" SSE4.2");
  if (missing & kAvx) say(" AVX");
  if (missing & kAvx2) say(" AVX2");
  if (missing & kFma) say(" FMA");
  if (missing & kBmi2) say(" BMI2");
  if (missing & kAvx512) say(" AVX-512");
  say(", which this one does not have; build it here, or with -DFIRN_MARCH=x86-64-v3, which");
  say(" most processors since 2015 know, or -DFIRN_MARCH=x86-64 for any\n");
  _exit(kDeviceError);
}

}  // namespace
}  // namespace firn::app
#endif
