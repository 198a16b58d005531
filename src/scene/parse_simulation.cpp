// The settings of a run: [simulation], [transfer], [time], [fluid], [tracers].
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "src/scene/parse.h"

namespace firn::scene {
namespace {

constexpr auto kIntegrators = [] {
  std::array<Choice<Integrator>, std::size(kIntegratorTraits)> choices{};
  for (std::size_t i = 0; i < choices.size(); ++i)
    choices[i] = {kIntegratorTraits[i].name, kIntegratorTraits[i].integrator,
                  kIntegratorTraits[i].about};
  return choices;
}();
constexpr Choice<Precision> kPrecisions[] = {{"single", Precision::kSingle},
                                             {"double", Precision::kDouble}};
constexpr std::int64_t kLargestCount = 1'000'000'000;

constexpr Key kSimulationKeys[] = {
    key<&SimulationSettings::dimension>("dimension", "of space",
                                        {.range = Range::closed(2, 3), .by_hand = true}),
    key<&SimulationSettings::frames>("frames", "number of frames of the run",
                                     {.range = Range::closed(0, kLargestCount)}),
    key<&SimulationSettings::fps>("fps", "frames per second of the scene's time",
                                  {.unit = "1/s", .range = Range::positive()}),
    key<&SimulationSettings::gravity>("gravity", "acceleration of all material", {.unit = "m/s^2"}),
    choice_key<&SimulationSettings::integrator, kIntegrators>("integrator",
                                                              "the method that moves the material"),
    choice_key<&SimulationSettings::precision, kPrecisions>("precision", "of particles and grid"),
    key<&SimulationSettings::seed>("seed", "of the random placement of particles",
                                   {.range = Range::non_negative()}),
    key<&SimulationSettings::reproducible>(
        "reproducible", "CUDA: sums in a fixed order; the CPU always repeats its bits"),
    key<&SimulationSettings::fused>(
        "fused",
        "explicit steps in one pass over the particles where the scene allows it; false: stage by "
        "stage, to the same result but for rounding"),
};

constexpr Choice<TransferType> kTransfers[] = {
    {"pic", TransferType::kPic, "stable; loses rotation and most of the energy"},
    {"flip", TransferType::kFlip, "keeps energy, and noise with it"},
    {"rpic", TransferType::kRpic, "keeps rotation, loses shear"},
    {"apic", TransferType::kApic, "keeps affine fields and angular momentum"},
    {"aflip", TransferType::kAflip, "affine fields with a FLIP increment"},
    {"polypic", TransferType::kPolypic, "keeps up to all that the kernel can carry"}};
constexpr Choice<AdvectionMap> kAdvections[] = {
    {"translation", AdvectionMap::kTranslation, "particles move with the velocity at their place"},
    {"affine", AdvectionMap::kAffine, "the map of the particles' affine field moves them"}};
constexpr Choice<int> kKernels[] = {{"linear", 1}, {"quadratic", 2}, {"cubic", 3}};
constexpr Choice<ForceForm> kForces[] = {
    {"mls", ForceForm::kMls, "MLS-MPM; quadratic and cubic kernel"},
    {"gradient", ForceForm::kGradient, "gradients of the kernel"}};

constexpr Key kTransferKeys[] = {
    choice_key<&TransferSettings::type, kTransfers>("type", "what particles carry of the velocity"),
    key<&TransferSettings::blend>("blend",
                                  "flip, aflip: share of FLIP; apic: share of the affine part",
                                  {.range = Range::closed(0, 1)}),
    key<&TransferSettings::modes>(
        "modes",
        "polypic: number of modes; 2D: 1, 3, 4, 6, 8, 9; 3D: 1, 4, 8, 11, 14, 17, 18, 20, 23, 26, "
        "27; linear kernel: 4 in 2D and 8 in 3D at most; 0: 4 in 2D, 8 in 3D",
        {.range = Range::closed(0, 27)}),
    choice_key<&TransferSettings::advection, kAdvections>("advection", "how particles move"),
    choice_key<&TransferSettings::kernel, kKernels>("kernel",
                                                    "degree of the B-spline; thermal: not linear",
                                                    {.otherwise = "incompressible: linear"}),
    choice_key<&TransferSettings::force, kForces>("force",
                                                  "form of the elastic forces; thermal: gradient",
                                                  {.under = Under::kNotIncompressible,
                                                   .otherwise = "linear kernel, thermal: gradient",
                                                   .by_hand = true}),
};

constexpr Key kTimeKeys[] = {
    key<&TimeSettings::cfl>("cfl", "the most that a particle moves in a step",
                            {.unit = "cells", .range = Range::left_open(0, 1)}),
    key<&TimeSettings::cfl_material>("cfl_material",
                                     "the most that an elastic wave moves in a step",
                                     {.unit = "cells", .range = Range::left_open(0, 1)}),
    key<&TimeSettings::dt_max>(
        "dt_max", "longest step",
        {.unit = "s",
         .range = Range::positive(),
         .otherwise = "incompressible, optimization, semi_implicit: 1 / fps"}),
    key<&TimeSettings::dt_min>("dt_min",
                               "shortest step; a run that needs a shorter one ends as diverged",
                               {.unit = "s", .range = Range::positive()}),
};

constexpr Choice<FreeSurface> kFreeSurfaces[] = {
    {"ghost_fluid", FreeSurface::kGhostFluid, "pressure 0 where the surface is"},
    {"first_order", FreeSurface::kFirstOrder, "pressure 0 in the middle of cells without liquid"}};

constexpr Key kFluidKeys[] = {
    key<&FluidSettings::tolerance>(
        "tolerance", "largest divergence left, relative to the largest before the solve",
        {.range = Range::open(0, 1)}),
    key<&FluidSettings::absolute_tolerance>(
        "absolute_tolerance", "a divergence below it is good enough, whatever it was before",
        {.unit = "1/s", .range = Range::non_negative()}),
    key<&FluidSettings::max_iterations>("max_iterations",
                                        "of a solve, of viscosity's ten times as many; one that "
                                        "needs more makes the step run again, "
                                        "shorter",
                                        {.range = Range::closed(1, 1'000'000)}),
    key<&FluidSettings::viscosity_tolerance>(
        "viscosity_tolerance",
        "residual left of the solve for viscosity and pressure, relative to the first",
        {.range = Range::open(0, 1)}),
    choice_key<&FluidSettings::free_surface, kFreeSurfaces>("free_surface",
                                                            "where the pressure is 0"),
    key<&FluidSettings::density_correction>(
        "density_correction", "particles drift apart where cells hold too many: volume is kept"),
};

constexpr Choice<PlasticFlow> kPlasticFlows[] = {
    {"inside", PlasticFlow::kInside,
     "material yields within the solve, as far as its law has a potential"},
    {"after", PlasticFlow::kAfter, "it is elastic in the step, and flows after it"}};

constexpr Choice<ImplicitPreconditioner> kImplicitPreconditioners[] = {
    {"diagonal", ImplicitPreconditioner::kDiagonal, "the diagonal of the system"},
    {"blocks", ImplicitPreconditioner::kBlocks, "the blocks of single nodes"},
    {"multigrid", ImplicitPreconditioner::kMultigrid,
     "those and coarser grids: for fine grids and steps in which waves cross all of the material"}};

constexpr Choice<ParticlePositions> kParticlePositions[] = {
    {"forward_euler", ParticlePositions::kForwardEuler,
     "with the velocity of the grid where they are"},
    {"backward_euler", ParticlePositions::kBackwardEuler,
     "with that where they get to: they do not run into what stands still; quadratic or cubic "
     "kernel, not polypic"}};

constexpr Key kImplicitKeys[] = {
    key<&ImplicitSettings::tolerance>(
        "tolerance",
        "largest imbalance of impulses left, relative to that of the first guess and of gravity",
        {.range = Range::open(0, 1)}),
    key<&ImplicitSettings::max_iterations>(
        "max_iterations", "of Newton's method in a step; one that needs more runs again, shorter",
        {.range = Range::closed(1, 1'000'000), .under = Under::kOptimization}),
    key<&ImplicitSettings::max_linear_iterations>(
        "max_linear_iterations", "of the linear solve, or of each in Newton's method",
        {.range = Range::closed(1, 1'000'000)}),
    choice_key<&ImplicitSettings::preconditioner, kImplicitPreconditioners>("preconditioner",
                                                                            "of the linear solves"),
    choice_key<&ImplicitSettings::plasticity, kPlasticFlows>(
        "plasticity", "when plastic material flows", {.under = Under::kOptimization}),
    key<&ImplicitSettings::mass_damping>(
        "mass_damping",
        "Rayleigh's damping by mass, a drag on all that moves; by stiffness: of materials",
        {.unit = "1/s", .range = Range::non_negative()}),
    choice_key<&ImplicitSettings::positions, kParticlePositions>("positions", "how particles move"),
};

constexpr Key kTracerKeys[] = {
    key<&TracerSettings::per_cell>("per_cell",
                                   "tracers in every cell of the bodies that are filled with them",
                                   {.range = Range::positive(), .required = true}),
    key<&TracerSettings::alone>("alone", "pictures show tracers and no particles"),
    key("bodies", "names of the bodies that are filled with them",
        {.kind = Kind::kString, .list = Count{1}, .otherwise = "all bodies"}),
};

void parse_dimension(TableReader& table, Scene& scene) {
  const bool valid = table.read("dimension", scene.simulation.dimension);
  table.context().dimension = table.has("dimension") && !valid ? 0 : scene.simulation.dimension;
}

// The mode counts at which a full symmetric set of PolyPIC modes ends.
std::vector<int> mode_counts(int dimension) {
  if (dimension == 2) return {1, 3, 4, 6, 8, 9};
  return {1, 4, 8, 11, 14, 17, 18, 20, 23, 26, 27};
}

void check_modes(TableReader& table, const Scene& scene) {
  const int modes = scene.transfer.modes, dimension = scene.simulation.dimension;
  if (modes == 0 || table.context().dimension == 0) return;
  const std::vector<int> allowed = mode_counts(dimension);
  if (std::find(allowed.begin(), allowed.end(), modes) == allowed.end()) {
    table.fail("modes", fmt::format("'modes' must be one of {} in {}D (0: {}), found {}",
                                    fmt::join(allowed, ", "), dimension, 1 << dimension, modes));
  } else if (scene.transfer.type == TransferType::kPolypic && scene.transfer.kernel == 1 &&
             modes > 1 << dimension) {
    table.fail("modes",
               fmt::format("the linear kernel resolves at most {} modes in {}D, found {}; use the "
                           "quadratic or cubic kernel",
                           1 << dimension, dimension, modes));
  }
}

// Face velocities take forces from the gradients of the weights [T eq. 6.22], which the
// linear kernel has in jumps.
void check_thermal_transfer(TableReader& table, const TransferSettings& s) {
  if (s.kernel == 1)
    table.fail("kernel",
               "integrator \"thermal\" needs the quadratic or cubic kernel: the forces of the "
               "linear one jump from cell to cell");
  if (s.force != ForceForm::kGradient)
    table.fail("force", "integrator \"thermal\" has only force = \"gradient\"; remove 'force'");
}

// Where particles get to is found by Newton's method, for which the linear kernel has kinks
// [T A.6.2]. What polypic and the affine map say of a particle's surroundings is carried along by
// where it would go forwards.
void check_positions(TableReader& table, const Scene& scene) {
  if (scene.implicit.positions != ParticlePositions::kBackwardEuler || !table.has("positions"))
    return;
  const TransferSettings& t = scene.transfer;
  const char* reason =
      t.kernel == 1                      ? "the quadratic or cubic kernel: set transfer.kernel"
      : t.type == TransferType::kPolypic ? "a transfer of at most affine fields: set transfer.type"
      : t.advection == AdvectionMap::kAffine ? "transfer.advection = \"translation\""
                                             : nullptr;
  if (reason != nullptr)
    table.fail("positions", fmt::format("positions \"backward_euler\" need {}", reason));
}

// Instances are not made where anything in the scene is wrong: their names are not known then.
}  // namespace

constinit const Table kSimulation = {"[simulation]", "What is simulated, and how.",
                                     kSimulationKeys};
constinit const Table kTransfer = {
    "[transfer]", "How velocities go from particles to the grid and back.", kTransferKeys};
constinit const Table kTime = {
    "[time]", "Steps are as long as all of these allow, and as the end of a frame does.",
    kTimeKeys};
constinit const Table kFluid = {"[fluid]", "The solves of incompressible liquids.", kFluidKeys};
constinit const Table kImplicit = {
    "[implicit]", "The solver of integrators \"optimization\" and \"semi_implicit\".",
    kImplicitKeys};
constinit const Table kTracers = {
    "[tracers]",
    "Massless points that a liquid carries along and that change nothing; pictures show them in "
    "place of the particles of their bodies.",
    kTracerKeys};

void parse_simulation(const Node& root, Scene& scene, ReadContext& context) {
  parse_section(root, "simulation", context, [&](TableReader& table) {
    parse_dimension(table, scene);
    table.read_members(scene.simulation);
  });
}

void parse_transfer(const Node& root, Scene& scene, ReadContext& context) {
  TransferSettings& s = scene.transfer;
  const bool incompressible = is_incompressible(scene), thermal = is_thermal(scene);
  if (incompressible) s.kernel = 1;
  if (thermal) s.force = ForceForm::kGradient;
  parse_section(root, "transfer", context, [&](TableReader& table) {
    table.read_members(s);
    const bool force_given = table.read("force", s.force, kForces);
    check_modes(table, scene);
    if (incompressible) {
      if (force_given)
        table.fail("force",
                   "'force' is the form of elastic forces; integrator \"incompressible\" "
                   "has none, remove it");
      return;
    }
    if (thermal) return check_thermal_transfer(table, s);
    if (s.kernel != 1) return;
    if (force_given && s.force == ForceForm::kMls) {
      table.fail(
          "force",
          "force \"mls\" needs the quadratic or cubic kernel; use force = \"gradient\" with the "
          "linear one");
    }
    s.force = ForceForm::kGradient;
  });
}

void parse_time(const Node& root, Scene& scene, ReadContext& context) {
  TimeSettings& s = scene.time;
  // A frame, unless frames are shorter than any step.
  if (is_incompressible(scene) || traits_of(scene).implicit)
    s.dt_max = std::max(1 / scene.simulation.fps, s.dt_min);
  parse_section(root, "time", context, [&](TableReader& table) {
    table.read_members(s);
    if (s.dt_min > s.dt_max) {
      table.fail(table.has("dt_min") ? "dt_min" : "dt_max",
                 fmt::format("dt_min ({}) must not exceed dt_max ({})", s.dt_min, s.dt_max));
    }
  });
}

void parse_fluid(const Node& root, Scene& scene, ReadContext& context) {
  parse_section(root, "fluid", context, [&](TableReader& table) {
    if (!is_incompressible(scene)) {
      table.fail(table.node(),
                 "[fluid] belongs to integrator \"incompressible\"; remove it or set "
                 "simulation.integrator");
    }
    table.read_members(scene.fluid);
  });
}

void parse_implicit(const Node& root, Scene& scene, ReadContext& context) {
  parse_section(root, "implicit", context, [&](TableReader& table) {
    if (!traits_of(scene).implicit) {
      table.fail(
          table.node(),
          "[implicit] belongs to integrators \"optimization\" and \"semi_implicit\"; remove it "
          "or set simulation.integrator");
    }
    table.read_members(scene.implicit);
    check_positions(table, scene);
    if (!traits_of(scene).linear) return;
    for (const char* key : {"max_iterations", "plasticity"})
      if (table.has(key))
        table.fail(key,
                   fmt::format("'{}' belongs to integrator \"optimization\": \"semi_implicit\" "
                               "solves once, and material flows after the step; remove it",
                               key));
  });
}

bool lacks_instances(const Node& root, const ReadContext& context) {
  const Node* bodies = root.find("body");
  return !context.findings.empty() && bodies != nullptr &&
         std::any_of(bodies->items.begin(), bodies->items.end(),
                     [](const Node& body) { return body.find("instances") != nullptr; });
}

void parse_tracers(const Node& root, Scene& scene, ReadContext& context) {
  TracerSettings& s = scene.tracers;
  parse_section(root, "tracers", context, [&](TableReader& table) {
    if (!is_incompressible(scene))
      table.fail(table.node(),
                 "[tracers] belongs to integrator \"incompressible\"; remove it or set "
                 "simulation.integrator");
    table.read_members(s);
    if (scene.bodies.empty())
      table.fail(table.node(), "there is no [[body]] to fill with tracers; sources emit none");
    if (table.find("bodies") == nullptr || lacks_instances(root, context)) return;
    s.bodies = table.read_indices("bodies", names_of(scene.bodies),
                                  "leave it out to fill all bodies with tracers");
    std::sort(s.bodies.begin(), s.bodies.end());
  });
}

}  // namespace firn::scene
