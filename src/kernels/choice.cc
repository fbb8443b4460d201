// Which table is in use: the best, the one LIMELIGHT_ISA names, or a test's own.
#include <atomic>
#include <cstdlib>

#include "core/error.h"
#include "kernels/kernels.h"
#include "limelight/runtime.h"

namespace limelight {
namespace detail {
namespace {

std::atomic<const Kernels*> overriding{nullptr};

const Kernels& choose() {
  const std::vector<Kernels>& tables = all_kernels();
  const char* wanted = std::getenv("LIMELIGHT_ISA");
  if (wanted == nullptr || *wanted == '\0') return tables.front();
  std::string names;
  for (const Kernels& table : tables) {
    if (table.isa == wanted) return table;
    names += (names.empty() ? "" : ", ") + table.isa;
  }
  fail_argument("[runtime] LIMELIGHT_ISA: expected one of " + names + ", found '" + wanted + "'");
}

}  // namespace

const Kernels& active_kernels() {
  if (const Kernels* kernels = overriding.load(std::memory_order_relaxed)) return *kernels;
  static const Kernels& chosen = choose();
  return chosen;
}

ScopedKernels::ScopedKernels(const Kernels& kernels) : previous_(overriding.exchange(&kernels)) {}
ScopedKernels::~ScopedKernels() {
  overriding = previous_;
}

}  // namespace detail

std::vector<std::string> available_isas() {
  std::vector<std::string> names;
  for (const detail::Kernels& table : detail::all_kernels()) names.push_back(table.isa);
  return names;
}

std::string active_isa() {
  return detail::active_kernels().isa;
}

}  // namespace limelight
