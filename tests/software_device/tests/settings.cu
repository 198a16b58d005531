// What environment variables make of the device: another compute capability, an old driver, no
// device, little memory, a device that is lost. The first argument names the case; CMakeLists.txt
// sets the variables that it is about.
#include <cstring>
#include <functional>
#include <map>
#include <string>

#include "check.h"

namespace {

__global__ void add_one(int* value) { *value += 1; }

cudaError_t launch_result(int* value, cudaStream_t stream = nullptr) {
  add_one<<<1, 1, 0, stream>>>(value);
  const cudaError_t launched = cudaGetLastError();
  return launched != cudaSuccess ? launched : cudaDeviceSynchronize();
}

// EMULATOR_COMPUTE_CAPABILITY=8.6: the program is for 9.0.
void older_device() {
  cudaDeviceProp about;
  OK(cudaGetDeviceProperties(&about, 0));
  EXPECT(about.major == 8 && about.minor == 6);
  int minor = 0;
  OK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
  EXPECT(minor == 6);
  DeviceArray<int> value(std::vector<int>{7});
  cudaFuncAttributes attributes;
  EXPECT_CODE(cudaErrorNoKernelImageForDevice, cudaFuncGetAttributes(&attributes, add_one));
  cudaGetLastError();
  EXPECT_CODE(cudaErrorNoKernelImageForDevice, launch_result(value.data));
  OK(cudaGetLastError());
  EXPECT(value.values()[0] == 7);
}

// EMULATOR_COMPUTE_CAPABILITY=10.0: PTX for 9.0 runs there.
void newer_device() {
  cudaDeviceProp about;
  OK(cudaGetDeviceProperties(&about, 0));
  EXPECT(about.major == 10 && about.minor == 0);
  DeviceArray<int> value(std::vector<int>{7});
  OK(launch_result(value.data));
  EXPECT(value.values()[0] == 8);
}

// All calls that need a device fail with `code`, which does not stick to cudaGetLastError.
void expect_no_device(cudaError_t code) {
  int count = 5;
  EXPECT_CODE(code, cudaGetDeviceCount(&count));
  EXPECT(count == 0);
  EXPECT_CODE(code, cudaSetDevice(0));
  cudaDeviceProp about;
  EXPECT_CODE(code, cudaGetDeviceProperties(&about, 0));
  void* memory = nullptr;
  EXPECT_CODE(code, cudaMalloc(&memory, 4));
  EXPECT_CODE(code, cudaMallocHost(&memory, 4));
  EXPECT_CODE(code, cudaFree(nullptr));
  cudaStream_t stream;
  EXPECT_CODE(code, cudaStreamCreate(&stream));
  EXPECT_CODE(code, launch_result(nullptr));
  OK(cudaGetLastError());
}

// EMULATOR_DRIVER_VERSION=12080
void old_driver() {
  int version = 0;
  OK(cudaDriverGetVersion(&version));
  EXPECT(version == 12080);
  OK(cudaRuntimeGetVersion(&version));
  EXPECT(version == CUDART_VERSION);
  expect_no_device(cudaErrorInsufficientDriver);
}

// EMULATOR_DEVICES=0
void no_device() { expect_no_device(cudaErrorNoDevice); }

// EMULATOR_DEVICES=2
using GetContext = int (*)(void**);
using SetContext = int (*)(void*);
template <class F>
F driver_function(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult result;
  OK(cudaGetDriverEntryPointByVersion(name, &function, 4000, cudaEnableDefault, &result));
  EXPECT((result == cudaDriverEntryPointSuccess) == (function != nullptr));
  return reinterpret_cast<F>(function);
}
void two_devices() {
  int count = 0, device = -1;
  OK(cudaGetDeviceCount(&count));
  EXPECT(count == 2);
  EXPECT_CODE(cudaErrorInvalidDevice, cudaSetDevice(2));
  cudaGetLastError();
  EXPECT(driver_function<GetContext>("cuCtxNothing") == nullptr);
  const auto get = driver_function<GetContext>("cuCtxGetCurrent");
  const auto set = driver_function<SetContext>("cuCtxSetCurrent");
  void *none = &count, *first = nullptr, *second = nullptr;
  EXPECT(get(&none) == 0 && none == nullptr);
  OK(cudaGetDevice(&device));
  EXPECT(device == 0);
  EXPECT(get(&none) == 0 && none == nullptr);  // asking makes none

  cudaStream_t streams[2];
  cudaEvent_t events[2];
  for (int d = 0; d < 2; ++d) {
    OK(cudaSetDevice(d));
    OK(cudaStreamCreateWithFlags(&streams[d], cudaStreamNonBlocking));
    OK(cudaEventCreate(&events[d]));
    EXPECT(get(d == 0 ? &first : &second) == 0);
  }
  EXPECT(first != nullptr && second != nullptr && first != second);
  DeviceArray<int> value(std::vector<int>{7});
  for (int d = 0; d < 2; ++d) {
    EXPECT(set(d == 0 ? first : second) == 0);
    OK(cudaGetDevice(&device));
    EXPECT(device == d);
    const DeviceArray<int> memory(1);
    cudaPointerAttributes about;
    OK(cudaPointerGetAttributes(&about, memory.data));
    EXPECT(about.device == d);
    for (int s = 0; s < 2; ++s) {
      OK(cudaStreamGetDevice(streams[s], &device));
      EXPECT(device == s);
      const cudaError_t expected = s == d ? cudaSuccess : cudaErrorInvalidResourceHandle;
      EXPECT_CODE(expected, launch_result(value.data, streams[s]));
      cudaGetLastError();
      EXPECT_CODE(expected, cudaEventRecord(events[d], streams[s]));
      cudaGetLastError();
      OK(cudaMemsetAsync(value.data, 0, sizeof(int), streams[s]));
      OK(cudaStreamSynchronize(streams[s]));
    }
  }
  EXPECT(set(nullptr) == 0);
  EXPECT(get(&none) == 0 && none == nullptr);
  OK(cudaGetDevice(&device));
  EXPECT(device == 0);
}

// EMULATOR_MEMORY=0x4000000
void memory() {
  constexpr std::size_t kBytes = 0x4000000;
  std::size_t free = 0, total = 0;
  OK(cudaMemGetInfo(&free, &total));
  EXPECT(total == kBytes && free == kBytes);
  cudaDeviceProp about;
  OK(cudaGetDeviceProperties(&about, 0));
  EXPECT(about.totalGlobalMem == kBytes);
  EXPECT(std::strcmp(about.name, "software device (kernels interpreted on the CPU, no GPU)") == 0);
  DeviceArray<char> half(kBytes / 2);
  void* too_much = nullptr;
  EXPECT_CODE(cudaErrorMemoryAllocation, cudaMalloc(&too_much, kBytes / 2 + 1));
  cudaGetLastError();
  OK(cudaMemGetInfo(&free, &total));
  EXPECT(free == kBytes / 2 && total == kBytes);
}

// Nothing that reaches the device works any more, whatever is called first or last.
void expect_lost(cudaError_t code, void* memory, cudaStream_t stream, cudaEvent_t event) {
  for (int i = 0; i < 2; ++i) {
    EXPECT_CODE(code, cudaGetLastError());
    EXPECT_CODE(code, cudaDeviceSynchronize());
    EXPECT_CODE(code, cudaStreamSynchronize(stream));
    EXPECT_CODE(code, cudaStreamQuery(stream));
    EXPECT_CODE(code, cudaEventRecord(event, stream));
    EXPECT_CODE(code, cudaEventSynchronize(event));
    EXPECT_CODE(code, cudaEventQuery(event));
    int host = 0;
    EXPECT_CODE(code, cudaMemcpy(&host, memory, 4, cudaMemcpyDeviceToHost));
    EXPECT_CODE(code, cudaMemcpyAsync(&host, memory, 4, cudaMemcpyDeviceToHost, stream));
    void* more = nullptr;
    EXPECT_CODE(code, cudaMalloc(&more, 4));
    EXPECT_CODE(code, launch_result(static_cast<int*>(memory)));
  }
  EXPECT_CODE(code, cudaFree(memory));
  EXPECT_CODE(code, cudaEventDestroy(event));
  EXPECT_CODE(code, cudaStreamDestroy(stream));
  EXPECT_CODE(code, cudaDeviceReset());
  EXPECT_CODE(code, cudaFree(nullptr));
}

// EMULATOR_LOSE_AFTER=2
void lost() {
  int* value = nullptr;
  OK(cudaMalloc(&value, 4));
  OK(cudaMemset(value, 0, 4));
  cudaStream_t stream;
  cudaEvent_t event;
  OK(cudaStreamCreate(&stream));
  OK(cudaEventCreate(&event));
  OK(launch_result(value));
  OK(launch_result(value));
  int seen = 0;
  OK(cudaMemcpy(&seen, value, 4, cudaMemcpyDeviceToHost));
  EXPECT(seen == 2);
  add_one<<<1, 1, 0, stream>>>(value);
  EXPECT_CODE(cudaErrorLaunchFailure, cudaStreamSynchronize(stream));
  expect_lost(cudaErrorLaunchFailure, value, stream, event);
}

// EMULATOR_LOSE_AFTER=4:214: within the second launch of a graph with three kernels.
void lost_in_graph() {
  int* value = nullptr;
  OK(cudaMalloc(&value, 4));
  OK(cudaMemset(value, 0, 4));
  cudaStream_t stream;
  cudaEvent_t event;
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  OK(cudaEventCreate(&event));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < 3; ++i) add_one<<<1, 1, 0, stream>>>(value);
  cudaGraph_t graph;
  OK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t exec;
  OK(cudaGraphInstantiate(&exec, graph));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
  cudaGraphLaunch(exec, stream);  // may tell already
  EXPECT_CODE(cudaErrorECCUncorrectable, cudaStreamSynchronize(stream));
  EXPECT_CODE(cudaErrorECCUncorrectable, cudaGraphLaunch(exec, stream));
  EXPECT_CODE(cudaErrorECCUncorrectable, cudaGraphExecDestroy(exec));
  EXPECT_CODE(cudaErrorECCUncorrectable, cudaGraphDestroy(graph));
  expect_lost(cudaErrorECCUncorrectable, value, stream, event);
}

}  // namespace

int main(int count, char** arguments) {
  const std::map<std::string, std::function<void()>> cases{{"older_device", older_device},
                                                           {"newer_device", newer_device},
                                                           {"old_driver", old_driver},
                                                           {"no_device", no_device},
                                                           {"two_devices", two_devices},
                                                           {"memory", memory},
                                                           {"lost", lost},
                                                           {"lost_in_graph", lost_in_graph}};
  const auto found = cases.find(count == 2 ? arguments[1] : "");
  if (found == cases.end()) {
    std::fprintf(stderr, "usage: %s CASE, see main\n", arguments[0]);
    return 2;
  }
  found->second();
  return result(arguments[1]);
}
