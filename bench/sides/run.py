"""Runs all sides in turn on the same inputs, checks that they agree, and gathers what each took."""

import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import cases
import numpy

OURS = "Limelight"
PEERS = {"PyTorch": "pytorch_side.py", "ONNX Runtime": "onnxruntime_side.py", "OpenVINO": "openvino_side.py",
         "llama.cpp": "llamacpp_side.py"}
# A round is good where its two neighbouring limits differ by no more than STEADY and come as near as NEAR to the best one
# of the case; otherwise the clock changed, or somebody else was at work.
STEADY, NEAR = 0.05, 0.9
TRIES = 3  # rounds at most for each good one that is wanted


class Refused(Exception):
    """A side's reason for not doing what it was asked."""


class Side:
    """One side's process; started again where it ended."""

    def __init__(self, name, command, log):
        self.name, self.command, self.log = name, command, log
        self.process = None

    def ask(self, *words):
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log,
                                            text=True)
        try:
            print(*words, file=self.process.stdin, flush=True)
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            status, said = self.process.wait(), Path(self.log.name).read_text().split("\n")
            raise Refused(f"its process ended with {status}: {' '.join(said[-2:])}".strip())
        kind, _, rest = answer.strip().partition(" ")
        if kind != "ok":
            raise Refused(rest)
        return rest

    def close(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()


class Result(NamedTuple):
    case: cases.Case
    threads: int
    limit: float  # units a second, the median
    rounds: int  # good ones; the figures are their medians, of all rounds where this is 0
    seconds: dict  # side -> median
    share: dict  # side -> of the limit
    ratio: dict  # peer -> its time over ours right after
    error: dict  # side -> largest difference, as a share of the reference's largest value
    notes: dict  # side -> why it is missing, or how it ran
    agree: dict  # side -> whether its error is within what its storage allows


def narrowed(values, storage):
    if storage == "bf16":
        bits = values.view(numpy.uint32)
        return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(numpy.uint16)
    return values.astype({"f32": numpy.float32, "f16": numpy.float16}[storage])


def write_inputs(case, folder):
    if isinstance(case, cases.ModelCase):
        return write_model(case, Path(folder))
    random = numpy.random.default_rng(1)
    for name, sizes in case.sizes.items():
        narrowed(random.standard_normal(sizes, numpy.float32), case.storage).tofile(f"{folder}/{name}.bin")


def write_model(case, folder):
    """The ids, and a link to the model: a folder, or a file with its ending."""
    path = cases.model_path(case.model)
    if not path.exists():
        raise Refused(f"{path}: not there; tools/get-model {case.model} brings it")
    link = folder / f"model{path.suffix if path.is_file() else ''}"
    link.unlink(missing_ok=True)
    link.symlink_to(path)
    numpy.array(case.ids, numpy.int32).tofile(folder / "ids.bin")


def largest_error(case, side, folder):
    """Over all results; NaN counts as infinite."""
    side.ask("save", folder)
    errors = []
    for name in case.results:
        expected = numpy.fromfile(f"{folder}/{name}.reference", numpy.float64)
        found = numpy.fromfile(f"{folder}/{name}.bin", numpy.float32)
        error = numpy.abs(found - expected).max() / numpy.abs(expected).max()
        errors.append(error if numpy.isfinite(error) else numpy.inf)
    return float(max(errors))


def median(values):
    return statistics.median(values) if values else None


class Measurement:
    """The rounds of one case: a limit, then each peer followed by us, then the next limit."""

    def __init__(self, case, threads, ours, able, slot):
        self.case, self.threads, self.ours, self.slot = case, threads, ours, slot
        self.we_run, self.peers = ours in able, [side for side in able if side is not ours]
        self.limits, self.times, self.ratios = [self.limit()], {}, {}

    def limit(self):
        return float(self.ours.ask(self.case.bound, self.threads))

    def round(self):
        took = {}
        for peer in self.peers or [None]:
            if peer:
                took.setdefault(peer.name, []).append(float(peer.ask("time", self.slot)))
            if self.we_run:
                took.setdefault(OURS, []).append(float(self.ours.ask("time", self.slot)))
            if peer and self.we_run:
                self.ratios.setdefault(peer.name, []).append(took[peer.name][-1] / took[OURS][-1])
        for name, seconds in took.items():
            self.times.setdefault(name, []).append(median(seconds))
        self.limits.append(self.limit())

    def run(self, wanted):
        for _ in range(TRIES * wanted):
            self.round()
            if len(self.good_rounds()) >= wanted:
                break

    def good_rounds(self):
        best, pairs = max(self.limits), list(zip(self.limits, self.limits[1:]))
        return [i for i, (before, after) in enumerate(pairs)
                if abs(after - before) < STEADY * (before + after) / 2 and min(before, after) > NEAR * best]

    def result(self, error, notes):
        good = self.good_rounds()
        limits = [(before + after) / 2 for before, after in zip(self.limits, self.limits[1:])]
        used = good or range(len(limits))

        def medians(values, of=lambda value, _: value):
            return {name: median([of(each[i], limits[i]) for i in used]) for name, each in values.items()}

        agree = {name: value <= cases.TOLERANCE[self.case.storage] for name, value in error.items()}
        return Result(self.case, self.threads, median([limits[i] for i in used]), len(good), medians(self.times),
                      medians(self.times, lambda seconds, limit: self.case.units / seconds / limit), medians(self.ratios),
                      error, notes, agree)


def prepare(case, threads, sides, folder, notes):
    """The sides that can run this case, set up; the rest say why not."""
    able = []
    for side in sides:
        try:
            note = side.ask(case.line(threads, folder))
            able.append(side)
            if note:
                notes[side.name] = note
        except Refused as reason:
            notes[side.name] = f"cannot run it: {reason}"
    return able


def reference_by(case, pytorch, folder):
    """Whether there is one."""
    try:
        pytorch.ask("reference", *case.line(1, folder).split()[1:])
        return True
    except Refused as reason:
        print(f"peers: {case.name}: no reference: {reason}", file=sys.stderr)
        return False


def run_case(case, thread_counts, sides, folder, rounds, slot):
    """Yields a Result for every number of threads."""
    ours, *peers = sides
    try:
        write_inputs(case, folder)
    except Refused as reason:
        print(f"peers: {case.name}: {reason}", file=sys.stderr)
        return
    has_reference = bool(case.results) and reference_by(case, peers[0], folder)
    for threads in thread_counts:
        notes = {}
        able = prepare(case, threads, sides, folder, notes)
        try:
            error = {side.name: largest_error(case, side, folder) for side in able} if has_reference else {}
            measurement = Measurement(case, threads, ours, able, slot)
            measurement.run(rounds)
            yield measurement.result(error, notes)
        except Refused as reason:  # a side that was set up and then failed
            print(f"peers: {case.name}, {threads} threads: {reason}", file=sys.stderr)


def run(chosen, thread_counts, program, logs, rounds, slot, report):
    """Measures every group's chosen cases; report gets the versions, then each group's title, limit and results."""
    here = Path(__file__).parent
    commands = {OURS: [program], **{name: [sys.executable, str(here / file)] for name, file in PEERS.items()}}
    sides = [Side(name, command, (logs / f"{name.replace(' ', '-')}.log").open("w")) for name, command in commands.items()]
    folder = tempfile.mkdtemp(prefix="inputs-", dir=logs)
    try:
        report.begin({side.name: version_of(side) for side in sides})
        for group in chosen:
            report.group(group)
            able = [side for side in sides if side.name in (OURS, *group.peers)]
            for case in group.cases:
                for result in run_case(case, thread_counts, able, folder, rounds, slot):
                    report.add(result)
    finally:
        shutil.rmtree(folder)
        for side in sides:
            side.close()


def version_of(side):
    try:
        return side.ask("hello")
    except Refused as reason:
        return f"cannot run: {reason}"
