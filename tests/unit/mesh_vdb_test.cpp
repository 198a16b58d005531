// Volumes of OpenVDB as shapes: level sets and densities of a sphere against its closed form, with
// and without a transform of their own; bodies of them; and every refusal by name.
#include <gtest/gtest.h>

#include "firn/scene_file.h"
#include "src/scene/mesh_vdb.h"
#include "src/scene/shapes.h"
#include "tests/support/expect_error.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/sim_scenes.h"

#if defined(FIRN_WITH_OPENVDB)
#include <openvdb/io/File.h>
#include <openvdb/tools/LevelSetSphere.h>
#include <openvdb/tools/LevelSetUtil.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <iterator>
#include <numbers>
#include <random>
#endif

namespace firn::test {
namespace {

Shape vdb(const std::filesystem::path& file) {
  Shape s;
  s.type = ShapeType::kVdb;
  s.file = file.string();
  return s;
}

#if defined(FIRN_WITH_OPENVDB)

constexpr double kRadius = 0.3, kVoxel = 0.02;
const openvdb::Vec3f kCentre(0.1f, 0.2f, -0.4f);

openvdb::FloatGrid::Ptr level_set(double voxel = kVoxel) {
  openvdb::initialize();
  auto grid = openvdb::tools::createLevelSetSphere<openvdb::FloatGrid>(
      static_cast<float>(kRadius), kCentre, static_cast<float>(voxel), 3.0f);
  grid->setName("surface");
  return grid;
}
openvdb::FloatGrid::Ptr fog() {
  auto grid = level_set();
  openvdb::tools::sdfToFogVolume(*grid);
  grid->setName("density");
  return grid;
}

class VdbShape : public testing::Test {
 protected:
  std::filesystem::path write(const openvdb::GridPtrVec& grids, const std::string& name = "x.vdb") {
    const std::filesystem::path path = folder_ / name;
    openvdb::io::File(path.string()).write(grids);
    return path;
  }
  ScratchFolder folder_;
};

// The vertices of the mesh are means of places on edges of voxels: off the sphere by h^2 / (2 r) at
// most; what kernels sample between dx / 2 apart errs by as much with dx / 2 for h.
TEST_F(VdbShape, ALevelSetOfASphereIsASphere) {
  const auto path = write({level_set()});
  for (const double dx : {0.02, 0.05}) {
    Shape shape = vdb(path);
    shape.translation = {1, 0, 0};
    const CompiledShape compiled = compile_shape(shape, 3, dx);
    const double h = std::max(kVoxel, 0.5 * dx), tolerance = 2 * h * h / (2 * (kRadius - 3 * dx));
    std::mt19937 engine(5);
    std::uniform_real_distribution<double> u(-1, 1);
    int near = 0;
    for (int q = 0; q < 4000; ++q) {
      Vec3 x;
      double squared = 0;
      for (std::size_t a = 0; a < 3; ++a) {
        x[a] = 0.5 * u(engine);
        squared += x[a] * x[a];
        x[a] += double(kCentre[static_cast<int>(a)]) + shape.translation[a];
      }
      const double expected = std::sqrt(squared) - kRadius;
      // Beyond the three voxels that the file has as well.
      if (std::abs(expected) < 3 * dx) {
        EXPECT_NEAR(distance(compiled, x), expected, tolerance) << "dx = " << dx;
        ++near;
      } else {
        EXPECT_EQ(distance(compiled, x) < 0, expected < 0);
      }
    }
    EXPECT_GT(near, 500);
  }
}

// OpenVDB's reader follows pointers that were never set, asserts, or asks for all memory there is
// on files like these.
TEST_F(VdbShape, DamagedFilesAreErrorsAndNothingElse) {
  int refused = 0;
  for (const bool dense : {false, true}) {
    const auto path = write({dense ? fog() : level_set(0.05)}, "whole.vdb");
    std::ifstream in(path, std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(in), {}};
    std::mt19937 engine(11);
    const auto below = [&](std::size_t n) {
      return std::uniform_int_distribution<std::size_t>(0, n - 1)(engine);
    };
    const std::size_t head = std::min<std::size_t>(whole.size(), 4000) - 8;
    for (int i = 0; i < 60; ++i) {
      std::string damaged = whole;
      if (i % 4 == 0)
        damaged.resize(below(whole.size()));
      else if (i % 4 == 1)
        damaged[below(head)] ^= static_cast<char>(1 << below(8));
      else if (i % 4 == 2)
        damaged.replace(below(head), 4, below(2) == 0 ? "\xff\xff\xff\xff" : "\xff\xff\xff\x7f");
      else
        damaged.erase(below(head), 1 + below(64));
      const std::string name = (folder_ / "damaged.vdb").string();
      std::ofstream(name, std::ios::binary) << damaged;
      const auto begin = std::chrono::steady_clock::now();
      try {
        static_cast<void>(load_vdb_surface(name, "", dense ? std::optional(0.5) : std::nullopt));
      } catch (const Error& error) {
        EXPECT_EQ(error.category(), ErrorCategory::kFile) << error.what();
        EXPECT_NE(std::string(error.what()).find("damaged.vdb"), std::string::npos);
        ++refused;
      }
      // Three seconds of a processor, which others may be waiting for as well.
      EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10)) << i;
    }
  }
  EXPECT_GT(refused, 80);
}

