// One scene on both backends: after one step and after several, positions, velocities, deformation
// gradients and stresses agree within what another order of summation explains, for every transfer,
// kernel, dimension and precision. The scene holds an elastic solid, snow, sand and water, which
// touch each other, a wall and an obstacle, and a source at a wall.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "firn/simulation.h"
#include "tests/support/device.h"

namespace firn {
namespace {

constexpr double kStiffness = 1e5;  // Pa: Young's modulus of the solids, bulk modulus of the water
constexpr double kDensity = 1000;   // kg/m^3
constexpr double kSpacing = 0.05;   // m

struct Transfer {
  const char* name;
  TransferType type;
  double blend;
  bool full;  // PolyPIC: 3^d modes instead of 2^d
};
constexpr Transfer kTransfers[] = {
    {"pic", TransferType::kPic, 1, false},
    {"flip", TransferType::kFlip, 0.95, false},
    {"rpic", TransferType::kRpic, 1, false},
    {"apic", TransferType::kApic, 1, false},
    {"aflip", TransferType::kAflip, 0.95, false},
    {"polypic", TransferType::kPolypic, 1, false},
    {"polypic_full", TransferType::kPolypic, 1, true},
};

using Case =
    std::tuple<Transfer, int, int, Precision>;  // transfer, kernel degree, dimension, precision

std::string name_of(const testing::TestParamInfo<Case>& info) {
  const auto& [transfer, kernel, dimension, precision] = info.param;
  return std::string(transfer.name) + "_kernel" + std::to_string(kernel) + "_" +
         std::to_string(dimension) + "d_" + (precision == Precision::kSingle ? "single" : "double");
}

Material material(const std::string& name, MaterialModel model) {
  Material m;
  m.name = name;
  m.model = model;
  m.density = kDensity;
  m.youngs_modulus = m.bulk_modulus = kStiffness;
  m.poisson_ratio = 0.3;
  m.critical_compression = 0.02;
  m.critical_stretch = 0.006;
  m.hardening = 10;
  m.friction_angle = 0.6;
  return m;
}

Body block(int index, int dimension) {
  Body body;
  body.name = "block " + std::to_string(index);
  body.material = index;
  body.shape.type = ShapeType::kBox;
  const double left = 0.3 * (index % 2), low = 0.3 * (index / 2);
  body.shape.min = {left, low, 0};
  body.shape.max = {left + 0.3, low + 0.3, dimension == 3 ? 0.2 : 0.0};
  body.velocity.component[0].constant = 0.7 - 0.9 * (index % 2);
  body.velocity.component[1].constant = -1.1 + 0.3 * (index / 2);
  body.angular_velocity = {0, 0, 1.5};
  if (index == 0) body.stretch = 0.98;
  return body;
}

Scene scene_of(const Case& c) {
  const auto& [transfer, kernel, dimension, precision] = c;
  Scene s;
  s.name = "step_equality";
  s.simulation.dimension = dimension;
  s.simulation.precision = precision;
  s.transfer.type = transfer.type;
  s.transfer.blend = transfer.blend;
  s.transfer.modes = !transfer.full ? 0 : dimension == 2 ? 9 : 27;
  s.transfer.kernel = kernel;
  s.transfer.force = kernel == 1 ? ForceForm::kGradient : ForceForm::kMls;
  s.grid.dx = kSpacing;
  // A tenth of what a wave needs for a cell: dt_max is what limits every step, on both backends
  // alike.
  s.time.dt_max = 0.1 * kSpacing / std::sqrt(2 * kStiffness / kDensity);
  s.materials = {material("solid", MaterialModel::kFixedCorotated),
                 material("snow", MaterialModel::kSnow),
                 material("sand", MaterialModel::kDruckerPrager),
                 material("water", MaterialModel::kWeaklyCompressible)};
  for (int i = 0; i < 4; ++i) s.bodies.push_back(block(i, dimension));
  Domain domain;
  domain.min = {-1, -0.02, -1};
  domain.max = {2, 2, 1};
  domain.boundary.fill(BoundaryType::kSeparate);
  domain.friction.fill(0.3);
  s.grid.domain = domain;
  Collider obstacle;
  obstacle.name = "ball";
  obstacle.shape.center = {0.3, 0.0, dimension == 3 ? 0.1 : 0.0};
  obstacle.shape.radius = 0.12;
  obstacle.boundary = BoundaryType::kSlip;
  s.colliders = {obstacle};
  // At a wall that would hold what it brings.
  s.grid.domain->boundary[0] = BoundaryType::kSticky;
  Source tap;
  tap.name = "tap";
  tap.material = 3;
  tap.shape.type = ShapeType::kBox;
  tap.shape.min = {-1, 0.4, 0};
  tap.shape.max = {-0.85, 0.6, dimension == 3 ? 0.2 : 0.0};
  tap.velocity = {1, 0.2, 0};
  s.sources = {tap};
  return s;
}

struct Outcome {
  Snapshot particles;
  Totals totals;
};
Outcome after(const Scene& scene, const RunOptions& options, int steps) {
  Simulation sim(scene, options);
  sim.advance_steps(steps);
  return {sim.snapshot(), sim.totals()};
}

double largest(std::span<const float> values) {
  double m = 0;
  for (float v : values) m = std::max(m, std::abs(static_cast<double>(v)));
  return m;
}

void expect_close(std::span<const float> a, std::span<const float> b, double tolerance,
                  const char* quantity) {
  ASSERT_EQ(a.size(), b.size()) << quantity;
  double worst = 0;
  std::size_t where = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    if (!(difference <= worst)) worst = difference, where = i;  // a NaN counts as the worst
  }
  EXPECT_LE(worst, tolerance) << quantity << ", component " << where << ": " << a[where] << " and "
                              << b[where];
}

// A node sums some n = 8 * 3^d (216) products in an order that differs between the backends: a
// random walk of sqrt(n) roundings, 15 epsilon, and a step passes through four such sums and
// products (momentum, mass, gather, F). 64 epsilon is 7.6e-6 in single and 1.4e-14 in double
// precision. Errors add up over the steps; elasticity neither damps nor amplifies them, as dt is a
// tenth of the stable one. Snapshots are single precision, whose rounding comes on top.
double tolerance_of(Precision precision, int steps) {
  const double epsilon = precision == Precision::kSingle ? std::numeric_limits<float>::epsilon()
                                                         : std::numeric_limits<double>::epsilon();
  return 64 * steps * epsilon;
}

void expect_equal(const Outcome& a, const Outcome& b, Precision precision, int steps) {
  EXPECT_EQ(a.particles.id, b.particles.id);
  EXPECT_EQ(a.particles.material, b.particles.material);
  const double tolerance = tolerance_of(precision, steps) + std::numeric_limits<float>::epsilon();
  // An error of F by epsilon is one of the stress by M epsilon, M the wave modulus, and of the
  // velocity by c epsilon.
  const double modulus = 2 * kStiffness, wave_speed = std::sqrt(modulus / kDensity);
  expect_close(a.particles.position, b.particles.position, tolerance * 1.0, "position");
  expect_close(a.particles.velocity, b.particles.velocity,
               tolerance * (wave_speed + largest(a.particles.velocity)), "velocity");
  expect_close(a.particles.deformation_gradient, b.particles.deformation_gradient, tolerance * 2,
               "F");
  expect_close(a.particles.plastic_state, b.particles.plastic_state, tolerance * 2,
               "plastic state");
  expect_close(a.particles.kirchhoff_stress, b.particles.kirchhoff_stress,
               tolerance * (modulus + largest(a.particles.kirchhoff_stress)), "stress");
}

// Totals are sums in double, so that they show a double-precision run to more digits than a
// snapshot can.
void expect_equal_totals(const Totals& a, const Totals& b, Precision precision, int steps) {
  const double tolerance = tolerance_of(precision, steps);
  const double wave_speed = std::sqrt(2 * kStiffness / kDensity);
  const double momentum = a.mass * (wave_speed + 2), energy = a.mass * wave_speed * wave_speed;
  EXPECT_NEAR(a.mass, b.mass, tolerance * a.mass);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    EXPECT_NEAR(a.momentum[axis], b.momentum[axis], tolerance * momentum);
    EXPECT_NEAR(a.center_of_mass[axis], b.center_of_mass[axis], tolerance);
  }
  EXPECT_NEAR(a.kinetic, b.kinetic, tolerance * energy);
  EXPECT_NEAR(a.elastic, b.elastic, tolerance * energy);
  EXPECT_NEAR(a.volume, b.volume, tolerance * a.volume);
}

