// Pictures: what must be seen where. The scenes are small; the cameras are given where a test needs
// to know which pixel shows what.
#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <random>

#include "firn/error.h"
#include "src/render/mesh.h"
#include "src/render/particle_color.h"
#include "src/render/render.h"
#include "src/render/view.h"
#include "src/scene/shapes.h"

namespace firn {
namespace {

constexpr int kWidth = 160, kHeight = 90;

Scene base_scene(int dimension) {
  Scene scene;
  scene.simulation.dimension = dimension;
  scene.grid.dx = 0.1;
  scene.output.resolution = {kWidth, kHeight};
  Material red;
  red.color = {0.9, 0.05, 0.05};
  red.density = 1000;
  scene.materials = {red};
  return scene;
}

Collider ground() {
  Collider collider;
  collider.shape.type = ShapeType::kHalfSpace;
  return collider;
}

void add_particle(Snapshot& snapshot, const Vec3& x, double diameter) {
  snapshot.id.push_back(static_cast<std::uint32_t>(snapshot.id.size()));
  for (int c = 0; c < snapshot.dimension; ++c) {
    snapshot.position.push_back(static_cast<float>(x[c]));
    snapshot.velocity.push_back(0);
  }
  snapshot.material.push_back(0);
  snapshot.body.push_back(0);
  snapshot.mass.push_back(1);
  // The sphere's radius is 0.6 of the cube root of the volume.
  snapshot.volume.push_back(static_cast<float>(std::pow(diameter / 1.2, snapshot.dimension)));
}

Snapshot one_particle(int dimension, const Vec3& x, double diameter) {
  Snapshot snapshot;
  snapshot.dimension = dimension;
  add_particle(snapshot, x, diameter);
  return snapshot;
}

Snapshot ball(int n, const Vec3& center, double radius) {
  Snapshot snapshot;
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const double spacing = radius * std::cbrt(4.19 / n);
  while (static_cast<int>(snapshot.size()) < n) {
    const Vec3 d{uniform(generator), uniform(generator), uniform(generator)};
    if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] > 1) continue;
    add_particle(snapshot,
                 {center[0] + radius * d[0], center[1] + radius * d[1], center[2] + radius * d[2]},
                 1.2 * spacing);
  }
  return snapshot;
}

bool is_red(const Rgb& c) { return c[0] > 2 * c[1] && c[0] > 2 * c[2] && c[0] > 60; }
int brightness(const Rgb& c) { return c[0] + c[1] + c[2]; }

TEST(RenderFlat, ParticleLiesWhereTheViewPutsIt) {
  Scene scene = base_scene(2);
  scene.grid.domain = Domain{{0, 0, 0}, {1, 1, 0}, {}, {}};
  Renderer renderer(scene);
  renderer.set_captions(false);
  const Image image = renderer.render(one_particle(2, {0.5, 0.75, 0}, 0.1), 0);
  // The domain with a margin of 6 % fills the height.
  const int row = static_cast<int>(kHeight * (0.5 - 0.25 / 1.06));
  EXPECT_TRUE(is_red(image.pixel(kWidth / 2, row)));
  EXPECT_FALSE(is_red(image.pixel(kWidth / 2, kHeight / 2)));
  EXPECT_FALSE(is_red(image.pixel(kWidth / 2 + 12, row)));
}

TEST(RenderFlat, TracersStandForTheParticlesOfTheirBodies) {
  Scene scene = base_scene(2);
  scene.grid.domain = Domain{{0, 0, 0}, {1, 1, 0}, {}, {}};
  scene.bodies.resize(2);
  scene.bodies[1].color = Vec3{0, 0, 0.9};
  scene.tracers.per_cell = 0.1;  // so few that they are drawn large
  Snapshot particles = one_particle(2, {0.25, 0.5, 0}, 0.2);
  add_particle(particles, {0.75, 0.5, 0}, 0.2);
  Snapshot tracers = one_particle(2, {0.5, 0.5, 0}, 0);
  tracers.body[0] = 1;
  tracers.velocity = tracers.volume = {};
  // What lies at 1/4, 1/2 and 3/4 of the width of the domain: red, blue or nothing.
  const auto seen = [&](std::uint16_t owner_of_second, const std::vector<int>& traced) {
    particles.body[1] = owner_of_second;
    scene.tracers.bodies = traced;
    Renderer renderer(scene);
    renderer.set_captions(false);
    const Image image = renderer.render(particles, 0, {}, {}, tracers);
    std::string letters;
    for (int quarter : {-1, 0, 1}) {
      const int column = kWidth / 2 + static_cast<int>(quarter * 0.25 / 1.06 * kHeight);
      const Rgb c = image.pixel(column, kHeight / 2);
      letters += is_red(c) ? 'r' : c[2] > 2 * c[0] ? 'b' : '-';
    }
    return letters;
  };
  EXPECT_EQ(seen(1, {1}), "rb-");
  EXPECT_EQ(seen(1, {}), "-b-");
  EXPECT_EQ(seen(2, {}), "-br");  // of a source
  scene.tracers.alone = true;
  EXPECT_EQ(seen(2, {}), "-b-");
  scene.output.color = "speed";  // which tracers do not have
  scene.tracers.bodies = {1};
  EXPECT_EQ(Renderer(scene).render(particles, 0, {}, {}, tracers).rgb,
            Renderer(scene).render(particles, 0).rgb);
}

