// A program that knows only the installed engine: one head of two queries and two keys, with the answer known by hand;
// and the instruction sets there are, which ./test goes through.
#include <limelight/attention.h>

#include <cmath>
#include <cstdio>

int main() {
  // With scale 0 every key weighs the same; causal, the first query sees the first key alone.
  const float q[] = {1, 2, 3, 4}, k[] = {5, 6, 7, 8}, v[] = {2, 4, 6, 8};
  const std::array<int64_t, 4> sizes = {1, 1, 2, 2};
  limelight::AttentionOptions options;
  options.causal = limelight::Causal::kBottomRight;
  options.scale = 0.0f;
  const limelight::AttentionResult result = limelight::attention(
      limelight::view_of(q, sizes), limelight::view_of(k, sizes), limelight::view_of(v, sizes), options);
  const float* out = result.out.data();
  std::printf("limelight %s: [%g %g] [%g %g]\ninstruction sets:", limelight::version().c_str(), out[0], out[1], out[2],
              out[3]);
  for (const std::string& isa : limelight::available_isas()) std::printf(" %s", isa.c_str());
  std::printf("\n");
  const float expected[] = {2, 4, 4, 6};
  for (int i = 0; i < 4; ++i) {
    if (!(std::abs(out[i] - expected[i]) < 1e-6f)) return 1;
  }
  return 0;
}
