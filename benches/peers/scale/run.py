#!/usr/bin/env python3
"""Measures `freeboard check` from process start beside Spin's verifier, and how it grows; writes docs/generated/scale.md and scale.svg.

    benches/peers/scale/run.py [--rounds N] [--limit S] [--spin-limit S] [--memory MB] [--models DIR] [--only PART ...] [--output FILE]

Whatever is compared takes turns in the same run, and a figure is the median of its rounds. Each figure is of a process of its own: wall
time from its start to its end, and the peak of its memory as the system says. Without Spin and a C compiler its columns are empty, and
without a collection of models by others (DIR) their rows; the page says so. The curves are the families of
crates/cfsm-core/src/families/large.rs.
"""

import argparse
import math
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import families
import plot

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
GIOP = "utwente-fmt+spins/tests/case_studies/giop"
EXAMPLES = "nimble-code+Spin/Examples"

# Models of the papers that the collection has: file, property, seconds that were published, where.
PUBLISHED = [
    (f"{EXAMPLES}/sort.pml", "boundedness", 1.4, "paper 000"),
    *[(f"{GIOP}/giop{name}.pr", "boundedness", 14.0, "paper 003") for name in
      ("1.nomig", "2.nomig", "3.nomig", "3.v10.nomig", "1", "2", "3", "3.v10", "4", "5")],
]
# Models of the collection without a published time.
OTHERS = [
    *[(f"{EXAMPLES}/{name}.pml", "boundedness") for name in ("LTL/mobile1", "LTL/mobile2", "LTL/pftp", "LTL/leader", "snoopy")],
    *[(f"utwente-fmt+spins/tests/case_studies/i-protocol/code/spin/i{number}", "livelock") for number in range(5)],
]
# Seconds that were published for the livelock test of GARP, by the number of processes; and what Spin needed then.
GARP = {7: (2.1, "16.8 s"), 11: (4.1, "out of memory"), 19: (11.3, "out of memory")}
SIZES = [1_000, 4_000, 16_000, 64_000, 250_000, 1_000_000]


class Measured:
    """What a process did: seconds, megabytes at its peak, exit status (None if it was stopped), and its words."""

    def __init__(self, seconds, megabytes, status, words):
        self.seconds, self.megabytes, self.status, self.words = seconds, megabytes, status, words
        # The system counts from before a process became another program, so what is below this program's own peak is not seen.
        self.floor = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000

    def memory(self):
        return f"under {self.floor:.0f} MB" if self.megabytes <= self.floor else f"{self.megabytes:.0f} MB"


def measure(command, limit, cwd=None):
    """Runs a command to its end, or for `limit` seconds."""
    with tempfile.TemporaryFile("w+", errors="replace") as words:
        start = time.perf_counter()
        process = subprocess.Popen([str(part) for part in command], stdout=words, stderr=subprocess.STDOUT, cwd=cwd)
        pause = 0.0002
        stopped = False
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            seconds = time.perf_counter() - start
            if pid:
                break
            if seconds > limit and not stopped:
                process.kill()
                stopped = True
            time.sleep(pause)
            pause = min(pause * 1.05, 0.02)
        process.returncode = os.waitstatus_to_exitcode(status)
        # What counts is said last.
        words.seek(max(0, os.fstat(words.fileno()).st_size - (1 << 16)))
        return Measured(seconds, usage.ru_maxrss / 1000, None if stopped else process.returncode, words.read())


