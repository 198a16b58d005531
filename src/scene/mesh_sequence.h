// A mesh that changes its shape: files of a sequence, of one topology, and where its vertices are
// at a time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "firn/shape.h"
#include "src/scene/mesh.h"

namespace firn {

struct MeshSequence {
  std::vector<std::array<std::uint32_t, 3>> triangles;
  std::vector<std::vector<Vec3>> vertices;  // of each mesh, in the units of the files
};

// Whether `pattern` has one place for a number, %d or %04d, and no other %.
bool is_numbered(std::string_view pattern);
// With the number there; the pattern must be one.
std::string numbered_file(std::string_view pattern, int number);
// The files of a mesh_sequence, in order.
std::vector<std::string> sequence_files(const Shape& shape);

// All meshes of a mesh_sequence, as long as its files stay as they are. Throws Error{kFile} that
// names the file which is missing, cannot be read, or differs from the first in anything but where
// its vertices are.
std::shared_ptr<const MeshSequence> cached_sequence(const Shape& shape);

// Between two meshes, or before the first, or after the last: from mesh `from` at `begin` to mesh
// `to` at `end` (s), which are infinite and the same mesh where it rests.
struct SequenceInterval {
  double begin, end;
  std::size_t from, to;
  bool rests() const { return from == to; }
  double part(double time) const { return rests() ? 0 : (time - begin) / (end - begin); }
  bool operator==(const SequenceInterval&) const = default;
};
// The one that holds `time`; at the time of a mesh the one that follows.
SequenceInterval interval_at(const Shape& shape, double time);

// Vertices at a part of the way through an interval.
std::vector<Vec3> vertices_at(const MeshSequence& sequence, const SequenceInterval& interval,
                              double part);

}  // namespace firn
