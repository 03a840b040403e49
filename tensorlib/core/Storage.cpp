#include "core/Storage.h"

#include <cstdlib>
#include <string>

#include "core/Exception.h"

namespace tensorlib {

namespace {
constexpr std::size_t alignment = 64;
}

StorageImpl::StorageImpl(std::size_t nbytes) : nbytes_(nbytes) {
  if (nbytes == 0) return;
  const std::size_t rounded = (nbytes + alignment - 1) / alignment * alignment;
  data_ = rounded < nbytes ? nullptr : static_cast<char*>(std::aligned_alloc(alignment, rounded));
  if (!data_) raise("not enough memory: you tried to allocate " + std::to_string(nbytes) + " bytes");
}

StorageImpl::~StorageImpl() { std::free(data_); }

}  // namespace tensorlib
