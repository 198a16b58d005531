// Letters as meshes: closed, as large as their outlines say, where the font puts them; distances
// and particles of a text; and what is refused by name. The polygons that they are cut from.
#include "src/scene/mesh_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <random>
#include <utility>

#include "firn/simulation.h"
#include "src/scene/font_file.h"
#include "src/scene/shapes.h"
#include "src/scene/triangulate.h"
#include "tests/support/expect_error.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

// --- polygons ---

double area_of(const std::vector<PlanePoint>& points,
               const std::vector<std::array<std::uint32_t, 3>>& triangles) {
  double sum = 0;
  for (const auto& [a, b, c] : triangles) {
    const double twice = twice_area({points[a], points[b], points[c]});
    EXPECT_GE(twice, -1e-12);  // none is turned over
    sum += 0.5 * twice;
  }
  return sum;
}

// Star shaped around a centre, of random radii.
PlaneLoop star(const PlanePoint& centre, double least, double most, std::size_t corners,
               std::mt19937& engine, bool clockwise) {
  std::uniform_real_distribution<double> radius(least, most);
  PlaneLoop loop;
  for (std::size_t i = 0; i < corners; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) /
                         static_cast<double>(corners) * (clockwise ? -1 : 1);
    const double r = radius(engine);
    loop.push_back({centre[0] + r * std::cos(angle), centre[1] + r * std::sin(angle)});
  }
  return loop;
}

TEST(Triangulate, PolygonsWithHoles) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 engine(seed);
    const PlaneLoop outer = star({0, 0}, 3, 6, 3 + 2 * seed, engine, false);
    std::vector<PlaneLoop> holes;
    const PlanePoint centres[] = {{-1, -1}, {1, -1}, {0, 1}};
    for (std::size_t h = 0; h < seed % 4; ++h)
      holes.push_back(star(centres[h], 0.1, 0.7, 3 + seed % 11, engine, true));
    if (outer.size() < 20) holes.clear();  // a coarse star comes nearer to its centre
    const auto triangles = triangulate(outer, holes);
    std::vector<PlanePoint> points = outer;
    double expected = 0.5 * twice_area(outer);
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;  // directed
    for (const PlaneLoop& hole : holes) {
      expected += 0.5 * twice_area(hole);
      points.insert(points.end(), hole.begin(), hole.end());
    }
    EXPECT_EQ(triangles.size(), points.size() + 2 * holes.size() - 2);
    EXPECT_NEAR(area_of(points, triangles), expected, 1e-9);
    for (const auto& t : triangles)
      for (std::size_t k = 0; k < 3; ++k) ++edges[{t[k], t[(k + 1) % 3]}];
    // Every edge of a loop once, and all others in both directions.
    std::uint32_t first = 0;
    const auto check = [&](const PlaneLoop& loop) {
      const auto n = static_cast<std::uint32_t>(loop.size());
      for (std::uint32_t i = 0; i < n; ++i) {
        const std::pair edge{first + i, first + (i + 1) % n};
        EXPECT_EQ(edges[edge], 1);
        edges.erase(edge);
      }
      first += n;
    };
    check(outer);
    for (const PlaneLoop& hole : holes) check(hole);
    for (const auto& [edge, count] : edges)
      EXPECT_EQ(count, edges.count({edge.second, edge.first}) == 1
                           ? edges.at({edge.second, edge.first})
                           : 0);
  }
}

TEST(Triangulate, KnowsWhatIsInside) {
  const PlaneLoop square{{0, 0}, {2, 0}, {2, 2}, {0, 2}};
  EXPECT_EQ(twice_area(square), 8);
  EXPECT_EQ(twice_area({square.rbegin(), square.rend()}), -8);
  EXPECT_TRUE(encloses(square, {1, 1}));
  for (const PlanePoint& p : {PlanePoint{3, 1}, PlanePoint{-1, 1}, PlanePoint{1, 3}})
    EXPECT_FALSE(encloses(square, p));
}

// --- letters ---

Shape text(const std::string& letters, double size = 1, double depth = 0.25) {
  Shape s;
  s.type = ShapeType::kText;
  s.text = letters;
  s.size = size;
  s.depth = depth;
  return s;
}

class Text : public testing::Test {
 protected:
  void SetUp() override {
#if !FIRN_WITH_TEXT
    GTEST_SKIP() << "text shapes need FreeType";
#endif
    if (!find_font_file("DejaVu Sans")) GTEST_SKIP() << "this machine has no DejaVu Sans";
  }
};

TEST_F(Text, EveryLetterIsClosedAndFacesOutwards) {
  for (char32_t c = '!'; c <= 0x17f; ++c) {
    if (c >= 0x7f && c <= 0xa0) continue;
    if (c == 0xad) continue;  // a soft hyphen
    const std::string letter = c < 0x80 ? std::string(1, static_cast<char>(c))
                                        : std::string{static_cast<char>(0xc0 | c >> 6),
                                                      static_cast<char>(0x80 | (c & 0x3f))};
    const MeshReport report = inspect(text_mesh(text(letter)), letter);
    EXPECT_TRUE(report.watertight) << letter << ": " << describe(report);
    EXPECT_FALSE(report.inside_out) << letter;
    EXPECT_GT(report.volume, 0) << letter;
  }
}

