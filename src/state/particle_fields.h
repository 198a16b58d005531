// The fields of the particles that users of the library see (firn/fields.h): one table of names and
// units, and from it views of the store's memory and copies in the order of ids.
#pragma once

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "firn/error.h"
#include "firn/fields.h"
#include "src/state/particle_store.h"

namespace firn {

struct ParticleField {
  enum Source { kIds, kMaterials, kChannel };
  FieldName name;
  Source source = kChannel;
  ParticleChannel channel = kX;
};

// Ids and materials, and what the channels' table shows.
inline const std::vector<ParticleField>& particle_field_table() {
  static const std::vector<ParticleField> table = [] {
    std::vector<ParticleField> fields{
        {{"id", "1", "the same for ever"}, ParticleField::kIds},
        {{"material", "1", "index into Scene::materials"}, ParticleField::kMaterials}};
    for (const ChannelRow& row : kParticleTable)
      for (const FieldName& name : row.fields)
        if (!name.name.empty()) fields.push_back({name, ParticleField::kChannel, row.channel});
    return fields;
  }();
  return table;
}

using FieldValues =
    std::variant<std::vector<float>, std::vector<double>, std::vector<std::uint32_t>>;

// The slots that hold particles, in the order of their ids.
inline std::vector<std::uint32_t> slots_by_id(const std::vector<Chunk>& chunks,
                                              const std::vector<std::uint32_t>& ids) {
  std::size_t held = 0;
  for (const Chunk& chunk : chunks) held += chunk.count;
  std::vector<std::uint32_t> slots;
  slots.reserve(held);
  for (std::uint32_t slot = 0; slot < ids.size(); ++slot)
    if (slot % kLanes < chunks[slot / kLanes].count) slots.push_back(slot);
  std::sort(slots.begin(), slots.end(),
            [&](std::uint32_t a, std::uint32_t b) { return ids[a] < ids[b]; });
  return slots;
}

// Rows of a channel of `stride` components, chunk after chunk: the layout that every view
// describes.
template <class Data, class T>
BasicFieldView<Data> view_of_rows(T* data, int stride, int components, std::int64_t chunks,
                                  int lanes = kLanes) {
  BasicFieldView<Data> view;
  view.data = data;
  view.type = element_type_of<std::remove_const_t<T>>();
  view.components = components;
  view.chunks = chunks;
  view.size = chunks * lanes;
  view.lanes = lanes;
  view.component_stride = lanes;
  view.chunk_stride = std::int64_t{stride} * lanes;
  return view;
}
// Where chunks are filled in part: as the table says, whose first entry is the first chunk's.
template <class Data>
BasicFieldView<Data> counted(BasicFieldView<Data> view, const Chunk* table, std::int64_t size) {
  constexpr auto kWords = static_cast<std::int64_t>(sizeof(Chunk) / sizeof(std::uint32_t));
  static_assert(sizeof(Chunk) % sizeof(std::uint32_t) == 0);
  view.counts = table == nullptr ? nullptr : &table->count;
  view.count_stride = kWords;
  view.size = size;
  return view;
}
// In the device's memory, if `exec` has one.
template <class Data, class Exec>
BasicFieldView<Data> placed(BasicFieldView<Data> view, [[maybe_unused]] const Exec& exec) {
  if constexpr (Exec::kIsCuda) {
    view.stream = exec.stream();
    view.device = exec.device();
  }
  return view;
}

template <class Exec, int D, class Real>
class ParticleFields {
 public:
  // `present`, `size`: where the particles are, and how many.
  ParticleFields(const Exec& exec, const ParticleStore<Exec, D, Real>& store, ChunkSpan present,
                 std::int64_t size)
      : exec_(exec), store_(store), present_(present), size_(size) {}

  std::vector<FieldInfo> list() const {
    std::vector<FieldInfo> list;
    for (const ParticleField& field : particle_field_table())
      if (exists(field)) list.push_back(info(field));
    return list;
  }
  const ParticleField& find(std::string_view name) const {
    for (const ParticleField& field : particle_field_table())
      if (field.name.name == name && exists(field)) return field;
    std::string names;
    for (const FieldInfo& field : list()) names += (names.empty() ? "" : ", ") + field.name;
    throw Error(ErrorCategory::kScene, "the particles of this scene have no field \"" +
                                           std::string(name) + "\"; they have " + names);
  }

  FieldView view(const ParticleField& field) const {
    const Chunk* table = store_.chunk_table() + present_.first;
    if (field.source == ParticleField::kMaterials) {
      FieldView view = view_of_rows<const void>(&table->material, 1, 1, present_.count);
      view.lane_stride = 0;
      view = placed(counted(view, table, size_), exec_);
      view.chunk_stride = view.count_stride;
      return view;
    }
    if (field.source == ParticleField::kIds)
      return placed(
          counted(view_of_rows<const void>(store_.id_rows() + std::size_t{present_.first} * kLanes,
                                           1, 1, present_.count),
                  table, size_),
          exec_);
    const auto rows = store_.whole(field.channel, present_);
    return placed(counted(view_of_rows<const void>(rows.data + field.name.first * kLanes,
                                                   rows.stride, components(field), present_.count),
                          table, size_),
                  exec_);
  }

  FieldValues copy(const ParticleField& field) const {
    const auto chunks = store_.chunks(present_);
    const auto ids = store_.ids(present_);
    const auto slots = slots_by_id(chunks, ids);
    if (field.source != ParticleField::kChannel) {
      std::vector<std::uint32_t> values;
      values.reserve(slots.size());
      for (const std::uint32_t slot : slots)
        values.push_back(field.source == ParticleField::kIds ? ids[slot]
                                                             : chunks[slot / kLanes].material);
      return values;
    }
    const auto rows = store_.download(field.channel, present_);
    const int stored = store_.components(field.channel), n = components(field);
    std::vector<Real> values;
    values.reserve(slots.size() * static_cast<std::size_t>(n));
    for (const std::uint32_t slot : slots)
      for (int k = 0; k < n; ++k)
        values.push_back(channel_at(rows.data(), slot, stored, field.name.first + k));
    return values;
  }

 private:
  bool exists(const ParticleField& field) const {
    return field.source != ParticleField::kChannel || store_.has(field.channel);
  }
  int components(const ParticleField& field) const {
    if (field.source != ParticleField::kChannel) return 1;
    return field.name.count > 0 ? field.name.count : store_.components(field.channel);
  }
  FieldInfo info(const ParticleField& field) const {
    std::string unit(field.name.unit);
    if (unit == "m^d") unit.back() = static_cast<char>('0' + D);
    return {
        std::string(field.name.name),
        field.source == ParticleField::kChannel ? element_type_of<Real>() : ElementType::kUint32,
        components(field), unit, std::string(field.name.about)};
  }

  const Exec& exec_;
  const ParticleStore<Exec, D, Real>& store_;
  ChunkSpan present_;
  std::int64_t size_;
};

}  // namespace firn
