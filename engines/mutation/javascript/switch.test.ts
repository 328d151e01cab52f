import { expect, test } from 'vitest'
import { mutantsOf } from '../mutants-of.ts'
import { everyLine } from '../testing.ts'
import { switchJavaScript } from './switch.ts'
import { differences, evaluate, switched, withoutTypes } from './testing.ts'

test('a function with very long copies has only some of them, and the others when those are done', async () => {
  const lines = Array.from({ length: 1_000 }, (_, index) => `    n === ${index} && ${index} + n,`)
  const source = `function long(n) {\n  return [\n${lines.join('\n')}\n    n > 5\n  ]\n}\nconst result = () => [long(2), long(9_000)]`
  const found = await mutantsOf('a.js', source, everyLine)
  const mutants = found.map((mutant, index) => ({ id: index + 1, mutant }))
  const first = switchJavaScript(source, 'js', mutants)
  expect(first.source.length).toBeLessThan(1_500_000)
  expect(first.left.length).toBeGreaterThan(0)
  expect(first.left.length).toBeLessThan(mutants.length)
  expect(evaluate(first.source)).toBe(evaluate(source))
  const [next = 0] = first.left
  const without = new Set(mutants.flatMap(({ id }) => (first.left.includes(id) ? [] : id)))
  const second = switchJavaScript(source, 'js', mutants, without)
  expect(second.left).not.toContain(next)
  expect([...second.probes]).toEqual([...first.probes])
  expect(second.hosts).toEqual(first.hosts)
})

const programs: Record<string, string> = {
  'branches without braces': `
function sign(n) {
  if (n > 0) return 1
  else if (n < 0) return -1
  for (let i = 0; i < 2; i++) if (n === i) return i + 1
  return 0
}
const result = () => [-2, -1, 0, 1, 2].map(sign)`,
  'arrow functions and sequences': `
const twice = (n) => n * 2
const pair = (n, m = n + 1) => (n > m ? { a: n } : { a: m, b: (n, m - 1) })
const result = () => [1, 5].map((n) => [twice(n), pair(n), pair(n, 3)])`,
  'classes, fields and super': `
class Base {
  static count = 1 + 1
  size = 3 * 2
  #hidden = this.size > 5
  constructor(n) { this.n = n }
  get big() { return this.n > 4 && this.#hidden }
  add(m) { return this.n + m }
}
class Next extends Base {
  constructor(n) { super(n - 1); this.more = n >= 3 }
  add(...all) { return super.add(all.length + arguments.length) }
}
const result = () => [new Base(5), new Next(3), new Next(7)].map((one) => [one.big, one.add(1, 2), one.more, one.size, Base.count])`,
  'generators, labels and switches': `
function* upTo(n) {
  'use strict'
  outer: for (let a = 1; a <= n; a++) {
    for (let b = 1; b < 5; b++) {
      if (a * b === 6) continue outer
      if (a - b > 2) break outer
      yield a + b
    }
  }
}
function named(n) {
  switch (n) {
    case 1:
    case 2: { const small = n > 1; return small ? 'two' : 'one' }
    default:
      return n >= 4 ? 'many' : 'some'
  }
}
const result = () => [[...upTo(4)], [1, 2, 3, 4].map(named)]`,
  'inner functions and hoisting': `
function outer(list) {
  const first = inner(list.length)
  return list.filter((n) => n > first).map(function (n) { return step(n) * 2 })
  function inner(n) { let i = 0; while (i < n) i += 2; return i }
  function step(n) { return n % 2 === 0 ? n / 2 : n + 1 }
}
const result = () => [outer([1, 2, 3, 8]), outer([9, 12])]`,
  'long functions': `
class Base {
  constructor(n) { this.n = n }
  size() { return this.n * 2 }
}
class Long extends Base {
  constructor(n) { super(n > 2 ? n : 2); this.n += 1; /* ${'long '.repeat(20_000)} */ }
  size(m) {
    let sum = super.size() + arguments.length
    if (sum > 500) sum -= m; // ${'long '.repeat(20_000)}
    var last = twice(sum)
    function twice(n) { return n * 2 }
    return last
  }
}
const result = () => [1, 2, 3, 200].map((n) => new Long(n).size(7, 8))`,
  'code of the module': `
const limit = 3 * 4
let count = 0
if (limit > 10) count = limit - 1
const { wide = limit > 5 } = {}
const kept = {}
Object.assign(kept, { size: limit + 1 })
const result = () => [limit, count, wide, kept]`,
}

