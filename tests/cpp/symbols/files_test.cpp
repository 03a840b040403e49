// Files that are damaged, missing, or not what they seem: an answer or nothing, never a crash or an endless loop.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "symbols/symbols.hpp"

namespace callpath {
namespace {

class Files : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("callpath-files-" + std::to_string(getpid()));
    setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& content) {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return folder_ / name;
  }
  static Module module(const std::string& path) { return {path, "", 0, {}}; }

  std::filesystem::path folder_;
};

std::string own_bytes() {
  std::ifstream in("/proc/self/exe", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void ask_everything(Symbols& symbols, const Module& m) {
  for (std::uint64_t a : {0ull, 0x1000ull, 0x20000ull, 0x50000ull, ~0ull}) {
    EXPECT_FALSE(symbols.at(m, {a}).empty());
    symbols.call_returning_to(m, {a});
  }
  symbols.find(m, "*SurvivesDamage*");
  symbols.find_line(m, "files_test.cpp", 40);
  symbols.describe(m);
}

TEST_F(Files, MissingOrNotElfGiveModuleAndOffset) {
  Symbols symbols;
  for (const auto& path : {std::string("/nonexistent/lib.so"), folder_.string(), std::string("/dev/null"),
                           write("text.so", "not an ELF file"), write("empty.so", "")}) {
    const auto at = symbols.at(module(path), {0x1234});
    ASSERT_EQ(at.size(), 1u);
    EXPECT_EQ(at[0].confidence, Confidence::module);
    EXPECT_EQ(at[0].name, "??");
    EXPECT_EQ(at[0].full, module(path).name() + "+0x1234");
    EXPECT_EQ(symbols.level(module(path)), DebugLevel::none);
    EXPECT_TRUE(symbols.find(module(path), "*").empty());
    EXPECT_NE(symbols.describe(module(path)).advice, "");
  }
}

TEST_F(Files, AnotherBuildThanTheLoadedOneIsNotUsed) {
  Symbols symbols;
  Module m = module("/proc/self/exe");
  m.build_id = "0123456789abcdef";
  EXPECT_EQ(symbols.level(m), DebugLevel::none);
  EXPECT_NE(symbols.describe(m).advice.find("no longer the file"), std::string::npos);
}

TEST_F(Files, TheVdsoHasNames) {
  Symbols symbols;
  const auto found = symbols.find(module("[vdso]"), "__vdso_clock_gettime");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(symbols.at(module("[vdso]"), found[0].entry)[0].name, "__vdso_clock_gettime");
}

TEST_F(Files, SurvivesDamage) {
  const std::string good = own_bytes();
  std::mt19937 random(1);
  for (int round = 0; round < 60; ++round) {
    std::string bad = good;
    const int kind = round % 3;
    if (kind == 0) bad.resize(random() % bad.size());
    if (kind == 1) bad.replace(64 + random() % 2000, 8, 8, '\xff');
    if (kind == 2)
      for (int i = 0; i < 2'000; ++i) bad[bad.size() / 4 + random() % (bad.size() * 3 / 4)] = static_cast<char>(random());
    Symbols symbols(Symbols::Index::none);
    ask_everything(symbols, module(write("bad" + std::to_string(round), bad)));
    std::filesystem::remove(folder_ / ("bad" + std::to_string(round)));
  }
}

TEST_F(Files, ExcerptsStopAtTheFilesEnds) {
  const auto path = write("a.cpp", "one\ntwo\r\nthree\nfour");
  const auto middle = read_excerpt(path, 2, 1, 1);
  ASSERT_TRUE(middle);
  EXPECT_EQ(middle->first, 1);
  EXPECT_EQ(middle->lines, (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_EQ(read_excerpt(path, 1)->first, 1);
  EXPECT_EQ(read_excerpt(path, 4)->lines.back(), "four");
  EXPECT_FALSE(read_excerpt(path, 5));
  EXPECT_FALSE(read_excerpt(path, 0));
  EXPECT_FALSE(read_excerpt("/nonexistent.cpp", 1));
  EXPECT_FALSE(read_excerpt("/dev/zero", 1));
  const auto wide = read_excerpt(write("long.cpp", std::string(9'999, 'x')), 1);
  ASSERT_TRUE(wide);
  EXPECT_LE(wide->lines[0].size(), 400u);
}

}  // namespace
}  // namespace callpath
