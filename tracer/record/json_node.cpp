#include "record/json_node.hpp"

#include <fmt/format.h>

#include <charconv>

#include "core/error.hpp"
#include "record/text.hpp"

namespace callpath {

void JsonNode::fail(const std::string& what) const {
  throw Error(fmt::format("{}: at {}: {}", where_, pointer_.empty() ? "the top" : pointer_, what),
              "The format is described by callpath-1.schema.json; record the program again if the file was edited by hand.");
}

void JsonNode::must_be_object() const {
  if (!value_.is_object()) fail(fmt::format("an object is expected, not {}", value_.type_name()));
}

JsonNode JsonNode::member(const std::string& name) const {
  must_be_object();
  const auto found = value_.find(name);
  if (found == value_.end()) fail(fmt::format("the member \"{}\" is missing", name));
  return {*found, where_, pointer_ + "/" + name};
}

std::optional<JsonNode> JsonNode::maybe(const std::string& name) const {
  must_be_object();
  const auto found = value_.find(name);
  if (found == value_.end() || found->is_null()) return std::nullopt;
  return JsonNode{*found, where_, pointer_ + "/" + name};
}

std::vector<JsonNode> JsonNode::list(const std::string& name) const {
  const auto node = maybe(name);
  if (!node) return {};
  if (!node->value_.is_array()) node->fail(fmt::format("a list is expected, not {}", node->value_.type_name()));
  std::vector<JsonNode> items;
  for (std::size_t i = 0; i < node->value_.size(); ++i)
    items.emplace_back(node->value_[i], where_, fmt::format("{}/{}", node->pointer_, i));
  return items;
}

std::string JsonNode::text() const {
  if (!value_.is_string()) fail(fmt::format("text is expected, not {}", value_.type_name()));
  return value_.get<std::string>();
}

std::string JsonNode::text_or_empty(const std::string& name) const {
  const auto node = maybe(name);
  return node ? node->text() : std::string{};
}

std::vector<std::string> JsonNode::texts(const std::string& name) const {
  std::vector<std::string> out;
  for (const auto& item : list(name)) out.push_back(item.text());
  return out;
}

std::int64_t JsonNode::integer(std::int64_t least, std::int64_t most) const {
  if (!value_.is_number_integer())
    fail(fmt::format("a whole number is expected, not {}", value_.is_number() ? "a fraction" : value_.type_name()));
  const bool too_large = value_.is_number_unsigned() && value_.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX);
  const auto number = too_large ? INT64_MAX : value_.get<std::int64_t>();
  if (too_large || number < least || number > most) fail(fmt::format("{} is not between {} and {}", value_.dump(), least, most));
  return number;
}

int JsonNode::number_or(const std::string& name, int otherwise) const { return maybe_number(name).value_or(otherwise); }

std::optional<int> JsonNode::maybe_number(const std::string& name) const {
  const auto node = maybe(name);
  if (!node) return std::nullopt;
  return node->as_int();
}

bool JsonNode::truth(const std::string& name, bool otherwise) const {
  const auto node = maybe(name);
  if (!node) return otherwise;
  if (!node->value_.is_boolean()) node->fail(fmt::format("true or false is expected, not {}", node->value_.type_name()));
  return node->value_.get<bool>();
}

std::optional<std::uint64_t> JsonNode::maybe_hex(const std::string& name) const {
  const auto node = maybe(name);
  if (!node) return std::nullopt;
  const std::string digits = node->text();
  std::uint64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto result =
      digits.rfind("0x", 0) == 0 ? std::from_chars(digits.data() + 2, end, number, 16) : std::from_chars_result{nullptr, std::errc{}};
  if (result.ptr != end || result.ec != std::errc{}) node->fail("an address such as \"0x1f3a\" is expected");
  return number;
}

std::vector<std::uint8_t> JsonNode::bytes(const std::string& name) const {
  const auto node = member(name);
  auto bytes = from_base64(node.text());
  if (!bytes) node.fail("base64 is expected");
  return *bytes;
}

}  // namespace callpath
