// Particles whose every channel is random.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "firn/simulation.h"

namespace firn::test {

inline Snapshot random_snapshot(int dimension, std::size_t particles) {
  std::mt19937 random(2013);
  std::uniform_real_distribution<float> real(-10, 10);
  const auto reals = [&](std::size_t per_particle) {
    std::vector<float> values(particles * per_particle);
    for (float& value : values) value = real(random);
    return values;
  };
  const std::size_t d = static_cast<std::size_t>(dimension);
  Snapshot s;
  s.dimension = dimension;
  for (std::size_t p = 0; p < particles; ++p) {
    s.id.push_back(static_cast<std::uint32_t>(4'000'000'000u + p));
    s.material.push_back(static_cast<std::uint16_t>(random()));
    s.body.push_back(static_cast<std::uint16_t>(random()));
    s.phase.push_back(static_cast<std::uint16_t>(random() % 2));
  }
  s.position = reals(d);
  s.velocity = reals(d);
  s.mass = reals(1);
  s.volume = reals(1);
  for (std::vector<float>* positive : {&s.mass, &s.volume})
    for (float& value : *positive) value = std::abs(value);
  s.deformation_gradient = reals(d * d);
  s.plastic_state = reals(1);
  s.pressure = reals(1);
  s.temperature = reals(1);
  s.kirchhoff_stress = reals(d * d);
  s.dx = 1;
  return s;
}

}  // namespace firn::test
