#include "src/surface/near_fits.h"

#include <algorithm>

#include "kernels/math/mat.h"
#include "src/surface/near_sums.h"

namespace firn {

// Over the particles, of each its weight, times d, its way from the place, and v, its vector.
struct NearFits::Sums {
  Lanes weight{0.0f};
  std::array<Lanes, 3> d{}, v{};
  std::array<std::array<Lanes, 3>, 3> dd{}, dv{};  // dd: above the diagonal and on it
};

void NearFits::add(std::size_t begin, std::size_t end, const std::array<float, 3>& x,
                   Sums& sums) const {
  const Lanes places = lane_numbers(), scale(1 / (reach_ * reach_)), zero(0.0f), one(1.0f);
  for (std::size_t i = begin; i < end; i += kLanes) {
    const Lanes d[] = {row(0, i) - Lanes(x[0]), row(1, i) - Lanes(x[1]), row(2, i) - Lanes(x[2])};
    const Lanes v[] = {row(4, i), row(5, i), row(6, i)};
    const Lanes t = max(zero, one - (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) * scale);
    const Lanes w =
        select(places < Lanes(static_cast<float>(end - i)), row(3, i) * t * t * t, zero);
    sums.weight += w;
    for (int a = 0; a < 3; ++a) {
      const Lanes wd = w * d[a];
      sums.d[a] += wd;
      sums.v[a] += w * v[a];
      for (int b = a; b < 3; ++b) sums.dd[a][b] += wd * d[b];
      for (int b = 0; b < 3; ++b) sums.dv[a][b] += wd * v[b];
    }
  }
}

// With means m of d and V of v the linear function is V + G^T C^-1 (d - m), C the covariance of d
// and G that of d and v; the place is at d = 0. Of a sheet of one particle C has next to nothing
// across: the least spread that counts keeps noise from being carried outwards there, and costs a
// hundredth of what is carried out of a mass, whose half about a place has a spread of 0.03
// reach^2.
std::array<float, 3> NearFits::at(const std::array<float, 3>& x) const {
  constexpr double kLeastSpread = 3e-4;
  std::array<float, 3> result{};
  const std::uint32_t node = cells_.node_near({{x[0], x[1], x[2]}});
  if (node == KeyTable::kNone) return result;
  Sums sums;
  for (const std::uint32_t cell : cells_.around(node))
    if (cell != KeyTable::kNone) add(cells_.begin(cell), cells_.end(cell), x, sums);
  const double all = stdx::reduce(sums.weight);
  if (!(all > 0)) return result;
  const auto mean = [&](const Lanes& sum) { return double{stdx::reduce(sum)} / all; };
  Vec<double, 3> m, v;
  for (int a = 0; a < 3; ++a) m[a] = mean(sums.d[a]), v[a] = mean(sums.v[a]);
  Mat<double, 3> C, G;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      C(a, b) = mean(sums.dd[std::min(a, b)][std::max(a, b)]) - m[a] * m[b];
      G(a, b) = mean(sums.dv[a][b]) - m[a] * v[b];
    }
  for (int a = 0; a < 3; ++a) C(a, a) += kLeastSpread * double{reach_} * reach_;
  const Vec<double, 3> at_place = v - transpose(G) * (inverse(C) * m);
  for (int a = 0; a < 3; ++a) result[a] = static_cast<float>(at_place[a]);
  return result;
}

}  // namespace firn
