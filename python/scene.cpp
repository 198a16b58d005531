// Scenes as Python looks at them: what a scene is made of, read-only, by the names that files have.
#include "firn/scene.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "firn/scene_file.h"
#include "python/bindings.h"
#include "python/names.h"
#include "python/records.h"

namespace firn::python {
namespace {

void bind_material(nb::module_& m) {
  Record<LameParameters>(m, "LameParameters", "Pa.")
      .def_ro("mu", &LameParameters::mu)
      .def_ro("lambda_", &LameParameters::lambda, "`lambda` in files.");
  Record<PhaseValues>(m, "PhaseValues")
      .def_ro("solid", &PhaseValues::solid)
      .def_ro("liquid", &PhaseValues::liquid);
  Record<HeatProperties>(m, "HeatProperties", "What heat does to a material.")
      .def_ro("capacity", &HeatProperties::capacity, "J/(kg K); `heat_capacity` in files.")
      .def_ro("conductivity", &HeatProperties::conductivity, "W/(m K).")
      .def_ro("melting_point", &HeatProperties::melting_point, "K; None: never.")
      .def_ro("melting_jitter", &HeatProperties::melting_jitter, "K.")
      .def_ro("latent_heat", &HeatProperties::latent_heat, "J/kg.");
  Record<Material>(m, "Material", "A material: what its model has no use for is 0.")
      .def_ro("name", &Material::name)
      .def_prop_ro("model", named(&Material::model))
      .def_ro("density", &Material::density, "kg/m^3, in 2D kg/m^2.")
      .def_ro("youngs_modulus", &Material::youngs_modulus, "Pa.")
      .def_ro("poisson_ratio", &Material::poisson_ratio)
      .def_ro("critical_compression", &Material::critical_compression)
      .def_ro("critical_stretch", &Material::critical_stretch)
      .def_ro("hardening", &Material::hardening)
      .def_ro("friction_angle", &Material::friction_angle, "Radians.")
      .def_ro("cohesion", &Material::cohesion)
      .def_ro("yield_stress", &Material::yield_stress, "Pa.")
      .def_ro("consistency", &Material::consistency, "Pa s^n.")
      .def_ro("flow_index", &Material::flow_index)
      .def_ro("relaxation_time", &Material::relaxation_time, "s.")
      .def_ro("bulk_modulus", &Material::bulk_modulus, "Pa.")
      .def_ro("gamma", &Material::gamma)
      .def_ro("viscosity", &Material::viscosity, "Pa s.")
      .def_ro("stiffness_damping", &Material::stiffness_damping, "s.")
      .def_prop_ro("friction_match", named(&Material::friction_match))
      .def_prop_ro("hardening_law", named(&Material::hardening_law))
      .def_ro("preconsolidation", &Material::preconsolidation, "Pa; cam_clay.")
      .def_ro("tension_ratio", &Material::tension_ratio, "cam_clay.")
      .def_ro("tension_limit", &Material::tension_limit, "Pa; None: none.")
      .def_ro("dilatancy_angle", &Material::dilatancy_angle, "Radians.")
      .def_ro("dilatancy_limit", &Material::dilatancy_limit, "Of ln of the volume; None: none.")
      .def_ro("friction_hardening", &Material::friction_hardening, "h0 to h3, radians.")
      .def_ro("volume_correction", &Material::volume_correction)
      .def_ro("lame", &Material::lame)
      .def_ro("youngs_modulus_of_temperature", &Material::youngs_modulus_of_temperature,
              "Of T in K; empty: none.")
      .def_ro("heat", &Material::heat)
      .def_ro("color", &Material::color, "sRGB in [0, 1].")
      .def_prop_ro("look", named(&Material::look))
      .def_prop_ro("finish", named(&Material::finish));
}

void bind_shape(nb::module_& m) {
  Record<ScalarField>(m, "ScalarField", "A number, or an expression of x, y, z, t.")
      .def_ro("constant", &ScalarField::constant)
      .def_ro("expression", &ScalarField::expression, "Empty: constant.");
  Record<VectorField>(m, "VectorField", "Three of them.")
      .def_ro("component", &VectorField::component);
  Record<Shape>(m, "Shape", "One node of a tree of shapes; which members count depends on type.")
      .def_prop_ro("type", named(&Shape::type))
      .def_ro("center", &Shape::center)
      .def_ro("radius", &Shape::radius)
      .def_ro("tube_radius", &Shape::tube_radius)
      .def_ro("radii", &Shape::radii)
      .def_ro("min", &Shape::min)
      .def_ro("max", &Shape::max)
      .def_ro("rounding", &Shape::rounding)
      .def_ro("point", &Shape::point)
      .def_ro("normal", &Shape::normal)
      .def_ro("from_", &Shape::from, "`from` in files.")
      .def_ro("to", &Shape::to)
      .def_ro("axis", &Shape::axis)
      .def_ro("file", &Shape::file, "An absolute path; of a mesh_sequence with %d in it.")
      .def_ro("first", &Shape::first, "Of a mesh_sequence: the number of its first file.")
      .def_ro("last", &Shape::last, "Of a mesh_sequence: the number of its last file.")
      .def_ro("fps", &Shape::fps, "Of a mesh_sequence: files per second.")
      .def_ro("start", &Shape::start, "s.")
      .def_ro("loop", &Shape::loop)
      .def_ro("grid", &Shape::grid, "Of a vdb; empty: the only one.")
      .def_ro("iso", &Shape::iso)
      .def_ro("text", &Shape::text)
      .def_ro("font", &Shape::font, "An absolute path; empty: DejaVu Sans.")
      .def_ro("size", &Shape::size, "m.")
      .def_ro("height", &Shape::height, "Of a height_field without a file, m.")
      .def_ro("low", &Shape::low, "Of a height_field with a file: of black, m.")
      .def_ro("high", &Shape::high, "Of a height_field with a file: of white, m.")
      .def_ro("base", &Shape::base, "Of a height_field: of its underside, m; None: no end.")
      .def_prop_ro("solid", named(&Shape::solid))
      .def_ro("thickness", &Shape::thickness, "Of a shell, m.")
      .def_ro("depth", &Shape::depth, "m.")
      .def_ro("translation", &Shape::translation)
      .def_ro("rotation", &Shape::rotation)
      .def_ro("scale", &Shape::scale)
      .def_ro("children", &Shape::children);
}

void bind_bodies(nb::module_& m) {
  Record<Keyframes>(m, "Keyframes", "A rigid motion, piecewise linear in time.")
      .def_ro("times", &Keyframes::times, "s.")
      .def_ro("translation", &Keyframes::translation, "m.")
      .def_ro("rotation", &Keyframes::rotation, "Euler angles in radians, x then y then z.")
      .def_ro("pivot", &Keyframes::pivot, "m.");
  Record<Body>(m, "Body", "What is filled with particles at the start.")
      .def_ro("name", &Body::name)
      .def_ro("material", &Body::material, "Index into the scene's materials.")
      .def_ro("shape", &Body::shape)
      .def_ro("particles_per_cell", &Body::particles_per_cell, "0: 2^d.")
      .def_prop_ro("sampling", named(&Body::sampling))
      .def_ro("velocity", &Body::velocity, "m/s.")
      .def_ro("angular_velocity", &Body::angular_velocity, "rad/s.")
      .def_ro("stretch", &Body::stretch)
      .def_ro("stress", &Body::stress, "At the start, along x, y and z, Pa.")
      .def_ro("stress_xy", &Body::stress_xy)
      .def_ro("stress_yz", &Body::stress_yz)
      .def_ro("stress_zx", &Body::stress_zx)
      .def_ro("density_scale", &Body::density_scale)
      .def_ro("color", &Body::color)
      .def_ro("temperature", &Body::temperature, "K.")
      .def_prop_ro("phase", named(&Body::phase), "None: by temperature.");
  Record<Dynamics>(m, "Dynamics", "Of a collider that material moves.")
      .def_ro("density", &Dynamics::density, "kg/m^3, in 2D kg/m^2; 0: `mass` is given.")
      .def_ro("mass", &Dynamics::mass, "kg; 0: `density` is given.")
      .def_ro("inertia", &Dynamics::inertia, "kg m^2; empty: of the shape, filled evenly.")
      .def_ro("velocity", &Dynamics::velocity, "m/s.")
      .def_ro("angular_velocity", &Dynamics::angular_velocity, "rad/s.")
      .def_ro("contact_friction", &Dynamics::contact_friction,
              "With walls and other colliders; of two with a mass, the mean.")
      .def_ro("restitution", &Dynamics::restitution,
              "Share of the speed at which it comes off what it hits; of two, the smaller one.")
      .def_ro("collides", &Dynamics::collides, "Else it passes through walls and colliders.");
  Record<Collider>(m, "Collider", "What material cannot enter.")
      .def_ro("name", &Collider::name)
      .def_ro("shape", &Collider::shape)
      .def_prop_ro("boundary", named(&Collider::boundary))
      .def_ro("friction", &Collider::friction)
      .def_ro("motion", &Collider::motion)
      .def_ro("dynamics", &Collider::dynamics, "None: material does not move it.")
      .def_prop_ro(
          "is_dynamic", [](const Collider& c) { return c.dynamics.has_value(); },
          "Whether material moves it.")
      .def_ro("temperature", &Collider::temperature, "K; None: insulated.")
      .def_ro("color", &Collider::color)
      .def_ro("visible", &Collider::visible);
  Record<Source>(m, "Source", "Where material comes in.")
      .def_ro("name", &Source::name)
      .def_ro("material", &Source::material, "Index into the scene's materials.")
      .def_ro("shape", &Source::shape)
      .def_ro("velocity", &Source::velocity, "m/s.")
      .def_ro("motion", &Source::motion)
      .def_ro("start", &Source::start, "s.")
      .def_ro("end", &Source::end, "s.")
      .def_ro("particles_per_cell", &Source::particles_per_cell)
      .def_prop_ro("sampling", named(&Source::sampling))
      .def_ro("temperature", &Source::temperature, "K.")
      .def_prop_ro("phase", named(&Source::phase), "None: by temperature.");
  Record<Sink>(m, "Sink", "Where material goes.")
      .def_ro("name", &Sink::name)
      .def_ro("shape", &Sink::shape);
  Record<ForceField>(m, "ForceField", "What accelerates material beside gravity.")
      .def_ro("name", &ForceField::name)
      .def_ro("shape", &ForceField::shape, "None: everywhere.")
      .def_ro("acceleration", &ForceField::acceleration, "m/s^2.")
      .def_ro("velocity", &ForceField::velocity, "m/s, of air.")
      .def_ro("drag", &ForceField::drag, "1/s, of air; 0: there is none.")
      .def_ro("materials", &ForceField::materials, "Indices; empty: all.");
  Record<HeatSource>(m, "HeatSource", "Where material is heated from within.")
      .def_ro("name", &HeatSource::name)
      .def_ro("shape", &HeatSource::shape)
      .def_ro("power", &HeatSource::power, "W/m^3, in 2D W/m^2.");
  Record<Sensor>(m, "Sensor", "What is measured; which members count depends on type.")
      .def_ro("name", &Sensor::name)
      .def_prop_ro("type", named(&Sensor::kind))
      .def_ro("rate", &Sensor::rate, "1/s; None: at the end of every frame.")
      .def_ro("position", &Sensor::position, "m.")
      .def_ro("direction", &Sensor::direction,
              "`normal` and `up` in files, a unit vector; of a height 0: against gravity.")
      .def_ro("radius", &Sensor::radius, "m; None: the whole plane.")
      .def_ro("shape", &Sensor::shape)
      .def_ro("channels", &Sensor::channels)
      .def_ro("collider", &Sensor::collider, "Index into the scene's colliders.")
      .def_ro("bodies", &Sensor::bodies, "Indices of those that count; empty: all.")
      .def_ro("materials", &Sensor::materials, "Indices of those that count; empty: all.");
}

// Wherever they come from, and however it is written.
bool say_the_same(const Scene& a, const Scene& b) {
  Scene as_b = a;
  as_b.name = b.name;
  as_b.path = b.path;
  as_b.resolved_toml = b.resolved_toml;
  return as_b == b;
}

}  // namespace

void bind_scene(nb::module_& m) {
  bind_material(m);
  bind_shape(m);
  bind_bodies(m);
  nb::class_<Scene>(m, "SceneData", "What firn.Scene derives from.")
      .def(
          "__init__",
          [](Scene* self, const std::string& path, const std::string& variant,
             const std::vector<std::string>& overrides) {
            new (self) Scene(load_scene(path, {variant, overrides, true}));
          },
          nb::kw_only(), nb::arg("path"), nb::arg("variant") = "",
          nb::arg("overrides") = std::vector<std::string>{})
      .def(
          "__init__",
          [](Scene* self, const std::string& text, const std::string& origin,
             const std::string& directory, const std::string& variant,
             const std::vector<std::string>& overrides) {
            new (self) Scene(parse_scene(text, origin, directory, {variant, overrides, true}));
          },
          nb::kw_only(), nb::arg("text"), nb::arg("origin"), nb::arg("directory") = "",
          nb::arg("variant") = "", nb::arg("overrides") = std::vector<std::string>{})
      .def(
          "to_toml", [](const Scene& s) { return s.resolved_toml; },
          "The scene after variant and overrides, as TOML that loads again.")
      .def("__eq__", &say_the_same, nb::is_operator(),
           nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def_ro("name", &Scene::name, "The stem of its file.")
      .def_ro("title", &Scene::title)
      .def_ro("source", &Scene::source)
      .def_ro("path", &Scene::path, "The file it came from, or empty.")
      .def_ro("simulation", &Scene::simulation)
      .def_ro("transfer", &Scene::transfer)
      .def_ro("time", &Scene::time)
      .def_ro("grid", &Scene::grid)
      .def_ro("fluid", &Scene::fluid)
      .def_ro("thermal", &Scene::thermal)
      .def_ro("implicit", &Scene::implicit)
      .def_ro("tracers", &Scene::tracers)
      .def_ro("output", &Scene::output)
      .def_ro("diagnostics", &Scene::diagnostics)
      .def_ro("materials", &Scene::materials)
      .def_ro("bodies", &Scene::bodies)
      .def_ro("colliders", &Scene::colliders)
      .def_ro("sources", &Scene::sources)
      .def_ro("sinks", &Scene::sinks)
      .def_ro("forces", &Scene::forces)
      .def_ro("heat_sources", &Scene::heat_sources)
      .def_ro("sensors", &Scene::sensors)
      .def_prop_ro("solves_heat", &Scene::solves_heat, "Whether particles have temperatures.");

  Record<MaterialPreset>(m, "MaterialPreset", "What `preset = \"snow_dry\"` starts from.")
      .def_ro("material", &MaterialPreset::material)
      .def_ro("description", &MaterialPreset::description)
      .def_ro("source", &MaterialPreset::source);
  m.def(
      "material_presets", [] { return material_presets(); },
      "The named materials that `material.NAME.preset` starts from.");
}

}  // namespace firn::python
