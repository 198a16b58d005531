// Materials that flow in time, on the grid: a film of Herschel-Bulkley fluid on an incline against
// its closed form, explicit and by steps far longer than its own; where it stops; and start-up of
// shear in an Oldroyd-B fluid.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/fluid_scenes.h"

namespace firn::test {
namespace {

constexpr double kGravity = 10, kDensity = 1000;

Material paste(double yield_stress, double consistency, double flow_index) {
  Material m = elastic("paste", MaterialModel::kHerschelBulkley, 5e4, kDensity);
  m.poisson_ratio = 0.45;
  m.yield_stress = yield_stress;
  m.consistency = consistency;
  m.flow_index = flow_index;
  return m;
}

// A film of height `height` on a sticky floor, without end along x; gravity is inclined by `angle`.
Scene film(const Material& material, double height, double dx, double angle) {
  Scene scene = empty_scene(2, dx, Precision::kDouble);
  scene.simulation.gravity = {kGravity * std::sin(angle), -kGravity * std::cos(angle), 0};
  scene.materials = {material};
  scene.grid.domain = closed_box({0, 0, 0}, {16 * dx, 4 * height, 0});
  scene.grid.domain->boundary = {BoundaryType::kPeriodic, BoundaryType::kPeriodic,
                                 BoundaryType::kSticky,   BoundaryType::kSeparate,
                                 BoundaryType::kSticky,   BoundaryType::kSticky};
  scene.bodies = {lattice("film", box({0, 0, 0}, {16 * dx, height, 0}))};
  return scene;
}

// Velocity along x of the particles between two heights.
double speed_between(const Snapshot& s, double low, double high) {
  double sum = 0;
  int count = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s.position[2 * i + 1] < low || s.position[2 * i + 1] > high) continue;
    sum += s.velocity[2 * i];
    ++count;
  }
  return sum / count;
}

// Shear stress s (h - y), s = rho g sin, flows below y_c = h - tau_Y / s:
// u(y) = n / (n + 1) (s / K)^(1/n) (y_c^(1 + 1/n) - (y_c - y)^(1 + 1/n)), a plug above.
struct Film {
  double yield_stress, K, n, height, slope;
  double at(double y) const {
    const double yc = height - yield_stress / slope;
    if (yc <= 0) return 0;
    const double p = 1 / n;
    const double below = yc - std::min(y, yc);
    return n / (n + 1) * std::pow(slope / K, p) * (std::pow(yc, 1 + p) - std::pow(below, 1 + p));
  }
};

constexpr double kHeight = 0.1, kDx = kHeight / 16, kAngle = 0.5235987755982988;  // 30 degrees
constexpr double kSlope = kDensity * kGravity * 0.5;

Snapshot film_after(const Material& material, Integrator integrator, double dt, double time,
                    TransferType transfer = TransferType::kApic) {
  Scene scene = film(material, kHeight, kDx, kAngle);
  scene.transfer.type = transfer;
  scene.simulation.integrator = integrator;
  scene.time.dt_max = dt;
  Simulation simulation = simulate(scene);
  simulation.advance_until(time);
  return simulation.snapshot();
}

void expect_profile(const Film& exact, const Snapshot& s, double tolerance) {
  constexpr double half = 0.06;
  for (const double y : {0.15, 0.35, 0.55, 0.85}) {
    double mean = 0;
    for (int k = 0; k < 12; ++k) mean += exact.at(kHeight * (y + half * ((k + 0.5) / 6 - 1))) / 12;
    EXPECT_NEAR(speed_between(s, kHeight * (y - half), kHeight * (y + half)), mean,
                tolerance * exact.at(kHeight))
        << "y " << y;
  }
}

