// A scene as plain data: what a TOML scene file says after every default is filled in and every
// value is checked. Built by `load_scene` (scene_file.h) or in code. SI units; angles in radians
// (degrees only in files); vectors have three entries, the third zero in 2D, where a body has unit
// thickness (density in kg/m^2).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firn/kinds.h"
#include "firn/material.h"
#include "firn/output.h"
#include "firn/shape.h"

namespace firn {

enum class Integrator { kExplicit, kSemiImplicit, kOptimization, kIncompressible, kThermal };
enum class Precision { kSingle, kDouble };
enum class TransferType { kPic, kFlip, kRpic, kApic, kAflip, kPolypic };
enum class AdvectionMap { kTranslation, kAffine };  // the map xi of [PolyPIC 5.1]
enum class ForceForm { kMls, kGradient };
enum class Phase { kSolid, kLiquid };

struct SimulationSettings {
  int dimension = 3;  // 2 | 3
  int frames = 48;
  double fps = 24;
  Vec3 gravity = {0, -9.81, 0};
  Integrator integrator = Integrator::kExplicit;
  Precision precision = Precision::kSingle;
  std::uint64_t seed = 1;
  bool reproducible =
      false;          // CUDA: order-independent accumulation; the CPU always repeats bitwise
  bool fused = true;  // explicit steps in one pass over the particles, where the scene allows it
  bool operator==(const SimulationSettings&) const = default;
};

struct TransferSettings {
  TransferType type = TransferType::kApic;
  double blend = 1.0;  // flip, aflip: FLIP fraction in [0,1]; apic: affine fraction in [0,1]
  int modes = 0;       // polypic: N_r, 0 = 2^d
  AdvectionMap advection = AdvectionMap::kTranslation;
  int kernel = 2;                     // B-spline degree: 1 linear, 2 quadratic, 3 cubic
  ForceForm force = ForceForm::kMls;  // the linear kernel has only kGradient
  bool operator==(const TransferSettings&) const = default;
};

struct TimeSettings {
  double cfl = 0.5;           // largest particle displacement per step, in cells
  double cfl_material = 0.5;  // dt <= cfl_material * dx / (fastest elastic wave)
  double dt_max = 1e-3;       // s
  double dt_min = 1e-9;       // s; a step that would have to be shorter is "diverged"
  bool operator==(const TimeSettings&) const = default;
};

// Domain box faces in the order -x, +x, -y, +y, -z, +z.
struct Domain {
  Vec3 min{}, max{};
  std::array<BoundaryType, 6> boundary{};
  std::array<double, 6> friction{};
  std::array<std::optional<ScalarField>, 6> temperature{};  // K, of x, y, z, t; none: insulated
  bool operator==(const Domain&) const = default;
};

struct GridSettings {
  double dx = 0;  // m
  std::optional<Domain> domain{};
  bool operator==(const GridSettings&) const = default;
};

enum class FreeSurface { kGhostFluid, kFirstOrder };

struct FluidSettings {            // integrator = "incompressible"
  double tolerance = 1e-6;        // of the pressure solve, relative to the largest divergence
  double absolute_tolerance = 0;  // 1/s; a divergence below it is good enough, whatever the start
  int max_iterations = 200;
  double viscosity_tolerance = 1e-3;  // residual left of viscosity's solve, relative to the first
  FreeSurface free_surface = FreeSurface::kGhostFluid;
  bool density_correction = true;  // particles drift apart where cells hold too many
  bool operator==(const FluidSettings&) const = default;
};

struct SolveSettings {      // of one linear solve of a step
  double tolerance = 1e-6;  // largest residual left, relative to the largest of the right-hand side
  int max_iterations = 1000;
  bool operator==(const SolveSettings&) const = default;
};

enum class ForceIntegration { kExplicit, kSemiImplicit };
enum class FaceDensity { kMaterial, kCell };

// integrator = "thermal" [T 6]. Solids and liquids of any compressibility, moved
// by deviatoric forces and a pressure solve on a MAC grid, and beside them the heat equation.
struct ThermalSettings {
  bool heat = true;  // false: nothing has a temperature, and nothing melts or freezes
  // Of the air, K, of x, y, z, t, at free surfaces. None: they are insulated.
  std::optional<ScalarField> ambient{};
  // What passes between a surface and the air for each K and m^2 of it, W/(m^2 K) (2D: W/(m K)).
  // None: the surface has the air's temperature.
  std::optional<double> heat_transfer_coefficient{};
  double temperature_flip = 1;  // beta: share of the change in the particles' new temperature; the
                                // rest is the grid's, which diffuses by (1 - beta) dx^2 / (4 dt)
  ForceIntegration forces = ForceIntegration::kExplicit;  // the deviatoric ones
  // What the pressure moves on faces of liquid: the material's own density, or the mass of the face
  // over dx^d, as without the control volumes of [T 6.4.7], which stirs a pool at rest.
  FaceDensity face_density = FaceDensity::kMaterial;
  SolveSettings force_solve{1e-5, 200};  // semi-implicit forces
  SolveSettings pressure_solve{};
  SolveSettings heat_solve{1e-8, 500};
  bool operator==(const ThermalSettings&) const = default;
};

enum class PlasticFlow { kInside, kAfter };

// Of the linear solves of implicit integrators.
enum class ImplicitPreconditioner { kDiagonal, kBlocks, kMultigrid };

// Which velocity of the nodes' field moves a particle: that where it is, or where it gets to
// [T A.6.2].
enum class ParticlePositions { kForwardEuler, kBackwardEuler };

// integrator = "optimization": velocities of nodes minimise the incremental potential of a step by
// Newton's method [T App. A]; "semi_implicit": one linear solve, of the system as it is at rest.
struct ImplicitSettings {
  // Largest imbalance left, relative to that of the better guess and the step's gravity.
  double tolerance = 1e-4;
  // optimization: of Newton's method; a step that needs more runs again, shorter
  int max_iterations = 50;
  int max_linear_iterations = 500;  // of a linear solve
  ImplicitPreconditioner preconditioner = ImplicitPreconditioner::kBlocks;
  // optimization: whether material yields while velocities are solved for, as far as its law has a
  // potential, or is elastic in the step and yields after it [T A.5]. Flow that takes time is
  // always part of the solve.
  PlasticFlow plasticity = PlasticFlow::kInside;
  // Rayleigh's damping by mass: a drag on all that moves, 1/s; by stiffness: see Material
  double mass_damping = 0;
  ParticlePositions positions = ParticlePositions::kForwardEuler;
  bool operator==(const ImplicitSettings&) const = default;
};

// Massless points that a liquid carries along; they change nothing else.
struct TracerSettings {       // integrator = "incompressible"
  double per_cell = 0;        // 0: none
  std::vector<int> bodies{};  // indices of the bodies that are filled with them; empty: all
  bool alone = false;         // pictures show no particles at all beside them
  bool fills(int body) const {
    return per_cell > 0 &&
           (bodies.empty() || std::find(bodies.begin(), bodies.end(), body) != bodies.end());
  }
  bool operator==(const TracerSettings&) const = default;
};

enum class Sampling { kUniform, kRandom, kPoisson };

struct Body {
  std::string name{};
  int material = 0;  // index into Scene::materials
  Shape shape{};
  double particles_per_cell = 0;  // 0: 2^d
  Sampling sampling = Sampling::kPoisson;
  VectorField velocity{};
  Vec3 angular_velocity{};  // rad/s about the body's centre of mass; 2D: third entry
  double stretch = 1;       // initial F = stretch * I (elastic pre-strain); 1 = at rest
  // At the start, of x, y, z: Cauchy's normal stresses along x, y and z, Pa, tension positive, and
  // the shear stresses beside them (2D: xy alone). Not with a `stretch`.
  VectorField stress{};
  ScalarField stress_xy{}, stress_yz{}, stress_zx{};
  double density_scale = 1;
  ScalarField stiffness_scale{1.0, ""};  // reserved for constant 1 in this version
  std::optional<Vec3> color{};
  ScalarField temperature{};     // thermal: at the start, K, of x, y, z
  std::optional<Phase> phase{};  // thermal: at the start; none: by temperature and melting point,
                                 // solid where they are equal
  bool operator==(const Body&) const = default;
};

struct Keyframes {  // rigid motion: piecewise linear in time, rotation about `pivot`
  std::vector<double> times{};
  std::vector<Vec3> translation{};  // m
  std::vector<Vec3> rotation{};     // Euler angles in radians, applied x then y then z
  Vec3 pivot{};
  bool operator==(const Keyframes&) const = default;
};

// Of a collider that material, gravity and what it hits move (integrators "explicit" and
// "incompressible").
struct Dynamics {
  double density = 0;  // kg/m^3 (kg/m^2 in 2D) of a shape that is filled evenly; 0: `mass` is given
  double mass = 0;     // kg; 0: `density` is given
  // With `mass`: about the centre of mass of the shape and the scene's axes, kg m^2: xx, yy, zz, or
  // xx, yy, zz, xy, xz, yz; 2D: zz alone. Empty: of the shape, filled evenly.
  std::vector<double> inertia{};
  Vec3 velocity{};          // at the start, of the centre of mass, m/s
  Vec3 angular_velocity{};  // at the start, rad/s; 2D: third entry
  // With the walls of the domain that are not open, and with other colliders: Coulomb's
  // coefficient, of two with a mass the mean of theirs, and the share of the speed at which it
  // comes off what it hits, of two the smaller one. Without `collides` it passes through them.
  double contact_friction = 0.3, restitution = 0;
  bool collides = true;
  bool operator==(const Dynamics&) const = default;
};

struct Collider {
  std::string name{};
  Shape shape{};
  BoundaryType boundary = BoundaryType::kSticky;
  double friction = 0;
  std::optional<Keyframes> motion{};
  std::optional<Dynamics> dynamics{};  // in place of `motion`
  Vec3 color{0.55, 0.55, 0.55};
  bool visible = true;  // in pictures
  std::optional<ScalarField>
      temperature{};  // thermal: K, of the world's x, y, z, t; none: insulated
  bool operator==(const Collider&) const = default;
};

struct Source {
  std::string name{};
  int material = 0;
  Shape shape{};
  Vec3 velocity{};  // of what flows in, relative to the source, with which it turns
  std::optional<Keyframes> motion{};  // of the shape, as of a collider
  double start = 0, end = 1e30;       // s
  double particles_per_cell = 0;
  Sampling sampling = Sampling::kPoisson;
  ScalarField temperature{};     // thermal: of what is emitted, as of a body
  std::optional<Phase> phase{};  // thermal: as of a body
  bool operator==(const Source&) const = default;
};

struct Sink {
  std::string name{};
  Shape shape{};
  bool operator==(const Sink&) const = default;
};

// What accelerates material beside gravity, where it is and in what it is made of.
struct ForceField {
  std::string name{};
  std::optional<Shape> shape{};  // at rest in the world; none: everywhere
  VectorField acceleration{};    // m/s^2, of the world's x, y, z and t
  VectorField velocity{};        // m/s, likewise, of air, which drags at what moves in it
  double drag = 0;               // 1/s: that drag is drag (velocity - v); 0: there is no air
  std::vector<int> materials{};  // indices; empty: all
  bool acts_on(int material) const {
    return materials.empty() ||
           std::find(materials.begin(), materials.end(), material) != materials.end();
  }
  bool operator==(const ForceField&) const = default;
};

// Materials that touch each other, and let go, where others hold together: each moves with a
// velocity field of its own.
struct MaterialContact {         // integrator = "explicit"
  std::vector<int> materials{};  // indices, two or more: every two of them
  double friction = 0;           // Coulomb coefficient
  bool operator==(const MaterialContact&) const = default;
};

// A region of space in which material is heated (or cooled) from within.
struct HeatSource {  // integrator = "thermal"
  std::string name{};
  Shape shape{};
  ScalarField power{};  // W/m^3 (2D: W/m^2) at rest, of the world's x, y, z and t; negative: cools
  bool operator==(const HeatSource&) const = default;
};

// What a sensor measures; firn/sensors.h has the numbers that it reads.
enum class SensorKind {
  kPoint,     // the material around `position`
  kRegion,    // the material in `shape`
  kPlane,     // what passes through the plane at `position` across `direction`, up to `radius`
  kHeight,    // how far the material reaches above `position` along `direction`
  kCollider,  // what the material exerts on `collider`
  kContact,   // what others exert on `bodies` or `materials` where they touch, see Scene::contacts
  kMotion,    // how `bodies` or `materials` move as a whole, or `collider` without these
};

struct Sensor {
  std::string name{};
  SensorKind kind = SensorKind::kPoint;
  std::optional<double> rate{};            // readings per second; none: at the end of every frame
  Vec3 position{};                         // m
  Vec3 direction{};                        // of any length; kHeight: 0 is against gravity
  std::optional<double> radius{};          // m; none: the whole plane
  Shape shape{};                           // kRegion
  std::vector<std::string> channels{};     // kPoint, kRegion: of particles, whose means are read
  int collider = 0;                        // index in Scene::colliders
  std::vector<int> bodies{}, materials{};  // indices of those that count; both empty: all do
  bool operator==(const Sensor&) const = default;
};

struct Scene {
  std::string name{};  // file stem
  std::string title{}, source{};
  std::string path{};  // the file it came from; empty if built in code
  SimulationSettings simulation{};
  TransferSettings transfer{};
  TimeSettings time{};
  GridSettings grid{};
  FluidSettings fluid{};
  ThermalSettings thermal{};
  ImplicitSettings implicit{};
  TracerSettings tracers{};
  std::vector<Material> materials{};
  std::vector<Body> bodies{};
  std::vector<Collider> colliders{};
  std::vector<Source> sources{};
  std::vector<Sink> sinks{};
  std::vector<ForceField> forces{};
  std::vector<MaterialContact> contacts{};
  std::vector<HeatSource> heat_sources{};
  std::vector<Sensor> sensors{};
  OutputSettings output{};
  DiagnosticsSettings diagnostics{};
  std::string resolved_toml{};  // after variant and overrides, as TOML text that loads again
  bool solves_heat() const { return simulation.integrator == Integrator::kThermal && thermal.heat; }
  bool operator==(const Scene&) const = default;
};

}  // namespace firn
