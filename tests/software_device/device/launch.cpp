// Runs kernels: blocks one after another, or several by turns, each in memory that later ones use
// again.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <mutex>
#include <numeric>

#include "block_runner.h"

namespace emulator {

namespace core {

namespace {

constexpr unsigned kMaxThreads = 1024, kMaxShared = 227 * 1024;

// Memory that launches use again.
struct Workspace {
  struct Place {  // of one block at a time
    std::vector<std::byte> registers, shared, local;
    std::shared_ptr<SharedShadow> shadow;
  };
  std::vector<Place> places;
  std::vector<std::byte> parameters;
  std::mutex mutex;
};
Workspace& workspace() {
  static Workspace* w = new Workspace;
  return *w;
}
std::byte* aligned(std::vector<std::byte>& v, std::size_t bytes) {
  if (v.size() < bytes + 64) v.resize(bytes + 64);
  return v.data() + (64 - reinterpret_cast<std::uintptr_t>(v.data()) % 64) % 64;
}

void fill(const Warp& w, std::uint32_t at, Slot slot, auto&& value) {
  for (int i = 0; i < kLanes; ++i) {
    if (slot == Slot::k64)
      w.lanes<std::uint64_t>(at)[i] = static_cast<std::uint64_t>(value(i));
    else
      w.lanes<std::uint32_t>(at)[i] = static_cast<std::uint32_t>(value(i));
  }
}

unsigned cluster_of(const Block& b) { return b.kernel->text->cluster; }

std::uint64_t special_value(const Warp& w, Special s, int lane, std::uint32_t dynamic) {
  const Block& b = *w.block;
  const unsigned t = w.thread(lane);
  const Mask own = Mask{1} << lane;
  switch (s) {
    case Special::kTidX:
      return t % b.size.x;
    case Special::kTidY:
      return t / b.size.x % b.size.y;
    case Special::kTidZ:
      return t / b.size.x / b.size.y;
    case Special::kNtidX:
      return b.size.x;
    case Special::kNtidY:
      return b.size.y;
    case Special::kNtidZ:
      return b.size.z;
    case Special::kCtaidX:
      return b.index.x;
    case Special::kCtaidY:
      return b.index.y;
    case Special::kCtaidZ:
      return b.index.z;
    case Special::kClusterCtarank:
      return cluster_of(b) > 1 ? b.linear : 0;  // a grid has one cluster, or clusters one block
    case Special::kClusterNctarank:
      return cluster_of(b);
    case Special::kNctaidX:
      return b.grid.x;
    case Special::kNctaidY:
      return b.grid.y;
    case Special::kNctaidZ:
      return b.grid.z;
    case Special::kLaneid:
      return static_cast<std::uint64_t>(lane);
    case Special::kWarpid:
      return w.index;
    case Special::kNwarpid:
      return b.warps.size();
    case Special::kNsmid:
    case Special::kOne:
      return 1;
    case Special::kLanemaskEq:
      return own;
    case Special::kLanemaskLe:
      return own | (own - 1);
    case Special::kLanemaskLt:
      return own - 1;
    case Special::kLanemaskGe:
      return static_cast<Mask>(~(own - 1));
    case Special::kLanemaskGt:
      return static_cast<Mask>(~(own - 1) & ~own);
    case Special::kDynamicShared:
      return dynamic;
    case Special::kTotalShared:
      return b.shared_bytes;
    default:
      return 0;
  }
}

class Launch {
 public:
  Launch(const Kernel& k, Dim grid, Dim size, void* const* arguments, std::size_t dynamic)
      : kernel_(k),
        code_(k.code()),
        grid_(grid),
        size_(size),
        dynamic_(static_cast<std::uint32_t>(dynamic)) {
    threads_ = size.x * size.y * size.z;
    blocks_ = std::uint64_t{grid.x} * grid.y * grid.z;
    check_shape(dynamic);
    parameters_ = aligned(workspace().parameters, k.param_bytes);
    for (std::size_t i = 0; i < k.params.size(); ++i)
      std::memcpy(parameters_ + k.params[i].offset, arguments[i], k.params[i].bytes);
  }

