// The tracers of one simulation (kernels/liquid/tracers.h). They are made at the start and never
// sorted, so that the place in the list is the id of a tracer.
#pragma once

#include <cmath>
#include <limits>

#include "firn/simulation.h"
#include "kernels/exec/buffer.h"
#include "kernels/liquid/tracers.h"
#include "src/stages/face_transfer.h"
#include "src/state/batch.h"

namespace firn {

template <class Exec, int D, class Real>
class Tracers : public Stage<Exec, D, Real> {
 public:
  Tracers(const Scene& scene, StepContext<Exec, D, Real>& context,
          FaceTransfer<Exec, D, Real>& faces)
      : Stage<Exec, D, Real>(context), faces_(faces) {
    std::vector<Real> along[D];
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
      const std::vector<Vec3> points = fill_tracers(scene, b);
      if (points.size() > std::numeric_limits<std::uint32_t>::max() - count_)
        throw Error(ErrorCategory::kDevice, "more than 2^32 tracers are not supported");
      groups_.push_back({static_cast<std::uint32_t>(points.size()), static_cast<std::uint16_t>(b),
                         static_cast<std::uint16_t>(scene.bodies[b].material)});
      count_ += groups_.back().count;
      for (const Vec3& x : points)
        for (int a = 0; a < D; ++a)
          along[a].push_back(static_cast<Real>(x[static_cast<std::size_t>(a)]));
    }
    positions_ = Buffer<Exec, Real>(context.exec, std::size_t{count_} * D);
    for (int a = 0; a < D; ++a) positions_.upload(along[a], std::size_t{count_} * a);
  }

  void enqueue() {
    if (count_ > 0)
      advance_tracers<Exec, D, Real>(context_.exec, context_.params.bounds, context_.bodies.sinks(),
                                     context_.grid.view(), faces_.completed(), positions_.data(),
                                     count_, context_.step());
  }

  // Without those that are gone.
  Snapshot snapshot() const {
    Snapshot s;
    s.dimension = D;
    const std::vector<Real> positions = positions_.download();
    std::uint32_t i = 0;
    for (const Group& g : groups_)
      for (const std::uint32_t end = i + g.count; i < end; ++i) {
        if (is_gone(positions, i)) continue;
        s.id.push_back(i);
        s.body.push_back(g.body);
        s.material.push_back(g.material);
        for (std::size_t a = 0; a < D; ++a)
          s.position.push_back(static_cast<float>(positions[a * count_ + i]));
      }
    return s;
  }

  // Nothing is saved for a scene without tracers.
  void save(ByteWriter& out, std::uint32_t) const {
    if (count_ > 0) out.values(std::span<const Real>(positions_.download()));
  }
  void load(ByteReader& in, std::uint32_t) {
    if (count_ == 0) return;
    const auto positions = in.values<Real>();
    if (positions.size() != positions_.size())
      throw Error(ErrorCategory::kFile, "the saved state has other tracers than this scene");
    for (std::size_t k = 0; k < positions.size(); ++k)
      if (!(std::abs(positions[k]) <
            context_.params.dx * static_cast<double>(BlockTraits<D>::kMaxCell)) &&
          !is_gone(positions, k % count_))
        throw Error(ErrorCategory::kFile, "the saved state has a tracer outside the grid");
    positions_.upload(positions);
  }

  std::size_t bytes() const { return positions_.bytes(); }
  // What bytes() says of so many tracers, and what of them a saved state holds, for estimates.
  static std::size_t bytes_for(std::size_t tracers) { return tracers * D * sizeof(Real); }

 private:
  using Stage<Exec, D, Real>::context_;
  struct Group {  // of one body
    std::uint32_t count;
    std::uint16_t body, material;
  };

  bool is_gone(const std::vector<Real>& positions, std::size_t tracer) const {
    for (std::size_t a = 0; a < D; ++a)
      if (!std::isnan(positions[a * count_ + tracer])) return false;
    return true;
  }

  FaceTransfer<Exec, D, Real>& faces_;
  std::uint32_t count_ = 0;
  std::vector<Group> groups_;
  Buffer<Exec, Real> positions_;
};

}  // namespace firn
