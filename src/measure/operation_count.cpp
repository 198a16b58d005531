#include "src/measure/operation_count.h"

#include <vector>

#include "src/measure/counted.h"
// Counted's functions must be declared before the operators that use them.
#include "kernels/exec/host.h"
#include "kernels/materials/constitutive.inl"
#include "kernels/transfer/g2p.inl"
#include "kernels/transfer/p2g.inl"
#include "src/state/scene_params.h"

namespace firn {

// Where operations are counted there are no bodies; the distance to a mesh knows no such scalars.
template <int D>
struct BodyGuard<D, Counted> {
  BodyGuard(const GridUpdateParams<Counted, D>&, Counted) {}
  int count = 0;
  bool any_reaches(const Vec<int, D>&) const { return false; }
  bool reaches(const Vec<int, D>&, int) const { return false; }
  bool holds(int, const Vec<Counted, D>&) const { return false; }
  bool push_out(int, const Vec<Counted, D>&, const Vec<Counted, D>&, Counted, bool) const {
    return false;
  }
};

namespace {

// What a work-group is to operators that handle one particle: its arena.
template <class ScratchType>
struct CountingGroup {
  ScratchType scratch;

  template <class T>
  void atomic_max(T&, T) const {}
  template <class T>
  void atomic_min(T&, T) const {}
  void atomic_or(std::uint32_t&, std::uint32_t) const {}
};

template <class Action>
std::int64_t operations_of(Action&& action) {
  const std::int64_t before = Counted::operations;
  action();
  return Counted::operations - before;
}

// The channels of one chunk.
template <class Real>
class OneChunk {
 public:
  Real* channel(int components, Real value = Real(0)) {
    return channels_.emplace_back(static_cast<std::size_t>(components) * kLanes, value).data();
  }
  std::uint32_t* ids() { return ids_; }

 private:
  std::vector<std::vector<Real>> channels_;
  std::uint32_t ids_[kLanes] = {};
};

template <int D>
ParticleView<Counted> counted_particle(OneChunk<Counted>& chunk, const ChannelNeeds& needs) {
  ParticleView<Counted> view;
  view.id = chunk.ids();
  view.x = chunk.channel(D, 2.3f);  // cells: every stencil lies in the tile of block 0
  view.v = chunk.channel(D);
  view.coefficients = chunk.channel(needs.coefficient_modes * D + 1);
  view.stress = chunk.channel(symmetric_components(D));
  view.mass = chunk.channel(1, 1);
  view.gradient = chunk.channel(D * D);
  view.coefficient_modes = needs.coefficient_modes;
  return view;
}

template <int D>
TransferOperations transfer_operations(const Scene& scene) {
  const TransferParams params = transfer_params(scene);
  OneChunk<Counted> chunk;
  const ParticleView<Counted> particle = counted_particle<D>(chunk, channel_needs(scene));
  GridView<Counted> grid;
  grid.dx = grid.inv_dx = 1;
  StepControl control{};
  const Vec<int, D> home{};
  TransferOperations count;
  for_instance(params, [&](auto degree, auto set) {
    using Scatter = P2G<D, decltype(degree)::value, decltype(set)::value, Counted>;
    using Gather = G2P<D, decltype(degree)::value, decltype(set)::value, Counted>;
    CountingGroup<typename Scatter::Scratch> scatter_group{};
    CountingGroup<typename Gather::Scratch> gather_group{};
    count.p2g = operations_of([&] {
      Scatter{params, particle, {}, grid, &control}.add(scatter_group, 0, home, 0, 0,
                                                        [](int) { return HostTurns{}; });
    });
    count.g2p = operations_of([&] {
      Gather{{params, {}, particle, grid, &control, {}}}.advance(gather_group, home, 0, 0, false);
    });
  });
  return count;
}

// One lane of a chunk, as constitutive code sees a pack.
struct CountingLanes {
  using Value = Counted;
  static constexpr int kPacksPerChunk = 1;
  std::uint32_t chunk = 0;

  Counted load(const float* row) const { return row[0]; }
  void store(float* row, Counted value) const { row[0] = value.value; }
  template <class Channel>
  void prefetch_next(const Channel&, int) const {}
  bool active() const { return true; }
  static bool test(bool mask, int) { return mask; }
  float sum(Counted value) const { return value.value; }
  float maximum(Counted value) const { return value.value; }
  template <class F>
  static void with_largest(Counted value, F&& f) {
    f(value.value);
  }
  std::uint32_t pack_index() const { return 0; }
  template <class F>
  void for_each_lane(F&& f) const {
    f(0, 0u);
  }
  template <class F>
  void for_empty_packs(F&&) const {}
  template <class F>
  void once(F&& f) const {
    f();
  }
};

template <int D>
struct ConstitutiveCounter {
  explicit ConstitutiveCounter(const Scene& scene) : params(scene) {
    particle.chunks = &home;
    particle.id = memory.ids();
    particle.displacement = memory.channel(D * D);
    particle.history_values = channel_needs(scene).history;
    particle.history = memory.channel(std::max(particle.history_values, 1));
    particle.stress = memory.channel(symmetric_components(D));
    particle.volume = memory.channel(1, 1);
    particle.gradient = memory.channel(D * D);
  }

  std::int64_t count(const Snapshot& state, std::size_t p) {
    home.material = state.material[p];
    load(state, p);
    const ConstitutiveStep<D, float> step{{params.materials.data(), particle, {}, &control}};
    CountingGroup<int> group{};
    StiffestSoFar<Counted> stiffest{home.material, Counted(0)};
    return operations_of([&] { step.advance(group, CountingLanes{}, 0, stiffest); });
  }

  // Snapshots leave out the channels that no material of the scene has.
  void load(const Snapshot& state, std::size_t p) {
    for (std::size_t k = 0; k < D * D; ++k)
      channel_row(particle.displacement, 0, D * D, static_cast<int>(k))[0] =
          state.deformation_gradient.empty()
              ? 0.0f
              : state.deformation_gradient[p * D * D + k] - float(k % (D + 1) == 0);
    float history[history_capacity<D>()];
    start_history<float, D>(params.materials[home.material].model, history);
    if (!state.plastic_state.empty()) history[0] = state.plastic_state[p];
    for (int k = 0; k < particle.history_values; ++k)
      channel_row(particle.history, 0, particle.history_values, k)[0] = history[k];
  }

  SceneParams<D, float> params;
  OneChunk<float> memory;
  Chunk home{0, 0, 1, 0};
  ParticleView<float> particle;
  StepControl control{};
};

template <int D>
double constitutive_operations(const Scene& scene, const Snapshot& state) {
  constexpr std::size_t kSamples = 128;
  const std::size_t stride = std::max<std::size_t>(1, state.size() / kSamples);
  ConstitutiveCounter<D> counter(scene);
  std::int64_t sum = 0, samples = 0;
  for (std::size_t p = 0; p < state.size(); p += stride, ++samples) sum += counter.count(state, p);
  return samples > 0 ? static_cast<double>(sum) / static_cast<double>(samples) : 0;
}

}  // namespace

TransferOperations count_transfer(const Scene& scene) {
  return scene.simulation.dimension == 2 ? transfer_operations<2>(scene)
                                         : transfer_operations<3>(scene);
}

double count_constitutive(const Scene& scene, const Snapshot& state) {
  return scene.simulation.dimension == 2 ? constitutive_operations<2>(scene, state)
                                         : constitutive_operations<3>(scene, state);
}

}  // namespace firn
