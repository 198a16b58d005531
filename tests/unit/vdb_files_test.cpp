// What VDB files hold, read back by OpenVDB attribute by attribute; volumes have the mass of their
// particles; nothing is left of a file that has no room.
#include <gtest/gtest.h>

#include "src/io/particle_files.h"
#include "src/io/particle_formats.h"
#include "src/io/surface_file.h"
#include "src/io/vdb_voxels.h"
#include "src/io/volume_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/snapshots.h"

#if defined(FIRN_WITH_OPENVDB)
#include <openvdb/io/File.h>
#include <openvdb/points/PointConversion.h>
#include <openvdb/points/PointCount.h>

#include <cmath>
#include <map>
#include <numeric>
#endif

namespace firn {
namespace {

using test::expect_error;
using test::random_snapshot;
using test::ScratchFolder;
using test::text_of;

FrameMark some_mark() { return {12, 0.5, 0.25, "y"}; }

#if defined(FIRN_WITH_OPENVDB)

namespace points = openvdb::points;

// A reader of every grid of a file, through its directory.
openvdb::GridPtrVecPtr read_grids(const std::filesystem::path& path) {
  openvdb::initialize();
  openvdb::io::File file(path.string());
  file.open(/*delayLoad=*/false);
  EXPECT_TRUE(file.hasBloscCompression() || file.compression() != 0);
  return file.getGrids();
}

template <class T>
using ReadHandle = points::AttributeHandle<T>;

// Positions in the world and the values of an attribute, by the id of the particle.
struct Read {
  std::map<std::uint32_t, openvdb::Vec3d> position;
  std::map<std::uint32_t, std::vector<double>> values;
};

template <class T>
std::vector<double> components(const T& value) {
  std::vector<double> all;
  if constexpr (std::is_arithmetic_v<T>) {
    all.push_back(value);
  } else if constexpr (std::is_same_v<T, openvdb::Vec3f>) {
    for (int i = 0; i < 3; ++i) all.push_back(value[i]);
  } else {
    for (int i = 0; i < 9; ++i) all.push_back(value(i / 3, i % 3));
  }
  return all;
}

template <class T>
Read read_attribute(const points::PointDataGrid& grid, const std::string& name) {
  Read read;
  for (auto leaf = grid.tree().cbeginLeaf(); leaf; ++leaf) {
    const ReadHandle<openvdb::Vec3f> position(leaf->constAttributeArray("P"));
    const ReadHandle<T> values(leaf->constAttributeArray(name));
    const ReadHandle<std::int32_t> id(leaf->constAttributeArray("id"));
    for (auto at = leaf->beginIndexOn(); at; ++at) {
      const auto key = static_cast<std::uint32_t>(id.get(*at));
      read.position[key] = grid.indexToWorld(at.getCoord().asVec3d() + position.get(*at));
      read.values[key] = components(values.get(*at));
    }
  }
  return read;
}

class VdbPointsIn : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Dimension, VdbPointsIn, testing::Values(2, 3));

TEST_P(VdbPointsIn, HoldEveryChannelOfEveryParticle) {
  const ScratchFolder folder;
  const Snapshot s = random_snapshot(GetParam(), 3000);
  const ParticleColumns columns = columns_of(s, particle_channels(), some_mark());
  write_vdb_points(folder / "p.vdb", columns);
  const auto grids = read_grids(folder / "p.vdb");
  ASSERT_EQ(grids->size(), 1u);
  const auto grid = openvdb::gridPtrCast<points::PointDataGrid>(grids->front());
  EXPECT_EQ(grid->getName(), "points");
  EXPECT_EQ(points::pointCount(grid->tree()), s.size());
  EXPECT_EQ(grid->voxelSize()[0], 0.25);
  EXPECT_EQ(grid->metaValue<double>("time"), 0.5);
  EXPECT_EQ(grid->metaValue<std::int32_t>("frame"), 12);
  EXPECT_EQ(grid->metaValue<std::string>("up_axis"), "y");
  EXPECT_EQ(grid->metaValue<std::string>("units"), "m, kg, s, K");

  for (const ChannelArray& channel : columns.channels) {
    if (channel.name == "position") continue;
    SCOPED_TRACE(channel.name);
    const std::string name = channel.name == "velocity" ? "v" : channel.name;
    const int count = space_count(channel.rank, s.dimension);
    const bool real = std::holds_alternative<std::vector<float>>(channel.values);
    const Read read = !real        ? read_attribute<std::int32_t>(*grid, name)
                      : count == 9 ? read_attribute<openvdb::math::Mat3<float>>(*grid, name)
                      : count == 3 ? read_attribute<openvdb::Vec3f>(*grid, name)
                                   : read_attribute<float>(*grid, name);
    ASSERT_EQ(read.values.size(), s.size());
    const int flat = component_count(channel.rank, s.dimension);
    std::visit(
        [&]<class T>(const std::vector<T>& values) {
          for (std::size_t p = 0; p < s.size(); ++p)
            for (int c = 0; c < count; ++c) {
              const int from = flat_component(channel.rank, s.dimension, c);
              T value = from < 0 ? T{} : values[p * flat + from];
              double expected = value;
              if constexpr (std::is_same_v<T, std::uint32_t>)
                expected = static_cast<std::int32_t>(value);  // ids beyond 2^31 wrap
              ASSERT_EQ(read.values.at(s.id[p])[c], expected) << p;
            }
        },
        channel.values);
  }
}

// From a voxel of the grid to the float of the world and back: the same float, and within the voxel
// around the origin, whose floats are finer, one of its neighbours at most.
TEST(VdbPoints, PositionsKeepTheirFloats) {
  const ScratchFolder folder;
  Snapshot s = random_snapshot(3, 6000);
  for (std::size_t i = 0; i < s.position.size(); ++i) {
    const int exponent = -static_cast<int>(i % 24);
    s.position[i] = std::ldexp(s.position[i], exponent);
    if (i % 7 == 0) s.position[i] = std::ldexp(1.0f, exponent);  // below it floats are finer
    if (i % 11 == 0) s.position[i] = 0;
  }
  for (const double dx : {0.01, 0.25, 1.0 / 3}) {
    write_vdb_points(folder / "p.vdb", columns_of(s, {"id"}, {0, 0, dx, "y"}));
    const auto grid =
        openvdb::gridPtrCast<points::PointDataGrid>(read_grids(folder / "p.vdb")->front());
    const Read read = read_attribute<std::int32_t>(*grid, "id");
    std::size_t others = 0;
    for (std::size_t p = 0; p < s.size(); ++p)
      for (std::size_t i = 0; i < 3; ++i) {
        const float x = s.position[p * 3 + i];
        const auto back = static_cast<float>(read.position.at(s.id[p])[i]);
        if (std::abs(x) > dx) {
          ASSERT_EQ(back, x);
        } else {
          ASSERT_LE(std::abs(back - x), std::nextafter(std::abs(x), 1e9f) - std::abs(x));
        }
        others += back != x;
      }
    EXPECT_LT(others, s.position.size() / 2);
  }
}

TEST(VdbPoints, NoParticlesAreAnEmptyGrid) {
  const ScratchFolder folder;
  write_vdb_points(folder / "p.vdb", columns_of(random_snapshot(3, 0), {"velocity"}, some_mark()));
  EXPECT_EQ(read_grids(folder / "p.vdb")->front()->activeVoxelCount(), 0u);
}

TEST(VdbPoints, EqualSnapshotsGiveEqualBytes) {
  const ScratchFolder folder;
  for (const char* name : {"a.vdb", "b.vdb"})
    write_vdb_points(folder / name, columns_of(random_snapshot(3, 500), {"velocity"}, some_mark()));
  EXPECT_EQ(text_of(folder / "a.vdb"), text_of(folder / "b.vdb"));
}

TEST(VdbPoints, AreRefusedWithoutASizeOfVoxels) {
  const ScratchFolder folder;
  Snapshot s = random_snapshot(3, 2);
  s.dx = 0;
  expect_error(ErrorCategory::kFile, {"dx"},
               [&] { write_vdb_points(folder / "p.vdb", columns_of(s, {})); });
}

class VolumesIn : public testing::TestWithParam<std::tuple<int, int>> {};
INSTANTIATE_TEST_SUITE_P(DimensionAndDegree, VolumesIn,
                         testing::Combine(testing::Values(2, 3), testing::Values(1, 2, 3)));

// Weights of a particle add up to 1 within a rounding of doubles, and every density is rounded to a
// float, by 2^-24 of it.
TEST_P(VolumesIn, HaveTheMassAndMomentumOfTheirParticles) {
  const ScratchFolder folder;
  const auto [dimension, degree] = GetParam();
  const Snapshot s = random_snapshot(dimension, 5000);
  write_volumes(folder / "v.vdb", columns_of(s, {"mass", "velocity", "temperature"}, some_mark()),
                degree);
  const auto grids = read_grids(folder / "v.vdb");
  ASSERT_EQ(grids->size(), 3u);
  std::map<std::string, openvdb::GridBase::Ptr> named;
  for (const auto& grid : *grids) named[grid->getName()] = grid;
  const auto density = openvdb::gridPtrCast<openvdb::FloatGrid>(named.at("density"));
  const auto velocity = openvdb::gridPtrCast<openvdb::Vec3SGrid>(named.at("velocity"));
  const auto temperature = openvdb::gridPtrCast<openvdb::FloatGrid>(named.at("temperature"));
  EXPECT_EQ(density->getGridClass(), openvdb::GRID_FOG_VOLUME);
  EXPECT_EQ(velocity->getVectorType(), openvdb::VEC_CONTRAVARIANT_RELATIVE);
  EXPECT_EQ(density->voxelSize()[0], 0.25);
  EXPECT_EQ(density->background(), 0.0f);

  const double voxel = std::pow(0.25, dimension);
  double mass = 0, heat = 0, least_z = 0, most_z = 0;
  openvdb::Vec3d momentum(0);
  for (auto at = density->cbeginValueOn(); at; ++at) {
    const double m = *at * voxel;
    EXPECT_GT(m, 0);
    mass += m;
    momentum += m * openvdb::Vec3d(velocity->tree().getValue(at.getCoord()));
    heat += m * temperature->tree().getValue(at.getCoord());
    least_z = std::min<double>(least_z, at.getCoord().z());
    most_z = std::max<double>(most_z, at.getCoord().z());
  }
  if (dimension == 2) {
    EXPECT_EQ(least_z, 0);
    EXPECT_EQ(most_z, 0);
  }
  double expected = 0, expected_heat = 0, scale_heat = 0, scale = 0;
  openvdb::Vec3d expected_momentum(0);
  for (std::size_t p = 0; p < s.size(); ++p) {
    expected += s.mass[p];
    expected_heat += double(s.mass[p]) * s.temperature[p];
    scale_heat += std::abs(double(s.mass[p]) * s.temperature[p]);
    for (int i = 0; i < dimension; ++i) {
      expected_momentum[i] += double(s.mass[p]) * s.velocity[p * dimension + i];
      scale += std::abs(double(s.mass[p]) * s.velocity[p * dimension + i]);
    }
  }
  constexpr double kRounding = 1.2e-7;  // 2^-23: of a density and of what it weighs
  EXPECT_NEAR(mass, expected, 1e-6 * expected);
  EXPECT_NEAR(mass, expected, kRounding * expected);
  EXPECT_NEAR(heat, expected_heat, kRounding * scale_heat);
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(momentum[i], expected_momentum[i], kRounding * scale) << i;
}

TEST(Volumes, HaveTemperaturesWhereThereIsHeat) {
  const ScratchFolder folder;
  write_volumes(folder / "v.vdb",
                columns_of(random_snapshot(3, 50), {"mass", "velocity"}, some_mark()), 2);
  EXPECT_EQ(read_grids(folder / "v.vdb")->size(), 2u);
}

// A source may begin later: every frame of a run has the same grids.
TEST(Volumes, HaveTemperaturesBeforeThereAreParticles) {
  const ScratchFolder folder;
  write_volumes(folder / "v.vdb",
                columns_of(random_snapshot(3, 0), {"mass", "velocity", "temperature"}, some_mark()),
                2);
  const auto grids = read_grids(folder / "v.vdb");
  EXPECT_TRUE(std::any_of(grids->begin(), grids->end(), [](const auto& grid) {
    return grid->getName() == "temperature" && grid->activeVoxelCount() == 0;
  }));
}

TEST(Volumes, OfParticlesWithoutMassAreRefused) {
  const ScratchFolder folder;
  expect_error(ErrorCategory::kScene, {"mass and velocity"}, [&] {
    write_volumes(folder / "v.vdb", columns_of(random_snapshot(3, 50), {"velocity"}, some_mark()),
                  2);
  });
}

TEST(Volumes, OfNothingAreEmpty) {
  const ScratchFolder folder;
  write_volumes(folder / "v.vdb",
                columns_of(random_snapshot(3, 0), {"mass", "velocity"}, some_mark()), 2);
  const auto grids = read_grids(folder / "v.vdb");
  for (const auto& grid : *grids) EXPECT_EQ(grid->activeVoxelCount(), 0u);
}

// The least cube of OpenVDB has 3·10^-15 m^3, that is a side of 1.44·10^-5 m.
TEST(VdbVoxels, TooSmallForOpenVdbAreRefusedByName) {
  EXPECT_TRUE(vdb_holds(1.45e-5));
  EXPECT_NO_THROW(openvdb::math::Transform::createLinearTransform(1.45e-5));
  EXPECT_FALSE(vdb_holds(1.44e-5));
  EXPECT_ANY_THROW(openvdb::math::Transform::createLinearTransform(1.44e-5));
  OutputSettings output;
  output.particles = {"npz", "vdb"};
  EXPECT_NO_THROW(require_formats(output, 2e-5));
  expect_error(ErrorCategory::kScene, {"output.particles: \"vdb\"", "1.44e-05 m", "not 1e-05"},
               [&] { require_formats(output, 1e-5); });
  output.particles = {"npz"};
  output.volumes = {"vdb"};
  expect_error(ErrorCategory::kScene, {"output.volumes", "1.44e-05 m"},
               [&] { require_formats(output, 1e-5); });
}

// Particles are half a cell apart, or a third of one, and voxels two thirds of that.
TEST(VdbVoxels, OfSurfacesFollowTheParticles) {
  Scene scene;
  scene.bodies.resize(1);
  const std::vector<std::string> meshes{"obj", "ply"}, all{"obj", "vdb"};
  scene.grid.dx = 5e-5;
  EXPECT_NO_THROW(require_surface_formats(scene, all));
  scene.bodies[0].particles_per_cell = 27;
  EXPECT_NO_THROW(require_surface_formats(scene, meshes));
  expect_error(ErrorCategory::kScene, {"output.surface: \"vdb\"", "use another format"},
               [&] { require_surface_formats(scene, all); });
}

TEST(Volumes, AFullDiskLeavesNoFile) {
  const ScratchFolder folder;
  const Snapshot s = random_snapshot(3, 5000);
  const test::FileSizeLimit limit(10'000);
  expect_error(ErrorCategory::kFile, {(folder / "v.vdb").string(), "File too large"}, [&] {
    write_volumes(folder / "v.vdb", columns_of(s, {"mass", "velocity"}, some_mark()), 2);
  });
  EXPECT_EQ(test::file_count(folder.path()), 0u);
}

#else

TEST(VdbPoints, NeedABuildWithOpenVdb) {
  const ScratchFolder folder;
  OutputSettings output;
  output.particles = {"npz", "vdb"};
  expect_error(ErrorCategory::kScene, {"output.particles", "FIRN_WITH_OPENVDB=ON"},
               [&] { require_formats(output, 0.1); });
  output.particles.clear();
  output.volumes = {"vdb"};
  expect_error(ErrorCategory::kScene, {"output.volumes", "FIRN_WITH_OPENVDB=ON"},
               [&] { require_formats(output, 0.1); });
  const ParticleColumns columns = columns_of(random_snapshot(3, 2), {}, some_mark());
  expect_error(ErrorCategory::kScene, {"FIRN_WITH_OPENVDB=ON"},
               [&] { write_vdb_points(folder / "p.vdb", columns); });
  expect_error(ErrorCategory::kScene, {"FIRN_WITH_OPENVDB=ON"},
               [&] { write_volumes(folder / "v.vdb", columns, 2); });
  EXPECT_EQ(test::file_count(folder.path()), 0u);
}

#endif

}  // namespace
}  // namespace firn
