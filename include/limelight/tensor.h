// Strided views of up to four axes, and the owner they look into.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace limelight {

// Looks at memory that somebody else owns. Strides are in elements and may be 0 (broadcast) or negative (reversed).
// Trivially copyable; a view of T converts to a view of const T.
template <class T, int Rank>
struct TensorView {
  static_assert(Rank >= 1 && Rank <= 4);

  T* data = nullptr;
  std::array<int64_t, Rank> sizes{};
  std::array<int64_t, Rank> strides{};

  int64_t count() const {
    int64_t n = 1;
    for (int64_t s : sizes) n *= s;
    return n;
  }

  template <class... Index>
  T& operator()(Index... index) const {
    static_assert(sizeof...(Index) == Rank);
    const int64_t at[] = {static_cast<int64_t>(index)...};
    int64_t offset = 0;
    for (int axis = 0; axis < Rank; ++axis) offset += at[axis] * strides[axis];
    return data[offset];
  }

  operator TensorView<const T, Rank>() const requires(!std::is_const_v<T>) { return {data, sizes, strides}; }
};

// The strides of a contiguous array of these sizes, last axis fastest.
template <size_t Rank>
std::array<int64_t, Rank> row_major(const std::array<int64_t, Rank>& sizes) {
  std::array<int64_t, Rank> strides{};
  int64_t step = 1;
  for (size_t axis = Rank; axis-- > 0;) {
    strides[axis] = step;
    step *= sizes[axis];
  }
  return strides;
}

// A view of contiguous memory, last axis fastest.
template <class T, size_t Rank>
TensorView<T, static_cast<int>(Rank)> view_of(T* data, const std::array<int64_t, Rank>& sizes) {
  return {data, sizes, row_major(sizes)};
}

// 64-byte aligned memory for `bytes` bytes, released by free(); throws std::bad_alloc. Not initialised.
struct AlignedFree {
  void operator()(void* p) const;
};
std::unique_ptr<void, AlignedFree> allocate_aligned(size_t bytes);

// Owns a contiguous array, last axis fastest, 64-byte aligned, zero at first.
// Move-only: a copy is asked for by clone().
// Throws std::invalid_argument for a negative size or a product beyond the address space, and std::bad_alloc.
template <class T, int Rank>
class Tensor {
 public:
  static_assert(std::is_trivially_copyable_v<T>);

  Tensor() = default;
  explicit Tensor(const std::array<int64_t, Rank>& sizes);

  T* data() { return static_cast<T*>(memory_.get()); }
  const T* data() const { return static_cast<const T*>(memory_.get()); }
  const std::array<int64_t, Rank>& sizes() const { return sizes_; }
  int64_t count() const { return view().count(); }

  TensorView<T, Rank> view() { return {data(), sizes_, row_major(sizes_)}; }
  TensorView<const T, Rank> view() const { return {data(), sizes_, row_major(sizes_)}; }
  operator TensorView<T, Rank>() { return view(); }
  operator TensorView<const T, Rank>() const { return view(); }

  template <class... Index>
  T& operator()(Index... index) {
    return view()(index...);
  }
  template <class... Index>
  const T& operator()(Index... index) const {
    return view()(index...);
  }

  Tensor clone() const;

 private:
  std::unique_ptr<void, AlignedFree> memory_;
  std::array<int64_t, Rank> sizes_{};
};

namespace detail {
std::unique_ptr<void, AlignedFree> allocate_zeroed(const int64_t* sizes, int rank, size_t element_bytes);
void copy_bytes(void* to, const void* from, size_t bytes);
}  // namespace detail

template <class T, int Rank>
Tensor<T, Rank>::Tensor(const std::array<int64_t, Rank>& sizes)
    : memory_(detail::allocate_zeroed(sizes.data(), Rank, sizeof(T))), sizes_(sizes) {}

template <class T, int Rank>
Tensor<T, Rank> Tensor<T, Rank>::clone() const {
  Tensor copy(sizes_);
  detail::copy_bytes(copy.data(), data(), static_cast<size_t>(count()) * sizeof(T));
  return copy;
}

}  // namespace limelight
