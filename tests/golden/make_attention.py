"""Writes attention.json and attention.safetensors here: small attention problems in float64, with gradients.

Needs: torch, safetensors.  Run: python make_attention.py
Per case NAME/{q,k,v,dout,out,lse,weights,dq,dk,dv} and, where used, bias, mask (true = attend), sinks, alibi
(slopes; the bias is slope x (j - (i + N - M))). q [B,H,M,D], k [B,G,N,D], v [B,G,N,E].
"""

import json
import math
import pathlib

import torch
from safetensors.torch import save_file

FOLDER = pathlib.Path(__file__).parent
SEED = 7


g = torch.Generator().manual_seed(SEED)
tensors, index = {}, []


def rand(*s):
    return torch.randn(*s, generator=g, dtype=torch.float64)


def case(name, B, H, G, M, N, D, E, *, causal="none", scale=None, window=None, softcap=0.0, bias=None, mask=None,
         sinks=None, alibi=None):
    q, k, v, do = rand(B, H, M, D), rand(B, G, N, D), rand(B, G, N, E), rand(B, H, M, E)
    for t in (q, k, v):
        t.requires_grad_(True)
    s = scale if scale is not None else 1 / math.sqrt(D)
    kk, vv = k.repeat_interleave(H // G, 1), v.repeat_interleave(H // G, 1)
    x = s * q @ kk.transpose(-1, -2)
    if softcap:
        x = softcap * torch.tanh(x / softcap)
    i, j = torch.arange(M)[:, None], torch.arange(N)[None, :]
    off = {"none": 0, "top_left": 0, "bottom_right": N - M}[causal]
    if alibi is not None:
        x = x + alibi[None, :, None, None] * (j - (i + N - M)).double()
    if bias is not None:
        x = x + bias
    dead = torch.zeros(M, N, dtype=torch.bool)
    if causal != "none":
        dead |= j > i + off
    if window is not None:
        dead |= (j < i + off - window[0]) | (j > i + off + window[1])
    dead = dead.expand(B, H, M, N)
    if mask is not None:
        dead = dead | ~mask
    x = x.masked_fill(dead, -math.inf)
    if sinks is not None:
        x = torch.cat([x, sinks[None, :, None, None].expand(B, H, M, 1)], -1)
    lse = torch.logsumexp(x, -1)
    dead_row = torch.isneginf(lse)
    weights = torch.exp(x - torch.where(dead_row, 0.0, lse)[..., None])
    p = torch.where(dead_row[..., None], torch.zeros((), dtype=x.dtype), weights)
    p = p[..., :N]
    out = p @ vv
    dq, dk, dv = torch.autograd.grad(out, (q, k, v), do)
    for n, t in dict(q=q, k=k, v=v, dout=do, out=out, lse=lse, weights=p, dq=dq, dk=dk, dv=dv).items():
        tensors[f"{name}/{n}"] = t.detach().contiguous()
    for n, t in dict(bias=bias, mask=mask, sinks=sinks, alibi=alibi).items():
        if t is not None:
            tensors[f"{name}/{n}"] = t.contiguous()
    index.append(dict(name=name, B=B, H=H, G=G, M=M, N=N, D=D, E=E, causal=causal, scale=s, window=window,
                      softcap=softcap))


def all_cases():
    case("plain", 2, 3, 3, 5, 7, 8, 8)
    case("one_token", 1, 1, 1, 1, 1, 3, 3)
    case("causal_square", 1, 2, 2, 9, 9, 16, 16, causal="bottom_right")
    case("causal_bottom_right_wide", 1, 2, 2, 3, 8, 4, 4, causal="bottom_right")
    case("causal_bottom_right_tall", 1, 2, 2, 8, 3, 4, 4, causal="bottom_right")
    case("causal_top_left_wide", 1, 2, 2, 3, 8, 4, 4, causal="top_left")
    case("grouped_heads", 2, 6, 2, 7, 9, 8, 8, causal="bottom_right")
    case("multi_query", 1, 4, 1, 5, 5, 8, 8)
    case("value_size_differs", 1, 2, 1, 6, 6, 8, 5, causal="bottom_right")
    case("scale_given", 1, 1, 1, 6, 6, 8, 8, scale=0.3)
    case("scale_zero", 1, 1, 1, 4, 6, 8, 8, scale=0.0, causal="bottom_right")
    case("window_left", 1, 2, 2, 12, 12, 4, 4, causal="bottom_right", window=(3, 0))
    case("window_both", 1, 2, 2, 12, 12, 4, 4, window=(2, 4))
    case("softcap", 1, 2, 2, 8, 8, 8, 8, causal="bottom_right", softcap=1.5)
    case("bias", 2, 2, 2, 5, 6, 8, 8, bias=rand(1, 2, 5, 6))
    m = torch.rand(2, 1, 5, 6, generator=g) > 0.4
    m[0, 0, 2] = False
    case("bool_mask_with_dead_row", 2, 2, 2, 5, 6, 8, 8, mask=m)
    case("sinks", 1, 3, 3, 6, 6, 8, 8, causal="bottom_right", sinks=rand(3))
    slopes = torch.tensor([2.0 ** -(8 * (h + 1) / 4) for h in range(4)], dtype=torch.float64)
    case("alibi", 1, 4, 4, 6, 6, 8, 8, causal="bottom_right", alibi=slopes)
    case("head_80", 1, 1, 1, 33, 65, 80, 80, causal="bottom_right")


all_cases()
save_file(tensors, FOLDER / "attention.safetensors")
json.dump(index, open(FOLDER / "attention.json", "w"), indent=1)
