// Package tickets prices tickets.
package tickets

import "errors"

// ErrAge is the error of an age that nobody has.
var ErrAge = errors.New("no such age")

// Price returns cents. Children and the old pay less.
func Price(age int) (int, error) {
	if age < 0 {
		return 0, ErrAge
	}
	if age < 14 {
		return 500, nil
	}
	if age > 65 {
		return 800, nil
	}
	return 1200, nil
}

// Group takes a tenth off for ten people and more.
func Group(cents, people int) int {
	total := cents * people
	if people > 10 {
		total -= total / 10
	}
	return total
}
