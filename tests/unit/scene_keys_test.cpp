// The rows of the scene's tables: what the parser asks for has a row, and what has a row is asked
// for.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>

#include "src/scene/parse.h"
#include "src/scene/reference.h"

namespace firn::scene {
namespace {

using Keys = std::set<const Key*>;

// A scene with all tables and shapes that there are. Nearly everything in it is missing or wrong,
// which keeps nobody from asking for the rest.
std::string everything(int dimension, std::string_view integrator, bool heat) {
  std::string text = fmt::format(R"TOML(
simulation = {{ dimension = {}, integrator = "{}" }}
transfer = {{}}
time = {{}}
fluid = {{}}
implicit = {{}}
tracers = {{}}
grid.domain = {{ boundary = {{}}, friction = {{}}, temperature = {{}} }}
thermal = {{ heat = {}, force_solve = {{}}, pressure_solve = {{}}, heat_solve = {{}} }}
material.m = {{ model = "corotated_deviatoric", heat_capacity = {{}}, conductivity = {{}} }}
output.camera = {{ motion = {{}} }}
diagnostics = {{}}
source = [{{}}]
sink = [{{}}]
force = [{{}}]
contact = [{{}}, {{ bodies = [] }}]
heat_source = [{{}}]
collider = [{{ motion = {{ times = [0] }} }}]
)TOML",
                                 dimension, integrator, heat);
  for (const Subtype& type : kShape.types)
    text += fmt::format("[[body]]\nshape = {{ type = \"{}\" }}\n", type.name);
  for (const Subtype& type : kInstances.types)
    text += fmt::format("[[body]]\nplace = {{}}\ninstances = {{ type = \"{}\" }}\n", type.name);
  for (const Subtype& type : kSensor.types)
    text += fmt::format("[[sensor]]\ntype = \"{}\"\n", type.name);
  return text + "[[body]]\nshape = { type = \"height_field\", file = \"a.png\" }\n";
}

Keys asked_for(const std::string& text) {
  Findings findings;
  Keys asked;
  ReadContext context{findings, 3, &asked};
  parse_tree(parse_document(text, "s.toml"), context);
  return asked;
}

Keys all_rows() {
  Keys rows;
  for (const Table* table : all_tables())
    for (const Key& key : table->keys) rows.insert(&key);
  return rows;
}

std::string name_of(const Key* key) {
  for (const Table* table : all_tables())
    if (!table->keys.empty() && key >= &table->keys.front() && key <= &table->keys.back())
      return fmt::format("{} of {}", key->name, table->name);
  return fmt::format("{} of no table", key->name);
}

TEST(SceneKeys, RowsAreWhatTheParserAsksFor) {
  Keys asked;
  for (const int dimension : {2, 3})
    for (const char* integrator : {"explicit", "optimization", "incompressible", "thermal"})
      for (const bool heat : {true, false})
        asked.merge(asked_for(everything(dimension, integrator, heat)));
  const Keys rows = all_rows();
  EXPECT_GT(rows.size(), 150U);
  for (const Key* key : rows)
    EXPECT_TRUE(asked.contains(key)) << name_of(key) << " has a row that nothing reads";
  for (const Key* key : asked)
    EXPECT_TRUE(rows.contains(key)) << name_of(key) << " is asked for and cannot be reached";
}

TEST(SceneKeys, NothingElseCanBeAskedFor) {
  Findings findings;
  ReadContext context{findings};
  const Node node;
  TableReader table(node, kTime, context);
  double value = 0;
  EXPECT_THROW(table.read("dt_mx", value), std::logic_error);
  EXPECT_THROW(table.find("dx"), std::logic_error);
  EXPECT_THROW(table.refuse("dx", ""), std::logic_error);
  EXPECT_THROW(table.fail("dx", ""), std::logic_error);
}

TEST(SceneKeys, RowsAreComplete) {
  for (const Table* table : all_tables()) {
    std::set<std::string_view> names;
    for (const Key& key : table->keys) {
      SCOPED_TRACE(name_of(&key));
      EXPECT_TRUE(names.insert(key.name).second);
      EXPECT_FALSE(key.about.empty());
      EXPECT_EQ(key.kind == Kind::kChoice, !key.all_words().empty());
      EXPECT_EQ(key.kind == Kind::kTable || key.kind == Kind::kNamedTables, key.table != nullptr);
      EXPECT_TRUE(key.stand_in.empty() || table->find(key.stand_in) != nullptr);
    }
  }
}

TEST(SceneKeys, ModelsHaveKeysThatThereAre) {
  Scene thermal;
  thermal.simulation.integrator = Integrator::kThermal;
  for (const Scene& scene : {Scene{}, thermal})
    for (const ModelKeys& model : material_models())
      for (const std::string_view key : model_keys(scene, model))
        EXPECT_NE(kMaterial.find(key), nullptr) << model.name << ": " << key;
}

TEST(SceneKeys, DefaultsAreThoseOfTheScene) {
  const auto default_number = [](const Table& table, std::string_view key) {
    return default_of(*table.find(key))->number;
  };
  EXPECT_EQ(default_number(kTime, "dt_max"), TimeSettings{}.dt_max);
  EXPECT_EQ(default_number(kSimulation, "frames"), SimulationSettings{}.frames);
  EXPECT_NEAR(default_number(kCamera, "fov"), Camera{}.fov * 180 / 3.141592653589793, 1e-12);
  EXPECT_EQ(write_value(*default_of(*kTransfer.find("type"))), "\"apic\"");
  EXPECT_EQ(write_value(*default_of(*kThermal.find("heat_solve"))),
            "{ tolerance = 1e-08, max_iterations = 500 }");
  EXPECT_FALSE(default_of(*kGrid.find("dx")));
  EXPECT_FALSE(default_of(*kMaterial.find("poisson_ratio")));
}

}  // namespace
}  // namespace firn::scene
