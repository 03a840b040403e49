#include "record/write_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/error.hpp"

namespace callpath {
namespace {

namespace fs = std::filesystem;

class WriteFile : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/callpath-write-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  void TearDown() override { fs::remove_all(folder_); }
  static std::string content(const fs::path& path) {
    std::ostringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
  }
  std::size_t files() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator())); }
  fs::path folder_;
};

TEST_F(WriteFile, WritesAndReplaces) {
  auto path = folder_ / "a bé.html";
  write_file(path, "one");
  write_file(path, "two");
  EXPECT_EQ(content(path), "two");
  EXPECT_EQ(files(), 1u);
  EXPECT_EQ(fs::status(path).permissions() & fs::perms::owner_read, fs::perms::owner_read);
}

TEST_F(WriteFile, LeavesNothingWhereItCannot) {
  EXPECT_THROW(write_file(folder_ / "no" / "x", "one"), Error);
  EXPECT_THROW(write_file(folder_, "one"), Error);
  EXPECT_EQ(files(), 0u);
}

TEST_F(WriteFile, FollowsALink) {
  write_file(folder_ / "real", "one");
  fs::create_symlink("real", folder_ / "link");
  write_file(folder_ / "link", "two");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(content(folder_ / "real"), "two");
}

TEST_F(WriteFile, FollowsALinkToWhatIsNotThereYet) {
  fs::create_directory(folder_ / "in");
  fs::create_symlink("in/new", folder_ / "second");
  fs::create_symlink("second", folder_ / "first");
  write_file(folder_ / "first", "one");
  EXPECT_TRUE(fs::is_symlink(folder_ / "first") && fs::is_symlink(folder_ / "second"));
  EXPECT_EQ(content(folder_ / "in" / "new"), "one");
}

TEST_F(WriteFile, SaysThatLinksGoInACircle) {
  fs::create_symlink("b", folder_ / "a");
  fs::create_symlink("a", folder_ / "b");
  EXPECT_THROW(write_file(folder_ / "a", "one"), Error);
  EXPECT_TRUE(fs::is_symlink(folder_ / "a") && fs::is_symlink(folder_ / "b"));
  EXPECT_EQ(files(), 2u);
}

TEST_F(WriteFile, WritesThroughADevice) {
  EXPECT_NO_THROW(write_file("/dev/null", "one"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(WriteFile, SaysThatADeviceIsFull) { EXPECT_THROW(write_file("/dev/full", "one"), Error); }

}  // namespace
}  // namespace callpath
