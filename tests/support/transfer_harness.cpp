#include "tests/support/transfer_harness.h"

#include <tuple>

#include "src/integrators/explicit.h"
#include "src/stages/face_transfer.h"
#include "tests/support/fluid_scenes.h"
#include "tests/support/step_harness.h"

namespace firn::test {
namespace {

Scene transfer_scene(bool faces, int dimension, Precision precision,
                     const TransferSettings& transfer, bool stages) {
  Scene scene =
      faces ? liquid_scene(dimension, kDx, precision) : empty_scene(dimension, kDx, precision);
  scene.simulation.gravity = {};
  scene.simulation.fused = false;
  scene.transfer = transfer;
  scene.fluid.density_correction = false;
  scene.output.diagnostics = stages ? DiagnosticsLevel::kStages : DiagnosticsLevel::kOff;
  scene.materials.assign(kHarnessMaterials, faces ? liquid() : elastic("solid"));
  return scene;
}

// The stages of a step on faces without a projection in it.
template <class Exec, int D, class Real>
struct FaceStages {
  using Context = StepContext<Exec, D, Real>;
  FaceStages(const Scene&, Context& c) : context(c) {}

  template <class F>
  void for_each_stage(F&& f) {
    f(layout), f(sums), f(faces);
  }

  Context& context;
  LayoutStage<Exec, D, Real> layout{context};
  ParticleSums<Exec, D, Real> sums{context};
  FaceTransfer<Exec, D, Real> faces{context, {}};
};

// What both have in common.
template <class Integrator, int D = Integrator::Context::kDimension>
class StageTransfers : public TransferHarness<D>, protected StepHarness<Integrator> {
  using Steps = StepHarness<Integrator>;

 public:
  StageTransfers(const Scene& scene, const std::vector<HarnessParticle<D>>& particles, int threads)
      : Steps(scene, threads) {
    Steps::set_particles(particles);
  }
  void set_dt(double dt, double previous) override { Steps::set_dt(dt, previous); }
  void set_bounds(double reach) override {
    auto& bounds = Steps::context_.params.bounds;
    bounds.active = true;
    for (int a = 0; a < D; ++a)
      bounds.max[a] = static_cast<typename Steps::Real>(reach), bounds.min[a] = -bounds.max[a];
  }
  StepControl control() const override { return Steps::control(); }
  std::vector<HarnessParticle<D>> particles() const override { return Steps::particles(); }
  Sums particle_sums() override { return Steps::particle_sums(); }
};

template <class Exec, int D, class Real>
class NodeHarness final : public StageTransfers<ExplicitIntegrator<Exec, D, Real>> {
  using Base = StageTransfers<ExplicitIntegrator<Exec, D, Real>>;
  using Base::context_, Base::download, Base::holds_velocities_, Base::integrator_;

 public:
  using Base::Base;

  void particles_to_grid() override {
    integrator_.transfer.scatter();
    holds_velocities_ = false;
  }
  void update_grid() override {
    integrator_.transfer.update();
    holds_velocities_ = true;
  }
  void grid_to_particles() override { integrator_.transfer.gather(); }

  std::vector<GridValue<D>> values() override {
    const auto raw = download(context_.grid.view().nodes, 4);
    std::vector<GridValue<D>> values;
    for_each_place(raw, [&](std::size_t i, int axis, const Vec<double, D>& x) {
      values.push_back({axis, x, static_cast<double>(raw[i + static_cast<std::size_t>(axis)]),
                        static_cast<double>(raw[i + 3]), 0});
    });
    return values;
  }
  std::vector<Vec<double, D>> impulses() override {
    const GridView<Real> grid = context_.grid.view();
    const auto raw = download(grid.impulse != nullptr ? grid.impulse : grid.momentum, 4);
    std::vector<Vec<double, D>> values(raw.size() / 4);
    for (std::size_t i = 0; i < values.size(); ++i)
      for (int a = 0; a < D; ++a) values[i][a] = raw[4 * i + static_cast<std::size_t>(a)];
    return values;
  }
  // FLIP reads the change from beside the velocity.
  void change_velocities(const typename Base::Change& f) override {
    const GridView<Real> grid = context_.grid.view();
    auto raw = download(grid.nodes, 4);
    std::vector<Real> change;
    if (grid.increments != nullptr) change = download(grid.increments, 4);
    for_each_place(raw, [&](std::size_t node, int axis, const Vec<double, D>& x) {
      const std::size_t i = node + static_cast<std::size_t>(axis);
      const Real after = static_cast<Real>(f(raw[i], axis, x));
      if (!change.empty()) change[i] += after - raw[i];
      raw[i] = after;
    });
    Base::upload(grid.nodes, raw);
    if (!change.empty()) Base::upload(grid.increments, change);
  }

