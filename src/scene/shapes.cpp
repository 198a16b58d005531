// The compiler from shape trees to signed-distance programs. Transforms are composed on the way
// down, so that every leaf knows its frame in the world; bounds are composed on the way up.
#include "src/scene/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <limits>

#include "firn/error.h"
#include "kernels/collide/rigid_motion.h"
#include "src/scene/height_band.h"
#include "src/scene/mesh_cache.h"

namespace firn {
namespace {

using Vector = Vec<double, 3>;
using Matrix = Mat<double, 3>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kFarthest = 1e18;  // m; single precision squares such lengths

Vector vec(const Vec3& a) { return {{a[0], a[1], a[2]}}; }

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorCategory::kScene, message); }

// x_world = rotation * (scale * x) + translation
struct Frame {
  Matrix rotation = Matrix::identity();
  double scale = 1;
  Vector translation = Vector::zero();

  Vector operator()(const Vector& x) const { return rotation * (scale * x) + translation; }
  Frame then(const Frame& inner) const {
    return {rotation * inner.rotation, scale * inner.scale, (*this)(inner.translation)};
  }
};

struct Bounds {
  Vector min = Vector::filled(-kInfinity), max = Vector::filled(kInfinity);
};

// A right-handed frame whose y axis is `axis`; in 2D its z axis stays z.
Matrix frame_with_y(const Vector& axis) {
  const Vector y = axis * (1 / norm(axis));
  Vector helper = Vector::zero();
  helper[std::abs(y[2]) < 0.9 ? 2 : 0] = 1;
  Vector x = cross(y, helper);
  x *= 1 / norm(x);
  const Vector z = cross(x, y);
  return transpose(Matrix{{{x[0], x[1], x[2]}, {y[0], y[1], y[2]}, {z[0], z[1], z[2]}}});
}

class Compiler {
 public:
  Compiler(CompiledShape& result, double dx, bool outline)
      : out_(result), dx_(dx), outline_(outline) {}

  // Appends the code that pushes one value; returns the bounds of the solid and raises `depth_`.
  Bounds compile(const Shape& s, const Frame& frame, int below) {
    if (below >= kMaxSdfDepth)
      fail(fmt::format(
          "shape: booleans are nested more than {} deep; list more children in one of them instead",
          kMaxSdfDepth - 1));
    switch (s.type) {
      case ShapeType::kUnion:
      case ShapeType::kIntersection:
      case ShapeType::kDifference:
        return boolean(s, frame, below);
      case ShapeType::kTransform:
        return transform(s, frame, below);
      case ShapeType::kMesh:
      case ShapeType::kVdb:
      case ShapeType::kText:
        return mesh(s, frame);
      case ShapeType::kMeshSequence:
        return mesh_sequence(s, frame);
      case ShapeType::kHeightField:
        return height_field(s, frame);
      case ShapeType::kHalfSpace:
        return half_space(s, frame);
      case ShapeType::kBox:
        return box(s, frame);
      case ShapeType::kTorus:
        return torus(s, frame);
      case ShapeType::kSphere:
      case ShapeType::kEllipsoid:
        return round(s, frame);
      default:
        return along_axis(s, frame);
    }
  }

 private:
  void check(bool good, const char* message) const {
    if (!good) fail(std::string("shape: ") + message);
  }

