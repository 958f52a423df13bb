// All that a Go bot needs to speak wire protocol 1, on vmihailenco/msgpack. A bot is one call:
//
//	func main() { Play("my-bot", "1", func(decide *Decide, match *Match) int { return 0 }) }
//
// The function returns an index into decide.Legal. What is printed goes to stderr, so it can never break the conversation.
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"github.com/vmihailenco/msgpack/v5"
)

// Match is the arbiter's hello: what holds for the whole match.
type Match struct {
	Protos []int  `msgpack:"protos"`
	Game   string `msgpack:"game"`
	Rules  Value  `msgpack:"rules"`
	Seat   int    `msgpack:"seat"`
	Seats  int    `msgpack:"seats"`
	Seed   uint64 `msgpack:"seed"`
	Time   Value  `msgpack:"time"`
}

// Decide is one request.
type Decide struct {
	Req    int64   `msgpack:"req"`
	Kind   string  `msgpack:"kind"`
	TurnMs int     `msgpack:"turn_ms"`
	BankMs int     `msgpack:"bank_ms"`
	View   Value   `msgpack:"view"`
	Events []Value `msgpack:"events"`
	Legal  []Value `msgpack:"legal"`
}

// Value is a part of a message as it came.
type Value struct{ msgpack.RawMessage }

// Into reads a value into a variable, such as a struct with `msgpack:"key"` tags. It panics where the types differ.
func (v Value) Into(target any) {
	decoder := msgpack.NewDecoder(bytes.NewReader(v.RawMessage))
	decoder.UseLooseInterfaceDecoding(true)
	if err := decoder.Decode(target); err != nil {
		panic(err)
	}
}

// Note says a line to the people who run the bot, on stderr.
func Note(words ...any) {
	fmt.Fprintln(os.Stderr, words...)
}

// Lottery is chance that a replay repeats: equal seeds give equal numbers (splitmix64).
type Lottery struct{ state uint64 }

// NewLottery begins at a seed, such as match.Seed.
func NewLottery(seed uint64) *Lottery {
	return &Lottery{seed}
}

// Below is a number from 0 to n - 1, each equally likely.
func (l *Lottery) Below(n int) int {
	many := uint64(n)
	rest := -many % many // of 2^64
	for {
		l.state += 0x9e3779b97f4a7c15
		z := l.state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		z ^= z >> 31
		if z <= ^rest { // numbers beyond the last whole multiple of n would favour the small ones
			return int(z % many)
		}
	}
}

// readFrame returns the next message, or false at the end of input.
func readFrame(source io.Reader) (Value, bool) {
	var size uint32
	if binary.Read(source, binary.BigEndian, &size) != nil {
		return Value{}, false
	}
	if size == 0 || size > 1048576 {
		panic(fmt.Sprintf("a frame of %d bytes", size))
	}
	payload := make([]byte, size)
	_, err := io.ReadFull(source, payload)
	return Value{payload}, err == nil
}

// writeFrame sends one message, at once.
func writeFrame(sink io.Writer, message map[string]any) {
	payload, err := msgpack.Marshal(message)
	if err == nil {
		frame := binary.BigEndian.AppendUint32(nil, uint32(len(payload)))
		_, err = sink.Write(append(frame, payload...))
	}
	if err != nil {
		panic(err)
	}
}

// guarded returns the conversation. What is printed goes to stderr instead. khiva_guard.go replaces it where there is more to guard.
var guarded = func() *os.File {
	own := os.Stdout
	os.Stdout = os.Stderr
	return own
}

// Play plays one match: it shakes hands, answers every decide with choose, and returns when the input ends.
func Play(name, version string, choose func(*Decide, *Match) int) {
	source, sink := bufio.NewReader(os.Stdin), guarded()
	var match Match
	for payload, more := readFrame(source); more; payload, more = readFrame(source) {
		var message struct {
			Type string `msgpack:"type"`
		}
		payload.Into(&message)
		switch message.Type {
		case "hello":
			payload.Into(&match)
			spoken := false
			for _, proto := range match.Protos {
				spoken = spoken || proto == 1
			}
			if !spoken {
				Note("the arbiter speaks protocols", match.Protos, "and this kit speaks 1")
				return
			}
			hello := map[string]any{"type": "hello", "proto": 1, "name": name}
			if version != "" {
				hello["version"] = version
			}
			writeFrame(sink, hello)
		case "decide":
			var decide Decide
			payload.Into(&decide)
			req := decide.Req // before the bot can change it
			writeFrame(sink, map[string]any{"type": "act", "req": req, "choice": choose(&decide, &match)})
		case "fault":
			var fault map[string]any
			payload.Into(&fault)
			Note(fmt.Sprintf("fault: %v: %v (strikes: %v)", fault["code"], fault["detail"], fault["strikes"]))
		}
		// After "end" comes the end of input. Anything else is from a later arbiter and is not meant for us.
	}
}
