// Where the surface of a half space lies, found from the masses that the kernels hand to nodes.
#include "kernels/grid/material_surface.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/transfer/spline.h"

namespace firn {
namespace {

using Vector = Vec<double, 2>;

// The mass that material at y <= 0 of density 1 hands to a node at height y, in cells: the weights
// themselves, summed over thin layers.
template <int Degree>
double half_space_mass(double y) {
  constexpr int kLayers = 4000;  // per cell
  double mass = 0;
  for (int i = 0; i < 5 * kLayers; ++i) {
    const double layer = -(i + 0.5) / kLayers, away = y - layer;
    if (away >= 0.5 * (Degree + 1) || away <= -0.5 * (Degree + 1)) continue;
    // The stencil of a particle at `at` reaches a node at 10.
    const auto stencil = make_stencil<2, Degree>(Vector{{10 - away, 0}}, 1.0);
    const int node = 10 - stencil.base[0];
    if (node >= 0 && node <= Degree) mass += stencil.axis[0].w[node] / kLayers;
  }
  return mass;
}

template <int Degree>
void expect_exact() {
  const double reach = 0.5 * (Degree + 1);
  for (double y = 0; y < reach - 0.1; y += 0.125) {
    const double mass = half_space_mass<Degree>(y), below = half_space_mass<Degree>(y - 1),
                 above = half_space_mass<Degree>(y + 1);
    EXPECT_NEAR(cells_from_material(0.5 * (below - above) / mass, Degree), y, 2e-3)
        << "degree " << Degree;
  }
}
TEST(MaterialSurface, OfAHalfSpaceIsExact) {
  expect_exact<1>();
  expect_exact<2>();
  expect_exact<3>();
}

TEST(MaterialSurface, LiesWhereMassGrows) {
  const double m = half_space_mass<2>(0.5), below = half_space_mass<2>(-0.5);
  const auto way = way_to_material(m, Vector{{m, below}}, Vector{{m, 0.0}}, 2);
  EXPECT_DOUBLE_EQ(way.towards[0], 0);
  EXPECT_DOUBLE_EQ(way.towards[1], -1);
  EXPECT_NEAR(way.cells, 0.5, 2e-3);
}

TEST(MaterialSurface, IsTheNodeWithinTheMaterial) {
  for (const double slope : {0.0, 0.1, 0.9}) {
    const auto way = way_to_material(1.0, Vector{{1.0, 1 + slope}}, Vector{{1.0, 1 - slope}}, 2);
    EXPECT_NEAR(way.cells, 0, 1e-3) << slope;
    EXPECT_EQ(way.towards[1], slope > 0 ? -1 : 0);
  }
}

// The mass alone tells as much where the density is known: exactly where the kernel ends, and never
// much too far.
TEST(MaterialSurface, OfKnownDensityLiesNoFarther) {
  for (double y = 0; y < 1.4; y += 0.125) {
    const double cells = cells_from_share(half_space_mass<2>(y), 2);
    EXPECT_NEAR(cells, y, y > 0.5 ? 2e-3 : 0.04);
    EXPECT_EQ(cells_from_share(0.5 + y, 2), 0);
  }
  for (double y = 0; y < 1.9; y += 0.125)
    EXPECT_NEAR(cells_from_share(half_space_mass<3>(y), 3), y, y > 1 ? 2e-3 : 0.16);
  for (double y = 0; y < 0.9; y += 0.125)
    EXPECT_NEAR(cells_from_share(half_space_mass<1>(y), 1), y, 2e-3);
}

// A node that all but nothing reaches lies as far as the kernel goes, whatever rounds.
TEST(MaterialSurface, IsFiniteForTheLeastMass) {
  const auto way =
      way_to_material(1e-38f, Vec<float, 2>{{0.0f, 1e5f}}, Vec<float, 2>{{0.0f, 0.0f}}, 2);
  EXPECT_NEAR(way.cells, 1.5f, 1e-2f);
  EXPECT_EQ(way.towards[1], -1);
}

}  // namespace
}  // namespace firn
