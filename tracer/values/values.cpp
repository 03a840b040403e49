#include "values/values.hpp"

#include <algorithm>

#include "symbols/impl.hpp"
#include "values/expression.hpp"
#include "values/format.hpp"
#include "values/paths.hpp"
#include "values/scope.hpp"
#include "values/types.hpp"

namespace callpath {
namespace dw {
namespace {

constexpr std::size_t most_values = 64, most_taken = 64;

/// What the work on one frame needs, found once.
struct Place {
  ModuleState& state;
  FrameContext context;
  std::optional<FunctionScope> scope;
};

Value to_value(const Place& place, const Memory& memory, Die variable) {
  Value v;
  v.name = name_of(variable);
  v.type = place.state.die_names().type_name(type_of(variable));
  auto found = locate(place.context, variable);
  std::string reason = found.reason;
  if (found) v.value = Formatter(memory, place.state.die_names()).text(*found.object, &reason);
  if (!v.value) v.reason = reason;
  return v;
}

std::vector<Value> to_values(const Place& place, const Memory& memory, const std::vector<Die>& variables) {
  std::vector<Value> values;
  for (const auto& die : variables) {
    if (values.size() == most_values) break;
    values.push_back(to_value(place, memory, die));
  }
  return values;
}

struct Start {
  Found found;
  std::string how;
};

/// The variable a path begins with; a lambda's captures and an object's members count as variables, as in the source.
Start start_of(const Place& place, const Memory& memory, const std::string& name) {
  bool argument = false;
  if (const auto die = place.scope->find(name, &argument)) return {locate(place.context, *die), (argument ? "argument " : "local ") + name};
  if (const auto self = place.scope->find("this", &argument)) {
    const auto object = locate(place.context, *self);
    if (!object) return {object, {}};
    if (auto member = find_member(memory, *object.object, name)) return {member, "member " + name};
    if (auto capture = find_member(memory, *object.object, "__" + name)) return {capture, "captured " + name};  // GCC's name for it
  }
  return {Found::none("there is no variable " + name + " here"), {}};
}

Evaluated to_evaluated(const Place& place, const Memory& memory, const Object& object, std::string* why_not) {
  Formatter format(memory, place.state.die_names());
  Evaluated e;
  const auto text = format.text(object, why_not);
  if (!text) return e;
  const auto target = without_reference(memory, object);
  e.type = place.state.die_names().type_name(target ? target.object->type : object.type);
  e.text = *text;
  e.value = format.json(object);
  e.bits = bits_of(memory, object);
  return e;
}

std::optional<Evaluated> evaluate(const Place& place, const Memory& memory, const std::string& text, std::string* why_not, int depth);

std::optional<std::uint64_t> how_many(const Place& place, const Memory& memory, const PathStep& step, std::string* why_not, int depth) {
  if (step.name.empty()) return step.count;
  const auto n = evaluate(place, memory, step.name, why_not, depth + 1);
  if (!n || !n->value.is_number_integer() || n->value.get<std::int64_t>() < 0) return std::nullopt;
  return n->value.get<std::uint64_t>();
}

std::optional<Evaluated> take(const Place& place, const Memory& memory, const Object& whole, std::uint64_t count, std::string* why_not) {
  Evaluated all;
  all.value = nlohmann::json::array();
  if (count > most_taken) {
    *why_not = "too many elements";
    return std::nullopt;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto found = element(memory, whole, i);
    if (!found) {
      *why_not = found.reason;
      return std::nullopt;
    }
    const auto one = to_evaluated(place, memory, *found.object, why_not);
    if (one.text.empty()) return std::nullopt;
    all.type = one.type + " [" + std::to_string(count) + "]";
    all.text += (i ? ", " : "") + one.text;
    all.value.push_back(one.value);
  }
  all.text = "{" + all.text + "}";
  return all;
}

std::optional<Evaluated> evaluate(const Place& place, const Memory& memory, const std::string& text, std::string* why_not, int depth) {
  const auto path = depth < 4 ? parse_path(text, why_not) : std::nullopt;
  if (!path) return std::nullopt;
  auto [found, how] = start_of(place, memory, path->variable);
  std::optional<Evaluated> result;
  for (const auto& step : path->steps) {
    if (!found) break;
    if (step.kind == PathStep::Kind::take) {
      const auto count = how_many(place, memory, step, why_not, depth);
      if (!count) return std::nullopt;
      result = take(place, memory, *found.object, *count, why_not);
      if (!result) return std::nullopt;
      break;
    }
    found = walk_step(memory, std::move(*found.object), step);
  }
  if (!found) {
    *why_not = found.reason;
    return std::nullopt;
  }
  if (!result) result = to_evaluated(place, memory, *found.object, why_not);
  if (result->text.empty()) return std::nullopt;
  const auto dot = path->members.find_first_not_of(".->");
  result->how = how + (path->members.empty() ? "" : path->members[0] == '[' ? path->members : ", member " + path->members.substr(dot));
  return result;
}

std::optional<std::string> template_argument_of(ModuleState& state, const Memory& memory, Die owner, const std::string& name) {
  std::optional<std::string> found;
  for_each_child(owner, [&](Die child) {
    const int t = tag(child);
    const char* own = t == DW_TAG_template_type_parameter || t == DW_TAG_template_value_parameter ? name_of(child) : nullptr;
    if (!own || name != own) return true;
    if (t == DW_TAG_template_type_parameter) {
      found = state.die_names().type_name(type_of(child));
    } else if (const auto constant = attribute(child, DW_AT_const_value)) {
      Object o;
      o.type = type_of(child);
      if (const auto n = signed_number(constant)) {
        o.bytes.resize(8);
        for (int i = 0; i < 8; ++i) o.bytes[i] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(*n) >> (8 * i));
        std::string ignored;
        found = Formatter(memory, state.die_names()).text(o, &ignored);
      }
    }
    return false;
  });
  return found;
}

}  // namespace
}  // namespace dw

