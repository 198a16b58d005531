#include "src/io/volume_file.h"

#include "firn/error.h"

#if defined(FIRN_WITH_OPENVDB)
#include <cmath>
#include <span>

#include "src/analysis/node_sums.h"
#include "src/io/vdb_archive.h"
#endif

namespace firn {

std::vector<std::string> volume_channels(const Scene& scene) {
  std::vector<std::string> channels{"mass", "velocity"};
  if (scene.solves_heat()) channels.emplace_back("temperature");
  return channels;
}

#if defined(FIRN_WITH_OPENVDB)
namespace {

using Node = NodeBlock::Node;

std::span<const float> floats_of(const ParticleColumns& columns, const char* name) {
  const ChannelArray* channel = columns.find(name);
  const auto* values = channel ? std::get_if<std::vector<float>>(&channel->values) : nullptr;
  return values ? std::span<const float>(*values) : std::span<const float>();
}

// A grid of what `value` makes of every node that has mass.
template <class Grid, class Blocks, class Value>
typename Grid::Ptr grid_of(const char* name, const Blocks& blocks, const FrameMark& mark,
                           Value value) {
  auto grid = Grid::create();
  grid->setName(name);
  grid->setTransform(openvdb::math::Transform::createLinearTransform(mark.dx));
  grid->setGridClass(openvdb::GRID_FOG_VOLUME);
  mark_grid(*grid, mark);
  for (const auto& block : blocks) {
    const auto& o = block->origin;
    auto* leaf = grid->tree().touchLeaf(openvdb::Coord(o[0], o[1], o[2]));
    for (openvdb::Index i = 0; i < NodeBlock::kNodes; ++i)
      if (block->nodes[i].mass > 0) leaf->setValueOn(i, value(block->nodes[i]));
  }
  return grid;
}

}  // namespace

void write_volumes(const std::filesystem::path& path, const ParticleColumns& columns, int degree) {
  const auto mass = floats_of(columns, "mass"), velocity = floats_of(columns, "velocity"),
             temperature = floats_of(columns, "temperature");
  if (columns.particles > 0 && (mass.empty() || velocity.empty()))
    throw Error(ErrorCategory::kScene,
                path.string() + ": volumes are made of the channels mass and velocity");
  openvdb::initialize();
  const FrameMark& mark = columns.mark;
  const auto blocks = node_sums({columns.dimension, floats_of(columns, "position"), velocity, mass},
                                temperature, mark.dx, degree);
  const double voxel = std::pow(mark.dx, columns.dimension);
  const auto density = grid_of<openvdb::FloatGrid>(
      "density", blocks, mark,
      [voxel](const Node& node) { return static_cast<float>(node.mass / voxel); });
  const auto speed = grid_of<openvdb::Vec3SGrid>("velocity", blocks, mark, [](const Node& node) {
    const auto& p = node.momentum;
    return openvdb::Vec3s(openvdb::Vec3d(p[0], p[1], p[2]) / node.mass);
  });
  speed->setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);
  openvdb::GridCPtrVec grids{density, speed};
  if (columns.find("temperature") != nullptr)  // also in frames without particles
    grids.push_back(grid_of<openvdb::FloatGrid>("temperature", blocks, mark, [](const Node& node) {
      return static_cast<float>(node.heat / node.mass);
    }));
  write_grids(path, grids);
}

#else

void write_volumes(const std::filesystem::path& path, const ParticleColumns&, int) {
  throw Error(ErrorCategory::kScene,
              path.string() + ": volumes need a build with OpenVDB (FIRN_WITH_OPENVDB=ON)");
}

#endif

}  // namespace firn
