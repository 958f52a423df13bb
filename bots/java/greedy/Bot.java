// Looks one turn ahead, from the view alone. It chooses as bots/python/greedy does, in every position.
public class Bot {
    public static void main(String[] args) {
        KhivaKit.play("greedy-java", Policy::choose, "1");
    }
}
