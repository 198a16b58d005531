// Shapes from the keys of a scene: what is compiled has distances that are numbers, and is filled
// with particles that lie within its bounds, if it is small enough. The first byte chooses the
// dimension, the way of sampling and its seed.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "firn/error.h"
#include "firn/scene_file.h"
#include "src/scene/blue_noise.h"
#include "src/scene/sampling.h"

namespace {

using firn::CompiledShape;
using firn::Shape;

constexpr double kDx = 0.1, kMostCells = 2000;

std::string scene_text(int dimension, std::string_view shape) {
  return "grid.dx = 0.1\nsimulation.dimension = " + std::to_string(dimension) +
         "\n[material.m]\nmodel = \"fixed_corotated\"\ndensity = 1.0\nyoungs_modulus = 1.0\n"
         "poisson_ratio = 0.3\n[[body]]\nmaterial = \"m\"\n[body.shape]\n" +
         std::string(shape);
}

// Of meshes and pictures there are fuzzers of their own; heights are sampled before bounds are
// known.
bool is_slow(const Shape& s) {
  const double along_x = s.max[0] - s.min[0], along_z = s.max[2] - s.min[2];
  const bool wide =
      s.type == firn::ShapeType::kHeightField &&
      (std::max(along_x, along_z) > 10 || along_x * along_z > 2 || s.base.value_or(0) < -10);
  const bool small = s.type == firn::ShapeType::kTransform && s.scale > 10;
  return !s.file.empty() || wide || small || s.children.size() > 20 ||
         std::any_of(s.children.begin(), s.children.end(), is_slow);
}

double cells_of(const CompiledShape& shape) {
  double cells = 1;
  for (int i = 0; i < shape.dimension; ++i)
    cells *= std::max((shape.max[i] - shape.min[i]) / kDx, 1.0);
  return cells;
}

void fill(const CompiledShape& shape, firn::Sampling sampling, std::uint64_t seed) {
  const firn::Samples samples = firn::sample_shape(shape, kDx, 4, sampling, seed);
  if (!(samples.volume >= 0)) std::abort();
  for (const firn::Vec3& x : samples.positions)
    for (int i = 0; i < shape.dimension; ++i)
      if (!(x[i] >= shape.min[i] - kDx && x[i] <= shape.max[i] + kDx)) std::abort();
}

}  // namespace

// What all inputs share would be too slow for the first of them.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  for (const int dimension : {2, 3}) firn::blue_noise_tile(dimension);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view keys(reinterpret_cast<const char*>(data) + 1, size - 1);
  const int dimension = 2 + data[0] % 2;
  try {
    const Shape shape =
        firn::parse_scene(scene_text(dimension, keys), "fuzz.toml", "").bodies.at(0).shape;
    if (is_slow(shape)) return 0;
    const CompiledShape compiled = firn::compile_shape(shape, dimension, kDx);
    const firn::Vec3 x = {0.1, 0.2, dimension == 2 ? 0 : 0.3};
    if (std::isnan(firn::distance(compiled, x))) std::abort();
    firn::normal(compiled, x, kDx);
    if (compiled.bounded() && cells_of(compiled) <= kMostCells)
      fill(compiled, static_cast<firn::Sampling>(data[0] / 2 % 3), data[0] / 6);
  } catch (const firn::Error&) {
  }
  return 0;
}
