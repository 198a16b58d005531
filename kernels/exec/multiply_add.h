// Chains of multiply-adds that depend on nothing in memory: how many operations per second the
// device does at most, in the packs (CPU) or lanes (CUDA) that constitutive code runs on. The
// benchmarks' floor of arithmetic.
#pragma once

#include <cstdint>

#include "kernels/base/host_device.h"
#include "kernels/exec/backend.h"
#include "kernels/exec/launch.h"

namespace firn {

// Independent chains per pack: more than an operation's latency times its issue rate (4 cycles and
// 2 per cycle on current processors) and few enough to stay in registers.
inline constexpr int kMultiplyAddChains = 12;
inline constexpr int kMultiplyAddChunks = 8;  // of 32 lanes, per group
inline constexpr int kMultiplyAddSteps = 4096;

// Additions and multiplications of one group.
inline constexpr double kMultiplyAddOperations =
    2.0 * kMultiplyAddChains * kMultiplyAddSteps * kMultiplyAddChunks * kLanes;

// Runs `groups` groups; `sums` takes the chains' results, kMultiplyAddChunks * kLanes per group.
template <class Exec, class Real>
void multiply_add(Exec& exec, std::uint32_t groups, Real* sums);

}  // namespace firn
