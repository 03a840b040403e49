#include <gtest/gtest.h>

#include <regex>

#include "annotate/annotate.hpp"
#include "annotate/parts.hpp"
#include "annotate/tables.hpp"

namespace callpath {
namespace {

// The hand-made path with nothing but what a producer observes.
class Observed {
 public:
  Observed() : recording_(load(CALLPATH_TEST_DATA "/records/pow_kernel.json")) {
    event().facts.clear(), event().decisions.clear(), event().operations.clear();
    for (auto& frame : event().frames) frame.layer = Layer::unknown;
    recording_.target.capability.clear(), recording_.target.engine.clear();
    fact("base", -1.1523602, "-1.1523602", "lambda(float)");
    fact("strides", {4, 8}, "{4, 8}", "basic_loop");
    fact("n", 10000, "10000", "basic_loop");
    fact("exponent", 3, "3", "pow_tensor_scalar_optimized_kernel");
    fact("numel", 10000, "10000", "wrapper_CPU_pow_Tensor_Scalar");
    fact("dtype", nullptr, "tensorlib::ScalarType::Float", "wrapper_CPU_pow_Tensor_Scalar");
    fact("requires_grad", false, "false", "pow_Tensor_Scalar");
    fact("records", false, "false", "pow_Tensor_Scalar");
    fact("key_set", 9, "9", "call", "::_ops::");
    fact("key_set", 1, "1", "redispatch");
  }

  Event& event() { return recording_.events[0]; }

  std::size_t frame(const std::string& name, const std::string& within = "") {
    for (std::size_t i = 0; i < event().frames.size(); ++i)
      if (event().frames[i].name == name && event().frames[i].full.find(within) != std::string::npos) return i;
    throw std::runtime_error("no frame " + name);
  }

  void fact(const char* name, nlohmann::json value, const char* text, const std::string& frame_name, const std::string& within = "") {
    event().facts.push_back({name, std::move(value), text, "", static_cast<int>(frame(frame_name, within)), "read"});
  }

  Fact& fact(const std::string& name) {
    for (auto& f : event().facts)
      if (f.name == name) return f;
    throw std::runtime_error("no fact " + name);
  }

  void drop(const std::string& name) {
    std::erase_if(event().facts, [&](const Fact& f) { return f.name == name; });
  }

  void replace_everywhere(const std::string& from, const std::string& to) {
    for (auto& frame : event().frames)
      for (std::size_t at = 0; (at = frame.full.find(from, at)) != std::string::npos; at += to.size())
        frame.full.replace(at, from.size(), to);
  }

  const Recording& annotated() {
    annotate(recording_);
    return recording_;
  }

  /// "exp 0.5 -0.5 -1 2 [3] -2 other", or nothing if there is no such decision.
  std::string decision(const std::string& id) {
    annotate(recording_);
    for (const auto& d : event().decisions) {
      if (d.id != id) continue;
      std::string out = d.label;
      for (const auto& option : d.options) out += (out.empty() ? "" : " ") + (option == d.taken ? "[" + option + "]" : option);
      return out;
    }
    return "";
  }

