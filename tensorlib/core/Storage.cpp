#include "core/Storage.h"

#include <algorithm>
#include <cstring>

#include "core/Allocator.h"
#include "core/Exception.h"

namespace tensorlib {

namespace {
char* allocate(std::size_t nbytes) { return nbytes == 0 ? nullptr : allocate_bytes(nbytes); }
}  // namespace

StorageImpl::StorageImpl(std::size_t nbytes) : data_(allocate(nbytes)), nbytes_(nbytes) {}

StorageImpl::StorageImpl(void* data, std::size_t nbytes, Deleter deleter, void* context)
    : data_(static_cast<char*>(data)), nbytes_(nbytes), deleter_(deleter), context_(context) {}

StorageImpl::~StorageImpl() {
  if (deleter_) {
    deleter_(context_);
  } else if (data_) {
    free_bytes(data_, nbytes_);
  }
}

void StorageImpl::resize(std::size_t nbytes) {
  if (!resizable()) raise("Trying to resize storage that is not resizable");
  char* data = allocate(nbytes);
  if (const std::size_t kept = std::min(nbytes, nbytes_)) std::memcpy(data, data_, kept);
  if (data_) free_bytes(data_, nbytes_);
  data_ = data;
  nbytes_ = nbytes;
}

}  // namespace tensorlib
