#include "explain/words.hpp"

#include <fmt/format.h>

#include "explain/text.hpp"

namespace callpath {
namespace {

std::string number(int n) { return grouped(std::to_string(n)); }

std::string totals_en(int native, int python, int elided) {
  auto out = fmt::format("{} C and C++ frame{}, {} Python frame{}", number(native), native == 1 ? "" : "s", number(python),
                         python == 1 ? "" : "s");
  if (elided > 0) out += fmt::format(", {} call{} that left no frame", number(elided), elided == 1 ? "" : "s");
  return out;
}

std::string totals_zh(int native, int python, int elided) {
  auto out = fmt::format("{} 个 C 和 C++ 帧，{} 个 Python 帧", number(native), number(python));
  if (elided > 0) out += fmt::format("，{} 个没有留下帧的调用", number(elided));
  return out;
}

std::string state_en(int returned, const std::string& current, const std::string& pending) {
  std::string out = returned > 0 ? fmt::format("{} call{} returned", number(returned), returned == 1 ? "" : "s") : "";
  if (!current.empty()) out += (out.empty() ? "" : ", ") + ("\1" + current + " is on the stack\2");
  if (!pending.empty()) out += (out.empty() ? "" : ", ") + pending + " still to come";
  return out;
}

std::string state_zh(int returned, const std::string& current, const std::string& pending) {
  std::string out = returned > 0 ? fmt::format("{} 个调用已返回", number(returned)) : "";
  if (!current.empty()) out += (out.empty() ? "" : "，") + ("\1" + current + " 在栈上\2");
  if (!pending.empty()) out += (out.empty() ? "" : "，") + pending + " 还没轮到";
  return out;
}

std::string folded_en(int frames) { return fmt::format("{} frame{}: ", number(frames), frames == 1 ? "" : "s"); }
std::string folded_zh(int frames) { return fmt::format("{} 帧：", number(frames)); }
std::string from_to_en(const std::string& from, const std::string& to) { return "From " + from + " to " + to; }
std::string from_to_zh(const std::string& from, const std::string& to) { return "从 " + from + " 到 " + to; }
std::string of_frames_en(int missing, int all) { return fmt::format("{} of {}", number(missing), number(all)); }
std::string of_frames_zh(int missing, int all) { return fmt::format("{} 帧中的 {} 帧", number(all), number(missing)); }
std::string events_en(int count) { return fmt::format("{} event{}", number(count), count == 1 ? "" : "s"); }
std::string events_zh(int count) { return fmt::format("{} 个事件", number(count)); }
std::string rounds(int count) { return fmt::format("× {}", number(count)); }

constexpr Words english{
    .html_lang = "en",
    .from = "From",
    .to = "To",
    .frame = "Frame",
    .layer = "Layer",
    .function = "Function",
    .decided = "What was decided",
    .order = "called first at the top, running now at the bottom",
    .order_bt = "running now at the top, as gdb counts",
    .returned = "returned",
    .on_stack = "on the stack",
    .pending = "still to come",
    .how = "How that is known",
    .frames_in_stage = "Frames in this stage",
    .by_hand = "By hand, in gdb",
    .evidence = "How it is known that this ran",
    .otherwise = "What would have been different",
    .arguments = "Arguments",
    .where_to_get = "What is missing",
    .inlined = "inlined",
    .left_no_frame = "left no frame",
    .symbol_only = "symbol only",
    .inferred = "inferred",
    .unknown = "unknown",
    .told = "The path in a few sentences",
    .modules = "Modules without full debug information",
    .module = "Module",
    .debug = "Has",
    .advice = "What would bring more",
    .frames = "Frames",
    .recording = "recording",
    .events = "Events",
    .theme = "Theme",
    .every_frame = "Every frame",
    .keys = "Keys: j and k or arrows step, f shows every frame, p presents, / searches, t changes the theme",
    .value = "value",
    .line = "line",
    .thread = "thread",
    .incomplete = "incomplete",
    .colon = ": ",
    .full_names = "Full names",
    .missing_frames = "Frames without name or line",
    .fact = "Fact",
    .place = "Place",
    .sentence = "What it does",
    .kind = "Kind",
    .search = "Search",
    .present = "Present",
    .right = "Right.",
    .not_here = "Not here: ",
    .as_in_event = "As in event",
    .totals = totals_en,
    .state = state_en,
    .folded = folded_en,
    .rounds = rounds,
    .from_to = from_to_en,
    .of_frames = of_frames_en,
    .events_count = events_en,
};

constexpr Words chinese{
    .html_lang = "zh-CN",
    .from = "从",
    .to = "到",
    .frame = "帧",
    .layer = "层",
    .function = "函数",
    .decided = "决定了什么",
    .order = "先调用的在上，正在运行的在下",
    .order_bt = "正在运行的在上，编号同 gdb",
    .returned = "已返回",
    .on_stack = "在栈上",
    .pending = "还没轮到",
    .how = "依据",
    .frames_in_stage = "这一段的帧",
    .by_hand = "在 gdb 里手工查看",
    .evidence = "怎么知道它运行过",
    .otherwise = "如果换一种情况",
    .arguments = "参数",
    .where_to_get = "缺少什么",
    .inlined = "内联",
    .left_no_frame = "没有留下帧",
    .symbol_only = "只有符号",
    .inferred = "推断",
    .unknown = "未知",
    .told = "几句话说完这条路径",
    .modules = "没有完整调试信息的模块",
    .module = "模块",
    .debug = "现有",
    .advice = "怎样得到更多",
    .frames = "帧",
    .recording = "记录",
    .events = "事件",
    .theme = "明暗",
    .every_frame = "所有帧",
    .keys = "按键：j、k 或方向键前后移动，f 显示所有帧，p 演示，/ 搜索，t 切换明暗",
    .value = "值",
    .line = "行",
    .thread = "线程",
    .incomplete = "不完整",
    .colon = "：",
    .full_names = "完整的名字",
    .missing_frames = "没有名字或行号的帧",
    .fact = "事实",
    .place = "位置",
    .sentence = "做什么",
    .kind = "种类",
    .search = "搜索",
    .present = "演示",
    .right = "对。",
    .not_here = "这里不是：",
    .as_in_event = "同事件",
    .totals = totals_zh,
    .state = state_zh,
    .folded = folded_zh,
    .rounds = rounds,
    .from_to = from_to_zh,
    .of_frames = of_frames_zh,
    .events_count = events_zh,
};

}  // namespace

const Words& words(std::string_view language) { return language == "zh" ? chinese : english; }

}  // namespace callpath
