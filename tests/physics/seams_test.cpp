// Floors that are put together: a block slides over their seams, and over what is let into them,
// as over one floor, as only those faces act that it lies before.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/support/fluid_scenes.h"

namespace firn::test {
namespace {

struct Floor {
  const char* name;
  std::vector<Shape> shapes;
  bool wall;  // of the domain, at y = 0
};
Floor tiles(double seam, double side) {
  return {"tiles",
          {box({-0.6, -0.5, -side}, {seam, 0, side}), box({seam, -0.5, -side}, {3, 0, side})},
          false};
}
Floor overlapping(double side) {
  return {"overlapping",
          {box({-0.6, -0.5, -side}, {0.7, 0, side}), box({0.5, -0.5, -side}, {3, 0, side})},
          false};
}
Floor plate_in(bool wall, double depth, double side) {
  Floor floor{"plate", {box({0.6, -0.3, -side}, {1.0, -depth, side})}, wall};
  if (!wall) floor.shapes.push_back(ground());
  return floor;
}

// After 0.6 s on a block of jelly, 1 m/s fast at the start and of 1 kg/m^3 or 1 kg/m^2.
double speed_over(const Floor& floor, int dimension, Integrator integrator, BoundaryType boundary) {
  Scene s = empty_scene(dimension, 0.05);
  s.simulation.integrator = integrator;
  s.materials = {elastic("jelly", MaterialModel::kFixedCorotated, 1e5, 1000)};
  s.materials[0].viscosity = 200;
  const double side = dimension == 3 ? 0.15 : 0;
  s.bodies = {body("block", 0, box({0, 0, -side}, {0.4, 0.3, side}), {1, 0, 0})};
  for (const Shape& shape : floor.shapes) s.colliders.push_back(collider("part", shape, boundary));
  for (std::size_t i = 0; i < s.colliders.size(); ++i) s.colliders[i].name += std::to_string(i);
  if (floor.wall) {
    Domain walls;
    walls.min = {-1, 0, -1};
    walls.max = {3, 2, 1};
    walls.boundary.fill(boundary);
    s.grid.domain = walls;
  }
  Simulation simulation = simulate(s);
  const int frames = static_cast<int>(0.6 * s.simulation.fps);
  for (int frame = 0; frame < frames; ++frame) simulation.advance_frame();
  const Totals totals = simulation.totals();
  return totals.momentum[0] / totals.mass;
}

// Liquids and solids whose velocities lie on faces, half a cell from the nodes.
double speed_on_faces(Integrator integrator, std::optional<double> seam) {
  Scene s = empty_scene(2, 0.05);
  s.simulation.integrator = integrator;
  const bool flows = integrator == Integrator::kIncompressible;
  s.materials = {flows ? liquid()
                       : elastic("jelly", MaterialModel::kCorotatedDeviatoric, 2e5, 1000)};
  s.thermal.heat = false;
  if (!flows) s.transfer.force = ForceForm::kGradient;
  s.bodies = {body("block", 0, box({0, 0, 0}, {0.6, flows ? 0.2 : 0.4, 0}), {1, 0, 0})};
  const double end = seam.value_or(4);
  s.colliders = {collider("one", box({-1, -0.5, 0}, {end, 0, 0}), BoundaryType::kSeparate)};
  if (seam)
    s.colliders.push_back(collider("two", box({end, -0.5, 0}, {4, 0, 0}), BoundaryType::kSeparate));
  Simulation simulation = simulate(s);
  const int frames = static_cast<int>(s.simulation.fps);
  for (int frame = 0; frame < frames; ++frame) simulation.advance_frame();
  const Totals totals = simulation.totals();
  return totals.momentum[0] / totals.mass;
}
// Halfway between two faces the floor and the seam are as far from a face within the tile.
TEST(SeamsOnFaces, AreNoSteps) {
  for (const Integrator integrator : {Integrator::kIncompressible, Integrator::kThermal}) {
    const double whole = speed_on_faces(integrator, {});
    EXPECT_NEAR(whole, 1, 0.06);  // a liquid loses some at its surface
    for (const double seam : {0.8, 0.825, 0.84})
      EXPECT_NEAR(speed_on_faces(integrator, seam), whole, 0.01) << seam;
  }
}

class Seams : public testing::TestWithParam<Integrator> {};

TEST_P(Seams, AreNoSteps) {
  for (const BoundaryType boundary : {BoundaryType::kSlip, BoundaryType::kSeparate})
    for (const Floor& floor :
         {tiles(0.6, 0), tiles(0.587, 0), overlapping(0), plate_in(false, 0, 0),
          plate_in(false, 0.05, 0), plate_in(true, 0, 0)}) {
      SCOPED_TRACE(std::string(floor.name) + (floor.wall ? " in a wall " : " ") +
                   std::to_string(static_cast<int>(boundary)));
      EXPECT_NEAR(speed_over(floor, 2, GetParam(), boundary), 1, 0.01);
    }
  EXPECT_NEAR(speed_over(tiles(0.6, 0.3), 3, GetParam(), BoundaryType::kSeparate), 1, 0.01);
}
INSTANTIATE_TEST_SUITE_P(Integrators, Seams,
                         testing::Values(Integrator::kExplicit, Integrator::kSemiImplicit,
                                         Integrator::kOptimization),
                         [](const auto& info) {
                           return std::string(info.param == Integrator::kExplicit ? "Explicit"
                                              : info.param == Integrator::kSemiImplicit
                                                  ? "SemiImplicit"
                                                  : "Optimization");
                         });

}  // namespace
}  // namespace firn::test
