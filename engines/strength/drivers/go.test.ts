import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { decisions, knownBy, openTrial, told } from './testing.ts'

const shop = {
  'go.mod': 'module example.com/shop\n\ngo 1.18\n',
  'src/price.go': `package price

import (
	"errors"
	"net/url"
)

var rates = map[string]int{"low": 5 + 2, "high": 19}

type Price struct{ Net int }

type stack[T any] struct{ items []T }

func (s *stack[T]) push(item T) int {
	s.items = append(s.items, item)
	return len(s.items) - 1
}

func RateOf(kind string) int { return rates[kind] }

func (p Price) Total(kind string, _ bool) (total int, err error) {
	if p.Net < 0 {
		return 0, errors.New("negative")
	}
	tax := p.Net * RateOf(kind) / 100
	if tax > 50 {
		return p.Net + 50, nil
	}
	total = p.Net + tax
	return
}

func Count(n int) int {
	left, steps := n, 0
	for left > 0 {
		left = next(left)
		steps += 1
	}
	return steps
}

func next(n int) int {
	return n - 1
}

func HostOf(url *url.URL) string {
	if url.Host == "" {
		return "none"
	}
	return url.Host
}

func Largest[T int | float64](first T, rest ...T) T {
	for _, one := range rest {
		if one > first {
			first = one
		}
	}
	return first
}

var Double = func(n int) int {
	return n * 2
}

var size int

func init() {
	size = sized(4)
}

func sized(n int) int {
	return n + 4
}

func Divide(a, b int) (result int) {
	defer caught(&result)
	return a / b
}

func caught(result *int) {
	if recover() != nil {
		*result = 7
	}
}

func Unused(a int) int { return a + 1 }

func Middle(all [3]int) int {
	return len(all[1:]) * 2 / (1 + 1)
}

func Last(all [2]int) []int {
	return all[:2]
}
`,
  'src/price_test.go': `package price

import (
	"fmt"
	"net/url"
	"testing"
)

func TestTax(t *testing.T) {
	if total, _ := (Price{100}).Total("low", true); total != 107 {
		t.Errorf("total is %d", total)
	}
	if total, _ := (Price{1000}).Total("high", true); total != 1050 {
		t.Errorf("total is %d", total)
	}
}

func TestDebts(t *testing.T) {
	if _, err := (Price{-1}).Total("low", true); err == nil {
		t.Error("no error")
	}
}

func TestCount(t *testing.T) {
	for _, n := range []int{3} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			if Count(n) != n {
				t.Fatal("wrong")
			}
		})
	}
}

func TestSize(t *testing.T) {
	if size != 8 || new(stack[int]).push(1) != 0 {
		t.Fatal("wrong")
	}
}

func TestHost(t *testing.T) {
	if HostOf(&url.URL{Host: "a"}) != "a" {
		t.Fatal("wrong")
	}
}

func TestParts(t *testing.T) {
	if Middle([3]int{}) != 2 || len(Last([2]int{})) != 2 {
		t.Fatal("wrong")
	}
}

func TestSkipped(t *testing.T) {
	t.Skip("later")
	Unused(1)
}

func TestBroken(t *testing.T) {
	if RateOf("high") != 20 {
		t.Fatal("wrong")
	}
}

func ExampleDouble() {
	fmt.Println(Double(4))
	// Output: 8
}
`,
  'other/other_test.go': `package other_test

import (
	"testing"

	price "example.com/shop/src"
)

func TestLargest(t *testing.T) {
	if price.Largest(1, 3, 2) != 3 {
		t.Fatal("wrong")
	}
}

func TestDivide(t *testing.T) {
	if price.Divide(1, 0) != 7 {
		t.Fatal("wrong")
	}
}
`,
  'other/other.go': 'package other\n\nconst Name = "other"\n',
}

const command = ['go', 'test', './...']
const alone = ['test', '-vet=off', '-run', 'Tax|Debts|Count|Host', './src']
const variables = { GOCACHE: join(homedir(), '.cache', 'go-build'), GOFLAGS: '-mod=mod' }

