#include "src/surface/ellipsoids.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/exec/parallel_for.h"
#include "kernels/math/pack.h"
#include "kernels/math/symmetric_eigen.h"

namespace firn {
namespace {

using Lanes = Pack<float>;
constexpr int kLanes = static_cast<int>(Lanes::size());

// Along each axis, of neighbours in the midst of a uniform mass that have the weights 1 - r^2 of a
// unit ball: <r^2> / 3 = B(5/2, 2) / B(3/2, 2) / 3.
constexpr float kMassVariance = 1.0f / 7;

Lanes load(const float* from) { return Lanes(from, stdx::element_aligned); }
// The inverse squares of the semi-axes, about the axes of a covariance (in squares of the reach).
Mat<Lanes, 3> form_of(const Mat<Lanes, 3>& covariance, float spacing) {
  const Lanes longest(EllipsoidFit::kLongest * spacing),
      shortest(EllipsoidFit::kShortest * spacing);
  Mat<Lanes, 3> Q;
  Vec<Lanes, 3> variance;
  symmetric_eigen(covariance, Q, variance);
  Mat<Lanes, 3> scaled = Q;  // columns over the squares of the semi-axes
  for (int a = 0; a < 3; ++a) {
    const Lanes wide = sqrt(max(variance[a], Lanes(0.0f)) * Lanes(1 / kMassVariance));
    const Lanes axis = min(max(longest * wide, shortest), longest);
    for (int i = 0; i < 3; ++i) scaled(i, a) = Q(i, a) / (axis * axis);
  }
  return scaled * transpose(Q);
}

}  // namespace

static_assert(EllipsoidFit::kWidth % kLanes == 0);

// Some particles of a cell, relative to its middle, so that single precision has the digits. Places
// behind the last one are copies of it.
struct EllipsoidFit::Block {
  std::uint32_t first;
  int count;
  std::array<std::uint32_t, Cells::kStencil> around;
  Vec<double, 3> middle;
  float x[kWidth], y[kWidth], z[kWidth];

  SurfacePoint relative(const SurfacePoint& p) const {
    return {static_cast<float>(p.x - middle[0]), static_cast<float>(p.y - middle[1]),
            static_cast<float>(p.z - middle[2])};
  }
  std::uint32_t particle(int i) const {
    return first + static_cast<std::uint32_t>(std::min(i, count - 1));
  }
};

template <class F>
void EllipsoidFit::for_blocks(const std::vector<char>& wanted, F&& f) const {
  parallel_for(cells_.occupied(), 0, [&](std::uint32_t cell) {
    if (!wanted[cell]) return;
    Block block;
    const std::uint32_t node = cells_.node_of_region(cell);
    block.around = cells_.around(node);
    block.middle = cells_.position_of(node);
    for (block.first = cells_.begin(cell); block.first < cells_.end(cell); block.first += kWidth) {
      block.count =
          static_cast<int>(std::min<std::uint32_t>(kWidth, cells_.end(cell) - block.first));
      for (int i = 0; i < kWidth; ++i) {
        const SurfacePoint p = block.relative(points_[block.particle(i)]);
        block.x[i] = p.x, block.y[i] = p.y, block.z[i] = p.z;
      }
      f(block);
    }
  });
}

template <class F>
void EllipsoidFit::for_neighbours(const Block& block, F&& f) const {
  for (const std::uint32_t cell : block.around)
    for (std::uint32_t k = cell == KeyTable::kNone ? 0 : cells_.begin(cell);
         cell != KeyTable::kNone && k < cells_.end(cell); ++k)
      f(k);
}

EllipsoidFit::EllipsoidFit(const Cells& cells, const std::vector<SurfacePoint>& points,
                           const std::vector<float>& volumes, double spacing,
                           const std::vector<char>& wanted)
    : cells_(cells),
      points_(points),
      volumes_(volumes),
      spacing_(static_cast<float>(spacing)),
      reach_(kNeighbours * spacing_),
      ellipsoids_(points.size()) {
  for (std::size_t i = 0; i < points.size(); ++i) ellipsoids_[i].center = points[i];
  for_blocks(wanted, [&](const Block& block) { fit(block); });
  for_blocks(wanted, [&](const Block& block) { place(block); });
  for_blocks(wanted, [&](const Block& block) { weigh(block); });
}

// Of the covariance of the neighbours the axes, and as long semi-axes as it is wide.
void EllipsoidFit::fit(const Block& block) {
  float weight[kWidth] = {}, x[kWidth] = {}, y[kWidth] = {}, z[kWidth] = {};
  float xx[kWidth] = {}, yy[kWidth] = {}, zz[kWidth] = {};
  float xy[kWidth] = {}, yz[kWidth] = {}, zx[kWidth] = {};
  const float scale = 1 / reach_;
  for_neighbours(block, [&](std::uint32_t k) {
    const SurfacePoint p = block.relative(points_[k]);
    for (int i = 0; i < kWidth; ++i) {
      const float a = (p.x - block.x[i]) * scale, b = (p.y - block.y[i]) * scale,
                  c = (p.z - block.z[i]) * scale;
      const float w = std::max(0.0f, 1 - (a * a + b * b + c * c));
      weight[i] += w;
      x[i] += w * a, y[i] += w * b, z[i] += w * c;
      xx[i] += w * a * a, yy[i] += w * b * b, zz[i] += w * c * c;
      xy[i] += w * a * b, yz[i] += w * b * c, zx[i] += w * c * a;
    }
  });
  for (int first = 0; first < kWidth; first += kLanes) {
    const Lanes part = Lanes(1.0f) / load(&weight[first]);
    const Lanes u = load(&x[first]) * part, v = load(&y[first]) * part, w = load(&z[first]) * part;
    Mat<Lanes, 3> C;
    C(0, 0) = load(&xx[first]) * part - u * u;
    C(1, 1) = load(&yy[first]) * part - v * v;
    C(2, 2) = load(&zz[first]) * part - w * w;
    C(0, 1) = C(1, 0) = load(&xy[first]) * part - u * v;
    C(1, 2) = C(2, 1) = load(&yz[first]) * part - v * w;
    C(2, 0) = C(0, 2) = load(&zx[first]) * part - w * u;
    const Mat<Lanes, 3> M = form_of(C, spacing_);
    for (int i = 0; i < kLanes && first + i < block.count; ++i) {
      Ellipsoid& own = ellipsoids_[block.particle(first + i)];
      own.xx = M(0, 0)[i], own.yy = M(1, 1)[i], own.zz = M(2, 2)[i];
      own.xy = 2 * M(0, 1)[i], own.yz = 2 * M(1, 2)[i], own.zx = 2 * M(2, 0)[i];
    }
  }
}

// The ellipsoids of a block's particles, side by side.
struct EllipsoidFit::Forms {
  float xx[kWidth], yy[kWidth], zz[kWidth], xy[kWidth], yz[kWidth], zx[kWidth];

