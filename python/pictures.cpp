// Pictures as `firn run` draws them.
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <utility>

#include "firn/render.h"
#include "python/arrays.h"
#include "python/bindings.h"
#include "python/session.h"

namespace firn::python {
namespace {

HostArray render(SceneRenderer& renderer, Session& session) {
  Image image =
      session.look([&](const Simulation& simulation) { return renderer.render(simulation); });
  return array_of(std::move(image.rgb), {static_cast<std::size_t>(image.height),
                                         static_cast<std::size_t>(image.width), 3});
}

nb::tuple mesh_of(const Scene& scene, std::size_t collider, double time) {
  ColliderMesh mesh = collider_mesh(scene, collider, time);
  const auto rows = [](const auto& values) { return values.size() / 3; };
  const std::size_t vertices = rows(mesh.positions), triangles = rows(mesh.triangles);
  nb::object normals = nb::none();
  if (rows(mesh.normals) == vertices)
    normals = array_of(std::move(mesh.normals), {vertices, std::size_t{3}});
  return nb::make_tuple(array_of(std::move(mesh.positions), {vertices, std::size_t{3}}), normals,
                        array_of(std::move(mesh.triangles), {triangles, std::size_t{3}}));
}

}  // namespace

void bind_pictures(nb::module_& m) {
  m.def(
      "collider_mesh", &mesh_of, nb::arg("scene"), nb::arg("collider"), nb::arg("time") = 0.0,
      nb::sig("def collider_mesh(scene: Scene, collider: int, time: float = 0.0) -> "
              "tuple[numpy.ndarray, numpy.ndarray | None, numpy.ndarray]"),
      "Of a collider in space, where it is at rest: positions (n, 3) in m, normals (n, 3) or None, "
      "and triangles (m, 3), counter-clockwise from outside; of a mesh_sequence as it is at a "
      "time, "
      "s. What has no end, half-spaces above all, ends a few sizes of the scene beside it.");
  m.def("scripted_colliders", &scripted_colliders, nb::arg("scene"), nb::arg("time"),
        "Where colliders that follow key frames are at a time, s; those that material moves are at "
        "rest.");
  nb::class_<SceneRenderer>(m, "Renderer",
                            "Draws simulations of a scene; its first picture fixes the camera.")
      .def(nb::init<const Scene&>(), nb::arg("scene"))
      .def("render", &render, nb::arg("simulation"), "uint8, shape (height, width, 3), sRGB.");
}

}  // namespace firn::python
