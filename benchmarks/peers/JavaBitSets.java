import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Base64;
import java.util.BitSet;
import java.util.stream.Collectors;

/**
 * Filters as Java's BitSet has them, which PRIMAT and pprl-services keep theirs in; for benchmarks/interop.py.
 *
 * With "write", lines of an id and the places of its ones become lines of an id and base64 text; with "read" the other
 * way round. Started as a source file: java JavaBitSets.java write
 */
public final class JavaBitSets {
    private JavaBitSets() {}

    public static void main(String[] arguments) throws Exception {
        boolean writing = arguments[0].equals("write");
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, "UTF-8"))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                System.out.print((writing ? written(line.split(" ")) : read(line.split(",", -1))) + "\n");
            }
        }
    }

    private static String written(String[] words) {
        BitSet bits = new BitSet();
        for (int at = 1; at < words.length; at++) {
            bits.set(Integer.parseInt(words[at]));
        }
        return words[0] + "," + Base64.getEncoder().encodeToString(bits.toByteArray());
    }

    private static String read(String[] cells) {
        BitSet bits = BitSet.valueOf(Base64.getDecoder().decode(cells[1]));
        return cells[0] + bits.stream().mapToObj(place -> " " + place).collect(Collectors.joining());
    }
}
