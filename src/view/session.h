// What a viewer sees of a run, shared by the thread that makes it and the threads that serve it.
// Whoever waits is woken by every change; nobody waits for a viewer.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "firn/scene.h"
#include "src/render/view.h"
#include "src/view/picture_store.h"
#include "src/view/picture_surfaces.h"
#include "src/view/solids.h"
#include "src/view/traced_bodies.h"
#include "src/view/view_channels.h"

namespace firn::view {

using Json = nlohmann::ordered_json;

enum class Phase { kFilling, kRunning, kPaused, kEnded, kFailed };

// A row of the ledger: the values of ledger_columns(), which the page plots over the first one.
using LedgerRow = std::vector<double>;
std::vector<std::string> ledger_columns(const Scene& scene);
LedgerRow ledger_row(const Scene& scene, const FrameStats& stats);

// How a run is getting on, beside its pictures.
struct Pace {
  std::int64_t steps = 0, particles = 0;
  double dt = 0;                // s, of the last step
  double steps_per_second = 0;  // of wall time, lately
  std::string device;
};

class Session {
 public:
  // `live`: the run goes on, and can be steered.
  Session(bool live, std::size_t most_bytes) : live_(live), store_(most_bytes) {}

  // --- for the thread that makes the run ---

  // The scene, also another one that the run goes on with; `anew`: from its beginning, so that
  // pictures and ledger begin again.
  void set_scene(const Scene& scene, bool anew);
  void set_stage(const Scene& scene, const Snapshot& first);  // fixes the first camera
  void set_phase(Phase phase, const std::string& message = "");
  void set_filling(double part);  // of the work on the bodies
  void set_pace(const Pace& pace);
  void add(Picture picture);
  void replace_newest(Picture picture);  // by one of the same moment with another costly channel
  void add_row(LedgerRow row);
  // Whether somebody has asked for something within the last seconds; what costly channel they
  // want.
  bool is_watched() const;
  std::string costly() const;

  // --- for the threads that serve ---

  // Once there is another state than `version`, or the time is over: the phase, the pictures that
  // there are and the rows of the ledger from `rows` on.
  Json state(std::uint64_t version, std::size_t rows, std::chrono::milliseconds most);
  Json scene() const;
  // The colliders as WebGL takes them: see `packed`.
  std::string solids() const;
  // A part of a picture; empty if it is gone. Asks for a channel that is costly.
  std::optional<std::string> points(std::uint64_t number, const std::string& channel,
                                    std::size_t first, std::size_t count);
  // A part of a picture's tracers, and with the first part a bit for each of the picture's points
  // that they stand for; empty if it is gone.
  std::optional<std::string> tracers(std::uint64_t number, std::size_t first, std::size_t count);
  // The surfaces of a picture; empty if it is gone. Whoever asks makes them, beside the run.
  // `traced`: of the particles that tracers do not stand for.
  std::optional<std::string> surfaces(std::uint64_t number, const std::string& channel,
                                      bool traced);
  // Wakes everyone who waits; nobody waits any more.
  void close();

 private:
  void changed();  // under the mutex
  Json state_now(std::size_t rows) const;
  // Under the mutex; asks for the channel if it is costly.
  std::shared_ptr<const Picture> picture_with(std::uint64_t number, const std::string& channel);

  const bool live_;
  mutable std::mutex mutex_;
  std::condition_variable change_;
  bool closed_ = false;
  std::uint64_t version_ = 1;
  int epoch_ = 0;      // counts scenes
  int beginning_ = 0;  // counts those that began anew
  Phase phase_ = Phase::kFilling;
  std::string message_, costly_;
  double filling_ = 0;
  Pace pace_;
  PictureStore store_;
  std::vector<LedgerRow> rows_;
  Json scene_;
  std::string solids_;
  std::vector<ViewChannel> channels_;
  std::shared_ptr<PictureSurfaces> surfaces_;
  TracedBodies traced_;
  std::atomic<std::int64_t> asked_at_{0};  // ms of the steady clock
};

// The length of a JSON header in four bytes, little-endian, the header, spaces until a multiple of
// eight bytes is full, and what it describes.
std::string packed(const Json& header, const std::string& body);

}  // namespace firn::view
