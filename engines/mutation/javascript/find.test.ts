import { expect, test } from 'vitest'
import { mutantsIn } from '../testing.ts'

test.each<[source: string, mutants: string[]]>([
  // Conditions
  ['if (ready) go()', ['condition: ready -> !ready', 'removed_call: go() -> ;']],
  ['if (!ready) x = 1', ['condition: !ready -> ready']],
  ['if (a === b) x = 1', ['condition: a === b -> a !== b']],
  ['if (!(a == b)) x = 1', ['condition: a == b -> a != b']],
  ['if (a && !b) x = 1', ['condition: a -> !a', 'condition: a && !b -> a || !b', 'condition: !b -> b']],
  [
    'if (!(a || b)) x = 1',
    ['condition: !(a || b) -> (a || b)', 'condition: a -> !a', 'condition: a || b -> a && b', 'condition: b -> !b'],
  ],
  ['x = a ?? 1', ['condition: a ?? 1 -> a']],
  ['x = ok ? 1 : 2', ['condition: ok -> !ok']],
  ['const open = !closed', ['condition: !closed -> !!closed']],
  ['const strict = true', ['condition: true -> false']],
  ['if (a instanceof B) x = 1', ['condition: a instanceof B -> !(a instanceof B)']],
  ['if ((m = next())) x = 1', ['condition: m = next() -> !(m = next())']],
  ['x = items.filter((item) => item.open)', ['condition: item.open -> !item.open']],
  // Boundaries
  ['if (a < b) x = 1', ['condition: a < b -> a >= b', 'boundary: a < b -> a <= b']],
  ['const old = age >= limit', ['condition: age >= limit -> age < limit', 'boundary: age >= limit -> age > limit']],
  ['if (n === 1) x = 1', ['condition: n === 1 -> n !== 1', 'boundary: 1 -> 2']],
  ['if (n % 2 === 0) x = 1', ['arithmetic: n % 2 -> n * 2', 'condition: n % 2 === 0 -> n % 2 !== 0']],
  ['x = s.slice(1, -1)', ['boundary: 1 -> 0', 'boundary: -1 -> -2']],
  // A larger of two is the same whichever is taken of two equal ones.
  ['x = a > b ? a : b', ['condition: a > b -> a <= b']],
  ['if (a > most) most = a', ['condition: a > most -> a <= most']],
  [
    'function clamp(v, lo, hi) { if (v < lo) return lo; if (v > hi) { return hi } return v }',
    [
      'condition: v < lo -> v >= lo',
      'return: lo -> null',
      'condition: v > hi -> v <= hi',
      'return: hi -> null',
      'return: v -> null',
    ],
  ],
  [
    'function fib(n) { if (n < 2) return n; return n - 1 }',
    ['condition: n < 2 -> n >= 2', 'boundary: n < 2 -> n <= 2', 'return: n -> null', 'arithmetic: n - 1 -> n + 1'],
  ],
  // Arithmetic
  ['x = a + b * 2', ['arithmetic: a + b * 2 -> a - b * 2', 'arithmetic: b * 2 -> b / 2']],
  ['x = a % b ** c', ['arithmetic: a % b ** c -> a * b ** c', 'arithmetic: b ** c -> b * c']],
  ['x = a << 2', ['arithmetic: a << 2 -> a >> 2']],
  ['count++', ['arithmetic: count++ -> count--']],
  ['total += price', ['arithmetic: total += price -> total -= price']],
  ['x = a+-b', ['arithmetic: a+-b -> a- -b']],
  // Returned values
  ['function f() { return 7 }', ['return: 7 -> 8']],
  ['function f() { return -1 }', ['return: -1 -> 0']],
  ['function f() { return true }', ['return: true -> false']],
  ['function f() { return "a" }', ['return: "a" -> ""']],
  ["function f() { return '' }", ["return: '' -> 'mutant'"]],
  ['function f() { return [a] }', ['return: [a] -> []']],
  ['function f() { return [] }', ['return: [] -> [null]']],
  ['function f() { return { a } }', ['return: { a } -> {}']],
  ['function f() { return g() }', ['return: g() -> null']],
  ['function f() { return new Map(pairs) }', ['return: new Map(pairs) -> new Map()']],
  ['function f() { return a.includes(b) }', ['return: a.includes(b) -> !a.includes(b)']],
  ['function f() { return a.trim() }', ["return: a.trim() -> ''"]],
  ['function f() { return a.length }', ['return: a.length -> a.length + 1']],
  ['function f() { return a - b }', ['arithmetic: a - b -> a + b']],
  ['const f = (a) => a.id', ['return: a.id -> null']],
  ['const f = () => ({ a: 1 })', ['return: { a: 1 } -> {}']],
  // Removed calls
  ['list.push(x)', ['removed_call: list.push(x) -> ;']],
  ['async function f() { await save(x); }', ['removed_call: await save(x); -> ;']],
  ['if (a) b()\nelse c()', ['condition: a -> !a', 'removed_call: b() -> ;', 'removed_call: c() -> ;']],
  // Removed errors
  ['throw new Error(`${a - b}`)', ['removed_throw: throw new Error(`${a - b}`) -> ;']],
  ['if (a) throw new E(); else b = 1', ['condition: a -> !a', 'removed_throw: throw new E(); -> ;']],
  ['for (;;) { if (a) throw new E() }', ['condition: a -> !a']],
  // Loops end
  ['while (node) node = node.next', ['condition: node -> false']],
  [
    'for (let i = 0; i < n; i++) f(i)',
    ['boundary: 0 -> 1', 'condition: i < n -> false', 'boundary: i < n -> i <= n', 'removed_call: f(i) -> ;'],
  ],
  ['while (lo < hi) lo = middle + 1', ['condition: lo < hi -> false']],
  ['while (queue.length > 0) { queue.pop() }', ['condition: queue.length > 0 -> false']],
])('%s', async (source, mutants) => {
  expect((await mutantsIn('a.js', source)).map((mutant) => mutant.replace(/^\d+ /, ''))).toEqual(mutants)
})