TEST(RenderFlat, CollidersMoveWithTheirPose) {
  Scene scene = base_scene(2);
  scene.grid.domain = Domain{{-1, -1, 0}, {1, 1, 0}, {}, {}};
  Collider box;
  box.shape.type = ShapeType::kBox;
  box.shape.min = {-0.8, -0.1, 0};
  box.shape.max = {-0.4, 0.1, 0};
  box.color = {0, 0, 0};
  scene.colliders = {box};
  Renderer renderer(scene);
  renderer.set_captions(false);
  const Snapshot snapshot = one_particle(2, {0, 0, 0}, 0.01);
  const FlatView view = choose_flat_view(scene, make_stage(scene, snapshot), kWidth, kHeight);
  const auto dark_at = [&](const Image& image, double x, double y) {
    return brightness(
               image.pixel(static_cast<int>(view.column(x)), static_cast<int>(view.row(y)))) < 30;
  };
  EXPECT_TRUE(dark_at(renderer.render(snapshot, 0), -0.6, 0));
  ColliderPose quarter_turn;
  quarter_turn.rotation = {0, -1, 0, 1, 0,
                           0, 0,  0, 1};  // about the origin: (-0.6, 0) goes to (0, -0.6)
  const Image turned = renderer.render(snapshot, 0, {quarter_turn});
  EXPECT_TRUE(dark_at(turned, 0, -0.6));
  EXPECT_FALSE(dark_at(turned, -0.6, 0));
}

TEST(RenderFlat, UnusableScenesAreRefused) {
  Scene scene = base_scene(2);
  scene.output.color = "sped";
  EXPECT_THROW(Renderer{scene}, Error);
  scene = base_scene(2);
  scene.output.resolution = {0, 10};
  EXPECT_THROW(Renderer{scene}, Error);
}

// Two discs that turn against each other: the one that turns to the left is red.
TEST(RenderFlat, VorticityHasItsSignAsHue) {
  Scene scene = base_scene(2);
  scene.simulation.gravity = {0, 0, 0};
  scene.grid.domain = Domain{{-1, -1, 0}, {1, 1, 0}, {}, {}};
  scene.output.color = "vorticity";
  Snapshot snapshot;
  snapshot.dimension = 2;
  snapshot.dx = scene.grid.dx;
  for (const double side : {-1, 1})
    for (int j = -4; j <= 4; ++j)
      for (int i = -4; i <= 4; ++i) {
        add_particle(snapshot, {0.5 * side + 0.05 * i, 0.05 * j, 0}, 0.06);
        snapshot.velocity[snapshot.velocity.size() - 2] = static_cast<float>(-side * 0.05 * j);
        snapshot.velocity.back() = static_cast<float>(side * 0.05 * i);
      }
  Renderer renderer(scene);
  renderer.set_captions(false);
  const Image image = renderer.render(snapshot, 0);
  const FlatView view = choose_flat_view(scene, make_stage(scene, snapshot), kWidth, kHeight);
  const auto color_at = [&](double x) {
    return image.pixel(static_cast<int>(view.column(x)), static_cast<int>(view.row(0)));
  };
  const Rgb right = color_at(0.5), left = color_at(-0.5);
  EXPECT_GT(right[0], 2 * right[2]);
  EXPECT_GT(left[2], 2 * left[0]);
}

