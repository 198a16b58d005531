// A periodic tile of blue noise with exactly N points: tiled over space it gives Poisson-disk
// samples of exactly the wanted density at the price of a copy. All arithmetic is in integers, so
// that it is the same on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace firn {

// Coordinates are fractions of the tile's side in units of 2^-32; the third is 0 in 2D. Points are
// grouped in kBlocks^d blocks, the last axis fastest: those of block b are [block_begin[b],
// block_begin[b + 1]).
struct BlueNoiseTile {
  int dimension = 3;
  int blocks = 8;  // per axis
  std::vector<std::array<std::uint32_t, 3>> points;
  std::vector<std::uint32_t> block_begin;
};

// Made at the first call for each dimension (about 0.1 s), kept from then on.
const BlueNoiseTile& blue_noise_tile(int dimension);

}  // namespace firn