  // `local` holds the leaf's axes as columns, in the coordinates of the shape. `half` bounds the
  // leaf around its centre along these axes, before scaling.
  Bounds leaf(SdfOp op, const Frame& frame, const Vector& centre, const Matrix& local,
              std::initializer_list<double> parameters, const Vector& half) {
    SdfInstruction<double> in{};
    in.op = op;
    const Matrix axes = frame.rotation * local;
    in.rotation = transpose(axes);
    in.origin = frame(centre);
    int i = 0;
    for (double p : parameters) in.parameter[i++] = frame.scale * p;
    out_.code.push_back(in);
    Bounds b{in.origin, in.origin};
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) {
        const double reach = std::abs(axes(r, c)) * frame.scale * half[c];
        b.min[r] -= reach;
        b.max[r] += reach;
      }
    for (int i = 0; i < 3; ++i)  // also where it is no number
      check(std::abs(b.min[i]) <= kFarthest && std::abs(b.max[i]) <= kFarthest,
            "it reaches farther than 1e18 m, or is turned by too large an angle");
    return b;
  }

  Bounds round(const Shape& s, const Frame& frame) {
    const Vector centre = vec(s.center);
    if (s.type == ShapeType::kSphere) {
      check(s.radius > 0, "a sphere needs a radius > 0");
      const Vector half = Vector::filled(s.radius);
      return leaf(SdfOp::kSphere, {Matrix::identity(), frame.scale, frame(centre)}, Vector::zero(),
                  Matrix::identity(), {s.radius}, half);
    }
    const Vector a = flat(vec(s.radii));
    check(a[0] > 0 && a[1] > 0 && a[2] > 0, "an ellipsoid needs radii > 0");
    return leaf(SdfOp::kEllipsoid, frame, centre, Matrix::identity(), {a[0], a[1], a[2]}, a);
  }

  // In 2D the third extent has no meaning; 1 keeps it out of every minimum.
  Vector flat(Vector half) const {
    if (out_.dimension == 2) half[2] = 1;
    return half;
  }

  Bounds box(const Shape& s, const Frame& frame) {
    const Vector half = flat(0.5 * (vec(s.max) - vec(s.min)));
    check(half[0] > 0 && half[1] > 0 && half[2] > 0, "a box needs min < max in every direction");
    double smallest = kInfinity;
    for (int i = 0; i < out_.dimension; ++i) smallest = std::min(smallest, half[i]);
    check(s.rounding >= 0 && s.rounding <= smallest,
          "a box's rounding must lie between 0 and half its shortest edge");
    const double r = s.rounding;
    return leaf(SdfOp::kBox, frame, 0.5 * (vec(s.min) + vec(s.max)), Matrix::identity(),
                {half[0] - r, half[1] - r, half[2] - r, r}, half);
  }

  Bounds half_space(const Shape& s, const Frame& frame) {
    check(norm(vec(s.normal)) > 0, "a half_space needs a normal that is not zero");
    leaf(SdfOp::kHalfSpace, frame, vec(s.point), frame_with_y(vec(s.normal)), {}, Vector::zero());
    return endless(0);
  }

  // Bounds of the last leaf if it is solid all the way below local y = `top`: bounded only along
  // that axis, if it is one of the world's.
  Bounds endless(double top) const {
    const SdfInstruction<double>& in = out_.code.back();
    Bounds b;
    for (int i = 0; i < 3; ++i) {
      if (in.rotation(1, i) > 1 - 1e-12) b.max[i] = in.origin[i] + top;
      if (in.rotation(1, i) < -1 + 1e-12) b.min[i] = in.origin[i] - top;
    }
    return b;
  }

  Bounds torus(const Shape& s, const Frame& frame) {
    check(s.radius > 0 && s.tube_radius > 0, "a torus needs radius > 0 and tube_radius > 0");
    check(norm(vec(s.axis)) > 0, "a torus needs an axis that is not zero");
    const double reach = s.radius + s.tube_radius;
    return leaf(SdfOp::kTorus, frame, vec(s.center), frame_with_y(vec(s.axis)),
                {s.radius, s.tube_radius}, {{reach, s.tube_radius, reach}});
  }

  Bounds along_axis(const Shape& s, const Frame& frame) {
    const Vector from = vec(s.from), axis = vec(s.to) - from;
    const double length = norm(axis), r = s.radius;
    check(r > 0, "a cylinder, capsule or cone needs a radius > 0");
    check(length > 0, "a cylinder, capsule or cone needs from != to");
    const Vector middle = from + 0.5 * axis;
    const Matrix local = frame_with_y(axis);
    const double half = 0.5 * length;
    if (s.type == ShapeType::kCylinder)
      return leaf(SdfOp::kCylinder, frame, middle, local, {r, half}, {{r, half, r}});
    if (s.type == ShapeType::kCapsule)
      return leaf(SdfOp::kCapsule, frame, middle, local, {r, half}, {{r, half + r, r}});
    Bounds b = leaf(SdfOp::kCone, frame, middle, local, {r, length}, {{r, half, r}});
    out_.code.back().origin = frame(from);
    return b;
  }

  Bounds transform(const Shape& s, const Frame& frame, int below) {
    check(s.children.size() == 1, "a transform has exactly one child");
    return compile(s.children[0], frame.then(placement(s, s.scale)), below);
  }

  Frame placement(const Shape& s, double scale) const {
    check(scale > 0, "a scale must be > 0");
    return {rotation_from_euler(vec(s.rotation)), scale, vec(s.translation)};
  }

  // What a shell adds on every side, in the mesh's units; 0 of a solid.
  double around(const Shape& s, const Frame& frame, double scale, double longest) const {
    const bool may_be_shell = s.type == ShapeType::kMesh || s.type == ShapeType::kMeshSequence;
    if (!may_be_shell || s.solid != MeshSolid::kShell) return 0;
    check(s.thickness > 0, "a mesh with solid = \"shell\" needs a thickness > 0");
    const double half = 0.5 * s.thickness * frame.scale / scale;
    check(2 * half <= longest, "a shell must not be thicker than its mesh is long");
    return half;
  }
  static double longest_edge(const Vector& lo, const Vector& hi) {
    return std::max({hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2]});
  }

  // The leaf's axes meet in the grid's origin; its bounds lie around the centre of the box.
  void set_grid(const Frame& own, const Vec3& origin, const Vec3& a, const Vec3& b,
                const GridBytes& bytes) {
    SdfInstruction<double>& in = out_.code.back();
    in.origin = own(vec(origin));
    const double parameters[kSdfParameters] = {a[0], a[1], a[2], b[0], b[1], b[2], 0.5 * dx_};
    std::copy_n(parameters, kSdfParameters, in.parameter);
    in.mesh_offset = static_cast<std::int64_t>(out_.meshes.size());
    out_.meshes.insert(out_.meshes.end(), bytes.begin(), bytes.end());
  }

  Bounds mesh(const Shape& given, const Frame& frame) {
    const Shape s = in_dimension(given, frame);
    const auto loaded = cached_mesh(s);
    const TriangleMesh& triangles = *loaded;
    Vector lo = Vector::filled(kInfinity), hi = Vector::filled(-kInfinity);
    for (const Vec3& v : triangles.vertices)
      for (int i = 0; i < 3; ++i) {
        lo[i] = std::min(lo[i], v[i]);
        hi[i] = std::max(hi[i], v[i]);
      }
    const Frame own = frame.then(placement(s, scale_of(s, triangles)));
    const double half = around(s, frame, own.scale, longest_edge(lo, hi));
    const double voxel = 0.5 * dx_ / own.scale;
    const Bounds bounds = leaf(SdfOp::kMesh, own, 0.5 * (lo + hi), Matrix::identity(), {},
                               0.5 * (hi - lo) + Vector::filled(half));
    if (outline_) {
      require_grid_size(triangles, name_of(s), voxel, 2 * half);
    } else {
      const auto grid = cached_grid(s, voxel, 2 * half);
      set_grid(own, grid->origin, grid->index_min, grid->index_max, grid->bytes);
    }
    if (s.type != ShapeType::kText && half == 0) out_.reports.push_back(inspect(triangles, s.file));
    return bounds;
  }
  // In 2D a text is cut by the plane in its middle, from which its front and back must be too far
  // to be seen.
  Shape in_dimension(const Shape& s, const Frame& frame) const {
    Shape result = s;
    if (s.type != ShapeType::kText) return result;
    check(s.size > 0, "a text needs a size > 0");
    if (out_.dimension == 2) result.depth = 10 * dx_ / (frame.scale * s.scale);
    check(result.depth > 0, "a text needs a depth > 0");
    return result;
  }

  // As it is at time 0; what it becomes is for those who ask for `deforming`.
  Bounds mesh_sequence(const Shape& s, const Frame& frame) {
    check(out_.dimension == 3, "a mesh_sequence needs dimension = 3");
    check(s.fps > 0, "a mesh_sequence needs fps > 0");
    const auto sequence = cached_sequence(s);
    const TriangleMesh first{sequence->vertices[0], sequence->triangles};
    const Frame own = frame.then(placement(s, scale_of(s, first)));
    const double voxel = 0.5 * dx_ / own.scale;
    const double half = around(s, frame, own.scale, kFarthest);
    out_.deforming =
        std::make_shared<const DeformingGrid>(s, voxel, half, own.scale * own.rotation);
    const DeformingGrid& grid = *out_.deforming;
    const Vector a = vec(grid.index_min()), b = vec(grid.index_max()), origin = vec(grid.origin());
    const Bounds bounds = leaf(SdfOp::kDeforming, own, origin + 0.5 * voxel * (a + b),
                               Matrix::identity(), {}, 0.5 * voxel * (b - a));
    set_grid(own, grid.origin(), grid.index_min(), grid.index_max(),
             outline_ ? GridBytes() : grid.at_rest(0));
    return bounds;
  }

  Bounds height_field(const Shape& s, const Frame& frame) {
    const HeightGrid grid = bake_heights(s, out_.dimension, 0.5 * dx_ / frame.scale);
    check(grid.highest - grid.lowest <= std::numeric_limits<float>::max(),
          "its heights differ by more than single precision holds");
    const double steepest = grid.steepest(), bottom = s.base.value_or(grid.lowest);
    const Vector low = {{s.min[0], bottom, s.min[2]}}, high = {{s.max[0], grid.highest, s.max[2]}};
    const Bounds bounds = leaf(SdfOp::kHeightField, frame, 0.5 * (low + high), Matrix::identity(),
                               {grid.spacing_x, grid.spacing_z}, flat(0.5 * (high - low)));
    SdfInstruction<double>& in = out_.code.back();
    in.origin = frame({{grid.min_x, grid.lowest, grid.min_z}});
    in.parameter[2] = frame.scale;
    in.parameter[3] = 1 / std::sqrt(1 + steepest * steepest);
    in.parameter[4] = s.base ? frame.scale * (grid.lowest - bottom) : -1;
    in.mesh_offset = static_cast<std::int64_t>(out_.meshes.size());
    const auto band = outline_ ? std::make_shared<const HeightBand>()
                               : cached_height_band(grid, 0.5 * dx_ / frame.scale);
    in.parameter[5] = 0.5 * dx_;
    in.parameter[6] = frame.scale * band->bottom;
    append_heights(grid, band->bytes);
    return s.base ? bounds : endless(frame.scale * (grid.highest - grid.lowest));
  }

  void append_heights(const HeightGrid& grid, const GridBytes& band) {
    HeightFieldHeader header{grid.columns, grid.rows, 0};
    const std::vector<float> heights(grid.height.begin(), grid.height.end());
    const std::size_t begin = out_.meshes.size(), bytes = heights.size() * sizeof(float);
    const std::size_t padded =
        (bytes + kMeshGridAlignment - 1) / kMeshGridAlignment * kMeshGridAlignment;
    if (!band.empty()) header.band = static_cast<std::int64_t>(sizeof header + padded);
    out_.meshes.resize(begin + sizeof header + padded);
    std::memcpy(&out_.meshes[begin], &header, sizeof header);
    std::memcpy(&out_.meshes[begin + sizeof header], heights.data(), bytes);
    out_.meshes.insert(out_.meshes.end(), band.begin(), band.end());
  }

  static void combine(Bounds& a, const Bounds& b, ShapeType type) {
    if (type == ShapeType::kDifference) return;
    const bool grow = type == ShapeType::kUnion;
    for (int i = 0; i < 3; ++i) {
      a.min[i] = grow ? std::min(a.min[i], b.min[i]) : std::max(a.min[i], b.min[i]);
      a.max[i] = grow ? std::max(a.max[i], b.max[i]) : std::min(a.max[i], b.max[i]);
    }
  }

  Bounds boolean(const Shape& s, const Frame& frame, int below) {
    check(s.children.size() >= 2, "a union, intersection or difference needs two or more children");
    const SdfOp op = s.type == ShapeType::kUnion          ? SdfOp::kUnion
                     : s.type == ShapeType::kIntersection ? SdfOp::kIntersection
                                                          : SdfOp::kDifference;
    Bounds bounds = compile(s.children[0], frame, below);
    for (std::size_t i = 1; i < s.children.size(); ++i) {
      combine(bounds, compile(s.children[i], frame, below + 1), s.type);
      SdfInstruction<double> in{};
      in.op = op;
      out_.code.push_back(in);
    }
    return bounds;
  }

  CompiledShape& out_;
  double dx_;
  bool outline_;  // distances of meshes and steep ground are not made
};

CompiledShape compile(const Shape& shape, int dimension, double dx, bool outline) {
  if (!(dx > 0)) fail("shape: the grid spacing must be > 0");
  CompiledShape result;
  result.dimension = dimension;
  result.place = shape.place;
  const Bounds bounds = [&] {
    try {
      const Bounds of_all = Compiler(result, dx, outline).compile(shape, {}, 0);
      if (result.deforming && result.code.size() > 1)
        fail("shape: a mesh_sequence is the whole shape of a collider, in no boolean");
      return of_all;
    } catch (const Error& error) {
      throw Error(error.category(), shape.place.text + error.what());
    }
  }();
  for (int i = 0; i < 3; ++i) {
    result.min[i] = bounds.min[i];
    result.max[i] = bounds.max[i];
  }
  return result;
}

}  // namespace

CompiledShape compile_shape(const Shape& shape, int dimension, double dx) {
  return compile(shape, dimension, dx, false);
}

CompiledShape outline_shape(const Shape& shape, int dimension, double dx) {
  return compile(shape, dimension, dx, true);
}

}  // namespace firn
