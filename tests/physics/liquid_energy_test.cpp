// A jet of water on bodies that take no energy from it and give none: planes at 16 angles, a ball,
// a ring, a box, a bowl, and bodies that move. What the water has of energy must never be more than
// it had at the start and what moving bodies have done to it, and nothing may be faster than it can
// fall.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "tests/support/fluid_scenes.h"

namespace firn::test {
namespace {

constexpr double kGravity = 9.81, kSpeed = 2, kTop = 0.5, kDrop = 0.9;  // m/s^2, m/s, m, m
// Of the energy at the start, its height counted from where the last of it falls to.
constexpr double kMostGrowth = 0.01;
constexpr double kMostSpeed = 1.1;  // of free fall

struct Case {
  std::string name;
  Shape shape;
  BoundaryType boundary = BoundaryType::kSlip;
  double dx = 0.0125;
  std::uint64_t seed = 1;
  TransferSettings transfer{};
  Vec3 velocity{};  // of the body
  friend void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
};

Shape torus() {
  Shape s;
  s.type = ShapeType::kTorus;
  s.center = {0, 0.2, 0};
  s.axis = {0.2, 1, 0.1};
  s.radius = 0.05;
  s.tube_radius = 0.025;
  return s;
}
Shape bowl() {
  Shape s;
  s.type = ShapeType::kDifference;
  s.children = {sphere({0, 0.2, 0}, 0.12), sphere({0, 0.23, 0}, 0.1),
                box({-0.3, 0.25, -0.3}, {0.3, 0.6, 0.3})};
  return s;
}
Shape ball() { return sphere({0.01, 0.18, 0.005}, 0.09); }
Shape tilted_box() {
  Shape s;
  s.type = ShapeType::kTransform;
  s.rotation = {0.4, 0, 0.3};
  s.children = {box({-0.08, 0.1, -0.08}, {0.09, 0.2, 0.07})};
  return s;
}
Shape plane(double angle) {
  constexpr double kTurn = 0.6;
  return half_space({0, 0.2, 0}, {std::sin(angle) * std::cos(kTurn), std::cos(angle),
                                  std::sin(angle) * std::sin(kTurn)});
}

Scene scene_of(const Case& c) {
  Scene scene = liquid_scene(3, c.dx, Precision::kSingle);
  scene.fluid.free_surface = FreeSurface::kGhostFluid;
  scene.simulation.gravity = {0, -kGravity, 0};
  scene.simulation.seed = c.seed;
  scene.transfer = c.transfer;
  Shape jet;
  jet.type = ShapeType::kCylinder;
  jet.from = {0, 0.3, 0};
  jet.to = {0, kTop, 0};
  jet.radius = 0.025;
  scene.bodies = {body("jet", 0, jet, {0, -kSpeed, 0})};
  scene.colliders = {collider("body", c.shape, c.boundary)};
  if (c.velocity != Vec3{}) {
    const Vec3 end{10 * c.velocity[0], 10 * c.velocity[1], 10 * c.velocity[2]};
    scene.colliders[0].motion = Keyframes{{0, 10}, {{0, 0, 0}, end}, {}, {}};
  }
  return scene;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  const auto add = [&](const std::string& name, const Shape& shape) -> Case& {
    all.push_back({name, shape});
    all.back().transfer.kernel = 1;
    return all.back();
  };
  for (const BoundaryType boundary : {BoundaryType::kSlip, BoundaryType::kSeparate}) {
    const std::string suffix = boundary == BoundaryType::kSlip ? "Slip" : "Separate";
    for (int degrees = 0; degrees < 80; degrees += 5)
      add("Plane" + std::to_string(degrees) + suffix, plane(degrees * std::numbers::pi / 180))
          .boundary = boundary;
    add("Ball" + suffix, ball()).boundary = boundary;
    add("Torus" + suffix, torus()).boundary = boundary;
    add("Box" + suffix, tilted_box()).boundary = boundary;
    add("Bowl" + suffix, bowl()).boundary = boundary;
    Case& sinks = add("SinkingBall" + suffix, ball());
    sinks.boundary = boundary;
    sinks.velocity = {0.2, -0.5, 0.1};
    Case& rises = add("RisingPlane" + suffix, plane(0.35));
    rises.boundary = boundary;
    rises.velocity = {0.1, 0.4, 0};
  }
  const Shape steep = plane(20 * std::numbers::pi / 180);
  for (int seed = 2; seed <= 5; ++seed)
    add("Seed" + std::to_string(seed), steep).seed = static_cast<std::uint64_t>(seed);
  for (const double dx : {0.01, 0.02}) {
    const std::string cells = std::to_string(std::lround(1 / dx));
    add("Plane20At" + cells, steep).dx = dx;
    add("BallAt" + cells, ball()).dx = dx;
  }
  const std::vector<std::pair<std::string, TransferType>> transfers = {
      {"Pic", TransferType::kPic},
      {"Flip", TransferType::kFlip},
      {"Rpic", TransferType::kRpic},
      {"Aflip", TransferType::kAflip},
      {"PolyPic", TransferType::kPolypic}};
  for (const auto& [name, type] : transfers) {
    Case& c = add(name, steep);
    c.transfer.type = type;
    if (type == TransferType::kFlip || type == TransferType::kAflip) c.transfer.blend = 0.95;
  }
  add("Quadratic", steep).transfer.kernel = 2;
  add("Cubic", steep).transfer.kernel = 3;
  return all;
}

class LiquidEnergy : public testing::TestWithParam<Case> {};

TEST_P(LiquidEnergy, IsNeverMade) {
  const Case& c = GetParam();
  const Scene scene = scene_of(c);
  Simulation simulation = simulate(scene);
  const auto energy = [&] {
    const Totals t = simulation.totals();
    return t.kinetic + t.potential;
  };
  const double mass = simulation.totals().mass, start = energy();
  const double scale = start + mass * kGravity * (kDrop - kTop);
  const double body = std::hypot(c.velocity[0], c.velocity[1], c.velocity[2]);
  const double free_fall = std::sqrt(kSpeed * kSpeed + 2 * kGravity * kDrop) + 2 * body;
  double work = 0;
  for (int frame = 0; frame < 7; ++frame) {
    simulation.advance_frame();
    const FrameStats stats = simulation.stats();
    // The force on the body is its mean over the frame.
    for (std::size_t a = 0; a < 3; ++a)
      work -= stats.reactions.at(0).force[a] * c.velocity[a] / scene.simulation.fps;
    EXPECT_LE(energy() - start - work, kMostGrowth * scale) << "frame " << frame;
    EXPECT_LE(stats.max_speed, kMostSpeed * free_fall) << "frame " << frame;
  }
}
INSTANTIATE_TEST_SUITE_P(OnBodies, LiquidEnergy, testing::ValuesIn(cases()),
                         [](const auto& c) { return c.param.name; });

}  // namespace
}  // namespace firn::test
