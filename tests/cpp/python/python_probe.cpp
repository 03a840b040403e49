// For tests: `decode` and `operations` answer one JSON line for each JSON line on standard input; `stack PID TID` prints the Python stack
// of a stopped thread. What it prints is compared with what Python itself says.
#include <fcntl.h>
#include <gelf.h>
#include <sys/uio.h>
#include <unistd.h>

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/error.hpp"
#include "python/frames.hpp"
#include "record/text.hpp"

using namespace callpath;
using nlohmann::json;

namespace {

class ProcessMemory : public Memory {
 public:
  explicit ProcessMemory(pid_t pid) : pid_(pid) {}
  bool read(Address from, void* to, std::size_t size) const override {
    iovec local{to, size}, remote{reinterpret_cast<void*>(from.value), size};
    return process_vm_readv(pid_, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(size);
  }

 private:
  pid_t pid_;
};

// Link-time address of the page that a file's first byte is loaded to.
std::optional<std::uint64_t> first_load(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY);
  if (fd < 0) return std::nullopt;
  elf_version(EV_CURRENT);
  Elf* const elf = elf_begin(fd, ELF_C_READ, nullptr);
  std::optional<std::uint64_t> address;
  std::size_t count = 0;
  if (elf) elf_getphdrnum(elf, &count);
  for (std::size_t i = 0; i < count && !address; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(i), &header) && header.p_type == PT_LOAD) address = header.p_vaddr - header.p_offset;
  }
  elf_end(elf);
  ::close(fd);
  return address;
}

std::vector<Module> modules_of(pid_t pid) {
  std::vector<Module> modules;
  std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::string range, mode, offset, device, inode, path;
    words >> range >> mode >> offset >> device >> inode >> path;
    if (path.empty() || path[0] != '/' || std::stoull(offset, nullptr, 16) != 0) continue;
    const auto load = first_load(path);
    if (!load || (!modules.empty() && modules.back().path == path)) continue;
    Module module;
    module.path = path;
    module.bias = std::stoull(range, nullptr, 16) - *load;
    modules.push_back(module);
  }
  return modules;
}

json number(const std::optional<int>& n) { return n ? json(*n) : json(); }

json stack_json(pid_t pid, pid_t tid) {
  const ProcessMemory memory(pid);
  const auto modules = modules_of(pid);
  const auto interpreter = find_interpreter(modules, memory);
  if (!interpreter) return {{"error", "no interpreter"}};
  const PythonStack stack = read_python_stack(*interpreter, memory, tid);
  json out{{"found", stack.found},
           {"note", stack.note},
           {"version", stack.version},
           {"build", stack.build},
           {"supported", interpreter->supported}};
  out["runs"] = json::array();
  for (const auto& run : stack.runs) {
    json frames = json::array();
    for (const auto& frame : run.frames) {
      const auto instruction = decode_instruction(raw_code(frame, interpreter->hex_version), frame.instruction_offset);
      frames.push_back({{"qualname", frame.code.qualname},
                        {"name", frame.code.name},
                        {"file", frame.code.file},
                        {"first_line", frame.code.first_line},
                        {"offset", frame.instruction_offset},
                        {"line", instruction ? number(instruction->line) : json()},
                        {"opcode", instruction ? instruction->opcode : ""},
                        {"owner", frame.owner},
                        {"entry", frame.entry}});
    }
    out["runs"].push_back({{"anchor", run.anchor.value}, {"frames", frames}});
  }
  return out;
}

RawCode code_from(const json& in) {
  RawCode code;
  code.bytecode = *from_base64(in.at("bytecode").get<std::string>());
  code.line_table = *from_base64(in.at("line_table").get<std::string>());
  code.first_line = in.at("first_line");
  code.names = in.at("names").get<std::vector<std::string>>();
  code.hex_version = in.at("hex_version");
  return code;
}

json decoded(const json& in) {
  json out = json::array();
  for (const auto& i : decode_all(code_from(in)))
    out.push_back(
        {i.offset, i.opcode, i.specialized, i.arg, i.argrepr, number(i.line), number(i.end_line), number(i.column), number(i.end_column)});
  return out;
}

json operations(const json& in) {
  std::optional<Excerpt> source;
  if (in.contains("source")) source = Excerpt{1, in.at("source").get<std::vector<std::string>>()};
  json out = json::array();
  for (const auto& o : operations_of_statement(code_from(in), in.at("offset"), source ? &*source : nullptr))
    out.push_back({{"offset", o.offset},
                   {"opcode", o.opcode},
                   {"argrepr", o.argrepr},
                   {"line", number(o.line)},
                   {"state", o.state},
                   {"mark", {number(o.mark_begin), number(o.mark_end)}}});
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "stack" && argc == 4) {
    std::cout << stack_json(std::stoi(argv[2]), std::stoi(argv[3])).dump(-1, ' ', true) << "\n";
    return 0;
  }
  if (command != "decode" && command != "operations") return 2;
  for (std::string line; std::getline(std::cin, line);)
    std::cout << (command == "decode" ? decoded(json::parse(line)) : operations(json::parse(line))).dump() << "\n";
}
