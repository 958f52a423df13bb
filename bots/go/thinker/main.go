// A bot of Khiva that searches. It draws positions that its view allows and tries its choices in each of them: it plays on some
// turns to see what they were good for. khiva.h, in C, has the rules and those playouts (cgo compiles it with khiva_calls.c),
// this file has the search and the time. cgo takes no -ffp-contract=off; gcc needs none with -std=c99.
//
// All choices are tried in the same positions, so that none is luckier than another. From time to time the worse half of them is
// given up, until one is left. So most of the time goes to choices that are hard to tell apart. In the playouts everybody chooses
// by habit: a seat does again what served it well in playouts before (khiva_try).

package main

// #cgo CFLAGS: -std=c99 -O2 -Wall
// #include "khiva.h"
// int khiva_lib_read_rules(const unsigned char *bytes, size_t size, khiva_rules *rules);
// int khiva_lib_read_view(const unsigned char *bytes, size_t size, const khiva_rules *rules, khiva_view *view);
// double khiva_lib_try(const khiva_rules *rules, const khiva_state *s, khiva_habits *habits, int seat, int choice, int turns,
//                      arena_stream *stream);
import "C"

import (
	"fmt"
	"math/bits"
	"sort"
	"time"
)

const (
	// A decision takes a twentieth of the turn and a five-hundredth of what is left in the bank. So the answer comes in time
	// even where the machine is twenty times too busy, and the bank never runs out.
	turnShare, bankShare = 20, 500
	// Set it to 3000, say, to think for so many playouts instead, and not to look at the clock: such a match can be replayed.
	playouts = 0
	turns    = 4 // what a choice is good for shows within so many turns
	look     = 8 // playouts between two looks at the clock
)

// Candidate is a choice that has not been given up, and the sum of its leads.
type Candidate struct {
	choice int
	sum    float64
}

// Thinking is a decision that is being thought about.
type Thinking struct {
	rules     C.khiva_rules
	view      C.khiva_view
	knowledge C.khiva_knowledge
	habits    C.khiva_habits
	chance    C.arena_stream
	world     C.khiva_state
	began     time.Time
	most      float64
	playouts  int
}

// begin reads what is asked. It returns false where that makes no sense.
func (t *Thinking) begin(decide *Decide, match *Match) bool {
	*t = Thinking{began: time.Now(), most: float64(decide.TurnMs)/turnShare + float64(decide.BankMs)/bankShare}
	rules, view := match.Rules.RawMessage, decide.View.RawMessage
	if len(rules) == 0 || len(view) == 0 {
		return false
	}
	if C.khiva_lib_read_rules((*C.uchar)(&rules[0]), C.size_t(len(rules)), &t.rules) != 0 ||
		C.khiva_lib_read_view((*C.uchar)(&view[0]), C.size_t(len(view)), &t.rules, &t.view) != 0 ||
		C.khiva_think(&t.knowledge, &t.rules, &t.view) != 0 {
		return false
	}
	C.arena_stream_quick(&t.chance, C.uint64_t(match.Seed+uint64(t.view.turn)))
	return true
}

// milliseconds tells how long it has been thought about.
func (t *Thinking) milliseconds() float64 {
	return float64(time.Since(t.began).Nanoseconds()) / 1e6
}

// done tells what part of the thinking is done, 1 or more at its end and where there is no time at all.
func (t *Thinking) done() float64 {
	spent, most := t.milliseconds(), t.most
	if playouts > 0 {
		spent, most = float64(t.playouts), playouts
	}
	if spent < most {
		return spent / most
	}
	return 1
}

// draw draws a position that the view allows. It returns false if there is none in which the seat has so many choices.
func (t *Thinking) draw(count int) bool {
	return C.khiva_world(&t.world, nil, &t.rules, &t.view, &t.knowledge, &t.chance) == 0 &&
		int(C.khiva_choices(&t.rules, &t.world, C.int(t.view.seat))) == count
}

// tryAll tells how far ahead each candidate leads in one position; of the first ones alone if the time is up before.
func (t *Thinking) tryAll(candidates []Candidate) []float64 {
	var leads []float64
	for i, candidate := range candidates {
		if i > 0 && i%look == 0 && t.done() >= 1 {
			break
		}
		lead := C.khiva_lib_try(&t.rules, &t.world, &t.habits, C.int(t.view.seat), C.int(candidate.choice), turns, &t.chance)
		leads = append(leads, float64(lead))
		t.playouts++
	}
	return leads
}

// search returns the best choice of so many; 0 for one alone, and where the view fits no position or has another count.
func (t *Thinking) search(count int) int {
	if count < 2 {
		return 0
	}
	candidates, halved, worlds := make([]Candidate, count), 0, 0
	for i := range candidates {
		candidates[i].choice = i
	}
	halvings := bits.Len(uint(count - 1))
	for len(candidates) > 1 {
		if !t.draw(count) {
			return 0
		}
		leads := t.tryAll(candidates)
		// Else the time is up amid a position, which counts for some and not for others.
		if len(leads) == len(candidates) || worlds == 0 {
			candidates = candidates[:len(leads)]
			for i, lead := range leads {
				candidates[i].sum += lead
			}
			worlds++
		}
		for ; len(candidates) > 1 && t.done()*float64(halvings) >= float64(halved+1); halved++ {
			sort.Slice(candidates, func(i, j int) bool {
				a, b := candidates[i], candidates[j]
				return a.sum > b.sum || a.sum == b.sum && a.choice < b.choice
			})
			candidates = candidates[:(len(candidates)+1)/2]
		}
	}
	return candidates[0].choice
}

func main() {
	thinking := new(Thinking)
	Play("thinker-go", "1", func(decide *Decide, match *Match) int {
		if !thinking.begin(decide, match) {
			return 0
		}
		choice := thinking.search(len(decide.Legal))
		Note(fmt.Sprintf("%d playouts in %.1f ms", thinking.playouts, thinking.milliseconds()))
		return choice
	})
}
