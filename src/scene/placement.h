// Where shapes go: copies of one on a lattice or scattered, centres put somewhere, things put down
// on the ground.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "firn/scene.h"

namespace firn {

// A regular array: count[i] copies along axis i, `step` apart (m), the first where the shape is.
struct LatticeOfCopies {
  std::array<int, 3> count{1, 1, 1};
  Vec3 step{};
};

enum class Turns { kNone, kUpright, kAny };  // kUpright: about the vertical only

// `count` copies, turned and scaled at random, whose centres lie in a box and whose bounding
// spheres do not meet.
struct ScatteredCopies {
  int count = 1;
  Vec3 min{}, max{};  // m
  double smallest = 1, largest = 1;
  Turns turns = Turns::kUpright;
  double gap = 0;  // m, between bounding spheres
  std::uint64_t seed = 0;
};

// A unit vector along gravity, down the y axis where there is none.
Vec3 downwards(const Scene& scene);

// All that follow throw as compile_shape, and Error{kScene} for a shape without bounds.

std::vector<Shape> copies_of(const Shape& shape, const LatticeOfCopies& lattice);
// Throws Error{kScene} that says how many fit if they do not all.
std::vector<Shape> copies_of(const Shape& shape, const ScatteredCopies& scattered,
                             const Scene& scene);

// With the middle of the bounds of all of them at `center`: they keep their places among
// themselves.
std::vector<Shape> centered(const std::vector<Shape>& shapes, const Vec3& center,
                            const Scene& scene);

// Each moved along gravity (down where there is none) until it touches one of the scene's
// colliders, where they are at the start, or a wall of its domain; up if it is in one. They do not
// see each other. Throws Error{kScene} if there is nothing below.
std::vector<Shape> put_down(const std::vector<Shape>& shapes, const Scene& scene);

}  // namespace firn