// Twice as large, turned and elsewhere by the file's own transform.
TEST_F(VdbShape, HasTheTransformOfItsGrid) {
  auto grid = level_set();
  grid->transform().postScale(2);
  grid->transform().postRotate(0.7, openvdb::math::Y_AXIS);
  grid->transform().postTranslate({3, 0, 0});
  const CompiledShape compiled = compile_shape(vdb(write({grid})), 3, 0.05);
  const openvdb::Vec3d centre =
      grid->transform().indexToWorld(openvdb::Vec3d(kCentre) * (1 / kVoxel));
  EXPECT_NEAR(distance(compiled, {centre[0] + 2 * kRadius, centre[1], centre[2]}), 0, 0.005);
  EXPECT_NEAR(distance(compiled, {centre[0], centre[1] + 2 * kRadius, centre[2]}), 0, 0.005);
  Shape sized = vdb(write({level_set()}, "sized.vdb"));
  sized.size = 1;
  const CompiledShape whole = compile_shape(sized, 3, 0.05);
  EXPECT_NEAR(whole.max[1] - whole.min[1], 1, 0.002);
}

// Densities fall from one to nothing over the three voxels inside of the surface.
TEST_F(VdbShape, DensitiesAreSolidAboveAValue) {
  const auto path = write({fog()});
  for (const double iso : {0.25, 0.5, 0.75}) {
    Shape shape = vdb(path);
    shape.iso = iso;
    const CompiledShape compiled = compile_shape(shape, 3, 0.04);
    const double expected = kRadius - iso * 3 * kVoxel, low = double(kCentre[1]) - expected;
    EXPECT_NEAR(compiled.min[1], low, 0.1 * kVoxel) << iso;
    EXPECT_LT(distance(compiled, {0.1, 0.2, -0.4}), 0) << "it is not turned inside out";
  }
}

TEST_F(VdbShape, FillsBodiesAndBooleans) {
  Scene scene = empty_scene(3, 0.05);
  scene.materials = {elastic("jelly")};
  scene.bodies = {body("ball", 0, vdb(write({level_set()})))};
  const double volume = 4.0 / 3 * std::numbers::pi * std::pow(kRadius, 3);
  EXPECT_NEAR(Simulation(scene, {Device::kCpu, 1}).totals().mass, 1000 * volume, 30 * volume);
  Shape half;
  half.type = ShapeType::kIntersection;
  half.children = {scene.bodies[0].shape, half_space({0, 0.2, 0}, {0, 1, 0})};
  scene.bodies[0].shape = half;
  EXPECT_NEAR(Simulation(scene, {Device::kCpu, 1}).totals().mass, 500 * volume, 30 * volume);
}

