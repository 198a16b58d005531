#include "src/state/body_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/fields/blocks.h"
#include "src/scene/sampling.h"
#include "src/scene/thing_names.h"
#include "src/state/batch.h"
#include "src/state/scene_params.h"

namespace firn {

namespace {

bool lies_outside(const Scene& scene, const CompiledShape& outline) {
  if (!scene.grid.domain || !outline.bounded()) return false;
  const Domain& domain = *scene.grid.domain;
  for (std::size_t a = 0; a < static_cast<std::size_t>(outline.dimension); ++a)
    if (domain.boundary[2 * a] != BoundaryType::kPeriodic &&
        (outline.max[a] < domain.min[a] || outline.min[a] > domain.max[a]))
      return true;
  return false;
}
bool lies_outside(const Scene& scene, const Shape& shape) {
  return lies_outside(scene, outline_shape(shape, scene.simulation.dimension, scene.grid.dx));
}

class BodyInspector {
 public:
  BodyInspector(const Scene& scene, std::size_t index)
      : scene_(scene),
        index_(index),
        body_(scene.bodies[index]),
        dimension_(scene.simulation.dimension),
        shape_(outline_shape(body_.shape, dimension_, scene.grid.dx)) {
    for (int a = 0; a < dimension_; ++a) {
      const double extent = shape_.max[a] - shape_.min[a];
      longest_ = std::max(longest_, extent);
      thinnest_ = std::min(thinnest_, extent);
    }
  }

  // Empty: there is a place for it.
  std::string why_unplaced() const {
    if (!shape_.bounded()) return {};  // refused where it is filled
    if (lies_outside(scene_, shape_)) return "lies outside the domain";
    const double most =
        static_cast<double>(dimension_ == 2 ? BlockTraits<2>::kMaxCell : BlockTraits<3>::kMaxCell);
    if (!(cells_from_origin() > most)) return {};
    return fmt::format(
        "reaches {:.3g} cells from the origin, where the grid ends after {:.3g}: "
        "move the scene towards the origin",
        cells_from_origin(), most);
  }
  // Empty: nothing is wrong with it.
  std::string finding() const {
    if (!shape_.bounded()) return {};
    if (std::string reason = why_unplaced(); !reason.empty()) return reason;
    if (std::string reason = why_too_far(); !reason.empty()) return reason;
    if (const double beyond = beyond_walls(); beyond > scene_.grid.dx)
      return fmt::format(
          "reaches {:.3g} m through a wall of the domain: what lies beyond is put onto the wall "
          "when the run begins",
          beyond);
    if (may_be_empty() && fill_body(scene_, index_).position.empty())
      return "has no particles: " + why_empty();
    return why_twice();
  }

 private:
  double particle_volume() const {
    const double per_cell =
        body_.particles_per_cell > 0 ? body_.particles_per_cell : 1 << dimension_;
    return std::pow(scene_.grid.dx, dimension_) / per_cell;
  }
  // A volume of so many particles has one, even in the sparsest places of their pattern. Found on
  // cells of a size that keeps it cheap: the error is less than a cell along the surface.
  bool may_be_empty() const {
    if (thinnest_ <= 0) return true;
    constexpr double kSurely = 100;
    return volume() < kSurely * particle_volume() || may_be_a_sheet();
  }
  double volume() const {
    const auto known = enclosed_volume(body_.shape, dimension_);
    return known ? *known : volume_by_cells(16);
  }
  double volume_by_cells(int cells) const {
    constexpr double kResolved = 32;
    const double dx = coarse_spacing(shape_, scene_.grid.dx, kResolved);
    return shape_volume(compile_shape(body_.shape, dimension_, dx), longest_ / cells);
  }
  bool has_open_mesh() const {
    return std::any_of(shape_.reports.begin(), shape_.reports.end(),
                       [](const MeshReport& mesh) { return !mesh.watertight; });
  }
  // That error is all that there is of a sheet, and half as large in cells half as large.
  bool may_be_a_sheet() const {
    constexpr double kHalf = 0.75;
    return has_open_mesh() && volume_by_cells(32) < kHalf * volume_by_cells(16);
  }
  // Whether it and its copy a period further have a place in common: points of a lattice.
  bool meets_itself(std::size_t axis, double period) const {
    constexpr int kAcross = 16;
    constexpr double kResolved = 64;
    Vec3 low = shape_.min;
    low[axis] += period;
    if (!(shape_.max[axis] > low[axis] + 1e-6 * scene_.grid.dx)) return false;
    const CompiledShape coarse =
        compile_shape(body_.shape, dimension_, coarse_spacing(shape_, scene_.grid.dx, kResolved));
    for (int i = 0; i < (dimension_ == 2 ? kAcross * kAcross : kAcross * kAcross * kAcross); ++i) {
      Vec3 x{};
      for (int a = 0, rest = i; a < dimension_; ++a, rest /= kAcross) {
        const auto c = static_cast<std::size_t>(a);
        x[c] = low[c] + (shape_.max[c] - low[c]) * (rest % kAcross + 0.5) / kAcross;
      }
      Vec3 before = x;
      before[axis] -= period;
      if (distance(coarse, x) < 0 && distance(coarse, before) < 0) return true;
    }
    return false;
  }
  std::string why_twice() const {
    if (!scene_.grid.domain) return {};
    const Domain& domain = *scene_.grid.domain;
    for (std::size_t a = 0; a < static_cast<std::size_t>(dimension_); ++a) {
      const double period = domain.max[a] - domain.min[a];
      if (domain.boundary[2 * a] == BoundaryType::kPeriodic && meets_itself(a, period))
        return fmt::format(
            "is longer along {} than the period of the domain, {:g} m: its ends fill the same "
            "space twice",
            "xyz"[a], period);
    }
    return {};
  }
  double cells_from_origin() const {
    double far = 0;
    for (int a = 0; a < dimension_; ++a)
      far = std::max({far, std::abs(shape_.min[a]), std::abs(shape_.max[a])});
    return far / scene_.grid.dx;
  }
  // Single precision tells coordinates apart by 2^-24 of them and more.
  std::string why_too_far() const {
    constexpr double kNoticed = 0.01;
    const double cells = cells_from_origin(), apart = cells * std::numeric_limits<float>::epsilon();
    if (apart < kNoticed) return {};
    if (scene_.simulation.precision == Precision::kDouble)
      return fmt::format(
          "reaches {:.3g} cells from the origin: pictures and the files of particles and surfaces "
          "have places in single precision, {:.2g} cells apart there; move the scene towards the "
          "origin",
          cells, apart);
    return fmt::format(
        "reaches {:.3g} cells from the origin, where numbers of single precision lie {:.2g} cells "
        "apart: move the scene towards the origin, or use simulation.precision = \"double\"",
        cells, apart);
  }
  double beyond_walls() const {
    double most = 0;
    if (!scene_.grid.domain) return most;
    const Domain& domain = *scene_.grid.domain;
    for (std::size_t a = 0; a < static_cast<std::size_t>(dimension_); ++a) {
      if (is_wall(domain.boundary[2 * a]))
        most = std::max(most, domain.min[a] - shape_.min[static_cast<int>(a)]);
      if (is_wall(domain.boundary[2 * a + 1]))
        most = std::max(most, shape_.max[static_cast<int>(a)] - domain.max[a]);
    }
    return most;
  }
  std::string why_empty() const {
    if (thinnest_ < 0) return "the parts of its shape have no place in common";
    const char* sheet =
        has_open_mesh() ? "; solid = \"shell\" with a thickness makes a sheet of its mesh" : "";
    if (thinnest_ == 0) return fmt::format("its shape is flat{}", sheet);
    if (volume() == 0 || may_be_a_sheet())
      return fmt::format("its shape encloses nothing, or all of it is cut away{}", sheet);
    return fmt::format(
        "it fills {:.3g} {} and a particle stands for {:.3g}; use a smaller grid.dx or more "
        "particles_per_cell",
        volume(), dimension_ == 2 ? "m^2" : "m^3", particle_volume());
  }

