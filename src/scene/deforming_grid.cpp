#include "src/scene/deforming_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "firn/error.h"
#include "src/scene/triangle_distance.h"
#include "src/scene/winding_number.h"

namespace firn {
namespace {

using Vector = Vec<double, 3>;

constexpr float kBand = 6;      // voxels = 3 grid cells: kernels ask no farther from the surface
constexpr double kKeyStep = 2;  // voxels = one cell that a vertex moves from key to key at most
constexpr double kMostBlocks = 1 << 24;
constexpr std::size_t kMostBytes = std::size_t{4} << 30;
// From the middle of a block to its sides.
constexpr double kHalfSide = 0.5 * kDeformingCells;

Vector vec(const Vec3& a) { return {{a[0], a[1], a[2]}}; }

std::size_t aligned(std::size_t bytes) {
  return (bytes + kMeshGridAlignment - 1) / kMeshGridAlignment * kMeshGridAlignment;
}

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorCategory::kScene, message); }

}  // namespace

// The mesh at one key, asked for the samples of a block.
class DeformingGrid::Key {
 public:
  Key(const TriangleMesh& mesh, double half, double side, const std::vector<Vec3>& velocities)
      : tree_(mesh), mesh_(mesh), half_(half), side_(side), velocities_(velocities) {}

  bool is_inside(const Vector& x) const { return half_ == 0 && side_ * tree_.at(x) > 0.5; }

  // By cubes of 3^3 samples, which share the triangles that may be nearest to one of them.
  void sample(const Vector& origin, float* distance, float* velocity) const {
    Block block{origin, distance, velocity, {}};
    std::vector<WindingNumber::Nearest> candidates;
    for (int z = 1; z < kDeformingSide; z += 3)
      for (int y = 1; y < kDeformingSide; y += 3)
        for (int x = 1; x < kDeformingSide; x += 3) {
          const Vector middle = origin + Vector{{double(x), double(y), double(z)}};
          const double reach = half_ + double(kBand) + kCubeRadius;
          const double near = tree_.nearest(middle, reach);
          candidates.clear();
          if (near < reach) tree_.collect(middle, near + 2 * kCubeRadius, candidates);
          for (int i = 0; i < 27; ++i)
            sample({x - 1 + i % 3, y - 1 + i / 3 % 3, z - 1 + i / 9}, middle, candidates, block);
        }
  }

 private:
  static constexpr double kCubeRadius = 1.7320508075688774;  // from its middle to its corners
  struct Block {
    Vector origin;
    float *distance, *velocity;
    std::array<double, kDeformingSamples> away;  // from the triangles, at most as far as the band
  };
  using Place = std::array<int, 3>;

  // `candidates` lie by their distance from `middle`, next to which the place is.
  void sample(const Place& place, const Vector& middle,
              const std::vector<WindingNumber::Nearest>& candidates, Block& block) const {
    const Vector at = block.origin + Vector{{double(place[0]), double(place[1]), double(place[2])}};
    const double aside = norm(at - middle);
    WindingNumber::Nearest nearest{half_ + double(kBand), WindingNumber::kNone};
    for (const WindingNumber::Nearest& candidate : candidates) {
      if (candidate.distance - aside >= nearest.distance) break;
      tree_.consider(candidate.triangle, at, nearest);
    }
    const int i = place[0] + kDeformingSide * (place[1] + kDeformingSide * place[2]);
    const double away = block.away[static_cast<std::size_t>(i)] = nearest.distance;
    const bool inside = half_ == 0 && lies_inside(place, i, at, block);
    const double d = inside ? -away : away - half_;
    block.distance[i] = static_cast<float>(std::clamp(d, double(-kBand), double(kBand)));
    const Vector v = velocity_of(nearest.triangle, at);
    for (int a = 0; a < 3; ++a) block.velocity[3 * i + a] = static_cast<float>(v[a]);
  }

