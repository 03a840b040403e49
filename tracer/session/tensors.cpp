#include "session/tensors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstring>
#include <map>

namespace callpath::session {
namespace {

constexpr std::int64_t most_dimensions = 64;
constexpr std::size_t shown_elements = 3;

struct Dtype {
  const char* name;
  int size;
  char kind;  ///< u, i, f, h (half), b (bfloat16), ? or 0: elements are not shown.
};

/// By c10::ScalarType's numbers.
constexpr Dtype torch_dtypes[] = {{"uint8", 1, 'u'},   {"int8", 1, 'i'},    {"int16", 2, 'i'},     {"int32", 4, 'i'},
                                  {"int64", 8, 'i'},   {"float16", 2, 'h'}, {"float32", 4, 'f'},   {"float64", 8, 'f'},
                                  {"complex32", 4, 0}, {"complex64", 8, 0}, {"complex128", 16, 0}, {"bool", 1, '?'},
                                  {"qint8", 1, 0},     {"quint8", 1, 0},    {"qint32", 4, 0},      {"bfloat16", 2, 'b'}};

const std::map<std::string, const char*> engine_dtypes = {{"Byte", "uint8"}, {"Char", "int8"},     {"Short", "int16"},    {"Int", "int32"},
                                                          {"Long", "int64"}, {"Float", "float32"}, {"Double", "float64"}, {"Bool", "bool"}};

const Dtype* dtype_named(const std::string& name) {
  for (const auto& dtype : torch_dtypes)
    if (name == dtype.name) return &dtype;
  return nullptr;
}

double half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double size = exponent == 31 ? (fraction ? NAN : INFINITY)
                      : exponent     ? std::ldexp(1024 + fraction, exponent - 25)
                                     : std::ldexp(fraction, -24);
  return bits & 0x8000 ? -size : size;
}

std::string number(const Dtype& dtype, std::uint64_t bits) {
  const auto as = [&]<class T>(T value) {
    std::memcpy(&value, &bits, sizeof value);
    return value;
  };
  switch (dtype.kind) {
    case '?':
      return bits & 0xff ? "true" : "false";
    case 'h':
      return fmt::format("{}", half(as(std::uint16_t{})));
    case 'b':
      bits <<= 16;
      return fmt::format("{}", as(float{}));
    case 'f':
      return dtype.size == 4 ? fmt::format("{}", as(float{})) : fmt::format("{}", as(double{}));
    case 'u':
      return fmt::format("{}", bits);
    default:
      return fmt::format("{}", dtype.size == 1   ? as(std::int8_t{})
                               : dtype.size == 2 ? as(std::int16_t{})
                               : dtype.size == 4 ? as(std::int32_t{})
                                                 : as(std::int64_t{}));
  }
}

/// Elements in the order of their indices.
std::vector<std::int64_t> first_places(const SeenTensor& tensor) {
  std::vector<std::int64_t> index(tensor.sizes.size()), places;
  std::int64_t count = 1;
  for (const auto size : tensor.sizes) count = size == 0 ? 0 : std::min<std::int64_t>(count * size, shown_elements + 1);
  for (std::int64_t i = 0; i < count && places.size() < shown_elements; ++i) {
    std::int64_t place = 0;
    for (std::size_t d = 0; d < index.size(); ++d) place += index[d] * tensor.strides[d];
    places.push_back(place);
    for (std::size_t d = index.size(); d-- > 0;) {
      if (++index[d] < tensor.sizes[d]) break;
      index[d] = 0;
    }
  }
  return places;
}

/// Where a version of PyTorch keeps the members: the shorter count of references moved all by eight bytes.
struct TensorLayout {
  std::uint64_t storage, dimensions, storage_data;
  std::uint64_t inline_sizes() const { return dimensions + 8; }
  std::uint64_t offset() const { return dimensions + 8 + 80; }
  std::uint64_t count() const { return offset() + 8; }
  std::uint64_t dtype() const { return offset() + 16; }
};
constexpr TensorLayout torch_layouts[] = {{0x18, 0x48, 0x18}, {0x10, 0x40, 0x10}};

std::optional<std::vector<std::int64_t>> numbers(const Memory& memory, Address at, std::int64_t count) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(count));
  if (count && !memory.read(at, all.data(), all.size() * sizeof all[0])) return std::nullopt;
  return all;
}

