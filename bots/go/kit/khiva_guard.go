//go:build !wasip1

package main

import (
	"os"
	"syscall"
)

// The conversation gets a descriptor of its own: what a child of this process prints goes to stderr, too. A module cannot do that.
func init() {
	guarded = func() *os.File {
		own, err := syscall.Dup(1)
		if err != nil || syscall.Dup3(2, 1, 0) != nil {
			panic("stdout cannot be guarded")
		}
		syscall.CloseOnExec(own)
		return os.NewFile(uintptr(own), "the arbiter")
	}
}
