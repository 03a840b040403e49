// A JSON value together with the place it stands at, so that every complaint names the place. Internal to record/.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace callpath {

/// Every accessor throws Error, naming file and JSON pointer, if the value is of another type or out of range.
class JsonNode {
 public:
  JsonNode(const nlohmann::json& value, std::string where, std::string pointer)
      : value_(value), where_(std::move(where)), pointer_(std::move(pointer)) {}

  JsonNode member(const std::string& name) const;                ///< Must be there.
  std::optional<JsonNode> maybe(const std::string& name) const;  ///< Nothing if absent or null.
  std::vector<JsonNode> list(const std::string& name) const;     ///< Empty if absent.

  std::string text() const;
  std::string text(const std::string& name) const { return member(name).text(); }
  std::string text_or_empty(const std::string& name) const;
  std::vector<std::string> texts(const std::string& name) const;  ///< Empty if absent.

  std::int64_t integer(std::int64_t least, std::int64_t most) const;
  int number(const std::string& name) const { return member(name).as_int(); }
  int number_or(const std::string& name, int otherwise) const;
  std::optional<int> maybe_number(const std::string& name) const;
  bool truth(const std::string& name, bool otherwise) const;
  std::optional<std::uint64_t> maybe_hex(const std::string& name) const;
  std::vector<std::uint8_t> bytes(const std::string& name) const;  ///< From base64.

  const nlohmann::json& json() const { return value_; }
  [[noreturn]] void fail(const std::string& what) const;
  void must_be_object() const;

 private:
  int as_int() const { return static_cast<int>(integer(std::numeric_limits<int>::min(), std::numeric_limits<int>::max())); }

  const nlohmann::json& value_;
  std::string where_;
  std::string pointer_;  ///< RFC 6901.
};

}  // namespace callpath
