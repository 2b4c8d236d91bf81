import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Scanner;
import org.jgrapht.Graph;
import org.jgrapht.alg.cycle.DirectedSimpleCycles;
import org.jgrapht.alg.cycle.HawickJamesSimpleCycles;
import org.jgrapht.alg.cycle.JohnsonSimpleCycles;
import org.jgrapht.alg.cycle.SzwarcfiterLauerSimpleCycles;
import org.jgrapht.alg.cycle.TiernanSimpleCycles;
import org.jgrapht.graph.DefaultEdge;
import org.jgrapht.graph.DirectedPseudograph;

/** JGraphT: ALGORITHM SECONDS FILE prints the number of cycles and the least time of one enumeration. */
public final class Jgrapht {
    private static long[] enumerate(String algorithm, Graph<Integer, DefaultEdge> graph) {
        DirectedSimpleCycles<Integer, DefaultEdge> search;
        switch (algorithm) {
            case "johnson": search = new JohnsonSimpleCycles<>(graph); break;
            case "hawick-james": search = new HawickJamesSimpleCycles<>(graph); break;
            case "szwarcfiter-lauer": search = new SzwarcfiterLauerSimpleCycles<>(graph); break;
            case "tiernan": search = new TiernanSimpleCycles<>(graph); break;
            default: throw new IllegalArgumentException(algorithm);
        }
        long[] found = new long[2];
        for (List<Integer> cycle : search.findSimpleCycles()) {
            found[0]++;
            found[1] += cycle.size();
        }
        return found;
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Double.parseDouble(arguments[1]);
        Graph<Integer, DefaultEdge> graph = new DirectedPseudograph<>(DefaultEdge.class);
        try (Scanner numbers = new Scanner(Files.readString(Path.of(arguments[2])))) {
            int vertices = numbers.nextInt();
            int edges = numbers.nextInt();
            for (int vertex = 0; vertex < vertices; vertex++) graph.addVertex(vertex);
            for (int edge = 0; edge < edges; edge++) graph.addEdge(numbers.nextInt(), numbers.nextInt());
        }
        double best = Double.MAX_VALUE, spent = 0;
        long[] found = new long[2];
        for (int runs = 0; spent < seconds || runs < 3; runs++) {
            long start = System.nanoTime();
            found = enumerate(arguments[0], graph);
            double took = (System.nanoTime() - start) / 1e9;
            best = Math.min(best, took);
            spent += took;
        }
        System.out.printf(java.util.Locale.ROOT, "%d %.9f %d%n", found[0], best, found[1]);
    }
}
