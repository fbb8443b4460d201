"""OpenVINO's side of bench/peers: opset13 scaled_dot_product_attention in a model of that one node.

Decode is a model with state, as OpenVINO's own text generation has it: one key and value come in and join those it holds.
Without state it would transpose all keys in every call, and take ten times as long.
"""

import numpy
import openvino
from openvino import opset6, opset13
from openvino.op.util import Variable, VariableInfo
from side import Prepared, read_ids, refuse, serve

TYPES = {"f32": openvino.Type.f32, "f16": openvino.Type.f16, "bf16": openvino.Type.bf16}


def compile_model(storage, threads, model):
    settings = {"PERFORMANCE_HINT": "LATENCY", "NUM_STREAMS": 1, "INFERENCE_NUM_THREADS": threads,
                "INFERENCE_PRECISION_HINT": storage, "KV_CACHE_PRECISION": storage}
    return openvino.Core().compile_model(model, "CPU", settings)


def forward_model(case):
    inputs = [opset13.parameter(case.sizes[name], TYPES[case.storage], name=name) for name in "qkv"]
    out = opset13.scaled_dot_product_attention(*inputs, causal=case.causal == "causal")
    return openvino.Model([out], inputs, "attention")


def cache(case, new, beam):
    """The keys (or values) of every query head, the new one last, and the node that keeps them."""
    info = VariableInfo()
    info.variable_id = new.get_friendly_name()
    info.data_type = TYPES[case.storage]
    info.data_shape = openvino.PartialShape([-1, case.groups, -1, case.depth])
    variable = Variable(info)
    empty = opset13.broadcast(opset13.constant(0.0, TYPES[case.storage]), opset13.constant([1, case.groups, 0, case.depth]))
    past = opset13.gather(opset6.read_value(empty, variable), beam, opset13.constant(0))
    joined = opset13.concat([past, new], 2)
    kept = opset6.assign(joined, variable)
    if case.groups < case.heads:
        each = opset13.constant([1, 1, case.heads // case.groups, 1, 1])
        repeated = opset13.broadcast(opset13.unsqueeze(joined, opset13.constant(2)), each, broadcast_spec="BIDIRECTIONAL")
        joined = opset13.reshape(repeated, opset13.constant([0, case.heads, -1, case.depth]), True)
    return joined, kept


def decode_model(case):
    heads = {"q": case.heads, "k": case.groups, "v": case.groups}
    inputs = [opset13.parameter([-1, heads[name], -1, case.depth], TYPES[case.storage], name=name) for name in "qkv"]
    beam = opset13.parameter([-1], openvino.Type.i32, name="beam")
    (keys, kept_keys), (values, kept_values) = (cache(case, new, beam) for new in inputs[1:])
    out = opset13.scaled_dot_product_attention(inputs[0], keys, values, causal=False)
    return openvino.Model([opset13.result(out)], [kept_keys, kept_values], [*inputs, beam], "decode")


def tensor_of(case, array):
    return openvino.Tensor(array, array.shape, TYPES[case.storage])  # looks at the array's memory


def prepare_forward(case, threads, arrays):
    request = compile_model(case.storage, threads, forward_model(case)).create_infer_request()
    for i, array in enumerate(arrays.values()):
        request.set_input_tensor(i, tensor_of(case, array))
    return [request], request.infer


def fill(case, request, arrays):
    """All keys and values but the last, which every call appends."""
    for state in request.query_state():
        state.state = tensor_of(case, numpy.ascontiguousarray(arrays[state.name][:, :, :-1]))


def prepare_decode(case, copies, threads, arrays):
    compiled = compile_model(case.storage, threads, decode_model(case))
    last = {name: numpy.ascontiguousarray(array[:, :, -1:]) for name, array in arrays.items()}
    requests = [compiled.create_infer_request() for _ in range(copies)]
    for request in requests:
        for i, array in enumerate(last.values()):
            request.set_input_tensor(i, tensor_of(case, array))
        request.set_input_tensor(3, openvino.Tensor(numpy.zeros(1, numpy.int32)))
        request.infer()  # makes the state
        fill(case, request, arrays)

    def first():
        fill(case, requests[0], arrays)
        requests[0].infer()

    return requests, first, last


def prepare(case, copies, threads, arrays):
    if case.work == "training":
        raise NotImplementedError("OpenVINO is for inference and has no gradients")
    if case.work == "decode":
        requests, first, kept = prepare_decode(case, copies, threads, arrays)
    else:
        (requests, first), kept = prepare_forward(case, threads, arrays), arrays

    def results():
        first()
        found = requests[0].get_output_tensor(0).data
        if case.storage == "bf16":
            found = (found.view(numpy.uint16).astype(numpy.uint32) << 16).view(numpy.float32)
        return {"out": found}

    note = "model with state, grows by a key a call" if case.work == "decode" else ""
    return Prepared([request.infer for request in requests], results, note, kept)


def prepare_model(work, texts, tokens, threads, folder):
    """The encoder that Transformers has, converted for exactly this many texts and tokens."""
    import encoder
    import torch

    if work != "encode":
        refuse()
    ids = read_ids(texts, tokens, folder).astype(numpy.int64)
    inputs = {"input_ids": torch.from_numpy(ids), "attention_mask": torch.ones(texts, tokens, dtype=torch.int64)}
    model = openvino.convert_model(encoder.load(f"{folder}/model"), example_input=inputs,
                                   input=[(name, list(ids.shape)) for name in inputs])
    request = compile_model("f32", threads, model).create_infer_request()
    for name, tensor in inputs.items():
        request.set_tensor(name, openvino.Tensor(tensor.numpy()))
    return Prepared([request.infer], lambda: {"hidden": request.get_output_tensor(0).data}, "", inputs)


serve(openvino.__version__, prepare, prepare_model)
