// What a saved state says of itself: the kind of scene that it belongs to, and a checksum. Nothing
// in it is believed before both hold.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "firn/scene.h"

namespace firn {

// What a scene that loads a state must have in common with the one that saved it, beside what the
// state's own parts ask for: line by line, "name: value".
std::string kind_of_state(const Scene& scene);

// More than what a sealed state holds beside channels and lists.
std::size_t state_header_bytes(const Scene& scene);

std::vector<std::byte> sealed(std::vector<std::byte> state, const Scene& scene);

// What sealed() was given. Throws Error{kFile} that says what is wrong with it.
std::span<const std::byte> unsealed(std::span<const std::byte> bytes, const Scene& scene);

}  // namespace firn
