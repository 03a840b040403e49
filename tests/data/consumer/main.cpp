// Captures, names, writes and reads again by the C++ interface; prints what the test compares.
#include <callpath/callpath.hpp>
#include <iostream>

__attribute__((noinline)) void innermost(callpath::Recording& recording) {
  recording.add_here("from C++");
  const auto stack = callpath::capture();
  recording.add("captured before", stack);
  std::cout << stack.complete() << " " << (stack.frames.size() > 3) << "\n";
}

__attribute__((noinline)) void outer(callpath::Recording& recording) {
  innermost(recording);
  std::cout << "back\n";
}

int main(int, char** argv) {
  callpath::Recording recording;
  outer(recording);
  recording.save(argv[1]);
  recording.write_html(argv[2]);
  std::cout << callpath::Recording(std::string(argv[1])).size() << "\n";
  try {
    callpath::Recording("/nowhere/at/all.json");
  } catch (const callpath::CallpathError& error) {
    std::cout << "error: " << error.what() << "\n";
  }
}
