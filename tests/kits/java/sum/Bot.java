// The sum of a value: for tests of what the kit makes of bytes.
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

public class Bot {
    static final long M = 2147483647;

    static long total(Object value) {
        if (value == null) return 1;
        if (value instanceof Boolean truth) return truth ? 3 : 2;
        if (value instanceof Long number) return (4 * 31 + Math.floorMod(number, M)) % M;
        long sum = value instanceof String ? 5 : 6;
        if (value instanceof String text) {
            for (byte b : text.getBytes(StandardCharsets.UTF_8)) sum = (sum * 31 + (b & 255)) % M;
        } else if (value instanceof List<?> items) {
            for (Object item : items) sum = (sum * 31 + total(item)) % M;
        } else {
            for (Map.Entry<?, ?> pair : ((Map<?, ?>) value).entrySet()) {
                sum = (sum + total(pair.getKey()) * 31 + total(pair.getValue())) % M;
            }
        }
        return sum;
    }

    static int choose(KhivaKit.Decide decide, KhivaKit.Match match) {
        System.out.println("noise " + decide.req());
        return (int) total(decide.view().get("value"));
    }

    public static void main(String[] args) {
        KhivaKit.play("süm", Bot::choose, "");
    }
}