  // On the side of the sample before, unless the surface can fit between them.
  bool lies_inside(const Place& place, int i, const Vector& at, const Block& block) const {
    for (int a = 0, step = 1; a < 3; ++a, step *= kDeformingSide) {
      if (place[static_cast<std::size_t>(a)] == 0) continue;
      const double both =
          block.away[static_cast<std::size_t>(i)] + block.away[static_cast<std::size_t>(i - step)];
      if (both > 1.01) return block.distance[i - step] < 0;
    }
    return is_inside(at);
  }

  // Of the point of a triangle that is nearest to x.
  Vector velocity_of(std::uint32_t triangle, const Vector& x) const {
    Vector v = Vector::zero();
    if (triangle == WindingNumber::kNone) return v;
    const auto& corners = mesh_.triangles[triangle];
    std::array<Vector, 3> offset;
    for (std::size_t k = 0; k < 3; ++k) offset[k] = vec(mesh_.vertices[corners[k]]) - x;
    const std::array<double, 3> weights = nearest_weights(offset);
    for (std::size_t k = 0; k < 3; ++k) v += weights[k] * vec(velocities_[corners[k]]);
    return v;
  }

  WindingNumber tree_;
  const TriangleMesh& mesh_;
  double half_, side_;
  const std::vector<Vec3>& velocities_;
};

void DeformingGrid::one_by_one(std::size_t n, const std::function<void(std::size_t)>& f) {
  for (std::size_t i = 0; i < n; ++i) f(i);
}

DeformingGrid::DeformingGrid(const Shape& shape, double voxel_size, double half_thickness,
                             const Mat<double, 3>& turn)
    : shape_(shape),
      sequence_(cached_sequence(shape)),
      voxel_size_(voxel_size),
      half_(half_thickness / voxel_size),
      turn_(turn) {
  const TriangleMesh first{sequence_->vertices[0], sequence_->triangles};
  if (half_ == 0) {
    const MeshReport report = inspect(first, shape.file);
    inside_out_ = report.inside_out;
    if (!report.watertight)
      fail(shape.file +
           ": the meshes of the sequence do not enclose a solid; close them, or use solid = "
           "\"shell\" with a thickness");
  }
  Vec3 low = sequence_->vertices[0][0], high = low;
  for (const std::vector<Vec3>& mesh : sequence_->vertices)
    for (const Vec3& x : mesh)
      for (std::size_t a = 0; a < 3; ++a)
        low[a] = std::min(low[a], x[a]), high[a] = std::max(high[a], x[a]);
  const double margin = half_ + double(kBand) + 1;
  double all = 1;
  for (std::size_t a = 0; a < 3; ++a) {
    const double length = (high[a] - low[a]) / voxel_size;
    const double cells = std::ceil((length + 2 * margin) / kDeformingCells);
    all *= cells;
    if (!(all <= kMostBlocks))
      fail(fmt::format(
          "{}: the sequence moves through more than {:g} blocks of {} voxels; check its "
          "units, or use size, scale or a larger grid.dx",
          shape.file, kMostBlocks, kDeformingCells));
    blocks_[a] = static_cast<std::int32_t>(cells);
    origin_[a] = low[a] - margin * voxel_size;
    index_min_[a] = margin - half_;
    index_max_[a] = margin + length + half_;
  }
}

int DeformingGrid::keys_of(const SequenceInterval& interval) const {
  if (interval.rests()) return 1;
  const std::vector<Vec3>&from = sequence_->vertices[interval.from],
        &to = sequence_->vertices[interval.to];
  double farthest = 0;
  for (std::size_t i = 0; i < from.size(); ++i)
    farthest = std::max(farthest, norm(vec(to[i]) - vec(from[i])) / voxel_size_);
  constexpr double kMostKeys = 1e6;  // more than memory holds, see most_bytes
  // Between keys farther apart than a shell is thick it would not be there.
  const double step = half_ > 0 ? std::min(half_, kKeyStep) : kKeyStep;
  return 1 + static_cast<int>(std::clamp(std::ceil(farthest / step), 1.0, kMostKeys));
}

TriangleMesh DeformingGrid::mesh_at(const SequenceInterval& interval, double part) const {
  TriangleMesh mesh{vertices_at(*sequence_, interval, part), sequence_->triangles};
  for (Vec3& x : mesh.vertices)
    for (std::size_t a = 0; a < 3; ++a) x[a] = (x[a] - origin_[a]) / voxel_size_;
  return mesh;
}

