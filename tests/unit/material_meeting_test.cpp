// How two materials lie to each other at a node: flat ones, at any angle and with any gap between
// them, and rows of nodes as nodes one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/grid/material_meeting.h"

namespace firn {
namespace {

// Shares of a material that is behind the plane, `distance` from the origin towards `normal`.
template <int D>
std::vector<double> behind(const Vec<double, D>& normal, double distance, int degree) {
  std::vector<double> shares;
  for (int i = 0; i < ShareTile<D>::kNodes; ++i) {
    double along = 0;
    for (int a = 0; a < D; ++a)
      along +=
          normal[a] * (i / ShareTile<D>::stride(a) % ShareTile<D>::kSide - ShareTile<D>::kReach);
    const double whole = degree + 1, within = 0.5 * whole - (along - distance);
    shares.push_back(half_space_share(std::min(within, whole), degree));
  }
  return shares;
}

template <int D>
Vec<double, D> direction(double turn, double rise) {
  Vec<double, D> n{};
  n[0] = std::cos(turn) * std::cos(rise);
  n[1] = std::sin(turn) * std::cos(rise);
  if constexpr (D == 3) n[2] = std::sin(rise);
  return n;
}

template <int D>
void expect_planes_are_found() {
  using Tile = ShareTile<D>;
  Vec<int, D> local;
  for (int a = 0; a < D; ++a) local[a] = 1 + a;
  for (const int degree : {1, 2, 3})
    for (int t = 0; t < 12; ++t)
      for (const double gap : {0.0, 0.4, 0.8}) {
        const Vec<double, D> n = direction<D>(t * 0.21, D == 3 ? t * 0.13 : 0);
        double here = 0;
        for (int a = 0; a < D; ++a) here += n[a] * local[a];
        const double middle = here + 0.2;
        const std::vector<double> a = behind<D>(n, middle - 0.5 * gap, degree),
                                  b = behind<D>(Vec<double, D>(-n), -middle - 0.5 * gap, degree);
        const int at = Tile::index(local), first = at - local[D - 1];
        const ShareMoments<D, double> moments(&a[first], &b[first]);
        ASSERT_EQ((ShareMoments<D, double>::Row::kLanes), BlockTraits<D>::kSide);
        // A node of a row is seen as it is at the begin of one.
        const ShareMoments<D, double> alone(&a[at], &b[at]);
        const Vec<double, D> way = moments.way(local[D - 1]);
        EXPECT_LT(norm(alone.way(0) - way), 1e-12 * norm(way));
        const auto met = meeting_along<D>(way, &a[at], &b[at], degree);
        EXPECT_GT(dot(met.normal, n), std::cos(0.02)) << degree << " " << t << " " << gap;
        EXPECT_NEAR(met.cells, gap, gap < 0.5 ? 0.1 : 0.2) << degree << " " << t << " " << gap;
      }
}

TEST(MaterialMeeting, PlanesAreFoundWithTheGapBetweenThem) {
  expect_planes_are_found<2>();
  expect_planes_are_found<3>();
}

TEST(MaterialMeeting, NothingTellsANormalWhereOneIsAlone) {
  const std::vector<double> none(ShareTile<3>::kNodes, 0.0), all(ShareTile<3>::kNodes, 1.0);
  const int at = ShareTile<3>::index({1, 1, 0});
  const ShareMoments<3, double> empty(&none[at], &none[at]), even(&all[at], &all[at]);
  EXPECT_EQ(norm(empty.way(0)), 0);
  EXPECT_EQ(norm(even.way(0)), 0);
  const auto met = meeting_along<3>(empty.way(0), &none[at], &none[at], 2);
  EXPECT_EQ(norm(met.normal), 0);
  EXPECT_EQ(met.cells, 0);
}

}  // namespace
}  // namespace firn
