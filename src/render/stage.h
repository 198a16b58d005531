// The region of a scene that pictures show: where the material is, and where it may go, as far as
// the scene and its first snapshot tell.
#pragma once

#include <optional>
#include <vector>

#include "firn/scene.h"
#include "firn/simulation.h"
#include "src/render/mesh.h"

namespace firn {

struct Stage {
  Bounds focus;                // holds the first snapshot, and room to fall, fly and spread
  V3d up{{0, 1, 0}};           // against gravity
  double spacing = 0;          // mean distance of particles, m
  double speed = 0;            // the largest speed to expect, m/s
  double drop = 0;             // how far the material can fall, m
  std::vector<Plane> ground;   // half-spaces that can be stood on, or else the floor
  std::optional<Plane> floor;  // the domain's, where there is no other ground
  std::vector<Plane> walls;    // the other half-spaces
};

// The domain's face that gravity points at, in the order -x, +x, -y, ...
std::size_t floor_of(const SimulationSettings& simulation, const V3d& up);

Stage make_stage(const Scene& scene, const Snapshot& first);

// Where the particles of a snapshot are, or will be after `ahead` seconds at their velocities
// unless domain or planes are in the way; all but a few strays on each side. Empty where there are
// none.
Bounds material_bounds(const Scene& scene, const Stage& stage, const Snapshot& snapshot,
                       double ahead = 0);

// The same after some seconds at the velocities, where walls of the domain and planes let them;
// particles without velocities stay, and tracers, which have none.
Snapshot after(const Scene& scene, const Stage& stage, Snapshot snapshot, double seconds);

// Frames material that is known to stay within these bounds, and the colliders about it.
void focus_on(const Scene& scene, const Bounds& material, Stage& stage);

// Edge length of a cube (square in 2D) with the mean rest volume of the particles.
double mean_spacing(const Snapshot& snapshot, double fallback);
// The same of each body that has particles; one number if none is known.
std::vector<double> body_spacings(const Snapshot& snapshot, double fallback);

V3d position_of(const Snapshot& snapshot, std::size_t i);

}  // namespace firn
