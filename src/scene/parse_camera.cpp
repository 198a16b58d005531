// output.camera: where it stands, and how it moves.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "src/scene/key_frames.h"

namespace firn::scene {
namespace {

// Rays are traced in single precision, which squares distances.
constexpr Range kInSight = Range::closed(-1e12, 1e12);
constexpr Range kAngles = Range::open(0, 180);
constexpr Key kCameraKeys[] = {
    key<&Camera::eye>("eye", "where it stands",
                      {.unit = "m", .range = kInSight, .required = true, .stand_in = "motion"}),
    key<&Camera::target>("target", "what it looks at",
                         {.unit = "m", .range = kInSight, .required = true, .stand_in = "motion"}),
    key<&Camera::up>(
        "up", "what is up in the picture",
        {.otherwise = "against gravity; along y where there is none", .value = no_default}),
    key<&Camera::fov>("fov", "angle from the bottom to the top of the picture",
                      {.kind = Kind::kAngle, .unit = "degrees", .range = kAngles}),
    key<&Camera::orbit>("orbit",
                        "how fast it goes round `target` about `up`, from time 0 on; against the "
                        "clock seen from above",
                        {.kind = Kind::kAngle, .unit = "degrees/s"}),
    table_key("motion", kCameraMotion, "how it moves", {.otherwise = "at rest, but for `orbit`"}),
};

constexpr Choice<int> kMotions[] = {
    {"keyframes", 0,
     "smooth in time: velocities have no jumps, and are zero at the first and the last key"}};
constexpr KeyDetails of_keys(Kind kind, std::string_view unit, Range range) {
  return {.kind = kind,
          .unit = unit,
          .range = range,
          .list = Count{},
          .otherwise = "as the camera's own",
          .by_hand = true,
          .value = no_default};
}
constexpr Key kCameraMotionKeys[] = {
    key("type", "of motion",
        {.kind = Kind::kChoice, .required = true, .words = kWordsOf<kMotions>}),
    key<&CameraKeys::times>(
        "times", "of the key frames, increasing",
        {.kind = Kind::kNumber, .unit = "s", .list = Count{1}, .required = true, .by_hand = true}),
    key<&CameraKeys::eye>("eye", "at each of the times, in place of the camera's own",
                          of_keys(Kind::kVector, "m", kInSight)),
    key<&CameraKeys::target>("target", "the same", of_keys(Kind::kVector, "m", kInSight)),
    key<&CameraKeys::fov>("fov", "the same", of_keys(Kind::kAngle, "degrees", kAngles)),
};

// Nothing if any of it is wrong.
std::optional<CameraKeys> parse_keys(TableReader& table) {
  CameraKeys keys;
  std::size_t only = 0;
  const bool known = table.read_word("type", only, "motion type");
  read_times(table, keys.times);
  const Node* times = table.at("times");
  for (const char* list : {"eye", "target", "fov"}) table.find(list);
  table.finish();
  if (times == nullptr || !times->is(NodeType::kArray)) return std::nullopt;
  const std::size_t count = times->items.size();
  const auto point = [](const Node& item, std::string_view what, Vec3& out, ReadContext& c) {
    return read_vector(item, what, out, c, kInSight);
  };
  const auto angle = [](const Node& item, std::string_view what, double& out, ReadContext& c) {
    double degrees = 0;
    if (!read_number(item, what, kAngles, degrees, c)) return false;
    out = radians(degrees);
    return true;
  };
  bool valid = read_frames(table, "eye", count, keys.eye, point);
  valid &= read_frames(table, "target", count, keys.target, point);
  valid &= read_frames(table, "fov", count, keys.fov, angle);
  const bool increase = !keys.times.empty() && keys.times.size() == count &&
                        std::adjacent_find(keys.times.begin(), keys.times.end(),
                                           std::greater_equal<>()) == keys.times.end();
  return valid && known && increase ? std::optional(std::move(keys)) : std::nullopt;
}

double length(const Vec3& x) { return std::hypot(x[0], x[1], x[2]); }
double product(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Vec3 view_of(const Camera& camera) {
  Vec3 view;
  for (std::size_t c = 0; c < 3; ++c) view[c] = camera.target[c] - camera.eye[c];
  return view;
}

// Sine of the angle between two vectors, 0 if one of them is zero.
double sine_between(const Vec3& a, const Vec3& b) {
  const double lengths = length(a) * length(b);
  return lengths > 0 ? length(cross(a, b)) / lengths : 0;
}

// Why this is no view, beginning with "the camera's", and the key that is to blame; empty if it is
// one.
struct Fault {
  std::string_view key, what;
};
Fault fault_of(const Camera& camera) {
  constexpr double kSmallestSine = 1e-6;  // below it the horizon is round-off
  if (!(length(view_of(camera)) > 0))
    return {"target", "the camera's 'eye' and 'target' must differ"};
  if (sine_between(view_of(camera), camera.up) < kSmallestSine)
    return {"up", "the camera's 'up' must not be zero or parallel to the view direction"};
  return {};
}

// As the automatic camera has it, but for one that looks straight down or up.
Vec3 up_for(const Camera& camera, const Vec3& gravity) {
  Camera chosen = camera;
  const double g = length(gravity);
  for (std::size_t c = 0; g > 0 && c < 3; ++c) chosen.up[c] = -gravity[c] / g;
  return camera.motion || fault_of(chosen).what.empty() ? chosen.up : camera.up;
}

// At the keys and, where they are views, on the way from one to the next, where the picture must
// not turn over.
void check_way(TableReader& motion, const Camera& camera) {
  Camera way = camera;
  way.orbit = 0;  // which turns all alike
  const std::vector<double>& times = camera.motion->times;
  for (std::size_t k = 0; k < times.size(); ++k) {
    const Fault fault = fault_of(way.at(times[k]));
    if (fault.what.empty()) continue;
    const Node* list = motion.at("target") ? motion.at("target") : motion.at("eye");
    motion.fail(list ? list->items[k] : motion.node(),
                fmt::format("{}, at {} s", fault.what, times[k]));
    return;
  }
  constexpr int kLooks = 64;  // from one key to the next
  for (std::size_t k = 0; k + 1 < times.size(); ++k) {
    Vec3 right = cross(view_of(way.at(times[k])), camera.up);
    for (int i = 1; i <= kLooks; ++i) {
      const double time = times[k] + (times[k + 1] - times[k]) * i / kLooks;
      const Camera there = way.at(time);
      const Vec3 next = cross(view_of(there), camera.up);
      const bool turned_over = product(right, next) < 0;
      right = next;
      if (!turned_over && fault_of(there).what.empty()) continue;
      motion.fail("times",
                  fmt::format("the picture turns over between {} and {} s, at {:.3g} s, where the "
                              "camera comes upon its 'target' or looks along 'up'; lead it past by "
                              "a key in between, or choose another 'up'",
                              times[k], times[k + 1], time));
      return;
    }
  }
}

}  // namespace

constinit const Table kCamera = {
    "output.camera", "The view of pictures in 3D; pictures in 2D frame the scene by themselves.",
    kCameraKeys};
constinit const Table kCameraMotion = {
    "output.camera.motion", "How the camera moves, through key frames.", kCameraMotionKeys};

Camera parse_camera(const Node& node, const Vec3& gravity, ReadContext& context) {
  Camera camera;
  TableReader table(node, kCamera, context);
  if (!node.is(NodeType::kTable)) return camera;
  if (context.is_2d()) {
    table.fail(node, "a camera needs dimension = 3; 2D pictures frame the scene by themselves");
    return camera;
  }
  bool eye = table.read("eye", camera.eye), target = table.read("target", camera.target);
  const bool up = table.read("up", camera.up) || !table.has("up");
  if (!table.has("up")) camera.up = up_for(camera, gravity);
  table.read("fov", camera.fov);
  table.read("orbit", camera.orbit);
  const Node* motion = table.find("motion");
  table.finish();
  if (motion == nullptr) {
    if (const Fault fault = fault_of(camera); eye && target && up && !fault.what.empty())
      table.fail(fault.key, fault.what);
    return camera;
  }
  TableReader keys(*motion, kCameraMotion, context);
  if (!motion->is(NodeType::kTable)) return camera;
  camera.motion = parse_keys(keys);
  for (const auto& [key, given] : {std::pair("eye", &eye), std::pair("target", &target)}) {
    if (!table.has(key) && !keys.has(key)) table.require(key);
    *given = *given || keys.has(key);
  }
  if (!(length(camera.up) > 0))
    table.fail("up", "the camera's 'up' must not be zero");
  else if (eye && target && up && camera.motion)
    check_way(keys, camera);
  return camera;
}

}  // namespace firn::scene
