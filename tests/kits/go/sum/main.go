// The sum of a value: for tests of what the kit makes of bytes.

package main

import "fmt"

const m = 2147483647

func text(words string) int64 {
	sum := int64(5)
	for _, b := range []byte(words) {
		sum = (sum*31 + int64(b)) % m
	}
	return sum
}

func total(value any) int64 {
	switch it := value.(type) {
	case nil:
		return 1
	case bool:
		if it {
			return 3
		}
		return 2
	case int64:
		return (4*31 + (it%m+m)%m) % m
	case uint64:
		return total(int64(it))
	case string:
		return text(it)
	case []any:
		sum := int64(6)
		for _, item := range it {
			sum = (sum*31 + total(item)) % m
		}
		return sum
	case map[string]any:
		sum := int64(6)
		for key, item := range it {
			sum = (sum + text(key)*31 + total(item)) % m
		}
		return sum
	}
	panic(fmt.Sprintf("a value of type %T, which the protocol does not have", value))
}

func main() {
	Play("süm", "", func(decide *Decide, match *Match) int {
		fmt.Println("noise", decide.Req)
		decide.Req = 5
		var view map[string]any
		decide.View.Into(&view)
		return int(total(view["value"]))
	})
}
