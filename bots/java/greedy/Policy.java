import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * How the greedy bot chooses: bots/python/shared/policy.py in Java. The last bit counts: each sum is added up in the same order,
 * and nothing but + - * / is used.
 */
final class Policy {
    /** Points of difference at which another seat is e times as likely to play the better of two cards. */
    private static final double TEMPER = 2.0;
    private static final double KEEP = 0.3, GIVE = 0.3, REJECTED = Board.GEM;
    private static final int CODES = 50; // a card's code is below this

    static int choose(KhivaKit.Decide decide, KhivaKit.Match match) {
        Map<String, Object> view = decide.view();
        if (decide.kind().equals("play_pass")) return best(totals(view, match.rules(), decide.legal()));
        if (decide.kind().equals("boost")) {
            Board board = read(view, match.rules());
            int seat = (int) KhivaKit.number(view, "ask", "seat"), camel = (int) KhivaKit.number(view, "ask", "camel");
            List<Object> lands = KhivaKit.list(view, "ask", "lands");
            double[] worth = new double[lands.size()];
            for (int i = 0; i < worth.length; i++) worth[i] = board.landing(seat, camel, place(lands.get(i)), i);
            return best(worth);
        }
        return Math.max(0, decide.legal().indexOf(List.of("salt"))); // salt when it can be had; else what is usual
    }

    private static int best(double[] worth) {
        int best = 0;
        for (int i = 1; i < worth.length; i++) if (worth[i] > worth[best]) best = i;
        return best;
    }

    static int[] numbers(List<Object> items) {
        return items.stream().mapToInt(item -> ((Long) item).intValue()).toArray();
    }

    private static int place(Object pair) {
        int shop = (int) KhivaKit.number(pair, 1);
        return shop == 0 ? 0 : 6 * (int) KhivaKit.number(pair, 0) + shop;
    }

    private static int code(Object face) {
        return 10 * (int) KhivaKit.number(face, 0) + (int) KhivaKit.number(face, 1);
    }

    private static int[] codes(Object faces) {
        return KhivaKit.list(faces).stream().mapToInt(Policy::code).toArray();
    }

    private static Board read(Map<String, Object> view, Map<String, Object> rules) {
        List<Object> camels = KhivaKit.list(view, "camels"), salts = KhivaKit.list(view, "salts_left");
        int[] loads = camels.stream().mapToInt(camel -> (int) KhivaKit.number(camel, 2)).toArray();
        List<int[]> carpets = new ArrayList<>();
        for (Object held : KhivaKit.list(view, "carpets")) carpets.add(codes(held));
        int salt = salts.isEmpty() ? 0 : (int) KhivaKit.number(salts, 0);
        int[] places = camels.stream().mapToInt(Policy::place).toArray();
        return new Board(rules, places, loads, numbers(KhivaKit.list(view, "gems")), carpets, salt);
    }

    /** What each entry of play_pass promises, in millionths of a point. */
    private static double[] totals(Map<String, Object> view, Map<String, Object> rules, List<Object> legal) {
        Board board = read(view, rules);
        int me = (int) KhivaKit.number(view, "seat"), left = (me + 1) % (int) KhivaKit.number(view, "seats");
        int[] hand = codes(view.get("hand"));
        double[] risk = rivals(view, board, hand);
        double[] worth = new double[hand.length], given = new double[hand.length];
        double allKept = 0.0;
        for (int i = 0; i < hand.length; i++) {
            int value = hand[i] % 10, colour = hand[i] - value;
            double win = 1.0;
            for (int v = 1; v < value; v++) win *= 1.0 - risk[colour + v];
            worth[i] = win * board.card(me, hand[i]) + (1.0 - win) * REJECTED;
            given[i] = board.card(left, hand[i]);
            allKept += KEEP * worth[i];
        }
        double[] totals = new double[legal.size()];
        for (int e = 0; e < totals.length; e++) {
            int[] entry = numbers(KhivaKit.list(legal.get(e)));
            int[] played = Arrays.copyOf(entry, entry.length / 2);
            double points = allKept;
            for (int i : played) {
                // Two cards of a seat on one camel: the higher one is rejected, whatever the others do.
                boolean beaten = Arrays.stream(played).anyMatch(j -> hand[j] / 10 == hand[i] / 10 && hand[j] < hand[i]);
                points += (beaten ? REJECTED : worth[i]) - KEEP * worth[i];
            }
            for (int k = played.length; k < entry.length; k++) points -= KEEP * worth[entry[k]] + GIVE * given[entry[k]];
            totals[e] = Math.floor(points * 1e6 + 0.5);
        }
        return totals;
    }

    /** e to the power of points / TEMPER, near enough. */
    private static double appeal(double points) {
        double x = 1.0 + points / TEMPER / 1024.0;
        for (int i = 0; i < 10; i++) x *= x;
        return x;
    }

    /** By code, for each card not seen: how likely another seat plays it this turn. */
    private static double[] rivals(Map<String, Object> view, Board board, int[] hand) {
        int me = (int) KhivaKit.number(view, "seat"), seats = (int) KhivaKit.number(view, "seats"), plays = seats == 2 ? 2 : 1;
        boolean[] seen = new boolean[CODES];
        for (int card : hand) seen[card] = true;
        for (int card : codes(view.get("discard"))) seen[card] = true;
        for (int card : codes(view.get("shown"))) seen[card] = true;
        List<Integer> hidden = new ArrayList<>();
        for (int card = 0; card < CODES; card++) if (card % 10 >= 1 && card % 10 <= 5 && !seen[card]) hidden.add(card);
        List<?>[] holders = new List<?>[CODES];
        int known = 0;
        for (Object pass : KhivaKit.list(view, "passed")) {
            int card = code(KhivaKit.at(pass, 1));
            if (holders[card] == null) known++;
            holders[card] = KhivaKit.list(pass, 2);
        }
        int free = hidden.size() - known;
        double[] risk = new double[CODES];
        for (int seat = 0; seat < seats; seat++) {
            if (seat == me) continue;
            double[] weights = new double[CODES];
            double usual = 0.0;
            for (int card : hidden) {
                weights[card] = appeal(board.card(seat, card));
                usual += weights[card] / hidden.size();
            }
            long size = KhivaKit.number(view, "hands", seat);
            for (int card : hidden) {
                double holds = Math.min(1.0, (double) size / Math.max(1, free));
                if (holders[card] != null) holds = holders[card].contains((long) seat) ? 1.0 / holders[card].size() : 0.0;
                double picks = plays * weights[card] / (weights[card] + (size - 1) * usual);
                risk[card] = 1.0 - (1.0 - risk[card]) * (1.0 - holds * Math.min(1.0, picks));
            }
        }
        return risk;
    }
}
