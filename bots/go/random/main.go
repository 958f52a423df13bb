// Any legal choice, each equally likely; equal seeds give equal choices. Write your own function for Play.

package main

func main() {
	var lots *Lottery
	Play("random-go", "1", func(decide *Decide, match *Match) int {
		if lots == nil {
			lots = NewLottery(match.Seed)
		}
		return lots.Below(len(decide.Legal))
	})
}