// Not by APIC, which damps shear in short steps: under it the plug has 4 % less speed.
TEST(HerschelBulkleyFilm, FlowsAsItsClosedFormDoes) {
  const Film exact{200, 60, 0.5, kHeight, kSlope};
  const Material mud = paste(exact.yield_stress, exact.K, exact.n);
  expect_profile(exact, film_after(mud, Integrator::kExplicit, 1e-3, 2, TransferType::kAflip),
                 0.035);
}

// Steps of 1/24 s end at the same flow as shorter ones.
void expect_same_in_long_steps(const Film& exact, const Material& material, double tolerance) {
  const Snapshot coarse = film_after(material, Integrator::kOptimization, 1.0 / 24, 2),
                 fine = film_after(material, Integrator::kOptimization, 1.0 / 192, 2);
  expect_profile(exact, coarse, tolerance);
  const auto top = [](const Snapshot& s) { return speed_between(s, 0.8 * kHeight, kHeight); };
  EXPECT_NEAR(top(coarse), top(fine), 0.03 * top(fine));
}

// The step's end decides how fast material flows, within the solve: in a step a wave would cross
// the film six times and the fluid at the floor shear by as much as it is high.
TEST(HerschelBulkleyFilm, FlowsTheSameInLongSteps) {
  const Film exact{200, 60, 0.5, kHeight, kSlope};
  expect_same_in_long_steps(exact, paste(exact.yield_stress, exact.K, exact.n), 0.025);
}

// One linear solve knows the rate of flow from the step before. It is that of shorter steps for
// fluids that thin and that thicken: of the speed of a film that starts from rest a stiffness at
// rest left 0.3 and made 1.8 after three seconds.
TEST(HerschelBulkleyFilm, GathersSpeedBySemiImplicitStepsAsByOptimization) {
  for (const auto& [n, K] : {std::pair{0.5, 60.0}, {1.0, 20.0}, {2.0, 5.0}}) {
    SCOPED_TRACE(n);
    const Material mud = paste(200, K, n);
    const auto top = [&](Integrator integrator, double dt, double time) {
      return speed_between(film_after(mud, integrator, dt, time), 0.8 * kHeight, kHeight);
    };
    for (const double time : {0.1, 0.5}) {
      const double right = top(Integrator::kOptimization, 1e-3, time);
      EXPECT_GT(right, 0.05);
      EXPECT_NEAR(top(Integrator::kSemiImplicit, 5e-3, time), right, 0.08 * right) << time;
    }
  }
}

// In steps of 42 relaxation times it is the Newtonian fluid of viscosity mu Wi.
TEST(ViscoelasticFilm, IsAViscousFluidInLongSteps) {
  Material foam = elastic("foam", MaterialModel::kViscoelastic, 5e4, kDensity);
  foam.poisson_ratio = 0.45;
  foam.relaxation_time = 1e-3;
  const double viscosity = 5e4 / (2 * 1.45) * foam.relaxation_time;
  expect_same_in_long_steps({0, viscosity, 1, kHeight, kSlope}, foam, 0.015);
}

// Mean velocity along x between two times: waves that ring in what stands do not count.
double drift(Simulation& simulation, double from, double to) {
  const auto mean = [&](double time) {
    simulation.advance_until(time);
    const Snapshot s = simulation.snapshot();
    double x = 0;
    for (std::size_t i = 0; i < s.size(); ++i) x += s.position[2 * i];
    return x / static_cast<double>(s.size());
  };
  const double start = mean(from);
  return (mean(to) - start) / (to - from);
}

