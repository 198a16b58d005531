// Liquids of different density in one tank: the pressure below both, rest of the light one above
// the heavy one, and the rise of the light one through the heavy one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/support/fluid_harness.h"
#include "tests/support/fluid_scenes.h"

namespace firn::test {
namespace {

constexpr double kGravity = 9.81, kHeavy = 1000, kLight = 100;

Scene liquids(int dimension, double dx) {
  Scene scene = liquid_scene(dimension, dx);
  scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 1});
  scene.materials = {liquid(kHeavy), liquid(kLight)};
  scene.materials[0].name = "water";
  scene.materials[1].name = "oil";
  return scene;
}

// 0.25 m of the light liquid on 0.5 m of the heavy one.
Scene layers(int dimension, double dx, Sampling sampling = Sampling::kUniform) {
  Scene scene = liquids(dimension, dx);
  scene.bodies = {body("water", 0, box({0, 0, 0}, {1, 0.5, 1})),
                  body("oil", 1, box({0, 0.5, 0}, {1, 0.75, 1}))};
  for (Body& b : scene.bodies) b.sampling = sampling;
  return scene;
}

// Pa, of layers at rest.
double weight_above(double y) {
  return kGravity * (kLight * std::min(0.25, 0.75 - y) + kHeavy * std::max(0.0, 0.5 - y));
}

// The surface and the interface lie on faces of cells, where the ghost fluid and the mean density
// of a face are exact: nothing is left but the solve. Its residual r, at most the tolerance times
// g dt / dx, moves the pressure by at most rho h^2 r / 2, as a uniform source over the depth h
// does.
template <int D>
void expect_hydrostatic(double dx) {
  Scene scene = layers(D, dx);
  scene.fluid.free_surface = FreeSurface::kGhostFluid;
  scene.fluid.tolerance = 1e-9;
  FluidHarness<D, double> h(scene);
  const double dt = 1e-3;
  h.prepare(dt);
  ASSERT_TRUE(h.project().converged);
  const double residual = scene.fluid.tolerance * kGravity * dt / dx;
  const double bound = kHeavy * 0.75 * 0.75 * residual / 2 / dt;
  double worst = 0, deepest = 0;
  h.for_each_fluid_cell([&](const Vec3& x, double p) {
    worst = std::max(worst, std::fabs(p / dt - weight_above(x[1])));
    deepest = std::max(deepest, p / dt);
  });
  EXPECT_LE(worst, bound);
  EXPECT_NEAR(deepest + kHeavy * kGravity * dx / 2, weight_above(0), bound);
  std::printf("pressure below %.9g Pa of %.9g, worst %.3g of %.3g\n",
              deepest + kHeavy * kGravity * dx / 2, weight_above(0), worst, bound);
}

TEST(TwoLiquids, PressureIsTheWeightOfBothIn2D) { expect_hydrostatic<2>(1.0 / 32); }
TEST(TwoLiquids, PressureIsTheWeightOfBothIn3D) { expect_hydrostatic<3>(1.0 / 16); }

TEST(TwoLiquids, TheLightOneRestsOnTheHeavyOne) {
  for (const TransferType transfer : {TransferType::kFlip, TransferType::kApic}) {
    Scene scene = layers(2, 1.0 / 16);
    scene.transfer.type = transfer;
    Simulation simulation = simulate(scene);
    run_to(simulation, 5);
    const double wave = std::sqrt(kGravity * 0.75);
    EXPECT_LE(simulation.stats().max_speed, 1e-6 * wave);
    std::printf("fastest %.3g sqrt(g h)\n", simulation.stats().max_speed / wave);
  }
}

