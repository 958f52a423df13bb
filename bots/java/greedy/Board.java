import java.util.ArrayList;
import java.util.List;

/**
 * What a Khiva position is worth to a seat, in points: bots/python/shared/evaluate.py in Java, each sum in its order.
 *
 * <p>Numbers: a card or carpet is 10 * colour + value; a place is 0 for the tent and 6 * path + shop for the rest (5: outpost).
 */
final class Board {
    static final double GEM = 1.5;
    private static final int TENT = 0, OUTPOST = 5, SALT_PRICE = 3;
    private static final double[] NEAR = {0.0, 0.22, 0.22, 0.20, 0.18, 0.06, 0.03, 0.0, 0.0, 0.0};
    private static final double CARPET = 2.0;

    private final boolean ownTent, noMove;
    private final int[][] gemSlots;
    private final int[] camels, gems;
    private final int salt;
    private final int[][] cargo; // by seat and camel: what it would bring at the seat's outpost, teapot and carpets

    Board(Object rules, int[] camels, int[] loads, int[] gems, List<int[]> carpets, int salt) {
        ownTent = KhivaKit.at(rules, "khiva_spaces").equals("own_tent");
        noMove = KhivaKit.at(rules, "overshoot").equals("no_move");
        gemSlots = new int[5][];
        for (int c = 0; c < 5; c++) gemSlots[c] = Policy.numbers(KhivaKit.list(rules, "gem_slots", c));
        this.camels = camels;
        this.gems = gems;
        this.salt = salt;
        cargo = new int[gems.length][];
        for (int seat = 0; seat < gems.length; seat++) {
            cargo[seat] = loads.clone();
            for (int code : carpets.get(seat)) cargo[seat][code / 10] += code % 10;
        }
    }

    /** Steps to the seat's outpost with nothing in the way. */
    private static int distance(int seat, int place) {
        int shop = place % 6;
        if (shop == 0) return 5;
        return place / 6 == seat ? 5 - shop : shop + 4;
    }

    /** The places ahead of a camel that this seat moves and where it may stop, nearest first. */
    private List<Integer> free(int seat, int place) {
        int path = place / 6, shop = place % 6;
        boolean away = shop != 0 && path != seat;
        List<Integer> way = new ArrayList<>();
        for (int s = shop - 1; away && s > 0; s--) way.add(6 * path + s);
        if (ownTent && away) way.add(TENT);
        for (int s = shop != 0 && !away ? shop + 1 : 1; s <= OUTPOST; s++) way.add(6 * seat + s);
        for (int camel : camels) if (camel != TENT) way.remove((Integer) camel);
        return way;
    }

    /** Where the camel of this card may stop: the index is the number of gems spent. */
    private List<Integer> reach(int seat, int card) {
        int camel = card / 10, value = card % 10;
        List<Integer> free = free(seat, camels[camel]);
        int most = Math.min(free.size(), value + Math.min(gems[seat], gemSlots[camel][value - 1]));
        if (value - 1 < most) return free.subList(value - 1, most);
        return noMove ? List.of() : List.of(free.get(free.size() - 1));
    }

    /** What it is worth to win a bid with this card, moved on as well as the gems allow. */
    double card(int seat, int card) {
        List<Integer> lands = reach(seat, card);
        double best = lands.isEmpty() ? 0.0 : landing(seat, card / 10, lands.get(0), 0);
        for (int boost = 1; boost < lands.size(); boost++) {
            best = Math.max(best, landing(seat, card / 10, lands.get(boost), boost));
        }
        return best;
    }

    /** What it is worth to move a camel there for so many gems: what is gained at once and the better outlook. */
    double landing(int seat, int camel, int place, int boost) {
        double gain = -GEM * boost - outlook(seat, camel, camels[camel]);
        int shop = place % 6;
        if (shop == OUTPOST) return gain + cargo[seat][camel];
        if (shop == 1) gain += GEM;
        else if (shop == 2) gain += CARPET;
        else if (shop == 3) gain += 2 * GEM;
        else if (shop == 4) gain += Math.max(CARPET, gems[seat] - boost >= SALT_PRICE ? salt - SALT_PRICE * GEM : 0.0);
        return gain + outlook(seat, camel, place);
    }

    /** What this camel would promise the seat there, less what it would promise the others on average. */
    private double outlook(int seat, int camel, int place) {
        double total = 0.0;
        for (int other = 0; other < cargo.length; other++) {
            if (other != seat) total += NEAR[distance(other, place)] * cargo[other][camel];
        }
        return NEAR[distance(seat, place)] * cargo[seat][camel] - total / (cargo.length - 1);
    }
}
