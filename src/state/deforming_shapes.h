// Colliders that change their shape, on a device: what stands there is that of the interval between
// two meshes of a sequence in which steps are made. It is replaced between two steps, and follows
// from the scene and the time alone, so that a resumed run sees the same bits.
#pragma once

#include <algorithm>
#include <future>
#include <limits>
#include <list>
#include <memory>
#include <optional>

#include "kernels/exec/buffer.h"
#include "kernels/exec/in_parallel.h"
#include "src/scene/shapes.h"

namespace firn {

// The samples of one mesh_sequence. Their place and size stay the same through a run, as steps that
// were captured need it.
template <class Exec>
class DeformingShape {
 public:
  DeformingShape(Exec& exec, const CompiledShape& shape)
      : grid_(shape.deforming), bytes_(exec, grid_->most_bytes()) {
    bytes_.upload(std::span<const std::byte>(shape.meshes));
  }
  DeformingHeader* header() { return reinterpret_cast<DeformingHeader*>(bytes_.data()); }
  const Buffer<Exec, std::byte>& samples() const { return bytes_; }

  // Of its surface while that stands, m/s.
  double fastest() const { return fastest_; }
  // Where nothing runs: brings in what steps from `time` (s) on need, and returns until when.
  double show(double time) {
    const SequenceInterval now = grid_->interval(time);
    if (now == shown_) return now.end;
    const GridBytes bytes = take(now);
    bytes_.upload(std::span<const std::byte>(bytes));
    shown_ = now;
    fastest_ = grid_->fastest(now);
    if constexpr (Exec::kIsCuda)
      if (now.end < std::numeric_limits<double>::infinity()) prepare(grid_->interval(now.end));
    return now.end;
  }

 private:
  static GridBytes made(const DeformingGrid& grid, const SequenceInterval& interval) {
    return grid.fill(interval, [](std::size_t n, const std::function<void(std::size_t)>& f) {
      in_parallel(n, f);
    });
  }
  GridBytes take(const SequenceInterval& interval) {
    if (next_.valid()) {
      GridBytes bytes = next_.get();
      if (next_interval_ == interval) return bytes;
    }
    return made(*grid_, interval);
  }
  // Beside the steps until then, which leave the host's cores alone.
  void prepare(const SequenceInterval& interval) {
    next_interval_ = interval;
    next_ =
        std::async(std::launch::async, [grid = grid_, interval] { return made(*grid, interval); });
  }

  std::shared_ptr<const DeformingGrid> grid_;
  Buffer<Exec, std::byte> bytes_;
  std::optional<SequenceInterval> shown_, next_interval_;
  double fastest_ = 0;
  std::future<GridBytes> next_;
};

// Those of a scene.
template <class Exec>
class DeformingShapes {
 public:
  DeformingShape<Exec>& add(Exec& exec, const CompiledShape& shape) {
    return shapes_.emplace_back(exec, shape);
  }
  bool empty() const { return shapes_.empty(); }
  double show(double time) {
    double until = std::numeric_limits<double>::infinity();
    for (DeformingShape<Exec>& shape : shapes_) until = std::min(until, shape.show(time));
    return until;
  }
  double fastest() const {
    double fastest = 0;
    for (const DeformingShape<Exec>& shape : shapes_) fastest = std::max(fastest, shape.fastest());
    return fastest;
  }
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const DeformingShape<Exec>& shape : shapes_) sum += shape.samples().bytes();
    return sum;
  }

 private:
  std::list<DeformingShape<Exec>> shapes_;
};

}  // namespace firn
