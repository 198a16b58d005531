// The heat solve on the grid alone, without the particles' transfers: of second order in space
// where the step goes with the square of the cells, with the walls at their true distance.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "src/integrators/unified.h"
#include "tests/support/step_harness.h"
#include "tests/support/thermal_scenes.h"

namespace firn::test {
namespace {

constexpr double kWall = 300, kTime = 0.05;

// Cells of a slab that hold what particles give to them there, and the temperatures of that.
template <int D>
class HeatHarness : public StepHarness<UnifiedIntegrator<Cpu, D, double>> {
  using Steps = StepHarness<UnifiedIntegrator<Cpu, D, double>>;
  using Steps::integrator_;

 public:
  explicit HeatHarness(const Scene& scene) : Steps(scene), scene_(scene) {
    std::vector<HarnessParticle<D>> particles;
    for (const Vec3& x : fill_body(scene, 0).position) {
      particles.emplace_back();
      for (int a = 0; a < D; ++a) particles.back().x[a] = x[static_cast<std::size_t>(a)];
    }
    Steps::set_particles(particles);
    Steps::set_dt(1e-3, 1e-3);
    integrator_.prepare();
  }

  void step(double dt) {
    Steps::set_dt(dt, dt);
    const HeatView<double> view = integrator_.material.view();
    put_thermal(view);
    ASSERT_TRUE(integrator_.heat.conduct());
    Steps::for_each_cell([&](std::size_t place, const Vec<int, D>& cell) {
      if (is_inside(cell)) temperature(place) += view.change[place];
    });
  }

  double error() {
    double sum = 0;
    int count = 0;
    Steps::for_each_cell([&](std::size_t place, const Vec<int, D>& cell) {
      if (!is_inside(cell)) return;
      const double exact = slab_temperature(scene_.grid.dx * (cell[0] + 0.5 + offset(cell)), kTime);
      sum += std::pow(temperature(place) - kWall - exact, 2);
      ++count;
    });
    return std::sqrt(sum / count);
  }

 private:
  // Of a cell, before the two walls.
  BesidePlane<double> low(const Vec<int, D>& cell) const {
    return BesidePlane<double>(cell[0] + 0.5);
  }
  BesidePlane<double> high(const Vec<int, D>& cell) const {
    return BesidePlane<double>(1 / scene_.grid.dx - cell[0] - 0.5);
  }
  double room(const Vec<int, D>& cell) const { return low(cell).room * high(cell).room; }
  double offset(const Vec<int, D>& cell) const { return low(cell).offset - high(cell).offset; }
  bool is_inside(const Vec<int, D>& cell) const {
    bool inside = true;
    for (int a = 0; a < D; ++a) {
      const double x = scene_.grid.dx * (cell[a] + 0.5);
      inside = inside && x > scene_.grid.domain->min[static_cast<std::size_t>(a)] &&
               x < scene_.grid.domain->max[static_cast<std::size_t>(a)];
    }
    return inside;
  }
  double& temperature(std::size_t place) {
    if (temperature_.size() <= place) temperature_.resize(place + 1, kWall + 1);
    return temperature_[place];
  }
  void put_thermal(const HeatView<double>& view) {
    const HeatProperties& heat = scene_.materials[0].heat;
    const double whole = std::pow(scene_.grid.dx, D);
    integrator_.material.store().clear();
    Steps::for_each_cell([&](std::size_t place, const Vec<int, D>& cell) {
      if (!is_inside(cell)) return;
      const double volume = room(cell) * whole,
                   capacity = volume * scene_.materials[0].density * heat.capacity.solid;
      view.thermal_sums[place] = Node<double>::make(capacity, capacity * temperature(place),
                                                    volume / heat.conductivity.solid, volume);
    });
  }

  Scene scene_;
  std::vector<double> temperature_;  // of cells, K
};

// A slab 0 < x < 1 of which `cells` and a part of one more are inside the walls, so that these
// stand anywhere between the centres of cells.
template <int D>
double slab_error(int cells, double part) {
  const double dx = 1 / (cells + part);
  Scene scene = thermal_scene(D, dx);
  const double across = 4 * dx;
  scene.grid.domain = closed_box({0, 0, 0}, {1, across, D == 3 ? across : 0});
  scene.grid.domain->temperature[0] = scene.grid.domain->temperature[1] = ScalarField{kWall, ""};
  scene.materials = {solid("slab", 1e3, 1e9)};
  scene.materials[0].heat.capacity = {1, 1};
  scene.materials[0].heat.conductivity = {1000, 1000};  // a diffusivity of 1 m^2/s
  scene.bodies = {lattice("slab", box({0, 0, 0}, {1, across, D == 3 ? across : 0}))};
  scene.bodies[0].temperature.constant = kWall + 1;
  scene.thermal.heat_solve = {1e-12, 100};
  HeatHarness<D> harness(scene);
  const int steps = static_cast<int>(std::ceil(kTime / (0.5 * dx * dx)));
  for (int i = 0; i < steps; ++i) harness.step(kTime / steps);
  return harness.error();
}

template <int D>
void expect_second_order(double part, std::initializer_list<int> sizes) {
  std::vector<double> errors, spacing;
  for (int cells : sizes) {
    errors.push_back(slab_error<D>(cells, part));
    spacing.push_back(1 / (cells + part));
  }
  const double slope =
      std::log(errors.front() / errors.back()) / std::log(spacing.front() / spacing.back());
  EXPECT_GE(slope, 1.8) << errors.front() << ' ' << errors.back();
}

// Its moments are those of the kernel that particles and cells share, summed up point by point.
TEST(HeatSolve, MatterBesideAPlaneLiesWhereTheKernelHasIt) {
  const auto kernel = [](double y) {
    const double r = std::abs(y);
    return r < 0.5 ? 0.75 - r * r : r < 1.5 ? 0.5 * (1.5 - r) * (1.5 - r) : 0;
  };
  for (const double cells : {0.0, 0.2, 0.5, 0.7, 1.0, 1.4, 1.5, 2.0}) {
    constexpr int kPoints = 20000;
    double room = 0, moment = 0;
    const double step = (1.5 + cells) / kPoints;
    for (int i = 0; i < kPoints; ++i) {
      const double y = -cells + (i + 0.5) * step;
      room += step * kernel(y);
      moment += step * y * kernel(y);
    }
    const BesidePlane<double> matter(cells);
    EXPECT_NEAR(matter.room, room, 1e-7) << cells;
    EXPECT_NEAR(matter.offset, moment / room, 1e-7) << cells;
  }
}

TEST(HeatSolve, IsOfSecondOrder) {
  for (double part : {0.0, 0.2, 0.4}) {
    SCOPED_TRACE(part);
    expect_second_order<2>(part, {8, 16, 32, 64});
  }
  expect_second_order<3>(0, {8, 16, 32});
}

}  // namespace
}  // namespace firn::test