  const Scene& scene_;
  std::size_t index_;
  const Body& body_;
  int dimension_;
  CompiledShape shape_;  // its outline
  double longest_ = 0, thinnest_ = std::numeric_limits<double>::infinity();
};

}  // namespace

std::vector<std::string> unplaced_bodies(const Scene& scene) {
  std::vector<std::string> reasons;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b)
    if (const std::string why = BodyInspector(scene, b).why_unplaced(); !why.empty()) {
      const std::string& name = scene.bodies[b].name;
      reasons.push_back(
          fmt::format("body \"{}\" {}", name.empty() ? std::to_string(b) : name, why));
    }
  return reasons;
}

std::vector<std::string> body_warnings(const Scene& scene) {
  std::vector<std::string> warnings;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const std::string finding = BodyInspector(scene, b).finding();
    const std::string& name = scene.bodies[b].name;
    if (!finding.empty())
      warnings.push_back(
          fmt::format("body \"{}\" {}", name.empty() ? std::to_string(b) : name, finding));
  }
  const auto tell_gaps = [&](const char* what, const std::string& name, std::size_t index,
                             double per_cell) {
    if (!(per_cell > 0 && per_cell < 1)) return;
    warnings.push_back(fmt::format(
        "{} \"{}\" has particles_per_cell = {:g}: cells between its particles are empty, which "
        "nothing holds apart; 1 is the least that fills them, and {} the default",
        what, name.empty() ? std::to_string(index) : name, per_cell,
        1 << scene.simulation.dimension));
  };
  for (std::size_t b = 0; b < scene.bodies.size(); ++b)
    tell_gaps("body", scene.bodies[b].name, b, scene.bodies[b].particles_per_cell);
  for (std::size_t s = 0; s < scene.sources.size(); ++s) {
    const Source& source = scene.sources[s];
    tell_gaps("source", source.name, s, source.particles_per_cell);
    if (source.motion || !lies_outside(scene, source.shape)) continue;
    warnings.push_back(fmt::format("source \"{}\" lies outside the domain: it emits nothing",
                                   name_or_number(source.name, s)));
  }
  const auto tell_outside = [&](const auto& things, const char* what, const char* so,
                                const auto& moves) {
    for (std::size_t i = 0; i < things.size(); ++i) {
      const std::optional<Shape>& shape = things[i].shape;
      if (!shape || moves(things[i]) || !lies_outside(scene, *shape)) continue;
      warnings.push_back(fmt::format("{} \"{}\" lies outside the domain: {}", what,
                                     name_or_number(things[i].name, i), so));
    }
  };
  const auto rests = [](const auto&) { return false; };
  tell_outside(scene.colliders, "collider", "nothing meets it", [](const Collider& c) {
    return c.motion.has_value() || c.shape.type == ShapeType::kMeshSequence;
  });
  tell_outside(scene.sinks, "sink", "it takes nothing", rests);
  tell_outside(scene.forces, "force", "it moves nothing", rests);
  tell_outside(scene.heat_sources, "heat source", "it heats nothing", rests);
  return warnings;
}

}  // namespace firn
