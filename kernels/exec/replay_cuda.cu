// CUDA graphs and pinned memory behind Replay and Readback.
#include "kernels/exec/cuda.cuh"
#include "kernels/exec/cuda_check.h"
#include "kernels/exec/replay.h"

namespace firn {

namespace {

#if defined(NDEBUG)
constexpr bool kCaptures = true;
#else
constexpr bool kCaptures = false;  // check_launch waits for the device
#endif

}  // namespace

struct Replay<Cuda>::State {
  explicit State(Cuda& e) : exec(e) {}

  Cuda& exec;
  std::uint64_t key = 0;
  bool seen = false;          // `key` has been run
  bool refused = !kCaptures;  // the driver captures nothing
  void* workspace = nullptr;  // of the run that was seen: a larger one lies elsewhere
  cudaGraphExec_t graph = nullptr;

  bool repeats(std::uint64_t k) const { return seen && k == key && workspace == exec.workspace(0); }
  void run_plainly(std::uint64_t k, const std::function<void()>& enqueue) {
    drop();
    seen = false;
    enqueue();
    key = k;
    seen = true;
    workspace = exec.workspace(0);
  }
  void drop() noexcept {
    if (graph == nullptr) return;
    const Cuda::Guard guard(exec);
    cudaStreamSynchronize(stream_of(exec));
    cudaGraphExecDestroy(graph);
    graph = nullptr;
  }
  // Leaves `graph` empty and the stream as it was if that does not succeed.
  void capture(const std::function<void()>& enqueue);
};

void Replay<Cuda>::State::capture(const std::function<void()>& enqueue) {
  const cudaStream_t stream = stream_of(exec);
  // Thread-local: what other threads do with the device does not spoil it.
  bool complete = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess;
  try {
    if (complete) enqueue();
  } catch (...) {  // an error of the step itself returns when it runs plainly
    complete = false;
  }
  cudaGraph_t captured = nullptr;
  complete = cudaStreamEndCapture(stream, &captured) == cudaSuccess && complete;
  if (!complete || cudaGraphInstantiate(&graph, captured, 0) != cudaSuccess) graph = nullptr;
  if (captured != nullptr) cudaGraphDestroy(captured);
  cudaGetLastError();  // of what was refused
}

Replay<Cuda>::Replay(Cuda& exec) : state_(std::make_unique<State>(exec)) {}
Replay<Cuda>::~Replay() { state_->drop(); }

bool Replay<Cuda>::run(std::uint64_t key, const std::function<void()>& enqueue) {
  State& s = *state_;
  const Cuda::Guard guard(s.exec);
  const bool again = s.repeats(key);
  if (again && s.graph == nullptr && !s.refused) {
    s.capture(enqueue);
    s.refused = s.graph == nullptr;
  }
  if (!again || s.refused) {
    s.run_plainly(key, enqueue);
    return false;
  }
  check_cuda(cudaGraphLaunch(s.graph, stream_of(s.exec)), "launching a captured step");
  return true;
}

namespace {

#if CUDART_VERSION >= 13000  // earlier runtimes declare these calls in another way

__global__ void set_condition(cudaGraphConditionalHandle handle, const std::uint32_t* skip) {
  cudaGraphSetConditional(handle, *skip == 0 ? 1u : 0u);
}

// A stream of its own for the launches of a conditional node.
class BodyCapture {
 public:
  BodyCapture(Cuda& exec, cudaGraph_t body) : exec_(exec) {
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream");
    const cudaError_t begun = cudaStreamBeginCaptureToGraph(stream_, body, nullptr, nullptr, 0,
                                                            cudaStreamCaptureModeThreadLocal);
    if (begun != cudaSuccess) cudaStreamDestroy(stream_);
    check_cuda(begun, "capturing a conditional part of a step");
    outer_ = exec.use_stream(stream_);
  }
  ~BodyCapture() {
    if (outer_ != nullptr) exec_.use_stream(outer_);
    cudaGraph_t body = nullptr;
    cudaStreamEndCapture(stream_, &body);
    cudaStreamDestroy(stream_);
  }
  BodyCapture(const BodyCapture&) = delete;
  BodyCapture& operator=(const BodyCapture&) = delete;

