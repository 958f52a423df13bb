// Any legal choice, each equally likely; plays every game. To make it yours: return another index into decide.legal().
public class Bot {
    private KhivaKit.Lottery lottery;

    int choose(KhivaKit.Decide decide, KhivaKit.Match match) {
        if (lottery == null) lottery = new KhivaKit.Lottery(match.seed()); // chance that a replay repeats
        return lottery.below(decide.legal().size());
    }

    public static void main(String[] args) {
        KhivaKit.play("random-java", new Bot()::choose, "1");
    }
}
