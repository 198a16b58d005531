#include "src/scene/mesh_vdb.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ios>
#include <new>
#include <utility>
#include <vector>

#include "firn/error.h"
#include "src/scene/findings.h"

#if defined(FIRN_WITH_OPENVDB)
#include <openvdb/io/File.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/VolumeToMesh.h>
#endif

namespace firn {

#if defined(FIRN_WITH_OPENVDB)
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw Error(ErrorCategory::kFile, fmt::format("{}: {}", path, why));
}

// Whatever OpenVDB throws, with the file's name. Its own messages begin with the exception's.
template <class F>
auto reading(const std::string& path, F&& f) {
  try {
    openvdb::initialize();
    return f();
  } catch (const openvdb::Exception& error) {
    fail(path, fmt::format("cannot be read as an OpenVDB file: {}", error.what()));
  } catch (const std::ios_base::failure& error) {
    fail(path, fmt::format("cannot be read as an OpenVDB file: {}", error.what()));
  } catch (const std::bad_alloc&) {
    fail(path, "cannot be read as an OpenVDB file: it asks for more memory than there is");
  }
}

struct Found {
  std::string name;
  bool level_set = false;
};

Found find_grid(openvdb::io::File& file, const std::string& path, const std::string& wanted) {
  std::vector<std::string> numbers, others;
  std::vector<bool> level_sets;
  for (auto name = file.beginName(); name != file.endName(); ++name) {
    const openvdb::GridBase::Ptr grid = file.readGridMetadata(*name);
    if (!grid->isType<openvdb::FloatGrid>()) {
      others.push_back(fmt::format("\"{}\" ({})", *name, grid->valueType()));
      continue;
    }
    numbers.push_back(*name);
    level_sets.push_back(grid->getGridClass() == openvdb::GRID_LEVEL_SET);
  }
  const auto listed = [&] {
    std::vector<std::string> all;
    all.reserve(numbers.size() + others.size());
    for (const std::string& name : numbers) all.push_back(fmt::format("\"{}\"", name));
    all.insert(all.end(), others.begin(), others.end());
    return all.empty() ? std::string("none") : fmt::format("{}", fmt::join(all, ", "));
  };
  if (numbers.empty() ||
      (!wanted.empty() && std::find(numbers.begin(), numbers.end(), wanted) == numbers.end()))
    fail(path, wanted.empty() ? fmt::format("has no grid of floats; its grids are: {}", listed())
                              : fmt::format("has no grid of floats named \"{}\"; its grids are: {}",
                                            scene::excerpt(wanted), listed()));
  if (wanted.empty() && numbers.size() > 1)
    fail(path, fmt::format("has several grids of floats; say which by 'grid': {}", listed()));
  const auto at =
      wanted.empty() ? numbers.begin() : std::find(numbers.begin(), numbers.end(), wanted);
  return {*at, level_sets[static_cast<std::size_t>(at - numbers.begin())]};
}

Found checked_grid(openvdb::io::File& file, const std::string& path, const std::string& wanted,
                   std::optional<double> iso) {
  Found found = find_grid(file, path, wanted);
  if (found.level_set && iso)
    fail(path, fmt::format("grid \"{}\" is a level set, whose surface is at 0; remove 'iso'",
                           found.name));
  if (!found.level_set && !iso)
    fail(path,
         fmt::format("grid \"{}\" is no level set; give 'iso', the density above which it is solid",
                     found.name));
  return found;
}

TriangleMesh surface_of(const openvdb::FloatGrid& grid, double iso) {
  std::vector<openvdb::Vec3s> points;
  std::vector<openvdb::Vec3I> triangles;
  std::vector<openvdb::Vec4I> quads;
  openvdb::tools::volumeToMesh(grid, points, triangles, quads, iso);
  TriangleMesh mesh;
  mesh.vertices.reserve(points.size());
  for (const openvdb::Vec3s& x : points)
    mesh.vertices.push_back({double(x[0]), double(x[1]), double(x[2])});
  mesh.triangles.reserve(triangles.size() + 2 * quads.size());
  for (const openvdb::Vec3I& t : triangles) mesh.triangles.push_back({t[0], t[1], t[2]});
  for (const openvdb::Vec4I& q : quads) {
    mesh.triangles.push_back({q[0], q[1], q[2]});
    mesh.triangles.push_back({q[0], q[2], q[3]});
  }
  return mesh;
}

}  // namespace

TriangleMesh load_vdb_surface(const std::string& path, const std::string& grid,
                              std::optional<double> iso) {
  std::string name;
  TriangleMesh mesh = reading(path, [&] {
    openvdb::io::File file(path);
    file.open();
    name = checked_grid(file, path, grid, iso).name;
    const auto values = openvdb::gridPtrCast<openvdb::FloatGrid>(file.readGrid(name));
    return surface_of(*values, iso.value_or(0));
  });
  if (mesh.triangles.empty())
    fail(path,
         fmt::format("grid \"{}\" never passes {:g}: it has no surface", name, iso.value_or(0)));
  for (const Vec3& x : mesh.vertices)
    for (const double value : x)
      if (!std::isfinite(value))
        fail(path, fmt::format("grid \"{}\" has values that are not finite", name));
  if (inspect(mesh, path).inside_out)
    for (auto& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);
  return mesh;
}

void check_vdb(const std::string& path, const std::string& grid, std::optional<double> iso) {
  reading(path, [&] {
    openvdb::io::File file(path);
    file.open();
    checked_grid(file, path, grid, iso);
  });
}

#else

TriangleMesh load_vdb_surface(const std::string& path, const std::string& grid,
                              std::optional<double> iso) {
  check_vdb(path, grid, iso);
  return {};
}
void check_vdb(const std::string& path, const std::string&, std::optional<double>) {
  throw Error(ErrorCategory::kScene,
              fmt::format("{}: vdb shapes need a build with OpenVDB (FIRN_WITH_OPENVDB=ON)", path));
}

#endif

}  // namespace firn