// A periodic shear wave decays by nu k^2 with nu that of the volume that there is: what sand or
// snow has gained for good counts, too. (1.2^2 of the area at rest.)
TEST(Viscosity, IsOfTheWholeVolume) {
  const auto left = [](Material material, double stretch) {
    Scene scene = empty_scene(2, 0.025);
    scene.simulation.gravity = {0, 0, 0};
    scene.grid.domain.emplace();
    scene.grid.domain->min = {0, 0, 0};
    scene.grid.domain->max = {0.8, 0.8, 0};
    scene.grid.domain->boundary.fill(BoundaryType::kPeriodic);
    scene.transfer.type = TransferType::kPolypic;
    scene.transfer.modes = 6;
    material.viscosity = 10;
    scene.materials = {material};
    scene.bodies = {body("all", 0, box({0, 0, 0}, {0.8, 0.8, 0}))};
    scene.bodies[0].sampling = Sampling::kUniform;
    scene.bodies[0].stretch = stretch;
    scene.bodies[0].velocity.component[1] = {0, "0.01*sin(7.853981634*x)"};
    Simulation simulation = simulate(scene);
    const double before = simulation.totals().kinetic;
    simulation.advance_until(0.3);
    return -std::log(simulation.totals().kinetic / before);
  };
  Material loose = sand("sand");
  loose.youngs_modulus = 1e3;
  loose.volume_correction = true;
  const double tight = left(loose, 1.001), gained = left(loose, 1.2);
  EXPECT_GT(tight, 0.1);
  EXPECT_NEAR(gained / tight, 1.44, 0.03);
}

// Below the yield stress it stays; above it creeps.
TEST(HerschelBulkleyFilm, StopsWhereTheYieldStressSaysItMust) {
  const auto creep = [](double yield_stress) {
    Scene scene = film(paste(yield_stress, 60, 0.5), kHeight, 2 * kDx, kAngle);
    scene.time.dt_max = 1e-3;
    Simulation simulation = simulate(scene);
    for (int k = 0; k < 10; ++k) simulation.advance_until(0.1 * k);
    const Snapshot s = simulation.snapshot();
    simulation.advance_until(1.1);
    double moved = 0;  // no particle has left the ring of 0.2 m more than once
    const Snapshot later = simulation.snapshot();
    for (std::size_t i = 0; i < s.size(); ++i)
      moved +=
          std::remainder(static_cast<double>(later.position[2 * i]) - s.position[2 * i], 32 * kDx);
    return moved / static_cast<double>(s.size()) / 0.2;
  };
  const Film slow{0.8 * kSlope * kHeight, 60, 0.5, kHeight, kSlope};
  EXPECT_LT(std::abs(creep(1.03 * kSlope * kHeight)), 0.02 * slow.at(kHeight));
  EXPECT_NEAR(creep(slow.yield_stress), slow.at(kHeight), 0.5 * slow.at(kHeight));
}

// A drop of mud spreads on the incline until its weight along it is what the yield stress bears, to
// within the cell in which it stands on the floor and the slope of its surface. It slows down with
// the square of what is left, so it never quite ends.
TEST(HerschelBulkleyDrop, StopsOnTheInclineAtItsThickness) {
  constexpr double radius = 0.1, dx = 0.0125, angle = 0.35;
  for (const double yield_stress : {100.0, 200.0}) {
    Scene scene = empty_scene(2, dx, Precision::kDouble);
    scene.simulation.gravity = {kGravity * std::sin(angle), -kGravity * std::cos(angle), 0};
    scene.materials = {paste(yield_stress, 10, 0.5)};
    scene.bodies = {lattice("drop", sphere({0, radius, 0}, radius))};
    scene.colliders = {collider("slope", ground(), BoundaryType::kSticky)};
    Simulation simulation = simulate(scene);
    const double at_first = drift(simulation, 0.1, 0.4), at_last = drift(simulation, 2, 2.5);
    const Snapshot s = simulation.snapshot();
    double highest = 0;
    for (std::size_t i = 0; i < s.size(); ++i)
      highest = std::max(highest, static_cast<double>(s.position[2 * i + 1]));
    const double bears = yield_stress / (kDensity * kGravity * std::sin(angle));
    EXPECT_LT(at_last, 0.1 * at_first);
    EXPECT_NEAR(highest, bears, dx + 0.1 * bears);
  }
}

