import { expect, test } from 'vitest'
import { mutantsIn } from '../testing.ts'

const inFunction = (statements: string) => `package a\nfunc f(a, b, n int, ok bool, s []int, m M) { ${statements} }`

test.each<[statements: string, mutants: string[]]>([
  // Conditions
  ['if ok { n = 1 }', ['condition: ok -> !ok']],
  ['if !ok { n = 1 }', ['condition: !ok -> ok']],
  ['if a == b { n = 1 }', ['condition: a == b -> a != b']],
  ['if ok && g() { n = 1 }', ['condition: ok -> !ok', 'condition: ok && g() -> ok || g()', 'condition: g() -> !g()']],
  ['ok = true', ['condition: true -> false']],
  // Go's own checks refuse what is always true.
  [
    'ok = a != 1 && a != 2',
    ['condition: a != 1 -> a == 1', 'boundary: 1 -> 2', 'condition: a != 2 -> a == 2', 'boundary: 2 -> 3'],
  ],
  // Boundaries
  ['if a < b { n = 1 }', ['condition: a < b -> a >= b', 'boundary: a < b -> a <= b']],
  ['s = s[1:]', ['boundary: 1 -> 0']],
  ['if a > n { n = a }', ['condition: a > n -> a <= n']],
  // Arithmetic
  ['n = a + b*2', ['arithmetic: a + b*2 -> a - b*2', 'arithmetic: b*2 -> b/2']],
  ['n = a % b', ['arithmetic: a % b -> a * b']],
  ['n++', ['arithmetic: n++ -> n--']],
  ['n += a', ['arithmetic: n += a -> n -= a']],
  // Removed calls
  ['m.Save(a)', ['removed_call: m.Save(a) -> ']],
  ['c := g(); m.Save(c)', ['removed_call: m.Save(c) -> _ = c']],
  ['c := g(); m.Save(c); h(c)', ['removed_call: m.Save(c) -> ', 'removed_call: h(c) -> ']],
  // Loops end
  [
    'for i := 0; i < n; i++ { a += i }',
    ['boundary: 0 -> 1', 'condition: i < n -> false', 'boundary: i < n -> i <= n', 'arithmetic: a += i -> a -= i'],
  ],
  ['for a < b { a = a + 1 }', ['condition: a < b -> false']],
])('%s', async (statements, mutants) => {
  const found = await mutantsIn('a.go', inFunction(statements))
  expect(found.map((mutant) => mutant.replace(/^\d+ /, ''))).toEqual(mutants)
})

test.each<[types: string, value: string, mutants: string[]]>([
  ['int', '7', ['return: 7 -> 8']],
  ['int', 'len(s)', ['return: len(s) -> len(s) + 1']],
  ['bool', 'true', ['return: true -> false']],
  ['bool', 'g()', ['return: g() -> !g()']],
  ['string', '"a"', ['return: "a" -> ""']],
  ['string', '""', ['return: "" -> "mutant"']],
  ['string', 'a + b', ['return: a + b -> ""']],
  ['error', 'err', ['return: err -> nil']],
  ['*T', '&T{a: a}', ['return: &T{a: a} -> &T{}']],
  ['[]int', 's', ['return: s -> nil']],
  ['T', 'T{a: a}', ['return: T{a: a} -> T{}']],
  ['T', 'g()', ['return: g() -> *new(T)']],
  ['(int, error)', 'a, nil', ['return: a -> a + 1']],
  ['(int, error)', '0, err', ['return: err -> nil']],
  ['(n, m int, err error)', 'g()', ['return: g() -> 0, 0, nil']],
  ['', '', []],
])('func() %s returns %s', async (types, value, mutants) => {
  const source = `package a\nfunc f(a, b string, s []int, err error) ${types} { return ${value} }`
  expect((await mutantsIn('a.go', source)).map((mutant) => mutant.replace(/^\d+ /, ''))).toEqual(mutants)
})

test('keeps imports and variables in use', async () => {
  const source = `package a

import (
	"errors"
	"sort"
)

func f(names []string) error {
	sort.Strings(names)
	if len(names) == 0 {
		err := errors.New("none")
		return err
	}
	for i := 0; i < 3; i++ {
		g()
	}
	return nil
}`
  expect(await mutantsIn('a.go', source)).toEqual([
    '9 removed_call: sort.Strings(names) -> _ = sort.Strings',
    '10 condition: len(names) == 0 -> len(names) != 0',
    '10 boundary: 0 -> 1',
    '14 boundary: 0 -> 1',
    '14 condition: i < 3 -> false',
    '14 boundary: i < 3 -> i <= 3',
    '15 removed_call: g() -> ',
  ])
})

test.each([
  'const big = 1 << 10',
  'type T struct { A int `json:"a"` }',
  'func f(a string) { b := a + "b" }',
  'func f() { fmt.Println(a + b, a < b) }',
  'func f() { log.Printf("%d", a-b) }',
  'func f() { panic(a - b) }',
  'func f() { mu.Lock(); defer mu.Unlock() }',
  'func f() { for { n++; turn() } }',
  '// if a < b { return true }',
])('%s has none', async (declaration) => {
  expect(await mutantsIn('a.go', `package a\n${declaration}\n`)).toEqual([])
})
