"""Prints the results of bench/peers as tables that Markdown takes too, and keeps them for JSON."""

import json
import platform
import textwrap
from pathlib import Path

from run import NEAR, OURS


def processor():
    """Name, family and model: virtual machines often hide the name."""
    try:
        lines = [line.split(":", 1) for line in Path("/proc/cpuinfo").read_text().split("\n\n")[0].splitlines()]
    except OSError:
        return platform.processor() or platform.machine()
    facts = {name.strip(): value.strip() for name, value in lines}
    return f"{facts.get('model name', platform.machine())}, family {facts.get('cpu family')}, model {facts.get('model')}"


def percent(share):
    return "-" if share is None else f"{share * 100:.1f} %"


def times(ratio):
    return "-" if ratio is None else f"{ratio:.2f}x"


class Report:
    def __init__(self):
        self.about, self.results, self.notes, self.widths, self.limit, self.sides = {}, [], {}, [], "", ()
        self.best = {}  # limit, threads -> the highest in this run

    def begin(self, versions):
        self.about = {"processor": processor(), "versions": versions}
        print(f"Processor: {self.about['processor']}")
        for name, version in versions.items():
            print(f"{name}: {version}")

    def group(self, group):
        self.end_group()
        self.limit, self.sides = group.limit, (OURS, *group.peers)
        headings = ["case".ljust(34), "threads", "limit   ", "ms".rjust(9), *(name.rjust(12) for name in self.sides),
                    "us / best", "us / PyTorch", "error  "]
        self.widths = [len(heading) for heading in headings]
        print(f"\n{group.title}: share of the {group.limit} of the same run; how many times as fast as the best peer and as PyTorch\n")
        self.line(headings)
        self.line(["-" * (width - 1) + (":" if i else "-") for i, width in enumerate(self.widths)])

    def line(self, cells):
        aligned = [cell.rjust(width) if i else cell.ljust(width) for i, (cell, width) in enumerate(zip(cells, self.widths))]
        print(f"| {' | '.join(aligned)} |", flush=True)

    def is_doubtful(self, result):
        """No good round, or the machine could do more in another case: somebody else was at work all the time."""
        kind = self.limit.split()[-1], result.threads
        self.best[kind] = max(result.limit, self.best.get(kind, 0))
        return result.rounds == 0 or result.limit < NEAR * self.best[kind]

    def add(self, result):
        doubtful = self.is_doubtful(result)
        best = min(result.ratio.values(), default=None)
        shares = [percent(result.share.get(name)) + ("" if result.agree.get(name, True) else " !") for name in self.sides]
        error = f"{result.error[OURS]:.1e}" if OURS in result.error else "-"
        milliseconds = f"{result.seconds[OURS] * 1e3:.3f}" if OURS in result.seconds else "-"
        self.line([result.case.name, str(result.threads), f"{result.limit * 1e-9:.1f}" + (" ~" if doubtful else ""),
                   milliseconds, *shares, times(best), times(result.ratio.get("PyTorch")), error])
        for side, note in result.notes.items():
            self.notes.setdefault((side, note), []).append(result.case.name)
        self.results.append({"group_limit": self.limit, "case": result.case.name, **result.case._asdict(),
                             **{name: value for name, value in result._asdict().items() if name != "case"},
                             "doubtful": doubtful, "us_over_best": best, "us_over_pytorch": result.ratio.get("PyTorch")})

    def end_group(self):
        """Who ran how, and who did not run."""
        for (side, note), names in self.notes.items():
            text = f"{side}: {note} ({', '.join(dict.fromkeys(names))})"
            print(textwrap.fill(text, 118, subsequent_indent="  ", break_long_words=False))
        self.notes = {}

    def end(self):
        """Returns whether every side agreed with the reference."""
        self.end_group()
        differing = [(name, r["case"], r["error"][name]) for r in self.results for name, ok in r["agree"].items() if not ok]
        print("\nlimit: GFLOP/s, or GB/s where the bandwidth is (~: doubtful, others were at work); ms: ours; error: ours, the largest difference "
              "from the double\nreference as a share of its largest value; !: a side whose error is beyond what its storage "
              "allows.")
        for name, case, error in differing:
            print(f"{name} differs by {error:.1e}: {case}")
        return not differing

    def write_json(self, path):
        path.write_text(json.dumps({**self.about, "results": self.results}, indent=1) + "\n")
