#include "explain/stages.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace callpath {
namespace {

using Layers = std::vector<Layer>;

// Layers as rows see them: evaluation frames join the Python frame that they run, or the protocol around them.
Layers row_layers(const Event& event) {
  Layers out;
  for (std::size_t i = 0; i < event.frames.size(); ++i) {
    const auto& f = event.frames[i];
    bool runs_python =
        f.layer == Layer::eval && i > 0 && event.frames[i - 1].kind == Kind::python && event.frames[i - 1].number == f.number;
    if (runs_python)
      out.push_back(out.back());
    else
      out.push_back(f.layer == Layer::eval && f.kind != Kind::python ? Layer::protocol : f.layer);
  }
  return out;
}

bool machinery(Layer layer) { return layer == Layer::protocol || layer == Layer::runtime; }

// CPython's machinery between two import frames belongs to the import.
void join_imports(Layers& layers) {
  for (std::size_t i = 0; i < layers.size();) {
    std::size_t end = i;
    while (end < layers.size() && machinery(layers[end])) ++end;
    bool between = i > 0 && end > i && end < layers.size() && layers[i - 1] == Layer::import && layers[end] == Layer::import;
    if (between) std::fill(layers.begin() + static_cast<long>(i), layers.begin() + static_cast<long>(end), Layer::import);
    i = std::max(end, i + 1);
  }
}

// The C library around Python's start is part of the start.
void join_startup(Layers& layers) {
  for (std::size_t i = 1; i < layers.size(); ++i)
    if (layers[i] == Layer::runtime && layers[i - 1] == Layer::startup) layers[i] = Layer::startup;
}

// Plumbing is called from outside and leads inwards: it belongs to what it leads into. Around the innermost frame it would hide the frame
// that matters, so there it belongs to its caller.
void join_glue(Layers& layers) {
  for (std::size_t i = 0; i < layers.size();) {
    std::size_t end = i;
    while (end < layers.size() && layers[end] == Layer::glue) ++end;
    if (end > i) {
      bool inner_is_stop =
          i == 0 || std::all_of(layers.begin(), layers.begin() + static_cast<long>(i), [&](Layer l) { return l == layers[0]; });
      Layer to = inner_is_stop && i <= 1 ? (end < layers.size() ? layers[end] : Layer::glue) : layers[i - 1];
      std::fill(layers.begin() + static_cast<long>(i), layers.begin() + static_cast<long>(end), to);
    }
    i = std::max(end, i + 1);
  }
}

bool folds(Layer layer) {
  return layer == Layer::protocol || layer == Layer::eval || layer == Layer::startup || layer == Layer::runtime || layer == Layer::import ||
         layer == Layer::glue;
}

bool interpreter_module(const Frame& frame, const Recording& recording) {
  if (!frame.module || *frame.module < 0 || static_cast<std::size_t>(*frame.module) >= recording.modules.size()) return false;
  const auto& name = recording.modules[static_cast<std::size_t>(*frame.module)].name;
  return name.starts_with("python") || name.starts_with("libpython");
}

World world_of(const Stage& stage, const Event& event, const Recording& recording) {
  const auto& key = event.frames[stage.key];
  switch (stage.layer) {
    case Layer::user:
    case Layer::wrapper:
      return World::python;
    case Layer::protocol:
    case Layer::eval:
    case Layer::startup:
    case Layer::runtime:
    case Layer::compile:
    case Layer::class_build:
    case Layer::import:
      return World::cpython;
    case Layer::loop:
    case Layer::kernel:
      return World::kernel;
    case Layer::unknown:
      return key.kind == Kind::python ? World::python : interpreter_module(key, recording) ? World::cpython : World::cpp;
    default:
      return World::cpp;
  }
}

bool better_key(const Frame& f, Layer layer) { return f.layer == layer && f.confidence != Confidence::module && f.kind != Kind::elided; }

// The innermost frame with a symbol; frames of the layer itself before plumbing, and what stands on the stack before what left it.
std::size_t key_frame(const Stage& stage, const Event& event) {
  if (stage.frames.front() == 0 && event.frames[0].layer == Layer::eval) return 0;  // The stop itself, in a row of the protocol.
  for (auto i : stage.frames)
    if (event.frames[i].kind == Kind::python && event.frames[i].layer == stage.layer) return i;
  for (auto i : stage.frames)
    if (better_key(event.frames[i], stage.layer)) return i;
  for (auto i : stage.frames)
    if (event.frames[i].layer == stage.layer) return i;
  return stage.frames.front();
}

void count(Stage& stage, const Event& event) {
  stage.elided = true;
  for (auto i : stage.frames) {
    const auto& f = event.frames[i];
    if (f.kind == Kind::python)
      ++stage.python_count;
    else if (f.kind != Kind::elided)
      ++stage.count;
    stage.elided = stage.elided && f.kind == Kind::elided;
    if (!f.number) continue;
    stage.lowest = stage.lowest ? std::min(*stage.lowest, *f.number) : f.number;
    stage.highest = stage.highest ? std::max(*stage.highest, *f.number) : f.number;
  }
}

void finish(Stage& stage, const Event& event, const Recording& recording) {
  stage.key = key_frame(stage, event);
  count(stage, event);
  stage.innermost = stage.frames.front() == 0;
  stage.folded = folds(stage.layer) && !stage.innermost;
  stage.world = world_of(stage, event, recording);
  Frame as_shown = event.frames[stage.key];
  as_shown.layer = stage.layer;
  stage.tone = tone_of(as_shown);
}

bool same_round(const Stage& a, const Stage& b, const Event& event) {
  const auto &fa = event.frames[a.key], &fb = event.frames[b.key];
  return a.layer == b.layer && a.folded == b.folded && fa.full == fb.full &&
         (a.folded || (fa.source ? fa.source->line : std::nullopt) == (fb.source ? fb.source->line : std::nullopt));
}

std::size_t rounds_at(const std::vector<Stage>& all, std::size_t at, std::size_t period, const Event& event) {
  std::size_t rounds = 1;
  for (;; ++rounds)
    for (std::size_t i = 0; i < period; ++i) {
      std::size_t other = at + rounds * period + i;
      if (other >= all.size() || !same_round(all[at + i], all[other], event)) return rounds;
    }
}

void absorb(Stage& into, const Stage& from) {
  into.frames.insert(into.frames.end(), from.frames.begin(), from.frames.end());
  into.count += from.count, into.python_count += from.python_count;
  if (from.highest) into.highest = into.highest ? std::max(*into.highest, *from.highest) : from.highest;
  if (from.lowest) into.lowest = into.lowest ? std::min(*into.lowest, *from.lowest) : from.lowest;
}

// A recursion through C shows the same few stages again and again: four or more rounds become one, with the number of rounds.
std::vector<Stage> fold_rounds(std::vector<Stage> all, const Event& event) {
  constexpr std::size_t longest_period = 6, least_rounds = 4;
  std::vector<Stage> out;
  for (std::size_t at = 0; at < all.size();) {
    std::size_t period = 1, rounds = 1;
    for (std::size_t p = 1; p <= longest_period && rounds < least_rounds; ++p)
      if (auto r = rounds_at(all, at, p, event); r >= least_rounds) period = p, rounds = r;
    for (std::size_t i = 0; i < period; ++i) {
      Stage stage = std::move(all[at + i]);
      for (std::size_t r = 1; r < rounds; ++r) absorb(stage, all[at + r * period + i]);
      stage.repeats = static_cast<int>(rounds);
      out.push_back(std::move(stage));
    }
    at += period * rounds;
  }
  return out;
}

}  // namespace

