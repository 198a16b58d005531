#include "src/app/recorded_bodies.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "src/render/collider_view.h"
#include "src/scene/mass_properties.h"

namespace firn::app {
namespace {

using Json = nlohmann::json;

std::size_t collider_of(const Scene& scene, const std::string& name) {
  std::size_t i = 0;
  while (i < scene.colliders.size() && scene.colliders[i].name != name) ++i;
  return i;
}

}  // namespace

RecordedBodies::RecordedBodies(const Scene& scene, const RunDirectory& directory)
    : scene_(scene), pivots_(scene.colliders.size()) {
  const auto moves = [](const Collider& collider) { return collider.dynamics.has_value(); };
  if (std::none_of(scene.colliders.begin(), scene.colliders.end(), moves)) return;
  const std::vector<RigidMass> masses = rigid_masses(scene);
  for (std::size_t i = 0, body = 0; i < scene.colliders.size(); ++i)
    if (moves(scene.colliders[i])) {
      const RigidMass& mass = masses[body++];
      for (int a = 0; a < 3; ++a) pivots_[i][static_cast<std::size_t>(a)] = mass.center[a];
    }
  std::ifstream file(directory.stats());
  for (std::string line; std::getline(file, line);) try {
      const Json json = Json::parse(line);
      auto& bodies = frames_[json.at("frame").get<int>()];
      for (const Json& body : json.at("bodies")) {
        const std::size_t i = collider_of(scene, body.at("collider").get<std::string>());
        if (i == scene.colliders.size()) continue;
        Body& known = bodies[i];
        known.center = body.at("center_of_mass");
        known.state.dynamic = true;
        known.state.rotation = body.at("rotation");
        known.state.velocity = body.at("velocity");
        known.state.angular_velocity = body.at("angular_velocity");
      }
    } catch (const Json::exception&) {
    }
}

std::vector<ColliderState> RecordedBodies::at(int frame, double time) const {
  std::vector<ColliderState> states = scripted_colliders(scene_, time);
  const auto found = frames_.find(frame);
  if (found == frames_.end()) return states;
  for (const auto& [i, body] : found->second) {
    states[i] = body.state;
    states[i].time = time;
    states[i].pivot = pivots_[i];
    for (std::size_t a = 0; a < 3; ++a) states[i].translation[a] = body.center[a] - pivots_[i][a];
  }
  return states;
}

bool RecordedBodies::knows(int frame) const {
  const auto found = frames_.find(frame);
  for (std::size_t i = 0; i < scene_.colliders.size(); ++i)
    if (scene_.colliders[i].dynamics && (found == frames_.end() || !found->second.contains(i)))
      return false;
  return true;
}

}  // namespace firn::app
