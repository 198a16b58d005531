// Particles and grid nodes as they lie in memory, for programs that read all of them at once or act
// on them in every step, on the CPU or with kernels of their own on CUDA.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>

#include "firn/error.h"

namespace firn {

enum class ElementType { kFloat, kDouble, kUint32 };

template <class T>
constexpr ElementType element_type_of() {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double> ||
                std::is_same_v<T, std::uint32_t>);
  return std::is_same_v<T, float>    ? ElementType::kFloat
         : std::is_same_v<T, double> ? ElementType::kDouble
                                     : ElementType::kUint32;
}
constexpr const char* name_of(ElementType type) {
  return type == ElementType::kFloat    ? "float"
         : type == ElementType::kDouble ? "double"
                                        : "std::uint32_t";
}

// Where a callback wants its arrays.
enum class Memory {
  kHost,    // where the host can follow the pointers; on CUDA these are copies, made in every step
  kNative,  // where the simulation has them: on CUDA the device's memory. On the CPU the same
};

// A field of a simulation's particles.
struct FieldInfo {
  std::string name{};
  ElementType type = ElementType::kFloat;  // floats or doubles: simulation.precision
  int components = 1;                      // of each particle
  std::string unit{};
  std::string about{};  // what the components are
};

// An array of shape (chunks, components, lanes): the numbers of one component of up to `lanes`
// particles of a chunk lie side by side. Component k of the particle in a lane of a chunk is
//
//   static_cast<const T*>(data)[chunk * chunk_stride + k * component_stride + lane * lane_stride]
//
// for lane < counts[chunk * count_stride]; what lies in further lanes is nobody's. All views of the
// same moment have the same particle in the same place. A chunk may be empty.
//
// On CUDA the pointers are the device's unless it says otherwise. What they point at is complete
// when the view is handed out; kernels that are to be done before the simulation's next own work go
// to `stream`, with `device` as the current one.
template <class Data>  // void, or const void where the view is for reading
struct BasicFieldView {
  Data* data = nullptr;
  ElementType type = ElementType::kFloat;
  std::int64_t size = 0;  // particles, or nodes
  std::int64_t chunks = 0;
  int components = 1, lanes = 1;
  std::int64_t chunk_stride = 0, component_stride = 0, lane_stride = 1;  // in elements
  const std::uint32_t* counts = nullptr;  // valid lanes of chunks; null: all of all
  std::int64_t count_stride = 0;          // in elements
  void* stream = nullptr;                 // a cudaStream_t; null on the CPU
  int device = -1;                        // CUDA's number of it; -1: the pointers are the host's

  // For pointers of the host: the valid lanes of a chunk,
  int count(std::int64_t chunk) const {
    return counts == nullptr ? lanes : static_cast<int>(counts[chunk * count_stride]);
  }
  // and a component of theirs, lane by lane. Throws Error{kScene} where T is not what the elements
  // are, or where all lanes share one (material).
  template <class T>
  auto* row(std::int64_t chunk, int component = 0) const {
    if (lane_stride != 1)
      throw Error(ErrorCategory::kScene, "a field with one value per chunk has no rows; use at()");
    return &at<T>(chunk, component, 0);
  }
  template <class T>
  auto& at(std::int64_t chunk, int component, int lane) const {
    if (type != element_type_of<T>())
      throw Error(ErrorCategory::kScene, std::string("the field holds ") + name_of(type) +
                                             ", not " + name_of(element_type_of<T>()));
    using Element = std::conditional_t<std::is_const_v<Data>, const T, T>;
    return static_cast<Element*>(
        data)[chunk * chunk_stride + component * component_stride + lane * lane_stride];
  }
};
using FieldView = BasicFieldView<const void>;
using WritableField = BasicFieldView<void>;

// What a force is asked for, the accelerations of all particles, each time that a step is tried:
// one that is rejected is tried again, shorter. Pointers hold until the callback returns.
struct ForceStep {
  double time = 0;  // s, at the start of the step
  double dt = 0;    // s, of the step; all views have the same chunks and lanes
  int dimension = 3;
  FieldView id{};                // std::uint32_t
  FieldView position{};          // m, `dimension` components
  FieldView velocity{};          // m/s, likewise; before gravity, which comes on top
  FieldView mass{};              // kg
  WritableField acceleration{};  // m/s^2, likewise; 0 at first
};
using Force = std::function<void(const ForceStep&)>;

// What a boundary condition sees of the grid in every step, behind those of the scene: all nodes of
// all blocks that there are. A chunk is a block of 64 nodes.
struct BoundaryStep {
  double time = 0, dt = 0;  // s, at the start of the step and of it
  int dimension = 3;
  FieldView position{};      // m, `dimension` components
  FieldView mass{};          // kg; 0 where there is no material, and the velocity of no effect
  WritableField velocity{};  // m/s, `dimension` components: as particles will get it
};
using GridBoundary = std::function<void(const BoundaryStep&)>;

}  // namespace firn