class StepEquality : public testing::TestWithParam<Case> {
 protected:
  void compare(const RunOptions& other, int steps) {
    const Scene scene = scene_of(GetParam());
    const Precision precision = scene.simulation.precision;
    const Outcome reference = after(scene, {Device::kCpu, 1}, steps),
                  result = after(scene, other, steps);
    ASSERT_GT(reference.particles.size(), 500u);
    expect_equal(reference, result, precision, steps);
    expect_equal_totals(reference.totals, result.totals, precision, steps);
  }
};

class GpuStepEquality : public StepEquality {
 protected:
  void SetUp() override {
    if (const auto why = test::no_device(); !why.empty()) GTEST_SKIP() << why;
  }
  static void compare_flow(const Scene& scene) {
    const Precision precision = scene.simulation.precision;
    const Outcome cpu = after(scene, {Device::kCpu, 1}, 10),
                  cuda = after(scene, {Device::kCuda, 1}, 10);
    EXPECT_GT(largest(cpu.particles.plastic_state), 1e-3) << "nothing flowed";
    expect_equal(cpu, cuda, precision, 10);
    expect_equal_totals(cpu.totals, cuda.totals, precision, 10);
  }
};

TEST_P(GpuStepEquality, OneStep) { compare({Device::kCuda, 1}, 1); }
// The linear kernel's forces jump between cells: from the sixth step on, what it does to this scene
// in three dimensions is an instability.
int several_steps(const Case& c) { return std::get<1>(c) == 1 ? 4 : 20; }
TEST_P(GpuStepEquality, SeveralSteps) { compare({Device::kCuda, 1}, several_steps(GetParam())); }

