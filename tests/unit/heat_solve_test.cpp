// The heat solve on the grid alone, without the particles' transfers: of second order in space
// where the step goes with the square of the cells, with the walls at their true distance.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/exec/host.h"
#include "src/state/heat_store.h"
#include "tests/support/fluid_harness.h"
#include "tests/support/thermal_scenes.h"

namespace firn::test {
namespace {

constexpr double kWall = 300, kTime = 0.05;

// Cells of a slab that hold what a full one does, and their temperatures.
template <int D>
class HeatHarness : public FluidHarness<Cpu, D, double> {
  using Base = FluidHarness<Cpu, D, double>;
  using Base::kBlocks, Base::control_, Base::exec_, Base::grid_, Base::dx_;

 public:
  HeatHarness(Cpu& exec, const Scene& scene)
      : Base(exec, scene), scene_(scene), model_(scene), heat_(exec, scene, model_), solver_(exec) {
    heat_.reserve(kBlocks);
  }

  void step(double dt) {
    Base::set_dt(dt, dt);
    StepControl* c = control_.data();
    const HeatView<double> view = heat_.view(nullptr);
    const auto update = Base::update_params();
    put_thermal(view);
    settle_cells<Cpu, D, double>(exec_, update, grid_.view(), view, kBlocks, c);
    assemble_heat<Cpu, D, double>(exec_, update, grid_.view(), Base::mac(), view, kBlocks, c);
    const SolveReport report = solver_.solve(heat_.system(grid_.view(), {&c->n_blocks, kBlocks}),
                                             {1e-12, 0, 100}, &c->stop);
    ASSERT_TRUE(report.converged);
    apply_fluxes<Cpu, D, double>(exec_, Base::mac(), view, kBlocks, c);
    Base::for_each_cell([&](std::size_t place, const Vec<int, D>& cell) {
      if (is_inside(cell)) temperature(place) += view.change[place];
    });
  }

  double error() {
    double sum = 0;
    int count = 0;
    Base::for_each_cell([&](std::size_t place, const Vec<int, D>& cell) {
      if (!is_inside(cell)) return;
      const double exact = slab_temperature(dx_ * (cell[0] + 0.5), kTime);
      sum += std::pow(temperature(place) - kWall - exact, 2);
      ++count;
    });
    return std::sqrt(sum / count);
  }

 private:
  bool is_inside(const Vec<int, D>& cell) const {
    bool inside = true;
    for (int a = 0; a < D; ++a) {
      const double x = dx_ * (cell[a] + 0.5);
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
    const double volume = std::pow(dx_, D),
                 capacity = volume * scene_.materials[0].density * heat.capacity.solid;
    heat_.clear();
    Base::for_each_cell([&](std::size_t place, const Vec<int, D>& cell) {
      if (is_inside(cell))
        view.thermal_sums[place] = Node<double>::make(capacity, capacity * temperature(place),
                                                      volume * heat.conductivity.solid, volume);
    });
  }

  Scene scene_;
  HeatModel<double> model_;
  HeatStore<Cpu, D, double> heat_;
  EllipticSolver<Cpu, D, double> solver_;
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
  Cpu exec(1);
  HeatHarness<D> harness(exec, scene);
  harness.prepare(1e-3);
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

TEST(HeatSolve, IsOfSecondOrder) {
  for (double part : {0.0, 0.2, 0.4}) {
    SCOPED_TRACE(part);
    expect_second_order<2>(part, {8, 16, 32, 64});
  }
  expect_second_order<3>(0, {8, 16, 32});
}

}  // namespace
}  // namespace firn::test
