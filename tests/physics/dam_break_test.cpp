// A dam break in the plane: the front against measurements, and the pool that is left against the
// volume at the start.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/fluid_scenes.h"

namespace firn::test {
namespace {

constexpr double kGravity = 9.81;

// A column, `width` wide and twice as high, at the left end of a tank.
Scene column(double width, double dx, double tank_length, double tank_height) {
  Scene scene = liquid_scene(2, dx);
  scene.grid.domain = closed_box({0, 0, 0}, {tank_length, tank_height, 0});
  scene.bodies = {body("column", 0, box({0, 0, 0}, {width, 2 * width, 0}))};
  return scene;
}

// --- the front ---

// T = t sqrt(2 g / a), Z = x / a of a column a wide and 2 a high.
struct Point {
  double T, Z;
};
// Martin & Moyce 1952, Phil. Trans. R. Soc. A 244:312-324, fig. 3, n^2 = 2: a = 1.125 in and 2.25
// in as digitised in PySPH (pysph/examples/db_exp_data.py), then as digitised in Lethe
// (dam-break-2d).
constexpr Point kMartinMoyce[] = {{1.212, 1.443}, {1.602, 1.884}, {2.283, 2.689}, {1.219, 1.474},
                                  {1.997, 2.292}, {2.547, 2.995}, {1.43, 1.67},   {1.63, 1.89},
                                  {1.82, 2.11},   {1.97, 2.33},   {2.2, 2.56},    {2.32, 2.78},
                                  {2.5, 3.00},    {2.64, 3.22},   {2.82, 3.44}};

constexpr double kInterval = 0.05;  // between two points of a computed front, in T

std::vector<double> front_of(FreeSurface surface) {
  const double a = 0.25;
  Scene scene = column(a, a / 32, 2, 1);
  scene.fluid.free_surface = surface;
  scene.simulation.fps = std::sqrt(2 * kGravity / a) / kInterval;
  scene.time.dt_max = 1 / scene.simulation.fps;
  Simulation simulation = simulate(scene);
  std::vector<double> front{1};
  while (kInterval * static_cast<double>(front.size()) < 3.2) {
    simulation.advance_frame();
    const Snapshot s = simulation.snapshot();
    double farthest = 0;
    for (std::size_t i = 0; i < s.size(); ++i)
      farthest = std::max(farthest, static_cast<double>(s.position[2 * i]));
    front.push_back(farthest / a);
  }
  return front;
}

double at(const std::vector<double>& front, double T) {
  const double place = T / kInterval;
  const auto i = static_cast<std::size_t>(place);
  const double f = place - static_cast<double>(i);
  return (1 - f) * front[i] + f * front[i + 1];
}

double largest_front_speed(const std::vector<double>& front) {  // over 0.4 in T
  double largest = 0;
  for (std::size_t i = 8; i < front.size(); ++i)
    largest = std::max(largest, (front[i] - front[i - 8]) / 0.4);
  return largest;
}

// In the experiment a gate has to get out of the way first. The shift of the time origin is the one
// of Lethe's validation of the same case. The computed front, of a liquid without viscosity on a
// floor without friction, converges to 3 to 6 % ahead of Martin & Moyce, 10 % at T = 1.2. Without
// the shift it is up to 21 % ahead, and with it up to 14 % ahead of Koshizuka & Oka 1996, whose
// later points lie as far behind Martin & Moyce; neither is asserted.
constexpr double kGate = 0.175;

TEST(DamBreak, FrontFollowsTheMeasurements) {
  for (const FreeSurface surface : {FreeSurface::kFirstOrder, FreeSurface::kGhostFluid}) {
    const std::vector<double> front = front_of(surface);
    double ahead = 0, without_gate = 0;
    for (const Point& p : kMartinMoyce) {
      EXPECT_NEAR(at(front, p.T - kGate), p.Z, 0.1 * p.Z);
      ahead = std::max(ahead, at(front, p.T - kGate) / p.Z - 1);
      without_gate = std::max(without_gate, at(front, p.T) / p.Z - 1);
    }
    std::printf("at most %.3f ahead, %.3f without the gate\n", ahead, without_gate);
    // Ritter's 2 sqrt(g h) of a column 2 a high, which no front outruns.
    EXPECT_LE(largest_front_speed(front), 2);
  }
}

// --- the pool that is left ---

struct Pool {
  double depth;    // mean, relative to that of the column's volume
  double kinetic;  // relative to the potential energy of the column's centre of mass at the start
};

// Means over the last 3 of 20 s: the waves have broken long before.
Pool settled(TransferType transfer, bool correction) {
  constexpr double kWidth = 0.48, kTank = 2;
  // So high that no drop meets a ceiling: it would hang there, as a slip wall pulls.
  Scene scene = column(kWidth, 0.04, kTank, 4);
  scene.transfer.type = transfer;
  scene.fluid.density_correction = correction;
  Simulation simulation = simulate(scene);
  const double weight = kGravity * simulation.totals().mass;
  run_to(simulation, 17);
  Pool pool{0, 0};
  int frames = 0;
  for (; simulation.stats().time < 20; ++frames) {
    simulation.advance_frame();
    pool.depth += depth_of_pool(simulation.snapshot(), scene.grid.dx, kTank);
    pool.kinetic += simulation.totals().kinetic;
  }
  pool.depth /= frames * 2 * kWidth * kWidth / kTank;
  pool.kinetic /= frames * weight * kWidth;
  return pool;
}

// With the first-order surface. Particles that only follow the velocity pile up cell by cell; the
// correction must undo that, and must not stir the pool: what it may add is 1 % of the energy that
// the column had.
TEST(DamBreak, DensityCorrectionKeepsTheVolume) {
  for (const TransferType transfer : {TransferType::kApic, TransferType::kFlip}) {
    const Pool with = settled(transfer, true), without = settled(transfer, false);
    std::printf("transfer %d: depth %.4f, without %.4f; kinetic %.3g, without %.3g\n",
                static_cast<int>(transfer), with.depth, without.depth, with.kinetic,
                without.kinetic);
    EXPECT_NEAR(with.depth, 1, 0.01);
    EXPECT_LT(without.depth, 0.9);
    EXPECT_LE(with.kinetic, without.kinetic + 0.01);
  }
}

}  // namespace
}  // namespace firn::test
