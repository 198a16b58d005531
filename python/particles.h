// What Python code does to a simulation between two steps: particles in and out, other motions of
// colliders. firn/simulation.py has brought the arrays into the shapes that these take.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <optional>
#include <string>
#include <variant>

#include "python/arrays.h"
#include "python/session.h"

namespace firn::python {

template <class T, int Dimensions>
using InputArray = nb::ndarray<const T, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;
template <class T, int Dimensions>
using MaybeArray = std::optional<InputArray<T, Dimensions>>;

HostArray add_particles(Session& session, const std::string& material,
                        const InputArray<double, 2>& position,
                        const MaybeArray<double, 2>& velocity,
                        const MaybeArray<double, 2>& velocity_gradient,
                        const MaybeArray<double, 1>& temperature,
                        const std::optional<std::string>& phase, std::optional<double> volume,
                        std::optional<double> mass);
void remove_particles(Session& session, const InputArray<std::uint32_t, 1>& ids);
void set_collider_motion(Session& session, const std::variant<std::uint32_t, std::string>& collider,
                         const InputArray<double, 1>& times,
                         const InputArray<double, 2>& translation,
                         const InputArray<double, 2>& rotation, const InputArray<double, 1>& pivot);

}  // namespace firn::python
