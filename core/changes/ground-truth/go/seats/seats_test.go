package seats

import "testing"

func TestName(t *testing.T) {
	for _, c := range []struct {
		row, seat int
		want      string
	}{{0, 0, "A1"}, {2, 9, "C10"}} {
		t.Run(c.want, func(t *testing.T) {
			if got := Name(c.row, c.seat); got != c.want {
				t.Errorf("Name(%d, %d) = %s", c.row, c.seat, got)
			}
		})
	}
}

func TestTogether(t *testing.T) {
	if got := Together("x..x...", 3); got != 4 {
		t.Errorf("got %d", got)
	}
	if got := Together("x..x..", 3); got != -1 {
		t.Errorf("got %d", got)
	}
}

func TestFree(t *testing.T) {
	if got := Free([]string{"xx", "x..", "."}); got != 3 {
		t.Errorf("got %d", got)
	}
}