// A pan hotter than anything at the start is known from the scene, so the range reaches to it.
TEST(RenderFlat, TemperaturesReachFromTheColdestToTheHottestOfTheScene) {
  Scene scene = base_scene(2);
  scene.simulation.gravity = {0, 0, 0};
  scene.output.color = "temperature";
  Collider pan;
  pan.shape.center = {0, -5, 0};
  pan.shape.radius = 0.1;
  pan.temperature = ScalarField{450, ""};
  scene.colliders = {pan};
  Snapshot snapshot = one_particle(2, {0.25, 0.5, 0}, 0.2);
  add_particle(snapshot, {0.75, 0.5, 0}, 0.2);
  snapshot.temperature = {280, 320};
  const ParticleColors colors(scene, snapshot, make_stage(scene, snapshot));
  EXPECT_EQ(colors.range.low, 280);
  EXPECT_EQ(colors.range.high, 450);
  EXPECT_EQ(colors(snapshot)[1], colors.color_at((320.0 - 280) / (450 - 280)));
  EXPECT_EQ(colors.label(), "temperature, K");
  scene.output.color = "phase";
  snapshot.phase = {0, 1};
  const ParticleColors phases(scene, snapshot, make_stage(scene, snapshot));
  EXPECT_EQ(phases(snapshot)[0], phases.color_at(0));
  EXPECT_EQ(phases(snapshot)[1], phases.color_at(1));
}

TEST(RenderFlat, ColorRangeStaysThatOfTheFirstPicture) {
  Scene scene = base_scene(2);
  scene.simulation.gravity = {0, 0, 0};
  scene.grid.domain = Domain{{0, 0, 0}, {1, 1, 0}, {}, {}};
  scene.output.color = "speed";
  Snapshot slow = one_particle(2, {0.5, 0.5, 0}, 0.2), fast = slow;
  slow.velocity = {1, 0};
  fast.velocity = {10, 0};
  Renderer renderer(scene);
  renderer.set_captions(false);
  const Rgb first = renderer.render(slow, 0).pixel(kWidth / 2, kHeight / 2);
  EXPECT_EQ(renderer.render(fast, 0).pixel(kWidth / 2, kHeight / 2),
            first);  // both at the upper end
  renderer.set_color_range(0, 20);
  EXPECT_NE(renderer.render(fast, 0).pixel(kWidth / 2, kHeight / 2), first);
}

Vec3 to_point(const V3d& x) { return {x[0], x[1], x[2]}; }

TEST(Shapes, MeshSurfacesLieOnTheBoundary) {
  std::vector<Shape> shapes(5);
  shapes[0].type = ShapeType::kSphere;
  shapes[1].type = ShapeType::kBox;
  shapes[2].type = ShapeType::kCapsule;
  shapes[3].type = ShapeType::kTorus;
  shapes[4].type = ShapeType::kEllipsoid;
  for (Shape& shape : shapes) {
    shape.center = {0.1, -0.2, 0.3};
    shape.radius = 0.5;
    shape.tube_radius = 0.2;
    shape.radii = {0.3, 0.5, 0.8};
    shape.min = {-0.4, -0.3, -0.2};
    shape.max = {0.2, 0.3, 0.4};
    shape.axis = {1, 2, 3};
    Shape transform;
    transform.type = ShapeType::kTransform;
    transform.translation = {1, 2, 3};
    transform.rotation = {0.3, -0.7, 1.1};
    transform.scale = 1.5;
    shape.rounding = 0.1;
    transform.children = {shape};
    const CompiledShape solid = compile_shape(transform, 3, 0.1);
    Mesh mesh;
    append_shape(transform, {}, mesh);
    ASSERT_FALSE(mesh.indices.empty());
    for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
      V3d x, n;
      for (int c = 0; c < 3; ++c) {
        x[c] = mesh.positions[i][c];
        n[c] = mesh.normals[i][c];
      }
      // Positions of size 4 in single precision are exact to 4e-7; a step of 1e-4 crosses the
      // surface.
      EXPECT_LT(distance(solid, to_point(x - n * 1e-4)), 0) << static_cast<int>(shape.type);
      EXPECT_GT(distance(solid, to_point(x + n * 1e-4)), 0) << static_cast<int>(shape.type);
    }
  }
}

