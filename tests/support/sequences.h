// Meshes that change their shape, as files for a mesh_sequence: made in code, removed with the
// folder.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>

#include "tests/support/meshes.h"
#include "tests/support/scratch_folder.h"

namespace firn::test {

using Deformation = std::function<Vec3(const Vec3& at_rest, double time)>;

// OBJ files of a mesh at times 0, 1 / fps, ... `count` in all, numbered from 1.
class SequenceFiles {
 public:
  SequenceFiles(const TriangleMesh& mesh, int count, double fps, const Deformation& move) {
    for (int i = 0; i < count; ++i) {
      TriangleMesh moved = mesh;
      for (Vec3& x : moved.vertices) x = move(x, i / fps);
      write(i + 1, as_obj(moved));
    }
    shape_.type = ShapeType::kMeshSequence;
    shape_.file = (folder_ / "mesh_%03d.obj").string();
    shape_.first = 1;
    shape_.last = count;
    shape_.fps = fps;
  }
  void write(int number, const std::string& text) const { write_text(file(number), text); }
  std::string file(int number) const {
    return (folder_ / fmt::format("mesh_{:03}.obj", number)).string();
  }
  const Shape& shape() const { return shape_; }
  const ScratchFolder& folder() const { return folder_; }

 private:
  ScratchFolder folder_;
  Shape shape_;
};

}  // namespace firn::test
