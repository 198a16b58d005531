// Level sets of surfaces as their files have them: distances to the mesh, by what OpenVDB's own
// tools demand of a level set and make of one.
#if defined(FIRN_WITH_OPENVDB)
#include <gtest/gtest.h>
#include <openvdb/io/File.h>
#include <openvdb/tools/Diagnostics.h>
#include <openvdb/tools/LevelSetFilter.h>
#include <openvdb/tools/LevelSetMeasure.h>

#include <cmath>
#include <tuple>

#include "src/io/surface_file.h"
#include "tests/support/particle_clouds.h"
#include "tests/support/scratch_folder.h"

namespace firn::test {
namespace {

using openvdb::FloatGrid;
namespace tools = openvdb::tools;

bool in_shell(double x, double y, double z) {
  return in_ball(x, y, z) && x * x + y * y + z * z > 0.04;
}

FloatGrid::Ptr written(const ParticleSurface* surface) {
  openvdb::initialize();
  const ScratchFolder folder;
  const auto path = folder.path() / "surface.vdb";
  const SurfaceFrame frame{
      {12, 0.5, 0.25, "y"}, false, false, {{"jelly", 0, 0.6 * kSpacing, surface}}};
  find_surface_format("vdb")->write(path, frame);
  openvdb::io::File file(path.string());
  file.open(/*delayLoad=*/false);
  return openvdb::gridPtrCast<FloatGrid>(file.readGrid("jelly"));
}

// All but the slope, which sharp edges and sheets of a voxel do not have everywhere.
constexpr std::size_t kAllButSlope = 8;

class LevelSetFiles : public testing::TestWithParam<std::tuple<SurfaceKernel, Holds>> {
 protected:
  ParticleSurface surface() const {
    const auto [kernel, shape] = GetParam();
    return {cloud(shape).particles(), {.kernel = kernel}};
  }
};

INSTANTIATE_TEST_SUITE_P(Kernels, LevelSetFiles,
                         testing::Combine(testing::ValuesIn(kKernels),
                                          testing::Values(in_ball, in_block, in_shell, in_sheet,
                                                          in_rod)));

TEST_P(LevelSetFiles, AreNarrowBands) {
  const ParticleSurface all = surface();
  const FloatGrid::Ptr grid = written(&all);
  EXPECT_EQ(tools::checkLevelSet(*grid, kAllButSlope), "");
}

TEST_P(LevelSetFiles, EncloseWhatTheMeshDoes) {
  const ParticleSurface all = surface();
  const FloatGrid::Ptr grid = written(&all);
  const double volume = enclosed_volume(all.mesh());
  const bool thin = std::get<1>(GetParam()) == in_sheet || std::get<1>(GetParam()) == in_rod;
  if (!thin) {
    EXPECT_NEAR(tools::levelSetVolume(*grid), volume, 0.01 * volume);
  }
  // Values are distances: those of voxels next to the mesh's vertices are no larger.
  const auto accessor = grid->getConstAccessor();
  const double longest = std::sqrt(3.0) * grid->voxelSize()[0];
  for (std::size_t i = 0; i < all.mesh().vertices(); ++i) {
    const float* x = &all.mesh().positions[3 * i];
    const auto at = openvdb::Coord::floor(grid->worldToIndex(openvdb::Vec3d(x[0], x[1], x[2])));
    ASSERT_LE(std::abs(accessor.getValue(at)), longest);
  }
}

TEST(LevelSetFilesOfSmoothShapes, HaveSlopeOneAndMoveByWhatTheyAreOffset) {
  for (const SurfaceKernel kernel : kKernels) {
    const ParticleSurface surface(cloud(in_ball).particles(), {.kernel = kernel});
    const FloatGrid::Ptr grid = written(&surface);
    EXPECT_EQ(tools::checkLevelSet(*grid), "");
    const double radius = std::cbrt(tools::levelSetVolume(*grid) * 3 / (4 * M_PI));
    tools::LevelSetFilter<FloatGrid> filter(*grid);
    constexpr double kOff = 0.03;
    filter.offset(static_cast<float>(-kOff));
    // The scheme of the filter is of first order in the voxel.
    EXPECT_NEAR(std::cbrt(tools::levelSetVolume(*grid) * 3 / (4 * M_PI)), radius + kOff,
                0.05 * kOff);
  }
}

// What the outside does not reach is outside nevertheless.
TEST(LevelSetFilesOfShells, AreHollow) {
  for (const SurfaceKernel kernel : kKernels) {
    const ParticleSurface surface(cloud(in_shell).particles(), {.kernel = kernel});
    const FloatGrid::Ptr grid = written(&surface);
    const auto accessor = grid->getConstAccessor();
    const auto at = [&](double x) {
      return accessor.getValue(openvdb::Coord::round(grid->worldToIndex(openvdb::Vec3d(x, 0, 0))));
    };
    EXPECT_EQ(at(0), grid->background());
    EXPECT_EQ(at(0.3), -grid->background());
    EXPECT_EQ(at(0.5), grid->background());
  }
}

TEST(LevelSetFilesOfDrops, HaveThem) {
  Cloud few = cloud(in_ball);
  for (const float c : {0.48f, 0.0f, 0.0f}) few.position.push_back(c);
  few.volume.push_back(few.volume[0]);
  const ParticleSurface surface(few.particles(), SurfaceSettings{});
  const FloatGrid::Ptr grid = written(&surface);
  const auto at = openvdb::Coord::round(grid->worldToIndex(openvdb::Vec3d(0.48, 0, 0)));
  EXPECT_LT(grid->getConstAccessor().getValue(at), 0);
  EXPECT_EQ(tools::checkLevelSet(*grid, kAllButSlope), "");
}

TEST(LevelSetFilesOfNothing, AreEmptyNarrowBands) {
  const FloatGrid::Ptr grid = written(nullptr);
  ASSERT_TRUE(grid);
  EXPECT_TRUE(grid->empty());
  EXPECT_EQ(tools::checkLevelSet(*grid), "");
  const ParticleSurface none(SurfaceParticles{}, SurfaceSettings{});
  EXPECT_TRUE(written(&none)->empty());
}

}  // namespace
}  // namespace firn::test
#endif
