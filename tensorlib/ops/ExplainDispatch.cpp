#include "ops/ExplainDispatch.h"

#include "core/Exception.h"
#include "native/DispatchStub.h"
#include "ops/DescribeStub.h"
#include "ops/DryRun.h"

namespace tensorlib {

namespace {

// ---- arguments

/// The name of each argument, from the schema's text: the last word before `=` or the comma.
std::vector<std::string> argument_names(const std::string& schema) {
  std::vector<std::string> names;
  std::string argument;
  int depth = 0;
  const auto finish = [&] {
    const std::string before_default = argument.substr(0, argument.find('='));
    const std::size_t blank = before_default.rfind(' ');
    if (blank != before_default.npos && blank + 1 < before_default.size()) names.push_back(before_default.substr(blank + 1));
    argument.clear();
  };
  for (std::size_t i = schema.find('(') + 1; i < schema.size() && depth >= 0; ++i) {
    const char c = schema[i];
    depth += c == '(' || c == '[';
    depth -= c == ')' || c == ']';
    if (depth < 0 || (c == ',' && depth == 0)) {
      finish();
    } else if (!(c == ' ' && argument.empty())) {
      argument += c;
    }
  }
  return names;
}

std::vector<ArgumentExplanation> explain_arguments(const OperatorEntry& op, const Stack& arguments) {
  const std::vector<std::string> names = argument_names(op.schema());
  std::vector<ArgumentExplanation> explained;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    explained.push_back({i < names.size() ? names[i] : "", toString(arguments[i]), boxedKeys(arguments[i])});
  return explained;
}

// ---- keys

std::string why_passed_over(const OperatorEntry& op, DispatchKey key, const LocalDispatchKeySet& local, DispatchKeySet masked) {
  if (local.excluded_.has(key)) return "this thread excludes it";
  if (!op.nonFallthroughKeys().has(key))
    return std::string("falls through: ") + toString(op.entryOrigin(key).rule) + " registered at " +
           registeredAt(op.entryOrigin(key).origin);
  if (!masked.has(key)) return "the kernel before leaves it out";
  return "lower than the key chosen";
}

DispatchStep make_step(const OperatorEntry& op, DispatchKeySet candidates, DispatchKeySet masked, const LocalDispatchKeySet& local) {
  DispatchStep step{masked, masked.highestPriorityKey(), {}, {}, {}, {}};
  for (int i = numDispatchKeys - 1; i > 0; --i) {
    const auto key = static_cast<DispatchKey>(i);
    if (candidates.has(key) && key != step.key) step.passed_over.push_back({key, why_passed_over(op, key, local, masked)});
  }
  const TableEntryOrigin& entry = op.entryOrigin(step.key);
  step.rule = entry.rule;
  if (entry.rule != TableRule::missing) {
    step.kernel = kernelName(entry.origin);
    step.registered_at = registeredAt(entry.origin);
  }
  return step;
}

/// The keys that a kernel goes on with; none where it is the last.
DispatchKeySet keys_after(const DispatchStep& step) {
  if (step.rule == TableRule::math_kernel || step.rule == TableRule::missing) return {};
  switch (step.key) {
    case DispatchKey::AutogradCPU:
      return step.keys & after_autograd_keyset;
    case DispatchKey::ADInplaceOrView:
      return step.keys & DispatchKeySet::below(DispatchKey::ADInplaceOrView);
    case DispatchKey::BackendSelect:
      return DispatchKeySet(DispatchKey::CPU);
    default:
      return {};
  }
}

std::vector<DispatchStep> explain_steps(const OperatorEntry& op, DispatchKeySet candidates, DispatchKeySet merged,
                                        const LocalDispatchKeySet& local) {
  std::vector<DispatchStep> steps{make_step(op, candidates, merged & op.nonFallthroughKeys(), local)};
  for (DispatchKeySet next = keys_after(steps.back()); !next.empty(); next = keys_after(steps.back()))
    steps.push_back(make_step(op, next, next & op.nonFallthroughKeys(), local));
  return steps;
}

// ---- the stub

struct Reached {
  StubExplanation explanation;
};

/// Ends the call at its first stub.
class EndAtStub final : public native::StubWatcher {
 public:
  void reached(const native::StubCall& call) override {
    const OperatorCall* op = OperatorCall::innermost();
    throw Reached{{call.name, op ? op->op().name() : "", native::toString(native::get_cpu_capability()), describe_branch(call),
                   describe_loop(call), ""}};
  }
};

StubExplanation explain_stub(const OperatorEntry& op, const std::vector<DispatchStep>& steps, const Stack& arguments) {
  const DispatchStep& last = steps.back();
  if (last.rule == TableRule::missing) return {};
  const GeneratorsKept generators(arguments);
  std::optional<AutoDispatchBelowADInplaceOrView> guard;  // as the kernels before the last set it
  if (steps.size() > 1 && steps[0].key == DispatchKey::AutogradCPU) guard.emplace();
  Stack copies = copy_arguments(arguments);
  try {
    const EndAtStub watcher;
    op.redispatchBoxed(last.keys, copies);
  } catch (const Reached& reached) {
    return reached.explanation;
  } catch (const Error& error) {
    StubExplanation refused;
    refused.error = error.what();
    return refused;
  }
  return {};
}

// ---- asking for the first operator of a call

struct Wanted {
  LocalDispatchKeySet local;  ///< As it is without the question.
  std::optional<DispatchExplanation> explanation;
};
thread_local Wanted* wanted = nullptr;

}  // namespace

DispatchExplanation explain_dispatch(const OperatorEntry& op, const Stack& arguments) {
  DispatchExplanation explained{op.name(), op.schema(), explain_arguments(op, arguments), {}, tls_local_dispatch_key_set(), {}, {}, {}};
  for (const ArgumentExplanation& argument : explained.arguments) explained.tensors = explained.tensors | argument.keys;
  const DispatchKeySet candidates = explained.tensors | explained.local.included_;
  explained.merged = candidates - explained.local.excluded_;
  explained.steps = explain_steps(op, candidates, explained.merged, explained.local);
  explained.stub = explain_stub(op, explained.steps, arguments);
  return explained;
}

std::optional<DispatchExplanation> explain_first_call(function_ref<void()> call) {
  struct Asking {
    Wanted here{tls_local_dispatch_key_set(), {}};
    Wanted* outer = std::exchange(wanted, &here);
    Asking() {
      const DispatchKeySet tracer(DispatchKey::Tracer);
      force_tls_local_dispatch_key_set({here.local.included_ | tracer, here.local.excluded_ - tracer});
    }
    ~Asking() {
      wanted = outer;
      force_tls_local_dispatch_key_set(here.local);
    }
  } asking;
  call();
  return std::move(asking.here.explanation);
}

void explain_instead_of_calling(const OperatorEntry& op, const Stack& arguments) {
  if (!wanted) return;
  Wanted& answer = *std::exchange(wanted, nullptr);
  force_tls_local_dispatch_key_set(answer.local);
  answer.explanation = explain_dispatch(op, arguments);
  raise(op.name() + " is explained, not called");
}

// ---- words

namespace {

std::string to_text(const DispatchStep& step) {
  std::string text = std::string("  ") + toString(step.key) + " of " + toString(step.keys) + "\n";
  if (step.rule == TableRule::missing) {
    text += "    no kernel: the call raises\n";
  } else {
    text += "    " + (step.kernel.empty() ? std::string("a boxed kernel") : step.kernel) + ", " + toString(step.rule) + ", registered at " +
            step.registered_at + "\n";
  }
  for (const PassedOverKey& key : step.passed_over) text += std::string("    not ") + toString(key.key) + ": " + key.why + "\n";
  return text;
}

std::string to_text(const StubExplanation& stub) {
  if (!stub.error.empty()) return "  the last kernel refuses: " + stub.error + "\n";
  if (stub.stub.empty()) return "  the last kernel computes without a stub\n";
  std::string text = "  stub " + stub.stub + " of " + stub.op + ", capability " + stub.capability + "\n";
  if (!stub.branch.empty()) text += "    branch " + stub.branch + "\n";
  if (!stub.loop.empty()) text += "    loop " + stub.loop + "\n";
  return text;
}

}  // namespace

std::string toString(const DispatchExplanation& explanation) {
  std::string text = explanation.schema + "\n";
  for (const ArgumentExplanation& argument : explanation.arguments) {
    text += "  " + argument.name + " = " + argument.value;
    if (!argument.keys.empty()) text += ": " + toString(argument.keys);
    text += "\n";
  }
  text += "  this thread includes " + toString(explanation.local.included_) + "\n";
  text += "  this thread excludes " + toString(explanation.local.excluded_) + "\n";
  text += "  together " + toString(explanation.merged) + "\n";
  for (const DispatchStep& step : explanation.steps) text += to_text(step);
  return text + to_text(explanation.stub);
}

}  // namespace tensorlib
