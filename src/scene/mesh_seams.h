// Seams of meshes: files have vertices several times where a texture or a normal has an edge.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "firn/scene.h"

namespace firn {

// Joins triangles along seams: ends of open edges that are at equal places in all of `places`, of
// one mesh or of a sequence, become one. Closed shells that touch stay apart.
void close_seams(std::vector<std::array<std::uint32_t, 3>>& triangles,
                 std::span<const std::vector<Vec3>> places);

}  // namespace firn
