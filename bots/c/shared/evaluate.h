/* What a Khiva position is worth to a seat, in points: bots/python/shared/evaluate.py in C, to the last bit. For that, sums are
   added up in the same order, and the build line forbids products to be fused into them (-ffp-contract=off).

   A card is 10 * colour + value; a place is 0 for the tent and 6 * path + shop for the rest (5: outpost). */
#ifndef EVALUATE_H
#define EVALUATE_H

#define SEATS 5
#define CAMELS 5
#define CODES 50
#define TENT 0
#define OUTPOST 5
#define SALT_PRICE 3
#define GEM 1.5
#define CARPET 2.0
#define UNKNOWN -1e300

static const double NEAR[10] = {0.0, 0.22, 0.22, 0.20, 0.18, 0.06, 0.03, 0.0, 0.0, 0.0};

typedef struct {
    int seats, own_tent, no_move;
    int slots[CAMELS][5];
    int camels[CAMELS], gems[SEATS], salt;
    int cargo[SEATS][CAMELS]; /* what each camel would bring each seat at its outpost: the teapot and carpets of its colour */
    double now[SEATS][CAMELS], worth[SEATS][CODES]; /* UNKNOWN until asked for */
} board;

/* Steps to the seat's outpost with nothing in the way. */
static int distance(int seat, int place)
{
    int path = place / 6, shop = place % 6;
    if (shop == 0)
        return 5;
    return path == seat ? 5 - shop : shop + 4;
}

static int is_free(const board *b, int place)
{
    for (int camel = 0; camel < CAMELS; camel++)
        if (place != TENT && b->camels[camel] == place)
            return 0;
    return 1;
}

/* The free places ahead of a camel that this seat moves, nearest first; returns how many. */
static int walk(const board *b, int seat, int place, int *way)
{
    int path = place / 6, shop = place % 6, count = 0, from = 1;
    if (shop != 0 && path == seat) {
        from = shop + 1;
    } else if (shop != 0) {
        for (int s = shop - 1; s > 0; s--)
            if (is_free(b, 6 * path + s))
                way[count++] = 6 * path + s;
        if (b->own_tent)
            way[count++] = TENT;
    }
    for (int s = from; s <= OUTPOST; s++)
        if (is_free(b, 6 * seat + s))
            way[count++] = 6 * seat + s;
    return count;
}

/* What this camel would promise the seat there, less what it would promise the others on average. */
static double outlook(const board *b, int seat, int camel, int place)
{
    double total = 0.0;
    for (int other = 0; other < b->seats; other++)
        if (other != seat)
            total += NEAR[distance(other, place)] * b->cargo[other][camel];
    return NEAR[distance(seat, place)] * b->cargo[seat][camel] - total / (b->seats - 1);
}

/* What it is worth to move a camel there for so many gems: what is gained at once and the better outlook. */
static double landing(board *b, int seat, int camel, int place, int boost)
{
    double gain, salt;
    if (b->now[seat][camel] == UNKNOWN)
        b->now[seat][camel] = outlook(b, seat, camel, b->camels[camel]);
    gain = -GEM * boost - b->now[seat][camel];
    switch (place % 6) {
    case OUTPOST: return gain + b->cargo[seat][camel]; /* a new teapot in the tent promises everybody the same */
    case 1: gain += GEM; break;
    case 2: gain += CARPET; break;
    case 3: gain += 2 * GEM; break;
    case 4:
        salt = b->gems[seat] - boost >= SALT_PRICE ? b->salt - SALT_PRICE * GEM : 0.0;
        gain += salt > CARPET ? salt : CARPET;
        break;
    default: break;
    }
    return gain + outlook(b, seat, camel, place);
}

/* What it is worth to win a bid with this card, moved on as well as the gems allow; 0 where it leads nowhere. */
static double card_worth(board *b, int seat, int card)
{
    int camel = card / 10, value = card % 10, way[12];
    int slots = b->slots[camel][value - 1];
    int boost = b->gems[seat] < slots ? b->gems[seat] : slots;
    int count = walk(b, seat, b->camels[camel], way);
    double *worth = &b->worth[seat][card];
    if (*worth != UNKNOWN)
        return *worth;
    *worth = 0.0;
    if (count < value) { /* beyond the outpost */
        if (!b->no_move)
            *worth = landing(b, seat, camel, way[count - 1], 0);
        return *worth;
    }
    for (int gems = 0; gems <= boost && value - 1 + gems < count; gems++) {
        double here = landing(b, seat, camel, way[value - 1 + gems], gems);
        if (gems == 0 || here > *worth)
            *worth = here;
    }
    return *worth;
}

#endif