describe('go test', () => {
  test('says of each mutant what its own source would say in a fresh process', async () => {
    await using trial = await openTrial(shop, { variables })
    const events = await trial.drive('go.mjs', command)
    const decided = decisions(trial, events)
    expect(decided).toMatchInlineSnapshot(`
      [
        "5 + 2 -> 5 - 2: not reached",
        "len(s.items) - 1 -> len(s.items) + 1: noticed",
        "rates[kind] -> rates[kind] + 1: noticed",
        "p.Net < 0 -> p.Net >= 0: noticed",
        "p.Net < 0 -> p.Net <= 0: survived",
        "p.Net * RateOf(kind) -> p.Net / RateOf(kind): noticed",
        "p.Net * RateOf(kind) / 100 -> p.Net * RateOf(kind) * 100: noticed",
        "tax > 50 -> tax <= 50: noticed",
        "tax > 50 -> tax >= 50: survived",
        "p.Net + 50 -> p.Net - 50: noticed",
        "p.Net + tax -> p.Net - tax: noticed",
        "left > 0 -> false: noticed",
        "steps += 1 -> steps -= 1: noticed",
        "steps -> steps + 1: noticed",
        "n - 1 -> n + 1: timed_out",
        "url.Host == "" -> url.Host != "": noticed",
        ""none" -> "": not reached",
        "url.Host -> "": noticed",
        "one > first -> one <= first: noticed",
        "first -> *new(T): noticed",
        "n * 2 -> n / 2: noticed",
        "n + 4 -> n - 4: noticed",
        "a / b -> a * b: noticed",
        "recover() != nil -> recover() == nil: not reached",
        "a + 1 -> a - 1: not reached",
        "len(all[1:]) * 2 -> len(all[1:]) / 2: noticed",
        "len(all[1:]) * 2 / (1 + 1) -> len(all[1:]) * 2 * (1 + 1): noticed",
        "1 -> 0: noticed",
        "1 + 1 -> 1 - 1: invalid",
        "all[:2] -> nil: noticed",
        "2 -> 1: noticed",
      ]
    `)
    expect(events.at(-1)).toMatchObject({ kind: 'end', isComplete: true })
    expect(events.find(({ kind }) => kind === 'ready')).toMatchObject({ tests: 10, failed: 1 })
    for (const { id, mutant } of trial.mutants.filter(({ mutant }) => mutant.line >= 22 && mutant.line <= 31)) {
      const outcome = (await trial.isNoticed(mutant, 'go', alone)) ? 'noticed' : 'survived'
      expect(decided[id - 1]).toBe(`${told(mutant)}: ${outcome}`)
    }
  })

  test('runs no tests again of which it knows what they reach', async () => {
    const tests = shop['src/price_test.go'].replace('!= 20', '!= 19')
    await using trial = await openTrial({ ...shop, 'src/price_test.go': tests }, { variables })
    const first = await trial.drive('go.mjs', command)
    const known = knownBy(first)
    const second = await trial.drive('go.mjs', command, { known })
    expect(second.find(({ kind }) => kind === 'ready')).toMatchObject({ tests: 10, failed: 0, kept: 10 })
    expect(decisions(trial, second)).toEqual(decisions(trial, first))
  })

  test('stops when its time is over, and names packages that do not compile', async () => {
    const broken = {
      'worse/worse_test.go': 'package worse\n\nimport "testing"\n\nfunc TestA(t *testing.T) { undefined() }\n',
    }
    await using trial = await openTrial({ ...shop, ...broken }, { variables })
    const late = await trial.drive('go.mjs', command, { stopAt: Date.now() })
    expect(late.at(-1)).toMatchObject({ kind: 'end', isComplete: false })
    expect(late.filter(({ kind }) => kind === 'tried')).toEqual([])
    const events = await trial.drive('go.mjs', command)
    expect(events.find(({ kind }) => kind === 'error')?.message).toBe(
      'Go did not compile the tests of example.com/shop/worse.',
    )
    expect(events.find(({ kind }) => kind === 'ready')).toMatchObject({ tests: 10 })
  })
})