// Of DejaVu Sans, whose em is 2048: "I" is a rectangle of 202 by 1493 that begins at 201; "O" has
// an outline of its own, and its hole takes more than half of what that encloses.
TEST_F(Text, IsWhereAndAsLargeAsTheFontSays) {
  const double em = 2048;
  const TriangleMesh i = text_mesh(text("I", 2, 0.5));
  ASSERT_EQ(i.vertices.size(), 8u);
  Vec3 low = i.vertices[0], high = low;
  for (const Vec3& v : i.vertices)
    for (std::size_t a = 0; a < 3; ++a)
      low[a] = std::min(low[a], v[a]), high[a] = std::max(high[a], v[a]);
  EXPECT_NEAR(low[0], 2 * 201 / em, 1e-12);
  EXPECT_NEAR(high[0], 2 * 403 / em, 1e-12);
  EXPECT_EQ(low[1], 0);
  EXPECT_NEAR(high[1], 2 * 1493 / em, 1e-12);
  EXPECT_EQ(low[2], -0.25);
  EXPECT_EQ(high[2], 0.25);
  EXPECT_NEAR(inspect(i, "I").volume, 4 * 202 * 1493 / (em * em) * 0.5, 1e-12);
  // Letters stand beside each other, lines below each other.
  const double one = inspect(text_mesh(text("O")), "O").volume;
  EXPECT_NEAR(inspect(text_mesh(text("O O\nO")), "O").volume, 3 * one, 1e-9);
  Vec3 lowest{};
  for (const Vec3& v : text_mesh(text("I\nI")).vertices)
    if (v[1] < lowest[1]) lowest = v;
  EXPECT_NEAR(lowest[0], 201 / em, 0.01);
  EXPECT_NEAR(lowest[1], -1.164, 0.01) << "the line height of the font";
}

TEST_F(Text, RefusesByName) {
  const auto made = [](const Shape& shape) { return [shape] { text_mesh(shape); }; };
  expect_error(ErrorCategory::kScene, {"DejaVuSans.ttf", "U+4E2D", "no letter"},
               made(text("a\xe4\xb8\xad")));
  expect_error(ErrorCategory::kScene, {"no letter \"\\x00\" (U+0000)"}, made(text({"a\0b", 3})));
  expect_error(ErrorCategory::kScene, {"byte 2", "UTF-8"}, made(text("a\xff")));
  expect_error(ErrorCategory::kScene, {"byte 1", "UTF-8"}, made(text("\xc3")));
  expect_error(ErrorCategory::kScene, {"only spaces"}, made(text(" \n ")));
  const ScratchFolder folder;
  write_text(folder / "no.ttf", "no font");
  Shape shape = text("a");
  shape.font = (folder / "no.ttf").string();
  expect_error(ErrorCategory::kFile, {"no.ttf", "cannot be read as a font"}, made(shape));
}

#if defined(FIRN_WITH_OPENVDB)

TEST_F(Text, DistancesAreThoseOfABox) {
  const double dx = 0.02;
  const CompiledShape letter = compile_shape(text("I"), 3, dx);
  const CompiledShape same =
      compile_shape(box({201 / 2048.0, 0, -0.125}, {403 / 2048.0, 1493 / 2048.0, 0.125}), 3, dx);
  const CompiledShape flat = compile_shape(text("I", 1, 0), 2, dx);
  const CompiledShape flat_same =
      compile_shape(box({201 / 2048.0, 0, 0}, {403 / 2048.0, 1493 / 2048.0, 0}), 2, dx);
  std::mt19937 engine(3);
  std::uniform_real_distribution<double> u(0, 1);
  for (int q = 0; q < 3000; ++q) {
    const Vec3 x{0.3 * u(engine), 0.85 * u(engine) - 0.05, 0.4 * u(engine) - 0.2};
    const double d = distance(same, x), d2 = distance(flat_same, x);
    if (std::abs(d) < 3 * dx) {
      EXPECT_NEAR(distance(letter, x), d, 0.25 * dx);
    }
    if (std::abs(d2) < 3 * dx) {
      EXPECT_NEAR(distance(flat, x), d2, 0.25 * dx);
    }
  }
}

// As much material as its outlines enclose, in both dimensions; the hole of the O stays free.
TEST_F(Text, FillsBodies) {
  const double volume = inspect(text_mesh(text("FO")), "FO").volume;
  for (const int dimension : {2, 3}) {
    Scene scene = empty_scene(dimension, 0.02);
    scene.materials = {elastic("jelly")};
    scene.bodies = {body("letters", 0, text("FO", 1, dimension == 3 ? 0.25 : 0))};
    const Simulation simulation(scene, {Device::kCpu, 1});
    const double expected = dimension == 3 ? volume : volume / 0.25;
    EXPECT_NEAR(simulation.totals().mass, 1000 * expected, 0.03 * 1000 * expected);
    const Snapshot s = simulation.snapshot();
    const auto d = static_cast<std::size_t>(dimension);
    for (std::size_t i = 0; i < s.size(); ++i) {
      const double x = s.position[d * i] - (1178 / 2048.0 + 0.394);  // the middle of the O
      const double y = s.position[d * i + 1] - 0.365;
      EXPECT_GT(std::hypot(x, y), 0.2);
    }
  }
}

#endif

}  // namespace
}  // namespace firn::test
