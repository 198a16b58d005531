// One scene stepped whole, or by partitions that each have a thread, and the bits that come of it.
#pragma once

#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "firn/simulation.h"
#include "src/integrators/explicit.h"
#include "src/run/scene_stepper.h"
#include "src/state/batch.h"
#include "tests/support/local_partition.h"

namespace firn::test {

// What a step boundary holds of one particle: material, then all components of all channels.
template <class Real>
using ParticleBits = std::vector<Real>;
template <class Real>
using StateBits = std::map<std::uint32_t, ParticleBits<Real>>;  // by id

// What a run, or one partition's part of it, gives.
template <class Real>
struct RunRecord {
  std::vector<StepControl> steps;       // the control block behind each
  std::vector<StateBits<Real>> states;  // at the marks
  std::vector<std::byte> first_state;   // as saved
  std::vector<std::size_t> within;      // likewise, of particles in a part of the scene
  std::vector<ColliderReaction> reactions;
  Totals totals;
  FrameStats stats;
  std::uint32_t first_particles = 0;
  std::int64_t grown = 0;
  PartitionTraffic traffic;
};

template <class Real>
StateBits<Real> state_bits(const std::vector<std::byte>& saved, int channels) {
  ByteReader in(saved);
  in.value<int>(), in.value<std::size_t>(), in.value<double>();
  in.value<std::uint64_t>(), in.value<std::uint64_t>();  // rank and count
  in.value<StepControl>();
  in.values<double>();  // the materials in numbers
  const auto chunks = in.values<Chunk>();
  const auto ids = in.values<std::uint32_t>();
  std::vector<std::vector<Real>> values;
  for (int c = 0; c < channels; ++c) values.push_back(in.values<Real>());
  StateBits<Real> bits;
  for (std::uint32_t slot = 0; slot < ids.size(); ++slot) {
    const Chunk& chunk = chunks[slot / kLanes];
    if (slot % kLanes >= chunk.count) continue;
    ParticleBits<Real>& particle = bits[ids[slot]];
    if (!particle.empty()) throw std::runtime_error("a particle is there twice");
    particle.push_back(static_cast<Real>(chunk.material));
    for (auto& channel : values) {
      const int n = static_cast<int>(channel.size() / ids.size());
      for (int k = 0; k < n; ++k) particle.push_back(channel_at(channel.data(), slot, n, k));
    }
  }
  return bits;
}

template <int D, class Real>
class SplitRun {
 public:
  // Looks at the state after each of these numbers of steps.
  SplitRun(Scene scene, std::vector<int> marks)
      : scene_(std::move(scene)), marks_(marks), first_bodies_(scene_.bodies.size()) {
    scene_.simulation.fused = false;
  }
  // Where the run is to be left for one from a saved state, after the first mark.
  void restart(bool on) { restarts_ = on; }
  // The scene's last body comes only after the second mark, as what a source emits does.
  void add_last_body_later() { first_bodies_ = scene_.bodies.size() - 1; }
  // Acts on a stepper before its first step.
  std::function<void(Stepper&, std::size_t rank)> prepare;

  RunRecord<Real> whole() {
    return run(0, [] { return nullptr; });
  }

  // By rank. Throws what the first partition that throws does.
  std::vector<RunRecord<Real>> split(const std::vector<std::uint64_t>& cuts) {
    const std::size_t n = cuts.size() + 1;
    Mailboxes mail(n);
    std::vector<RunRecord<Real>> records(n);
    std::vector<PartitionTraffic> traffic(n);
    errors_.assign(n, nullptr);
    std::vector<std::jthread> threads;
    for (std::size_t rank = 0; rank < n; ++rank)
      threads.emplace_back([&, rank] {
        try {
          records[rank] = run(rank, [&] {
            return std::make_unique<LocalPartition<Real>>(mail, rank, cuts, traffic[rank]);
          });
        } catch (...) {
          errors_[rank] = std::current_exception();
          mail.leave();
        }
      });
    threads.clear();
    for (const auto& error : errors_)
      if (error) std::rethrow_exception(error);
    for (std::size_t rank = 0; rank < n; ++rank) records[rank].traffic = traffic[rank];
    return records;
  }
  // What each partition threw.
  const std::vector<std::exception_ptr>& errors() const { return errors_; }

 private:
  template <class MakePart>
  RunRecord<Real> run(std::size_t rank, MakePart&& part) {
    const auto make = [&] {
      return make_scene_stepper<ExplicitIntegrator, Cpu, D, Real>(
          scene_, std::make_unique<Cpu>(1),
          [](std::uint32_t id) { return "particle " + std::to_string(id); }, part());
    };
    RunRecord<Real> record;
    auto stepper = make();
    std::uint32_t next = 0;
    const auto add = [&](std::size_t body) {
      const ParticleBatch batch = fill_body(scene_, body);
      stepper->append(batch, next);
      next += static_cast<std::uint32_t>(batch.position.size());
    };
    for (std::size_t b = 0; b < first_bodies_; ++b) add(b);
    stepper->initialize();
    record.first_particles = stepper->control().n_particles;
    if (prepare) prepare(*stepper, rank);
    const StepWatch watch{{}, [&](const StepControl& c) { record.steps.push_back(c); }};
    int made = 0;
    for (const int mark : marks_) {
      stepper->run_steps(mark - std::exchange(made, mark), std::numeric_limits<double>::infinity(),
                         watch);
      ByteWriter out;
      stepper->save(out);
      const std::vector<std::byte> saved = out.take();
      if (record.states.empty()) record.first_state = saved;
      record.states.push_back(state_bits<Real>(saved, channels()));
      if (restarts_ && mark == marks_.front()) {
        stepper = make();
        ByteReader in(saved);
        stepper->require_fit(in, next);
        stepper->load(in);
      }
      record.within.push_back(stepper->particles_within({0, 0, 0}, {0.6, 0.6, 0.6}).size());
      if (first_bodies_ < scene_.bodies.size() && mark == marks_[1]) add(first_bodies_);
    }
    record.reactions = stepper->reactions();
    record.totals = stepper->totals();
    stepper->report(record.stats);
    record.grown = stepper->grown();
    return record;
  }
  // That are saved.
  int channels() const {
    const ChannelNeeds needs = channel_needs(scene_, false);
    return 4 + (needs.coefficient_modes > 0) + needs.deformation + (needs.history > 0) +
           needs.stress;
  }

  Scene scene_;
  std::vector<int> marks_;
  std::size_t first_bodies_;
  bool restarts_ = false;
  std::vector<std::exception_ptr> errors_;
};

// The state of all partitions together.
template <class Real>
StateBits<Real> joined(const std::vector<RunRecord<Real>>& parts, std::size_t mark) {
  StateBits<Real> all;
  std::size_t n = 0;
  for (const auto& part : parts) {
    all.insert(part.states[mark].begin(), part.states[mark].end());
    n += part.states[mark].size();
  }
  if (n != all.size()) throw std::runtime_error("two partitions have the same particle");
  return all;
}

}  // namespace firn::test
