#include "core/Storage.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/Exception.h"

namespace tensorlib {

namespace {

constexpr std::size_t alignment = 64;

char* allocate(std::size_t nbytes) {
  if (nbytes == 0) return nullptr;
  const std::size_t rounded = (nbytes + alignment - 1) / alignment * alignment;
  char* data = rounded < nbytes ? nullptr : static_cast<char*>(std::aligned_alloc(alignment, rounded));
  if (!data) raise("not enough memory: you tried to allocate " + std::to_string(nbytes) + " bytes");
  return data;
}

}  // namespace

StorageImpl::StorageImpl(std::size_t nbytes) : data_(allocate(nbytes)), nbytes_(nbytes) {}

StorageImpl::StorageImpl(void* data, std::size_t nbytes, Deleter deleter, void* context)
    : data_(static_cast<char*>(data)), nbytes_(nbytes), deleter_(deleter), context_(context) {}

StorageImpl::~StorageImpl() {
  if (deleter_) {
    deleter_(context_);
  } else {
    std::free(data_);
  }
}

void StorageImpl::resize(std::size_t nbytes) {
  if (!resizable()) raise("Trying to resize storage that is not resizable");
  char* data = allocate(nbytes);
  if (const std::size_t kept = std::min(nbytes, nbytes_)) std::memcpy(data, data_, kept);
  std::free(data_);
  data_ = data;
  nbytes_ = nbytes;
}

}  // namespace tensorlib
