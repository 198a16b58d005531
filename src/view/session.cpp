#include "src/view/session.h"

#include <algorithm>
#include <utility>

namespace firn::view {
namespace {

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

const char* name_of(Phase phase) {
  switch (phase) {
    case Phase::kFilling:
      return "filling";
    case Phase::kRunning:
      return "running";
    case Phase::kPaused:
      return "paused";
    case Phase::kEnded:
      return "ended";
    case Phase::kFailed:
      return "failed";
  }
  return "";
}

// Row-major rotation, then the translation that takes the pivot's turn in.
Json pose_of(const ColliderState& state) {
  Json pose = Json::array();
  for (const double entry : state.rotation) pose.push_back(entry);
  for (std::size_t i = 0; i < 3; ++i) {
    double offset = state.pivot[i] + state.translation[i];
    for (std::size_t j = 0; j < 3; ++j) offset -= state.rotation[3 * i + j] * state.pivot[j];
    pose.push_back(offset);
  }
  return pose;
}

}  // namespace

void Session::changed() {
  ++version_;
  change_.notify_all();
}

void Session::set_phase(Phase phase, const std::string& message) {
  const std::lock_guard lock(mutex_);
  phase_ = phase;
  message_ = message;
  changed();
}

void Session::set_filling(double part) {
  const std::lock_guard lock(mutex_);
  filling_ = part;
  changed();
}

void Session::set_pace(const Pace& pace) {
  const std::lock_guard lock(mutex_);
  pace_ = pace;
  changed();
}

void Session::add(Picture picture) {
  const std::lock_guard lock(mutex_);
  store_.add(std::move(picture));
  changed();
}

void Session::replace_newest(Picture picture) {
  const std::lock_guard lock(mutex_);
  store_.replace_newest(std::move(picture));
  changed();
}

void Session::add_row(LedgerRow row) {
  const std::lock_guard lock(mutex_);
  rows_.push_back(std::move(row));
  changed();
}

bool Session::is_watched() const { return now_ms() - asked_at_.load() < 5000; }

std::string Session::costly() const {
  const std::lock_guard lock(mutex_);
  return costly_;
}

Json Session::state_now(std::size_t rows) const {
  Json pictures = Json::array();
  for (const auto& p : store_.all()) pictures.push_back({p->number, p->frame, p->time, p->passing});
  Json ledger = Json::array();
  for (std::size_t i = rows; i < rows_.size(); ++i) ledger.push_back(rows_[i]);
  return {{"version", version_},     {"epoch", epoch_},
          {"beginning", beginning_}, {"phase", name_of(phase_)},
          {"message", message_},     {"filling", filling_},
          {"steps", pace_.steps},    {"particles", pace_.particles},
          {"dt", pace_.dt},          {"steps_per_second", pace_.steps_per_second},
          {"device", pace_.device},  {"thinned", store_.thinned()},
          {"pictures", pictures},    {"first_row", std::min(rows, rows_.size())},
          {"rows", ledger}};
}

Json Session::state(std::uint64_t version, std::size_t rows, std::chrono::milliseconds most) {
  asked_at_ = now_ms();
  std::unique_lock lock(mutex_);
  change_.wait_for(lock, most, [&] { return version_ != version || closed_; });
  asked_at_ = now_ms();
  return state_now(rows);
}

std::shared_ptr<const Picture> Session::picture_with(std::uint64_t number,
                                                     const std::string& channel) {
  asked_at_ = now_ms();
  for (const ViewChannel& c : channels_)
    if (c.name == channel) costly_ = c.costly ? channel : "";
  return store_.find(number);
}

std::optional<std::string> Session::points(std::uint64_t number, const std::string& channel,
                                           std::size_t first, std::size_t count) {
  std::shared_ptr<const Picture> picture;
  {
    const std::lock_guard lock(mutex_);
    picture = picture_with(number, channel);
  }
  if (picture == nullptr) return std::nullopt;
  const Channel* shown = picture->find(channel);
  const Levels* levels = shown != nullptr ? shown->levels.get() : nullptr;
  Json poses = Json::array();
  for (const ColliderState& state : picture->colliders) poses.push_back(pose_of(state));
  first = std::min(first, picture->points());
  const Json header{{"number", number},
                    {"frame", picture->frame},
                    {"time", picture->time},
                    {"passing", picture->passing},
                    {"particles", picture->particles},
                    {"points", picture->points()},
                    {"first", first},
                    {"count", std::min(count, picture->points() - first)},
                    {"origin", picture->places.origin},
                    {"extent", picture->places.extent},
                    {"kept", shown != nullptr},
                    {"values_of", shown != nullptr ? shown->frame : -1},
                    {"earlier", shown != nullptr && shown->earlier},
                    {"low", levels != nullptr ? levels->low : 0},
                    {"high", levels != nullptr ? levels->high : 0},
                    {"begin", levels != nullptr ? levels->begin : 0},
                    {"end", levels != nullptr ? levels->end : 0},
                    {"tracers", picture->tracers.places.points()},
                    {"poses", poses}};
  return packed(header, packed_points(picture->places, levels, first, count));
}

std::optional<std::string> Session::tracers(std::uint64_t number, std::size_t first,
                                            std::size_t count) {
  std::shared_ptr<const Picture> picture;
  TracedBodies traced;
  {
    const std::lock_guard lock(mutex_);
    picture = picture_with(number, "");
    traced = traced_;
  }
  if (picture == nullptr) return std::nullopt;
  const PictureTracers& tracers = picture->tracers;
  first = std::min(first, tracers.places.points());
  const std::vector<bool> bits = first == 0 ? traced.stood_for(*picture) : std::vector<bool>();
  const Json header{{"number", number},
                    {"tracers", tracers.all},
                    {"points", tracers.places.points()},
                    {"first", first},
                    {"count", std::min(count, tracers.places.points() - first)},
                    {"origin", tracers.places.origin},
                    {"extent", tracers.places.extent},
                    {"low", 0},
                    {"high", 0}};
  return packed(
      header, packed_points(tracers.places, tracers.body.get(), first, count) + packed_bits(bits));
}

std::optional<std::string> Session::surfaces(std::uint64_t number, const std::string& channel,
                                             bool traced) {
  std::shared_ptr<const Picture> picture;
  std::shared_ptr<PictureSurfaces> surfaces;
  TracedBodies bodies;
  {
    const std::lock_guard lock(mutex_);
    picture = picture_with(number, channel);
    surfaces = surfaces_;
    bodies = traced_;
  }
  if (picture == nullptr || surfaces == nullptr) return std::nullopt;
  const SurfaceMeshes meshes =
      surfaces->of(*picture, channel, traced ? bodies.stood_for(*picture) : std::vector<bool>());
  asked_at_ = now_ms();
  const Json header{{"number", number},
                    {"vertices", meshes.vertices()},
                    {"triangles", meshes.triangles.size() / 3},
                    {"opaque", meshes.opaque / 3},
                    {"points", meshes.covered.size()},
                    {"origin", meshes.places.origin},
                    {"extent", meshes.places.extent},
                    {"category", !meshes.color.empty()},
                    {"low", meshes.levels.low},
                    {"high", meshes.levels.high}};
  return packed(header, packed_surfaces(meshes));
}

Json Session::scene() const {
  const std::lock_guard lock(mutex_);
  return scene_;
}

std::string Session::solids() const {
  const std::lock_guard lock(mutex_);
  return solids_;
}

void Session::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  change_.notify_all();
}

std::string packed(const Json& header, const std::string& body) {
  std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.append((8 - (4 + text.size()) % 8) % 8, ' ');
  const auto length = static_cast<std::uint32_t>(text.size());
  std::string bytes;
  bytes.reserve(4 + text.size() + body.size());
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(length >> (8 * i) & 255);
  return bytes.append(text).append(body);
}

}  // namespace firn::view
