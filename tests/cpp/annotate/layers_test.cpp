#include <gtest/gtest.h>

#include "annotate/annotate.hpp"
#include "annotate/parts.hpp"

namespace callpath {
namespace {

const std::vector<std::string> modules{"python3.11", "libtensorlib.so", "_C.cpython-311-x86_64-linux-gnu.so",
                                       "libc.so.6",  "mine.so",         "_multiarray_umath.cpython-311.so"};

Recording empty_recording() {
  Recording recording;
  for (const auto& name : modules) recording.modules.push_back({name, "/lib/" + name, "", "full", "", ""});
  recording.events.emplace_back();
  return recording;
}

Frame native(const std::string& full, const std::string& module, const std::string& file = "", Kind kind = Kind::native) {
  Frame frame;
  frame.kind = kind;
  frame.full = frame.name = full;
  frame.module = static_cast<int>(std::find(modules.begin(), modules.end(), module) - modules.begin());
  if (!file.empty()) frame.source = Source{file, 1, std::nullopt};
  return frame;
}

Frame python(const std::string& qualname, const std::string& file) {
  Frame frame;
  frame.kind = Kind::python;
  frame.full = qualname;
  frame.name = qualname.substr(qualname.find_last_of('.') + 1);
  frame.source = Source{file, 1, std::nullopt};
  frame.python = PythonPart{qualname, 1, std::nullopt, std::nullopt};
  return frame;
}

const Frame eval = native("_PyEval_EvalFrameDefault", "python3.11", "../Python/ceval.c");
const Frame main_frame = native("Py_BytesMain", "python3.11", "../Modules/main.c");

std::vector<std::string> layers(std::vector<Frame> frames) {
  Recording recording = empty_recording();
  recording.events[0].frames = std::move(frames);
  annotate(recording);
  std::vector<std::string> out;
  for (const auto& frame : recording.events[0].frames) out.push_back(to_string(frame.layer));
  return out;
}

std::string layer_of(const Frame& frame) { return layers({frame})[0]; }

using Strings = std::vector<std::string>;

TEST(Layers, OfTheHandMadeRecordAreFoundAgain) {
  const Recording whole = load(CALLPATH_TEST_DATA "/records/pow_kernel.json");
  Recording bare = whole;
  for (auto& frame : bare.events[0].frames) frame.layer = Layer::unknown;
  annotate(bare);
  for (std::size_t i = 0; i < whole.events[0].frames.size(); ++i)
    EXPECT_EQ(to_string(bare.events[0].frames[i].layer), to_string(whole.events[0].frames[i].layer)) << whole.events[0].frames[i].full;
}

TEST(Layers, PyTorchsNamesHaveTheSameLayers) {
  const std::string cpu = "libtorch_cpu.so";
  Recording recording = empty_recording();
  recording.modules.push_back({cpu, "/lib/" + cpu, "", "full", "", ""});
  const std::vector<std::pair<std::string, std::string>> cases{
      {"at::native::AVX512::pow_tensor_scalar_optimized_kernel<float, double, double>(at::TensorIteratorBase&, "
       "double)::{lambda(float)#2}::operator()(float) const",
       "kernel"},
      {"at::native::(anonymous namespace)::pow_tensor_scalar_kernel(at::TensorIteratorBase&, c10::Scalar const&)", "kernel"},
      {"at::TensorIteratorBase::serial_for_each(c10::function_ref<void (char**, long const*, long, long)>, at::Range) const", "loop"},
      {"at::native::AVX512::VectorizedLoop2d<x, y>::operator()(char**, long const*, long, long)", "loop"},
      {"at::(anonymous namespace)::wrapper_CPU_pow_Tensor_Scalar(at::Tensor const&, c10::Scalar const&)", "operator"},
      {"at::native::structured_pow_Tensor_Scalar_out::impl(at::Tensor const&, c10::Scalar const&, at::Tensor const&)", "operator"},
      {"at::_ops::pow_Tensor_Scalar::redispatch(c10::DispatchKeySet, at::Tensor const&, c10::Scalar const&)", "dispatcher"},
      {"torch::autograd::VariableType::(anonymous namespace)::pow_Tensor_Scalar(c10::DispatchKeySet, at::Tensor const&, c10::Scalar "
       "const&)",
       "autograd"},
      {"c10::impl::wrap_kernel_functor_unboxed_<x, y>::call(c10::OperatorKernel*, c10::DispatchKeySet)", "glue"},
      {"at::native::DispatchStub<void (*)(at::TensorIteratorBase&), at::native::pow_tensor_scalar_stub>::operator()<>(c10::DeviceType)",
       "stub"},
      {"torch::autograd::THPVariable_pow(_object*, _object*, _object*)", "binding"},
  };
  for (const auto& [full, layer] : cases) EXPECT_EQ(layer_of(native(full, "mine.so")), layer) << full;
}

TEST(Layers, CPythonsWorkIsToldFromItsMachinery) {
  const std::vector<std::tuple<std::string, std::string, std::string>> cases{
      {"_PyEval_EvalFrameDefault.cold", "", "eval"},
      {"PyNumber_Power", "../Objects/abstract.c", "protocol"},
      {"builtin___build_class__", "../Python/bltinmodule.c", "class-build"},
      {"type_new_impl", "../Objects/typeobject.c", "class-build"},
      {"compiler_visit_stmt", "../Python/compile.c", "compile"},
      {"_PyCode_New", "../Objects/codeobject.c", "compile"},
      {"r_object", "../Python/marshal.c", "import"},
      {"import_find_and_load", "../Python/import.c", "import"},
      {"builtin_abs", "../Python/bltinmodule.c", "binding"},
      {"time_sleep", "../Modules/timemodule.c", "binding"},
      {"slot_nb_power.lto_priv.0", "", "protocol"},
      {"cfunction_vectorcall_O", "", "protocol"},
  };
  for (const auto& [name, file, layer] : cases) EXPECT_EQ(layer_of(native(name, "python3.11", file)), layer) << name;
  EXPECT_EQ(layer_of(native("__memcpy_evex_unaligned_erms", "libc.so.6")), "runtime");
  EXPECT_EQ(layer_of(native("DOUBLE_multiply_AVX512F", "_multiarray_umath.cpython-311.so")), "kernel");
}

TEST(Layers, OnlyWhatTheInterpreterCalledIsTheBindingOfAnUnknownExtension) {
  const Frame inner = native("mine::compute(int)", "mine.so"), outer = native("py_compute", "mine.so");
  EXPECT_EQ(layers({inner, outer, native("cfunction_call", "python3.11"), eval}), (Strings{"unknown", "binding", "protocol", "eval"}));
  EXPECT_EQ(layers({outer, eval}), (Strings{"binding", "eval"}));
  EXPECT_EQ(layer_of(inner), "unknown");
  const Frame inlined = native("helper", "mine.so", "", Kind::inlined);
  EXPECT_EQ(layers({inlined, outer, eval}), (Strings{"unknown", "binding", "eval"}));
}

TEST(Layers, WhatLiesOutsideTheProgramsPythonIsStartup) {
  const Frame vector = native("_PyEval_Vector", "python3.11"), code = native("PyEval_EvalCode", "python3.11");
  const Frame start = native("__libc_start_main_impl", "libc.so.6");
  EXPECT_EQ(layers({python("f", "/home/ada/x.py"), python("<module>", "/home/ada/x.py"), eval, vector, code, main_frame, start}),
            (Strings{"user", "user", "eval", "startup", "startup", "startup", "startup"}));
  // Without the program's beginning on the stack the machinery stays machinery.
  EXPECT_EQ(layers({python("f", "/home/ada/x.py"), eval, vector}), (Strings{"user", "eval", "protocol"}));
  EXPECT_EQ(layers({python("f", "/home/ada/x.py"), eval, vector, python("Thread._bootstrap", "/usr/lib/python3.11/threading.py"), eval,
                    code, native("thread_run", "python3.11"), native("start_thread", "libc.so.6")}),
            (Strings{"user", "eval", "startup", "startup", "eval", "startup", "startup", "startup"}));
}

TEST(Layers, PythonOfLibrariesIsNotTheReaders) {
  EXPECT_EQ(layers({python("_f.<locals>.wrapped", "/opt/pyshim/tensorlib/_tensor.py"), eval, python("<module>", "/home/ada/x.py"), eval}),
            (Strings{"wrapper", "eval", "user", "eval"}));
  EXPECT_EQ(layers({python("reduce", "/usr/lib/python3.11/functools.py"), python("f", "/home/ada/x.py")}), (Strings{"wrapper", "user"}));
  EXPECT_EQ(layers({python("_call_with_frames_removed", "<frozen importlib._bootstrap>"), python("<module>", "/home/ada/x.py")}),
            (Strings{"import", "user"}));
}

TEST(Layers, TheProgramsOwnFileIsTheReadersWhereverItLies) {
  EXPECT_EQ(layers({python("helper", "/home/ada/torch/try.py"), python("<module>", "/home/ada/torch/try.py"), eval, main_frame}),
            (Strings{"user", "user", "eval", "startup"}));
  EXPECT_EQ(layers({python("main", "/usr/lib/python3.11/timeit.py"), python("_run_code", "<frozen runpy>"), eval}),
            (Strings{"user", "startup", "eval"}));
}

TEST(Layers, AStubIsNamedByItsKernelFamily) {
  Recording recording = empty_recording();
  recording.events[0].frames = {
      native("tensorlib::native::DispatchStub<void (*)(tensorlib::TensorIteratorBase&), "
             "tensorlib::native::pow_tensor_scalar_stub>::operator()(tensorlib::TensorIteratorBase&)",
             "libtensorlib.so")};
  annotate(recording);
  EXPECT_EQ(recording.events[0].frames[0].name, "pow_tensor_scalar_stub");
}

TEST(Layers, NamesOfAnyLengthAndEmptyOnesAreUnknown) {
  EXPECT_EQ(layer_of(native(std::string(300'000, 'a'), "mine.so")), "unknown");
  EXPECT_EQ(layer_of(native("x<" + std::string(100'000, '<'), "mine.so")), "unknown");
  EXPECT_EQ(layer_of(native("", "mine.so")), "unknown");
}

}  // namespace
}  // namespace callpath