Vector DeformingGrid::centre_of(std::int32_t block) const {
  Vector centre;
  for (std::size_t a = 0; a < 3; ++a) {
    centre[static_cast<int>(a)] = kDeformingCells * (block % blocks_[a] + 0.5);
    block /= blocks_[a];
  }
  return centre;
}

// Whether a triangle comes within `band` of the cube of that half side about the origin; also where
// it comes within half of the diagonal of an eighth of that of it.
bool comes_near(const std::array<Vector, 3>& t, double half_side, double band, bool halve = true) {
  const double distance = std::sqrt(squared_distance_to_triangle(t[0], t[1], t[2]));
  if (distance <= band + half_side) return true;
  if (distance > band + std::sqrt(3.0) * half_side) return false;
  if (!halve) return true;
  const double quarter = 0.5 * half_side;
  for (int corner = 0; corner < 8; ++corner) {
    std::array<Vector, 3> from_there = t;
    for (Vector& x : from_there)
      for (int a = 0; a < 3; ++a) x[a] -= (corner >> a & 1) != 0 ? quarter : -quarter;
    if (comes_near(from_there, quarter, band, false)) return true;
  }
  return false;
}

// Blocks that the band around a triangle reaches.
void DeformingGrid::mark(const TriangleMesh& mesh, Layout& layout) const {
  const double band = half_ + double(kBand);
  for (const auto& t : mesh.triangles) {
    const Vec3 &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]];
    std::array<std::int32_t, 3> low, high;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto [least, most] = std::minmax({a[i], b[i], c[i]});
      const auto block = [&](double x) {
        const auto at = static_cast<std::int32_t>(std::floor(x / kDeformingCells));
        return std::clamp(at, 0, blocks_[i] - 1);
      };
      low[i] = block(least - band), high[i] = block(most + band);
    }
    for (std::int32_t z = low[2]; z <= high[2]; ++z)
      for (std::int32_t y = low[1]; y <= high[1]; ++y)
        for (std::int32_t x = low[0]; x <= high[0]; ++x) {
          const std::int32_t block = x + blocks_[0] * (y + blocks_[1] * z);
          std::int32_t& entry = layout.table[static_cast<std::size_t>(block)];
          if (entry >= 0) continue;
          const Vector m = centre_of(block);
          if (!comes_near({vec(a) - m, vec(b) - m, vec(c) - m}, kHalfSide, band)) continue;
          entry = static_cast<std::int32_t>(layout.kept.size());
          layout.kept.push_back(block);
        }
  }
}

DeformingGrid::Layout DeformingGrid::layout_of(const SequenceInterval& interval,
                                               const std::vector<double>& parts) const {
  Layout layout;
  layout.keys = static_cast<int>(parts.size());
  layout.table.assign(static_cast<std::size_t>(blocks_[0]) * static_cast<std::size_t>(blocks_[1]) *
                          static_cast<std::size_t>(blocks_[2]),
                      kDeformingOutside);
  for (const double part : parts) mark(mesh_at(interval, part), layout);
  return layout;
}

std::size_t DeformingGrid::bytes_of(const Layout& layout) const {
  const std::size_t samples = static_cast<std::size_t>(layout.keys) * layout.kept.size() *
                              static_cast<std::size_t>(kDeformingSamples);
  return sizeof(DeformingHeader) + aligned(layout.table.size() * sizeof(std::int32_t)) +
         aligned(samples * sizeof(float)) + aligned(3 * samples * sizeof(float));
}

std::vector<double> DeformingGrid::parts_of(const SequenceInterval& interval) const {
  const int keys = keys_of(interval);
  std::vector<double> parts{0};
  for (int k = 1; k < keys; ++k) parts.push_back(static_cast<double>(k) / (keys - 1));
  return parts;
}

