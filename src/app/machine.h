// The machine and the process that a run or a measurement comes from.
#pragma once

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

namespace firn::app {

// Those that this process may run on.
inline int hardware_threads() {
  cpu_set_t own;
  if (sched_getaffinity(0, sizeof own, &own) == 0) return CPU_COUNT(&own);
  return static_cast<int>(std::thread::hardware_concurrency());
}

// What OMP_NUM_THREADS asks for, of a list the first; 0 where it says nothing.
inline int threads_of_environment() {
  const char* text = std::getenv("OMP_NUM_THREADS");
  int threads = 0;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), threads);
  return std::max(threads, 0);
}

// "AMD EPYC 9654 96-Core Processor", or "unknown" where the system does not say.
inline std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(": ") + 2);
  return "unknown";
}

// The most memory that this process has held at once.
inline std::size_t process_peak_bytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return std::size_t{1024} * static_cast<std::size_t>(used.ru_maxrss);
}

inline std::string compiler_name() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

}  // namespace firn::app
