// What the capture of merged stacks needs to know of an interpreter, out of the tables of python/.
#pragma once

#include <optional>

#include "capture/merged.hpp"
#include "python/frames.hpp"
#include "python/layout.h"
#include "python/versions.hpp"

namespace callpath::api {

/// Nothing if the interpreter's layout is not known.
inline std::optional<capture::PythonPlaces> python_places(const Interpreter& interpreter) {
  const PythonVersion* version = interpreter.supported ? find_version(interpreter.hex_version) : nullptr;
  if (!version) return std::nullopt;
  const callpath_python_layout& from = *version->layout;
  const auto small = [](std::size_t offset) { return static_cast<std::uint32_t>(offset); };
  capture::PythonPlaces places;
  places.thread_cframe = small(from.thread_cframe);
  places.thread_current_frame = small(from.thread_current_frame);
  places.cframe_current_frame = small(from.cframe_current_frame);
  places.cframe_previous = small(from.cframe_previous);
  places.frame_code = small(from.frame_code);
  places.frame_previous = small(from.frame_previous);
  places.frame_instruction = small(from.frame_instruction);
  places.frame_is_entry = small(from.frame_is_entry);
  places.frame_owner = small(from.frame_owner);
  places.has_shims = from.has_shims != 0;
  places.owner_shim = static_cast<std::uint8_t>(from.owner_shim);
  return places;
}

}  // namespace callpath::api
