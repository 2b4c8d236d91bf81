#!/usr/bin/env python3
"""Compares the enumeration of cycles with other programs on the same graphs, and writes docs/generated/cycles.md.

    benches/peers/cycles/run.py [--rounds N] [--seconds S] [--limit S] [--only WORD] [--output FILE]

Every program gets every graph once per round, one after the other, so that a slow moment of the machine meets all of them.
In its turn it enumerates over and over for SECONDS and says its least time. Programs that cannot be had here are skipped, and that is
said in the page. Nothing is written to the repository but the page. cargo and pip get what they need by themselves; Boost's
headers are Debian's libboost-dev, JGraphT is Debian's libjgrapht-java, or where JGRAPHT_CLASSPATH says.
"""

import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
OURS = "ours"
TWO_THREADS = "## Two threads"
BOOST, CRATE = "Boost", "graph-cycles"


def quietly(command, **options):
    """Runs a command; its last words if it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        raise RuntimeError((done.stdout.strip().splitlines() or ["no words"])[-1])


def build_ours(_):
    quietly(["cargo", "build", "--locked", "--release", "-p", "benches", "--example", "cycles"], cwd=ROOT)
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    program = target / "release/examples/cycles"
    return {OURS: [program, "time"]}


def build_boost(work):
    quietly(["g++", "-O2", "-o", work / "boost", HERE / "boost.cpp"])
    return {BOOST: [work / "boost"]}


def build_crate(work):
    shutil.copytree(HERE / "graph-cycles", work / "graph-cycles")
    # One directory for all builds would have them wait for each other's locks.
    environment = dict(os.environ, CARGO_TARGET_DIR=str(work / "graph-cycles/target"))
    quietly(["cargo", "build", "--release"], cwd=work / "graph-cycles", env=environment)
    return {CRATE: [work / "graph-cycles/target/release/peer-graph-cycles"]}


def build_python(work):
    quietly([sys.executable, "-m", "venv", work / "venv"])
    python, tools = work / "venv/bin/python", {}
    for tool, module in [("python-igraph", "igraph"), ("rustworkx", "rustworkx"), ("networkx", "networkx")]:
        try:
            quietly([python, "-m", "pip", "install", "--quiet", tool])
            quietly([python, "-c", f"import {module}"])
            tools[tool] = [python, HERE / "libraries.py", tool]
        except (RuntimeError, OSError) as error:
            skip(tool, error)
    return tools


def build_jgrapht(work):
    jars = os.environ.get("JGRAPHT_CLASSPATH", "/usr/share/java/jgrapht-core.jar:/usr/share/java/jheaps.jar")
    quietly(["javac", "-cp", jars, "-d", work / "java", HERE / "Jgrapht.java"])
    algorithms = ["johnson", "hawick-james", "szwarcfiter-lauer", "tiernan"]
    return {f"JGraphT {name}": ["java", "-cp", f"{work}/java:{jars}", "Jgrapht", name] for name in algorithms}


SKIPPED = []


def skip(tool, error):
    SKIPPED.append(tool)
    print(f"SKIPPED: {tool}: {error}", flush=True)


def build_all(work):
    tools = build_ours(work)
    builders = [(BOOST, build_boost), (CRATE, build_crate), ("Python", build_python), ("JGraphT", build_jgrapht)]
    for name, build in builders:
        try:
            tools.update(build(work))
        except (RuntimeError, OSError) as error:
            skip(name, error)
    return tools


def turn(command, seconds, limit, graph):
    """Cycles and least time, or why there are none."""
    arguments = [str(part) for part in command] + [str(seconds), str(graph)]
    try:
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return "slow"
    if done.returncode != 0:
        return "fails"
    cycles, best = done.stdout.split()[:2]
    return int(cycles), float(best)


def measure(tools, graphs, options):
    results = {}
    for number in range(options.rounds):
        for graph in graphs:
            for tool, command in tools.items():
                before = results.setdefault((graph, tool), [])
                if before and isinstance(before[0], str):
                    continue
                before.append(turn(command, options.seconds, options.limit, graph))
                print(f"round {number + 1}: {graph.stem}: {tool}: {before[-1]}", flush=True)
    return results


def cell(results, expected, limit):
    if isinstance(results[0], str):
        return f"over {limit:g} s" if results[0] == "slow" else results[0]
    timed = [result for result in results if not isinstance(result, str)]
    rate = timed[0][0] / min(best for _, best in timed) / 1e6
    text = f"{rate:.2f}" if rate < 10 else f"{rate:.0f}"
    missing = expected - timed[0][0]
    return text if missing == 0 else f"{text}, {'misses' if missing > 0 else 'adds'} {abs(missing)}"


def ratio(results, graph, tool, cycles):
    """The median over the rounds of our speed by that of a tool."""
    pairs = zip(results[(graph, OURS)], results.get((graph, tool), []))
    ratios = [theirs[1] / ours[1] for ours, theirs in pairs if not isinstance(theirs, str) and theirs[0] == cycles]
    return f"{statistics.median(ratios):.1f}" if ratios else "–"


def threads(program, graphs):
    """By what two threads are faster, by processor time: per graph the median of five."""
    rows = []
    for graph in graphs:
        done = subprocess.run([program, "threads", graph], capture_output=True, text=True, check=True)
        ratios = [max(map(float, line.split()[1:])) for line in done.stdout.splitlines()]
        single = [float(line.split()[0]) for line in done.stdout.splitlines()]
        by = sorted(one / most for one, most in zip(single, ratios))
        rows.append((graph.stem, statistics.median(single), by[0], statistics.median(by), by[-1]))
    return rows


def page(tools, graphs, results, options):
    load = os.getloadavg()[1]
    lines = [
        "# Cycles, beside other programs",
        "",
        "Written by `benches/peers/cycles/run.py`; do not edit. Millions of cycles per second, when a callback (or a loop) sees the edges,",
        "or with most of the others the vertices, of each cycle. One thread. All programs read the same files and took turns in the same run:",
        f"{options.rounds} rounds, {options.seconds:g} s of enumerations each turn at least, the least time counts. A ratio is the median over the rounds",
        f"of the ratios within a round. The mean load of the machine, which has {os.cpu_count()} processors, was {load:.1f} at the end.",
        "",
        "`misses` and `adds` are cycles that a program does not find, or finds twice; most of them take parallel edges for one.",
        f"`over {options.limit:g} s` is a turn that did not end in time; `fails` is one that ended with an error.",
    ]
    if SKIPPED:
        lines += ["", f"SKIPPED, as they could not be installed here: {', '.join(SKIPPED)}."]
    names = list(tools)
    lines += ["", "| graph | cycles | " + " | ".join(names) + f" | ours / {BOOST} | ours / {CRATE} |"]
    lines.append("|" + "---|" * (len(names) + 4))
    for graph in graphs:
        cycles = results[(graph, OURS)][0][0]
        cells = [cell(results[(graph, tool)], cycles, options.limit) for tool in names]
        by = [ratio(results, graph, tool, cycles) for tool in (BOOST, CRATE)]
        title = graph.stem.replace("_", ", ").replace("-", " ")
        lines.append("| " + " | ".join([title, f"{cycles:,}".replace(",", " "), *cells, *by]) + " |")
    return "\n".join(lines) + "\n\n"


def two_threads(program, graphs):
    """The second part of the page."""
    lines = [
        TWO_THREADS,
        "",
        "`par_fold` on two threads, by processor time: that of one thread for all, divided by that of the busier of two. So it says how the",
        "work is shared, and not how long others had the processors. Five times a fifth of a second, enumerations of both kinds in turn, and the",
        "median of each time, in a run of its own; the number of cycles and of their edges was the same.",
        "",
        "| graph | one thread, ms | least | median | most |",
        "|---|---|---|---|---|",
    ]
    for name, single, least, median, most in threads(program, graphs):
        title = name.replace("_", ", ").replace("-", " ")
        lines.append(f"| {title} | {single:.0f} | {least:.2f} | {median:.2f} | {most:.2f} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--limit", type=float, default=60.0)
    parser.add_argument("--threads-only", action="store_true", help="measure two threads anew, and leave the rest of the page as it is")
    parser.add_argument("--only", default="", help="programs with this word in their names, besides ours")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "docs/generated/cycles.md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        work = pathlib.Path(directory)
        built = build_ours(work) if options.threads_only else build_all(work)
        tools = {name: command for name, command in built.items() if name == OURS or options.only in name}
        (work / "graphs").mkdir()
        quietly([tools[OURS][0], "write", work / "graphs"])
        graphs = sorted((work / "graphs").iterdir())
        if options.threads_only:
            first = options.output.read_text().split(TWO_THREADS)[0]
        else:
            first = page(tools, graphs, measure(tools, graphs, options), options)
        large = [graph for graph in graphs if turn(tools[OURS], 0, options.limit, graph)[0] > 1_000_000]
        options.output.parent.mkdir(exist_ok=True)
        options.output.write_text(first + two_threads(tools[OURS][0], large))


main()
