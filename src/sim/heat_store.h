// What the thermal step keeps beside the incompressible one, in a backend's memory: the materials'
// thermal numbers, and the sums and the heat system of the cells (kernels/thermal/).
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/exec/buffer.h"
#include "kernels/fluid/fold.h"
#include "kernels/fluid/pressure_system.h"
#include "kernels/thermal/cells.h"
#include "kernels/thermal/matter.h"
#include "src/scene/expression.h"
#include "src/sim/heat_model.h"

namespace firn {

template <class Exec, int D, class Real>
class HeatStore {
 public:
  HeatStore(Exec& exec, const Scene& scene, const HeatModel<Real>& model)
      : exec_(exec),
        materials_(exec, std::span<const ThermalMaterial<Real>>(model.materials())),
        body_temperature_(exec, std::max<std::size_t>(scene.colliders.size(), 1)) {
    set_temperatures(scene, 0);
  }

  // Nothing in it outlives a step, so a larger one starts empty.
  void reserve(std::uint32_t blocks) {
    const std::size_t cells = std::size_t{blocks} * BlockTraits<D>::kNodes;
    for (auto* nodes : {&warmth_, &matter_}) renew(*nodes, 4 * cells);
    for (auto* reals : {&sheared_, &held_, &change_, &dirichlet_, &mass_, &rhs_})
      renew(*reals, cells);
    renew(conductance_, D * cells);
    face_masks_ = {};
    face_masks_ = Buffer<Exec, std::uint32_t>(exec_, blocks * face_words());
  }

  // The temperatures of bodies, walls and air at a time.
  void set_temperatures(const Scene& scene, double time) {
    const auto at = [&](const std::optional<ScalarField>& field) {
      return field ? static_cast<Real>(FieldEvaluator(*field).scalar({}, time)) : Real(-1);
    };
    std::vector<Real> bodies(body_temperature_.size(), Real(-1));
    for (std::size_t c = 0; c < scene.colliders.size(); ++c)
      bodies[c] = at(scene.colliders[c].temperature);
    body_temperature_.upload(bodies);
    if (scene.grid.domain)
      for (std::size_t f = 0; f < 6; ++f) walls_[f] = at(scene.grid.domain->temperature[f]);
    ambient_ = at(scene.thermal.ambient);
    flip_ = static_cast<Real>(scene.thermal.temperature_flip);
  }

  void clear() {
    warmth_.zero();
    matter_.zero();
  }
  HeatView<Real> view(Real* state) {
    HeatView<Real> v;
    v.materials = materials_.data();
    v.state = state;
    v.warmth = reinterpret_cast<Node<Real>*>(warmth_.data());
    v.matter = reinterpret_cast<Node<Real>*>(matter_.data());
    v.sheared = sheared_.data();
    v.held = held_.data();
    v.change = change_.data();
    v.conductance = conductance_.data();
    v.dirichlet = dirichlet_.data();
    v.mass = mass_.data();
    v.rhs = rhs_.data();
    v.body_temperature = body_temperature_.data();
    for (std::size_t f = 0; f < 6; ++f) v.wall_temperature[f] = walls_[f];
    v.ambient = ambient_;
    v.flip = flip_;
    return v;
  }
  FaceLayers layers(int count) {
    return {face_masks_.data(), face_masks_.size() / (FaceLayers::kMax + 1), count};
  }
  // The term of order zero, of the projection first and of the heat solve afterwards.
  Real* mass() { return mass_.data(); }
  const Real* sheared() const { return sheared_.data(); }

  PressureSystem<Real> system(const GridView<Real>& grid, DeviceCount blocks) {
    return {grid.keys,    blocks,      conductance_.data(), dirichlet_.data(),
            mass_.data(), rhs_.data(), change_.data(),      grid.periodic};
  }

  // What reserve(blocks) makes bytes() of the cells, for estimates.
  static std::size_t bytes_for(std::uint32_t blocks) {
    const std::size_t reals = BlockTraits<D>::kNodes * (2 * 4 + 6 + D);
    return blocks * (reals * sizeof(Real) + face_words() * sizeof(std::uint32_t));
  }

  std::size_t bytes() const {
    std::size_t sum = materials_.bytes() + face_masks_.bytes();
    for (const auto* b : {&body_temperature_, &warmth_, &matter_, &sheared_, &held_, &change_,
                          &conductance_, &dirichlet_, &mass_, &rhs_})
      sum += b->bytes();
    return sum;
  }

 private:
  static constexpr std::size_t face_words() { return 2 * D * (FaceLayers::kMax + 1); }
  void renew(Buffer<Exec, Real>& buffer, std::size_t size) {
    buffer = {};
    buffer = Buffer<Exec, Real>(exec_, size);
    buffer.zero();
  }

  Exec& exec_;
  Buffer<Exec, ThermalMaterial<Real>> materials_;
  Buffer<Exec, Real> body_temperature_, warmth_, matter_, sheared_, held_, change_, conductance_,
      dirichlet_, mass_, rhs_;
  Buffer<Exec, std::uint32_t> face_masks_;
  std::array<Real, 6> walls_{-1, -1, -1, -1, -1, -1};
  Real ambient_ = -1, flip_ = 1;
};

}  // namespace firn
