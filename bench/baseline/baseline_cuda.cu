// The baseline on CUDA: three kernels, one thread per particle or node.
#include <cuda_runtime.h>

#include <string>

#include "bench/baseline/measure.h"
#include "bench/baseline/physics.h"
#include "firn/error.h"

namespace firn::baseline {
namespace {

constexpr unsigned kThreads = 128;

void check(cudaError_t status, const char* doing) {
  if (status == cudaSuccess) return;
  throw Error(ErrorCategory::kDevice,
              std::string("baseline: ") + doing + ": " + cudaGetErrorString(status));
}

struct Particles {
  std::int64_t count;
  Vec3f *x, *v;
  Mat3f *C, *F;
};

__device__ std::int64_t thread_index() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__global__ void p2g(Particles particles, Grid grid, Law law, float dt, GridNode* nodes) {
  const std::int64_t p = thread_index();
  if (p >= particles.count) return;
  const Stencil stencil(particles.x[p], grid);
  if (!stencil.inside) return;
  const Mat3f affine = affine_momentum(law, grid, particles.F[p], particles.C[p], dt);
  scatter(stencil, grid, law, particles.v[p], affine, nodes,
          [](float& target, float value) { atomicAdd(&target, value); });
}

__global__ void update_grid(Grid grid, Law law, float dt, GridNode* nodes) {
  const std::int64_t i = thread_index();
  if (i < grid.nodes()) update_node(grid, law, dt, i, nodes[i]);
}

__global__ void g2p(Particles particles, Grid grid, float dt, const GridNode* nodes,
                    int* any_outside) {
  const std::int64_t p = thread_index();
  if (p >= particles.count) return;
  const Stencil stencil(particles.x[p], grid);
  if (!stencil.inside) {
    *any_outside = 1;
    return;
  }
  Vec3f x = particles.x[p], v;
  Mat3f C, F = particles.F[p];
  gather(stencil, grid, nodes, dt, x, v, C, F);
  particles.x[p] = x;
  particles.v[p] = v;
  particles.C[p] = C;
  particles.F[p] = F;
}

unsigned blocks_for(std::int64_t count) {
  return static_cast<unsigned>((count + kThreads - 1) / kThreads);
}

// Memory of the device, freed with the object.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) : count_(count) {
    check(cudaMalloc(&data_, bytes()), "allocating memory");
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    check(cudaMemcpy(data_, values.data(), bytes(), cudaMemcpyHostToDevice), "uploading");
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() const { return data_; }
  std::size_t bytes() const { return count_ * sizeof(T); }
  void zero() { check(cudaMemsetAsync(data_, 0, bytes()), "clearing memory"); }
  template <class Value>
  std::vector<Value> download() const {
    std::vector<Value> values(bytes() / sizeof(Value));
    check(cudaMemcpy(values.data(), data_, bytes(), cudaMemcpyDeviceToHost), "downloading");
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

}  // namespace

struct BaselineCuda::State {
  Grid grid;
  Law law;
  std::size_t count;
  DeviceArray<Vec3f> x, v;
  DeviceArray<Mat3f> C, F;
  DeviceArray<GridNode> nodes;
  DeviceArray<int> any_outside;

  State(std::span<const float> positions, const Parameters& p)
      : grid(make_grid(positions, p)),
        law(make_law(p)),
        count(positions.size() / 3),
        x(as_vectors(positions)),
        v(std::vector<Vec3f>(count, initial_velocity(p))),
        C(std::vector<Mat3f>(count, Mat3f::zero())),
        F(std::vector<Mat3f>(count, Mat3f::identity())),
        nodes(static_cast<std::size_t>(grid.nodes())),
        any_outside(1) {
    any_outside.zero();
  }

  Particles view() const {
    return {static_cast<std::int64_t>(count), x.data(), v.data(), C.data(), F.data()};
  }
};

BaselineCuda::BaselineCuda(std::span<const float> positions, const Parameters& parameters)
    : state_(std::make_unique<State>(positions, parameters)) {}
BaselineCuda::~BaselineCuda() = default;

void BaselineCuda::step(float dt) {
  State& s = *state_;
  const Particles particles = s.view();
  const unsigned particle_blocks = blocks_for(particles.count);
  s.nodes.zero();
  p2g<<<particle_blocks, kThreads>>>(particles, s.grid, s.law, dt, s.nodes.data());
  update_grid<<<blocks_for(s.grid.nodes()), kThreads>>>(s.grid, s.law, dt, s.nodes.data());
  g2p<<<particle_blocks, kThreads>>>(particles, s.grid, dt, s.nodes.data(), s.any_outside.data());
  check(cudaGetLastError(), "launching a step");
}

void BaselineCuda::synchronize() {
  check(cudaDeviceSynchronize(), "waiting for the steps");
  if (state_->any_outside.download<int>()[0] != 0)
    throw Error(ErrorCategory::kDiverged,
                "baseline: a particle has left the grid; use a larger margin or a smaller step");
}

std::vector<float> BaselineCuda::positions() {
  synchronize();
  return state_->x.download<float>();
}
std::vector<float> BaselineCuda::velocities() {
  synchronize();
  return state_->v.download<float>();
}
std::int64_t BaselineCuda::particles() const { return static_cast<std::int64_t>(state_->count); }

Figures measure_cuda(const Parameters& parameters, std::span<const float> positions, int steps) {
  BaselineCuda run(positions, parameters);
  return measure_steps(run, stable_step(parameters), steps, [&] { run.synchronize(); });
}

}  // namespace firn::baseline