// Every closed surface encloses the volume that its formula gives, so no part of it is missing.
TEST(Shapes, MeshVolumes) {
  const auto volume = [](const Shape& shape) {
    Mesh mesh;
    append_shape(shape, {}, mesh);
    double sum = 0;
    for (std::size_t i = 0; i < mesh.indices.size(); i += 3) {
      const V3f &a = mesh.positions[mesh.indices[i]], &b = mesh.positions[mesh.indices[i + 1]],
                &c = mesh.positions[mesh.indices[i + 2]];
      const V3f outward = mesh.normals[mesh.indices[i]] + mesh.normals[mesh.indices[i + 1]] +
                          mesh.normals[mesh.indices[i + 2]];
      const V3f area = cross(b - a, c - a);
      sum += std::copysign(1.0, dot(area, outward)) * dot(a, area) / 6;
    }
    return sum;
  };
  Shape box;
  box.type = ShapeType::kBox;
  box.min = {1, 2, 3};
  box.max = {2, 4, 6};
  EXPECT_NEAR(volume(box), 6, 1e-5);
  Shape cylinder;
  cylinder.type = ShapeType::kCylinder;
  cylinder.radius = 0.5;
  // A polygon of 96 corners falls short of its circle by (2 pi / 96)^2 / 6 = 7e-4.
  EXPECT_NEAR(volume(cylinder) / (M_PI * 0.25), 1, 1e-3);
  cylinder.type = ShapeType::kCone;
  EXPECT_NEAR(volume(cylinder) / (M_PI * 0.25 / 3), 1, 1e-3);
  // What is cut out is missing; 12 edges of 0.5 to 1 m and the rims are bevelled within a cell of
  // 1/128 m.
  Shape cut, ball;
  ball.center = {1.5, 2.5, 3.5};
  ball.radius = 0.3;
  box.max = {2, 3, 4};
  cut.type = ShapeType::kDifference;
  cut.children = {box, ball};
  EXPECT_NEAR(volume(cut), 1 - 4 * M_PI / 3 * 0.027, 12 * std::pow(1.0 / 128, 2));
  cut.type = ShapeType::kIntersection;
  ball.center = {1, 2, 3};  // an eighth of it
  cut.children = {box, ball};
  EXPECT_NEAR(volume(cut), M_PI / 6 * 0.027, 0.3 * 6 * std::pow(0.3 / 128, 2));
}

// A profile fills the picture below it, and where it is cut away nothing.
TEST(Flat, HeightFieldsAreFilled) {
  Scene scene = base_scene(2);
  scene.grid.domain = Domain{{0, 0, 0}, {1.6, 0.9, 0}, {}, {}};
  Collider hill;
  hill.color = {0, 0.5, 0};
  hill.shape.type = ShapeType::kHeightField;
  hill.shape.height = {0, "0.3 + 0.3 * x"};
  hill.shape.min = {0, 0, 0};
  hill.shape.max = {1, 0, 0};
  hill.shape.base = 0.1;
  scene.colliders = {hill};
  Renderer renderer(scene);
  renderer.set_captions(false);
  Snapshot nothing;
  nothing.dimension = 2;
  const Image image = renderer.render(nothing, 0);
  const double pixels = kHeight / (0.9 * 1.06), left = 0.8 - 0.5 * kWidth / pixels;
  const auto is_hill = [&](double x, double y) {
    const Rgb color = image.pixel(static_cast<int>((x - left) * pixels),
                                  static_cast<int>((0.45 - y) * pixels + 0.5 * kHeight));
    return color[1] > 100 && color[0] < 20;
  };
  EXPECT_TRUE(is_hill(0.1, 0.28));
  EXPECT_TRUE(is_hill(0.9, 0.52));
  EXPECT_FALSE(is_hill(0.1, 0.38));
  EXPECT_FALSE(is_hill(0.5, 0.05));
  EXPECT_FALSE(is_hill(1.1, 0.3));
}

TEST(View, DefaultCameraSeesWhatFallsAndSpreads) {
  Scene scene = base_scene(3);
  scene.colliders = {ground()};
  const Snapshot snapshot = ball(2000, {0.3, 1.0, -0.2}, 0.25);
  const Stage stage = make_stage(scene, snapshot);
  EXPECT_LE(stage.focus.min[1], 0.01);  // down to the ground, which it reaches in 48 frames
  const Projection view(choose_camera(scene, stage, 16.0 / 9), 16.0 / 9);
  for (std::size_t i = 0; i < snapshot.size(); ++i) {
    V3d x = position_of(snapshot, i);
    for (const double height : {x[1], 0.0}) {
      x[1] = height;
      const std::array<double, 2> p = view.project(x);
      EXPECT_LT(std::max(std::abs(p[0]), std::abs(p[1])), 0.9);
    }
  }
  EXPECT_GT(view.eye[1], 0.25);
}

