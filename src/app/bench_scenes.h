// The scenes that the suites of `firn bench` measure: a block of material on the floor, at rest, in
// violent motion, or cut into blocks that touch, and a breaking dam. Particles per cell do not
// depend on the size, so that figures of different sizes compare.
#pragma once

#include <string>
#include <vector>

#include "firn/scene.h"
#include "src/app/options.h"

namespace firn::app {

enum class Motion { kSettled, kMoving, kTouching };

// One configuration of the block.
struct BlockCase {
  int dimension = 3;
  std::int64_t particles = 1'000'000;
  double per_cell = 0;  // 0: 8 in 3D, 4 in 2D
  TransferType transfer = TransferType::kApic;
  int kernel = 2;
  Precision precision = Precision::kSingle;
  Motion motion = Motion::kSettled;
  int pieces = 1;  // cut into pieces^3 cubes, far enough apart to share no block
  bool fused = true, reproducible = false;
  bool layered = false;  // layers of one cell that take the materials in turn
};

// What the flags say.
BlockCase block_case(const Options& options);

Scene block_scene(const BlockCase& block, const std::vector<Material>& materials);

Scene liquid_scene(const Options& options);
// Drops of one and of eight cells of the same liquid, scattered over a box: four particles to a
// block that they touch.
Scene spray_scene(const Options& options);
// The same column of butter, its upper half molten.
Scene thermal_scene(const Options& options);
// A block that hits the ground, which holds it; as explicit steps, but as long as a frame where the
// integrator allows.
Scene implicit_scene(const Options& options, double youngs_modulus);

// A soft elastic solid, what suites measure by default.
Material soft_elastic();
// The material that --material names. Throws Error{kScene} with a suggestion.
Material bench_material(const std::string& preset);

// Names that the flags take, in the order of TransferType.
const std::vector<TransferType>& all_transfers();

}  // namespace firn::app
