// Device memory, copies, the stream and the clocks of the CUDA backend; which devices there are.
#include <cuda.h>  // types only: the driver's functions are asked for by name

#include <deque>
#include <string>
#include <utility>

#include "firn/error.h"
#include "kernels/exec/cuda.cuh"
#include "kernels/exec/cuda_check.h"
#include "kernels/exec/default_streams.h"
#include "kernels/exec/launch_counts.h"

namespace firn {

namespace {

struct TimedInterval {
  int stage;
  cudaEvent_t begin, end;
};

}  // namespace

void check_launch(const char* label) {
  check_cuda(cudaGetLastError(), label);
#if !defined(NDEBUG)
  check_cuda(cudaDeviceSynchronize(), label);
#endif
}

namespace {

std::string mebibytes(std::size_t bytes) {
  constexpr std::size_t kMebibyte = 1 << 20;
  return std::to_string((bytes + kMebibyte - 1) / kMebibyte) + " MiB";
}
std::string what_is_free() {
  std::size_t free = 0, total = 0;
  if (cudaMemGetInfo(&free, &total) != cudaSuccess) return "";
  return ", " + mebibytes(free) + " of " + mebibytes(total) + " are free";
}

}  // namespace

namespace {

// What is current on the calling thread. The runtime's cudaSetDevice would do for a thread that has
// a device; where there is none, or a context that somebody has made, it cannot bring that back.
// Without errors: where these fail, so does the call that follows, and that is told.
struct CurrentContext {
  CUresult (*get)(CUcontext*);
  CUresult (*set)(CUcontext);

  CUcontext now() const {
    CUcontext context = nullptr;
    return get(&context) == CUDA_SUCCESS ? context : nullptr;
  }
};

void* driver_function(const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
  constexpr unsigned kVersion = 4000;  // both functions are as old
  check_cuda(cudaGetDriverEntryPointByVersion(name, &found, kVersion, cudaEnableDefault, &result),
             "asking for the driver");
#else
  check_cuda(cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &result),
             "asking for the driver");
#endif
  if (found == nullptr)
    throw Error(ErrorCategory::kDevice,
                std::string("the NVIDIA driver has no ") + name + "; install a newer one");
  return found;
}
const CurrentContext& current_context() {
  static const CurrentContext functions{
      reinterpret_cast<CUresult (*)(CUcontext*)>(driver_function("cuCtxGetCurrent")),
      reinterpret_cast<CUresult (*)(CUcontext)>(driver_function("cuCtxSetCurrent"))};
  return functions;
}

// The context that the runtime uses of a device.
CUcontext context_of(int device) {
  const CurrentContext& current = current_context();
  struct Restore {
    const CurrentContext& current;
    CUcontext before;
    ~Restore() { current.set(before); }
  } restore{current, current.now()};
  check_cuda(cudaSetDevice(device), "selecting the device");
  check_cuda(cudaFree(nullptr), "selecting the device");  // before CUDA 12 that makes the context
  return current.now();
}

}  // namespace

struct Cuda::State {
  int device = 0;
  CUcontext context = nullptr;
  cudaDeviceProp properties{};
  cudaStream_t stream = nullptr;
  cudaEvent_t last = nullptr;
  std::deque<TimedInterval> intervals;
  std::vector<cudaEvent_t> spare_events;
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;

  bool capturing() const { return is_capturing(stream); }
  cudaEvent_t event() {
    if (spare_events.empty()) {
      cudaEvent_t created;
      check_cuda(cudaEventCreate(&created), "creating an event");
      return created;
    }
    cudaEvent_t reused = spare_events.back();
    spare_events.pop_back();
    return reused;
  }
};

Cuda::Guard::Guard(const Cuda& exec) {
  const CurrentContext& current = current_context();
  const CUcontext before = current.now();
  changed_ = before != exec.state_->context;
  before_ = before;
  if (changed_) current.set(exec.state_->context);
}
Cuda::Guard::~Guard() {
  if (changed_) current_context().set(static_cast<CUcontext>(before_));
}

namespace {

int number_of(int index) {
  const CudaDevices found = find_cuda_devices();
  if (found.names.empty())
    throw Error(ErrorCategory::kDevice, found.problem + "; or use --device cpu");
  if (index >= 0 && static_cast<std::size_t>(index) < found.names.size())
    return found.numbers[static_cast<std::size_t>(index)];
  std::string there;
  for (std::size_t i = 0; i < found.names.size(); ++i)
    there += (i == 0 ? "" : ", ") + std::to_string(i) + " (" + found.names[i] + ")";
  throw Error(ErrorCategory::kDevice,
              "there is no CUDA device " + std::to_string(index) + "; there is " + there);
}

}  // namespace

Cuda::Cuda(int index) : state_(std::make_unique<State>()) {
  state_->device = number_of(index);
  check_cuda(cudaGetDeviceProperties(&state_->properties, state_->device),
             "reading the device's properties");
  state_->context = context_of(state_->device);
  const Guard guard(*this);
  check_cuda(cudaStreamCreateWithFlags(&state_->stream, cudaStreamNonBlocking),
             "creating a stream");
}
Cuda::~Cuda() {
  const Guard guard(*this);
  cudaStreamSynchronize(state_->stream);
  // An interval's end is the begin of the next one, or the last mark.
  for (auto& interval : state_->intervals) cudaEventDestroy(interval.begin);
  for (cudaEvent_t event : state_->spare_events) cudaEventDestroy(event);
  if (state_->last != nullptr) cudaEventDestroy(state_->last);
  if (state_->workspace != nullptr) cudaFree(state_->workspace);
  cudaStreamDestroy(state_->stream);
}
std::string Cuda::name() const { return std::string("cuda: ") + state_->properties.name; }
int Cuda::device() const { return state_->device; }
void* Cuda::stream() const { return state_->stream; }
void* Cuda::use_stream(void* other) {
  return std::exchange(state_->stream, static_cast<cudaStream_t>(other));
}
int Cuda::multiprocessors() const { return state_->properties.multiProcessorCount; }

