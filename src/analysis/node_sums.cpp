#include "src/analysis/node_sums.h"

#include <cmath>

#include "src/analysis/cell_lists.h"

namespace firn {
namespace {

using Blocks = std::vector<std::unique_ptr<NodeBlock>>;

constexpr int kShift = 3;              // of a node's index to its block's
constexpr double kFarthest = 1 << 22;  // nodes from the origin; blocks fit 20 bits then

class BlockTable {
 public:
  explicit BlockTable(Blocks& blocks) : blocks_(blocks) {}

  NodeBlock::Node& node(const std::array<int, 3>& at) {
    const std::array<int, 3> block{at[0] >> kShift, at[1] >> kShift, at[2] >> kShift};
    if (last_ == nullptr || block != last_at_) find(block);
    constexpr int kMask = NodeBlock::kSide - 1;
    return last_
        ->nodes[((at[0] & kMask) << 2 * kShift) + ((at[1] & kMask) << kShift) + (at[2] & kMask)];
  }

 private:
  void find(const std::array<int, 3>& block) {
    std::uint64_t key = 0;
    for (const int i : block) key = key << 21 | static_cast<std::uint64_t>(i + (1 << 20));
    const std::uint32_t index = keys_.insert(key);
    if (index == blocks_.size()) {
      blocks_.push_back(std::make_unique<NodeBlock>());
      for (int i = 0; i < 3; ++i) blocks_[index]->origin[i] = block[i] << kShift;
    }
    last_ = blocks_[index].get();
    last_at_ = block;
  }

  Blocks& blocks_;
  KeyTable keys_;
  NodeBlock* last_ = nullptr;
  std::array<int, 3> last_at_{};
};

template <int D, int Degree>
class Scatter {
 public:
  Scatter(const ParticleMotion& motion, std::span<const float> temperature, double dx,
          Blocks& blocks)
      : motion_(motion), temperature_(temperature), dx_(dx), table_(blocks) {}

  void add(std::size_t p) {
    std::array<AxisStencil<Degree, double>, D> axes;
    std::array<int, 3> low{};
    for (int i = 0; i < D; ++i) {
      const double at = motion_.position[p * D + i] / dx_ - stencil_shift<double>(Degree);
      if (!(std::abs(at) < kFarthest)) return;
      low[i] = static_cast<int>(std::floor(at));
      fill_stencil(axes[i], at - low[i]);
    }
    constexpr int kNodes = Degree + 1, kLayers = D == 3 ? kNodes : 1;
    for (int i = 0; i < kNodes; ++i)
      for (int j = 0; j < kNodes; ++j)
        for (int k = 0; k < kLayers; ++k) {
          double w = axes[0].w[i] * axes[1].w[j];
          if constexpr (D == 3) w *= axes[2].w[k];
          add_to(table_.node({low[0] + i, low[1] + j, low[2] + k}), p, w * motion_.mass[p]);
        }
  }

 private:
  void add_to(NodeBlock::Node& node, std::size_t p, double mass) const {
    node.mass += mass;
    for (int c = 0; c < D; ++c) node.momentum[c] += mass * motion_.velocity[p * D + c];
    if (!temperature_.empty()) node.heat += mass * temperature_[p];
  }

  const ParticleMotion& motion_;
  std::span<const float> temperature_;
  double dx_;
  BlockTable table_;
};

template <int D, int Degree>
void scatter(const ParticleMotion& motion, std::span<const float> temperature, double dx,
             Blocks& blocks) {
  Scatter<D, Degree> to(motion, temperature, dx, blocks);
  for (std::size_t p = 0; p < motion.mass.size(); ++p) to.add(p);
}

}  // namespace

Blocks node_sums(const ParticleMotion& motion, std::span<const float> temperature, double dx,
                 int degree) {
  using Function = void (*)(const ParticleMotion&, std::span<const float>, double, Blocks&);
  constexpr Function kScatter[2][3] = {{scatter<2, 1>, scatter<2, 2>, scatter<2, 3>},
                                       {scatter<3, 1>, scatter<3, 2>, scatter<3, 3>}};
  Blocks blocks;
  kScatter[motion.dimension - 2][degree - 1](motion, temperature, dx, blocks);
  return blocks;
}

}  // namespace firn
