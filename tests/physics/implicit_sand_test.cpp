// Sand in steps of the optimisation integrator: heaps and columns run out as far as by explicit
// steps, in steps many times as long.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "firn/simulation.h"
#include "tests/support/parsed_scenes.h"
#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

Scene sand_on_the_ground(const std::string& integrator, const std::string& box, int seed = 0) {
  return parse_text("[simulation]\ndimension = 2\nintegrator = \"" + integrator +
                    "\"\nseed = " + std::to_string(seed) + R"TOML(
[grid]
dx = 0.05
[time]
cfl = 0.6
[material.sand]
preset = "sand"
youngs_modulus = 1e6
[[body]]
material = "sand"
shape = )TOML" + box +
                    R"TOML(
[[collider]]
boundary = "separate"
friction = 0.5
shape = { type = "half_space", point = [0, 0], normal = [0, 1] }
)TOML");
}

// How far from the middle the innermost 99 % of the particles lie, m.
double run_out(const Simulation& simulation) {
  const std::vector<float> x = simulation.snapshot().position;
  std::vector<double> away;
  for (std::size_t i = 0; i < x.size(); i += 2) away.push_back(std::abs(x[i]));
  std::sort(away.begin(), away.end());
  return away[away.size() * 99 / 100];
}

struct Outcome {
  double run_out;
  std::int64_t steps = 0;
};
// A step that does not converge throws.
Outcome after(const std::string& integrator, const std::string& box, int frames, int seed = 0) {
  Simulation simulation = simulate(sand_on_the_ground(integrator, box, seed));
  Outcome o{};
  for (int frame = 0; frame < frames; ++frame) {
    simulation.advance_frame();
    o.steps += simulation.stats().steps;
  }
  o.run_out = run_out(simulation);
  return o;
}

// Steps of a whole frame, once the sides have slid down.
TEST(ImplicitSand, RestsOnFlatGround) {
  const std::string heap = R"({ type = "box", min = [-0.5, 0], max = [0.5, 0.2] })";
  for (int seed = 0; seed < 5; ++seed) {
    SCOPED_TRACE(seed);
    const Outcome exact = after("explicit", heap, 12, seed);
    const Outcome found = after("optimization", heap, 12, seed);
    EXPECT_NEAR(found.run_out, exact.run_out, 2 * 0.05);  // two cells: steps of first order
    EXPECT_LE(found.steps, 24);
  }
}

TEST(ImplicitSand, AColumnRunsOutAsByExplicitSteps) {
  const std::string column = R"({ type = "box", min = [-0.25, 0], max = [0.25, 0.8] })";
  const Outcome exact = after("explicit", column, 24), found = after("optimization", column, 24);
  EXPECT_GT(exact.run_out, 4 * 0.25);
  EXPECT_NEAR(found.run_out, exact.run_out, 0.08 * exact.run_out);
  EXPECT_LE(10 * found.steps, exact.steps);
}

}  // namespace
}  // namespace firn::test
