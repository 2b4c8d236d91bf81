// Boost's hawick_circuits: boost SECONDS FILE prints the number of cycles and the least time of one enumeration.
#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/hawick_circuits.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;

struct Visitor {
    unsigned long &cycles;
    unsigned long &edges;
    template <class Path> void cycle(Path const &path, Graph const &) {
        cycles += 1;
        edges += path.size();
    }
};

int main(int count, char **arguments) {
    if (count != 3) return 1;
    double const seconds = std::atof(arguments[1]);
    std::ifstream file(arguments[2]);
    std::size_t vertices, edges;
    file >> vertices >> edges;
    Graph graph(vertices);
    for (std::size_t source, target; file >> source >> target;) boost::add_edge(source, target, graph);
    double best = 1e9, spent = 0;
    unsigned long cycles = 0, length = 0;
    for (int runs = 0; spent < seconds || runs < 3; ++runs) {
        cycles = length = 0;
        auto const start = std::chrono::steady_clock::now();
        boost::hawick_circuits(graph, Visitor{cycles, length});
        std::chrono::duration<double> const took = std::chrono::steady_clock::now() - start;
        best = std::min(best, took.count());
        spent += took.count();
    }
    std::printf("%lu %.9f %lu\n", cycles, best, length);
}
