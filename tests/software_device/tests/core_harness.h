// Launches without a runtime, for tests of the device alone: arrays that are device memory, kernels
// by name, faults that must come. core_test.cpp runs what the other files list.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "device/machine.h"
#include "expect.h"

namespace emulator::test {

inline Module* kernels = nullptr;  // of core_kernels.cu, or of what a test writes itself

// The tests of core_execution.cpp, core_instructions.cpp and core_checkers.cpp.
struct CoreTest {
  const char* name;
  void (*run)();
};
std::vector<CoreTest> execution_tests();
std::vector<CoreTest> instruction_tests();
std::vector<CoreTest> checker_tests();  // run after the others, whose findings they judge

// Device memory with the values given, or fresh.
template <class T>
class Array {
 public:
  explicit Array(std::size_t n, const char* label = "array") : values_(n) {
    register_memory(values_.data(), n * sizeof(T), label);
  }
  explicit Array(const std::vector<T>& v, const char* label = "array") : values_(v) {
    register_memory(values_.data(), v.size() * sizeof(T), label);
    host_wrote(values_.data(), v.size() * sizeof(T));
  }
  ~Array() { unregister_memory(values_.data()); }
  Array(const Array&) = delete;
  T* data() { return values_.data(); }
  T& operator[](std::size_t i) { return values_[i]; }
  std::size_t size() const { return values_.size(); }
  std::vector<T>& all() { return values_; }

 private:
  std::vector<T> values_;
};

template <class... A>
void run_with(const char* kernel, Dim grid, Dim block, std::size_t dynamic, A... arguments) {
  void* pointers[] = {&arguments...};
  const Kernel* k = find_kernel(kernels, kernel);
  if (k == nullptr) throw Fault(std::string("no kernel ") + kernel);
  launch(k, grid, block, pointers, dynamic);
}
template <class... A>
void run(const char* kernel, unsigned grid, unsigned block, A... arguments) {
  run_with(kernel, {grid, 1, 1}, {block, 1, 1}, 0, arguments...);
}

template <class T>
std::vector<T> random_values(std::size_t n, double low, double high, unsigned seed = 1) {
  std::mt19937 g(seed);
  std::uniform_real_distribution<double> d(low, high);
  std::vector<T> v(n);
  for (T& x : v) x = static_cast<T>(d(g));
  return v;
}
template <class T>
std::vector<T> counting(std::size_t n) {
  std::vector<T> v(n);
  std::iota(v.begin(), v.end(), T(0));
  return v;
}

template <class F>
void expect_fault(const char* text, F&& f) {
  try {
    f();
    std::printf("no fault: %s\n", text);
    ++failures;
  } catch (const Fault& fault) {
    if (std::strstr(fault.what(), text) == nullptr)
      std::printf("fault without '%s': %s\n", text, fault.what()), ++failures;
  }
}

}  // namespace emulator::test
