// Compiles the kernels once per instruction set and lists the tables this processor can run.

// On x86: AVX-512, AVX2, SSE4, and one float at a time for anything older. Those between add compile time only.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/targets.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/activation-inl.h"
#include "kernels/attend-inl.h"
#include "kernels/backward-inl.h"
#include "kernels/decoder-inl.h"
#include "kernels/few-inl.h"
#include "kernels/kernels.h"
#include "kernels/philox-inl.h"
#include "kernels/product-inl.h"
#include "kernels/quantised-inl.h"
#include "kernels/rows-inl.h"
#include "kernels/spin-inl.h"
#include "kernels/storage-inl.h"
#include "kernels/weigh-inl.h"

HWY_BEFORE_NAMESPACE();
namespace limelight::detail {
namespace HWY_NAMESPACE {

void FillTable(Kernels& kernels) {
  kernels.lanes = kLanes;
  kernels.panel = kPanel;
  kernels.row_group = kRows;
  kernels.target = HWY_TARGET;
  kernels.pack_panels = PackPanels;
  kernels.key_products = KeyProducts;
  kernels.attend = Attend;
  kernels.fold = Fold;
  kernels.weigh = Weigh;
  kernels.gradients = Gradients;
  kernels.accumulate = Accumulate;
  kernels.weigh_scores = WeighScores;
  kernels.pool = Pool;
  kernels.scale = Scale;
  kernels.dropout_row = DropoutRow;
  kernels.widen = Widen;
  kernels.narrow = Narrow;
  kernels.split_pairs = SplitPairs;
  kernels.dot = Dot;
  kernels.all_finite = AllFinite;
  kernels.product = Product;
  kernels.expand = Expand;
  kernels.product_stored = ProductStored;
  kernels.layer_norm = LayerNorm;
  kernels.gelu_erf = GeluErf;
  kernels.gelu_tanh = GeluTanh;
  kernels.rms_norm = RmsNorm;
  kernels.rope = Rope;
  kernels.swiglu = SwiGlu;
  kernels.spin = Spin;
}

}  // namespace HWY_NAMESPACE
}  // namespace limelight::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace limelight::detail {
namespace {

HWY_EXPORT(FillTable);

std::string isa_name(int64_t target) {
  if (target == HWY_AVX3) return "avx512";
  if (target == HWY_AVX2) return "avx2";
  if (target == HWY_SSE4) return "sse4";
  std::string name = hwy::TargetName(target);
  for (char& c : name) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return name;
}

std::vector<Kernels> make_tables() {
  std::vector<Kernels> tables;
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    // A choice of our own: Highway's global one may be another library's too.
    hwy::ChosenTarget chosen;
    chosen.Update(target);
    Kernels kernels;
    HWY_DISPATCH_TABLE(FillTable)[chosen.GetIndex()](kernels);
    kernels.isa = isa_name(target);
    tables.push_back(kernels);
  }
  return tables;
}

}  // namespace

const std::vector<Kernels>& all_kernels() {
  static const std::vector<Kernels> tables = make_tables();
  return tables;
}

}  // namespace limelight::detail
#endif