std::size_t DeformingGrid::most_bytes() const {
  std::size_t most = 0;
  const std::size_t count = sequence_->vertices.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (i + 1 == count && !shape_.loop) break;
    const SequenceInterval interval{0, 1, i, (i + 1) % count};
    // The largest of what is left to allocate for a key: all blocks would be too many.
    if (keys_of(interval) > static_cast<int>(kMostBytes / (16 * kDeformingSamples)))
      fail_too_fast(i);
    most = std::max(most, bytes_of(layout_of(interval, parts_of(interval))));
    if (most > kMostBytes) fail_too_fast(i);
  }
  return most;
}

void DeformingGrid::fail_too_fast(std::size_t mesh) const {
  fail(fmt::format(
      "{}: from mesh {} to the next vertices move so far that it would take more than {} "
      "GiB to follow; export more meshes per second, or use a larger grid.dx",
      shape_.file, shape_.first + static_cast<int>(mesh), kMostBytes >> 30));
}

std::vector<Vec3> DeformingGrid::velocities(const SequenceInterval& interval) const {
  const std::vector<Vec3>&from = sequence_->vertices[interval.from],
        &to = sequence_->vertices[interval.to];
  std::vector<Vec3> result(from.size());
  if (interval.rests()) return result;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const Vector v = turn_ * ((vec(to[i]) - vec(from[i])) * (1 / (interval.end - interval.begin)));
    result[i] = {v[0], v[1], v[2]};
  }
  return result;
}

double DeformingGrid::fastest(const SequenceInterval& interval) const {
  double fastest = 0;
  for (const Vec3& v : velocities(interval))
    fastest = std::max(fastest, std::hypot(v[0], v[1], v[2]));
  return fastest;
}

GridBytes DeformingGrid::fill(const SequenceInterval& interval, const std::vector<double>& parts,
                              const Loop& loop) const {
  Layout layout = layout_of(interval, parts);
  const std::size_t kept = layout.kept.size(), of_key = kept * std::size_t{kDeformingSamples};
  GridBytes bytes(bytes_of(layout));
  DeformingHeader header;
  std::copy_n(blocks_.begin(), 3, header.blocks);
  header.kept = static_cast<std::int32_t>(kept);
  header.keys = layout.keys;
  header.band = kBand;
  if (layout.keys > 1) {
    header.begin = interval.begin;
    header.spacing = (interval.end - interval.begin) / (layout.keys - 1);
  }
  const std::size_t table_bytes = layout.table.size() * sizeof(std::int32_t);
  header.distances = static_cast<std::int64_t>(sizeof header + aligned(table_bytes));
  header.velocities =
      header.distances + static_cast<std::int64_t>(aligned(parts.size() * of_key * sizeof(float)));
  auto* distances = reinterpret_cast<float*>(bytes.data() + header.distances);
  auto* velocity = reinterpret_cast<float*>(bytes.data() + header.velocities);
  const std::vector<Vec3> of_vertices = velocities(interval);
  const double side = inside_out_ ? -1 : 1;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const TriangleMesh mesh = mesh_at(interval, parts[k]);
    const Key key(mesh, half_, side, of_vertices);
    loop(kept, [&](std::size_t i) {
      const std::size_t first = k * of_key + i * std::size_t{kDeformingSamples};
      const Vector origin = centre_of(layout.kept[i]) - Vector::filled(0.5 * kDeformingCells);
      key.sample(origin, distances + first, velocity + 3 * first);
    });
    // No surface comes near the other blocks until the next mesh.
    if (k == 0)
      loop(layout.table.size(), [&](std::size_t i) {
        std::int32_t& entry = layout.table[i];
        if (entry < 0 && key.is_inside(centre_of(static_cast<std::int32_t>(i))))
          entry = kDeformingInside;
      });
  }
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, layout.table.data(), table_bytes);
  return bytes;
}

GridBytes DeformingGrid::fill(const SequenceInterval& interval, const Loop& loop) const {
  return fill(interval, parts_of(interval), loop);
}

GridBytes DeformingGrid::at_rest(double time) const {
  const SequenceInterval now = interval(time);
  return fill(now, {now.part(time)}, one_by_one);
}

}  // namespace firn