// The noise of a sampled interface stirs the liquid about it. It must not carry the liquids through
// each other, nor become faster than a wave as high as a cell.
TEST(TwoLiquids, SampledLayersStayApart) {
  for (const FreeSurface surface : {FreeSurface::kFirstOrder, FreeSurface::kGhostFluid}) {
    Scene scene = layers(2, 1.0 / 32, Sampling::kPoisson);
    scene.fluid.free_surface = surface;
    Simulation simulation = simulate(scene);
    double fastest = 0;
    while (simulation.stats().time < 5 - 1e-9) {
      simulation.advance_frame();
      fastest = std::max(fastest, simulation.stats().max_speed);
    }
    EXPECT_LT(fastest, std::sqrt(kGravity * scene.grid.dx));
    const Snapshot s = simulation.snapshot();
    double highest = 0, lowest = 1;
    for (std::size_t i = 0; i < s.size(); ++i) {
      const double y = s.position[2 * i + 1];
      if (s.material[i] == 0)
        highest = std::max(highest, y);
      else
        lowest = std::min(lowest, y);
    }
    EXPECT_LT(highest, 0.5 + scene.grid.dx);
    EXPECT_GT(lowest, 0.5 - scene.grid.dx);
    std::printf("fastest %.3g m/s; %.2f cells into each other\n", fastest,
                (highest - lowest) / scene.grid.dx);
  }
}

double height_of(const Snapshot& s, int material) {
  double sum = 0, count = 0;
  const auto d = static_cast<std::size_t>(s.dimension);
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s.material[i] != material) continue;
    sum += s.position[d * i + 1];
    ++count;
  }
  return sum / count;
}

constexpr double kDrop = 0.125;  // radius

// A drop in the middle of a tank of that width, filled to 3/4 of it.
Scene drop_scene(int dimension, double dx, double width, FreeSurface surface) {
  Scene scene = liquids(dimension, dx);
  scene.fluid.free_surface = surface;
  scene.grid.domain = closed_box({0, 0, 0}, {width, width, width});
  const double half = 0.5 * width;
  const Shape drop = sphere({half, 0.75 * half, dimension == 3 ? half : 0}, kDrop);
  Shape pool;
  pool.type = ShapeType::kDifference;
  pool.children = {box({0, 0, 0}, {width, 1.5 * half, width}), drop};
  scene.bodies = {body("water", 0, pool), body("oil", 1, drop)};
  return scene;
}

void expect_rise(int dimension, double dx, FreeSurface surface) {
  Simulation simulation = simulate(drop_scene(dimension, dx, 1, surface));
  double height = height_of(simulation.snapshot(), 1);
  while (height < 0.6 && simulation.stats().frame < 48) {
    simulation.advance_frame();
    const double now = height_of(simulation.snapshot(), 1);
    EXPECT_GT(now, height) << "frame " << simulation.stats().frame;
    height = now;
  }
  EXPECT_GE(height, 0.6);
}
TEST(TwoLiquids, ALightDropRisesIn2D) {
  for (const FreeSurface surface : {FreeSurface::kFirstOrder, FreeSurface::kGhostFluid})
    expect_rise(2, 1.0 / 32, surface);
}
TEST(TwoLiquids, ALightDropRisesIn3D) { expect_rise(3, 1.0 / 16, FreeSurface::kGhostFluid); }

double first_acceleration(double dx) {
  Scene scene = drop_scene(2, dx, 2, FreeSurface::kGhostFluid);
  scene.time.dt_max = 1e-4;
  Simulation simulation = simulate(scene);
  make_steps(simulation, 1);
  const Snapshot s = simulation.snapshot();
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s.material[i] != 1) continue;
    sum += s.velocity[2 * i + 1];
    ++count;
  }
  return sum / count / scene.time.dt_max;
}

// Buoyancy over the inertia of the drop and of as much water as it displaces, which is what moves
// with a cylinder. The density jumps over a cell, a share dx / R of the drop; walls a tank's width
// w apart hold up 2/3 (pi R / w)^2 of the water more.
TEST(TwoLiquids, ALightDropStartsWithItsBuoyancy) {
  const double walls = 2.0 / 3 * std::pow(std::numbers::pi * kDrop / 2, 2);
  const double exact = kGravity * (kHeavy - kLight) / (kLight + (1 + walls) * kHeavy);
  double last = exact;
  for (const int n : {16, 32, 64}) {
    const double found = first_acceleration(1.0 / n), off = std::fabs(found - exact);
    std::printf("n = %d: %.3f m/s^2 of %.3f\n", n, found, exact);
    EXPECT_LE(off, exact / (n * kDrop));
    EXPECT_LT(off, last);
    last = off;
  }
}

}  // namespace
}  // namespace firn::test
