"""ONNX Runtime's side of bench/peers: com.microsoft MultiHeadAttention in a model of that one node."""

import functools

import numpy
import onnxruntime
from onnx import TensorProto, helper
from side import Prepared, serve

TYPES = {"f32": TensorProto.FLOAT, "f16": TensorProto.FLOAT16, "bf16": TensorProto.BFLOAT16}


def model_of(case, heads, q, k):
    """Queries are [1, rows, heads x depth]; keys and values either so or, as a cache has them, [1, heads, keys, depth]."""
    node = helper.make_node("MultiHeadAttention", ["q", "k", "v"], ["out"], domain="com.microsoft", num_heads=heads,
                            unidirectional=int(case.causal == "causal"))
    def value(name, array):
        return helper.make_tensor_value_info(name, TYPES[case.storage], array.shape)
    graph = helper.make_graph([node], "attention", [value("q", q), value("k", k), value("v", k)], [value("out", q)])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()


def session_of(model, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Its threads go on spinning after a call; here they would take the processor from the next side.
    options.add_session_config_entry("session.force_spinning_stop", "1")
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def as_rows(array):
    """[1, heads, rows, depth] -> [1, rows, heads x depth], the layout the operator takes."""
    _, heads, rows, depth = array.shape
    return numpy.ascontiguousarray(array.transpose(0, 2, 1, 3)).reshape(1, rows, heads * depth)


def value_of(case, array):
    return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(array, TYPES[case.storage])  # looks at the array's memory


def bind(session, inputs, out):
    binding = session.io_binding()
    for name, value in inputs.items():
        binding.bind_ortvalue_input(name, value)
    binding.bind_ortvalue_output("out", out)
    return functools.partial(session.run_with_iobinding, binding)


def prepare(case, copies, threads, arrays):
    if case.work == "training":
        raise NotImplementedError("ONNX Runtime's package for inference has no gradients")
    q, k, v = arrays["q"], arrays["k"], arrays["v"]
    note = ""
    if case.groups < case.heads:
        q, note = q.reshape(1, case.groups, -1, case.depth), "a group's heads as query rows"
    heads, rows = q.shape[1:3]
    q = as_rows(q)
    if case.work != "decode":
        k, v = as_rows(k), as_rows(v)
    session = session_of(model_of(case, heads, q, k), threads)
    out = value_of(case, numpy.zeros_like(q))
    kept = [{name: value_of(case, array.copy()) for name, array in zip("qkv", (q, k, v))} for _ in range(copies)]
    calls = [bind(session, inputs, out) for inputs in kept]

    def results():
        calls[0]()
        rows_first = out.numpy().reshape(1, rows, heads, case.depth)
        return {"out": rows_first.transpose(0, 2, 1, 3).astype(numpy.float32)}

    return Prepared(calls, results, note, kept)


serve(onnxruntime.__version__, prepare)
