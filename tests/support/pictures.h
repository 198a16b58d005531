// Small scenes and snapshots for tests of pictures, and what a pixel looks like.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>

#include "firn/scene.h"
#include "firn/simulation.h"
#include "src/render/image.h"

namespace firn::test {

inline constexpr int kWidth = 160, kHeight = 90;

inline Scene base_scene(int dimension) {
  Scene scene;
  scene.simulation.dimension = dimension;
  scene.grid.dx = 0.1;
  scene.output.resolution = {kWidth, kHeight};
  scene.output.look = Look::kParticles;
  Material red;
  red.color = {0.9, 0.05, 0.05};
  red.density = 1000;
  scene.materials = {red};
  return scene;
}

inline Collider ground_collider() {
  Collider collider;
  collider.shape.type = ShapeType::kHalfSpace;
  return collider;
}

inline void add_particle(Snapshot& snapshot, const Vec3& x, double diameter) {
  snapshot.id.push_back(static_cast<std::uint32_t>(snapshot.id.size()));
  for (int c = 0; c < snapshot.dimension; ++c) {
    snapshot.position.push_back(static_cast<float>(x[c]));
    snapshot.velocity.push_back(0);
  }
  snapshot.material.push_back(0);
  snapshot.body.push_back(0);
  snapshot.mass.push_back(1);
  // The sphere's radius is 0.6 of the cube root of the volume.
  snapshot.volume.push_back(static_cast<float>(std::pow(diameter / 1.2, snapshot.dimension)));
}

inline Snapshot one_particle(int dimension, const Vec3& x, double diameter) {
  Snapshot snapshot;
  snapshot.dimension = dimension;
  add_particle(snapshot, x, diameter);
  return snapshot;
}

inline Snapshot ball(int n, const Vec3& center, double radius) {
  Snapshot snapshot;
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const double spacing = radius * std::cbrt(4.19 / n);
  while (static_cast<int>(snapshot.size()) < n) {
    const Vec3 d{uniform(generator), uniform(generator), uniform(generator)};
    if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] > 1) continue;
    add_particle(snapshot,
                 {center[0] + radius * d[0], center[1] + radius * d[1], center[2] + radius * d[2]},
                 1.2 * spacing);
  }
  return snapshot;
}

inline bool is_red(const Rgb& c) { return c[0] > 2 * c[1] && c[0] > 2 * c[2] && c[0] > 60; }
inline int brightness(const Rgb& c) { return c[0] + c[1] + c[2]; }

}  // namespace firn::test