test.each([
  "import a from 'b'",
  "'use strict'",
  "const a = require('b')",
  'console.log(a + b, a < b)',
  'this.logger.debug(`${a - b}`)',
  "x = 'a < b && c'",
  '// if (a < b) return true',
  "x = name + ': ' + value + 1",
  "let out = ''\nout += part",
  'class A extends B { constructor() { super(a) } }',
  'clearTimeout(timer)',
  'if (process.env.NODE_ENV) {}',
  'x = Date.now() - started',
  'x = a * 1 + 0',
  'for (;;) { count++; turn() }',
  "Object.defineProperty(exports, '__esModule', { value: true })\nObject.freeze(o)",
  'new Promise((resolve) => { resolve() })',
  'function f() { return }\nfunction g() { return null }\nfunction h() { return undefined }',
  'const f = () => () => {}',
])('%s has none', async (source) => {
  expect(await mutantsIn('a.js', source)).toEqual([])
})

test('goes by the types that are declared', async () => {
  const source = `
function a(x: X): number { return x.y }
function b(x: X): boolean | undefined { return x.y }
async function c(x: X): Promise<string> { return x.y }
async function d(x: X): Promise<boolean> { return x.y() }
function e(x: X): readonly string[] { return x.y }
function f(x: X): Promise<X> { return x.y }
function g(x: X): void { return x.y() }
function h(x: X): x is Y { return x.y }
function i(a: string, b: string): string { return a + b }
interface Named { first: string }
const j = (x: Named) => x.first + x.last`
  expect(await mutantsIn('a.ts', source)).toEqual([
    '2 return: x.y -> x.y + 1',
    '3 return: x.y -> !x.y',
    "4 return: x.y -> ''",
    '5 return: x.y() -> !(await x.y())',
    '6 return: x.y -> []',
    '7 return: x.y -> Promise.resolve(null)',
    '9 return: x.y -> !x.y',
    "10 return: a + b -> ''",
    "12 return: x.first + x.last -> ''",
  ])
})

test('leaves alone what is there for the compiler', async () => {
  const source = `
import type { A } from './a.ts'
type B = true | false
interface C { a: 1 | 2 }
enum D { One = 1 << 0 }
declare const e: boolean
abstract class F { @decorate({ a: true }) abstract g(): void }
declare module 'h' { const i: 1 }`
  expect(await mutantsIn('a.ts', source)).toEqual([])
})

test('reads components, but for the keys of their lists', async () => {
  const source = `
export const List = ({ items }) => items.length > 0 && (
  <ul>{items.map((item, i) => <li key={i + 1} hidden={!item.open}>{item.name}</li>)}</ul>
)`
  expect(await mutantsIn('a.jsx', source)).toEqual([
    '2 condition: items.length > 0 -> items.length <= 0',
    '2 boundary: items.length > 0 -> items.length >= 0',
    '2 condition: && -> ||',
    '3 return: <li key={i + 1} hidden={!item.open}>{item.name}</li> -> null',
    '3 condition: !item.open -> !!item.open',
  ])
})

test('finds operators behind parentheses and comments', async () => {
  expect(await mutantsIn('a.js', 'x = (a) /* < */ < // >\n (b)')).toEqual([
    '1 condition: < -> >=',
    '1 boundary: < -> <=',
  ])
})

test('keeps words of minified code apart', async () => {
  expect(await mutantsIn('a.js', 'function f(a){return-1}\nfunction g(a){return!a?b:c}')).toEqual([
    '1 return: -1 ->  0',
    '2 condition: !a ->  a',
  ])
})

test('changes the lines that were asked for', async () => {
  const source = 'x = a + b\ny = a - b\nz = a * b'
  expect(await mutantsIn('a.js', source, [[2, 2]])).toEqual(['2 arithmetic: a - b -> a + b'])
  expect(await mutantsIn('a.js', source, [])).toEqual([])
})
