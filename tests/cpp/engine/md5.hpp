// MD5 (RFC 1321), for comparing the bytes of tensors with published digests.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace engine_tests {

inline std::string md5(const void* data, std::size_t size) {
  std::vector<unsigned char> message(static_cast<const unsigned char*>(data), static_cast<const unsigned char*>(data) + size);
  const std::uint64_t bits = std::uint64_t{size} * 8;
  message.push_back(0x80);
  while (message.size() % 64 != 56) message.push_back(0);
  for (int i = 0; i < 8; ++i) message.push_back(static_cast<unsigned char>(bits >> (8 * i)));

  static const int shifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  std::uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  for (std::size_t block = 0; block < message.size(); block += 64) {
    std::uint32_t words[16];
    std::memcpy(words, &message[block], 64);
    std::uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    for (int i = 0; i < 64; ++i) {
      const int round = i / 16;
      const std::uint32_t mixed = round == 0 ? (b & c) | (~b & d) : round == 1 ? (d & b) | (~d & c) : round == 2 ? b ^ c ^ d : c ^ (b | ~d);
      const int word = round == 0 ? i : round == 1 ? (5 * i + 1) % 16 : round == 2 ? (3 * i + 5) % 16 : 7 * i % 16;
      const auto constant = static_cast<std::uint32_t>(std::floor(std::fabs(std::sin(i + 1.0)) * 4294967296.0));
      const std::uint32_t sum = a + mixed + constant + words[word];
      const int shift = shifts[round][i % 4];
      a = d, d = c, c = b;
      b += sum << shift | sum >> (32 - shift);
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
  }
  std::string text;
  for (std::uint32_t word : state) {
    for (int i = 0; i < 4; ++i) {
      char hex[3];
      std::snprintf(hex, sizeof hex, "%02x", word >> (8 * i) & 0xff);
      text += hex;
    }
  }
  return text;
}

}  // namespace engine_tests