// Laws whose flow takes time, in place of the solid and the snow.
class GpuRelaxation : public GpuStepEquality {};
TEST_P(GpuRelaxation, SeveralSteps) {
  Scene scene = scene_of(GetParam());
  scene.materials[0].model = MaterialModel::kViscoelastic;
  scene.materials[1].model = MaterialModel::kHerschelBulkley;
  for (Material& m : scene.materials) {
    m.relaxation_time = 20 * scene.time.dt_max;
    m.yield_stress = 200;
    m.consistency = 50;
    m.flow_index = 0.5;
  }
  compare_flow(scene);
}

// Laws that keep strain across the plane in 2D, and water that opens, in place of the others.
class GpuCompaction : public GpuStepEquality {};
TEST_P(GpuCompaction, SeveralSteps) {
  Scene scene = scene_of(GetParam());
  scene.materials[0].model = scene.materials[2].model = MaterialModel::kCamClay;
  scene.materials[1].model = MaterialModel::kVonMises;
  scene.materials[2].hardening_law = HardeningLaw::kSinh;
  scene.materials[2].tension_ratio = 0.1;
  scene.materials[3].tension_limit = 0;
  for (Material& m : scene.materials) {
    m.preconsolidation = 500;
    m.yield_stress = 500;
  }
  compare_flow(scene);
}

// The linear kernel has no second-degree modes.
bool exists(const Case& c) { return !(std::get<0>(c).full && std::get<1>(c) == 1); }
std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const Transfer& transfer : kTransfers)
    for (int kernel : {1, 2, 3})
      for (int dimension : {2, 3})
        for (Precision precision : {Precision::kSingle, Precision::kDouble})
          if (const Case c{transfer, kernel, dimension, precision}; exists(c)) cases.push_back(c);
  return cases;
}
INSTANTIATE_TEST_SUITE_P(Gpu, GpuStepEquality, testing::ValuesIn(all_cases()), name_of);
INSTANTIATE_TEST_SUITE_P(Gpu, GpuRelaxation,
                         testing::Combine(testing::Values(kTransfers[3]), testing::Values(2),
                                          testing::Values(2, 3),
                                          testing::Values(Precision::kSingle, Precision::kDouble)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Gpu, GpuCompaction,
                         testing::Combine(testing::Values(kTransfers[3]), testing::Values(2),
                                          testing::Values(2, 3),
                                          testing::Values(Precision::kSingle, Precision::kDouble)),
                         name_of);

// Without a device: the scenes run, and the comparison sees three threads equal one, and a nudged
// run not.
TEST_P(StepEquality, ThreadsOnTheCpu) { compare({Device::kCpu, 3}, several_steps(GetParam())); }
INSTANTIATE_TEST_SUITE_P(Cpu, StepEquality,
                         testing::Values(Case{kTransfers[3], 2, 2, Precision::kSingle},
                                         Case{kTransfers[6], 3, 2, Precision::kDouble},
                                         Case{kTransfers[1], 1, 3, Precision::kSingle}),
                         name_of);

TEST(StepEqualityOfStates, SeesASmallDifference) {
  const Case c{kTransfers[3], 2, 2, Precision::kSingle};
  Scene scene = scene_of(c);
  const Outcome reference = after(scene, {Device::kCpu, 1}, 1);
  scene.simulation.gravity[1] *= 1.5;  // changes velocities by g dt / 2, some 2 mm/s
  const Outcome nudged = after(scene, {Device::kCpu, 1}, 1);
  double difference = 0;
  for (std::size_t i = 0; i < reference.particles.velocity.size(); ++i)
    difference = std::max<double>(
        difference, std::abs(reference.particles.velocity[i] - nudged.particles.velocity[i]));
  EXPECT_GT(difference,
            10 * tolerance_of(Precision::kSingle, 1) * std::sqrt(2 * kStiffness / kDensity));
}

}  // namespace
}  // namespace firn
