package tickets

import (
	"errors"
	"testing"
)

func TestPrice(t *testing.T) {
	for age, want := range map[int]int{0: 500, 13: 500, 14: 1200, 65: 1200, 66: 800} {
		if got, err := Price(age); got != want || err != nil {
			t.Errorf("Price(%d) = %d, %v", age, got, err)
		}
	}
}

func TestNoAge(t *testing.T) {
	if _, err := Price(-1); !errors.Is(err, ErrAge) {
		t.Errorf("got %v", err)
	}
}

func TestGroup(t *testing.T) {
	if got := Group(100, 3); got != 300 {
		t.Errorf("got %d", got)
	}
	if got := Group(100, 11); got != 990 {
		t.Errorf("got %d", got)
	}
}