std::optional<SeenTensor> read_with(const TensorLayout& layout, const Memory& memory, Address impl) {
  constexpr std::int64_t held_inside = 5;
  const auto dimensions = memory.get<std::int64_t>(impl + layout.dimensions), count = memory.get<std::int64_t>(impl + layout.count()),
             offset = memory.get<std::int64_t>(impl + layout.offset());
  const auto dtype = memory.get<std::uint16_t>(impl + layout.dtype());
  if (!dimensions || !count || !offset || !dtype || *dimensions < 0 || *dimensions > most_dimensions || *offset < 0) return std::nullopt;
  if (*dtype >= std::size(torch_dtypes)) return std::nullopt;
  Address sizes = impl + layout.inline_sizes(), strides = sizes + 8 * held_inside;
  if (*dimensions > held_inside) {
    sizes = memory.pointer(sizes).value_or(Address{});
    strides = sizes + 8 * static_cast<std::uint64_t>(*dimensions);
  }
  const auto size_list = numbers(memory, sizes, *dimensions), stride_list = numbers(memory, strides, *dimensions);
  if (!size_list || !stride_list) return std::nullopt;
  std::int64_t product = 1;
  for (const auto size : *size_list)
    if (size < 0 || __builtin_mul_overflow(product, size, &product)) return std::nullopt;
  if (product != *count) return std::nullopt;
  SeenTensor tensor{torch_dtypes[*dtype].name, *size_list, *stride_list, *offset, {}};
  const auto storage = memory.pointer(impl + layout.storage);
  const auto data = storage && *storage ? memory.pointer(*storage + layout.storage_data) : std::nullopt;
  if (data && *data) tensor.data = *data + static_cast<std::uint64_t>(*offset * torch_dtypes[*dtype].size);
  return tensor;
}

/// Types in brackets after the function's name, "at::Tensor const&", split at commas outside of brackets.
std::vector<std::string> parameter_types(const std::string& full) {
  const auto open = full.find('('), close = full.rfind(')');
  std::vector<std::string> types(1);
  if (open == std::string::npos || close == std::string::npos || close < open) return {};
  int depth = 0;
  for (std::size_t i = open + 1; i < close; ++i) {
    const char c = full[i];
    if (c == '<' || c == '(') ++depth;
    if (c == '>' || c == ')') --depth;
    if (c == ',' && depth == 0) {
      types.emplace_back();
    } else if (c != ' ' || !types.back().empty()) {
      types.back() += c;
    }
  }
  return types;
}

std::optional<std::string> scalar_text(const Memory& memory, Address at) {
  enum : std::uint32_t { floating, integer, complex, boolean };
  const auto tag = memory.get<std::uint32_t>(at);
  const auto bits = memory.get<std::uint64_t>(at + 16);
  if (!tag || !bits || *tag > boolean || *tag == complex) return std::nullopt;
  if (*tag == floating) return number({"", 8, 'f'}, *bits);
  return *tag == integer ? number({"", 8, 'i'}, *bits) : std::string(*bits ? "true" : "false");
}

class TorchArguments {
 public:
  TorchArguments(const std::vector<Module>& modules, const Memory& memory, const Registers& registers)
      : modules_(modules), memory_(memory), registers_(registers) {}

  /// Nothing if an argument that must be a tensor is none: the registers begin elsewhere.
  std::optional<std::vector<Value>> read(const std::vector<std::string>& types, std::size_t next) const {
    constexpr int order[] = {5, 4, 1, 2, 8, 9};  // rdi, rsi, rdx, rcx, r8, r9 in DWARF's numbers
    std::vector<Value> values;
    for (const auto& type : types) {
      if (next >= std::size(order) || !registers_.has(order[next])) break;
      const std::uint64_t word = registers_.value[static_cast<std::size_t>(order[next])];
      Value value{fmt::format("argument {}", values.size() + 1), type, std::nullopt, std::nullopt};
      if (type == "at::Tensor const&" || type == "at::Tensor&") {
        const auto impl = memory_.pointer({word});
        const auto tensor = impl ? read_torch_tensor(modules_, memory_, *impl) : std::nullopt;
        if (!tensor) return std::nullopt;
        value.value = text_of(*tensor, memory_);
      } else if (type == "c10::Scalar const&") {
        value.value = scalar_text(memory_, {word});
      } else if (type == "long") {
        value.value = fmt::format("{}", static_cast<std::int64_t>(word));
      } else if (type == "bool") {
        value.value = word & 0xff ? "true" : "false";
      } else if (type == "c10::DispatchKeySet") {
        value.value = fmt::format("{:#x}", word);
      } else {
        break;
      }
      if (!value.value) value.reason = "not of a form that is known";
      values.push_back(std::move(value));
      ++next;
    }
    return values;
  }