void* Cuda::allocate(std::size_t bytes) {
  const Guard guard(*this);
  void* pointer = nullptr;
  const cudaError_t status = cudaMalloc(&pointer, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw Error(ErrorCategory::kDevice,
                "out of device memory: " + mebibytes(bytes) + " could not be allocated" +
                    what_is_free() +
                    "; use fewer particles (a larger grid.dx or fewer particles_per_cell), a "
                    "device with more memory, or --device cpu");
  }
  check_cuda(status, "allocating memory");
  return pointer;
}
void Cuda::release(void* pointer) noexcept {
  const Guard guard(*this);
  cudaFree(pointer);
}
void Cuda::upload(void* to, const void* from, std::size_t bytes) {
  const Guard guard(*this);
  check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, state_->stream), "upload");
  synchronize();
}
void Cuda::download(void* to, const void* from, std::size_t bytes) {
  const Guard guard(*this);
  check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, state_->stream), "download");
  synchronize();
}
void Cuda::copy(void* to, const void* from, std::size_t bytes) {
  const Guard guard(*this);
  check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, state_->stream), "copy");
}
void Cuda::zero(void* to, std::size_t bytes) {
  const Guard guard(*this);
  check_cuda(cudaMemsetAsync(to, 0, bytes, state_->stream), "clearing memory");
}
void Cuda::synchronize() {
  const Guard guard(*this);
  check_cuda(cudaStreamSynchronize(state_->stream), "waiting for the device");
}

void follow_default_streams(const Cuda& exec) {
  const Cuda::Guard guard(exec);
  for (cudaStream_t other : {cudaStreamLegacy, cudaStreamPerThread}) {
    cudaEvent_t end = nullptr;
    check_cuda(cudaEventCreateWithFlags(&end, cudaEventDisableTiming), "making an event");
    cudaError_t status = cudaEventRecord(end, other);
    if (status == cudaSuccess)
      status = cudaStreamWaitEvent(static_cast<cudaStream_t>(exec.stream()), end, 0);
    cudaEventDestroy(end);
    check_cuda(status, "waiting for a default stream");
  }
}

// A captured sequence (kernels/exec/replay.h) goes unmarked: one event would stand for all its
// runs.
void Cuda::mark(int stage) {
  const Guard guard(*this);
  if (state_->capturing()) return;
  cudaEvent_t now = state_->event();
  check_cuda(cudaEventRecord(now, state_->stream), "recording an event");
  if (state_->last != nullptr) state_->intervals.push_back({stage, state_->last, now});
  state_->last = now;
}
std::vector<double> Cuda::collect_times() {
  const Guard guard(*this);
  std::vector<double> times(kMaxStages, 0.0);
  synchronize();
  for (const auto& interval : state_->intervals) {
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, interval.begin, interval.end),
               "reading an event");
    if (interval.stage >= 0) times[static_cast<std::size_t>(interval.stage)] += 1e-3 * milliseconds;
    state_->spare_events.push_back(interval.begin);
  }
  state_->intervals.clear();
  return times;
}

void* Cuda::workspace(std::size_t bytes) {
  if (bytes > state_->workspace_bytes) {
    const Guard guard(*this);
    synchronize();
    if (state_->workspace != nullptr) cudaFree(state_->workspace);
    state_->workspace = nullptr;
    state_->workspace_bytes = 0;
    state_->workspace = allocate(bytes);
    state_->workspace_bytes = bytes;
  }
  return state_->workspace;
}

namespace {

// 13010 is CUDA 13.1.
std::string version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

std::string why_none(cudaError_t status) {
  int driver = 0;
  cudaDriverGetVersion(&driver);
  switch (status) {
    case cudaSuccess:
    case cudaErrorNoDevice:
      return "no CUDA device was found; nvidia-smi shows what the driver sees";
    case cudaErrorInsufficientDriver:
      if (driver == 0) return "no NVIDIA driver was found; install one";
      return "the NVIDIA driver is too old: it knows CUDA " + version(driver) +
             ", and this program needs " + version(CUDART_VERSION) +
             "; install a newer driver, or build with an older CUDA toolkit";
    default:
      return std::string("no usable CUDA device was found: ") + cudaGetErrorString(status);
  }
}

// Compute capabilities that this program holds code for, times 100. A newer device translates it.
constexpr int kCompiledFor[] = {__CUDA_ARCH_LIST__};
bool has_code_for(const cudaDeviceProp& device) {
  const int capability = 100 * device.major + 10 * device.minor;
  for (const int compiled : kCompiledFor)
    if (compiled <= capability) return true;
  return false;
}
std::string why_not(const cudaDeviceProp& device) {
  const std::string capability = std::to_string(device.major) + std::to_string(device.minor);
  return std::string(device.name) + " has compute capability " + std::to_string(device.major) +
         "." + std::to_string(device.minor) + ", which this program holds no code for; build it " +
         "with -DCMAKE_CUDA_ARCHITECTURES=" + capability;
}

}  // namespace

CudaDevices find_cuda_devices() {
  CudaDevices found;
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    cudaGetLastError();
    found.problem = why_none(status);
    return found;
  }
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, i) != cudaSuccess) continue;
    if (!has_code_for(properties)) {
      if (found.problem.empty()) found.problem = why_not(properties);
      continue;
    }
    found.names.emplace_back(properties.name);
    found.numbers.push_back(i);
  }
  found.in_software = counts_launches();
  return found;
}

}  // namespace firn
