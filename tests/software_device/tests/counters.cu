// The counters of a region of a program's run, as counters_api.h gives them, against counts made by
// hand.
#include <dlfcn.h>

#include <cmath>
#include <cstring>
#include <string>

#include "check.h"
#include "counters_api.h"

namespace {

constexpr int kThreads = 256, kBlocks = 4, kCount = kThreads * kBlocks;

__global__ void double_in_place(float* a) { a[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }
__global__ void copy(const float* a, float* b) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = a[i];
}
// All lanes of a warp at one address, or each at its own.
__global__ void shared_sum(const float* a, int lanes_apart, float* sum) {
  __shared__ float part[32];
  part[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&part[threadIdx.x * lanes_apart % 32], a[threadIdx.x]);
  __syncthreads();
  sum[threadIdx.x] = part[threadIdx.x];
}
__global__ void never_launched(float* a) { a[0] = 1; }

// What the JSON text says about the kernel whose name begins so; empty: nothing.
std::string kernel_text(const std::string& text, const std::string& name) {
  const std::size_t at = text.find("{\"kernel\": \"(anonymous namespace)::" + name + "(");
  return at == text.npos ? "" : text.substr(at, text.find('\n', at) - at);
}
// The number behind a key of an object within it, or of the object itself where `object` is empty.
double number(const std::string& text, const std::string& object, const std::string& key) {
  const std::size_t begin = object.empty() ? 0 : text.find("\"" + object + "\": {");
  const std::string quoted = "\"" + key + "\": ";
  const std::size_t at = begin == text.npos ? begin : text.find(quoted, begin);
  return at == text.npos ? NAN : std::strtod(text.c_str() + at + quoted.size(), nullptr);
}

void a_region() {
  DeviceArray<float> a(std::vector<float>(kCount, 1)), b(kCount);
  copy<<<kBlocks, kThreads>>>(a.data, b.data);
  firn_software_device_reset_counters();
  EXPECT(kernel_text(firn_software_device_counters(), "copy").empty());
  for (int i = 0; i < 3; ++i) copy<<<kBlocks, kThreads>>>(a.data, b.data);
  double_in_place<<<kBlocks, kThreads>>>(a.data);
  const std::string text = firn_software_device_counters();
  const std::string copied = kernel_text(text, "copy"),
                    doubled = kernel_text(text, "double_in_place");
  constexpr double kWarps = kCount / 32;
  EXPECT(number(copied, "", "launches") == 3);
  EXPECT(number(copied, "", "blocks") == 3 * kBlocks);
  EXPECT(number(copied, "", "threads_per_block") == kThreads);
  EXPECT(number(copied, "", "active_lanes") == 32);
  EXPECT(number(copied, "warp_instructions", "global") == 3 * 2 * kWarps);
  EXPECT(number(copied, "global", "requests") == 3 * 2 * kWarps);
  EXPECT(number(copied, "global", "sectors_read") == 3 * 4 * kWarps);
  EXPECT(number(copied, "global", "sectors_written") == 3 * 4 * kWarps);
  EXPECT(number(copied, "global", "sectors_per_request") == 4);
  EXPECT(number(copied, "dram", "bytes_read") == 3 * 4 * kCount);
  EXPECT(number(copied, "dram", "bytes_written") == 3 * 4 * kCount);
  EXPECT(number(doubled, "warp_instructions", "fp32") == kWarps);
  // Taken from memory and given back: both count.
  EXPECT(number(doubled, "dram", "bytes_read") == 4 * kCount);
  EXPECT(number(doubled, "dram", "bytes_written") == 4 * kCount);
}

void bounds() {
  const std::string copied = kernel_text(firn_software_device_counters(), "copy");
  const double dram = 3 * 8 * kCount;
  EXPECT(std::abs(number(copied, "bounds_h100_s", "dram") / (dram / 3.35e12) - 1) < 1e-5);
  EXPECT(std::abs(number(copied, "bounds_h200_s", "dram") / (dram / 4.8e12) - 1) < 1e-5);
  EXPECT(number(copied, "", "bound_h100_s") >= number(copied, "bounds_h100_s", "issue"));
  EXPECT(copied.find("\"limited_by\": \"") != copied.npos);
}

void shared_float_atomics() {
  DeviceArray<float> a(std::vector<float>(32, 1)), sum(32);
  firn_software_device_reset_counters();
  shared_sum<<<1, 32>>>(a.data, 1, sum.data);
  std::string text = kernel_text(firn_software_device_counters(), "shared_sum");
  EXPECT(number(text, "atomics", "shared_requests") == 1 &&
         number(text, "atomics", "shared_turns") == 1);
  // Two stores and loads of a row, and the loop's load and exchange.
  EXPECT(number(text, "shared", "wavefronts") == 4);
  EXPECT(number(text, "issued_instructions", "atomic_shared") == 5);
  firn_software_device_reset_counters();
  shared_sum<<<1, 32>>>(a.data, 32, sum.data);
  EXPECT(sum.values()[0] == 32);
  text = kernel_text(firn_software_device_counters(), "shared_sum");
  EXPECT(number(text, "atomics", "shared_turns") == 32);
  EXPECT(number(text, "shared", "wavefronts") == 2 + 2 * 32);
  EXPECT(number(text, "issued_instructions", "atomic_shared") == 5 * 32);
}

void kernels_never_launched() {
  const std::string text = firn_software_device_counters();
  const std::string never = text.substr(text.find("\"kernels_never_launched\""));
  EXPECT(never.find("never_launched(float*)") != never.npos);
  EXPECT(never.find("copy(") == never.npos);
}

void found_by_name() {
  void* found = dlsym(RTLD_DEFAULT, "firn_software_device_counters");
  EXPECT(found == reinterpret_cast<void*>(&firn_software_device_counters));
}

}  // namespace

int main(int count, char**) {
  if (count > 1) never_launched<<<1, 1>>>(nullptr);
  a_region();
  bounds();
  shared_float_atomics();
  kernels_never_launched();
  found_by_name();
  return result("counters");
}
