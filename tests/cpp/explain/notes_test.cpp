#include "explain/notes.hpp"

#include <gtest/gtest.h>

#include <set>

#include "core/error.hpp"
#include "explain/paths.hpp"
#include "explain/text.hpp"

namespace callpath {
namespace {

using test::Made;
using test::path;

// With facts as long as they get: a word such as AVX512, two digits for a size.
std::string with_braces_filled(const std::string& text) {
  std::string out, name;
  bool inside = false;
  for (char c : text) {
    if (c == '{')
      inside = true, name.clear();
    else if (c == '}')
      inside = false, out += name.starts_with("strides") || name.ends_with("_size") ? "16" : "AVX512";
    else
      (inside ? name : out) += c;
  }
  return out;
}

bool folded(const Note& note) {
  static const std::set<std::string> layers = {"protocol", "startup", "runtime", "import", "glue", "eval"};
  for (const auto& c : note.when)
    if (c.key == "layer" && layers.count(c.value.get<std::string>())) {
      for (const auto& other : note.when)
        if (other.key == "innermost" && other.value == true) return false;
      return true;
    }
  return false;
}

class EveryNote : public testing::TestWithParam<const char*> {
 protected:
  static const NoteText& words(const Note& note) { return std::string(GetParam()) == "zh" ? note.zh : note.en; }
};

TEST_P(EveryNote, FitsItsRow) {
  for (const auto& note : Notes::built_in().all()) {
    EXPECT_LE(columns(with_braces_filled(words(note).sentence)), folded(note) ? 59 : 72) << note.id;
    EXPECT_LE(columns(with_braces_filled(words(note).title)), 52) << note.id;
  }
}

TEST_P(EveryNote, IsCompleteAndPlain) {
  for (const auto& note : Notes::built_in().all()) {
    EXPECT_FALSE(words(note).title.empty()) << note.id;
    EXPECT_FALSE(words(note).sentence.empty()) << note.id;
    EXPECT_FALSE(words(note).text.empty()) << note.id;
    for (const auto* text : {&words(note).title, &words(note).sentence, &words(note).text, &words(note).otherwise, &words(note).tell}) {
      EXPECT_EQ(text->find('!'), std::string::npos) << note.id;
      EXPECT_EQ(text->find("simply"), std::string::npos) << note.id;
      EXPECT_EQ(text->find('\n'), std::string::npos) << note.id;
    }
  }
}

TEST(Notes, SayTheSamePartsInBothLanguages) {
  for (const auto& note : Notes::built_in().all()) {
    EXPECT_EQ(note.en.otherwise.empty(), note.zh.otherwise.empty()) << note.id;
    EXPECT_EQ(note.en.tell.empty(), note.zh.tell.empty()) << note.id;
  }
}

INSTANTIATE_TEST_SUITE_P(Languages, EveryNote, testing::Values("en", "zh"));

TEST(Notes, HaveDistinctIds) {
  std::set<std::string> ids;
  for (const auto& note : Notes::built_in().all()) EXPECT_TRUE(ids.insert(note.id).second) << note.id;
}

TEST(Notes, SaySomethingAboutEveryLayerWithoutAnyFact) {
  for (int i = 0; i <= static_cast<int>(Layer::unknown); ++i) {
    auto layer = static_cast<Layer>(i);
    auto r = path({{Layer::kernel, "inner"}, {layer, "f"}, {Layer::startup, "main"}});
    auto stages = stages_of(r.events[0], r);
    for (std::size_t at = 0; at < stages.size(); ++at)
      EXPECT_FALSE(tell(Notes::built_in(), r, r.events[0], stages, at, "en").text.sentence.empty()) << to_string(layer);
  }
}

std::map<std::string, std::string> told(const Recording& r, const std::string& language = "en") {
  std::map<std::string, std::string> out;
  auto stages = stages_of(r.events[0], r);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    auto t = tell(Notes::built_in(), r, r.events[0], stages, i, language);
    out[t.id] = t.text.sentence;
  }
  return out;
}

Fact& fact(Recording& r, const std::string& name) {
  for (auto& f : r.events[0].facts)
    if (f.name == name) return f;
  throw std::runtime_error(name);
}

void decide(Recording& r, const std::string& id, const std::string& taken) {
  for (auto& d : r.events[0].decisions)
    if (d.id == id) d.taken = taken;
}

TEST(Notes, OfThePowPathAreTheSpecialOnes) {
  auto notes = told(test::the_pow_path());
  for (const char* id :
       {"startup.script", "user.operation", "protocol.binary_op.power_slot", "wrapper.wrapped.not_overridden.pow",
        "protocol.call_function_ex.c_method", "binding.thpvariable", "dispatcher.call", "autograd.idle", "dispatcher.redispatch",
        "operator.wrapper_cpu.jumped", "stub.elided", "kernel.exponent.3", "loop.scalar.strided", "kernel.lambda.scalar"})
    EXPECT_TRUE(notes.count(id)) << id;
  EXPECT_EQ(notes.size(), 14u);
  EXPECT_EQ(notes["loop.scalar.strided"], "The elements lie 8 bytes apart and vector loads need 4: one at a time.");
}

TEST(Notes, AThreadIsNotTheStartOfPython) {
  EXPECT_TRUE(
      told(path({{Layer::kernel, "k"}, {Layer::startup, "start_thread"}, {Layer::startup, "__GI___clone3"}})).count("startup.thread"));
  EXPECT_FALSE(told(path({{Layer::kernel, "k"}, {Layer::startup, "__libc_start_main"}})).count("startup.thread"));
}

TEST(Notes, SpeakChinese) {
  EXPECT_EQ(told(test::the_pow_path(), "zh")["loop.scalar.strided"], "相邻元素相隔 8 字节，向量加载要求 4 字节，只能逐个计算。");
}

TEST(Notes, FollowTheFacts) {
  auto r = test::the_pow_path();
  fact(r, "exponent").value = 2;
  decide(r, "kernel.exponent", "2");
  EXPECT_TRUE(told(r).count("kernel.exponent.2"));
  fact(r, "exponent").value = 2.5;
  fact(r, "exponent").text = "2.5";
  decide(r, "kernel.exponent", "other");
  EXPECT_EQ(told(r)["kernel.exponent.other"], "No branch fits exponent 2.5: the general power is computed.");
  fact(r, "exponent").value = 0.5;
  fact(r, "exponent").text = "0.5";
  decide(r, "kernel.exponent", "0.5");
  EXPECT_TRUE(told(r).count("kernel.exponent"));
}

TEST(Notes, FollowAutogradsState) {
  auto r = test::the_pow_path();
  fact(r, "requires_grad").value = true;
  EXPECT_TRUE(told(r).count("autograd.no_grad"));
  fact(r, "records").value = true;
  EXPECT_TRUE(told(r).count("autograd.records"));
}

TEST(Notes, FollowTheLambda) {
  auto r = test::the_pow_path();
  fact(r, "contiguous").value = true;
  EXPECT_TRUE(told(r).count("loop.scalar.remainder"));
  fact(r, "lambda").value = "vector";
  for (auto& f : r.events[0].frames)
    if (f.name == "basic_loop") f.name = "vectorized_loop", f.full = "void tensorlib::native::AVX2::vectorized_loop<x>(char**, long, long)";
  auto notes = told(r);
  EXPECT_TRUE(notes.count("loop.vector"));
  EXPECT_TRUE(notes.count("kernel.lambda.vector"));
}

TEST(Notes, WithoutTheirFactsDoNotMatch) {
  auto r = test::the_pow_path();
  r.events[0].facts.clear();
  r.events[0].operations.clear();
  auto notes = told(r);
  for (const char* id :
       {"loop.scalar.strided", "kernel.exponent.3", "autograd.idle", "user.operation", "wrapper.wrapped.not_overridden.pow"})
    EXPECT_FALSE(notes.count(id)) << id;
  EXPECT_TRUE(notes.count("loop"));
  EXPECT_TRUE(notes.count("kernel"));
  EXPECT_TRUE(notes.count("autograd"));
  for (const auto& [id, sentence] : notes) EXPECT_EQ(sentence.find('{'), std::string::npos) << id;
}

// Each misconception has its note where it arises: the frames are those of real stops.
struct Met {
  const char* id;
  std::vector<test::Made> frames;
};

TEST(Notes, MeetMisconceptionsWhereTheyArise) {
  const Made user{Layer::user, "<module>", Kind::python}, eval{Layer::eval, "_PyEval_EvalFrameDefault"};
  const std::vector<Met> all = {
      {"wrapper.decorator",
       {{Layer::wrapper, "_handle_torch_function_and_wrap_type_error_to_not_implemented", Kind::python}, eval, user, eval}},
      {"wrapper.torch_function", {{Layer::wrapper, "__torch_function__", Kind::python}, eval, user, eval}},
      {"wrapper.reflected", {{Layer::wrapper, "__rpow__", Kind::python}, eval, user, eval}},
      {"protocol.trace", {user, eval, {Layer::protocol, "call_trampoline"}, {Layer::protocol, "sys_trace"}, user, eval}},
      {"protocol.readline", {{Layer::runtime, "read"}, {Layer::protocol, "PyOS_Readline"}, user, eval}},
      {"runtime.bytes_copied", {{Layer::runtime, "__memmove_avx512_unaligned_erms"}, {Layer::compile, "_PyCode_New"}, user, eval}},
      {"import.from_pyc",
       {{Layer::kernel, "k"}, {Layer::import, "r_object"}, {Layer::import, "<frozen importlib>", Kind::python}, user, eval}},
      {"compile.class_body", {{Layer::runtime, "memcpy"}, {Layer::compile, "compiler_class"}, user, eval}},
      {"compile.function_body", {{Layer::compile, "compiler_function"}, user, eval}},
      {"compile.parse", {{Layer::compile, "_PyPegen_run_parser"}, user, eval}},
      {"class_build.metaclass", {{Layer::class_build, "type_new"}, user, eval}},
      {"class_build.body", {user, eval, {Layer::class_build, "builtin___build_class__"}, user, eval}},
      {"elided", {{Layer::kernel, "k"}, {Layer::op, "impl", Kind::elided}, {Layer::binding, "b"}, user, eval}},
  };
  for (const auto& [id, frames] : all) {
    auto r = test::path_of(frames);
    EXPECT_TRUE(told(r).count(id)) << id;
  }
}

TEST(Notes, OfADebuggerGoByTheFile) {
  auto r = test::path_of({{Layer::wrapper, "interaction", Kind::python}, {Layer::eval, "_PyEval_EvalFrameDefault"}});
  r.events[0].frames[0].source = Source{"/usr/lib/python3.11/pdb.py", 361, {}};
  EXPECT_TRUE(told(r).count("wrapper.debugger"));
  r.events[0].frames[0].source->file = "/usr/lib/python3.11/contextlib.py";
  EXPECT_FALSE(told(r).count("wrapper.debugger"));
}

TEST(Notes, OfTheLambdaSayWhetherItIsInlined) {
  auto r = test::the_pow_path();
  EXPECT_TRUE(told(r).count("kernel.lambda.scalar"));
  r.events[0].frames[0].kind = Kind::inlined;
  EXPECT_TRUE(told(r).count("kernel.lambda.inlined"));
}

TEST(Notes, OfTheReaderComeFirst) {
  auto own =
      Notes::parse("[[note]]\nid = 'mine'\nwhen = { layer = 'loop' }\nen.title = 'T'\nen.sentence = 'My loop, {n} times.'\n", "mine.toml")
          .before(Notes::built_in());
  auto r = test::the_pow_path();
  auto stages = stages_of(r.events[0], r);
  EXPECT_EQ(tell(own, r, r.events[0], stages, 1, "en").text.sentence, "My loop, 10000 times.");
  EXPECT_EQ(tell(own, r, r.events[0], stages, 1, "zh").text.sentence, "My loop, 10000 times.");  // it has no Chinese
  EXPECT_EQ(tell(own, r, r.events[0], stages, 2, "en").id, "kernel.exponent.3");
}

TEST(Notes, AreRefusedWithTheirPlaceIfBroken) {
  auto message = [](const char* text) -> std::string {
    try {
      Notes::parse(text, "here.toml");
    } catch (const Error& e) {
      return e.what();
    }
    return {};
  };
  EXPECT_NE(message("[[note]\n").find("here.toml"), std::string::npos);
  EXPECT_NE(message("[[note]]\nen.title = 'x'\nen.sentence = 'y'\n").find("no id"), std::string::npos);
  auto with = [&](const std::string& when) {
    return message(("[[note]]\nid = 'a'\nwhen = { " + when + " }\nen.title = 'x'\nen.sentence = 'y'\n").c_str());
  };
  EXPECT_NE(with("function = '('").find("regular expression"), std::string::npos);
  EXPECT_NE(with("layer = 'lop'").find("no layer"), std::string::npos);
  EXPECT_NE(with("module = 3").find("regular expression"), std::string::npos);
  EXPECT_EQ(with("function = '^f$', strides = '*'"), "");
  EXPECT_NE(message("[[notes]]\nid = 'a'\n").find("notes is nothing"), std::string::npos);
  EXPECT_NE(message("[[note]]\nid = 'a'\n").find("note a"), std::string::npos);
  EXPECT_NE(message("[[note]]\nid = 'a'\nen.title = 'x'\nen.sentence = 'y'\nen.colour = 'z'\n").find("colour"), std::string::npos);
}

TEST(Fill, TakesTheNearestOfSeveralFactsOfOneName) {
  auto r = test::the_pow_path();
  auto other = fact(r, "dtype");
  other.text = "float64", other.frame = 30;
  r.events[0].facts.insert(r.events[0].facts.begin(), other);
  auto stages = stages_of(r.events[0], r);
  EXPECT_EQ(fill("{dtype}", r, r.events[0], stages[1], stages[1].key), "float32");
  EXPECT_EQ(fill("{dtype}", r, r.events[0], stages[12], stages[12].key), "float64");
}

TEST(Fill, TakesElementsOfFactsAndArgumentsOfTheFrame) {
  auto r = test::the_pow_path();
  auto stages = stages_of(r.events[0], r);
  auto filled = [&](const char* text, std::size_t at) { return fill(text, r, r.events[0], stages[at], stages[at].key); };
  EXPECT_EQ(filled("{strides[0]} and {strides[1]}", 1), "4 and 8");
  EXPECT_EQ(filled("{base}", 0), "-1.1523602");
  EXPECT_EQ(filled("{exp}", 2), std::nullopt);  // the innermost frame of the stage, cpu_kernel_vec, has no such argument
  EXPECT_EQ(filled("{strides[7]}", 1), std::nullopt);
  EXPECT_EQ(filled("{nothing}", 1), std::nullopt);
  EXPECT_EQ(filled("no brace {", 1), "no brace {");
}

}  // namespace
}  // namespace callpath
