// Water let go on walls that cut through cells. The liquid next to them must move with the rest,
// however little of a face the wall leaves open.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "firn/scene_file.h"
#include "firn/simulation.h"

namespace firn {
namespace {

Scene on_ground(int dimension, const std::string& ground) {
  const std::string z = dimension == 3 ? ", 0.6]" : "]", zero = dimension == 3 ? ", 0]" : "]";
  const std::string body = "{ type = \"difference\", children = [ { type = \"box\", min = [0, 0" +
                           zero + ", max = [0.5, 0.7" + z + " }, " + ground + " ] }";
  return parse_scene("[simulation]\ndimension = " + std::to_string(dimension) +
                         "\nintegrator = \"incompressible\"\n[grid]\ndx = 0.05\n"
                         "domain = { min = [0, 0" +
                         zero + ", max = [1.5, 1" + z +
                         ", boundary = \"slip\" }\n[material.water]\npreset = \"water\"\n[[body]]\n"
                         "material = \"water\"\nshape = " +
                         body + "\n[[collider]]\nboundary = \"slip\"\nshape = " + ground + "\n",
                     "s.toml", "");
}

// The steepest pressure is found where the front meets the ground, twice the weight of the water
// that stands there: no particle starts with more than 3 g.
void expect_gravity_at_most(const Scene& scene) {
  Simulation simulation(scene, {Device::kCpu, 1});
  ASSERT_TRUE(simulation.advance_frame());
  const SimulationSettings& s = scene.simulation;
  const Snapshot particles = simulation.snapshot();
  double fastest = 0;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    double speed2 = 0;
    for (int a = 0; a < s.dimension; ++a)
      speed2 += std::pow(particles.velocity[i * static_cast<std::size_t>(s.dimension) + a], 2);
    fastest = std::max(fastest, std::sqrt(speed2));
  }
  EXPECT_LT(fastest, 3 * 9.81 / s.fps);
}

TEST(CutCells, LiquidOnASlopeStartsWithGravity) {
  expect_gravity_at_most(
      on_ground(2, "{ type = \"half_space\", point = [0, 0.4], normal = [0.3, 1] }"));
}

TEST(CutCells, LiquidOnUnevenGroundStartsWithGravity) {
  expect_gravity_at_most(on_ground(3,
                                   "{ type = \"height_field\", min = [0, 0], max = [1.5, 0.6], "
                                   "height = \"0.4 - 0.3*x + 0.04*sin(9*x)*cos(8*z)\" }"));
}

// A thin film slides on a floor between two nodes of the grid; particles sink towards the floor by
// a factor at every step, until their share of the faces above is no normal number.
TEST(CutCells, FilmOnAFloorLastsForEver) {
  const Scene scene = parse_scene(R"TOML(
[simulation]
dimension = 3
fps = 30
integrator = "incompressible"
[grid]
dx = 0.0024
[material.water]
preset = "water"
[[body]]
material = "water"
shape = { type = "sphere", center = [0, 0.02, 0], radius = 0.004 }
particles_per_cell = 1
[[collider]]
boundary = "slip"
shape = { type = "half_space", point = [0, 0, 0], normal = [0, 1, 0] }
)TOML",
                                  "s.toml", "");
  Simulation simulation(scene, {Device::kCpu, 1});
  float nearest = 1;
  for (int frame = 0; frame < 10; ++frame) {
    ASSERT_TRUE(simulation.advance_frame()) << frame;
    const Snapshot s = simulation.snapshot();
    for (std::size_t i = 0; i < s.size(); ++i) nearest = std::min(nearest, s.position[3 * i + 1]);
  }
  // Or the case is not the one meant.
  const double share =
      static_cast<double>(nearest) / scene.grid.dx * 1000 * std::pow(scene.grid.dx, 3);
  EXPECT_LT(share, static_cast<double>(std::numeric_limits<float>::min() /
                                       std::numeric_limits<float>::epsilon()));
}

// Two vessels with a slit of one cell between them, whose edges lie on lines of the grid: no corner
// of a face is open, but liquid passes: 0.044 m^2 in half a second where the slit has four cells.
TEST(CutCells, ASlitOfACellAlongTheGridIsOpen) {
  for (const int dimension : {2, 3}) {
    const std::string z = dimension == 3 ? ", 0.16]" : "]", zero = dimension == 3 ? ", 0]" : "]",
                      far = dimension == 3 ? ", 9]" : "]", near = dimension == 3 ? ", -9]" : "]";
    const Scene scene = parse_scene(
        "[simulation]\ndimension = " + std::to_string(dimension) +
            "\nintegrator = \"incompressible\"\n[grid]\ndx = 0.04\n"
            "domain = { min = [0, 0" +
            zero + ", max = [1, 1.2" + z +
            ", boundary = \"slip\" }\n[material.water]\npreset = \"water\"\n"
            "[[body]]\nmaterial = \"water\"\nsampling = \"uniform\"\n"
            "shape = { type = \"box\", min = [0, 0" +
            zero + ", max = [0.48, 0.8" + z +
            " }\n"
            "[[body]]\nmaterial = \"water\"\nsampling = \"uniform\"\nshape = { type = \"box\", "
            "min = [0.52, 0" +
            zero + ", max = [1, 0.2" + z +
            " }\n"
            "[[collider]]\nboundary = \"slip\"\n"
            "shape = { type = \"box\", min = [0.48, -1" +
            near + ", max = [0.52, 0.16" + far +
            " }\n"
            "[[collider]]\nboundary = \"slip\"\n"
            "shape = { type = \"box\", min = [0.48, 0.2" +
            near + ", max = [0.52, 3" + far + " }\n",
        "s.toml", "");
    Simulation simulation(scene, {Device::kCpu, 1});
    ASSERT_TRUE(simulation.advance_until(0.5));
    const Snapshot s = simulation.snapshot();
    double passed = 0;
    for (std::size_t i = 0; i < s.size(); ++i)
      if (s.position[i * static_cast<std::size_t>(dimension)] > 0.52) passed += s.volume[i];
    if (dimension == 3) passed /= 0.16;
    passed -= 0.48 * 0.2;
    EXPECT_NEAR(passed, 0.044, 0.005) << dimension;
  }
}

}  // namespace
}  // namespace firn
