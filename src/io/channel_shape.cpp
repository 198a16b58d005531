// How many components channels have.
#include "src/analysis/vorticity.h"
#include "src/io/particle_channels.h"

namespace firn {

int component_count(ChannelRank rank, int dimension) {
  switch (rank) {
    case ChannelRank::kScalar:
      return 1;
    case ChannelRank::kVector:
      return dimension;
    case ChannelRank::kAxial:
      return vorticity_components(dimension);
    case ChannelRank::kTensor:
      return dimension * dimension;
  }
  return 0;
}

int space_count(ChannelRank rank, int dimension) {
  if (rank == ChannelRank::kVector) return 3;
  return rank == ChannelRank::kTensor ? 9 : component_count(rank, dimension);
}

int flat_component(ChannelRank rank, int dimension, int component) {
  if (dimension == 3) return component;
  if (rank == ChannelRank::kVector) return component < 2 ? component : -1;
  if (rank != ChannelRank::kTensor) return component;
  const int row = component / 3, column = component % 3;
  return row < 2 && column < 2 ? 2 * row + column : -1;
}

}  // namespace firn