test.each(Object.entries(programs))('a chosen mutant does what its own source does: %s', async (_, source) => {
  const { found, count, missing } = await differences(source, 'js')
  expect(found).toEqual([])
  expect(count).toBeGreaterThan(3)
  const expected = source.includes('if (limit') ? ['limit > 10', 'limit > 10'] : []
  expect(missing.map(({ mutant }) => mutant.original)).toEqual(expected)
  expect((await differences(source, 'js', 0)).found).toEqual([])
})

test('a probe says that the statement of a mutant is about to run', async () => {
  const source =
    'function f(n) {\n  if (n > 1) return n - 1\n  return n + 1\n}\nfunction result() {\n  return f(5)\n}\n'
  const { mutants, probes, source: all } = await switched(source)
  const reached = new Set<number>()
  evaluate(all, { reach: (probe) => reached.add(probe) })
  const lines = mutants.filter(({ id }) => reached.has(probes.get(id) ?? 0)).map(({ mutant }) => mutant.line)
  expect(new Set(lines)).toEqual(new Set([2, 6]))
})

test('keeps what must come first, and the types', async () => {
  const source = `#!/usr/bin/env node\n'use strict'\nfunction add(a: number, b: number = a * 2): number { return a + b }\nconst result = () => add(1)\n`
  const { source: all, mutants } = await switched(source, 'ts')
  expect(all.split('\n').slice(0, 3)).toEqual(['#!/usr/bin/env node', '// @ts-nocheck', ''])
  expect(evaluate(withoutTypes(all))).toBe('3')
  const ids = mutants.filter(({ mutant }) => mutant.original === 'a * 2').map(({ id }) => id)
  expect(evaluate(withoutTypes(all), { active: ids[0] })).toBe('1.5')
})

test('looks at the time in each loop of a mutant, and when its function is called', async () => {
  const source = 'function f(n) {\n  let i = 0\n  while (i < n) i++\n  return i - 1\n}\nconst result = () => f(3)\n'
  const { mutants, source: all } = await switched(source)
  let checks = 0
  const id = mutants.find(({ mutant }) => mutant.original === 'i - 1')?.id
  evaluate(all, { active: id, check: () => (checks += 1) })
  expect(checks).toBe(4)
})

test.each([
  ['in a copy of the function', undefined],
  ['in a copy of the statement', 0],
])('says whether the mutant itself runs, and not only its function: %s', async (_, maxWhole) => {
  const source = `const known = new Map()
function price(n) {
  if (known.has(n)) return known.get(n)
  let sum = n * 3
  if (sum >= 30) sum = sum - 5
  else sum = sum + 1
  known.set(n, sum)
  return sum
}
const flat = (n) => n - 1
const result = () => [price(10), flat(1)]`
  const { mutants, source: all } = await switched(source, 'js', maxWhole)
  const ranWith = (program: string, replacement: string) => {
    let ran = 0
    const active = mutants.find(({ mutant }) => mutant.replacement === replacement)?.id ?? -1
    evaluate(program, { active, run: () => (ran += 1) })
    return ran
  }
  expect(['n / 3', 'sum < 30', 'sum + 5', 'n + 1'].map((code) => ranWith(all, code))).toEqual([1, 1, 1, 1])
  expect(ranWith(all, 'sum - 1')).toBe(0)
  const cached = `${all}\nknown.set(10, 25)`
  expect(['n / 3', 'sum < 30', 'sum + 5', 'n + 1'].map((code) => ranWith(cached, code))).toEqual([0, 0, 0, 1])
})
