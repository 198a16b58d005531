// What a [[force]] cannot be is refused at its key.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "firn/scene_file.h"
#include "firn/warnings.h"
#include "tests/support/expect_error.h"
#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

using Misuse = std::pair<std::string, std::function<void(ForceField&)>>;

TEST(ForceErrors, NameTheKey) {
  const std::vector<Misuse> misuses = {
      {"force.0.drag", [](ForceField& f) { f.drag = -1; }},
      {"force.0.velocity: air moves nothing without 'drag'",
       [](ForceField& f) {
         f.acceleration.component[0].constant = f.velocity.component[0].constant = 1;
       }},
      {"force.0.acceleration.1",
       [](ForceField& f) { f.acceleration.component[1].expression = "x +"; }},
      {"force.0.materials.0",
       [](ForceField& f) {
         f.drag = 1;
         f.materials = {4};
       }},
      {"force.0.shape.radius",
       [](ForceField& f) {
         f.drag = 1;
         f.shape = sphere({}, -1);
       }},
  };
  Scene scene = empty_scene(2, 0.1);
  scene.materials = {elastic("jelly")};
  scene.bodies = {body("ball", 0, sphere({}, 0.4))};
  ASSERT_NO_THROW(validate(scene));
  for (const auto& [words, misuse] : misuses) {
    SCOPED_TRACE(words);
    Scene wrong = scene;
    wrong.forces.emplace_back().name = "wind";
    misuse(wrong.forces[0]);
    expect_error(ErrorCategory::kScene, {words}, [&] { validate(wrong); });
  }
}

TEST(ForceErrors, MaterialsOfOthersAreUnknown) {
  expect_error(ErrorCategory::kScene, {"unknown materials 'snow'"}, [] {
    parse_scene(
        "[simulation]\ndimension = 2\n[grid]\ndx = 0.1\n[material.jelly]\n"
        "preset = \"water\"\n[[body]]\nmaterial = \"jelly\"\n"
        "shape = { type = \"sphere\", center = [0, 0], radius = 0.4 }\n"
        "[[force]]\ndrag = 1\nmaterials = [\"snow\"]\n",
        "s.toml", "");
  });
}

// As one that a sweep over its strength has.
TEST(ForceErrors, ZeroIsAnAccelerationThatIsToldOf) {
  const std::string text =
      "[simulation]\ndimension = 2\n[grid]\ndx = 0.1\n[material.jelly]\n"
      "preset = \"water\"\n[[body]]\nmaterial = \"jelly\"\n"
      "shape = { type = \"sphere\", center = [0, 0], radius = 0.4 }\n[[force]]\n";
  expect_error(ErrorCategory::kScene, {"a force needs 'acceleration' or 'drag'"},
               [&] { parse_scene(text, "s.toml", ""); });
  Scene scene = parse_scene(text + "acceleration = [0, 0]\n", "s.toml", "");
  EXPECT_NO_THROW(validate(scene));
  const auto told = [&] {
    const std::vector<std::string> warnings = scene_warnings(scene);
    return std::any_of(warnings.begin(), warnings.end(), [](const std::string& w) {
      return w.find("force \"force0\" does nothing") != std::string::npos;
    });
  };
  EXPECT_TRUE(told());
  scene.forces[0].acceleration.component[2].constant = 1;  // not in the plane
  EXPECT_TRUE(told());
  scene.forces[0].acceleration.component[1].expression = "t";
  EXPECT_FALSE(told());
}

TEST(ForceErrors, WhatMaterialMovesFeelsNone) {
  Scene scene = parse_scene(
      "[simulation]\ndimension = 2\n[grid]\ndx = 0.1\n[material.jelly]\n"
      "preset = \"water\"\n[[body]]\nmaterial = \"jelly\"\n"
      "shape = { type = \"sphere\", center = [0, 0], radius = 0.4 }\n"
      "[[force]]\nname = \"wind\"\nacceleration = [1, 0]\n"
      "[[collider]]\nname = \"ram\"\ndensity = 400\n"
      "shape = { type = \"sphere\", center = [2, 0], radius = 0.4 }\n",
      "s.toml", "");
  const auto told = [&] {
    const std::vector<std::string> warnings = scene_warnings(scene);
    return std::any_of(warnings.begin(), warnings.end(), [](const std::string& w) {
      return w.find("force \"wind\" acts on material alone") != std::string::npos &&
             w.find("\"ram\"") != std::string::npos;
    });
  };
  EXPECT_TRUE(told());
  scene.colliders[0].dynamics.reset();
  EXPECT_FALSE(told());
}

}  // namespace
}  // namespace firn::test
