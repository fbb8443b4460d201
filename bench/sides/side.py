"""The Python half of a side of bench/peers: one process that answers lines on standard input.

    hello                          -> ok VERSION
    case ...                       -> ok NOTE: inputs read, everything set up, called twice  (cases.py has the words)
    model ...                      -> ok NOTE: the same of a whole model, whose file and ids are in the folder
    time SECONDS                   -> ok SECONDS OF ONE CALL, calling for about that long
    save FOLDER                    -> ok, results written as f32
Instead of "ok", "no REASON". limelight_side.cc answers the same lines.
"""

import os
import sys
import time
from typing import Any, Callable, NamedTuple

import cases
import numpy


class Prepared(NamedTuple):
    calls: list  # one a copy of the inputs
    results: Callable[[], Any]  # name -> f32 array, in the order of Case.results
    note: str = ""
    kept: Any = None  # memory that the calls look into


def read_inputs(case, folder):
    """Name -> array; 16-bit numbers as uint16, whatever they mean."""
    number = numpy.float32 if case.storage == "f32" else numpy.uint16
    return {name: numpy.fromfile(f"{folder}/{name}.bin", number).reshape(sizes) for name, sizes in case.sizes.items()}


def seconds_of(calls, repeats, first=0):
    start = time.perf_counter()
    for i in range(first, first + repeats):
        calls[i % len(calls)]()
    return (time.perf_counter() - start) / repeats


def refuse(*_):
    raise NotImplementedError("not among what this side runs")


class Side:
    def __init__(self, version, prepare, prepare_model):
        self.version, self.prepare, self.prepare_model = version, prepare, prepare_model
        self.prepared, self.once, self.next = None, 0.0, 0

    def hello(self):
        return self.version

    def case(self, *words):
        self.prepared = None  # frees the one before
        case, copies, threads, folder = cases.of_line(words)
        return self.begin(self.prepare(case, copies, threads, read_inputs(case, folder)))

    def model(self, *words):
        self.prepared = None
        return self.begin(self.prepare_model(*cases.model_of_line(words)))

    def begin(self, prepared):
        self.prepared = prepared
        seconds_of(self.prepared.calls, 1)
        self.once = seconds_of(self.prepared.calls, 1, first=1)
        return self.prepared.note

    def time(self, seconds):
        repeats = max(1, int(float(seconds) / self.once))
        if repeats > 1:
            seconds_of(self.prepared.calls, 1, self.next)  # wakes the threads
        self.once = seconds_of(self.prepared.calls, repeats, self.next + 1)
        self.next += repeats + 1
        return repr(self.once)

    def save(self, *folder):
        for name, values in self.prepared.results().items():
            numpy.ascontiguousarray(values, numpy.float32).tofile(f"{' '.join(folder)}/{name}.bin")
        return ""


def read_ids(texts, tokens, folder):
    return numpy.fromfile(f"{folder}/ids.bin", numpy.int32).reshape(texts, tokens)


def serve(version, prepare, prepare_model=refuse, **more):
    """Answers until standard input ends. What a library prints goes to standard error, not between the answers."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    side = Side(version, prepare, prepare_model)
    for line in sys.stdin:
        command, *words = line.split()
        try:
            answer = "ok " + (more[command] if command in more else getattr(side, command))(*words)
        except Exception as failure:  # whatever a library throws is its answer
            answer = "no " + " ".join(f"{type(failure).__name__}: {failure}".split())[:300]
        print(answer.rstrip(), file=answers, flush=True)
