// Aligned memory behind Tensor.
#include "limelight/tensor.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "core/error.h"

namespace limelight {

void AlignedFree::operator()(void* p) const {
  std::free(p);
}

std::unique_ptr<void, AlignedFree> allocate_aligned(size_t bytes) {
  constexpr size_t kAlign = 64;
  const size_t rounded = bytes == 0 ? kAlign : (bytes + kAlign - 1) / kAlign * kAlign;
  void* p = rounded < bytes ? nullptr : std::aligned_alloc(kAlign, rounded);
  if (p == nullptr) throw std::bad_alloc();
  return std::unique_ptr<void, AlignedFree>(p);
}

namespace detail {

std::unique_ptr<void, AlignedFree> allocate_zeroed(const int64_t* sizes, int rank, size_t element_bytes) {
  // Strides are products of the sizes too, so a size of 0 must not hide that the others multiply beyond the address
  // space.
  size_t bytes = element_bytes;
  bool empty = false;
  for (int axis = 0; axis < rank; ++axis) {
    const size_t size = static_cast<size_t>(std::max<int64_t>(1, sizes[axis]));
    empty = empty || sizes[axis] == 0;
    if (sizes[axis] < 0 || __builtin_mul_overflow(bytes, size, &bytes) || bytes > PTRDIFF_MAX) {
      fail_argument("[tensor] sizes: expected at least 0 with a product in the address space, found " +
                    shape_text(sizes, rank));
    }
  }
  if (empty) bytes = 0;
  auto memory = allocate_aligned(bytes);
  std::memset(memory.get(), 0, bytes);
  return memory;
}

void copy_bytes(void* to, const void* from, size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}

}  // namespace detail
}  // namespace limelight