def middle(runs):
    """The run with the median time."""
    return sorted(runs, key=lambda run: run.seconds)[len(runs) // 2]


def ours(program, file, prop, limit, jobs=()):
    return measure([program, "check", "--property", prop, *jobs, file], limit)


def verdict(run):
    """What `freeboard check` says by its exit status."""
    return {0: "proved", 1: "refuted", 2: "unknown"}.get(run.status, "over the limit" if run.status is None else "error")


def compile_spin(file, prop, memory, place):
    """The verifier of a model; why there is none otherwise."""
    if not shutil.which("spin") or not shutil.which("gcc"):
        return None
    shutil.copy(file, place / "model.pml")
    made = subprocess.run(["spin", "-a", "model.pml"], cwd=place, capture_output=True, text=True, check=False)
    if not (place / "pan.c").exists():
        print(f"SKIPPED: spin: {file}: {made.stdout.strip().splitlines()[:1]}", flush=True)
        return None
    kind = ["-DNP"] if prop == "livelock" else ["-DSAFETY"]
    flags = ["-O2", "-w", f"-DMEMLIM={memory}", "-DVECTORSZ=16384", *kind]
    made = subprocess.run(["gcc", *flags, "-o", "pan", "pan.c"], cwd=place, capture_output=True, text=True, check=False)
    return place / "pan" if made.returncode == 0 else None


def spin(verifier, prop, limit):
    # Errors do not end the search: it is to see all states, as a proof does. Cycles do, as one is enough for a verdict.
    return measure([verifier, "-m5000000", "-n", *(["-l", "-c1"] if prop == "livelock" else ["-c0"])], limit, verifier.parent)


def spin_end(run):
    """How Spin's search ended."""
    if run.status is None:
        return "over the limit"
    if "max search depth too small" in run.words:
        return "too deep"
    if "out of memory" in run.words or "reached -DMEMLIM" in run.words:
        return "out of memory"
    if "Search not completed" in run.words:
        return "not completed"
    return "done" if "State-vector" in run.words else "error"


def rounds_of(file, prop, program, options):
    """Ours and Spin's in turn: the run in the middle of each, or None."""
    with tempfile.TemporaryDirectory() as place:
        verifier = compile_spin(file, prop, options.memory, pathlib.Path(place))
        mine, theirs = [], []
        for _ in range(options.rounds):
            # What was stopped, or took long, is not done again.
            if not (mine and mine[-1].seconds > options.limit / 4):
                mine.append(ours(program, file, prop, options.limit))
            if verifier and not (theirs and theirs[-1].seconds > options.spin_limit / 4):
                theirs.append(spin(verifier, prop, options.spin_limit))
        print(f"{file}: {prop}: {mine[-1].seconds:.3f} {verdict(mine[-1])}", flush=True)
        return middle(mine), middle(theirs) if theirs else None


def seconds(value):
    return f"{value * 1000:.0f} ms" if value < 1 else f"{value:.1f} s"


def times(value):
    return f"{value:.0f} ×" if value >= 10 else f"{value:.1f} ×"


def spin_cells(mine, theirs, limit):
    """Time, memory and end of Spin's search, and how many times ours it took."""
    if theirs is None:
        return ["–"] * 3
    end = spin_end(theirs)
    least = "" if end == "done" else "over "
    time_of = f"{least}{seconds(theirs.seconds)}" + ("" if end == "done" else f" ({end})")
    ratio = f"{least}{times(theirs.seconds / mine.seconds)}" if mine.status in (0, 1) else "–"
    return [time_of, theirs.memory(), ratio]


def row(cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def published(program, options):
    lines = ["## Models of the papers", "",
             "Those of the papers' models that a collection of models by others has. The times that were published are of machines of",
             "2004 and 2005. Spin looks at all states with the declared capacities, reductions on; for livelocks until it finds a non-progress cycle",
             "(`-DNP`). Which GIOP model was published is known by its size: it is giop2.pr ([why](../internals/benchmarks.md#large-systems)), and the others are held against",
             "the same time. Behind them stand others with features that the papers had to rewrite, and protocols with livelocks or without.", ""]
    if options.models is None:
        return [*lines, "*Not measured: there is no collection.*", ""]
    lines += [row(["model", "property", "verdict", "ours", "memory", "published", "published / ours", "Spin", "Spin's memory", "Spin / ours"]),
              "|---" * 10 + "|"]
    for name, prop, was, source in [*PUBLISHED, *[(name, prop, None, "") for name, prop in OTHERS]]:
        file = options.models / name
        if not file.exists():
            lines.append(row([name, prop, "not there", *["–"] * 7]))
            continue
        mine, theirs = rounds_of(file, prop, program, options)
        # What was not decided has no time to compare.
        ratio = times(was / mine.seconds) if was and mine.status in (0, 1) else "–"
        cells = [f"{was} s ({source})" if was else "–", ratio]
        lines.append(row([name.rsplit("/", 1)[-1], prop, verdict(mine), seconds(mine.seconds), mine.memory(), *cells,
                          *spin_cells(mine, theirs, options.spin_limit)]))
    return [*lines, ""]


def generated(program, options):
    lines = ["## Growing models", "",
             "Promela models that `benches/peers/scale/families.py` makes. Registrars: so many participants register with each other over a",
             "medium, after GARP in outline; the paper's own model is not public, so its times stand beside the same number of processes.",
             "Clients: so many clients of one server. Spin's search for livelocks is that for non-progress cycles (`-DNP`).", "",
             row(["model", "processes", "property", "verdict", "ours", "memory", "published for GARP", "Spin then", "Spin", "Spin's memory", "Spin / ours"]),
             "|---" * 11 + "|"]
    with tempfile.TemporaryDirectory() as place:
        for family, size, prop in families.MODELS:
            file = pathlib.Path(place) / f"{family}-{size}.pml"
            file.write_text(families.text(family, size))
            count = families.processes(family, size)
            mine, theirs = rounds_of(file, prop, program, options)
            was, then = GARP.get(count, (None, None)) if (family, prop) == ("registrars", "livelock") else (None, None)
            lines.append(row([f"{family}, {size}", count, prop, verdict(mine), seconds(mine.seconds), mine.memory(),
                              f"{was} s ({times(was / mine.seconds)})" if was else "–", then or "–", *spin_cells(mine, theirs, options.spin_limit)]))
    return [*lines, ""]


def peak_alone(command):
    """The peak of a process that a small program starts, so that nothing is counted from before."""
    if not shutil.which("time"):
        return "its memory was not measured, as there is no `time`"
    done = subprocess.run([shutil.which("time"), "-f", "%M", *map(str, command)], capture_output=True, text=True, check=False)
    return f"{int(done.stderr.split()[-1]) / 1000:.1f} MB at its peak"


def small(program, options):
    """A model of 50 lines."""
    with tempfile.TemporaryDirectory() as place:
        file = pathlib.Path(place) / "fifty.pml"
        text = families.fifty_lines()
        file.write_text(text)
        runs = [ours(program, file, "boundedness", options.limit) for _ in range(max(21, options.rounds))]
        peak = peak_alone([program, "check", file])
    times_of = sorted(run.seconds for run in runs)
    return ["## A small model", "",
            f"`freeboard check` on a model of {len(text.splitlines())} lines ({verdict(runs[0])}), from process start to its end, {len(runs)} runs: median "
            f"{statistics.median(times_of) * 1000:.1f} ms, from {times_of[0] * 1000:.1f} to {times_of[-1] * 1000:.1f} ms; {peak}.", ""]


def figures(run):
    """What the example `scale` says: `key=value` words."""
    return dict(word.split("=", 1) for word in run.words.split() if "=" in word)


def slope(points):
    """The exponent of the growth: the slope of the line of least squares through logarithms, from 1 000 transitions on."""
    logs = [(math.log(x), math.log(y)) for x, y in points if y > 0.001]
    if len(logs) < 2:
        return None
    mean_x, mean_y = (sum(values) / len(logs) for values in zip(*logs))
    spread = sum((x - mean_x) ** 2 for x, _ in logs)
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / spread


def growth(scale, options):
    names = ["line", "multiparty", "labels", "clients", "registrars", "random"]
    lines = ["## Growth", "", "Systems that are built, not read: the verdict with its certificate, checked, and one bound; or all bounds. Seconds of the decision, and the",
             "peak of the process's memory with the system in it. Medians of the rounds where they took under 5 s, one run otherwise.", "", "![growth](scale.svg)", ""]
    curves = {}
    for what in ("verdict", "bounds"):
        lines += [f"### {'Verdict' if what == 'verdict' else 'All bounds'}", "",
                  row(["family", *[f"{size:,}".replace(",", " ") for size in SIZES], "exponent"]), "|---" * (len(SIZES) + 2) + "|"]
        for name in names:
            cells, points, over = [], [], False
            for size in SIZES:
                if over:
                    cells.append("–")
                    continue
                runs = []
                while len(runs) < options.rounds and not (runs and runs[-1].seconds > 5):
                    runs.append(measure([scale, name, size, *(["verdict"] if what == "verdict" else [])], options.limit))
                run = middle(runs)
                if run.status is None:
                    cells.append(f"over {options.limit:g} s")
                    over = True
                    continue
                found = figures(run)
                took = float(found["seconds"])
                points.append((int(found["transitions"]), took))
                proved = "" if found["proved"] == "true" else ", open"
                cells.append(f"{seconds(took)}, {run.memory()}{proved}")
            exponent = slope(points)
            curves[(what, name)] = points
            lines.append(row([name, *cells, f"{exponent:.2f}" if exponent else "–"]))
            print(lines[-1], flush=True)
        lines.append("")
    return lines, curves


def built(*arguments):
    subprocess.run(["cargo", "build", "--locked", "--release", *arguments], cwd=ROOT, check=True)
    return pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"


def collection():
    place = ROOT.parent / "shared/corpus/promela"
    return place if place.is_dir() else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--spin-limit", type=float, help="seconds for Spin's verifier, if not the same limit")
    parser.add_argument("--memory", type=int, default=8000, help="megabytes that Spin's verifier may use")
    parser.add_argument("--models", type=pathlib.Path, default=collection())
    parser.add_argument("--only", nargs="*", choices=["published", "generated", "small", "growth"])
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "docs/generated/scale.md")
    options = parser.parse_args()
    options.spin_limit = options.spin_limit or options.limit
    wanted = options.only or ["published", "generated", "small", "growth"]
    program = built("-p", "freeboard", "--bin", "freeboard") / "freeboard"
    parts = {"published": published, "generated": generated, "small": small}
    version = subprocess.run(["spin", "-V"], capture_output=True, text=True, check=False).stdout.strip() if shutil.which("spin") else "no Spin"
    page = ["# Scale", "",
            "Written by `benches/peers/scale/run.py`; do not edit. What is compared took turns in the same run; figures are medians of "
            f"{options.rounds} rounds, each of a process", f"of its own, wall time from its start. Limit {options.limit:g} s; for Spin {options.spin_limit:g} s and {options.memory} MB. {version}.", ""]
    for part in wanted:
        if part != "growth":
            page += parts[part](program, options)
            continue
        scale = built("-p", "boundedness", "--example", "scale") / "examples/scale"
        lines, curves = growth(scale, options)
        page += lines
        options.output.with_suffix(".svg").write_text(plot.picture(curves))
    load = os.getloadavg()[1]
    page.append(f"The mean load of the machine, which has {os.cpu_count()} processors, was {load:.1f} at the end.")
    options.output.write_text("\n".join(page) + "\n")


if __name__ == "__main__":
    sys.exit(main())
