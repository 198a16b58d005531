// Small scenes built in code for tests that run the whole engine, and ways to run them for exact
// numbers of steps.
#pragma once

#include <string>
#include <vector>

#include "firn/simulation.h"

namespace firn::test {

inline Shape box(const Vec3& min, const Vec3& max) {
  Shape s;
  s.type = ShapeType::kBox;
  s.min = min;
  s.max = max;
  return s;
}
inline Shape sphere(const Vec3& center, double radius) {
  Shape s;
  s.type = ShapeType::kSphere;
  s.center = center;
  s.radius = radius;
  return s;
}
inline Shape half_space(const Vec3& point, const Vec3& normal) {
  Shape s;
  s.type = ShapeType::kHalfSpace;
  s.point = point;
  s.normal = normal;
  return s;
}
// What of a shape another one does not hold.
inline Shape difference(const Shape& shape, const Shape& less) {
  Shape s;
  s.type = ShapeType::kDifference;
  s.children = {shape, less};
  return s;
}

inline Shape ground(double height = 0) { return half_space({0, height, 0}, {0, 1, 0}); }

inline Material elastic(std::string name, MaterialModel model = MaterialModel::kFixedCorotated,
                        double stiffness = 1e5, double density = 1000) {
  Material m;
  m.name = std::move(name);
  m.model = model;
  m.density = density;
  m.youngs_modulus = stiffness;
  m.poisson_ratio = 0.3;
  return m;
}
inline Material snow(std::string name) {
  Material m = elastic(std::move(name), MaterialModel::kSnow, 1.4e5, 400);
  m.critical_compression = 0.025;
  m.critical_stretch = 0.0075;
  m.hardening = 10;
  return m;
}
inline Material sand(std::string name) {
  Material m = elastic(std::move(name), MaterialModel::kDruckerPrager, 2e5, 1600);
  m.friction_angle = 0.6;
  return m;
}
inline Material water(std::string name) {
  Material m = elastic(std::move(name), MaterialModel::kWeaklyCompressible, 0, 1000);
  m.bulk_modulus = 5e4;
  m.viscosity = 0.1;
  return m;
}

inline Body body(std::string name, int material, const Shape& shape, const Vec3& velocity = {}) {
  Body b;
  b.name = std::move(name);
  b.material = material;
  b.shape = shape;
  for (std::size_t a = 0; a < 3; ++a) b.velocity.component[a].constant = velocity[a];
  return b;
}
inline Collider collider(std::string name, const Shape& shape,
                         BoundaryType boundary = BoundaryType::kSticky, double friction = 0) {
  Collider c;
  c.name = std::move(name);
  c.shape = shape;
  c.boundary = boundary;
  c.friction = friction;
  return c;
}

// Without bodies, materials or walls; SI units, g = 9.81 downwards, 24 frames per second.
inline Scene empty_scene(int dimension, double dx, Precision precision = Precision::kDouble) {
  Scene s;
  s.name = "test";
  s.simulation.dimension = dimension;
  s.simulation.precision = precision;
  s.grid.dx = dx;
  return s;
}

inline Simulation simulate(const Scene& scene, int threads = 1) {
  return Simulation(scene, {Device::kCpu, threads});
}

// Exactly `steps` steps, through as many frames as they take; stops in the middle of a frame.
inline void make_steps(Simulation& simulation, int steps) {
  const auto enough = [&] { return steps-- <= 0; };
  while (steps > 0) simulation.advance_frame(enough);
}

// A bit of everything that a step can meet: three bodies of three materials, a source, a sink, a
// moving body, walls.
inline Scene busy_scene(int dimension, Precision precision) {
  Scene s = empty_scene(dimension, 0.05, precision);
  const double z = dimension == 3 ? 0.3 : 0;
  s.materials = {elastic("jelly"), snow("snow"), sand("sand"), water("water")};
  s.bodies = {body("ball", 0, sphere({0.3, 0.35, z}, 0.12), {1, -2, 0}),
              body("heap", 1, box({0.5, 0.05, 0.2}, {0.75, 0.3, 0.4})),
              body("pile", 2, box({0.1, 0.05, 0.2}, {0.45, 0.18, 0.4}))};
  s.bodies[0].angular_velocity = {0, 0, 5};
  Collider paddle =
      collider("paddle", box({0.8, 0, 0}, {0.9, 0.3, 0.6}), BoundaryType::kSeparate, 0.3);
  paddle.motion = Keyframes{{0, 0.2, 0.4},
                            {{0, 0, 0}, {-0.15, 0, 0}, {0, 0, 0}},
                            {{0, 0, 0}, {0, 0, 0.3}, {0, 0, 0}},
                            {}};
  s.colliders = {paddle, collider("stone", sphere({0.3, 0, z}, 0.08), BoundaryType::kSticky)};
  Source tap;
  tap.name = "tap";
  tap.material = 3;
  tap.shape = box({0.6, 0.6, 0.25}, {0.7, 0.7, 0.35});
  tap.velocity = {0, -2, 0};
  tap.end = 0.3;
  s.sources = {tap};
  s.sinks = {{"drain", box({0.0, -0.1, -1}, {0.15, 0.12, 1})}};
  Domain walls;
  walls.min = {0, 0, 0};
  walls.max = {1, 2, 0.6};
  walls.boundary.fill(BoundaryType::kSlip);
  walls.boundary[2] = BoundaryType::kSeparate;
  walls.friction.fill(0.2);
  s.grid.domain = walls;
  return s;
}

}  // namespace firn::test
