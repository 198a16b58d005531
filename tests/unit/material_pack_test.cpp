// Packs against scalars for every law: flow is where lanes of one pack part ways.
#include <gtest/gtest.h>

#include "kernels/materials/material.h"
#include "src/state/material_params.h"
#include "tests/support/law_cases.h"
#include "tests/support/random_matrices.h"

namespace firn::test {
namespace {

// Every lane of a pack gives what the scalar gives, including lanes that flow beside lanes that do
// not. The results differ by rounding only: 64 epsilons of the modulus (times hardening, at most
// e^(10 * 0.3) here).
template <class Real, int D>
void test_pack(const Material& material) {
  using P = Pack<Real>;
  constexpr int lanes = static_cast<int>(P::size());
  const auto params = make_material_params<Real>(material, D);
  RandomMatrices<D> random(9);
  for (int k = 0; k < 50; ++k) {
    MaterialState<Real, D> scalar[lanes];
    MaterialState<P, D> packed;
    for (int l = 0; l < lanes; ++l) {
      const Mat<double, D> F =
          Mat<double, D>::identity() + random.matrix() * (l % 3 == 0 ? 0.003 : 0.06);
      start_history<Real, D>(params.model, scalar[l].history);
      if (!has_deformation(material.model))
        scalar[l].history[0] = static_cast<Real>(determinant(F) - 1);
      for (int i = 0; i < D; ++i)
        for (int j = 0; j < D; ++j) {
          scalar[l].F(i, j) = static_cast<Real>(F(i, j));
          packed.F(i, j)[l] = scalar[l].F(i, j);
        }
      for (int i = 0; i < history_capacity<D>(); ++i) packed.history[i][l] = scalar[l].history[i];
    }
    const Response<P, D> r = respond(params, packed);
    const P energy = elastic_energy(params, packed);
    for (int l = 0; l < lanes; ++l) {
      const Response<Real, D> expected = respond(params, scalar[l]);
      const Real round_off = 64 * kEpsilon<Real>;
      const Real scale = round_off * (static_cast<Real>(kModulus) + expected.wave_modulus);
      EXPECT_NEAR(r.psi[l], expected.psi, scale);
      EXPECT_NEAR(energy[l], expected.psi, scale);
      EXPECT_NEAR(r.wave_modulus[l], expected.wave_modulus, scale);
      for (int i = 0; i < history_capacity<D>(); ++i)
        EXPECT_NEAR(packed.history[i][l], scalar[l].history[i], round_off);
      for (int i = 0; i < D; ++i)
        for (int j = 0; j < D; ++j) {
          EXPECT_NEAR(r.tau(i, j)[l], expected.tau(i, j), scale);
          EXPECT_NEAR(packed.F(i, j)[l], scalar[l].F(i, j), round_off);
        }
    }
  }
}

class MaterialPack : public testing::TestWithParam<NamedMaterial> {};

TEST_P(MaterialPack, LanesEqualScalars) {
  const Material& m = GetParam().material;
  test_pack<float, 2>(m);
  test_pack<float, 3>(m);
  test_pack<double, 2>(m);
  test_pack<double, 3>(m);
}

INSTANTIATE_TEST_SUITE_P(Laws, MaterialPack, testing::ValuesIn(all_materials()),
                         [](const auto& info) {
                           std::string name = info.param.name;
                           for (char& c : name) c = std::isalnum(c) ? c : '_';
                           return name;
                         });

}  // namespace
}  // namespace firn::test
