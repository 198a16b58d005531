// Prints what a VDB file holds as JSON, which exports_test.py compares with the NPZ file of the
// same frame. Debian's Python binding of OpenVDB does not know points.
#include <openvdb/openvdb.h>
#include <openvdb/points/PointDataGrid.h>
#include <openvdb/tools/Diagnostics.h>
#include <openvdb/tools/LevelSetMeasure.h>

#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>

namespace {

using Json = nlohmann::json;
namespace points = openvdb::points;
using Leaf = points::PointDataTree::LeafNodeType;

Json to_json(float value) { return value; }
Json to_json(std::int32_t value) { return value; }
Json to_json(const openvdb::Vec3f& v) { return {v[0], v[1], v[2]}; }
Json to_json(const openvdb::Vec3d& v) { return {v[0], v[1], v[2]}; }
Json to_json(const openvdb::math::Mat3<float>& m) {
  Json rows = Json::array();
  for (int i = 0; i < 3; ++i) rows.push_back({m(i, 0), m(i, 1), m(i, 2)});
  return rows;
}

// True if the attribute has this type; its values are then added.
template <class T>
bool add_values(const Leaf& leaf, const std::string& name, Json& values) {
  const points::AttributeArray& array = leaf.constAttributeArray(name);
  if (!array.hasValueType<T>()) return false;
  const points::AttributeHandle<T> handle(array);
  for (auto at = leaf.beginIndexOn(); at; ++at) values.push_back(to_json(handle.get(*at)));
  return true;
}

Json points_json(const points::PointDataGrid& grid) {
  Json attributes = Json::object();
  for (auto leaf = grid.tree().cbeginLeaf(); leaf; ++leaf) {
    for (const auto& [name, position] : leaf->attributeSet().descriptor().map()) {
      Json& values = attributes[name];
      if (name == "P") {
        const points::AttributeHandle<openvdb::Vec3f> handle(leaf->constAttributeArray("P"));
        for (auto at = leaf->beginIndexOn(); at; ++at)
          values.push_back(to_json(grid.indexToWorld(at.getCoord().asVec3d() + handle.get(*at))));
      } else if (!add_values<float>(*leaf, name, values) &&
                 !add_values<std::int32_t>(*leaf, name, values) &&
                 !add_values<openvdb::Vec3f>(*leaf, name, values) &&
                 !add_values<openvdb::math::Mat3<float>>(*leaf, name, values)) {
        throw std::runtime_error(name + " has a type that no particle file has");
      }
    }
  }
  return attributes;
}

template <class Grid>
Json voxels_json(const Grid& grid) {
  Json voxels = Json::array();
  for (auto at = grid.cbeginValueOn(); at; ++at) {
    const openvdb::Coord c = at.getCoord();
    voxels.push_back({{"at", {c.x(), c.y(), c.z()}}, {"value", to_json(at.getValue())}});
  }
  return voxels;
}

Json grid_json(const openvdb::GridBase& grid) {
  Json json = {{"name", grid.getName()},
               {"creator", grid.getCreator()},
               {"class", openvdb::GridBase::gridClassToString(grid.getGridClass())},
               {"vector", openvdb::GridBase::vecTypeToString(grid.getVectorType())},
               {"voxel", grid.voxelSize()[0]}};
  for (auto meta = grid.beginMeta(); meta != grid.endMeta(); ++meta)
    json["meta"][meta->first] = meta->second->str();
  if (const auto* p = dynamic_cast<const points::PointDataGrid*>(&grid))
    json["points"] = points_json(*p);
  else if (const auto* f = dynamic_cast<const openvdb::FloatGrid*>(&grid)) {
    json["voxels"] = voxels_json(*f);
    json["background"] = f->background();
    // All but the slope, which sharp edges do not have everywhere.
    if (grid.getGridClass() == openvdb::GRID_LEVEL_SET) {
      json["problems"] = openvdb::tools::checkLevelSet(*f, 8);
      json["volume"] = f->empty() ? 0 : openvdb::tools::levelSetVolume(*f);
    }
  } else if (const auto* v = dynamic_cast<const openvdb::Vec3SGrid*>(&grid))
    json["voxels"] = voxels_json(*v);
  return json;
}

}  // namespace

int main(int argc, char** argv) try {
  openvdb::initialize();
  openvdb::io::File file(argc > 1 ? argv[1] : "");
  file.open(/*delayLoad=*/false);
  Json grids = Json::array();
  const openvdb::GridPtrVecPtr read = file.getGrids();
  for (const auto& grid : *read) grids.push_back(grid_json(*grid));
  std::cout << grids << "\n";
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
