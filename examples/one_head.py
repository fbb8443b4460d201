"""The attention head of one_head.cc with PyTorch: the same sentence of four words, the same learned matrices."""

import math

import torch
from torch import nn


class OneHead(nn.Module):
    """x [batch, tokens, d_model] -> output of the same shape, weights [batch, tokens, tokens]."""

    def __init__(self, d_model, causal=False):
        super().__init__()
        self.query = nn.Linear(d_model, d_model, bias=False)
        self.key = nn.Linear(d_model, d_model, bias=False)
        self.value = nn.Linear(d_model, d_model, bias=False)
        self.causal = causal

    def forward(self, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        scores = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))
        if self.causal:
            tokens = x.size(1)
            later = torch.ones(tokens, tokens, dtype=torch.bool).triu(1)
            scores = scores.masked_fill(later, -math.inf)  # before softmax: exp(-inf) is exactly 0
        weights = scores.softmax(dim=-1)
        return weights @ v, weights


torch.manual_seed(42)
head = OneHead(16, causal=True)
x = torch.randn(1, 4, 16)
with torch.no_grad():
    for name, head.causal in (("causal", True), ("full", False)):
        output, weights = head(x)
        print(f"{name}: output {' x '.join(map(str, output.shape))}, weights")
        print("\n".join("  " + "  ".join(f"{weight:.2f}" for weight in row) for row in weights[0]))