struct Values::Access : dw::Callers {
  const Values& values;
  explicit Access(const Values& v) : values(v) {}

  std::optional<dw::FrameContext> caller_of(const dw::FrameContext& callee) const override {
    if (!values.stack_) return std::nullopt;
    const auto& frames = values.stack_->frames;
    const auto same = [&](const RawFrame& f) { return f.sp == callee.frame.sp && f.pc == callee.frame.pc; };
    auto found = std::find_if(frames.begin(), frames.end(), same);
    if (found == frames.end() || ++found == frames.end()) return std::nullopt;
    const Module* module = find_module(*values.modules_, found->lookup());
    if (!module) return std::nullopt;
    auto context = this->context(*module, *found);
    context.depth = callee.depth + 1;
    return context;
  }

  dw::FrameContext context(const Module& module, const RawFrame& frame) const {
    auto& state = values.symbols_.impl_->state(module);
    dw::FrameContext c{state, module, frame, values.memory_, values.vectors_of(frame), std::nullopt, this};
    if (const auto outermost = dw::physical_at(state, c.pc())) c.function = outermost;
    return c;
  }

  dw::Place place(const Module& module, const RawFrame& frame, std::size_t depth) const {
    const auto c = context(module, frame);
    return {c.state, c, dw::scope_at(c.state, c.pc(), depth)};
  }
};

void Values::use_callers(const RawStack& stack, const std::vector<Module>& modules) {
  stack_ = &stack;
  modules_ = &modules;
}

Values::Values(Symbols& symbols, const Memory& memory, const VectorRegisters* innermost)
    : symbols_(symbols), memory_(memory), innermost_(innermost) {}

/// Frame 0 is the first frame with an exact pc that was asked about; one that a signal interrupted has an exact pc, too, and other vectors.
const VectorRegisters* Values::vectors_of(const RawFrame& frame) const {
  if (!innermost_ || !frame.exact_pc) return nullptr;
  if (!innermost_sp_) innermost_sp_ = frame.sp;
  return *innermost_sp_ == frame.sp ? innermost_ : nullptr;
}

std::vector<Value> Values::arguments(const Module& module, const RawFrame& frame, std::size_t depth) {
  const Access access(*this);
  const auto place = access.place(module, frame, depth);
  return place.scope ? dw::to_values(place, memory_, place.scope->arguments()) : std::vector<Value>{};
}

std::vector<Value> Values::locals(const Module& module, const RawFrame& frame, std::size_t depth) {
  const Access access(*this);
  const auto place = access.place(module, frame, depth);
  return place.scope ? dw::to_values(place, memory_, place.scope->locals()) : std::vector<Value>{};
}

std::optional<Evaluated> Values::evaluate(const Module& module, const RawFrame& frame, std::size_t depth, const std::string& path,
                                          std::string* why_not) {
  std::string ignored;
  if (!why_not) why_not = &ignored;
  const Access access(*this);
  const auto place = access.place(module, frame, depth);
  if (place.scope) return dw::evaluate(place, memory_, path, why_not, 0);
  *why_not = "there is no debug information for this frame";
  return std::nullopt;
}

std::optional<std::string> Values::template_argument(const Module& module, const RawFrame& frame, std::size_t depth,
                                                     const std::string& name) {
  const Access access(*this);
  const auto place = access.place(module, frame, depth);
  if (!place.scope) return std::nullopt;
  for (const auto& owner : place.state.die_names().enclosing(place.scope->function))
    if (auto found = dw::template_argument_of(place.state, memory_, owner, name)) return found;
  return std::nullopt;
}

}  // namespace callpath
