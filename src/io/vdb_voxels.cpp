#include "src/io/vdb_voxels.h"

#include <fmt/format.h>

#include <cmath>

#include "firn/error.h"

namespace firn {
namespace {

// It takes a transform of a smaller determinant for one that cannot be inverted (math/Maps.h).
constexpr double kLeastVolume = 3e-15;

}  // namespace

bool vdb_holds(double side) { return side * side * side >= kLeastVolume; }

void require_vdb_voxels(const std::string& what, double side, double dx) {
  if (vdb_holds(side)) return;
  const double least = std::cbrt(kLeastVolume);
  throw Error(ErrorCategory::kScene,
              fmt::format("{}: OpenVDB has no voxels smaller than {:.3g} m, and these would have "
                          "{:.3g} m; use another format, or a grid.dx of {:.3g} m or more, not "
                          "{:g}",
                          what, least, side, 1.01 * dx * least / side, dx));
}

}  // namespace firn
