// Wire protocol 1 for bots in Java, with msgpack-core. A bot is one call:
//
//     KhivaKit.play("my-bot", (decide, match) -> 0, "1"); // an index into decide.legal()
//
// What the arbiter sends becomes null, Boolean, Long, String, List<Object> and Map<String, Object>. System.out goes to stderr,
// so that it cannot break the conversation.

import java.io.*;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.*;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessageUnpacker;

public final class KhivaKit {
    private static final int FRAME_MOST_FROM_ARBITER = 1048576;

    /** The arbiter's greeting, the same all match long. */
    public record Match(String game, Map<String, Object> rules, int seat, int seats, long seed, Map<String, Object> time) {}

    /** One request. The page of the game says what view, events and legal hold. */
    public record Decide(
            long req, String kind, Map<String, Object> view, List<Object> events, List<Object> legal, long turnMs, long bankMs) {}

    /** What a bot is: returns an index into decide.legal(). */
    public interface Chooser {
        int choose(Decide decide, Match match) throws Exception;
    }

    /** Play one match: shake hands, answer every decide, return when the input ends. */
    public static void play(String name, Chooser chooser, String version) {
        System.setErr(new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8));
        System.setOut(System.err);
        InputStream in = new BufferedInputStream(new FileInputStream(FileDescriptor.in));
        OutputStream out = new FileOutputStream(FileDescriptor.out); // no buffer: each frame goes out at once
        try {
            converse(name, chooser, version, in, out);
        } catch (Throwable broken) {
            broken.printStackTrace();
            System.exit(1); // or threads that the bot has started would keep it alive
        }
    }

    private static void converse(String name, Chooser chooser, String version, InputStream in, OutputStream out)
            throws Exception {
        Match match = null;
        for (Map<String, Object> m = read(in); m != null; m = read(in)) {
            String type = (String) m.get("type");
            if (type.equals("hello")) {
                if (!list(m, "protos").contains(1L)) {
                    note("the arbiter speaks protocols " + m.get("protos") + ", this kit speaks 1");
                    return;
                }
                match = new Match((String) m.get("game"), map(m, "rules"), (int) number(m, "seat"), (int) number(m, "seats"),
                        number(m, "seed"), map(m, "time"));
                if (version.isEmpty()) write(out, "type", "hello", "proto", 1L, "name", name);
                else write(out, "type", "hello", "proto", 1L, "name", name, "version", version);
            } else if (type.equals("decide")) {
                Decide decide = new Decide(number(m, "req"), (String) m.get("kind"), map(m, "view"), list(m, "events"),
                        list(m, "legal"), number(m, "turn_ms"), number(m, "bank_ms"));
                write(out, "type", "act", "req", decide.req(), "choice", (long) chooser.choose(decide, match));
            } else if (type.equals("fault")) {
                note("fault: " + m.get("code") + ": " + m.get("detail") + " (strikes: " + m.get("strikes") + ")");
            }
            // After "end" comes the end of input. Anything else is from a later arbiter and is not meant for us.
        }
    }

    /** Say something to the people who run the bot, on stderr. */
    public static void note(Object words) {
        System.err.println(words);
    }

    /** What lies in a tree of maps and lists, by keys and indices from outside in. */
    public static Object at(Object tree, Object... path) {
        for (Object step : path) {
            tree = step instanceof Integer i ? ((List<?>) tree).get(i) : ((Map<?, ?>) tree).get(step);
        }
        return tree;
    }

    public static long number(Object tree, Object... path) {
        return (Long) at(tree, path);
    }

    @SuppressWarnings("unchecked")
    public static List<Object> list(Object tree, Object... path) {
        return (List<Object>) at(tree, path);
    }

    @SuppressWarnings("unchecked")
    public static Map<String, Object> map(Object tree, Object... path) {
        return (Map<String, Object>) at(tree, path);
    }

    /** Chance that a replay repeats: equal seeds give equal numbers (splitmix64). */
    public static final class Lottery {
        private long state;

        public Lottery(long seed) {
            state = seed;
        }

        /** A number from 0 to n - 1, each equally likely. */
        public int below(int n) {
            long tail = Long.remainderUnsigned(-n, n); // of all 2^64 numbers the last so many would favour the small ones
            while (true) {
                state += 0x9e3779b97f4a7c15L;
                long z = (state ^ state >>> 30) * 0xbf58476d1ce4e5b9L;
                z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
                z ^= z >>> 31;
                if (Long.compareUnsigned(z, ~tail) <= 0) return (int) Long.remainderUnsigned(z, n);
            }
        }
    }

    // --- frames: a length and one MessagePack map; null at the end of input ---

    private static Map<String, Object> read(InputStream in) throws IOException {
        byte[] head = in.readNBytes(4);
        if (head.length < 4) return null;
        int size = ByteBuffer.wrap(head).getInt();
        if (size < 1 || size > FRAME_MOST_FROM_ARBITER) throw new IOException("a frame of " + (size & 0xffffffffL) + " bytes");
        byte[] payload = in.readNBytes(size);
        return payload.length < size ? null : map(decode(MessagePack.newDefaultUnpacker(payload)));
    }

    private static Object decode(MessageUnpacker in) throws IOException {
        switch (in.getNextFormat().getValueType()) {
            case NIL: in.unpackNil(); return null;
            case BOOLEAN: return in.unpackBoolean();
            case INTEGER: return in.unpackLong();
            case STRING: return in.unpackString();
            case ARRAY:
                List<Object> items = new ArrayList<>();
                for (int left = in.unpackArrayHeader(); left > 0; left--) items.add(decode(in));
                return items;
            case MAP:
                Map<String, Object> pairs = new LinkedHashMap<>();
                for (int left = in.unpackMapHeader(); left > 0; left--) pairs.put((String) decode(in), decode(in));
                return pairs;
            default: throw new IOException("a value that the protocol does not have: " + in.getNextFormat());
        }
    }

    private static void write(OutputStream out, Object... message) throws IOException {
        MessageBufferPacker packer = MessagePack.newDefaultBufferPacker();
        packer.packMapHeader(message.length / 2);
        for (Object item : message) {
            if (item instanceof Long number) packer.packLong(number);
            else packer.packString((String) item);
        }
        byte[] payload = packer.toByteArray();
        out.write(ByteBuffer.allocate(4 + payload.length).putInt(payload.length).put(payload).array());
    }
}