 private:
  template <class F>
  void for_each_place(const std::vector<Real>& raw, F&& f) {
    Base::for_each_cell([&](std::size_t node, const Vec<int, D>& cell) {
      Vec<double, D> x;
      for (int a = 0; a < D; ++a) x[a] = kDx * cell[a];
      for (int axis = 0; axis < D; ++axis)
        if (raw[4 * node + 3] > 0) f(4 * node, axis, x);
    });
  }
};

template <class Exec, int D, class Real>
class FaceHarness final : public StageTransfers<FaceStages<Exec, D, Real>> {
  using Base = StageTransfers<FaceStages<Exec, D, Real>>;
  using Base::context_, Base::holds_velocities_, Base::integrator_;

 public:
  using Base::Base;

  void particles_to_grid() override {
    integrator_.faces.scatter();
    scattered_ = faces();
    holds_velocities_ = false;
  }
  void update_grid() override {
    integrator_.faces.classify();
    integrator_.faces.measure();
    integrator_.faces.accelerate();
    holds_velocities_ = true;
  }
  void grid_to_particles() override {
    integrator_.faces.complete();
    integrator_.faces.gather();
  }

  std::vector<GridValue<D>> values() override {
    const auto raw = faces();
    std::vector<GridValue<D>> values;
    for_each_place([&](std::size_t i, int axis, const Vec<double, D>& x) {
      values.push_back({axis, x, static_cast<double>(raw[i]),
                        static_cast<double>(scattered_[i + kFaceMass]),
                        static_cast<double>(scattered_[i + kFaceVolume])});
    });
    return values;
  }
  std::vector<Vec<double, D>> impulses() override { return {}; }
  void change_velocities(const typename Base::Change& f) override {
    auto raw = faces();
    for_each_place([&](std::size_t i, int axis, const Vec<double, D>& x) {
      raw[i + kFaceVelocity] = static_cast<Real>(f(raw[i + kFaceVelocity], axis, x));
    });
    Base::upload(context_.grid.view().nodes, raw);
  }

 private:
  std::vector<Real> faces() { return Base::download(context_.grid.view().nodes, 4 * D); }
  template <class F>
  void for_each_place(F&& f) {
    Base::for_each_cell([&](std::size_t cell, const Vec<int, D>& at) {
      for (int axis = 0; axis < D; ++axis) {
        const std::size_t i = 4 * Base::face_at(cell, axis);
        if (scattered_[i + kFaceMass] > 0) f(i, axis, Base::face_position(at, axis));
      }
    });
  }

  std::vector<Real> scattered_;  // masses and volumes: later on other numbers take their places
};

}  // namespace

template <int D>
GridSums<D> TransferHarness<D>::grid_sums() {
  GridSums<D> sums;
  for (const GridValue<D>& v : values()) {
    const auto axis = static_cast<std::size_t>(v.axis);
    const double p = v.value * (holds_velocities_ ? v.mass : 1);
    sums.momentum[axis] += p;
    sums.kinetic += 0.5 * p * p / v.mass;
    sums.masses[v.axis] += v.mass;
    sums.volumes[v.axis] += v.volume;
    // x cross p
    const std::size_t next = (axis + 1) % 3, last = (axis + 2) % 3;
    const auto arm = [&](std::size_t a) { return a < D ? v.x[static_cast<int>(a)] : 0.0; };
    sums.angular[last] -= arm(next) * p;
    sums.angular[next] += arm(last) * p;
  }
  return sums;
}
template class TransferHarness<2>;
template class TransferHarness<3>;

template <class Space>
std::unique_ptr<TransferHarness<Space::D>> make_harness(
    const TransferSettings& transfer, const std::vector<HarnessParticle<Space::D>>& particles,
    int threads, bool stages) {
  constexpr bool kFaces = Space::kPlaces == Places::kFaces;
  using Exec = typename Space::Exec;
  using Real = typename Space::Real;
  using Harness = std::conditional_t<kFaces, FaceHarness<Exec, Space::D, Real>,
                                     NodeHarness<Exec, Space::D, Real>>;
  const Precision precision = sizeof(Real) == 4 ? Precision::kSingle : Precision::kDouble;
  return std::make_unique<Harness>(transfer_scene(kFaces, Space::D, precision, transfer, stages),
                                   particles, threads);
}

// A pointer that must be kept makes the compiler emit the function that it points at.
template <class... Space>
constexpr auto instances(testing::Types<Space...>) {
  return std::make_tuple(&make_harness<Space>...);
}
[[maybe_unused, gnu::used]] constexpr auto kCpuNodes = instances(CpuNodes{});
[[maybe_unused, gnu::used]] constexpr auto kCpuFaces = instances(CpuFaces{});
#if defined(FIRN_WITH_CUDA)
[[maybe_unused, gnu::used]] constexpr auto kGpuNodes = instances(GpuNodes{});
[[maybe_unused, gnu::used]] constexpr auto kGpuFaces = instances(GpuFaces{});
#endif

}  // namespace firn::test
