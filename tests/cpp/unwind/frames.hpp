// Frames of ours, with destructors, through which somebody else's exception or cancellation passes.
#pragma once

extern "C" {
struct FramesOfOurs {
  /// Calls `callback(data)` between the construction and the destruction of a local that counts in *destroyed.
  void (*call_through)(void (*callback)(void*), void* data, int* destroyed);
  /// The number of frames of a walk from here, so that the unwinder is surely linked in and used.
  int (*walk)();
};
const FramesOfOurs* frames_of_ours();
}
