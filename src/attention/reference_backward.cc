// One query row at a time: delta, then each pair's dv, dS, dbias, dq and dk.
#include "attention/reference_backward.h"

#include <cmath>
#include <vector>

namespace limelight::detail {
namespace {

template <class Real>
struct Inputs {
  Tensor<Real, 4> q, k, v, dout;
  std::optional<TensorView<const float, 3>> dlse;
  Real scale;
  ReferenceAttention<Real> forward;
};

// dP_ij = K_ij dout_i . v_j
template <class Real>
Real weight_gradient(const Inputs<Real>& in, const ReferenceRow& row, int64_t column) {
  const KeyPlace key = row.place(column);
  Real sum = 0;
  for (int64_t e = 0; e < in.v.sizes()[3]; ++e) {
    sum += in.dout(row.b, row.h, row.query, e) * in.v(key.block, row.g, key.row, e);
  }
  return static_cast<Real>(row.dropout(column)) * sum;
}

// delta_i = dout_i . out_i
template <class Real>
Real delta(const Inputs<Real>& in, const ReferenceRow& row) {
  Real sum = 0;
  for (int64_t e = 0; e < in.v.sizes()[3]; ++e) {
    sum += in.dout(row.b, row.h, row.query, e) * in.forward.out(row.b, row.h, row.query, e);
  }
  return sum;
}

// d (c tanh(s / c)) / ds = 1 - tanh^2(s / c), s = scale q . k
template <class Real>
Real softcap_slope(const Inputs<Real>& in, const ReferenceRow& row, int64_t column) {
  const Real cap = row.options.softcap;
  if (cap == 0) return 1;
  const Real t = std::tanh(in.scale * reference_dot(in.q, in.k, row, column) / cap);
  return 1 - t * t;
}

// Adds x where a broadcast bias has the element (b, h, i, j).
template <class Real>
void add_broadcast(Real x, const ReferenceRow& row, int64_t column, Tensor<Real, 4>& dbias) {
  const auto& size = dbias.sizes();
  dbias(size[0] == 1 ? 0 : row.b, size[1] == 1 ? 0 : row.h, size[2] == 1 ? 0 : row.query, size[3] == 1 ? 0 : column) +=
      x;
}

// One pair that is not blocked; `arrives` is dlse_i - delta_i.
template <class Real>
void backward_pair(const Inputs<Real>& in, const ReferenceRow& row, int64_t column, Real arrives,
                   ReferenceGradients<Real>& out) {
  const KeyPlace key = row.place(column);
  const Real p = in.forward.weights(row.b, row.h, row.query, column);
  const Real kept = p * static_cast<Real>(row.dropout(column));
  for (int64_t e = 0; e < in.v.sizes()[3]; ++e) {
    out.dv(key.block, row.g, key.row, e) += kept * in.dout(row.b, row.h, row.query, e);
  }
  const Real ds = p * (weight_gradient(in, row, column) + arrives);
  if (row.options.bias) add_broadcast(ds, row, column, out.dbias);
  const Real through = in.scale * ds * softcap_slope(in, row, column);
  for (int64_t d = 0; d < in.q.sizes()[3]; ++d) {
    out.dq(row.b, row.h, row.query, d) += through * in.k(key.block, row.g, key.row, d);
    out.dk(key.block, row.g, key.row, d) += through * in.q(row.b, row.h, row.query, d);
  }
}

// A row without keys has no delta, whatever arrives as dout; with a sink its lse is the sink.
template <class Real>
void backward_row(const Inputs<Real>& in, const ReferenceRow& row, ReferenceGradients<Real>& out) {
  std::vector<int64_t> live;
  for (int64_t column = row.sequence.first_column; column < row.end_column(); ++column) {
    if (!in.forward.blocked(row.b, row.h, row.query, column)) live.push_back(column);
  }
  Real arrives = in.dlse ? static_cast<Real>((*in.dlse)(row.b, row.h, row.query)) : 0;
  if (!live.empty()) arrives -= delta(in, row);
  for (int64_t column : live) backward_pair(in, row, column, arrives, out);
  if (std::isinf(row.sink()) && row.sink() < 0) return;
  out.dsinks(row.h) += in.forward.sink_share(row.b, row.h, row.query) * arrives;
}

}  // namespace

template <class Real>
ReferenceGradients<Real> reference_backward(FloatView q, FloatView k, FloatView v, const AttentionOptions& options,
                                            FloatView dout, std::optional<TensorView<const float, 3>> dlse) {
  ReferenceGradients<Real> out;
  out.dq = Tensor<Real, 4>(q.sizes);
  out.dk = Tensor<Real, 4>(k.sizes);
  out.dv = Tensor<Real, 4>(v.sizes);
  if (options.bias) out.dbias = Tensor<Real, 4>(options.bias->sizes);
  if (options.sinks) out.dsinks = Tensor<Real, 1>({q.sizes[1]});
  const Inputs<Real> in{widened<Real>(q),
                        widened<Real>(k),
                        widened<Real>(v),
                        widened<Real>(dout),
                        dlse,
                        reference_scale<Real>(options, q.sizes[3]),
                        reference_attention<Real>(q, k, v, options)};
  for_every_row(q, k, options, in.forward.sequences, [&](const ReferenceRow& row) { backward_row(in, row, out); });
  return out;
}

template ReferenceGradients<double> reference_backward(FloatView, FloatView, FloatView, const AttentionOptions&,
                                                       FloatView, std::optional<TensorView<const float, 3>>);
template ReferenceGradients<float> reference_backward(FloatView, FloatView, FloatView, const AttentionOptions&,
                                                      FloatView, std::optional<TensorView<const float, 3>>);

}  // namespace limelight::detail