  void run() {
    const auto begin = std::chrono::steady_clock::now();
    Counters& c = *kernel_.counters;
    ++c.launches;
    note_launched(kernel_);
    begin_launch();
    run_blocks();
    c.blocks += blocks_;
    c.threads += blocks_ * threads_;
    c.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

 private:
  void check_shape(std::size_t dynamic) const {
    const auto refuse = [&](const std::string& what) {
      throw Fault("launch of " + kernel_.text->name + ": " + what);
    };
    if (threads_ == 0 || blocks_ == 0) refuse("an empty grid or block");
    const unsigned most =
        std::min<unsigned>(kMaxThreads, static_cast<unsigned>(kernel_.text->max_threads));
    if (threads_ > most)
      refuse(std::to_string(threads_) + " threads in a block, of " + std::to_string(most) +
             " at most");
    if (code_.static_shared + dynamic > kMaxShared)
      refuse(std::to_string(code_.static_shared + dynamic) + " bytes of shared memory");
    const unsigned cluster = kernel_.text->cluster;
    if (cluster > 1 && cluster != blocks_)
      refuse(std::to_string(blocks_) + " blocks in clusters of " + std::to_string(cluster) +
             "; this device knows grids of one cluster");
  }

  // As many blocks at once as EMULATOR_RESIDENT says, a cluster all of them, taking turns at
  // barriers; the next one begins where one has ended.
  void run_blocks() {
    static Order block_order(settings().block_order);
    std::vector<unsigned> order;
    if (!block_order.forward()) {
      order.resize(blocks_);
      std::iota(order.begin(), order.end(), 0u);
      block_order.arrange(order);
    }
    std::uint64_t next = 0;
    const auto take = [&] { return order.empty() ? static_cast<unsigned>(next++) : order[next++]; };
    struct Running {
      std::unique_ptr<Block> block;
      std::unique_ptr<BlockRunner> runner;
    };
    const bool is_cluster = kernel_.text->cluster > 1;
    std::vector<Running> running(is_cluster ? blocks_ : std::min(settings().resident, blocks_));
    for (std::size_t i = 0; i < running.size(); ++i) {
      running[i].block = std::make_unique<Block>();
      prepare(*running[i].block, i);
      running[i].runner = begin(*running[i].block, take());
    }
    for (std::uint64_t ended = 0; ended < blocks_;) {
      std::uint64_t waiting = 0;
      for (Running& r : running) {
        if (r.runner == nullptr) continue;
        const BlockRunner::Left left = r.runner->pass();
        if (left == BlockRunner::Left::kAtCluster) ++waiting;
        if (left != BlockRunner::Left::kEnded) continue;
        ++ended;
        r.runner.reset();
        if (next < blocks_) r.runner = begin(*r.block, take());
      }
      if (waiting == 0 || waiting + ended < blocks_) continue;
      begin_phase();
      for (Running& r : running)
        if (r.runner != nullptr) r.runner->leave_cluster();
    }
  }

  void prepare(Block& b, std::size_t place) const {
    Workspace& all = workspace();
    if (all.places.size() <= place) all.places.resize(place + 1);
    Workspace::Place& space = all.places[place];
    if (space.shadow == nullptr) space.shadow = make_shadow();
    b.kernel = &kernel_;
    b.code = &code_;
    b.counters = kernel_.counters.get();
    b.grid = grid_;
    b.size = size_;
    b.threads = threads_;
    b.parameters = parameters_;
    b.shadow = space.shadow;
    b.shared_bytes = code_.static_shared + dynamic_;
    b.shared = aligned(space.shared, b.shared_bytes);
    b.local_bytes = (code_.local + 15) / 16 * 16;
    // An odd number of cache lines: the same place of all lanes would fall into few sets of the
    // cache.
    b.local_stride = ((b.local_bytes + 63) / 64 | 1) * 64;
    b.local = aligned(space.local, std::size_t{b.local_stride} * threads_);
    make_warps(b, space);
  }

  void make_warps(Block& b, Workspace::Place& space) const {
    const unsigned count = (threads_ + kLanes - 1) / kLanes;
    const std::size_t bytes = (code_.register_bytes + 63) / 64 * 64;
    std::byte* registers = aligned(space.registers, bytes * count);
    std::memset(registers, 0, bytes * count);
    b.warps.resize(count);
    for (unsigned i = 0; i < count; ++i) {
      Warp& w = b.warps[i];
      w.block = &b;
      w.index = i;
      w.registers = registers + bytes * i;
      const unsigned threads = std::min<unsigned>(kLanes, threads_ - i * kLanes);
      w.present = threads == kLanes ? kFull : (Mask{1} << threads) - 1;
      for (const Constant& c : code_.constants) {
        if (c.slot == Slot::kPredicate)
          w.predicate(c.at) = static_cast<Mask>(c.value);
        else
          fill(w, c.at, c.slot, [&](int) { return c.value; });
      }
      for (const SpecialUse& s : code_.specials)
        fill(w, s.at, s.slot,
             [&](int lane) { return special_value(w, s.special, lane, dynamic_); });
    }
  }

  std::unique_ptr<BlockRunner> begin(Block& b, unsigned linear) const {
    b.linear = linear;
    b.index = {linear % b.grid.x, linear / b.grid.x % b.grid.y, linear / b.grid.x / b.grid.y};
    begin_block(b);
    for (Warp& w : b.warps) {
      w.alive = w.present;
      w.fragments.assign(1, {0, w.present, Fragment::kRuns});
      w.epoch = w.barrier = 0;
      w.synced.fill(0);
      for (const SpecialUse& s : code_.specials)
        if (s.special >= Special::kCtaidX && s.special <= Special::kClusterCtarank)
          fill(w, s.at, s.slot,
               [&](int lane) { return special_value(w, s.special, lane, dynamic_); });
    }
    return std::make_unique<BlockRunner>(b);
  }

  const Kernel& kernel_;
  const Code& code_;
  Dim grid_, size_;
  std::uint32_t dynamic_;
  unsigned threads_ = 0;
  std::uint64_t blocks_ = 0;
  std::byte* parameters_ = nullptr;
};
std::string dim(Dim d) {
  return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + ")";
}

}  // namespace

std::string where(const Kernel& k, const Instruction& in) {
  std::string text = "PTX line " + std::to_string(in.line);
  if (in.source != kNone) text += " (" + k.code().sources[in.source] + ")";
  return text;
}

std::string who(const Block& b, unsigned t) {
  const Dim thread{t % b.size.x, t / b.size.x % b.size.y, t / b.size.x / b.size.y};
  return "block " + dim(b.index) + " thread " + dim(thread);
}

void fault(const Warp& w, const Instruction& in, int lane, const std::string& what) {
  throw Fault("kernel " + std::string(name(w.block->kernel)) + ", " + where(*w.block->kernel, in) +
              ", " + who(*w.block, w.thread(lane)) + ": " + what);
}

}  // namespace core

void launch(const Kernel* k, Dim grid, Dim block, void* const* arguments,
            std::size_t dynamic_shared) {
  const std::lock_guard lock(core::workspace().mutex);
  core::Launch(*k, grid, block, arguments, dynamic_shared).run();
}

}  // namespace emulator