 private:
  Recording recording_;
};

TEST(Decisions, OfTheArticlesPathAreTheReportsOwn) {
  const std::vector<std::pair<std::string, std::string>> expected{
      {"user.instruction", "[BINARY_OP **]"},
      {"wrapper.overridden", "overridden? yes [no]"},
      {"binding.arguments", "[Tensor, Scalar 3]"},
      {"dispatcher.call", "[AutogradCPU] CPU"},
      {"autograd.recorded", "recorded? yes [no]"},
      {"dispatcher.redispatch", "AutogradCPU [CPU]"},
      {"operator.result", "[float32, 10000]"},
      {"stub.capability", "DEFAULT AVX2 [AVX512]"},
      {"kernel.exponent", "exp 0.5 -0.5 -1 2 [3] -2 other"},
      {"loop.lambda", "vector [scalar]"},
      {"kernel.value", "[base = -1.1523602]"},
  };
  Observed path;
  for (const auto& [id, shown] : expected) EXPECT_EQ(path.decision(id), shown) << id;
  EXPECT_EQ(path.event().decisions.size(), expected.size());
  EXPECT_EQ(path.annotated().target.capability, "AVX512");
  EXPECT_EQ(path.annotated().target.engine, "tensorlib");
}

TEST(Decisions, EachStandsAtItsFrameAndRestsOnFactsThatAreThere) {
  Observed path;
  path.annotated();
  for (const auto& decision : path.event().decisions) {
    const Frame& frame = path.event().frames.at(static_cast<std::size_t>(decision.frame));
    EXPECT_EQ(to_string(frame.layer), decision.id.substr(0, decision.id.find('.'))) << decision.id;
    EXPECT_NE(std::find(decision.options.begin(), decision.options.end(), decision.taken), decision.options.end());
    EXPECT_FALSE(decision.facts.empty());
    for (const auto& name : decision.facts) EXPECT_NE(find_fact(path.event(), name, 0), nullptr) << decision.id << ": " << name;
    EXPECT_EQ(decision.question.back(), '?');
  }
}

TEST(Decisions, WithoutAFactThereIsNoDecision) {
  const std::vector<std::pair<std::string, std::string>> rests{
      {"strides", "loop.lambda"},     {"exponent", "kernel.exponent"}, {"exponent", "binding.arguments"}, {"records", "autograd.recorded"},
      {"key_set", "dispatcher.call"}, {"numel", "operator.result"},    {"base", "kernel.value"}};
  for (const auto& [fact, id] : rests) {
    Observed path;
    path.drop(fact);
    EXPECT_EQ(path.decision(id), "") << id << " without " << fact;
  }
}

TEST(Decisions, AContiguousInputRunsTheVectorLambda) {
  Observed path;
  path.fact("strides").value = {4, 4};
  path.fact("strides").text = "{4, 4}";
  path.fact("base").text = "{values_ = {-1.15, -0.43}}";
  Frame& lambda = path.event().frames[0];
  const std::string scalar = "::{lambda(float)#3}::operator()(float) const";
  lambda.full.replace(
      lambda.full.rfind(scalar), scalar.size(),
      "::{lambda(tensorlib::vec::AVX512::Vectorized<float>)#3}::operator()(tensorlib::vec::AVX512::Vectorized<float>) const");
  Frame& loop = path.event().frames[path.frame("basic_loop")];
  loop.full = "tensorlib::native::AVX512::vectorized_loop<x, y>(char**, long, long, x&, y&)";
  EXPECT_EQ(path.decision("loop.lambda"), "[vector] scalar");
  EXPECT_EQ(path.decision("kernel.value"), "[base = 16 lanes]");
  EXPECT_EQ(find_fact(path.event(), "contiguous", 0)->value, true);
}

TEST(Decisions, TheRestOfAContiguousInputRunsTheScalarLambdaAllTheSame) {
  Observed path;
  path.fact("strides").value = {4, 4};
  EXPECT_EQ(path.decision("loop.lambda"), "vector [scalar]");
  EXPECT_EQ(find_fact(path.event(), "contiguous", 0)->text, "yes");
}

TEST(Decisions, EveryExponentTakesItsBranch) {
  const std::vector<std::tuple<double, std::string, std::string>> cases{
      {2, "2", "exp 0.5 -0.5 -1 [2] 3 -2 other"},     {-2, "-2", "exp 0.5 -0.5 -1 2 3 [-2] other"},
      {2.5, "2.5", "exp 0.5 -0.5 -1 2 3 -2 [other]"}, {0.5, "0.5", "exp [0.5] -0.5 -1 2 3 -2 other"},
      {-1, "-1", "exp 0.5 -0.5 [-1] 2 3 -2 other"},   {1e300, "1.0000000000000001e+300", "exp 0.5 -0.5 -1 2 3 -2 [other]"}};
  for (const auto& [value, text, shown] : cases) {
    Observed path;
    path.fact("exponent").value = value;
    path.fact("exponent").text = text;
    EXPECT_EQ(path.decision("kernel.exponent"), shown);
    EXPECT_EQ(path.decision("binding.arguments"), "[Tensor, Scalar " + text + "]");
  }
}

TEST(Decisions, AForcedCapabilityIsReadFromTheNamespaceThatRuns) {
  for (const std::string capability : {"AVX2", "DEFAULT"}) {
    Observed path;
    path.replace_everywhere("AVX512", capability);
    EXPECT_EQ(path.decision("stub.capability"), capability == "AVX2" ? "DEFAULT [AVX2] AVX512" : "[DEFAULT] AVX2 AVX512");
    EXPECT_EQ(path.annotated().target.capability, capability);
    EXPECT_EQ(path.decision("loop.lambda"), "vector [scalar]");
  }
}

TEST(Decisions, ATensorThatWantsGradientsIsRecorded) {
  Observed path;
  for (const char* const name : {"requires_grad", "records"}) path.fact(name).value = true, path.fact(name).text = "true";
  EXPECT_EQ(path.decision("autograd.recorded"), "recorded? [yes] no");
}

TEST(Decisions, UnderNoGradATensorThatWantsGradientsIsNotRecorded) {
  Observed path;
  path.fact("requires_grad").value = true;
  EXPECT_EQ(path.decision("autograd.recorded"), "recorded? yes [no]");
}

TEST(Decisions, InInferenceModeOnlyTheCpuAnswers) {
  Observed path;
  for (const char* const name : {"pow_Tensor_Scalar", "redispatch"})
    path.event().frames.erase(path.event().frames.begin() + static_cast<std::ptrdiff_t>(path.frame(name)));
  path.event().facts.clear();
  path.fact("key_set", 1, "1", "call", "::_ops::");
  EXPECT_EQ(path.decision("dispatcher.call"), "[CPU]");
  EXPECT_EQ(path.decision("dispatcher.redispatch"), "");
}

TEST(Decisions, AnArgumentThatOverridesIsSeenByWhatTheWrapperCalled) {
  Observed path;
  Frame handler = path.event().frames[path.frame("wrapped")];
  handler.name = handler.full = handler.python->qualname = "handle_torch_function";
  handler.source->file = "/opt/pyshim/tensorlib/overrides.py";
  path.event().frames.insert(path.event().frames.begin() + static_cast<std::ptrdiff_t>(path.frame("wrapped")), handler);
  EXPECT_EQ(path.decision("wrapper.overridden"), "overridden? [yes] no");
}

TEST(Decisions, Float64HasElementsOfEightBytes) {
  Observed path;
  path.replace_everywhere("<float, double, double>", "<double, double, double>");
  path.fact("dtype").text = "tensorlib::ScalarType::Double";
  path.fact("strides").value = {8, 8};
  EXPECT_EQ(path.decision("operator.result"), "[float64, 10000]");
  EXPECT_EQ(find_fact(path.event(), "element_size", 0)->text, "8");
  EXPECT_EQ(find_fact(path.event(), "contiguous", 0)->text, "yes");
  path.annotated();
  for (const auto& decision : path.event().decisions)
    if (decision.id == "loop.lambda") {
      EXPECT_EQ(decision.question, "Is every stride equal to the element size, 8?");
    }
}

TEST(Annotate, TwiceIsOnce) {
  Observed path;
  const std::string once = to_json_text(path.annotated());
  EXPECT_EQ(to_json_text(path.annotated()), once);
}

TEST(Annotate, KeepsRecordingsInWhichAnotherOptionWasTaken) {
  Observed path;
  path.annotated();
  path.event().decisions[0].elsewhere = {{"other", "01-contiguous"}};
  path.annotated();
  ASSERT_EQ(path.event().decisions[0].elsewhere.size(), 1u);
}

TEST(Annotate, ARecordWithoutFramesOrPythonIsLeftInPeace) {
  Recording recording;
  annotate(recording);
  recording.events.emplace_back();
  annotate(recording);
  EXPECT_TRUE(recording.events[0].decisions.empty());
}

TEST(FactTable, EveryRuleIsAnExpressionAndNamesPaths) {
  for (const auto& rule : fact_rules()) {
    EXPECT_NO_THROW(std::regex(rule.function)) << rule.function;
    EXPECT_FALSE(rule.facts.empty());
    for (const auto& fact : rule.facts) EXPECT_TRUE(!fact.name.empty() && !fact.path.empty());
  }
}

}  // namespace
}  // namespace callpath
