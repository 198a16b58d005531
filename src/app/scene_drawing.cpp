#include "src/app/scene_drawing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "kernels/math/vec.h"
#include "src/diagnostics/gnuplot.h"
#include "src/diagnostics/wires.h"
#include "src/io/particle_channels.h"
#include "src/scene/shapes.h"

namespace firn::app {
namespace {

using Point = Vec<double, 3>;

Point point(const Vec3& x) { return {{x[0], x[1], x[2]}}; }
Point unit(const Point& v) { return (1 / norm(v)) * v; }
// Against gravity.
Point upwards(const Scene& scene) {
  const Point g = point(scene.simulation.gravity);
  return norm(g) > 0 ? -1.0 * unit(g) : Point{{0, 1, 0}};
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kMostNames = 16;  // in the key

struct Bounds {
  Vec3 min{kInfinity, kInfinity, kInfinity}, max{-kInfinity, -kInfinity, -kInfinity};
  void add(const Vec3& x) {
    for (std::size_t i = 0; i < 3; ++i) {
      if (!std::isfinite(x[i])) continue;
      min[i] = std::min(min[i], x[i]);
      max[i] = std::max(max[i], x[i]);
    }
  }
  void add(const CompiledShape& shape) { add(shape.min), add(shape.max); }
};

struct Solid {
  std::string name, color;
  double width;
  CompiledShape shape;
};

class Drawing {
 public:
  explicit Drawing(const Scene& scene) : scene_(scene), d_(scene.simulation.dimension) {
    std::size_t i = 0;
    for (const Body& body : scene.bodies)
      add(body.name, kLineColors[i++ % std::size(kLineColors)], 1.5, body.shape);
    for (const Source& source : scene.sources) add(source.name, "#7a9a01", 1.5, source.shape);
    for (const Sink& sink : scene.sinks) add(sink.name, "#b03060", 1, sink.shape);
    for (const HeatSource& source : scene.heat_sources)
      add(source.name, "#ff4500", 1, source.shape);
    for (const ForceField& force : scene.forces)
      if (force.shape) add(force.name, "#2a9d8f", 1, *force.shape);
    for (const Solid& solid : solids_) seen_.add(solid.shape);
    for (const Sensor& sensor : scene.sensors)
      if (has_place(sensor)) seen_.add(sensor.position);
    if (scene.grid.domain) seen_.add(scene.grid.domain->min), seen_.add(scene.grid.domain->max);
    // Of what has no end, the ground say, the part beside the rest is shown.
    for (const Collider& collider : scene.colliders) {
      add(collider.name, "#707880", 1, collider.shape);
      seen_.add(solids_.back().shape);
    }
    widen();
  }

  WirePicture picture() {
    WirePicture picture;
    picture.title = scene_.title.empty() ? scene_.name : scene_.title;
    picture.dimension = d_;
    const std::string up = frame_mark(scene_, 0, 0).up;
    picture.up = up.back() - 'x';
    for (const Solid& solid : solids_) {
      WireLines lines{solid.name, solid.color, solid.width, {}, {}};
      if (picture.lines.size() >= kMostNames) lines.name.clear();
      cut(solid.shape, lines);
      picture.lines.push_back(std::move(lines));
    }
    if (scene_.grid.domain) picture.lines.push_back(domain());
    for (const Sensor& sensor : scene_.sensors) {
      if (sensor.kind != SensorKind::kRegion && !has_place(sensor)) continue;
      picture.lines.push_back(outline(sensor));
      if (picture.lines.size() > kMostNames) picture.lines.back().name.clear();
    }
    return picture;
  }

 private:
  static bool has_place(const Sensor& sensor) {
    return sensor.kind == SensorKind::kPoint || sensor.kind == SensorKind::kPlane ||
           sensor.kind == SensorKind::kHeight;
  }
  CompiledShape compiled(const Shape& shape) const {
    constexpr double kCells = 64;  // are as many as the drawing shows
    const CompiledShape outline = outline_shape(shape, d_, scene_.grid.dx);
    return compile_shape(shape, d_, coarse_spacing(outline, scene_.grid.dx, kCells));
  }
  void add(const std::string& name, const char* color, double width, const Shape& shape) {
    solids_.push_back({name, color, width, compiled(shape)});
  }

  // A region's shape; a point; of a plane the part that counts, or a small one where all does, and
  // which way is positive; a stroke along which a height is measured.
  WireLines outline(const Sensor& sensor) const {
    WireLines lines{"sensor " + sensor.name, "#000000", 1, {}, {}};
    if (sensor.kind == SensorKind::kRegion) {
      cut(compiled(sensor.shape), lines);
      return lines;
    }
    lines.points.push_back(sensor.position);
    const double some = 0.08 * longest_;
    const Point x = point(sensor.position);
    if (sensor.kind == SensorKind::kHeight) {
      const bool given = sensor.direction != Vec3{};
      stroke(x, x + some * (given ? unit(point(sensor.direction)) : upwards(scene_)), lines);
    }
    if (sensor.kind == SensorKind::kPlane) {
      const Point normal = unit(point(sensor.direction));
      stroke(x, x + 0.5 * some * normal, lines);
      circle(x, normal, std::min(sensor.radius.value_or(some), longest_), lines);
    }
    return lines;
  }
  static void stroke(const Point& from, const Point& to, WireLines& lines) {
    lines.segments.push_back({Vec3{from[0], from[1], from[2]}, Vec3{to[0], to[1], to[2]}});
  }
  // In 2D its two ends.
  void circle(const Point& x, const Point& normal, double radius, WireLines& lines) const {
    // The axis that lies least along the normal.
    Point other = Point::zero();
    int least = 0;
    for (int i = 1; i < 3; ++i)
      if (std::abs(normal[i]) < std::abs(normal[least])) least = i;
    other[d_ == 2 ? 2 : least] = 1;
    const Point across = unit(cross(other, normal));
    if (d_ == 2) return stroke(x - radius * across, x + radius * across, lines);
    const Point along = cross(normal, across);
    constexpr int kSides = 24;
    const auto corner = [&](int i) {
      const double angle = 2 * std::numbers::pi * i / kSides;
      return x + radius * (std::cos(angle) * across + std::sin(angle) * along);
    };
    for (int i = 0; i < kSides; ++i) stroke(corner(i), corner(i + 1), lines);
  }
  void widen() {
    for (std::size_t i = 0; i < static_cast<std::size_t>(d_); ++i) {
      if (!(seen_.min[i] <= seen_.max[i])) seen_.min[i] = -1, seen_.max[i] = 1;
      longest_ = std::max(longest_, seen_.max[i] - seen_.min[i]);
    }
    for (std::size_t i = 0; i < 3; ++i)
      seen_.min[i] -= 0.05 * longest_, seen_.max[i] += 0.05 * longest_;
  }

  // Along planes across every axis, evenly through what is seen of it.
  void cut(const CompiledShape& shape, WireLines& lines) const {
    Vec3 low{}, high{};
    for (std::size_t i = 0; i < static_cast<std::size_t>(d_); ++i) {
      low[i] = std::max(shape.min[i], seen_.min[i]);
      high[i] = std::min(shape.max[i], seen_.max[i]);
      const double margin = 0.02 * (high[i] - low[i]);  // so that faces lie between two samples
      if (std::isfinite(shape.min[i])) low[i] -= margin;
      if (std::isfinite(shape.max[i])) high[i] += margin;
      if (!(low[i] < high[i])) return;
    }
    const bool many = solids_.size() > 60;
    if (d_ == 2) return cut_plane(shape, 2, 0, low, high, many ? 40 : 200, lines);
    const int planes = many ? 2 : 7, samples = many ? 16 : 48;
    for (int axis = 0; axis < 3; ++axis)
      for (int k = 0; k < planes; ++k) {
        const auto a = static_cast<std::size_t>(axis);
        cut_plane(shape, axis, low[a] + (k + 0.5) / planes * (high[a] - low[a]), low, high, samples,
                  lines);
      }
  }

  // Marching squares over a lattice of samples.
  static void cut_plane(const CompiledShape& shape, int axis, double at, const Vec3& low,
                        const Vec3& high, int samples, WireLines& lines) {
    const auto w = static_cast<std::size_t>(axis), u = (w + 1) % 3, v = (w + 2) % 3;
    const auto place = [&](int i, int j) {
      Vec3 x{};
      x[w] = at;
      x[u] = low[u] + (high[u] - low[u]) * i / samples;
      x[v] = low[v] + (high[v] - low[v]) * j / samples;
      return x;
    };
    const auto n = static_cast<std::size_t>(samples) + 1;
    std::vector<double> phi(n * n);
    for (int i = 0; i <= samples; ++i)
      for (int j = 0; j <= samples; ++j)
        phi[static_cast<std::size_t>(i) * n + static_cast<std::size_t>(j)] =
            distance(shape, place(i, j));
    for (int i = 0; i < samples; ++i)
      for (int j = 0; j < samples; ++j) {
        const std::array<std::pair<int, int>, 5> corners{
            {{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}, {i, j}}};
        std::vector<Vec3> crossings;
        for (std::size_t k = 0; k < 4; ++k) {
          const auto [i0, j0] = corners[k];
          const auto [i1, j1] = corners[k + 1];
          const double a = phi[static_cast<std::size_t>(i0) * n + static_cast<std::size_t>(j0)];
          const double b = phi[static_cast<std::size_t>(i1) * n + static_cast<std::size_t>(j1)];
          if ((a < 0) == (b < 0)) continue;
          const Vec3 from = place(i0, j0), to = place(i1, j1);
          Vec3 x{};
          for (std::size_t c = 0; c < 3; ++c) x[c] = from[c] + a / (a - b) * (to[c] - from[c]);
          crossings.push_back(x);
        }
        for (std::size_t k = 0; k + 1 < crossings.size(); k += 2)
          lines.segments.push_back({crossings[k], crossings[k + 1]});
      }
  }

  WireLines domain() const {
    WireLines lines{"domain", "#b8c0c8", 1, {}, {}};
    const Domain& domain = *scene_.grid.domain;
    const auto corner = [&](unsigned bits) {
      Vec3 x{};
      for (unsigned i = 0; i < static_cast<unsigned>(d_); ++i)
        x[i] = (bits >> i & 1 ? domain.max : domain.min)[i];
      return x;
    };
    for (unsigned bits = 0; bits < 1u << d_; ++bits)
      for (unsigned i = 0; i < static_cast<unsigned>(d_); ++i)
        if ((bits >> i & 1) == 0) lines.segments.push_back({corner(bits), corner(bits | 1u << i)});
    return lines;
  }

  const Scene& scene_;
  const int d_;
  std::vector<Solid> solids_;
  Bounds seen_;
  double longest_ = 0;  // m, of their sides
};

}  // namespace

bool draw_scene(const Scene& scene, const std::string& png_path) {
  return write_wires(Drawing(scene).picture(), png_path);
}

}  // namespace firn::app