TEST_F(VdbShape, ChoosesAGridByName) {
  const auto path = write({level_set(), fog()});
  const auto load = [&](const std::string& grid, std::optional<double> iso = {}) {
    return [=] { load_vdb_surface(path.string(), grid, iso); };
  };
  EXPECT_GT(load_vdb_surface(path.string(), "surface", {}).triangles.size(), 1000u);
  EXPECT_GT(load_vdb_surface(path.string(), "density", 0.5).triangles.size(), 1000u);
  expect_error(ErrorCategory::kFile, {"x.vdb", "several", "\"surface\"", "\"density\""}, load(""));
  expect_error(ErrorCategory::kFile, {"x.vdb", "named \"smoke\"", "\"surface\"", "\"density\""},
               load("smoke"));
  expect_error(ErrorCategory::kFile, {"\"surface\" is a level set", "iso"}, load("surface", 0.5));
  expect_error(ErrorCategory::kFile, {"\"density\" is no level set", "iso"}, load("density"));
  expect_error(ErrorCategory::kFile, {"\"density\" never passes 7"}, load("density", 7));
}

TEST_F(VdbShape, RefusesWhatIsNoSurface) {
  const auto load = [](const std::filesystem::path& path) {
    return [path] { load_vdb_surface(path.string(), "", {}); };
  };
  write_text(folder_ / "garbage.vdb", "this is no volume at all, and longer than a header");
  expect_error(ErrorCategory::kFile, {"garbage.vdb", "cannot be read as an OpenVDB file"},
               load(folder_ / "garbage.vdb"));
  const auto whole = write({level_set()}, "whole.vdb");
  write_text(folder_ / "cut.vdb", text_of(whole).substr(0, 5000));
  expect_error(ErrorCategory::kFile, {"cut.vdb", "cannot be read as an OpenVDB file"},
               load(folder_ / "cut.vdb"));
  auto vectors = openvdb::Vec3SGrid::create();
  vectors->setName("wind");
  expect_error(ErrorCategory::kFile, {"wind.vdb", "no grid of floats", "\"wind\" (vec3s)"},
               load(write({vectors}, "wind.vdb")));
}

TEST_F(VdbShape, ScenesSayWhereItIsWrong) {
  write({level_set(), fog()});
  const auto scene = [&](const std::string& keys) {
    return [&, keys] {
      parse_scene(
          "[grid]\ndx = 0.05\n[material.m]\npreset = \"jello\"\n[[body]]\nmaterial = \"m\"\n"
          "shape = { type = \"vdb\", " +
              keys + " }\n",
          "s.toml", folder_.path().string());
    };
  };
  EXPECT_NO_THROW(scene("file = \"x.vdb\", grid = \"surface\", size = 0.2")());
  expect_error(ErrorCategory::kFile, {"s.toml:7:", "several grids"}, scene("file = \"x.vdb\""));
  expect_error(ErrorCategory::kFile, {"s.toml:7:", "y.vdb", "does not exist"},
               scene("file = \"y.vdb\""));
  expect_error(ErrorCategory::kScene, {"either 'size'"},
               scene("file = \"x.vdb\", grid = \"surface\", size = 1, scale = 2"));
  expect_error(ErrorCategory::kScene, {"iso", "> 0"},
               scene("file = \"x.vdb\", grid = \"density\", iso = 0"));
}

#else

TEST(VdbShape, NeedsOpenVdb) {
  const ScratchFolder folder;
  write_text(folder / "x.vdb", "x");
  expect_error(ErrorCategory::kScene, {"x.vdb", "FIRN_WITH_OPENVDB=ON"},
               [&] { compile_shape(vdb(folder / "x.vdb"), 3, 0.1); });
}

#endif

}  // namespace
}  // namespace firn::test
