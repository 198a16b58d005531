// Triangle meshes, their readers for OBJ, PLY and STL files, a report of how well they enclose a
// volume, and their signed distance as a NanoVDB grid. Files come from anywhere: every reader
// checks sizes before it allocates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "firn/scene.h"
#include "kernels/collide/mesh_sdf.h"

namespace firn {

struct TriangleMesh {
  std::vector<Vec3> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;  // counter-clockwise seen from outside
};

// Reads by extension (.obj, .ply, .stl). Polygons become triangle fans; STL vertices at equal
// positions are one, and seams are closed (mesh_seams.h). Throws Error{kFile} naming the file and
// the reason, also if there is no triangle or an index out of range. Of an OBJ a quad is cut along
// its shorter diagonal and what has more corners by its ears, but with `fans` all are fans and
// seams as they are, so that meshes that differ in vertices alone have the same triangles.
TriangleMesh load_mesh(const std::string& path, bool fans = false);

// The readers behind it, from memory; `origin` stands for the file in messages.
TriangleMesh parse_obj(std::string_view text, const std::string& origin, bool fans = false);
TriangleMesh parse_ply(std::string_view bytes, const std::string& origin);
TriangleMesh parse_stl(std::string_view bytes, const std::string& origin);

struct MeshReport {
  std::string name;
  std::size_t vertices = 0, triangles = 0;
  std::size_t degenerate_triangles = 0;  // two equal corners
  std::size_t boundary_edges = 0;        // used by one triangle
  std::size_t non_manifold_edges = 0;    // by more than two, or by two that disagree on the outside
  std::size_t shells = 0;                // sets of triangles connected by edges
  bool watertight = false;               // no boundary and no non-manifold edges
  bool inside_out = false;               // triangles face inwards; distances are turned round
  double volume = 0;  // enclosed, by the divergence theorem: exact if watertight, m^3
};
MeshReport inspect(const TriangleMesh& mesh, const std::string& name);
// A sentence for people that says what is wrong, what follows from it where the winding number
// makes the solid, and what else there is to choose; empty if the mesh is watertight.
std::string describe(const MeshReport& report);

template <class T, std::size_t alignment>
struct AlignedAllocator {
  using value_type = T;
  template <class U>
  struct rebind {  // NOLINT(readability-identifier-naming): the name that containers ask for
    using other = AlignedAllocator<U, alignment>;
  };
  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U, alignment>&) {}
  T* allocate(std::size_t n) {
    return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t(alignment)));
  }
  void deallocate(T* p, std::size_t) { ::operator delete(p, std::align_val_t(alignment)); }
  bool operator==(const AlignedAllocator&) const = default;
};
using GridBytes = std::vector<std::byte, AlignedAllocator<std::byte, kMeshGridAlignment>>;

// Distances around a mesh for SdfOp::kMesh: voxel (i, j, k) lies at origin + voxel_size * (i, j, k)
// in the mesh's frame.
struct MeshGrid {
  GridBytes bytes;  // a NanoVDB float grid; distances in voxels, clamped to the band
  double voxel_size = 0;
  Vec3 origin{};
  Vec3 index_min{}, index_max{};  // bounds of the solid in index space
};
// The sign comes from the generalised winding number, so that holes are closed by the smoothest cap
// and shells may overlap. Throws Error{kScene} in a build without OpenVDB, or if the grid would
// have an absurd size.
MeshGrid mesh_to_grid(const TriangleMesh& mesh, const std::string& name, double voxel_size);
// What it throws before it computes anything, also for a shell.
void require_grid_size(const TriangleMesh& mesh, const std::string& name, double voxel_size,
                       double thickness);
// The same of all that lies within half of `thickness` of a triangle. Sampled distances have no
// kink between two voxels, so a shell is exact, to their interpolation, from two voxels on; a
// thinner one may be too thin or have holes.
MeshGrid shell_to_grid(const TriangleMesh& mesh, const std::string& name, double voxel_size,
                       double thickness);

}  // namespace firn
