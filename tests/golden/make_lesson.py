"""Writes lesson.safetensors: one head of 16 channels on four words, its projections in f32 and what follows in f64.

    python make_lesson.py lesson.safetensors     (pip install torch safetensors)

x [1,4,16], wq, wk, wv [16,16] (y = x W^T), and causal/ and full/ weights [1,4,4] and output [1,4,16].
"""

import math
import sys

import torch
from safetensors.torch import save_file

torch.manual_seed(42)
weights = {name: torch.nn.Linear(16, 16, bias=False).weight.detach() for name in ("wq", "wk", "wv")}
x = torch.randn(1, 4, 16)
q, k, v = (torch.nn.functional.linear(x.double(), w.double()) for w in weights.values())
later = torch.ones(4, 4).triu(1).bool()
tensors = {"x": x, **weights}
for name, hidden in {"causal": later, "full": torch.zeros_like(later)}.items():
    p = (q @ k.transpose(-1, -2) / 4).masked_fill(hidden, -math.inf).softmax(-1)
    tensors[f"{name}/weights"], tensors[f"{name}/output"] = p, p @ v
save_file(tensors, sys.argv[1])
