"""PyTorch's side of bench/peers: scaled_dot_product_attention, its gradients, and the reference in double."""

import functools

import cases
import numpy
import torch
from side import Prepared, read_ids, read_inputs, refuse, seconds_of, serve
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention as attention

TYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
REFERENCE_ROWS = 1024  # query rows whose weights stand in memory at once


def tensors_of(case, arrays):
    return {name: torch.from_numpy(array).view(TYPES[case.storage]) for name, array in arrays.items()}


def train(q, k, v, dout, causal):
    with torch.enable_grad():
        out = attention(q, k, v, is_causal=causal)
        return out, *torch.autograd.grad(out, (q, k, v), dout)


def decode(copies, q, k, v):
    """Heads of a group by enable_gqa, or as further query rows of one head: the same numbers; the faster one is taken."""
    groups = k.shape[1]
    inputs = [(k.clone(), v.clone()) for _ in range(copies)]
    forms = {"enable_gqa": [functools.partial(attention, q, *kv, enable_gqa=True) for kv in inputs]}
    if groups < q.shape[1]:
        rows = q.reshape(1, groups, -1, q.shape[3])
        forms["a group's heads as query rows"] = [functools.partial(attention, rows, *kv) for kv in inputs]
    times = {name: [seconds_of(calls, copies) for _ in range(2)][1] for name, calls in forms.items()}
    fastest = min(times, key=times.get)
    return forms[fastest], fastest if len(forms) > 1 else ""


def prepare(case, copies, threads, arrays):
    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    inputs, note = tensors_of(case, arrays), ""
    if case.work == "training":
        for name in "qkv":
            inputs[name].requires_grad_()
        calls = [functools.partial(train, **inputs, causal=case.causal == "causal")]
    elif case.work == "decode":
        calls, note = decode(copies, **inputs)
    else:
        calls = [functools.partial(attention, *inputs.values(), is_causal=case.causal == "causal")]

    def results():
        found = calls[0]()
        found = found if isinstance(found, tuple) else (found,)
        return {name: value.detach().float().numpy() for name, value in zip(case.results, found)}

    return Prepared(calls, results, note)


def prepare_model(work, texts, tokens, threads, folder):
    """An encoder; PyTorch has no reader for the decoders' file."""
    import encoder

    if work != "encode":
        refuse()
    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    model, ids = encoder.load(f"{folder}/model"), torch.from_numpy(read_ids(texts, tokens, folder)).long()
    return Prepared([lambda: encoder.hidden_of(model, ids)],
                    lambda: {"hidden": encoder.hidden_of(model, ids).numpy()})


def model_reference(words):
    import encoder

    _, texts, tokens, _, folder = cases.model_of_line(words)
    torch.set_grad_enabled(False)
    ids = torch.from_numpy(read_ids(texts, tokens, folder)).long()
    encoder.hidden_of(encoder.load(f"{folder}/model", torch.float64), ids).numpy().tofile(f"{folder}/hidden.reference")
    return ""


def reference_rows(case, begin, q, k, v):
    mask = None
    if case.causal == "causal":
        mask = torch.arange(k.shape[2]) <= torch.arange(begin, begin + q.shape[2])[:, None]
    with sdpa_kernel(SDPBackend.MATH):
        return attention(q, k, v, attn_mask=mask, enable_gqa=True)


def reference(*words):
    """reference CASE -> ok, out (and gradients) in double by PyTorch's math path, written as f64 NAME.reference."""
    if words[0] == "encode":
        return model_reference(words)
    case, _, _, folder = cases.of_line(words)
    inputs = {name: tensor.double() for name, tensor in tensors_of(case, read_inputs(case, folder)).items()}
    dout = inputs.pop("dout", None)
    found = {name: [] for name in case.results}
    for tensor in inputs.values():
        tensor.requires_grad_(dout is not None)
    for begin in range(0, case.queries, REFERENCE_ROWS):
        rows = slice(begin, begin + REFERENCE_ROWS)
        with torch.set_grad_enabled(dout is not None):
            out = reference_rows(case, begin, inputs["q"][:, :, rows], inputs["k"], inputs["v"])
        found["out"].append(out.detach())
        if dout is not None:
            out.backward(dout[:, :, rows])  # adds to the gradients of the rows before
    for name in case.results:
        value = torch.cat(found[name], 2) if name == "out" else inputs[name[1:]].grad
        value.numpy().astype(numpy.float64).tofile(f"{folder}/{name}.reference")
    return ""


serve(torch.__version__, prepare, prepare_model, reference=reference)
