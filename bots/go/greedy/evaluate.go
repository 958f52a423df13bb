// What a Khiva position is worth to a seat, in points: bots/python/shared/evaluate.py in Go, to the last bit. For that, sums are
// added up in the same order, and each product that goes into one is put through float64(), which keeps it from being fused.
//
// A card is 10 * colour + value; a place is 0 for the tent and 6 * path + shop for the rest (5: outpost).

package main

const (
	tent, outpost, saltPrice = 0, 5, 3
	gem, carpet              = 1.5, 2.0
)

var near = [10]float64{0.0, 0.22, 0.22, 0.20, 0.18, 0.06, 0.03, 0.0, 0.0, 0.0}

// Board is what lies on the table, as far as it decides what a move is worth. Slices by seat or by camel.
type Board struct {
	ownTent, noMove bool
	slots           [][]int
	camels, gems    []int
	cargo           [][]int // what each camel would bring each seat at its outpost: the teapot and carpets of its colour
	salt            int
	now, cards      map[[2]int]float64
}

// distance is the steps to the seat's outpost with nothing in the way.
func distance(seat, place int) int {
	path, shop := place/6, place%6
	switch {
	case shop == 0:
		return 5
	case path == seat:
		return 5 - shop
	}
	return shop + 4
}

func smaller(one, other int) int {
	if other < one {
		return other
	}
	return one
}

// greatest returns the index of the first of the greatest.
func greatest(worth []float64) int {
	chosen := 0
	for i, points := range worth {
		if points > worth[chosen] {
			chosen = i
		}
	}
	return chosen
}

// card is what it is worth to win a bid with this card, moved on as well as the gems allow; 0 where it leads nowhere.
func (b *Board) card(seat, card int) float64 {
	key := [2]int{seat, card}
	if known, ok := b.cards[key]; ok {
		return known
	}
	worth := []float64{}
	for boost, place := range b.reach(seat, card) {
		worth = append(worth, b.landing(seat, card/10, place, boost))
	}
	if len(worth) > 0 {
		b.cards[key] = worth[greatest(worth)]
	} else {
		b.cards[key] = 0.0
	}
	return b.cards[key]
}

// landing is what it is worth to move a camel there for so many gems: what is gained at once and the better outlook.
func (b *Board) landing(seat, camel, place, boost int) float64 {
	before, known := b.now[[2]int{seat, camel}]
	if !known {
		before = b.outlook(seat, camel, b.camels[camel])
		b.now[[2]int{seat, camel}] = before
	}
	gain := float64(-gem*float64(boost)) - before
	switch place % 6 {
	case outpost:
		return gain + float64(b.cargo[seat][camel]) // a new teapot in the tent promises everybody the same
	case 1:
		gain += gem
	case 2:
		gain += carpet
	case 3:
		gain += 2 * gem
	case 4:
		salt := float64(b.salt) - saltPrice*gem
		if b.gems[seat]-boost < saltPrice || salt < carpet {
			salt = carpet
		}
		gain += salt
	}
	return gain + b.outlook(seat, camel, place)
}

// reach is where the camel of this card may stop: the index is the number of gems spent.
func (b *Board) reach(seat, card int) []int {
	camel, value := card/10, card%10
	way := b.walk(seat, b.camels[camel])
	if len(way) < value {
		if b.noMove {
			return nil
		}
		return way[len(way)-1:]
	}
	most := value + smaller(b.gems[seat], b.slots[camel][value-1])
	return way[value-1 : smaller(most, len(way))]
}

// walk is the free places ahead of a camel that this seat moves, nearest first.
func (b *Board) walk(seat, place int) []int {
	path, shop := place/6, place%6
	way := []int{}
	put := func(at int) {
		for _, camel := range b.camels {
			if at != tent && camel == at {
				return
			}
		}
		way = append(way, at)
	}
	first := 1
	if shop != 0 && path == seat {
		first = shop + 1
	} else if shop != 0 {
		for s := shop - 1; s > 0; s-- {
			put(6*path + s)
		}
		if b.ownTent {
			put(tent)
		}
	}
	for s := first; s <= outpost; s++ {
		put(6*seat + s)
	}
	return way
}

// outlook is what this camel would promise the seat there, less what it would promise the others on average.
func (b *Board) outlook(seat, camel, place int) float64 {
	total := 0.0
	for other := range b.gems {
		if other != seat {
			total += float64(near[distance(other, place)] * float64(b.cargo[other][camel]))
		}
	}
	return float64(near[distance(seat, place)]*float64(b.cargo[seat][camel])) - total/float64(len(b.gems)-1)
}
