"""OpenVINO's side of bench/peers: opset13 scaled_dot_product_attention in a model of that one node."""

import numpy
import openvino
from openvino import opset13
from side import Prepared, serve

TYPES = {"f32": openvino.Type.f32, "f16": openvino.Type.f16, "bf16": openvino.Type.bf16}


def compile_model(case, threads, sizes):
    inputs = [opset13.parameter(sizes[name], TYPES[case.storage], name=name) for name in "qkv"]
    out = opset13.scaled_dot_product_attention(*inputs, causal=case.causal == "causal")
    settings = {"PERFORMANCE_HINT": "LATENCY", "NUM_STREAMS": 1, "INFERENCE_NUM_THREADS": threads,
                "INFERENCE_PRECISION_HINT": case.storage}
    return openvino.Core().compile_model(openvino.Model([out], inputs, "attention"), "CPU", settings)


def tensor_of(case, array):
    return openvino.Tensor(array, array.shape, TYPES[case.storage])  # looks at the array's memory


def widened(case, tensor):
    if case.storage == "bf16":
        bits = tensor.data.view(numpy.uint16).astype(numpy.uint32) << 16
        return bits.view(numpy.float32)
    return tensor.data.astype(numpy.float32)


def prepare(case, copies, threads, arrays):
    if case.work == "training":
        raise NotImplementedError("OpenVINO is for inference and has no gradients")
    note = ""
    if case.groups < case.heads:
        arrays["q"], note = arrays["q"].reshape(1, case.groups, -1, case.depth), "a group's heads as query rows"
    compiled = compile_model(case, threads, {name: array.shape for name, array in arrays.items()})
    kept, requests = [], []
    for _ in range(copies):
        kept.append([arrays["q"], arrays["k"].copy(), arrays["v"].copy()])
        request = compiled.create_infer_request()
        for i, array in enumerate(kept[-1]):
            request.set_input_tensor(i, tensor_of(case, array))
        requests.append(request)

    def results():
        requests[0].infer()
        return {"out": widened(case, requests[0].get_output_tensor(0))}

    return Prepared([request.infer for request in requests], results, note, kept)


serve(openvino.__version__, prepare)
