#include "src/scene/mesh_vdb.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <ios>
#include <mutex>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "firn/error.h"
#include "src/scene/findings.h"
#include "src/scene/trial_read.h"

#if defined(FIRN_WITH_OPENVDB)
#include <openvdb/io/File.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/VolumeToMesh.h>
#include <unistd.h>
#endif

namespace firn {

#if defined(FIRN_WITH_OPENVDB)
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw Error(ErrorCategory::kFile, fmt::format("{}: {}", path, why));
}

// What OpenVDB throws, in words. Its own messages begin with the exception's.
template <class F>
std::string words_of(F&& f) {
  try {
    f();
    return {};
  } catch (const openvdb::Exception& error) {
    return error.what();
  } catch (const std::ios_base::failure& error) {
    return error.what();
  } catch (const std::bad_alloc&) {
    return "it asks for more memory than there is";
  }
}

[[noreturn]] void fail_to_read(const std::string& path, const std::string& why) {
  fail(path, fmt::format("cannot be read as an OpenVDB file: {}", why));
}

// A file holds a node of 16^3 values by 1 KiB of masks at least, one of 32^3 by 8 KiB, and leaves
// of 8^3 by 64 bytes.
constexpr std::uint64_t kMostExpansion = 64;

TrialLimits limits_for(const std::string& path) {
  std::error_code none;
  const std::uintmax_t bytes = std::filesystem::file_size(path, none);
  const std::uint64_t size = none ? 0 : std::min<std::uintmax_t>(bytes, 1ull << 40);
  constexpr std::uint64_t kLeast = 256ull << 20, kBytesPerSecond = 10ull << 20;
  return {kLeast + kMostExpansion * size, static_cast<unsigned>(3 + size / kBytesPerSecond)};
}

// f(file): a first time in a copy of this process, since OpenVDB destroys what it has read half of,
// nodes that have not been set included.
template <class F>
auto reading(const std::string& path, F&& f) {
  static std::mutex one_at_a_time;  // a copy must not begin while another thread is in OpenVDB
  const std::lock_guard lock(one_at_a_time);
  openvdb::initialize();
  // Not mapped: what another program cut off in between would be a signal.
  constexpr bool kDelayed = false;
  const std::string trial = try_in_copy(limits_for(path), [&] {
    return words_of([&] {
      try {
        openvdb::io::File file(path);
        file.open(kDelayed);
        [[maybe_unused]] const auto read = f(file);
        ::_exit(0);             // before any of it is destroyed
      } catch (const Error&) {  // which is to be thrown here
      }
    });
  });
  if (!trial.empty()) fail_to_read(path, trial);
  std::optional<std::invoke_result_t<F, openvdb::io::File&>> read;
  const std::string words = words_of([&] {
    openvdb::io::File file(path);
    file.open(kDelayed);
    read.emplace(f(file));
  });
  if (!words.empty()) fail_to_read(path, words);
  return *std::move(read);
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
  const auto values = reading(path, [&](openvdb::io::File& file) {
    const std::string name = checked_grid(file, path, grid, iso).name;
    return openvdb::gridPtrCast<openvdb::FloatGrid>(file.readGrid(name));
  });
  const std::string name = values->getName();
  TriangleMesh mesh;
  const std::string words = words_of([&] { mesh = surface_of(*values, iso.value_or(0)); });
  if (!words.empty()) fail_to_read(path, words);
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
  reading(path, [&](openvdb::io::File& file) { return checked_grid(file, path, grid, iso); });
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
