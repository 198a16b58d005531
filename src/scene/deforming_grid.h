// From the meshes of a sequence to the samples that kernels read (kernels/collide/deforming_sdf.h):
// of one interval between two meshes at a time, so that what stands on a device follows from the
// scene and the time alone.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/collide/deforming_sdf.h"
#include "kernels/math/mat.h"
#include "src/scene/mesh_sequence.h"

namespace firn {

class DeformingGrid {
 public:
  // Calls its function for 0 .. n - 1, in any order, on several threads or one.
  using Loop = std::function<void(std::size_t n, const std::function<void(std::size_t)>&)>;
  static void one_by_one(std::size_t n, const std::function<void(std::size_t)>& f);

  // Voxels are so wide in the units of the files; `turn` takes velocities from these to m/s along
  // the axes of the shape; `half_thickness`, in units of the files, makes a shell, 0 a solid.
  // Throws Error{kScene} for a solid whose triangles do not enclose it, and for a sequence that
  // moves through more room than a grid can have.
  DeformingGrid(const Shape& shape, double voxel_size, double half_thickness,
                const Mat<double, 3>& turn);

  // The grid's index space in that of the files, and where the solid ever gets to in it.
  const Vec3& origin() const { return origin_; }
  const Vec3& index_min() const { return index_min_; }
  const Vec3& index_max() const { return index_max_; }

  SequenceInterval interval(double time) const { return interval_at(shape_, time); }
  // No vertex moves faster then, m/s.
  double fastest(const SequenceInterval& interval) const;
  // What stands at SdfInstruction::mesh_offset during an interval.
  GridBytes fill(const SequenceInterval& interval, const Loop& loop) const;
  // The shape at `time` alone.
  GridBytes at_rest(double time) const;
  // The most that `fill` makes of any interval.
  std::size_t most_bytes() const;

 private:
  struct Layout {
    int keys = 1;
    std::vector<std::int32_t> table;  // numbers of the blocks that are kept, or kDeformingOutside
    std::vector<std::int32_t> kept;   // their places in the table
  };
  class Key;

  int keys_of(const SequenceInterval& interval) const;
  std::vector<double> parts_of(const SequenceInterval& interval) const;
  // The mesh in voxels.
  TriangleMesh mesh_at(const SequenceInterval& interval, double part) const;
  void mark(const TriangleMesh& mesh, Layout& layout) const;
  Layout layout_of(const SequenceInterval& interval, const std::vector<double>& parts) const;
  std::size_t bytes_of(const Layout& layout) const;
  GridBytes fill(const SequenceInterval& interval, const std::vector<double>& parts,
                 const Loop& loop) const;
  [[noreturn]] void fail_too_fast(std::size_t mesh) const;
  std::vector<Vec3> velocities(const SequenceInterval& interval) const;
  Vec<double, 3> centre_of(std::int32_t block) const;

  Shape shape_;
  std::shared_ptr<const MeshSequence> sequence_;
  double voxel_size_, half_;  // half: voxels
  Mat<double, 3> turn_;
  bool inside_out_ = false;
  Vec3 origin_{}, index_min_{}, index_max_{};
  std::array<std::int32_t, 3> blocks_{};
};

}  // namespace firn