  float within(int i, float a, float b, float c) const {  // 1 at the centre, 0 outside
    return std::max(0.0f, 1 - a * (xx[i] * a + xy[i] * b) - b * (yy[i] * b + yz[i] * c) -
                              c * (zz[i] * c + zx[i] * a));
  }
};

EllipsoidFit::Forms EllipsoidFit::forms_of(const Block& block) const {
  Forms forms;
  for (int i = 0; i < kWidth; ++i) {
    const Ellipsoid& own = ellipsoids_[block.particle(i)];
    forms.xx[i] = own.xx, forms.yy[i] = own.yy, forms.zz[i] = own.zz;
    forms.xy[i] = own.xy, forms.yz[i] = own.yz, forms.zx[i] = own.zx;
  }
  return forms;
}

// A particle moves to the mean of the neighbours within its own ellipsoid, which takes the noise of
// their places off a surface: along it all count, across it hardly any, so that a sheet of two
// particles keeps both.
void EllipsoidFit::place(const Block& block) {
  const Forms forms = forms_of(block);
  float weight[kWidth] = {}, x[kWidth] = {}, y[kWidth] = {}, z[kWidth] = {};
  for_neighbours(block, [&](std::uint32_t k) {
    const SurfacePoint p = block.relative(points_[k]);
    for (int i = 0; i < kWidth; ++i) {
      const float a = p.x - block.x[i], b = p.y - block.y[i], c = p.z - block.z[i];
      const float w = forms.within(i, a, b, c);
      weight[i] += w;
      x[i] += w * a, y[i] += w * b, z[i] += w * c;
    }
  });
  for (int i = 0; i < block.count; ++i) {
    const float length = std::sqrt(x[i] * x[i] + y[i] * y[i] + z[i] * z[i]);
    const float most = kMostShift * spacing_ * weight[i];
    const float part = (length > most ? most / length : 1) / weight[i];
    const SurfacePoint& p = points_[block.particle(i)];
    ellipsoids_[block.particle(i)].center = {p.x + part * x[i], p.y + part * y[i],
                                             p.z + part * z[i]};
  }
}

// A particle's volume over what of all volume is about it as its own kernel sees it. Kernels then
// sum to about one wherever there are particles, also where these have been drawn apart.
void EllipsoidFit::weigh(const Block& block) {
  const Forms forms = forms_of(block);
  float x[kWidth], y[kWidth], z[kWidth], sum[kWidth] = {};
  for (int i = 0; i < kWidth; ++i) {
    const SurfacePoint p = block.relative(ellipsoids_[block.particle(i)].center);
    x[i] = p.x, y[i] = p.y, z[i] = p.z;
  }
  for_neighbours(block, [&](std::uint32_t k) {
    const SurfacePoint p = block.relative(ellipsoids_[k].center);
    const float volume = volumes_[k];
    for (int i = 0; i < kWidth; ++i) {
      const float t = forms.within(i, p.x - x[i], p.y - y[i], p.z - z[i]);
      sum[i] += volume * (t * t);
    }
  });
  for (int i = 0; i < block.count; ++i) {
    const std::uint32_t particle = block.particle(i);
    ellipsoids_[particle].weight = volumes_[particle] / sum[i];
  }
}

}  // namespace firn
