#include "core/Storage.h"

#include <algorithm>
#include <cstring>

#include "core/Allocator.h"
#include "core/Exception.h"

namespace tensorlib {

char* StorageImpl::allocate(std::size_t nbytes) {
  if (nbytes > inline_bytes) return allocate_bytes(nbytes);
  return nbytes == 0 ? nullptr : inline_;
}

void StorageImpl::free() {
  if (data_ && data_ != inline_) free_bytes(data_, nbytes_);
}

StorageImpl::StorageImpl(std::size_t nbytes) : data_(allocate(nbytes)), nbytes_(nbytes) {}

StorageImpl::StorageImpl(void* data, std::size_t nbytes, Deleter deleter, void* context)
    : data_(static_cast<char*>(data)), nbytes_(nbytes), deleter_(deleter), context_(context) {}

StorageImpl::~StorageImpl() {
  if (deleter_) {
    deleter_(context_);
  } else {
    free();
  }
}

void StorageImpl::resize(std::size_t nbytes) {
  if (!resizable()) raise("Trying to resize storage that is not resizable");
  char* data = allocate(nbytes);
  const std::size_t kept = std::min(nbytes, nbytes_);
  if (kept != 0 && data != data_) std::memcpy(data, data_, kept);
  free();
  data_ = data;
  nbytes_ = nbytes;
}

}  // namespace tensorlib
