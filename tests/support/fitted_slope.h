// Orders of convergence from errors.
#pragma once

#include <cmath>
#include <span>

namespace firn::test {

// Slope of log(error) against log(h) by least squares.
inline double fitted_slope(std::span<const double> h, std::span<const double> error) {
  double x = 0, y = 0, xx = 0, xy = 0;
  const auto n = static_cast<double>(h.size());
  for (std::size_t i = 0; i < h.size(); ++i) {
    const double a = std::log(h[i]), b = std::log(error[i]);
    x += a, y += b, xx += a * a, xy += a * b;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

}  // namespace firn::test
