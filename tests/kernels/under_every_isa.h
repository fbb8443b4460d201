// One test body under every instruction set that this build holds and this processor has.
#pragma once

#include <gtest/gtest.h>

#include "kernels/kernels.h"

namespace limelight::testing {

// Runs `body` once under each, named in the failures.
template <class Body>
void under_every_isa(const Body& body) {
  for (const detail::Kernels& kernels : detail::all_kernels()) {
    SCOPED_TRACE(kernels.isa);
    const detail::ScopedKernels scope(kernels);
    body();
  }
}

}  // namespace limelight::testing
