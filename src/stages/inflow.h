// What sources bring into liquid, cell by cell (kernels/mac/inflow.h).
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "kernels/grid/update.h"
#include "kernels/mac/inflow.h"
#include "src/stages/stage.h"
#include "src/state/source_flow.h"

namespace firn {

template <class Exec, int D, class Real>
class Inflow : public Stage<Exec, D, Real> {
 public:
  Inflow(const Scene& scene, StepContext<Exec, D, Real>& context)
      : Stage<Exec, D, Real>(context),
        flows_(!scene.sources.empty()),
        work_(context.exec, flows_ ? 1 : 0) {
    work_.zero();
  }

  // From here on, where nothing runs.
  void set(const std::vector<SourceInflow>& flows) {
    context_.exec.synchronize();
    std::vector<InflowPoint<D, Real>> points;
    for (const SourceInflow& flow : flows)
      for (std::size_t i = 0; i < flow.position.size(); ++i) points.push_back(point(flow, i));
    const auto before = [](const InflowPoint<D, Real>& a, const InflowPoint<D, Real>& b) {
      for (int c = 0; c < D; ++c)
        if (a.cell[c] != b.cell[c]) return a.cell[c] < b.cell[c];
      return false;
    };
    std::stable_sort(points.begin(), points.end(), before);
    std::vector<std::uint32_t> first;
    for (std::size_t i = 0; i < points.size(); ++i)
      if (i == 0 || before(points[i - 1], points[i]))
        first.push_back(static_cast<std::uint32_t>(i));
    cells_ = static_cast<std::uint32_t>(first.size());
    first.push_back(static_cast<std::uint32_t>(points.size()));
    put(points_, std::span<const InflowPoint<D, Real>>(points));
    put(first_, std::span<const std::uint32_t>(first));
    if (table_.size() < cells_) renew(context_.exec, table_, cells_ + cells_ / 4);
  }

  // After the projection is assembled, and after it is solved.
  void feed(const MacView<Real>& mac) {
    if (cells_ > 0)
      feed_cells<Exec, D, Real>(context_.exec, context_.boundaries(), view(), context_.grid.view(),
                                mac, context_.step());
  }
  void measure_work(const MacView<Real>& mac) {
    if (cells_ > 0)
      inflow_work<Exec, D, Real>(context_.exec, context_.boundaries(), view(), context_.grid.view(),
                                 mac, context_.step());
  }
  // Once no solve can reject the step any more.
  void count_work() {
    if (cells_ == 0) return;
    add_columns(context_.exec, table_.data(), {nullptr, cells_}, 1, work_.data(),
                &context_.step()->stop);
  }

  void begin_frame() { work_.zero(); }
  void report(FrameStats& stats) { stats.source_work = flows_ ? work_.first() : 0; }
  std::size_t bytes() const {
    return points_.bytes() + first_.bytes() + table_.bytes() + work_.bytes();
  }

  // What flows in is set anew by who loads; see Simulation::Impl::load_state.
  void save(ByteWriter& out, std::uint32_t) {
    if (flows_) out.value(work_.first());
  }
  void load(ByteReader& in, std::uint32_t) {
    if (!flows_) return;
    const double work = in.value<double>();
    work_.upload(std::span<const double>(&work, 1));
  }

 private:
  using Stage<Exec, D, Real>::context_;

  InflowView<D, Real> view() { return {points_.data(), first_.data(), table_.data(), cells_}; }
  InflowPoint<D, Real> point(const SourceInflow& flow, std::size_t i) const {
    InflowPoint<D, Real> p;
    double longest = 0;
    for (std::size_t a = 0; a < D; ++a) longest = std::max(longest, std::abs(flow.direction[a]));
    for (int a = 0; a < D; ++a) {
      const auto c = static_cast<std::size_t>(a);
      const double x = flow.position[i][c];
      p.cell[a] = static_cast<int>(std::floor(x / context_.params.dx));
      p.behind[a] =
          static_cast<Real>(x - kBehind * context_.params.dx * flow.direction[c] / longest);
    }
    p.rate = static_cast<Real>(flow.rate);
    return p;
  }
  // A little room spares allocations: emissions differ by a few particles.
  template <class T>
  void put(Buffer<Exec, T>& buffer, std::span<const T> values) {
    if (buffer.size() < values.size())
      renew(context_.exec, buffer, values.size() + values.size() / 4);
    buffer.upload(values);
  }

  // Cells upstream of what has come in within half a cell: never the cell that the nozzle ends in.
  static constexpr double kBehind = 1.5;

  bool flows_;
  std::uint32_t cells_ = 0;
  Buffer<Exec, InflowPoint<D, Real>> points_;
  Buffer<Exec, std::uint32_t> first_;
  Buffer<Exec, double> table_, work_;  // of cells in a step; J, in this frame
};

}  // namespace firn
