// Any legal choice, each equally likely; plays every game. To make it yours: return another index into decide.Legal.
static class Bot
{
    static Lottery lottery;

    static int Choose(Decide decide, Match match)
    {
        lottery = lottery ?? new Lottery(match.Seed); // chance that a replay repeats
        return lottery.Below(decide.Legal.Count);
    }

    static void Main()
    {
        KhivaKit.Play("random-csharp", Choose, "1");
    }
}