// Of the particles away from floor and lid: the shear rate, and b_OB by way of F and the history.
struct ShearState {
  double rate = 0, b_xy = 0, N1 = 0;
};
ShearState shear_inside(const Snapshot& s, double height) {
  ShearState mean;
  double y = 0, u = 0, yy = 0, yu = 0;
  int count = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const double py = s.position[2 * i + 1], pu = s.velocity[2 * i];
    if (py < 0.3 * height || py > 0.7 * height) continue;
    const float* F = s.deformation_gradient.data() + 4 * i;
    const double scale = std::exp(static_cast<double>(s.plastic_state[i]));
    mean.b_xy += scale * (F[0] * F[2] + F[1] * F[3]);
    mean.N1 += scale * (F[0] * F[0] + F[1] * F[1] - F[2] * F[2] - F[3] * F[3]);
    y += py, u += pu, yy += py * py, yu += py * pu;
    ++count;
  }
  mean.rate = (yu - y * u / count) / (yy - y * y / count);
  mean.b_xy /= count, mean.N1 /= count;
  return mean;
}

// Between a floor at rest and a lid that moves. Waves pass through the fluid at first, so the
// strain is held against Oldroyd's equations under the rate that there is, b_xy' = g - b_xy / Wi
// and N1' = 2 g b_xy - N1 / Wi; once it is even, these are the closed forms of start-up.
TEST(ViscoelasticShear, StartUpIsThatOfOldroydB) {
  constexpr double Wi = 0.1, rate = 5, dx = 0.05, height = 0.8, interval = 2e-3;
  Scene scene = empty_scene(2, dx, Precision::kDouble);
  scene.simulation.gravity = {0, 0, 0};
  scene.time.dt_max = 1e-4;
  scene.materials = {elastic("fluid", MaterialModel::kViscoelastic, 1e3, 1)};
  scene.materials[0].relaxation_time = Wi;
  scene.grid.domain = closed_box({0, 0, 0}, {16 * dx, height + 4 * dx, 0});
  scene.grid.domain->boundary = {BoundaryType::kPeriodic, BoundaryType::kPeriodic,
                                 BoundaryType::kSticky,   BoundaryType::kSticky,
                                 BoundaryType::kSticky,   BoundaryType::kSticky};
  scene.bodies = {lattice("fluid", box({0, 0, 0}, {16 * dx, height, 0}))};
  scene.bodies[0].velocity.component[0].expression = std::to_string(rate) + "*y";
  Collider lid = collider("lid", half_space({0, height, 0}, {0, -1, 0}), BoundaryType::kSticky);
  lid.motion = Keyframes{{0, 1}, {{0, 0, 0}, {rate * height, 0, 0}}, {}, {}};
  scene.colliders = {lid};
  Simulation simulation = simulate(scene);
  double b_xy = 0, N1 = 0, before = rate;
  ShearState now;
  for (int k = 1; k <= 200; ++k) {
    simulation.advance_until(k * interval);
    now = shear_inside(simulation.snapshot(), height);
    const double g = 0.5 * (before + now.rate), decay = std::exp(-interval / Wi);
    const double middle = b_xy * std::sqrt(decay) + g * Wi * (1 - std::sqrt(decay));
    N1 = N1 * decay + 2 * g * middle * Wi * (1 - decay);
    b_xy = b_xy * decay + g * Wi * (1 - decay);
    before = now.rate;
    if (k % 40 != 0) continue;
    EXPECT_NEAR(now.b_xy, b_xy, 0.01 * b_xy) << k;
    EXPECT_NEAR(now.N1, N1, 0.01 * N1) << k;
  }
  // Four relaxation times later: the stress of the closed form, at the rate of the lid but for
  // where it begins.
  EXPECT_NEAR(now.rate, rate, 0.03 * rate);
  EXPECT_NEAR(now.b_xy, Wi * rate, 0.04 * Wi * rate);
}

}  // namespace
}  // namespace firn::test