 private:
  const std::vector<Module>& modules_;
  const Memory& memory_;
  const Registers& registers_;
};

}  // namespace

std::optional<SeenTensor> read_torch_tensor(const std::vector<Module>& modules, const Memory& memory, Address impl) {
  const auto functions = memory.pointer(impl);
  const Module* library = functions ? find_module(modules, *functions) : nullptr;
  if (!library) return std::nullopt;
  for (const auto& layout : torch_layouts)
    if (auto tensor = read_with(layout, memory, impl)) return tensor;
  return std::nullopt;
}

std::optional<SeenTensor> read_engine_tensor(Values& values, const Module& module, const RawFrame& raw, std::size_t depth,
                                             const std::string& name) {
  const std::string impl = name + ".impl_.target_.";
  const auto read = [&](const std::string& path) { return values.evaluate(module, raw, depth, impl + path); };
  const auto list = [&](const std::string& member) {
    std::vector<std::int64_t> all;
    const auto count = read(member + ".size_");
    for (std::uint64_t i = 0; count && count->bits && i < std::min<std::uint64_t>(*count->bits, most_dimensions); ++i)
      if (const auto item = read(fmt::format("{}.data_[{}]", member, i)); item && item->bits)
        all.push_back(static_cast<std::int64_t>(*item->bits));
    return all;
  };
  const auto dtype = read("dtype_"), offset = read("storage_offset_");
  if (!dtype || !offset || !offset->bits) return std::nullopt;
  const auto word = engine_dtypes.find(dtype->text.substr(dtype->text.rfind(':') + 1));
  if (word == engine_dtypes.end()) return std::nullopt;
  SeenTensor tensor{word->second, list("sizes_"), list("strides_"), static_cast<std::int64_t>(*offset->bits), {}};
  if (tensor.sizes.size() != tensor.strides.size()) return std::nullopt;
  if (const auto data = read("storage_.target_.data_"); data && data->bits && *data->bits)
    tensor.data = Address{*data->bits} + *offset->bits * static_cast<std::uint64_t>(dtype_named(tensor.dtype)->size);
  return tensor;
}

std::string text_of(const SeenTensor& tensor, const Memory& memory) {
  std::string text = fmt::format("{} {{{}}} strides {{{}}}", tensor.dtype, fmt::join(tensor.sizes, ", "), fmt::join(tensor.strides, ", "));
  if (tensor.offset) text += fmt::format(" offset {}", tensor.offset);
  if (!tensor.data) return text;
  text += fmt::format(", data {:#x}", tensor.data.value);
  const Dtype* dtype = dtype_named(tensor.dtype);
  if (!dtype || !dtype->kind) return text;
  std::vector<std::string> elements;
  for (const auto place : first_places(tensor)) {
    std::uint64_t bits = 0;
    if (!memory.read({tensor.data.value + static_cast<std::uint64_t>(place * dtype->size)}, &bits, static_cast<std::size_t>(dtype->size)))
      return text + ", not readable";
    elements.push_back(number(*dtype, bits));
  }
  std::int64_t count = 1;
  for (const auto size : tensor.sizes) count = size && count > static_cast<std::int64_t>(shown_elements) ? count : count * size;
  return text + ": " + fmt::format("{}", fmt::join(elements, ", ")) + (count > static_cast<std::int64_t>(elements.size()) ? ", ..." : "");
}

std::vector<Value> torch_arguments(const std::vector<Module>& modules, const Memory& memory, const std::string& full,
                                   const Registers& registers) {
  if (full.rfind("at::_ops::", 0) != 0) return {};
  const auto types = parameter_types(full);
  const TorchArguments arguments(modules, memory, registers);
  // A function that returns a new object is first given the place for it; the name does not tell, the tensors do.
  for (const std::size_t first : {std::size_t{1}, std::size_t{0}})
    if (auto values = arguments.read(types, first)) return *values;
  return {};
}

}  // namespace callpath::session