 private:
  Cuda& exec_;
  cudaStream_t stream_ = nullptr;
  void* outer_ = nullptr;
};

// Adds an IF node behind what the stream has captured so far; returns the graph of its body.
cudaGraph_t begin_condition(Cuda& exec, const std::uint32_t* skip) {
  const cudaStream_t stream = stream_of(exec);
  cudaStreamCaptureStatus status;
  cudaGraph_t graph = nullptr;
  const auto look = [&](const cudaGraphNode_t** after, std::size_t* count) {
    const cudaGraphEdgeData* edges = nullptr;
    check_cuda(cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, after, &edges, count),
               "asking for the capture");
  };
  const cudaGraphNode_t* after = nullptr;
  std::size_t count = 0;
  look(&after, &count);
  cudaGraphConditionalHandle handle;
  check_cuda(cudaGraphConditionalHandleCreate(&handle, graph), "creating a condition");
  set_condition<<<1, 1, 0, stream>>>(handle, skip);
  look(&after, &count);
  cudaGraphNodeParams params = {};
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = handle;
  params.conditional.type = cudaGraphCondTypeIf;
  params.conditional.size = 1;
  cudaGraphNode_t node;
  check_cuda(cudaGraphAddNode(&node, graph, after, nullptr, count, &params), "adding a condition");
  check_cuda(cudaStreamUpdateCaptureDependencies(stream, &node, nullptr, 1,
                                                 cudaStreamSetCaptureDependencies),
             "adding a condition");
  return params.conditional.phGraph_out[0];
}

#endif

}  // namespace

void run_unless(Cuda& exec, [[maybe_unused]] const std::uint32_t* skip,
                const std::function<void()>& enqueue) {
#if CUDART_VERSION >= 13000
  const Cuda::Guard guard(exec);
  if (is_capturing(stream_of(exec))) {
    const BodyCapture body(exec, begin_condition(exec, skip));
    return enqueue();
  }
#endif
  enqueue();
}

struct Readback<Cuda>::State {
  State(Cuda& e, std::size_t size) : exec(e), bytes(size) {}
  ~State() {
    const Cuda::Guard guard(exec);
    cudaStreamSynchronize(stream_of(exec));
    for (cudaEvent_t event : copied)
      if (event != nullptr) cudaEventDestroy(event);
    cudaFreeHost(values);
  }
  void* slot(std::uint64_t i) const {
    return static_cast<unsigned char*>(values) + i % kReadbackSlots * bytes;
  }

  Cuda& exec;
  std::size_t bytes;
  std::uint64_t begun = 0, read = 0;
  void* values = nullptr;
  cudaEvent_t copied[kReadbackSlots] = {};
};

Readback<Cuda>::Readback(Cuda& exec, std::size_t bytes)
    : state_(std::make_unique<State>(exec, bytes)) {
  const Cuda::Guard guard(exec);
  check_cuda(cudaMallocHost(&state_->values, kReadbackSlots * bytes), "allocating pinned memory");
  for (cudaEvent_t& event : state_->copied)
    check_cuda(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "creating an event");
}
Readback<Cuda>::~Readback() = default;

void Readback<Cuda>::start(const void* from) {
  State& s = *state_;
  const Cuda::Guard guard(s.exec);
  const cudaStream_t stream = stream_of(s.exec);
  check_cuda(cudaMemcpyAsync(s.slot(s.begun), from, s.bytes, cudaMemcpyDeviceToHost, stream),
             "reading back");
  check_cuda(cudaEventRecord(s.copied[s.begun % kReadbackSlots], stream), "recording an event");
  ++s.begun;
}
const void* Readback<Cuda>::wait() {
  State& s = *state_;
  const Cuda::Guard guard(s.exec);
  check_cuda(cudaEventSynchronize(s.copied[s.read % kReadbackSlots]), "waiting for a step");
  return s.slot(s.read++);
}
int Readback<Cuda>::pending() const { return static_cast<int>(state_->begun - state_->read); }
void Readback<Cuda>::forget() { state_->read = state_->begun; }

}  // namespace firn
