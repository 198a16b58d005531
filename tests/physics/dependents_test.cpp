// Nodes beside and behind the faces of colliders that hold both ways depend on others: motion that
// is linear in space is so up to the face, wherever that lies in its cell; what material loses its
// bodies take; and what ends at such a face is held and pressed as it should be.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/forces.h"
#include "tests/support/linear_motion.h"
#include "tests/support/mirror_scenes.h"

namespace firn::test {
namespace {

constexpr double kDx = 0.05;

Keyframes steady(const Vec3& velocity) {
  return {{0, 1}, {{0, 0, 0}, velocity}, {{0, 0, 0}, {0, 0, 0}}, {}};
}

// Dimension, kernel, where the face lies in its cell, whether the step is solved for.
class LinearMotion : public testing::TestWithParam<std::tuple<int, int, double, bool>> {};

// Velocities grow with the distance from a face of that normal, which moves; along one that slips
// also with what lies beside it. Without particles nearer than `away` cells.
void expect_kept(BoundaryType boundary, int dimension, int kernel, const Vec3& normal, double off,
                 double away, bool solved) {
  const Vec3 face{0, off * kDx, 0}, moves{0.3, -0.2, dimension == 3 ? 0.1 : 0};
  Scene scene = walled_scene(dimension, Precision::kDouble, kDx, {-1, -1, -1}, {1, 1, 1});
  scene.transfer.kernel = kernel;
  scene.materials[0].youngs_modulus = 1e-3;  // long steps: snapshots hold floats
  scene.time.dt_max = 1e-2;
  if (solved) scene.simulation.integrator = Integrator::kOptimization;
  scene.implicit.tolerance = 1e-9;
  scene.colliders = {collider("plate", half_space(face, normal), boundary)};
  scene.colliders[0].motion = steady(moves);
  NewParticles all = scattered(scene, {-0.2, -0.2, -0.2}, {0.2, 0.25, 0.2}), particles;
  particles.material = all.material;
  for (const Vec3& x : all.position) {
    double phi = 0;
    for (std::size_t a = 0; a < 3; ++a) phi += normal[a] * (x[a] - face[a]);
    if (phi >= away * kDx && phi < (away + 3) * kDx) particles.position.push_back(x);
  }
  const bool slips = boundary == BoundaryType::kSlip;
  const std::array<double, 3> along{normal[1], -normal[0], 1}, shear{1.5, -1, 0.5},
      beside{0.7, -0.4, -1.2};
  std::array<double, 9> A{};
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b)
      A[3 * a + b] =
          slips ? -2 * normal[a] * normal[b] + along[a] * beside[b] : shear[a] * normal[b];
  move(particles, A, dimension, moves, face);
  EXPECT_LE(error_of_gradients(scene, A, particles), 1e-5);
}

// Nodes deeper than a cell are held as the body moves: no particle may reach them.
TEST_P(LinearMotion, StaysSoUpToAFace) {
  const auto [dimension, kernel, off, solved] = GetParam();
  for (const auto boundary : {BoundaryType::kSticky, BoundaryType::kSlip})
    expect_kept(boundary, dimension, kernel, {0, 1, 0}, off, kernel == 2 ? 0.5 : 1, solved);
}
TEST_P(LinearMotion, StaysSoUpToATiltedFace) {
  const auto [dimension, kernel, off, solved] = GetParam();
  const double reach = 0.5 * (kernel + 1);
  for (const auto boundary : {BoundaryType::kSticky, BoundaryType::kSlip})
    expect_kept(boundary, dimension, kernel, {0.6, 0.8, 0}, off, 1.4 * reach - 1, solved);
}

// Faces of slippery walls that stand at right angles, in the plane and in 3D at the back as well:
// material is stretched along each normal, as far as to where they meet.
void expect_kept_in_corner(int dimension, int kernel, double off, double away, bool solved) {
  const auto d = static_cast<std::size_t>(dimension);
  const Vec3 moves{0.3, -0.2, dimension == 3 ? 0.1 : 0};
  const Vec3 corner{off * kDx, (off + 0.2) * kDx, dimension == 3 ? (off + 0.55) * kDx : 0};
  const Vec3 rates{1.5, -2, 0.7};
  Scene scene = walled_scene(dimension, Precision::kDouble, kDx, {-1, -1, -1}, {1, 1, 1});
  scene.transfer.kernel = kernel;
  scene.materials[0].youngs_modulus = 1e-3;
  scene.time.dt_max = 1e-2;
  if (solved) scene.simulation.integrator = Integrator::kOptimization;
  scene.implicit.tolerance = 1e-9;
  std::array<double, 9> A{};
  for (std::size_t a = 0; a < d; ++a) {
    Vec3 normal{};
    normal[a] = 1;
    scene.colliders.push_back(
        collider("wall" + std::to_string(a), half_space(corner, normal), BoundaryType::kSlip));
    scene.colliders.back().motion = steady(moves);
    A[3 * a + a] = rates[a];
  }
  NewParticles all = scattered(scene, {-0.1, -0.1, -0.1}, {0.3, 0.3, 0.3}), particles;
  particles.material = all.material;
  for (const Vec3& x : all.position) {
    bool within = true;
    for (std::size_t a = 0; a < d; ++a)
      within = within && x[a] - corner[a] >= away * kDx && x[a] - corner[a] < (away + 2.5) * kDx;
    if (within) particles.position.push_back(x);
  }
  move(particles, A, dimension, moves, corner);
  EXPECT_LE(error_of_gradients(scene, A, particles), 1e-5);
}
TEST_P(LinearMotion, StaysSoIntoACorner) {
  const auto [dimension, kernel, off, solved] = GetParam();
  expect_kept_in_corner(dimension, kernel, off, kernel == 2 ? 0.5 : 1, solved);
}
INSTANTIATE_TEST_SUITE_P(All, LinearMotion,
                         testing::Combine(testing::Values(2, 3), testing::Values(2, 3),
                                          testing::Values(0, 0.1, 0.3, 0.5, 0.7, 0.9),
                                          testing::Bool()));

struct Thrown {
  const char* name;
  Integrator integrator;
  TransferType transfer;
};
void PrintTo(const Thrown& c, std::ostream* out) { *out << c.name; }
class TakenImpulse : public testing::TestWithParam<Thrown> {};

// What walls, colliders and gravity do is all that changes the momentum of what is thrown at them.
void expect_taken(const Thrown& how, const std::vector<Collider>& colliders) {
  for (const int dimension : {2, 3}) {
    Scene scene = walled_scene(dimension, Precision::kDouble, kDx, {-1, 0, -1}, {1, 1, 1});
    scene.simulation.gravity = {0.5, -3, 0};
    scene.simulation.integrator = how.integrator;
    scene.transfer.type = how.transfer;
    scene.implicit.tolerance = 1e-10;
    scene.simulation.fps = 50;
    if (how.integrator != Integrator::kExplicit) scene.time.dt_max = 5e-3;
    scene.colliders = colliders;
    if (dimension == 2) scene.colliders.resize(2);
    Simulation simulation = simulate(scene);
    NewParticles particles = scattered(scene, {0.05, 0.45, -0.1}, {0.3, 0.6, 0.1});
    particles.velocity.assign(particles.position.size(), {-1, -2, 0});
    simulation.add_particles(particles);
    Vec3 impulse{};
    const Totals before = simulation.totals();
    const double mass = before.mass;
    for (int frame = 0; frame < 6; ++frame) {
      simulation.advance_frame();
      for (const ColliderReaction& r : simulation.stats().reactions)
        for (std::size_t a = 0; a < 3; ++a) impulse[a] += r.force[a] / scene.simulation.fps;
    }
    const Totals after = simulation.totals();
    const double time = simulation.stats().time;
    double taken = 0;
    for (const double along : impulse) taken += along * along;
    taken = std::sqrt(taken);
    // One linear solve tells the forces where it ends, not those that it has balanced.
    const bool linear = how.integrator == Integrator::kSemiImplicit;
    for (std::size_t a = 0; a < 3; ++a) {
      const double lost =
          before.momentum[a] - after.momentum[a] + mass * time * scene.simulation.gravity[a];
      EXPECT_NEAR(impulse[a], lost, linear ? 0.02 * taken : 1e-6 * mass)
          << dimension << "D, axis " << a;
    }
    EXPECT_GT(taken, 0.5 * mass);
  }
}
// Of a turning plate, tilted and off the lines of the grid, and a floor behind which nodes are
// images.
TEST_P(TakenImpulse, IsWhatTheMaterialLoses) {
  std::vector<Collider> colliders{
      collider("plate", half_space({0.01, 0.3, 0}, {0.6, 0.8, 0}), BoundaryType::kSticky),
      collider("stone", sphere({0.3, 0.3, 0}, 0.12), BoundaryType::kSlip)};
  colliders[0].motion =
      Keyframes{{0, 1}, {{0, 0, 0}, {0.5, -0.3, 0}}, {{0, 0, 0}, {0, 0, 0.4}}, {0, 0.3, 0}};
  expect_taken(GetParam(), colliders);
}
// Of slippery walls at right angles, tilted, of which one moves.
TEST_P(TakenImpulse, IsWhatTheMaterialLosesInACorner) {
  std::vector<Collider> colliders{
      collider("floor", half_space({0.04, 0.43, 0}, {0.28, 0.96, 0}), BoundaryType::kSlip),
      collider("wall", half_space({0.04, 0.43, 0}, {0.96, -0.28, 0}), BoundaryType::kSlip),
      collider("back", half_space({0, 0, -0.11}, {0, 0, 1}), BoundaryType::kSlip)};
  colliders[1].motion = steady({0.3, -0.1, 0});
  expect_taken(GetParam(), colliders);
}
INSTANTIATE_TEST_SUITE_P(
    All, TakenImpulse,
    testing::Values(Thrown{"apic", Integrator::kExplicit, TransferType::kApic},
                    Thrown{"flip", Integrator::kExplicit, TransferType::kFlip},
                    Thrown{"optimization", Integrator::kOptimization, TransferType::kApic},
                    Thrown{"solved_flip", Integrator::kOptimization, TransferType::kFlip},
                    Thrown{"semi_implicit", Integrator::kSemiImplicit, TransferType::kApic}),
    [](const auto& info) { return std::string(info.param.name); });

// A bar that ends at a wall bends under its own weight as a beam that is clamped there, by
// rho g H L^4 / (8 E I), and by what it shears [Timoshenko]: 5/6 of its cross section carries that.
TEST(HeldBodies, BendAsBeamsThatAreClampedAtTheFace) {
  constexpr double L = 1, H = 0.25, E = 1e6, rho = 1000, g = 1, dx = H / 6;
  constexpr double I = H * H * H / 12, weight = rho * g * H;
  const double bends = weight * L * L * L * L / (8 * E * I) + weight * L * L / (E * H * 5 / 6);
  for (const double off : {0.0, 0.25, 0.5, 0.75}) {
    const double from = off * dx;
    Scene scene = empty_scene(2, dx);
    scene.simulation.gravity = {};
    scene.materials = {elastic("jelly", MaterialModel::kFixedCorotated, E, rho)};
    scene.materials[0].poisson_ratio = 0;
    scene.bodies = {body("beam", 0, box({from, -H / 2, 0}, {from + L, H / 2, 0}))};
    scene.bodies[0].sampling = Sampling::kUniform;
    scene.bodies[0].particles_per_cell = 16;
    scene.colliders = {
        collider("wall", half_space({from, 0, 0}, {1, 0, 0}), BoundaryType::kSticky)};
    const double periods = 3 * 2 * 3.14159265 / (1.875 * 1.875 * std::sqrt(E * I / (rho * H)));
    Simulation simulation = simulate(scene);
    const std::vector<float> start = simulation.snapshot().position;
    simulation.set_force(force_of([&](std::uint32_t, double t) {
      const double s = std::min(1.0, t / periods / 0.8);
      return Vec3{0, -g * s * s * s * (10 + s * (6 * s - 15)), 0};
    }));
    simulation.advance_until(periods);
    const std::vector<float> now = simulation.snapshot().position;
    double sum = 0;
    int count = 0;
    for (std::size_t p = 0; p < now.size(); p += 2)
      if (start[p] > from + L - 0.5 * dx) sum += start[p + 1] - now[p + 1], ++count;
    EXPECT_NEAR(sum / count, bends, 0.03 * bends) << off;
  }
}

// A block of a metre whose corner lies at (at, at), between four slippery walls, half-spaces or
// boxes that abut: in 20 frames that take `time` the upper one presses it by 4 %.
constexpr double kPressed = 0.04, kPressedDx = 1.0 / 16;
constexpr int kFrames = 20;
Scene pressed_block(const Material& material, double at, double time, bool boxes = false) {
  Scene scene = empty_scene(2, kPressedDx);
  scene.simulation.gravity = {};
  scene.simulation.fps = kFrames / time;
  scene.materials = {material};
  const double to = at + 1;
  scene.bodies = {body("block", 0, box({at, at, 0}, {to, to, 0}))};
  scene.bodies[0].sampling = Sampling::kUniform;
  scene.bodies[0].particles_per_cell = 16;
  const auto wall = [&](const char* name, const Vec3& point, const Vec3& normal,
                        const Shape& other) {
    return collider(name, boxes ? other : half_space(point, normal), BoundaryType::kSlip);
  };
  scene.colliders = {wall("base", {0, at, 0}, {0, 1, 0}, box({at - 2, at - 2, 0}, {at + 2, at, 0})),
                     wall("left", {at, 0, 0}, {1, 0, 0}, box({at - 2, at, 0}, {at, to + 2, 0})),
                     wall("right", {to, 0, 0}, {-1, 0, 0}, box({to, at, 0}, {to + 2, to + 2, 0})),
                     wall("plate", {0, to, 0}, {0, -1, 0}, box({at, to, 0}, {to, to + 2, 0}))};
  scene.colliders[3].motion =
      Keyframes{{0, time}, {{0, 0, 0}, {0, -kPressed, 0}}, {{0, 0, 0}, {0, 0, 0}}, {}};
  return scene;
}

// The stresses are those of uniaxial strain, (lambda + 2 mu) and lambda times its logarithm.
void expect_pressed(Integrator integrator) {
  constexpr double E = 1e5, nu = 0.3;
  constexpr double lambda = E * nu / ((1 + nu) * (1 - 2 * nu)), mu = E / (2 * (1 + nu));
  Material jelly = elastic("jelly", MaterialModel::kStvkHencky, E);
  jelly.poisson_ratio = nu;
  for (const double off : {0.0, 0.25, 0.5, 0.75}) {
    const double time = 20 / std::sqrt(E / 1000);
    Scene scene = pressed_block(jelly, off * kPressedDx, time);
    scene.simulation.integrator = integrator;
    if (integrator != Integrator::kExplicit) scene.time.dt_max = time / 200;
    Simulation simulation = simulate(scene);
    double along = 0, across = 0;
    for (int frame = 0; frame < kFrames; ++frame) {
      simulation.advance_frame();
      const double strain = -std::log(1 - kPressed * (frame + 0.5) / kFrames);
      const std::vector<ColliderReaction> reactions = simulation.stats().reactions;
      if (frame < 5) continue;  // of sound that passes to and fro
      along += reactions[3].force[1] / ((lambda + 2 * mu) * strain) / 15;
      across += reactions[2].force[0] / (lambda * strain) / 15;
      EXPECT_NEAR(reactions[3].force[1], (lambda + 2 * mu) * strain,
                  0.08 * (lambda + 2 * mu) * strain)
          << off << ", frame " << frame;
    }
    EXPECT_NEAR(along, 1, 0.04) << off;
    EXPECT_NEAR(across, 1, 0.06) << off;
  }
}
TEST(HeldBodies, PressAsOedometersDo) { expect_pressed(Integrator::kExplicit); }
TEST(HeldBodies, PressAsOedometersDoInLongSteps) { expect_pressed(Integrator::kOptimization); }

// And water, which nothing keeps in corners but their walls.
void expect_pressure_kept(double off, bool boxes, double tolerance) {
  const double at = off * kPressedDx;
  const Scene scene = pressed_block(water("water"), at, 2.83, boxes);
  Simulation simulation = simulate(scene);
  for (int frame = 0; frame < kFrames; ++frame) {
    simulation.advance_frame();
    if (frame < 10) continue;
    const double height = 1 - kPressed * (frame + 0.5) / kFrames;
    const double pressure =
        scene.materials[0].bulk_modulus * (std::pow(height, -scene.materials[0].gamma) - 1);
    const std::vector<ColliderReaction> reactions = simulation.stats().reactions;
    EXPECT_NEAR(reactions[3].force[1], pressure, tolerance * pressure) << off << ", " << frame;
    EXPECT_NEAR(reactions[2].force[0], pressure * height, tolerance * pressure) << off;
  }
  if (boxes) return;
  for (const float x : simulation.snapshot().position) {
    EXPECT_GE(x, at - 1e-3 * kPressedDx) << off;
    EXPECT_LE(x, at + 1 + 1e-3 * kPressedDx) << off;
  }
}
TEST(HeldBodies, KeepThePressureOfWater) {
  for (const double off : {0.0, 0.25, 0.5, 0.75}) expect_pressure_kept(off, false, 0.04);
}
TEST(HeldBodies, KeepThePressureOfWaterBetweenBoxesThatAbut) {
  for (const double off : {0.0, 0.25, 0.5, 0.75}) expect_pressure_kept(off, true, 0.1);
}

// A layer of clay between a floor and a plate that moves along it passes its strength in shear,
// yield_stress / sqrt(3), without end along x.
TEST(HeldBodies, PassTheStrengthOfClay) {
  constexpr double dx = 0.05, yield_stress = 5e3;
  for (const double off : {0.0, 0.25, 0.5, 0.75}) {
    const double at = off * dx, strength = 0.8 * yield_stress / std::sqrt(3);
    Scene scene = empty_scene(2, dx);
    scene.simulation.gravity = {};
    scene.simulation.fps = 10;
    scene.materials = {elastic("clay", MaterialModel::kVonMises, 1e6, 1800)};
    scene.materials[0].yield_stress = yield_stress;
    scene.grid.domain.emplace();
    scene.grid.domain->min = {0, -0.8, 0}, scene.grid.domain->max = {0.8, 1.6, 0};
    scene.grid.domain->boundary.fill(BoundaryType::kPeriodic);
    scene.grid.domain->boundary[2] = scene.grid.domain->boundary[3] = BoundaryType::kSeparate;
    scene.bodies = {body("layer", 0, box({0, at, 0}, {0.8, at + 0.4, 0}))};
    scene.bodies[0].sampling = Sampling::kUniform;
    scene.bodies[0].particles_per_cell = 16;
    scene.colliders = {
        collider("floor", half_space({0, at, 0}, {0, 1, 0}), BoundaryType::kSticky),
        collider("plate", half_space({0, at + 0.4, 0}, {0, -1, 0}), BoundaryType::kSticky)};
    scene.colliders[1].motion = steady({0.05, 0, 0});
    Simulation simulation = simulate(scene);
    for (int frame = 0; frame < 6; ++frame) simulation.advance_frame();
    const std::vector<ColliderReaction> reactions = simulation.stats().reactions;
    EXPECT_NEAR(reactions[0].force[0], strength, 0.015 * strength) << off;
    EXPECT_NEAR(reactions[1].force[0], -strength, 0.015 * strength) << off;
  }
}

// On slippery slopes, whatever their angle, a block gains just what its weight has along them.
TEST(HeldBodies, SlideDownSlopesFreely) {
  for (const double angle : {0.2, 0.6, 1.0})
    for (const double off : {0.0, 0.4, 0.7}) {
      const double c = std::cos(angle), s = std::sin(angle), at = off * kDx;
      Scene scene = walled_scene(2, Precision::kDouble, kDx, {-4, -4, 0}, {4, 4, 0});
      scene.simulation.gravity = {0, -9.81, 0};
      scene.materials[0].youngs_modulus = 1e6;
      scene.colliders = {
          collider("slope", half_space({at, at, 0}, {s, c, 0}), BoundaryType::kSlip)};
      NewParticles block;
      block.material = scene.materials[0].name;
      block.volume = kDx * kDx / 16;
      for (int i = 0; i < 24; ++i)
        for (int j = 0; j < 24; ++j) {
          const double along = (i + 0.5) * kDx / 4, above = (j + 0.5) * kDx / 4;
          block.position.push_back({at + c * along + s * above, at - s * along + c * above, 0});
        }
      Simulation simulation = simulate(scene);
      const std::uint32_t first = simulation.add_particles(block).front();
      simulation.advance_until(0.3);
      const Snapshot now = simulation.snapshot();
      double speed = 0;
      for (std::size_t p = 0; p < now.size(); ++p)
        if (now.id[p] >= first)
          speed += (c * now.velocity[2 * p] - s * now.velocity[2 * p + 1]) /
                   static_cast<double>(block.position.size());
      EXPECT_NEAR(speed, 9.81 * s * 0.3, 1e-4 * 9.81 * s * 0.3) << angle << " " << off;
    }
}

}  // namespace
}  // namespace firn::test
