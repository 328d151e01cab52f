import { expect, test } from 'vitest'
import { complexityOf, factsOf, symbolsOf } from '../testing/facts.ts'

test('names methods by their receiver and exports what starts with a capital', async () => {
  const symbols = await symbolsOf(
    'go',
    `package store

// Get returns a value.
func (s *Store[K]) Get(key K) (int, error) {
	return s.items[key], nil
}
func (s Store) drop() {}
func (cache) Reset() {}
func Open[T any](path string) *Store { return &Store{} }
func ext(x int) int
var Handle = func(w Writer) { if w != nil {} }
var command = &cobra.Command{Use: "x", RunE: func(args []string) error { if len(args) > 0 { return nil }; return nil }}
type Shape interface { Area() float64 }
func Über() {}
`,
  )
  expect(symbols).toEqual([
    'method Store.Get 4-6 complexity 1, exported',
    'method Store.drop 7-7 complexity 1',
    'method cache.Reset 8-8 complexity 1',
    'function Open 9-9 complexity 1, exported',
    'function Handle 11-11 complexity 2, exported',
    'method command.RunE 12-12 complexity 2',
    'function Über 14-14 complexity 1, exported',
  ])
})

test('counts every branch of the language once', async () => {
  const body = (code: string) => complexityOf('go', `package p\nfunc f() {\n${code}\n}\n`).then((found) => found['f'])
  expect(await body('if x := 1; x > 0 && y || z { } else if b { } else { }')).toBe(5)
  expect(await body('for { }; for i := range a { continue }')).toBe(3)
  expect(await body('switch a { case 1, 2: foo()\ncase 3:\ndefault: bar() }')).toBe(3)
  expect(await body('switch v := x.(type) { case int: case string: default: }')).toBe(3)
  expect(await body('select { case <-c:\ncase y := <-d:\ndefault: }')).toBe(3)
  expect(await body('defer func() { if r := recover(); r != nil {} }()')).toBe(2)
  expect(await body('local := func() { if a {} }\nlocal()')).toBe(1)
})

test('lists imports, exports, package and references', async () => {
  const facts = await factsOf(
    'go',
    `package server_test
import (
	"fmt"
	renamed "github.com/x/y"
	_ "github.com/lib/pq"
	. "github.com/onsi/gomega"
)
type Public struct { Embedded; pkg.Other; named Field }
type private struct{}
type Alias = Public
const Limit, small = 1, 2
var First, second = 1, 2
func Run() {
	fmt.Println(parse(x), Public{}, &pkg.Config{a: 1}, []int{1})
	Generic[int]()
	pkg.Typed[int](1)
}
`,
  )
  expect(facts.namespace).toBe('server_test')
  expect(facts.imports).toEqual([
    { specifier: 'fmt', names: ['*'] },
    { specifier: 'github.com/x/y', names: ['*'] },
    { specifier: 'github.com/lib/pq', names: [] },
    { specifier: 'github.com/onsi/gomega', names: ['*'] },
  ])
  expect(facts.exports.map((fact) => fact.name)).toEqual(['Public', 'Alias', 'Limit', 'First', 'Run'])
  expect(facts.references.toSorted()).toEqual(
    ['Config', 'Embedded', 'Generic', 'Other', 'Println', 'Public', 'Typed', 'parse', 'x'].toSorted(),
  )
})
