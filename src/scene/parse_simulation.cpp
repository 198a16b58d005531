// The settings of a run: [simulation], [transfer], [time], [grid].
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/scene/parse.h"

namespace firn::scene {
namespace {

constexpr Choice<Integrator> kIntegrators[] = {{"explicit", Integrator::kExplicit},
                                               {"incompressible", Integrator::kIncompressible},
                                               {"thermal", Integrator::kThermal}};
constexpr std::string_view kUseExplicit = "use \"explicit\"";
constexpr Unavailable kLaterIntegrators[] = {{"semi_implicit", kUseExplicit},
                                             {"optimization", kUseExplicit}};
constexpr Choice<Precision> kPrecisions[] = {{"single", Precision::kSingle},
                                             {"double", Precision::kDouble}};
constexpr Choice<TransferType> kTransfers[] = {
    {"pic", TransferType::kPic},     {"flip", TransferType::kFlip},
    {"rpic", TransferType::kRpic},   {"apic", TransferType::kApic},
    {"aflip", TransferType::kAflip}, {"polypic", TransferType::kPolypic}};
constexpr Choice<AdvectionMap> kAdvections[] = {{"translation", AdvectionMap::kTranslation},
                                                {"affine", AdvectionMap::kAffine}};
constexpr Choice<int> kKernels[] = {{"linear", 1}, {"quadratic", 2}, {"cubic", 3}};
constexpr Choice<ForceForm> kForces[] = {{"mls", ForceForm::kMls},
                                         {"gradient", ForceForm::kGradient}};

constexpr Choice<FreeSurface> kFreeSurfaces[] = {{"ghost_fluid", FreeSurface::kGhostFluid},
                                                 {"first_order", FreeSurface::kFirstOrder}};

constexpr std::int64_t kLargestCount = 1'000'000'000;

void parse_dimension(TableReader& table, Scene& scene) {
  const bool valid = table.integer("dimension", scene.simulation.dimension, 2, 3);
  const bool given = table.node().find("dimension") != nullptr;
  table.context().dimension = given && !valid ? 0 : scene.simulation.dimension;
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

// Face velocities take forces from the gradients of the weights [Jiang 2015, 6.22], which the
// linear kernel has in jumps.
void check_thermal_transfer(TableReader& table, const TransferSettings& s) {
  if (s.kernel == 1)
    table.fail("kernel",
               "integrator \"thermal\" needs the quadratic or cubic kernel: the forces of the "
               "linear one jump from cell to cell");
  if (s.force != ForceForm::kGradient)
    table.fail("force", "integrator \"thermal\" has only force = \"gradient\"; remove 'force'");
}

constexpr std::string_view kFaces[] = {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};

constexpr Choice<BoundaryType> kFaceBoundaries[] = {{"sticky", BoundaryType::kSticky},
                                                    {"slip", BoundaryType::kSlip},
                                                    {"separate", BoundaryType::kSeparate},
                                                    {"periodic", BoundaryType::kPeriodic},
                                                    {"open", BoundaryType::kOpen}};

// One value for all faces, or a table with a value per face; read(node, what, face value).
template <class T, class Read>
void parse_faces(TableReader& domain, std::string_view key, std::array<T, 6>& faces, Read read) {
  const Node* node = domain.find(key);
  if (node == nullptr) return;
  if (!node->is(NodeType::kTable)) {
    T value{};
    if (read(*node, key, value)) faces.fill(value);
    return;
  }
  TableReader table(*node, fmt::format("domain.{}", key), domain.context());
  const std::size_t count = domain.context().is_2d() ? 4 : 6;
  for (std::size_t face = 0; face < count; ++face) {
    if (const Node* value = table.find(kFaces[face])) read(*value, kFaces[face], faces[face]);
  }
  table.finish();
}

void parse_extent(TableReader& table, Domain& domain, double dx) {
  table.require("min");
  table.require("max");
  const bool has_min = table.vector("min", domain.min), has_max = table.vector("max", domain.max);
  if (!has_min || !has_max) return;
  const int axes = table.context().is_2d() ? 2 : 3;
  for (int axis = 0; axis < axes; ++axis) {
    if (table.context().dimension == 0) return;
    const double extent = domain.max[axis] - domain.min[axis];
    if (!(extent > 0)) {
      table.fail(
          "max",
          fmt::format("domain.max must exceed domain.min along every axis, but {} <= {} along {}",
                      domain.max[axis], domain.min[axis], "xyz"[axis]));
    } else if (dx >= extent) {
      table.fail(
          "max",
          fmt::format("the domain is {} m long along {}, not longer than one cell (grid.dx = {})",
                      extent, "xyz"[axis], dx));
    }
  }
}

// The blocks of a periodic axis close a ring: whole blocks, and an even number of them, since
// blocks of one parity are worked on at the same time.
void check_periodic(TableReader& table, const Domain& domain, double dx) {
  const int axes = table.context().is_2d() ? 2 : 3;
  const double block = (table.context().is_2d() ? 8 : 4) * dx;
  for (std::size_t a = 0; a < static_cast<std::size_t>(axes); ++a) {
    const bool low = domain.boundary[2 * a] == BoundaryType::kPeriodic,
               high = domain.boundary[2 * a + 1] == BoundaryType::kPeriodic;
    const char axis = "xyz"[a];
    if (low != high)
      table.fail("boundary",
                 fmt::format("only one of {0}_min and {0}_max is \"periodic\"; it takes "
                             "both faces of an axis",
                             axis));
    if (!low || !high || table.context().dimension == 0 || !(dx > 0)) continue;
    const double begin = domain.min[a] / block, count = (domain.max[a] - domain.min[a]) / block;
    const double even = std::max(2 * std::round(count / 2), 2.0);
    constexpr double kTolerance = 1e-3 / 8;  // of a cell
    if (std::abs(begin - std::round(begin)) > kTolerance)
      table.fail("min", fmt::format("the periodic axis {} must begin on a multiple of {} cells "
                                    "({} m), but domain.min is {}; the nearest is {}",
                                    axis, std::round(block / dx), block, domain.min[a],
                                    std::round(begin) * block));
    else if (std::abs(count - even) > kTolerance)
      table.fail("max", fmt::format("the periodic axis {} must be a multiple of {} cells ({} m) "
                                    "long, but it is {} m; the nearest is {} m (grid.dx = {:.9g} "
                                    "would fit the length)",
                                    axis, 2 * std::round(block / dx), 2 * block,
                                    domain.max[a] - domain.min[a], even * block,
                                    (domain.max[a] - domain.min[a]) / (even * block / dx)));
  }
}

// Only a wall has a temperature.
void check_face_temperatures(TableReader& table, const Domain& domain) {
  const std::size_t count = table.context().is_2d() ? 4 : 6;
  for (std::size_t face = 0; face < count; ++face) {
    const BoundaryType boundary = domain.boundary[face];
    const bool open = boundary == BoundaryType::kOpen;
    if (!domain.temperature[face] || (!open && boundary != BoundaryType::kPeriodic)) continue;
    table.fail("temperature",
               fmt::format("{} is {}: there is no wall to have a temperature; give "
                           "those of the walls, as in temperature = {{ y_min = 290 }}",
                           kFaces[face], open ? "open" : "periodic"));
    return;
  }
}

void parse_face_temperatures(TableReader& table, const Scene& scene, Domain& domain) {
  if (const auto reason = why_no_heat(scene)) return table.refuse("temperature", *reason);
  parse_faces(table, "temperature", domain.temperature,
              [&](const Node& value, std::string_view what, std::optional<ScalarField>& out) {
                ScalarField field;
                if (!read_field(value, what, field, table.context(), "xyzt", Range::positive()))
                  return false;
                out = field;
                return true;
              });
  check_face_temperatures(table, domain);
}

Domain parse_domain(const Node& node, const Scene& scene, ReadContext& context) {
  const double dx = scene.grid.dx;
  Domain domain;
  TableReader table(node, "grid.domain", context);
  if (!node.is(NodeType::kTable)) return domain;
  parse_extent(table, domain, dx);
  parse_faces(table, "boundary", domain.boundary,
              [&](const Node& value, std::string_view what, BoundaryType& out) {
                std::vector<std::string_view> names;
                for (const auto& choice : kFaceBoundaries) names.push_back(choice.name);
                std::size_t index = 0;
                if (!read_choice(value, what, names, {}, index, context)) return false;
                out = kFaceBoundaries[index].value;
                return true;
              });
  check_periodic(table, domain, dx);
  if (is_staggered(scene) && table.node().find("friction") != nullptr)
    table.fail("friction", kNoFriction);
  parse_faces(table, "friction", domain.friction,
              [&](const Node& value, std::string_view what, double& out) {
                return read_number(value, what, Range::non_negative(), out, context);
              });
  parse_face_temperatures(table, scene, domain);
  table.finish();
  return domain;
}

}  // namespace

void parse_simulation(const Node& root, Scene& scene, ReadContext& context) {
  SimulationSettings& s = scene.simulation;
  parse_section(root, "simulation", context, [&](TableReader& table) {
    parse_dimension(table, scene);
    table.integer("frames", s.frames, 0, kLargestCount);
    table.number("fps", s.fps, Range::positive());
    table.vector("gravity", s.gravity);
    table.choice<Integrator>("integrator", s.integrator, kIntegrators, kLaterIntegrators);
    table.choice<Precision>("precision", s.precision, kPrecisions);
    table.integer("seed", s.seed, 0, std::numeric_limits<std::int64_t>::max());
    table.boolean("reproducible", s.reproducible);
    table.boolean("fused", s.fused);
  });
}

void parse_transfer(const Node& root, Scene& scene, ReadContext& context) {
  TransferSettings& s = scene.transfer;
  const bool incompressible = is_incompressible(scene), thermal = is_thermal(scene);
  if (incompressible) s.kernel = 1;
  if (thermal) s.kernel = 3;
  if (thermal) s.force = ForceForm::kGradient;
  parse_section(root, "transfer", context, [&](TableReader& table) {
    table.choice<TransferType>("type", s.type, kTransfers);
    table.number("blend", s.blend, Range::closed(0, 1));
    table.integer("modes", s.modes, 0, 27);
    table.choice<AdvectionMap>("advection", s.advection, kAdvections);
    table.choice<int>("kernel", s.kernel, kKernels);
    const bool force_given = table.choice<ForceForm>("force", s.force, kForces);
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
  if (is_incompressible(scene)) s.dt_max = 1 / scene.simulation.fps;
  parse_section(root, "time", context, [&](TableReader& table) {
    table.number("cfl", s.cfl, Range::left_open(0, 1));
    table.number("cfl_material", s.cfl_material, Range::left_open(0, 1));
    table.number("dt_max", s.dt_max, Range::positive());
    table.number("dt_min", s.dt_min, Range::positive());
    if (s.dt_min > s.dt_max) {
      table.fail(table.node().find("dt_min") != nullptr ? "dt_min" : "dt_max",
                 fmt::format("dt_min ({}) must not exceed dt_max ({})", s.dt_min, s.dt_max));
    }
  });
}

void parse_grid(const Node& root, Scene& scene, ReadContext& context) {
  if (root.find("grid") == nullptr) {
    context.findings.add(root.where,
                         "the scene needs [grid] with the grid spacing, e.g. dx = 0.01");
  }
  parse_section(root, "grid", context, [&](TableReader& table) {
    table.require("dx");
    table.number("dx", scene.grid.dx, Range::positive());
    if (const Node* domain = table.find("domain")) {
      scene.grid.domain = parse_domain(*domain, scene, context);
    }
  });
}

void parse_fluid(const Node& root, Scene& scene, ReadContext& context) {
  FluidSettings& s = scene.fluid;
  parse_section(root, "fluid", context, [&](TableReader& table) {
    if (!is_incompressible(scene)) {
      table.fail(table.node(),
                 "[fluid] belongs to integrator \"incompressible\"; remove it or set "
                 "simulation.integrator");
    }
    table.number("tolerance", s.tolerance, Range::open(0, 1));
    table.number("absolute_tolerance", s.absolute_tolerance, Range::non_negative());
    table.integer("max_iterations", s.max_iterations, 1, 1'000'000);
    table.choice<FreeSurface>("free_surface", s.free_surface, kFreeSurfaces);
    table.boolean("density_correction", s.density_correction);
  });
}

void parse_tracers(const Node& root, Scene& scene, ReadContext& context) {
  TracerSettings& s = scene.tracers;
  parse_section(root, "tracers", context, [&](TableReader& table) {
    if (!is_incompressible(scene))
      table.fail(table.node(),
                 "[tracers] belongs to integrator \"incompressible\"; remove it or set "
                 "simulation.integrator");
    table.require("per_cell");
    table.number("per_cell", s.per_cell, Range::positive());
    table.boolean("alone", s.alone);
    if (scene.bodies.empty())
      table.fail(table.node(), "there is no [[body]] to fill with tracers; sources emit none");
    std::vector<std::string_view> known;
    for (const Body& body : scene.bodies) known.push_back(body.name);
    std::vector<std::string> names;
    if (!table.strings("bodies", names, known)) return;
    if (names.empty())
      table.fail("bodies", "'bodies' names none; leave it out to fill all bodies with tracers");
    for (std::size_t b = 0; b < known.size(); ++b)
      if (std::find(names.begin(), names.end(), known[b]) != names.end())
        s.bodies.push_back(static_cast<int>(b));
  });
}

}  // namespace firn::scene
