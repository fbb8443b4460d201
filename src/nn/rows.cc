// One-line errors for views that do not fit.
#include "nn/rows.h"

#include <cstdlib>

#include "core/checks.h"
#include "core/error.h"

namespace limelight::detail {

template <int Rank>
void check_shape(const char* where, const char* name, const TensorView<const float, Rank>& view,
                 const std::array<int64_t, Rank>& expected) {
  check_sizes(where, name, expected, view.sizes);
  check_view(where, name, view);
}

template <int Rank>
void check_rows(const char* where, const char* name, const TensorView<const float, Rank>& view,
                const std::array<int64_t, Rank>& expected) {
  check_shape<Rank>(where, name, view, expected);
  if (view.sizes[Rank - 1] > 1 && view.strides[Rank - 1] != 1) {
    refuse(where, name, "a last axis of stride 1", "strides " + shape_text(view.strides.data(), Rank));
  }
}

void check_output_rows(const char* where, const char* name, const TensorView<float, 2>& view,
                       const std::array<int64_t, 2>& expected) {
  check_rows<2>(where, name, view, expected);
  if (view.sizes[0] > 1 && std::abs(view.strides[0]) < view.sizes[1]) {
    refuse(where, name, "rows that do not overlap", "strides " + shape_text(view.strides.data(), 2));
  }
}

template void check_shape<1>(const char*, const char*, const TensorView<const float, 1>&,
                             const std::array<int64_t, 1>&);
template void check_shape<2>(const char*, const char*, const TensorView<const float, 2>&,
                             const std::array<int64_t, 2>&);
template void check_rows<1>(const char*, const char*, const TensorView<const float, 1>&, const std::array<int64_t, 1>&);
template void check_rows<2>(const char*, const char*, const TensorView<const float, 2>&, const std::array<int64_t, 2>&);
template void check_rows<3>(const char*, const char*, const TensorView<const float, 3>&, const std::array<int64_t, 3>&);

}  // namespace limelight::detail