TEST(View, DefaultCameraLooksFromTheFrontRight) {
  const Scene scene = base_scene(3);
  const Camera camera = choose_camera(scene, make_stage(scene, ball(500, {0, 0, 0}, 0.2)), 1);
  EXPECT_GT(camera.eye[0], 0.1);
  EXPECT_GT(camera.eye[2], camera.eye[0]);
}

TEST(View, WaterHasRoomToFlowWithinItsDomain) {
  Scene scene = base_scene(3);
  scene.grid.domain = Domain{{0, 0, 0}, {10, 2, 1}, {}, {}};
  const Snapshot column = ball(500, {0.5, 0.5, 0.5}, 0.5);
  const double solid = make_stage(scene, column).focus.max[0];
  scene.materials[0].model = MaterialModel::kWeaklyCompressible;
  const Bounds focus = make_stage(scene, column).focus;
  EXPECT_GT(focus.max[0], solid + 1.5);
  EXPECT_LE(focus.max[2], 1.0 + 0.5 * scene.grid.dx + 0.1);  // the walls hold it
}

TEST(View, GravityMaySetAnyAxisUpright) {
  Scene scene = base_scene(3);
  scene.simulation.gravity = {0, 0, -9.81};
  const Snapshot snapshot = ball(500, {0, 0, 1}, 0.2);
  const Stage stage = make_stage(scene, snapshot);
  const Projection view(choose_camera(scene, stage, 1), 1);
  const std::array<double, 2> high = view.project({{0, 0, 1.1}}), low = view.project({{0, 0, 0.9}});
  EXPECT_GT(high[1] - low[1], 0.1);
  // Upright but for the perspective of a line beside the centre of the picture.
  EXPECT_LT(std::abs(high[0] - low[0]), 0.05 * (high[1] - low[1]));
}

TEST(View, CameraStandsBeforeWalls) {
  Scene scene = base_scene(3);
  for (const double x : {-1.0, 1.0}) {
    Collider wall = ground();
    wall.shape.point = {0, 0, 0.5 * x};
    wall.shape.normal = {0, 0, x};
    scene.colliders = {ground(), wall};
    const Snapshot snapshot = ball(500, {0, 0.5, 0.8 * x}, 0.2);
    const Camera camera = choose_camera(scene, make_stage(scene, snapshot), 1.5);
    EXPECT_GT((camera.eye[2] - 0.5 * x) * x, 0) << x;
  }
}

#if FIRN_WITH_EMBREE

Camera camera_at(const Vec3& eye, const Vec3& target) {
  Camera camera;
  camera.eye = eye;
  camera.target = target;
  return camera;
}

TEST(Render3D, SphereInTheCentreHasItsColour) {
  Scene scene = base_scene(3);
  scene.output.camera = camera_at({0, 0, 5}, {0, 0, 0});
  Renderer renderer(scene);
  renderer.set_captions(false);
  const Image image = renderer.render(one_particle(3, {0, 0, 0}, 1), 0);
  // Half a metre at 5 m is 0.1 / tan(fov / 2) of the half height.
  const int radius = static_cast<int>(0.1 / std::tan(0.5 * scene.output.camera->fov) * kHeight / 2);
  EXPECT_TRUE(is_red(image.pixel(kWidth / 2, kHeight / 2)));
  EXPECT_TRUE(is_red(image.pixel(kWidth / 2 - radius + 3, kHeight / 2)));
  EXPECT_FALSE(is_red(image.pixel(kWidth / 2 - radius - 3, kHeight / 2)));
  EXPECT_FALSE(is_red(image.pixel(2, 2)));
}

TEST(Render3D, BodyColourWins) {
  Scene scene = base_scene(3);
  scene.output.camera = camera_at({0, 0, 5}, {0, 0, 0});
  Body body;
  body.color = Vec3{0.05, 0.05, 0.9};
  scene.bodies = {body};
  Renderer renderer(scene);
  const Rgb c = renderer.render(one_particle(3, {0, 0, 0}, 1), 0).pixel(kWidth / 2, kHeight / 2);
  EXPECT_GT(c[2], 2 * c[0]);
}

