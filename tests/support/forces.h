// Forces of tests: one particle's as the library asks for all at once.
#pragma once

#include <functional>
#include <utility>

#include "firn/fields.h"
#include "firn/scene.h"

namespace firn::test {

// A specific force by id and time at the start of the step, N/kg.
using ForceOfOne = std::function<Vec3(std::uint32_t id, double time)>;

template <class Real>
void fill_accelerations(const ForceStep& step, const ForceOfOne& force) {
  for (std::int64_t c = 0; c < step.id.chunks; ++c)
    for (int lane = 0; lane < step.id.count(c); ++lane) {
      const Vec3 a = force(step.id.at<std::uint32_t>(c, 0, lane), step.time);
      for (int k = 0; k < step.dimension; ++k)
        step.acceleration.at<Real>(c, k, lane) = static_cast<Real>(a[static_cast<std::size_t>(k)]);
    }
}
inline Force force_of(ForceOfOne force) {
  return [force = std::move(force)](const ForceStep& step) {
    if (step.acceleration.type == ElementType::kFloat)
      fill_accelerations<float>(step, force);
    else
      fill_accelerations<double>(step, force);
  };
}

}  // namespace firn::test
