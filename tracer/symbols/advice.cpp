#include "symbols/advice.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <regex>

namespace callpath::dw {
namespace {

bool is_packaged(const std::string& path) {
  for (const char* root : {"/usr/local/", "/usr/lib/debug/"})
    if (path.rfind(root, 0) == 0) return false;
  return path.rfind("/usr/", 0) == 0 || path.rfind("/lib", 0) == 0 || path.rfind("/bin/", 0) == 0;
}

/// Debian packages that hold debug information in the main archive; all others are -dbgsym packages of another one.
std::string debug_package(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename();
  std::smatch version;
  static const std::regex interpreter(R"((?:lib)?python(\d+\.\d+)(?:\.so.*)?)"), extension(R"(.*/python(\d+\.\d+)/lib-dynload/.*)");
  if (std::regex_match(name, version, interpreter) || std::regex_match(path, version, extension))
    return fmt::format("python{}-dbg", version[1].str());
  static const std::regex libc(R"((libc|libm|libpthread|libdl|librt|ld-linux-x86-64|libresolv|libutil|libnss_.*)\.so.*)");
  if (std::regex_match(name, libc)) return "libc6-dbg";
  return {};
}

std::string install(const Module& loaded) {
  std::error_code failed;
  const auto real = std::filesystem::weakly_canonical(loaded.path, failed).string();
  if (const auto package = debug_package(failed ? loaded.path : real); !package.empty() && is_packaged(real))
    return fmt::format("apt-get install {}", package);
  if (is_packaged(real)) return fmt::format("install the -dbgsym package of the package that owns it (dpkg -S {})", real);
  return "rebuild it with -g, and do not strip it";
}

}  // namespace

std::string advice(ModuleState& module, const Module& loaded) {
  if (!module.problem().empty()) return module.problem();
  if (const auto splits = module.missing_splits(); !splits.empty())
    return fmt::format("split debug information is missing ({}{}): keep the .dwo files where the compiler wrote them", splits.front(),
                       splits.size() > 1 ? fmt::format(" and {} more", splits.size() - 1) : "");
  if (module.level() == DebugLevel::full) return {};
  if (loaded.path == "[vdso]") return {};
  if (module.rejected().empty()) return install(loaded);
  return fmt::format("{} was made for another build (this one's build-id is {}): {}", module.rejected(),
                     module.code()->build_id().empty() ? "not known" : module.code()->build_id(), install(loaded));
}

}  // namespace callpath::dw
