// The counts that benchmarks compare with: a number that counts, operations of the transfers'
// building blocks by hand, bytes of a step by hand.
#include "src/measure/operation_count.h"

#include <gtest/gtest.h>

#include "kernels/transfer/gather.h"
#include "kernels/transfer/scatter.h"
#include "src/measure/counted.h"
#include "src/measure/floors.h"
#include "src/measure/step_counts.h"

namespace firn {
namespace {

template <class Action>
std::int64_t operations_of(Action&& action) {
  const std::int64_t before = Counted::operations;
  action();
  return Counted::operations - before;
}

Scene scene_of(int dimension, int kernel, TransferType transfer, MaterialModel model) {
  Scene scene;
  scene.simulation.dimension = dimension;
  scene.transfer.type = transfer;
  scene.transfer.kernel = kernel;
  if (kernel == 1) scene.transfer.force = ForceForm::kGradient;
  scene.grid.dx = 0.01;
  Material material;
  material.name = "test";
  material.model = model;
  material.density = 1000;
  material.youngs_modulus = 1e5;
  material.poisson_ratio = 0.3;
  material.bulk_modulus = 1e5;
  material.yield_stress = 1e3;
  scene.materials = {material};
  return scene;
}

Snapshot one_particle(int d, float stretch) {
  Snapshot s;
  s.dimension = d;
  s.id = {0};
  s.material = {0};
  s.deformation_gradient.assign(static_cast<std::size_t>(d * d), 0.0f);
  for (int a = 0; a < d; ++a) s.deformation_gradient[static_cast<std::size_t>(a * (d + 1))] = 1;
  s.deformation_gradient[0] = stretch;
  return s;
}

TEST(OperationCount, NumbersCountTheirOperations) {
  const Counted a = 2, b = 3;
  Counted result;
  EXPECT_EQ(operations_of([&] { result = (a + b) * a - b / a; }), 4);
  EXPECT_FLOAT_EQ(result.value, 8.5f);
  EXPECT_EQ(operations_of([&] { result = fma(a, b, sqrt(a)); }), 3);
  EXPECT_EQ(operations_of([&] { result = exp(a) + log(b); }), Counted::kExp + Counted::kLog + 1);
  EXPECT_EQ(operations_of([&] { result = select(a < b, -a, max(abs(b), a)); }), 0);
}

// 27 nodes: a weight, a multiply-add of a node, and its scaled sum; 9 rows: a node and a weight; 3
// planes: a node. A node is 4 numbers.
TEST(OperationCount, QuadraticAffineScatterByHand) {
  Stencil<3, 2, Counted> s{};
  Node<Counted> tile[6 * 6 * 6], Q[3];
  const auto add = [](Node<Counted>& node, Counted w, const Node<Counted>& value) {
    node += w * value;
  };
  EXPECT_EQ(operations_of([&] { scatter_affine<6>(s, Node<Counted>::zero(), Q, tile, add); }),
            27 * (1 + 8 + 8) + 9 * (8 + 1) + 3 * 8);
}

// 2 sums of nodes in a row, 3 over the rows, 4 over the planes.
TEST(OperationCount, QuadraticAffineGatherByHand) {
  Stencil<3, 2, Counted> s{};
  Node<Counted> tile[6 * 6 * 6], out[4];
  EXPECT_EQ(
      operations_of([&] { gather_affine<6>(s, &AxisStencil<2, Counted>::linear, tile, out); }),
      8 * (27 * 2 + 9 * 3 + 3 * 4));
}

TEST(OperationCount, TransfersHoldTheirBuildingBlocks) {
  const auto apic = count_transfer(scene_of(3, 2, TransferType::kApic, MaterialModel::kSnow));
  EXPECT_GT(apic.p2g, 564);
  EXPECT_GT(apic.g2p, 744);
  // Stencils, mass times coefficients, force and motion: less than the loops over nodes.
  EXPECT_LT(apic.p2g, 2 * 564);
  EXPECT_LT(apic.g2p, 2 * 744);
}

TEST(OperationCount, MoreNodesAndModesCostMore) {
  for (const int d : {2, 3}) {
    const auto count = [&](int kernel, TransferType transfer) {
      return count_transfer(scene_of(d, kernel, transfer, MaterialModel::kFixedCorotated));
    };
    for (const int kernel : {2, 3}) {
      const auto coarse = count(kernel - 1, TransferType::kPolypic),
                 apic = count(kernel, TransferType::kApic),
                 polypic = count(kernel, TransferType::kPolypic);
      EXPECT_LT(coarse.p2g, polypic.p2g);
      EXPECT_LT(coarse.g2p, polypic.g2p);
      EXPECT_LT(apic.p2g, polypic.p2g);
      EXPECT_LT(apic.g2p, polypic.g2p);
    }
  }
}

TEST(OperationCount, LawsCostWhatTheStateMakesThemDo) {
  const auto count = [](MaterialModel model, float stretch) {
    return count_constitutive(scene_of(3, 2, TransferType::kApic, model), one_particle(3, stretch));
  };
  EXPECT_LT(count(MaterialModel::kWeaklyCompressible, 1), count(MaterialModel::kNeoHookean, 1));
  EXPECT_LT(count(MaterialModel::kNeoHookean, 1.01f), count(MaterialModel::kStvkHencky, 1.01f));
  // Beyond the yield surface F is composed anew, from three exponentials.
  EXPECT_GE(count(MaterialModel::kVonMises, 1.2f),
            count(MaterialModel::kStvkHencky, 1.2f) + 3 * Counted::kExp);
  EXPECT_EQ(count_constitutive(scene_of(3, 2, TransferType::kApic, MaterialModel::kSnow), {}), 0);
}

// One particle in one block: the part of the particle and the part of the block by hand.
TEST(OperationCount, BytesByHand) {
  Scene scene = scene_of(3, 2, TransferType::kApic, MaterialModel::kFixedCorotated);
  scene.simulation.fused = false;
  const StepCounts counts = count_step(scene, 1, false, one_particle(3, 1));
  const auto bytes = [&](StepStage s) { return counts[static_cast<std::size_t>(s)].bytes; };
  const double chunk = 0.5, nodes = 64 * 16;
  EXPECT_DOUBLE_EQ(bytes(StepStage::kP2G), chunk + 4 * (3 + 3 + 9 + 6 + 1) + 3 * nodes);
  EXPECT_DOUBLE_EQ(bytes(StepStage::kGrid), 2 * nodes + 8);
  EXPECT_DOUBLE_EQ(bytes(StepStage::kG2P), chunk + 4 * (3 + 3 + 3 + 9 + 9) + nodes);
  EXPECT_DOUBLE_EQ(bytes(StepStage::kConstitutive), chunk + 4 * (9 + 2 * 9 + 1 + 6));
  // A CUDA backend copies back what the CPU swaps: here the coefficients and F.
  const StepCounts cuda = count_step(scene, 1, true, one_particle(3, 1));
  EXPECT_DOUBLE_EQ(cuda[0].bytes - counts[0].bytes, 4 * 2 * (9 + 9));
}

TEST(OperationCount, FusedBytesByHand) {
  const Scene scene = scene_of(3, 2, TransferType::kApic, MaterialModel::kFixedCorotated);
  const StepCounts all = count_step(scene, 1, false, one_particle(3, 1), {0, 1});
  const auto bytes = [&](StepStage s) { return all[static_cast<std::size_t>(s)].bytes; };
  const double chunk = 0.5, nodes = 64 * 16;
  EXPECT_EQ(bytes(StepStage::kRebuild), 0);
  EXPECT_EQ(bytes(StepStage::kP2G), 0);
  EXPECT_DOUBLE_EQ(bytes(StepStage::kGrid), 3 * nodes + 8);
  EXPECT_DOUBLE_EQ(bytes(StepStage::kFused), chunk + 4 * (2 * (3 + 9) + 2) + 3 * nodes);
  // A step apart stores v, coefficients and stress instead of scattering.
  const StepCounts apart = count_step(scene, 1, false, one_particle(3, 1), {1, 0});
  EXPECT_DOUBLE_EQ(apart.back().bytes, chunk + 4 * (2 * (3 + 9) + 2 + 3 + 9 + 6) + nodes);
  EXPECT_EQ(all.back().operations, apart.back().operations + apart[1].operations);
  // A layout between fused steps moves x, F, mass, volume and ids once; another one moves all
  // channels to the spare and back, and reads the order for every two components.
  const StepCounts moved = count_step(scene, 1, false, one_particle(3, 1), {1, 1});
  const double all_channels = 3 + 3 + 9 + 9 + 6 + 1 + 1, passes = 2 + 2 + 5 + 5 + 3 + 1 + 1;
  EXPECT_DOUBLE_EQ(apart[0].bytes - moved[0].bytes,
                   4 * (4 * (all_channels + 1) - 2 * (3 + 9 + 1 + 1 + 1) + passes));
}

TEST(OperationCount, FloorIsTheSlowerOfTheTwo) {
  const Floors floors{10, 100};
  EXPECT_DOUBLE_EQ(floors.seconds(20, 100), 2);
  EXPECT_DOUBLE_EQ(floors.seconds(20, 400), 4);
}

// One core does more than an operation in five cycles of 1 GHz and less than 128 per cycle of
// 8 GHz: the chains are neither serialised nor optimised away.
TEST(OperationCount, MeasuredFloorsArePlausible) {
  const Floors floors = measure_floors(Precision::kSingle, {Device::kCpu, 1});
  EXPECT_GT(floors.operations_per_second, 2e8);
  EXPECT_LT(floors.operations_per_second, 1e12);
  EXPECT_GT(floors.bytes_per_second, 1e8);
}

}  // namespace
}  // namespace firn