std::vector<Stage> stages_of(const Event& event, const Recording& recording) {
  auto layers = row_layers(event);
  join_imports(layers);
  join_startup(layers);
  join_glue(layers);
  std::vector<Stage> out;
  for (std::size_t i = 0; i < event.frames.size(); ++i) {
    // The reader's own frames are never folded into one row, though several Python frames may share an evaluation.
    bool next_of_users = layers[i] == Layer::user && event.frames[i].kind == Kind::python;
    if (out.empty() || out.back().layer != layers[i] || next_of_users) {
      out.emplace_back();
      out.back().layer = layers[i];
    }
    out.back().frames.push_back(i);
  }
  for (auto& stage : out) finish(stage, event, recording);
  return fold_rounds(std::move(out), event);
}

std::string number_range(const Stage& stage, std::string_view dash) {
  if (!stage.lowest) return std::string(dash);
  if (stage.lowest == stage.highest) return std::to_string(*stage.lowest);
  return fmt::format("{}{}{}", *stage.lowest, dash, *stage.highest);
}

Tone tone_of(const Frame& frame) {
  switch (frame.layer) {
    case Layer::user:
    case Layer::wrapper:
      return Tone::python;
    case Layer::protocol:
    case Layer::eval:
    case Layer::startup:
    case Layer::runtime:
      return Tone::cpython;
    case Layer::compile:
    case Layer::class_build:
    case Layer::import:
      return Tone::work;
    case Layer::binding:
      return Tone::binding;
    case Layer::dispatcher:
    case Layer::autograd:
    case Layer::op:
    case Layer::stub:
    case Layer::glue:
      return Tone::dispatch;
    case Layer::loop:
    case Layer::kernel:
      return Tone::kernel;
    case Layer::unknown:
      break;
  }
  if (frame.kind == Kind::python) return Tone::python;
  return frame.confidence == Confidence::module ? Tone::unknown : Tone::cpython;  // With a name it is ground like any other machinery.
}

std::string to_string(Tone tone) {
  static constexpr const char* names[] = {"python", "cpython", "work", "binding", "dispatch", "kernel", "unknown"};
  return names[static_cast<int>(tone)];
}

std::string to_string(World world) {
  static constexpr const char* names[] = {"Python", "CPython", "C++", "kernel"};
  return names[static_cast<int>(world)];
}

std::optional<std::size_t> user_frame(const Event& event) {
  for (std::size_t i = 0; i < event.frames.size(); ++i)
    if (event.frames[i].kind == Kind::python && event.frames[i].layer == Layer::user) return i;
  return std::nullopt;
}

}  // namespace callpath
