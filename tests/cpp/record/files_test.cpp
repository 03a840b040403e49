#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/error.hpp"
#include "record/record.hpp"

namespace callpath {
namespace {

namespace fs = std::filesystem;

class RecordFiles : public testing::Test {
 protected:
  RecordFiles() {
    std::string pattern = testing::TempDir() + "recordXXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~RecordFiles() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::size_t count() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {})); }
  static Recording recording() { return load(CALLPATH_TEST_DATA "/records/pow_kernel.json"); }

  fs::path folder_;
};

template <class Function>
std::string error_of(Function function) {
  try {
    function();
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST_F(RecordFiles, WhatIsSavedIsLoaded) {
  save(recording(), path("a b é.json"));
  EXPECT_EQ(to_json_text(load(path("a b é.json"))), to_json_text(recording()));
  EXPECT_EQ(count(), 1u) << "no temporary is left";
}

TEST_F(RecordFiles, AFileIsReplacedAsAWholeAndReadableToWhomTheUserAllows) {
  std::ofstream(path("a.json")) << "old";
  const mode_t mask = ::umask(027);
  save(recording(), path("a.json"));
  ::umask(mask);
  struct stat status;
  ASSERT_EQ(::stat(path("a.json").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
  EXPECT_NO_THROW(load(path("a.json")));
}

TEST_F(RecordFiles, WhereNothingCanBeWrittenNothingIsLeft) {
  EXPECT_NE(error_of([&] { save(recording(), path("no/such/a.json")); }).find("No such file or directory"), std::string::npos);
  fs::create_directory(path("taken.json"));
  EXPECT_NE(error_of([&] { save(recording(), path("taken.json")); }).find("taken.json"), std::string::npos);
  EXPECT_EQ(count(), 1u);
  EXPECT_NE(error_of([] { save(recording(), "/dev/full/x"); }), "");
}

TEST_F(RecordFiles, WhatCannotBeReadIsNamed) {
  EXPECT_NE(error_of([&] { load(path("none.json")); }).find("none.json: cannot read: No such file"), std::string::npos);
  EXPECT_NE(error_of([&] { load(folder_.string()); }).find("is a folder"), std::string::npos);
  std::ofstream(path("empty.json")) << "";
  EXPECT_NE(error_of([&] { load(path("empty.json")); }).find("empty.json: the file is empty"), std::string::npos);
  std::ofstream(path("cut.json")) << to_json_text(recording()).substr(0, 1000);
  EXPECT_NE(error_of([&] { load(path("cut.json")); }).find("cut off"), std::string::npos);
}

}  // namespace
}  // namespace callpath
