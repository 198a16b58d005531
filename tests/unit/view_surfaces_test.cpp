// The surfaces that `firn view` sends: what they enclose, whose points they cover, their values.
#include <gtest/gtest.h>

#include "src/view/picture_surfaces.h"
#include "src/view/view_channels.h"

namespace firn::view {
namespace {

// A jelly cube of one metre and a heap of sand beside it; speeds are x.
Snapshot cube_and_heap() {
  constexpr int n = 24, heap = 100;
  constexpr double spacing = 1.0 / n;
  Snapshot s;
  s.dimension = 3;
  for (int i = 0; i < n * n * n + heap; ++i) {
    const bool sand = i >= n * n * n;
    const Vec3 x{((i / n / n) + 0.5) * spacing, ((i / n % n) + 0.5) * spacing,
                 ((i % n) + 0.5) * spacing + (sand ? 3 : 0)};
    for (const double c : x) s.position.push_back(static_cast<float>(c));
    s.velocity.insert(s.velocity.end(), {static_cast<float>(x[0]), 0, 0});
    s.id.push_back(static_cast<std::uint32_t>(i));
    s.material.push_back(sand ? 1 : 0);
    s.body.push_back(sand ? 1 : 0);
    s.volume.push_back(static_cast<float>(spacing * spacing * spacing));
  }
  return s;
}

double enclosed_by(const SurfaceMeshes& meshes) {
  const auto at = [&](std::size_t corner, std::size_t c) {
    return meshes.places.origin[c] +
           meshes.places.extent[c] * meshes.places.level[3 * meshes.triangles[corner] + c] / 65535;
  };
  double sum = 0;
  for (std::size_t t = 0; t < meshes.triangles.size(); t += 3)
    for (std::size_t c = 0; c < 3; ++c) {
      const std::size_t a = (c + 1) % 3, b = (c + 2) % 3;
      sum += at(t, c) * (at(t + 1, a) * at(t + 2, b) - at(t + 1, b) * at(t + 2, a)) / 6;
    }
  return sum;
}

TEST(PictureSurfaces, EncloseWhatIsShownSo) {
  if (!surfaces_available()) GTEST_SKIP() << "built without OpenVDB";
  Scene scene;
  scene.simulation.dimension = 3;
  scene.materials.resize(2);
  scene.materials[0].model = MaterialModel::kFixedCorotated;
  scene.materials[0].color = {1, 0, 0};
  scene.materials[1].model = MaterialModel::kDruckerPrager;
  PictureSurfaces surfaces(scene);
  ASSERT_TRUE(surfaces.any());
  const Snapshot snapshot = cube_and_heap();
  for (const std::size_t most : {std::size_t{100000}, std::size_t{7000}}) {
    PictureMaker maker(scene, most);
    Picture picture = maker.make(snapshot, 0, "");
    picture.number = most;
    const SurfaceMeshes speed = surfaces.of(picture, "speed");
    EXPECT_NEAR(enclosed_by(speed), 1, 0.02) << most;
    const auto& material = picture.find("material")->levels->level;
    for (std::size_t i = 0; i < picture.points(); ++i)
      ASSERT_EQ(speed.covered[i], material[i] == 0) << i;
    for (std::size_t i = 0; i < speed.vertices(); ++i) {
      const double x =
          speed.places.origin[0] + speed.places.extent[0] * speed.places.level[3 * i] / 65535;
      const double value = speed.levels.low + (speed.levels.high - speed.levels.low) *
                                                  speed.levels.level[i] / kLargestLevel;
      ASSERT_NEAR(value, x, 0.08) << i;
    }
    const SurfaceMeshes red = surfaces.of(picture, "material");
    ASSERT_EQ(red.color.size(), 3 * red.vertices());
    EXPECT_EQ(red.triangles, speed.triangles);
    EXPECT_EQ(red.color[0], 255);
    EXPECT_EQ(red.color[1], 0);
    EXPECT_EQ(packed_surfaces(red).size(),
              16 * red.vertices() + 4 * red.triangles.size() + 2 * ((picture.points() + 7) / 8));
  }
}

TEST(PictureSurfaces, ClearOnesComeLastWhereColoursAreOfCategories) {
  if (!surfaces_available()) GTEST_SKIP() << "built without OpenVDB";
  Scene scene;
  scene.simulation.dimension = 3;
  scene.materials.resize(2);
  scene.materials[0].model = MaterialModel::kWeaklyCompressible;
  scene.materials[1].model = MaterialModel::kFixedCorotated;
  PictureSurfaces surfaces(scene);
  PictureMaker maker(scene, 100000);
  Picture picture = maker.make(cube_and_heap(), 0, "");
  picture.number = 1;
  const auto& material = picture.find("material")->levels->level;
  const SurfaceMeshes clear = surfaces.of(picture, "material"),
                      speed = surfaces.of(picture, "speed");
  EXPECT_GT(clear.opaque, 0u);
  EXPECT_LT(clear.opaque, clear.triangles.size() / 2);
  EXPECT_EQ(speed.opaque, speed.triangles.size());
  for (std::size_t i = 0; i < picture.points(); ++i) {
    ASSERT_TRUE(clear.covered[i] && speed.covered[i]) << i;
    ASSERT_EQ(clear.clear[i], material[i] == 0) << i;
    ASSERT_FALSE(speed.clear[i]) << i;
  }
}

TEST(PictureSurfaces, PointsThatAreLeftOutHaveNone) {
  if (!surfaces_available()) GTEST_SKIP() << "built without OpenVDB";
  Scene scene;
  scene.simulation.dimension = 3;
  scene.materials.resize(2);
  for (Material& material : scene.materials) material.model = MaterialModel::kFixedCorotated;
  PictureSurfaces surfaces(scene);
  PictureMaker maker(scene, 100000);
  Picture picture = maker.make(cube_and_heap(), 0, "");
  picture.number = 1;
  const auto& material = picture.find("material")->levels->level;
  std::vector<bool> heap(picture.points());
  for (std::size_t i = 0; i < heap.size(); ++i) heap[i] = material[i] == 1;
  const std::size_t whole = surfaces.of(picture, "body").triangles.size();
  const SurfaceMeshes cube = surfaces.of(picture, "body", heap);
  EXPECT_NEAR(enclosed_by(cube), 1, 0.02);
  for (std::size_t i = 0; i < heap.size(); ++i) ASSERT_NE(cube.covered[i], heap[i]) << i;
  EXPECT_LT(cube.triangles.size(), whole);
  EXPECT_EQ(surfaces.of(picture, "body").triangles.size(), whole);
}

TEST(PictureSurfaces, ThereAreNoneOfGrainsOrWithoutVolumes) {
  Scene scene;
  scene.simulation.dimension = 3;
  scene.materials.resize(1);
  scene.materials[0].model = MaterialModel::kDruckerPrager;
  EXPECT_FALSE(PictureSurfaces(scene).any());
  scene.materials.resize(2);
  scene.materials[0].model = MaterialModel::kFixedCorotated;
  Snapshot snapshot = cube_and_heap();
  snapshot.volume.clear();
  const SurfaceMeshes none =
      PictureSurfaces(scene).of(PictureMaker(scene, 100000).make(snapshot, 0, ""), "speed");
  EXPECT_EQ(none.vertices(), 0u);
  EXPECT_TRUE(none.covered.empty());
}

}  // namespace
}  // namespace firn::view
