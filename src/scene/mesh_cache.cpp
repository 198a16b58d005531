#include "src/scene/mesh_cache.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <mutex>
#include <utility>

namespace firn {
namespace {

struct FileState {
  std::filesystem::file_time_type written{};
  std::uintmax_t bytes = 0;
  bool operator==(const FileState&) const = default;
};
// Of what cannot be asked nothing is kept: reading it says why.
FileState state_of(const std::string& path) {
  std::error_code error;
  FileState state{std::filesystem::last_write_time(path, error), 0};
  if (!error) state.bytes = std::filesystem::file_size(path, error);
  return error ? FileState{} : state;
}

// The last few of something, the newest first.
template <class Key, class Value>
class LastUsed {
 public:
  std::shared_ptr<const Value> get(const Key& key, const std::function<Value()>& make) {
    {
      const std::lock_guard lock(mutex_);
      for (auto entry = entries_.begin(); entry != entries_.end(); ++entry)
        if (entry->first == key) {
          entries_.splice(entries_.begin(), entries_, entry);
          return entries_.front().second;
        }
    }
    auto made = std::make_shared<const Value>(make());
    const std::lock_guard lock(mutex_);
    entries_.emplace_front(key, made);
    if (entries_.size() > kMost) entries_.pop_back();
    return made;
  }

 private:
  static constexpr std::size_t kMost = 4;
  std::mutex mutex_;
  std::list<std::pair<Key, std::shared_ptr<const Value>>> entries_;
};

struct MeshKey {
  std::string path;
  FileState state;
  bool operator==(const MeshKey&) const = default;
};
struct GridKey {
  MeshKey mesh;
  double voxel_size, thickness;
  bool operator==(const GridKey&) const = default;
};

}  // namespace

std::shared_ptr<const TriangleMesh> cached_mesh(const std::string& path) {
  static LastUsed<MeshKey, TriangleMesh> meshes;
  return meshes.get({path, state_of(path)}, [&] { return load_mesh(path); });
}

std::shared_ptr<const MeshGrid> cached_grid(const std::string& path, double voxel_size,
                                            double thickness) {
  static LastUsed<GridKey, MeshGrid> grids;
  return grids.get({{path, state_of(path)}, voxel_size, thickness}, [&] {
    const auto mesh = cached_mesh(path);
    return thickness > 0 ? shell_to_grid(*mesh, path, voxel_size, thickness)
                         : mesh_to_grid(*mesh, path, voxel_size);
  });
}

}  // namespace firn
