import { expect, test } from 'vitest'
import { mutantsOf } from '../mutants-of.ts'
import { everyLine } from '../testing.ts'
import { switchGo } from './switch.ts'

async function switched(source: string, without: readonly number[] = []) {
  const found = await mutantsOf('shop/price.go', source, everyLine)
  const mutants = found.map((mutant, index) => ({ id: index + 1, mutant }))
  const all = await switchGo('shop/price.go', source, mutants, new Set(without))
  const [original = '', copies = ''] = (all?.source ?? '').split('\n//assay-copies\n')
  return { all, mutants, original, copies }
}

const body = `package price

func (p Price[T]) Total(kind string, _ int, rest ...T) (int, error) {
	if p.Net > 0 {
		return 1, nil
	}
	return p.Net + 2, nil
}
`

test('a function calls the copy that is chosen, with all its arguments, and keeps its lines', async () => {
  const { original, copies, all } = await switched(body)
  const lines = original.split('\n')
  expect(lines).toHaveLength(body.split('\n').length)
  expect(lines[0]).toBe(
    'package price/*assay+*/;import assayos1 "os";import assaystrconv1 "strconv";import assayatomic1 "sync/atomic"/*assay-*/',
  )
  expect(lines[2]).toMatch(
    /^func \(p Price\[T\]\) Total\(kind string, assayGiven1 int, rest \.\.\.T\) \(int, error\) \{/,
  )
  expect(lines[2]).toContain('assayReach1(3);switch assayActive1{case 1:return p.assay1(kind, assayGiven1, rest...);')
  expect(lines[3]).toMatch(/assayReach1\(0\);\/\*assay-\*\/if p\.Net > 0 \{$/)
  expect(copies).toContain(
    '/*line assay-mutant-1.go:1:1*/func (p Price[T]) assay1(kind string, assayGiven1 int, rest ...T) (int, error) /*assay-body*/{\n\tif p.Net <= 0 {',
  )
  expect(copies).toContain('var assayNumbers1 = [...]int{1, 3, 4, -3, -2}')
  expect(all?.hosts).toEqual([{ start: body.indexOf('{'), end: body.length - 1, marker: -3 }])
})

test('mutants of a statement share a probe, and those that nobody wants have no copy', async () => {
  const { all, mutants, copies } = await switched(body, [1])
  const probes = mutants.map(({ id, mutant }) => [mutant.line, all?.probes.get(id)])
  expect(probes.filter(([line]) => line === 4).map(([, probe]) => probe)).toEqual([1, 1])
  expect(new Set(probes.filter(([line]) => line === 7).map(([, probe]) => probe)).size).toBe(1)
  expect(copies).not.toContain('assay-mutant-1.go')
  expect(copies).toContain('assay-mutant-2.go')
})

test.each([
  ['a parameter without a name', 'func f(int) bool { return 1 > 2 }', 'case 1:return assay1(assayGiven1);'],
  ['a receiver without a name', 'func (T) f() bool { return 1 > 2 }', 'case 1:return assaySelf1.assay1();'],
  ['parameters of types', 'func f[A any, B int](a A) bool { return 1 > 2 }', 'case 1:return assay1[A, B](a);'],
  ['no result', 'func f(n int) { if n > 2 { g() } }', 'case 1:assay1(n);return;'],
])('a copy is called also with %s', async (_, code, call) => {
  expect((await switched(`package a\n${code}\n`)).original).toContain(call)
})

test('a function that is a value has its copies inside, after which the lines go on', async () => {
  const { original } = await switched('package a\n\nvar f = func(n int) bool {\n\treturn n > 2\n}\n')
  expect(original).toContain(
    'case 1:return /*line assay-mutant-1.go:1:1*/func() bool /*assay-body*/{\n\treturn n <= 2\n}/*assay-end*/();',
  )
  expect(original).toContain('/*line price.go:3*/')
})

test.each([
  ['package a\nimport "C"\nfunc f(a int) bool { return a > 1 }\n', 'code in C'],
  ['package a\nfunc f(a int) bool { return a > \n', 'an error of syntax'],
])('%j is not switched, because it has %s', async (source) => {
  expect((await switched(source)).all).toBeNull()
})

test.each([
  ['package a\nvar a = 5 + 2\n', 'outside of functions'],
  ['package a\nfunc f() { if recover() != nil { g() } }\n', 'in a function that recovers'],
  ['package a\n//go:nosplit\nfunc f(a int) bool { return a > 1 }\n', 'in a function with a directive'],
  ['package a\nfunc _(a int) bool { return a > 1 }\n', 'in a function without a name'],
])('%j has no place for mutants %s', async (source) => {
  const { all, mutants } = await switched(source)
  expect(mutants.length).toBeGreaterThan(0)
  expect([all?.probes.size, all?.hosts]).toEqual([0, []])
})
