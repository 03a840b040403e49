#include "cli/places.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

#include "cli/process.hpp"
#include "core/error.hpp"

namespace {

using namespace callpath::cli;
namespace fs = std::filesystem;

class PlacesTest : public testing::Test {
 protected:
  PlacesTest() {
    char name[] = "/tmp/callpath places.XXXXXX";
    folder = mkdtemp(name);
    unsetenv("CALLPATH_PYTHON");
  }
  ~PlacesTest() override { fs::remove_all(folder); }
  fs::path script(const std::string& name, const std::string& text) {
    const auto file = folder / name;
    std::ofstream(file) << text;
    chmod(file.c_str(), 0755);
    return file;
  }
  fs::path folder;
};

TEST_F(PlacesTest, DefaultPythonIsNotWhateverIsOnPath) {
  script("python3", "#!/bin/sh\nexit 9\n");
  setenv("PATH", (folder.string() + ":/usr/bin:/bin").c_str(), 1);
  EXPECT_EQ(target_python(), "/usr/bin/python3");
}

TEST_F(PlacesTest, AShimIsAskedWhichInterpreterItStarts) {
  const auto shim = script("python3", "#!/bin/sh\nexec /usr/bin/python3 \"$@\"\n");
  EXPECT_EQ(target_python(shim.string()), "/usr/bin/python3");
}

TEST_F(PlacesTest, EnvironmentChoosesThePython) {
  const auto link = folder / "a python";
  fs::create_symlink("/usr/bin/python3", link);
  setenv("CALLPATH_PYTHON", link.c_str(), 1);
  EXPECT_EQ(target_python(), link.string());
}

TEST_F(PlacesTest, AnotherVersionIsRefusedByName) {
  const auto other = script("python3.99", "#!/bin/sh\nprintf '3.99\\n.cpython-399-x86_64-linux-gnu.so\\n/x\\n'\n");
  try {
    target_python(other.string());
    FAIL();
  } catch (const callpath::Error& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("3.99"), std::string::npos) << what;
    EXPECT_NE(what.find("3.11"), std::string::npos) << what;
  }
}

TEST_F(PlacesTest, APythonThatDoesNotRunIsAnError) {
  EXPECT_THROW(target_python(script("python", "#!/bin/sh\nexit 1\n").string()), callpath::Error);
}

TEST_F(PlacesTest, OurPackagesComeBeforeTheUsers) {
  setenv("PYTHONPATH", "/theirs", 1);
  Places places;
  places.packages = "/ours";
  EXPECT_EQ(python_path(places), "/ours:/theirs");
  unsetenv("PYTHONPATH");
  EXPECT_EQ(python_path(places), "/ours");
}

TEST_F(PlacesTest, ProgramsAreFoundOnPathAndFoldersAreNone) {
  fs::create_directory(folder / "gdb");
  setenv("PATH", (folder.string() + "::/usr/bin").c_str(), 1);
  EXPECT_EQ(find_program("env"), "/usr/bin/env");
  EXPECT_EQ(find_program("no-such-program-at-all"), "");
  EXPECT_NE(find_program("gdb"), (folder / "gdb").string());
}

}  // namespace
