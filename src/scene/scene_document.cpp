// From a scene's structs to the tables of a file, by the rows that read them; by hand only what is
// read by hand.
#include "src/scene/scene_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "firn/error.h"
#include "src/scene/parse.h"
#include "src/scene/thing_names.h"

namespace firn::scene {
namespace {

using Words = std::vector<std::string_view>;

constexpr Key kPlain = key("", "", {.kind = Kind::kNumber});

void add(Node& table, std::string_view name, std::optional<Node> value) {
  if (value) table.entries.push_back({std::string(name), {}, std::move(*value)});
}

template <class T>
void add_value(Node& table, std::string_view name, const T& value) {
  add(table, name, node_of(value, kPlain));
}

template <class T>
void add_names(Node& table, std::string_view key, const std::vector<int>& indices,
               std::string_view kind, const std::vector<T>& things) {
  std::vector<Node> names;
  names.reserve(indices.size());
  for (const int i : indices) names.push_back(*node_of(name_at(i, kind, things), kPlain));
  if (!names.empty()) add(table, key, array_node(std::move(names)));
}

bool listed(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

class SceneWriter {
 public:
  explicit SceneWriter(const Scene& scene)
      : scene_(scene), is_2d_(scene.simulation.dimension == 2) {}

  Node document() const {
    Node root;
    SimulationSettings simulation = scene_.simulation;
    simulation.seed &= std::numeric_limits<std::int64_t>::max();  // files have signed integers
    add(root, "simulation", section(kSimulation, simulation));
    // What is left out of these depends on the integrator in a file.
    const TransferSettings& t = scene_.transfer;
    const bool forced = !traits_of(scene_).staggered || traits_of(scene_).unified;
    add(root, "transfer",
        section(kTransfer, t, forced ? Words{"kernel", "force"} : Words{"kernel"}));
    add(root, "time", section(kTime, scene_.time, {"dt_max"}));
    add(root, "grid", grid());
    const IntegratorTraits& traits = traits_of(scene_);
    if (traits.unified)
      add_if_said(root, "thermal", thermal());
    else if (traits.implicit)
      add_if_said(root, "implicit", section(kImplicit, scene_.implicit));
    else if (traits.staggered)
      add_if_said(root, "fluid", section(kFluid, scene_.fluid));
    add_if_said(root, "tracers", tracers());
    add_materials(root);
    add_list(root, "body", scene_.bodies, [&](const Body& b, int i) { return body(b, i); });
    add_list(root, "source", scene_.sources, [&](const Source& s, int) { return source(s); });
    add_list(root, "sink", scene_.sinks, [&](const Sink& s, int) { return named(s, kSink); });
    add_list(root, "collider", scene_.colliders,
             [&](const Collider& c, int) { return collider(c); });
    add_list(root, "force", scene_.forces, [&](const ForceField& f, int) { return force(f); });
    add_list(root, "contact", scene_.contacts,
             [&](const MaterialContact& c, int) { return contact(c); });
    add_list(root, "heat_source", scene_.heat_sources,
             [&](const HeatSource& s, int) { return named(s, kHeatSource); });
    add_list(root, "sensor", scene_.sensors, [&](const Sensor& s, int) { return sensor(s); });
    add(root, "output", output());
    add_if_said(root, "diagnostics", section(kDiagnostics, scene_.diagnostics));
    locate_by_path(root, "scene");
    return root;
  }

  template <class Keys>
  Node keyframes(const Table& rows, const Keys& keys) const {
    Node table;
    add_value(table, "type", std::string("keyframes"));
    for (Entry& entry : section(rows, keys).entries) table.entries.push_back(entry);
    return table;
  }

 private:
  // --- by rows ---

  // Vectors of 2D have a third entry in structs, which nothing may use but extents and fields, of
  // which nobody looks at it.
  static bool is_idle(const Key& row) {
    constexpr std::string_view kIdle[] = {"min", "max", "radii"};
    return row.kind == Kind::kVectorField ||
           (row.kind == Kind::kVector &&
            std::find(std::begin(kIdle), std::end(kIdle), row.name) != std::end(kIdle));
  }
  static bool is_zero(const Node& node) { return node.is(NodeType::kNumber) && node.number == 0; }
  Node fitted(Node node, const Key& row) const {
    if (!node.is(NodeType::kArray)) return node;
    if (row.list) {
      Key of_item = row;
      of_item.list.reset();
      for (Node& item : node.items) item = fitted(std::move(item), of_item);
      return node;
    }
    std::vector<Node>& entries = node.items;
    const bool turn = row.kind == Kind::kRotation;
    const bool vector =
        row.kind == Kind::kVector || row.kind == Kind::kVectorField || row.kind == Kind::kDirection;
    if (row.kind == Kind::kCorner) {
      if (is_2d_) return entries[0];
      entries.erase(entries.begin() + 1);
    } else if (is_2d_ && (turn || row.kind == Kind::kSpin)) {
      if (!turn || (entries[0].number == 0 && entries[1].number == 0)) return entries[2];
    } else if (is_2d_ && vector && (is_idle(row) || is_zero(entries[2]))) {
      entries.pop_back();
    }
    return node;
  }

  // The members of `owner` that a file must say, those that are not as it would take them to be,
  // and those of `always`.
  template <class S>
  void add_members(Node& table, const Table& rows, const S& owner, const Words& always = {}) const {
    for (const Key& row : rows.keys) {
      if (row.owner != &kOwner<S>) continue;
      std::optional<Node> value = row.written(row, &owner);
      if (!value) continue;
      const std::optional<Node> otherwise = row.written(row, nullptr);
      const bool said = row.required || !otherwise || listed(always, row.name) ||
                        write_value(*value) != write_value(*otherwise);
      if (said) add(table, row.name, fitted(std::move(*value), row));
    }
  }
  template <class S>
  Node section(const Table& rows, const S& owner, const Words& always = {}) const {
    Node table;
    add_members(table, rows, owner, always);
    return table;
  }
  // A table that says nothing is left out: it may belong to another integrator.
  static void add_if_said(Node& parent, std::string_view name, Node table) {
    if (!table.entries.empty()) add(parent, name, std::move(table));
  }
  template <class T, class Write>
  void add_list(Node& root, std::string_view name, const std::vector<T>& things,
                Write write) const {
    if (things.empty()) return;
    std::vector<Node> nodes;
    nodes.reserve(things.size());
    for (const T& thing : things) nodes.push_back(write(thing, static_cast<int>(nodes.size())));
    add(root, name, array_node(std::move(nodes)));
  }
  // Name, shape and what the rows say.
  template <class T>
  Node named(const T& thing, const Table& rows) const {
    Node table;
    add_value(table, "name", thing.name);
    add(table, "shape", shape(thing.shape, 0));
    add_members(table, rows, thing);
    return table;
  }

  // --- settings ---

  // A value for each face that the scene has.
  template <class T, class Write>
  void add_faces(Node& domain, std::string_view name, const std::array<T, 6>& faces,
                 Write write) const {
    Node table;
    for (std::size_t face = 0; face < (is_2d_ ? 4U : 6U); ++face)
      if (faces[face] != T{}) add(table, kFaces.keys[face].name, write(faces[face]));
    add_if_said(domain, name, std::move(table));
  }

  Node grid() const {
    Node table = section(kGrid, scene_.grid);
    if (!scene_.grid.domain) return table;
    const Domain& d = *scene_.grid.domain;
    Node domain = section(kDomain, d);
    add_faces(domain, "boundary", d.boundary, face_boundary);
    const auto plain = [](const auto& value) { return node_of(value, kPlain); };
    add_faces(domain, "friction", d.friction, plain);
    add_faces(domain, "temperature", d.temperature, plain);
    add(table, "domain", std::move(domain));
    return table;
  }

  Node thermal() const {
    const ThermalSettings& s = scene_.thermal;
    Node table = section(kThermal, s);
    const ThermalSettings otherwise;
    const auto add_solve = [&](std::string_view name, SolveSettings ThermalSettings::*solve) {
      if (s.*solve == otherwise.*solve) return;
      add(table, name, section(kSolve, s.*solve, {"tolerance", "max_iterations"}));
    };
    add_solve("force_solve", &ThermalSettings::force_solve);
    add_solve("pressure_solve", &ThermalSettings::pressure_solve);
    add_solve("heat_solve", &ThermalSettings::heat_solve);
    return table;
  }

  Node tracers() const {
    const TracerSettings& s = scene_.tracers;
    if (s == TracerSettings{}) return {};
    Node table = section(kTracers, s);
    add_names(table, "bodies", s.bodies, "body", scene_.bodies);
    return table;
  }

  Node output() const {
    Node table = section(kOutput, scene_.output);
    if (!scene_.output.camera) return table;
    Node camera = section(kCamera, *scene_.output.camera, {"up"});
    if (const auto& keys = scene_.output.camera->motion)
      add(camera, "motion", keyframes(kCameraMotion, *keys));
    add(table, "camera", std::move(camera));
    return table;
  }

  // --- materials ---

  std::string material_name(int index) const {
    return name_at(index, "material", scene_.materials);
  }

  void add_materials(Node& root) const {
    Node table;
    for (std::size_t i = 0; i < scene_.materials.size(); ++i)
      add(table, material_name(static_cast<int>(i)), material(scene_.materials[i]));
    add_if_said(root, "material", std::move(table));
  }

  Node material(const Material& m) const {
    const std::span<const ModelKeys> models = material_models();
    const auto model = std::find_if(models.begin(), models.end(),
                                    [&](const ModelKeys& k) { return k.model == m.model; });
    const bool known = model != models.end();
    Node all, table;
    Words always;
    if (known && !m.lame) always.assign(model->required.begin(), model->required.end());
    add_members(all, kMaterial, m, always);
    if (!m.youngs_modulus_of_temperature.empty())  // which stands in its place
      std::erase_if(all.entries, [](const Entry& e) { return e.key == "youngs_modulus"; });
    if (m.friction_angle == 0 && m.friction_hardening != std::array<double, 4>{})
      std::erase_if(all.entries, [](const Entry& e) { return e.key == "friction_angle"; });
    add_members(all, kMaterial, m.heat);
    const auto phases = [](const PhaseValues& v) {
      Node both;
      add_value(both, "solid", v.solid);
      add_value(both, "liquid", v.liquid);
      return both;
    };
    if (m.heat.capacity != PhaseValues{}) add(all, "heat_capacity", phases(m.heat.capacity));
    if (m.heat.conductivity != PhaseValues{}) add(all, "conductivity", phases(m.heat.conductivity));
    add_stiffness(all, m);
    add_value(table, "model", known ? std::string(model->name) : stray(static_cast<int>(m.model)));
    const Words meant = known ? model_keys(scene_, *model) : Words{};
    for (Entry& entry : all.entries)
      if (std::ranges::find(kOfAllMaterials, entry.key) != kOfAllMaterials.end() ||
          listed(meant, entry.key))
        table.entries.push_back(entry);
    return table;
  }

  static void add_stiffness(Node& table, const Material& m) {
    add(table, "youngs_modulus", node_of(m.youngs_modulus_of_temperature, kPlain));
    if (m.lame) {
      add_value(table, "shear_modulus", m.lame->mu);
      add_value(table, "lambda", m.lame->lambda);
    }
    if (m.friction_hardening == std::array<double, 4>{}) return;
    constexpr Key kAngle = key("", "", {.kind = Kind::kAngle});
    std::vector<Node> h;
    for (std::size_t i = 0; i < 4; ++i)
      h.push_back(*node_of(m.friction_hardening[i], i == 2 ? kPlain : kAngle));
    add(table, "friction_hardening", array_node(std::move(h)));
  }

  // --- what stands in space ---

  Node shape(const Shape& s, int depth) const {
    if (depth > kDeepestNesting)
      throw Error(ErrorCategory::kScene,
                  fmt::format("shapes are nested more than {} deep", kDeepestNesting));
    Node table = section(kShape, s);
    const Table* rows = nullptr;
    for (const Subtype& type : kShape.types)
      if (type.name == table.entries[0].value.text) rows = type.table;
    if (rows == nullptr) return table;
    const bool by_file = s.type == ShapeType::kHeightField && !s.file.empty();
    add_members(table, *rows, s, by_file ? Words{"low", "high"} : Words{"height"});
    std::vector<Node> children;
    for (const Shape& child : s.children) children.push_back(shape(child, depth + 1));
    const bool moves = s.type == ShapeType::kTransform;
    if (moves && children.size() == 1)
      add(table, "child", std::move(children[0]));
    else if (!children.empty() || rows->find("children") != nullptr)
      add(table, moves ? "child" : "children", array_node(std::move(children)));
    return table;
  }

  // Of a body or a source.
  template <class T>
  void add_start(Node& table, const T& thing) const {
    add_value(table, "material", material_name(thing.material));
    if (thing.particles_per_cell != 0)
      add_value(table, "particles_per_cell", thing.particles_per_cell);
    if (scene_.solves_heat()) add_value(table, "temperature", thing.temperature);
    if (thing.phase) add(table, "phase", word_node<Phase>(kPhases, *thing.phase, kPlain));
  }

  Node body(const Body& b, int index) const {
    Node table = named(b, kBody);
    if (b.name.empty()) add_value(table, "name", name_of(b, "body", index));
    add_start(table, b);
    return table;
  }

  void add_motion(Node& table, const std::optional<Keyframes>& keys) const {
    if (keys) add(table, "motion", keyframes(kMotion, *keys));
  }

  Node source(const Source& s) const {
    Node table = named(s, kSource);
    add_start(table, s);
    add_motion(table, s.motion);
    return table;
  }

  Node force(const ForceField& f) const {
    Node table;
    add_value(table, "name", f.name);
    if (f.shape) add(table, "shape", shape(*f.shape, 0));
    // One of the two is needed; an acceleration of zero is one that is off.
    add_members(table, kForce, f, f.drag > 0 ? Words{} : Words{"acceleration"});
    add_names(table, "materials", f.materials, "material", scene_.materials);
    return table;
  }

  Node contact(const MaterialContact& c) const {
    Node table = section(kContact, c);
    add_names(table, "materials", c.materials, "material", scene_.materials);
    return table;
  }

  Node collider(const Collider& c) const {
    Node table = named(c, kCollider);
    if (c.dynamics) add_members(table, kCollider, *c.dynamics);
    if (c.dynamics && c.dynamics->density == 0 && c.dynamics->mass == 0)
      add_value(table, "density", 0.0);  // one of them is needed
    add_motion(table, c.motion);
    return table;
  }

  Node sensor(const Sensor& s) const {
    Node table = section(kSensor, s);
    add_value(table, "name", s.name);
    const auto type = std::find_if(kSensor.types.begin(), kSensor.types.end(), [&](const auto& t) {
      return t.name == table.entries[0].value.text;
    });
    if (type == kSensor.types.end()) return table;
    add_members(table, *type->table, s);
    if (s.kind == SensorKind::kRegion) add(table, "shape", shape(s.shape, 0));
    add_names(table, "bodies", s.bodies, "body", scene_.bodies);
    add_names(table, "materials", s.materials, "material", scene_.materials);
    if (s.kind == SensorKind::kCollider ||
        (s.kind == SensorKind::kMotion && s.bodies.empty() && s.materials.empty()))
      add_value(table, "collider", name_at(s.collider, "collider", scene_.colliders));
    return table;
  }

  const Scene& scene_;
  bool is_2d_;
};

}  // namespace

Node document_of(const Scene& scene) { return SceneWriter(scene).document(); }

Node document_of(const Scene& scene, const Keyframes& motion, const std::string& path) {
  Node node = SceneWriter(scene).keyframes(kMotion, motion);
  locate_by_path(node, path);
  return node;
}

}  // namespace firn::scene
