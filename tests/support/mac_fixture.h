// The fixture of the MAC transfers' tests: that of the collocated ones, with faces.
#pragma once

#include "tests/support/mac_harness.h"
#include "tests/support/transfer_fixture.h"

namespace firn::test {

template <class S>
class MacTest : public TransferTest<S, MacHarness<typename S::Exec, S::kD, typename S::Real>> {
 public:
  static constexpr int kD = S::kD;
  using Harness = MacHarness<typename S::Exec, S::kD, typename S::Real>;

  // A random change of every face's velocity, so that the grid holds what the particles did not put
  // there.
  void kick(Harness& h) {
    h.change_velocities(
        [&](double v, int, const Vec<double, kD>&) { return v + this->uniform(-0.5, 0.5); });
  }
};

}  // namespace firn::test
