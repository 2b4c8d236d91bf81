"""Libraries of Python: TOOL SECONDS FILE prints the number of cycles and the least time of one enumeration."""

import sys
import time


def read(name):
    with open(name) as file:
        numbers = [int(word) for word in file.read().split()]
    return numbers[0], list(zip(numbers[2::2], numbers[3::2]))


def igraph_cycles(vertices, edges):
    import igraph

    graph = igraph.Graph(n=vertices, edges=edges, directed=True)
    return lambda: igraph.GraphBase.simple_cycles(graph, output="epath")


def networkx_cycles(vertices, edges):
    import networkx

    graph = networkx.MultiDiGraph()
    graph.add_nodes_from(range(vertices))
    graph.add_edges_from(edges)
    return lambda: networkx.simple_cycles(graph)


def rustworkx_cycles(vertices, edges):
    import rustworkx

    graph = rustworkx.PyDiGraph()
    graph.add_nodes_from(range(vertices))
    graph.add_edges_from([(source, target, None) for source, target in edges])
    return lambda: rustworkx.simple_cycles(graph)


TOOLS = {"python-igraph": igraph_cycles, "networkx": networkx_cycles, "rustworkx": rustworkx_cycles}


def main():
    tool, seconds, name = sys.argv[1], float(sys.argv[2]), sys.argv[3]
    enumerate_all = TOOLS[tool](*read(name))
    best, spent, cycles, length = float("inf"), 0.0, 0, 0
    while spent < seconds or spent == 0.0:
        start = time.perf_counter()
        cycles = length = 0
        for cycle in enumerate_all():
            cycles += 1
            length += len(cycle)
        took = time.perf_counter() - start
        best = min(best, took)
        spent += took
    print(cycles, f"{best:.9f}", length)


main()
