#include "src/scene/input_files.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "firn/error.h"
#include "src/scene/mesh_sequence.h"
#include "src/scene/mesh_text.h"

namespace firn {
namespace {

std::string sum_of_file(const std::string& path) {
  const auto fail = [&] {
    throw Error(ErrorCategory::kFile,
                fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (!file) fail();
  std::vector<Bytef> piece(1 << 16);
  std::size_t length = 0;
  uLong sum = crc32_z(0, nullptr, 0);
  while (const std::size_t n = std::fread(piece.data(), 1, piece.size(), file.get())) {
    sum = crc32_z(sum, piece.data(), n);
    length += n;
  }
  if (std::ferror(file.get()) != 0) fail();
  return fmt::format("{} bytes, CRC-32 {:08x}", length, sum);
}

std::vector<std::string> files_of(const Shape& shape) {
  if (shape.type == ShapeType::kText) return {font_of(shape)};
  if (shape.type == ShapeType::kMeshSequence) return sequence_files(shape);
  return shape.file.empty() ? std::vector<std::string>() : std::vector{shape.file};
}

void add_files(const Shape& shape, std::map<std::string, std::string>& files) {
  for (const std::string& file : files_of(shape))
    if (!files.contains(file)) files.emplace(file, sum_of_file(file));
  for (const Shape& child : shape.children) add_files(child, files);
}

}  // namespace

std::map<std::string, std::string> input_files(const Scene& scene) {
  std::map<std::string, std::string> files;
  const auto add = [&](const auto& things) {
    for (const auto& thing : things) add_files(thing.shape, files);
  };
  add(scene.bodies), add(scene.colliders), add(scene.sources), add(scene.sinks);
  add(scene.heat_sources), add(scene.sensors);
  for (const ForceField& force : scene.forces)
    if (force.shape) add_files(*force.shape, files);
  return files;
}

void require_same_files(const Scene& scene, const std::map<std::string, std::string>& was) {
  std::string changed;
  const auto add = [&](const std::string& path, const std::string& difference) {
    changed += fmt::format(
        "{}{}: a run cannot go on with another file: {}; put back what it was, or start the run "
        "again",
        changed.empty() ? "" : "\n", path, difference);
  };
  const auto was_there = [&](const std::string& sum) {
    return std::any_of(was.begin(), was.end(),
                       [&](const auto& before) { return before.second == sum; });
  };
  for (const auto& [path, sum] : input_files(scene)) {
    const auto before = was.find(path);
    if (before != was.end() && before->second != sum)
      add(path, fmt::format("it had {}, and has {}", before->second, sum));
    if (before == was.end() && !was_there(sum))
      add(path, fmt::format("it has {}, as no file had that the run began with", sum));
  }
  if (!changed.empty()) throw Error(ErrorCategory::kScene, changed);
}

}  // namespace firn
