#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>

#include "core/error.hpp"
#include "record/record.hpp"

namespace callpath {
namespace {

std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

const std::string fixture = file_text(CALLPATH_TEST_DATA "/records/pow_kernel.json");

std::string error_of(const std::string& text) {
  try {
    from_json_text(text, "x.json");
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

// The fixture with one text put for another; it must be there.
std::string with(const std::string& from, const std::string& to) {
  std::string text = fixture;
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("not in the fixture: " + from);
  return text.replace(at, from.size(), to);
}

// Members that may be left out when they are empty.
nlohmann::json without_empty(nlohmann::json json) {
  if (json.is_object())
    for (const char* const name : {"unit", "label", "advice", "debug_file"})
      if (json.value(name, nlohmann::json()) == "") json.erase(name);
  if (json.is_structured())
    for (auto& item : json) item = without_empty(item);
  return json;
}

TEST(RecordJson, WhatIsReadIsWrittenTheSame) {
  const Recording recording = from_json_text(fixture, "fixture");
  const std::string written = to_json_text(recording);
  EXPECT_TRUE(nlohmann::json::parse(written) == without_empty(nlohmann::json::parse(fixture)));
  EXPECT_EQ(to_json_text(from_json_text(written, "again")), written);
}

TEST(RecordJson, EveryMemberComesBack) {
  Recording recording = from_json_text(fixture, "fixture");
  Event& event = recording.events[0];
  event.thread.note = "a note";
  event.complete = false;
  event.incomplete_reason = "cut short";
  event.decisions[0].elsewhere = {{"vector", "01-contiguous"}};
  Frame& frame = event.frames[0];
  frame.missing = Missing{"no debug information", "rebuild with -g"};
  frame.evidence = "evidence";
  frame.confidence = Confidence::inferred;
  frame.locals = {{"a", "int", std::nullopt, "optimised out"}};
  event.frames[26].python->code = RawCode{{1, 2, 3}, {0xff}, 7, {"name"}, 12, 0x030b02f0};
  event.frames[26].source->line.reset();
  event.frames[26].python->instruction->column.reset();
  const std::string text = to_json_text(recording);
  const Recording again = from_json_text(text, "again");
  EXPECT_EQ(to_json_text(again), text);
  const Event& back = again.events[0];
  EXPECT_EQ(back.thread.note, "a note");
  EXPECT_EQ(back.incomplete_reason, "cut short");
  EXPECT_EQ(back.decisions[0].elsewhere[0].recording, "01-contiguous");
  EXPECT_EQ(back.frames[0].missing->remedy, "rebuild with -g");
  EXPECT_EQ(back.frames[0].confidence, Confidence::inferred);
  EXPECT_EQ(back.frames[0].locals[0].reason, "optimised out");
  EXPECT_EQ(back.frames[26].python->code->bytecode, (std::vector<std::uint8_t>{1, 2, 3}));
  EXPECT_EQ(back.frames[26].python->code->hex_version, 0x030b02f0u);
  EXPECT_EQ(back.frames[26].source->line, std::nullopt);
  EXPECT_NE(text.find("\"line\": null"), std::string::npos);
}

TEST(RecordJson, UnknownMembersAreIgnored) { EXPECT_EQ(error_of(with("\"format\"", "\"spans\": [], \"format\"")), ""); }

TEST(RecordJson, WhatIsNoRecordIsSaidWithItsPlace) {
  EXPECT_NE(error_of("").find("empty"), std::string::npos);
  EXPECT_NE(error_of("  \n").find("empty"), std::string::npos);
  EXPECT_EQ(error_of(fixture.substr(0, 5000)), "x.json: the text ends in the middle, after 5000 bytes: it was cut off");
  EXPECT_EQ(error_of("{\"a\": nope}"), "x.json: not JSON: byte 7 cannot stand there");
  EXPECT_NE(error_of("hello").find("not JSON"), std::string::npos);
  EXPECT_NE(error_of("{}").find("not a callpath record"), std::string::npos);
  EXPECT_NE(error_of("[1]").find("not a callpath record"), std::string::npos);
  EXPECT_NE(error_of("{\"format\": \"speedscope/1\"}").find("not a callpath record"), std::string::npos);
  EXPECT_NE(error_of(std::string(100'000, '[')).find("nested"), std::string::npos);
}

TEST(RecordJson, AnotherVersionIsSaidAsSuch) {
  EXPECT_NE(error_of(with("callpath/1", "callpath/2")).find("\"callpath/2\" is not known"), std::string::npos);
}

TEST(RecordJson, ABrokenRuleIsSaidWithItsPointer) {
  const auto expect = [](const std::string& text, const std::string& pointer, const std::string& what) {
    const std::string error = error_of(text);
    EXPECT_NE(error.find("at " + pointer + ": "), std::string::npos) << error;
    EXPECT_NE(error.find(what), std::string::npos) << error;
  };
  expect(with("\"number\": 0", "\"number\": \"0\""), "/events/0/frames/0/number", "a whole number is expected, not string");
  expect(with("\"number\": 0", "\"number\": 0.5"), "/events/0/frames/0/number", "not a fraction");
  expect(with("\"number\": 0", "\"number\": 99999999999999999999"), "/events/0/frames/0/number", "");
  expect(with("\"kind\": \"native\"", "\"kind\": \"nativ\""), "/events/0/frames/0/kind", "\"nativ\" is not one of");
  expect(with("\"layer\": \"kernel\"", "\"layer\": 3"), "/events/0/frames/0/layer", "text is expected");
  expect(with("\"module\": 1", "\"module\": 4"), "/events/0/frames/0/module", "4 is not between 0 and 3");
  expect(with("\"module\": 1", "\"module\": -1"), "/events/0/frames/0/module", "-1 is not between 0 and 3");
  expect(with("\"pc\": \"0x", "\"pc\": \"x"), "/events/0/frames/0/pc", "an address");
  expect(with("\"value\": \"-1.1523602\"", "\"value\": \"1\", \"reason\": \"2\""), "/events/0/frames/0/arguments/1", "exactly one");
  expect(with("\"state\": \"returned\"", "\"state\": \"gone\""), "/events/0/operations/0/state", "\"pending\" is expected");
  expect(with("\"taken\": \"scalar\"", "\"taken\": \"both\""), "/events/0/decisions/1/taken", "\"both\" is not among the options");
  expect(with("\"unit\": \"bytes\",\n          \"frame\": 6", "\"unit\": \"bytes\",\n          \"frame\": 600"), "/events/0/facts/2/frame",
         "600 is not between");
  expect(with("\"frames\": [", "\"other\": ["), "/events/0", "\"frames\" is missing");
  expect(with("\"argv\": [", "\"argv\": 1, \"x\": ["), "/target/argv", "a list is expected");
  expect(with("\"debug\": \"full\"", "\"debug\": \"some\""), "/modules/0/debug", "expected");
}

// Another program may write the members in another order; modules after events must give the same record and the same complaints.
TEST(RecordJson, MembersMayStandInAnyOrder) {
  const auto plain = nlohmann::json::parse(fixture);
  nlohmann::ordered_json turned;
  for (const char* key : {"events", "modules", "target", "producer", "format"}) turned[key] = plain[key];
  EXPECT_EQ(to_json_text(from_json_text(turned.dump(), "turned")), to_json_text(from_json_text(fixture, "fixture")));
  turned["events"][0]["frames"][0]["module"] = 4;
  EXPECT_NE(error_of(turned.dump()).find("/events/0/frames/0/module: 4 is not between 0 and 3"), std::string::npos);
}

TEST(RecordJson, AFaultInALaterEventIsNamedByItsNumber) {
  auto json = nlohmann::ordered_json::parse(fixture);
  json["events"].push_back(json["events"][0]);
  json["events"].push_back(json["events"][0]);
  json["events"][2]["frames"][5].erase("name");
  EXPECT_NE(error_of(json.dump()).find("at /events/2/frames/5"), std::string::npos);
}

TEST(RecordJson, TextOfAnyBytesIsWrittenAsJsonThatCanBeRead) {
  Recording recording = from_json_text(fixture, "fixture");
  Frame& frame = recording.events[0].frames[0];
  frame.name =
      "a\xff"
      "b\"\\\n\x01</script>";
  frame.source->file = "/tmp/caf\xe9.py";
  recording.events[0].facts[0].value = nlohmann::json::array({"\xfe", 1});
  const Recording again = from_json_text(to_json_text(recording), "again");
  EXPECT_EQ(again.events[0].frames[0].name, "a\\xffb\"\\\n\x01</script>");
  EXPECT_EQ(again.events[0].frames[0].source->file, "/tmp/caf\\xe9.py");
  EXPECT_EQ(again.events[0].facts[0].value[0], "\\xfe");
}

TEST(RecordJson, LoneSurrogatesAsPythonWritesThemAreReadSpelledOut) {
  const Recording recording = from_json_text(with("\"name\": \"lambda(float)\"", "\"name\": \"caf\\udce9 \\ud83d\\ude00\""), "x");
  EXPECT_EQ(recording.events[0].frames[0].name, "caf\\udce9 \U0001f600");
}

// Cut anywhere and changed anywhere: an error or a record, never anything else.
TEST(RecordJson, DamagedTextIsRefusedOrRead) {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    std::string text = fixture.substr(0, random() % 2 ? fixture.size() : random() % fixture.size());
    for (int i = 0; i < 3 && !text.empty(); ++i) text[random() % text.size()] = static_cast<char>(random());
    try {
      to_json_text(from_json_text(text, "damaged"));
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).rfind("damaged: ", 0), 0u);
    }
  }
}

}  // namespace
}  // namespace callpath
