// Looks one turn ahead, from the view alone: for each card, how likely it wins its camel and what that would bring.
// bots/python/shared/policy.py in Go: it chooses the same in every position.

package main

import "math"

const (
	temper   = 2.0 // points of difference at which another seat is e times as likely to play the better of two cards
	keep     = 0.3 // what is kept for later turns
	give     = 0.3 // what the left neighbour may do with what is passed to it
	rejected = gem
)

// Position is what the bot reads of a view.
type Position struct {
	Seat    int       `msgpack:"seat"`
	Hand    [][]int   `msgpack:"hand"`
	Hands   []int     `msgpack:"hands"`
	Discard [][]int   `msgpack:"discard"`
	Shown   [][]int   `msgpack:"shown"`
	Passed  []Passed  `msgpack:"passed"`
	Camels  [][]int   `msgpack:"camels"`
	Gems    []int     `msgpack:"gems"`
	Carpets [][][]int `msgpack:"carpets"`
	Salts   []int     `msgpack:"salts_left"`
	Ask     *struct {
		Seat  int     `msgpack:"seat"`
		Camel int     `msgpack:"camel"`
		Lands [][]int `msgpack:"lands"`
	} `msgpack:"ask"`
}

// Passed is a card that this seat passed on and has not seen since, and who may hold it.
type Passed struct {
	_msgpack struct{} `msgpack:",as_array"`
	Turn     int
	Face     []int
	Holders  []int
}

func place(at []int) int {
	if at[1] == 0 {
		return tent
	}
	return 6*at[0] + at[1]
}

func code(face []int) int {
	return 10*face[0] + face[1]
}

func read(view *Position, match *Match) *Board {
	var rules struct {
		Spaces    string  `msgpack:"khiva_spaces"`
		Overshoot string  `msgpack:"overshoot"`
		Slots     [][]int `msgpack:"gem_slots"`
	}
	match.Rules.Into(&rules)
	b := &Board{ownTent: rules.Spaces == "own_tent", noMove: rules.Overshoot == "no_move", slots: rules.Slots, gems: view.Gems}
	b.now, b.cards = map[[2]int]float64{}, map[[2]int]float64{}
	if len(view.Salts) > 0 {
		b.salt = view.Salts[0]
	}
	for _, camel := range view.Camels {
		b.camels = append(b.camels, place(camel))
	}
	for _, held := range view.Carpets {
		cargo := []int{}
		for _, camel := range view.Camels {
			cargo = append(cargo, camel[2])
		}
		for _, face := range held {
			cargo[face[0]] += face[1]
		}
		b.cargo = append(b.cargo, cargo)
	}
	return b
}

// appeal is e to the power of points / temper, near enough, and the same on every machine.
func appeal(points float64) float64 {
	x := 1.0 + float64(points/temper/1024.0)
	for i := 0; i < 10; i++ {
		x *= x
	}
	return x
}

// rivals says for each card not seen how likely another seat plays it this turn. 0 for all other cards.
func rivals(view *Position, b *Board, me int) [50]float64 {
	seen := map[int]bool{}
	for _, faces := range [][][]int{view.Hand, view.Discard, view.Shown} {
		for _, face := range faces {
			seen[code(face)] = true
		}
	}
	hidden := []int{}
	for card := 0; card < 50; card++ {
		if card%10 >= 1 && card%10 <= 5 && !seen[card] {
			hidden = append(hidden, card)
		}
	}
	known := map[int][]int{}
	for _, passed := range view.Passed {
		known[code(passed.Face)] = passed.Holders
	}
	free, plays := math.Max(1, float64(len(hidden)-len(known))), 1.0
	if len(b.gems) == 2 {
		plays = 2.0
	}
	var risk [50]float64
	for seat := range b.gems {
		if seat == me {
			continue
		}
		weights, usual, size := []float64{}, 0.0, float64(view.Hands[seat])
		for _, card := range hidden {
			weights = append(weights, appeal(b.card(seat, card)))
		}
		for _, weight := range weights {
			usual += weight / float64(len(weights))
		}
		for i, card := range hidden {
			holds := math.Min(1.0, size/free)
			if holders, ok := known[card]; ok {
				holds = 0.0
				for _, holder := range holders {
					if holder == seat {
						holds = 1.0 / float64(len(holders))
					}
				}
			}
			picks := plays * weights[i] / (weights[i] + float64((size-1)*usual))
			risk[card] = 1.0 - float64((1.0-risk[card])*(1.0-float64(holds*math.Min(1.0, picks))))
		}
	}
	return risk
}

// totals says what each entry of play_pass promises, in millionths of a point, so that the last bit of a sum never decides.
func totals(decide *Decide, view *Position, b *Board, me int) []float64 {
	risk := rivals(view, b, me)
	var worth, given [50]float64
	kept, out := 0.0, []float64{}
	for _, face := range view.Hand {
		card, win := code(face), 1.0
		for lower := card - card%10 + 1; lower < card; lower++ {
			win *= 1.0 - risk[lower]
		}
		worth[card] = float64(win*b.card(me, card)) + float64((1.0-win)*rejected)
		given[card] = b.card((me+1)%len(b.gems), card)
		kept += float64(keep * worth[card])
	}
	for _, entry := range decide.Legal {
		var cards []int
		entry.Into(&cards)
		for i := range cards {
			cards[i] = code(view.Hand[cards[i]])
		}
		played, passed, points := cards[:len(cards)/2], cards[len(cards)/2:], kept
		for _, card := range played {
			brings := worth[card]
			for _, other := range played {
				if card/10 == other/10 && card > other {
					brings = rejected // of two cards of a seat on one camel the higher one, whatever the others do
				}
			}
			points += brings - float64(keep*worth[card])
		}
		for _, card := range passed {
			points -= float64(keep*worth[card]) + float64(give*given[card])
		}
		out = append(out, math.Floor(float64(points*1e6)+0.5))
	}
	return out
}

func choose(decide *Decide, match *Match) int {
	var view Position
	decide.View.Into(&view)
	switch decide.Kind {
	case "play_pass":
		return greatest(totals(decide, &view, read(&view, match), view.Seat))
	case "boost":
		b, worth := read(&view, match), []float64{} // the index is the number of gems
		for gems, land := range view.Ask.Lands {
			worth = append(worth, b.landing(view.Ask.Seat, view.Ask.Camel, place(land), gems))
		}
		return greatest(worth)
	}
	for i, entry := range decide.Legal { // salt when it can be had; else what is usual
		var words []string
		entry.Into(&words)
		if len(words) == 1 && words[0] == "salt" {
			return i
		}
	}
	return 0
}

func main() {
	Play("greedy-go", "1", choose)
}
