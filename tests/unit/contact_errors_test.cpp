// What a [[contact]] cannot be is refused at its key.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "firn/scene_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

Scene two_materials() {
  Scene scene = empty_scene(2, 0.1);
  scene.materials = {elastic("jelly"), elastic("rubber"), elastic("foam")};
  scene.bodies = {body("ball", 0, sphere({}, 0.4)), body("other", 1, sphere({1, 0, 0}, 0.4))};
  return scene;
}

TEST(ContactErrors, NameTheKey) {
  const std::vector<std::pair<std::string, std::vector<MaterialContact>>> misuses = {
      {"contact.0.friction", {{{0, 1}, -0.1}}},
      {"contact.0: a [[contact]] needs either 'materials' or 'bodies'", {{{}, 0}}},
      {"contact.0.materials: 'materials' must", {{{0}, 0}}},
      {"contact.0.materials.1", {{{0, 7}, 0}}},
      {"lists \"jelly\" twice", {{{0, 0}, 0}}},
      {"'jelly' and 'foam' touch in another [[contact]] already",
       {{{0, 1, 2}, 0.1}, {{2, 0}, 0.2}}},
  };
  ASSERT_NO_THROW(validate(two_materials()));
  for (const auto& [words, contacts] : misuses) {
    SCOPED_TRACE(words);
    Scene wrong = two_materials();
    wrong.contacts = contacts;
    expect_error(ErrorCategory::kScene, {words}, [&] { validate(wrong); });
  }
}

TEST(ContactErrors, AtMostFourteenTouch) {
  Scene scene = two_materials();
  MaterialContact all;
  for (int m = 3; m < 15; ++m) scene.materials.push_back(elastic("m" + std::to_string(m)));
  for (int m = 0; m < 14; ++m) all.materials.push_back(m);
  scene.contacts = {all};
  EXPECT_NO_THROW(validate(scene));
  scene.contacts[0].materials.push_back(14);
  expect_error(ErrorCategory::kScene,
               {"at most 14 materials and bodies may touch others, found 15"},
               [&] { validate(scene); });
}

TEST(ContactErrors, OtherIntegratorsHaveNone) {
  Scene scene = two_materials();
  scene.contacts = {{{0, 1}, 0.1}};
  ASSERT_NO_THROW(validate(scene));
  scene.simulation.integrator = Integrator::kOptimization;
  expect_error(ErrorCategory::kScene, {"contact.0", "integrator \"explicit\" alone"},
               [&] { validate(scene); });
}

constexpr char kTwoBalls[] =
    "[simulation]\ndimension = 2\n[grid]\ndx = 0.1\n"
    "[material.jelly]\npreset = \"rubber\"\n[material.more]\npreset = \"jello\"\n"
    "[[body]]\nname = \"one\"\nmaterial = \"jelly\"\n"
    "shape = { type = \"sphere\", center = [0, 0], radius = 0.4 }\n"
    "[[body]]\nname = \"two\"\nmaterial = \"jelly\"\n"
    "shape = { type = \"sphere\", center = [1, 0], radius = 0.4 }\n"
    "[[force]]\nacceleration = [1, 0]\nmaterials = [\"jelly\"]\n";

TEST(ContactErrors, AFileSaysWhatTheStructDoes) {
  const Scene scene = parse_scene(
      std::string(kTwoBalls) + "[[contact]]\nmaterials = [\"more\", \"jelly\"]\nfriction = 0.25\n",
      "s.toml", "");
  const std::vector<MaterialContact> expected = {{{1, 0}, 0.25}};
  EXPECT_EQ(scene.contacts, expected);
  EXPECT_EQ(parse_scene(scene.resolved_toml, "s.toml", "").contacts, expected);
  EXPECT_NO_THROW(validate(scene));
}

TEST(ContactErrors, BodiesOfUnknownMaterialsTouchNothing) {
  expect_error(ErrorCategory::kScene, {"unknown material 'gone' (the scene has: none)"}, [] {
    parse_scene(
        "[simulation]\ndimension = 2\n[grid]\ndx = 0.1\n[[body]]\nname = \"one\"\n"
        "material = \"gone\"\nshape = { type = \"sphere\", center = [0, 0], radius = 0.4 }\n"
        "[[body]]\nname = \"two\"\nmaterial = \"gone\"\n"
        "shape = { type = \"sphere\", center = [1, 0], radius = 0.4 }\n"
        "[[contact]]\nbodies = [\"one\", \"two\"]\n",
        "s.toml", "");
  });
}

// Forces and contacts of what it was made of stay with it.
TEST(ContactErrors, ABodyThatTouchesHasAMaterialOfItsOwn) {
  const Scene scene = parse_scene(std::string(kTwoBalls) +
                                      "[[contact]]\nmaterials = [\"jelly\", \"more\"]\n"
                                      "friction = 0.5\n"
                                      "[[contact]]\nbodies = [\"one\", \"two\"]\nfriction = 0.1\n",
                                  "s.toml", "");
  ASSERT_EQ(scene.materials.size(), 4u);
  EXPECT_EQ(scene.materials[2].name, "jelly (one)");
  EXPECT_EQ(scene.materials[3].youngs_modulus, scene.materials[0].youngs_modulus);
  EXPECT_EQ(scene.bodies[0].material, 2);
  EXPECT_EQ(scene.bodies[1].material, 3);
  EXPECT_EQ(scene.forces[0].materials, (std::vector<int>{0, 2, 3}));
  const std::vector<MaterialContact> expected = {
      {{0, 1}, 0.5}, {{2, 3}, 0.1}, {{2, 1}, 0.5}, {{3, 1}, 0.5}};
  EXPECT_EQ(scene.contacts, expected);
  EXPECT_NO_THROW(validate(scene));
  EXPECT_EQ(parse_scene(scene.resolved_toml, "s.toml", "").contacts, expected);
}

}  // namespace
}  // namespace firn::test
