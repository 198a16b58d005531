// What it takes to add a law that keeps a tensor: worn.h, and the lines that CMakeLists.txt puts
// into copies of kinds.h and material.h (in the engine also a row of parse_material.cpp). Stores
// and the constitutive step then carry its history beside that of other laws.
#include <gtest/gtest.h>

#include "kernels/exec/buffer.h"
#include "kernels/exec/host.h"
#include "kernels/materials/constitutive.inl"
#include "src/state/channel_plan.h"

namespace firn {
namespace {

constexpr int D = 2, kTensor = symmetric_components(D);
constexpr std::uint32_t kChunks = 2, kHeld = 20;  // one of each material
constexpr double kE = 1e4;

MaterialParams<double> params_of(MaterialModel model) {
  MaterialParams<double> p{};
  p.model = model;
  p.history = history_values(model, D);
  p.density = 1000;
  p.mu = p.lambda = kE;
  p.min_stretch = 0.9, p.max_stretch = 1.01;
  return p;
}

TEST(WornLaw, IsRegistered) {
  EXPECT_EQ(history_values(MaterialModel::kWorn, 2), 3);
  EXPECT_EQ(history_values(MaterialModel::kWorn, 3), 6);
  EXPECT_EQ(history_values(MaterialModel::kSnow, 3), 1);
  EXPECT_EQ(history_capacity<3>(), 6);
  double first[history_capacity<D>()];
  start_history<double, D>(MaterialModel::kWorn, first);
  EXPECT_EQ(first[0], 1);
  EXPECT_EQ(first[1], 0);
  EXPECT_EQ(first[2], 1);
  ChannelNeeds needs;
  needs.history = history_values(MaterialModel::kWorn, 3);
  using Plan = ChannelPlan<3, float>;
  const Plan with(needs), without(ChannelNeeds{});
  EXPECT_EQ(with.components(kHistory), 6);
  EXPECT_EQ(with.saved_bytes_per_slot() - without.saved_bytes_per_slot(), 6 * sizeof(float));
}

// Worn particles in one chunk, snow in the next, in rows as wide as the wider history.
class Particles {
 public:
  Particles() {
    for (std::uint32_t c = 0; c < kChunks; ++c) {
      chunks_.push_back({c, c, kHeld, 0});
      double first[history_capacity<D>()];
      start_history<double, D>(materials_[c].model, first);
      for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        for (int k = 0; k < materials_[c].history; ++k) history(c, lane, k) = first[k];
        channel_row(volume_.data(), c, 1, 0)[lane] = 2;
      }
    }
    control_.dt = 1;
    control_.n_chunks = kChunks;
    control_.fault = ~std::uint64_t{0};
  }
  // F <- (I + G) F
  void step(const Mat<double, D>& G) {
    for (std::uint32_t c = 0; c < kChunks; ++c)
      for (std::uint32_t lane = 0; lane < kHeld; ++lane)
        for (int i = 0; i < D * D; ++i)
          channel_row(gradient_.data(), c, D * D, i)[lane] = G(i / D, i % D);
    ParticleView<double> view;
    view.chunks = chunks_.data();
    view.id = ids_.data();
    view.displacement = displacement_.data();
    view.history = history_.data();
    view.history_values = kTensor;
    view.stress = stress_.data();
    view.volume = volume_.data();
    view.gradient = gradient_.data();
    Cpu exec(1);
    constitutive_step<Cpu, D, double>(exec, materials_, view, {}, kChunks, &control_);
  }
  double& history(std::uint32_t c, std::uint32_t lane, int k) {
    return channel_row(history_.data(), c, kTensor, k)[lane];
  }
  // F - I
  double displacement(std::uint32_t c, std::uint32_t lane, int i) {
    return channel_row(displacement_.data(), c, D * D, i)[lane];
  }
  // V0 tau_xx
  double stress(std::uint32_t c, std::uint32_t lane) {
    return channel_row(stress_.data(), c, kTensor, 0)[lane];
  }
  bool faulty() const { return control_.fault != ~std::uint64_t{0}; }

 private:
  static std::vector<double> rows(int n) {
    return std::vector<double>(std::size_t{kChunks} * kLanes * static_cast<std::size_t>(n));
  }
  MaterialParams<double> materials_[kChunks] = {params_of(MaterialModel::kWorn),
                                                params_of(MaterialModel::kSnow)};
  std::vector<Chunk> chunks_;
  std::vector<std::uint32_t> ids_ = std::vector<std::uint32_t>(kChunks * kLanes);
  std::vector<double> displacement_ = rows(D * D), history_ = rows(kTensor),
                      stress_ = rows(kTensor), volume_ = rows(1), gradient_ = rows(D * D);
  StepControl control_{};
};

// Stretched by 20 %, brought back to 5 %: as soft as 20 % have made it.
TEST(WornLaw, RemembersTheLargestStretch) {
  Particles particles;
  Mat<double, D> G = Mat<double, D>::zero();
  G(0, 0) = 0.2;
  particles.step(G);
  G(0, 0) = 1.05 / 1.2 - 1;
  particles.step(G);
  ASSERT_FALSE(particles.faulty());
  const double strain = 0.05, elastic = 2 * kE * strain * (1 + strain) + kE * strain * (1 + strain);
  for (std::uint32_t lane = 0; lane < kHeld; ++lane) {
    EXPECT_NEAR(particles.history(0, lane, 0), 1.2, 1e-14);
    EXPECT_NEAR(particles.history(0, lane, 1), 0, 1e-14);
    EXPECT_NEAR(particles.history(0, lane, 2), 1, 1e-14);
    EXPECT_NEAR(particles.stress(0, lane), 2 * elastic / (1 + 0.2 * 0.2), 1e-9);
  }
  // Where there is no particle it is as it was.
  EXPECT_EQ(particles.history(0, kLanes - 1, 0), 1);
}

// Beside it snow keeps its one number and leaves the rest of the row alone.
TEST(WornLaw, LeavesOtherHistoriesAlone) {
  Particles particles;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) particles.history(1, lane, 1) = 7;
  Mat<double, D> G = Mat<double, D>::zero();
  G(0, 0) = 0.2;
  particles.step(G);
  ASSERT_FALSE(particles.faulty());
  for (std::uint32_t lane = 0; lane < kHeld; ++lane) {
    EXPECT_NEAR(particles.displacement(1, lane, 0), 0.01, 1e-14);
    EXPECT_NEAR(particles.history(1, lane, 0), 1.2 / 1.01, 1e-14);
    EXPECT_EQ(particles.history(1, lane, 1), 7);
  }
}

}  // namespace
}  // namespace firn