// Seen from straight above, the shadow of a sphere lies beside it: the darkest ground is much
// darker than the median.
TEST(Render3D, ShadowIsDarkerThanLitGround) {
  Scene scene = base_scene(3);
  scene.colliders = {ground()};
  scene.output.camera = camera_at({0, 8, 0}, {0, 0, 0});
  scene.output.camera->up = {0, 0, -1};
  Renderer renderer(scene);
  renderer.set_captions(false);
  const Image with = renderer.render(one_particle(3, {0, 2, 0}, 1), 0);
  const Image without = renderer.render(one_particle(3, {0, 500, 0}, 1), 0);
  int shadow = 0;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      if (is_red(with.pixel(x, y))) continue;
      shadow += brightness(with.pixel(x, y)) < 0.75 * brightness(without.pixel(x, y));
    }
  // A sphere of radius 0.5 under a sun of height h shades pi 0.25 / sin h, h = 54 degrees, of the
  // ground, which is seen with 18 pixels per metre: 310 pixels, and its soft edge.
  EXPECT_GT(shadow, 200);
  EXPECT_LT(shadow, 450);
}

TEST(Render3D, SameForAnyNumberOfThreads) {
  Scene scene = base_scene(3);
  scene.colliders = {ground()};
  const Snapshot snapshot = ball(20000, {0, 0.5, 0}, 0.3);
  const int threads = omp_get_max_threads();
  std::vector<std::uint8_t> first;
  for (const int n : {1, 2, 5}) {
    omp_set_num_threads(n);
    Renderer renderer(scene);
    const Image image = renderer.render(snapshot, 0.1);
    if (first.empty()) first = image.rgb;
    EXPECT_TRUE(image.rgb == first) << n << " threads";
  }
  omp_set_num_threads(threads);
}

TEST(Render3D, CameraStaysThatOfTheFirstPicture) {
  Scene scene = base_scene(3);
  scene.colliders = {ground()};
  Renderer renderer(scene);
  renderer.render(ball(100, {0, 1, 0}, 0.3), 0);
  const Camera camera = renderer.camera();
  renderer.render(ball(100, {3, 0.3, 0}, 0.3), 1);
  EXPECT_EQ(renderer.camera().eye, camera.eye);
  EXPECT_EQ(renderer.camera().target, camera.target);
}

TEST(Render3D, ShowsPosedCollidersAndMeshes) {
  Scene scene = base_scene(3);
  scene.output.camera = camera_at({0, 0, 10}, {0, 0, 0});
  Collider box;
  box.shape.type = ShapeType::kBox;
  box.shape.min = {-0.5, -0.5, -0.5};
  box.shape.max = {0.5, 0.5, 0.5};
  box.color = {0.9, 0.05, 0.05};
  scene.colliders = {box};
  Renderer renderer(scene);
  renderer.set_captions(false);
  const Snapshot nothing = one_particle(3, {0, 500, 0}, 0.1);
  EXPECT_TRUE(is_red(renderer.render(nothing, 0).pixel(kWidth / 2, kHeight / 2)));
  ColliderPose aside;
  aside.translation = {0, 0, -100};
  aside.pivot = {0, 0, 1};
  TriangleSurface triangle{{-1, -1, 0, 1, -1, 0, 0, 1, 0}, {0, 1, 2}, {0.05, 0.9, 0.05}};
  const Rgb c = renderer.render(nothing, 0, {aside}, {triangle}).pixel(kWidth / 2, kHeight / 2);
  EXPECT_GT(c[1], 2 * c[0]);
}

TEST(Render3D, EmptyAndBrokenSnapshotsGivePictures) {
  Scene scene = base_scene(3);
  scene.colliders = {ground()};
  scene.output.color = "pressure";  // which these snapshots lack
  EXPECT_EQ(Renderer(scene).render(Snapshot{}, 0).width, kWidth);
  Snapshot broken = ball(50, {0, 1, 0}, 0.3);
  broken.position[4] = std::nanf("");
  broken.position[9] = INFINITY;
  EXPECT_EQ(Renderer(scene).render(broken, 0).height, kHeight);
}

#else

TEST(Render3D, WithoutEmbreeIsRefused) { EXPECT_THROW(Renderer{base_scene(3)}, Error); }

#endif

}  // namespace
}  // namespace firn
