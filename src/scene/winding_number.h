// The generalised winding number of a triangle soup: 1 inside, 0 outside, and smooth across holes.
// A hierarchy expands far triangles about one point [Barill et al. 2018], so that a query visits
// about a hundred nodes whatever the mesh.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/math/mat.h"
#include "src/scene/mesh.h"

namespace firn {

class WindingNumber {
 public:
  explicit WindingNumber(const TriangleMesh& mesh);

  // Errors reach 0.04 beside large curved patches and are much smaller elsewhere.
  double at(const Vec<double, 3>& x) const;
  // Its gradient, to about a tenth of its largest size; finite away from the open edges of the
  // mesh.
  Vec<double, 3> gradient(const Vec<double, 3>& x) const;
  // Distance to the nearest triangle, or `at_most` if none is closer; fast if that is a close
  // bound.
  double nearest(const Vec<double, 3>& x, double at_most) const;
  // The same, and the number of that triangle in the mesh.
  static constexpr std::uint32_t kNone = 0xffffffff;
  struct Nearest {
    double distance;
    std::uint32_t triangle;  // kNone if none is closer
  };
  Nearest nearest_triangle(const Vec<double, 3>& x, double at_most) const;
  // Appends all triangles that are no farther than `reach`, and sorts what is then in `found` by
  // distance.
  void collect(const Vec<double, 3>& x, double reach, std::vector<Nearest>& found) const;
  // Makes `nearest` a triangle that is closer to x.
  void consider(std::uint32_t triangle, const Vec<double, 3>& x, Nearest& nearest) const;

 private:
  struct Node {
    Mat<double, 3> moment;        // sum of (area vector) (offset from the centre)^T, symmetric part
    Vec<double, 3> centre, area;  // mean position weighted by area; sum of the area vectors
    double radius = 0;            // of a ball about the centre that holds all corners
    std::uint32_t begin = 0, end = 0;  // triangles
    std::uint32_t skip = 0;  // the node that follows this one's subtree; leaves: the next one
  };
  struct Triangle {
    Vec<double, 3> corner[3];
    Vec<double, 3> centre;  // of a ball that holds it
    double radius;
    std::uint32_t number;
  };
  void build(std::uint32_t begin, std::uint32_t end);
  Node summarise(std::uint32_t begin, std::uint32_t end) const;
  template <class Far, class Near>
  void traverse(const Vec<double, 3>& x, Far far, Near near) const;

  static void consider(const Triangle& triangle, const Vec<double, 3>& x, Nearest& nearest);

  std::vector<Triangle> triangles_;
  std::vector<std::uint32_t> place_;  // in triangles_, by their numbers
  std::vector<Node> nodes_;           // depth first
};

}  // namespace firn
