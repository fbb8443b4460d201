// Drawn by walking the kept tokens in the order of their ids, so that a cut that cuts nothing changes nothing.
#include "model/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/checks.h"
#include "core/error.h"
#include "core/philox.h"

namespace limelight::detail {
namespace {

struct Candidate {
  int32_t id = 0;
  double weight = 0;  // of its probability, 1 for the most likely
};

bool likelier(const Candidate& a, const Candidate& b) {
  return a.weight != b.weight ? a.weight > b.weight : a.id < b.id;
}

bool lower_id(const Candidate& a, const Candidate& b) {
  return a.id < b.id;
}

double total_of(const std::vector<Candidate>& candidates) {
  double total = 0;
  for (const Candidate& candidate : candidates) total += candidate.weight;
  return total;
}

int32_t largest(std::span<const float> logits) {
  for (const float logit : logits) {
    if (std::isnan(logit) || logit == std::numeric_limits<float>::infinity()) {
      fail_format("[generate] logits: expected numbers, found " + std::to_string(logit) +
                  "; the weights may be damaged");
    }
  }
  const auto best = std::max_element(logits.begin(), logits.end());
  if (best == logits.end() || std::isinf(*best)) fail_format("[generate] logits: expected a number, found none");
  return static_cast<int32_t>(best - logits.begin());
}

std::vector<Candidate> candidates_of(std::span<const float> logits, float most, float temperature) {
  std::vector<Candidate> candidates;
  candidates.reserve(logits.size());
  for (size_t id = 0; id < logits.size(); ++id) {
    const double below = static_cast<double>(logits[id]) - static_cast<double>(most);
    candidates.push_back({static_cast<int32_t>(id), std::exp(below / static_cast<double>(temperature))});
  }
  return candidates;
}

void keep_top_k(std::vector<Candidate>& candidates, int64_t k) {
  if (k == 0 || k >= static_cast<int64_t>(candidates.size())) return;
  std::nth_element(candidates.begin(), candidates.begin() + k, candidates.end(), likelier);
  candidates.resize(static_cast<size_t>(k));
  std::sort(candidates.begin(), candidates.end(), lower_id);
}

// A heap gives the most likely one by one: few are, where p is below 1.
void keep_top_p(std::vector<Candidate>& candidates, float p) {
  if (p >= 1) return;
  const double wanted = static_cast<double>(p) * total_of(candidates);
  const auto less_likely = [](const Candidate& a, const Candidate& b) { return likelier(b, a); };
  std::make_heap(candidates.begin(), candidates.end(), less_likely);
  auto rest = candidates.end();
  for (double sum = 0; rest != candidates.begin() && (sum < wanted || rest == candidates.end());) {
    std::pop_heap(candidates.begin(), rest, less_likely);
    sum += (--rest)->weight;
  }
  candidates.erase(candidates.begin(), rest);
  std::sort(candidates.begin(), candidates.end(), lower_id);
}

// Below 1, with 53 bits.
double uniform(uint64_t seed, uint64_t number) {
  const auto low = [](uint64_t x) { return static_cast<uint32_t>(x); };
  const auto words = philox({low(number), low(number >> 32), 0, 0}, {low(seed), low(seed >> 32)});
  const uint64_t bits = (uint64_t{words[0]} << 21) ^ (words[1] >> 11);
  return static_cast<double>(bits) * 0x1p-53;
}

}  // namespace

void check_sampling(const char* where, const Sampling& sampling) {
  if (!std::isfinite(sampling.temperature) || sampling.temperature < 0) {
    refuse(where, "temperature", "a finite number, 0 or more", number_text(sampling.temperature));
  }
  if (sampling.top_k < 0) refuse(where, "top_k", "0 or more", std::to_string(sampling.top_k));
  if (!(sampling.top_p > 0 && sampling.top_p <= 1)) {
    refuse(where, "top_p", "above 0 and at most 1", number_text(sampling.top_p));
  }
}

int32_t next_token(std::span<const float> logits, const Sampling& sampling, uint64_t number) {
  const int32_t best = largest(logits);
  if (sampling.temperature == 0) return best;
  std::vector<Candidate> candidates = candidates_of(logits, logits[static_cast<size_t>(best)], sampling.temperature);
  keep_top_k(candidates, sampling.top_k);
  keep_top_p(candidates, sampling.top_p);
  double left = uniform(sampling.seed, number) * total_of(candidates);
  int32_t drawn = best;  // where rounding leaves a rest behind the last
  for (const Candidate& candidate : candidates) {
    if (left < candidate.weight) return candidate.id;
    left -= candidate.weight;
    if (candidate.weight > 0) drawn = candidate.id;
  }
  return drawn;
}

}  // namespace limelight::detail
