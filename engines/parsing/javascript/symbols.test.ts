import { expect, test } from 'vitest'
import { complexityOf, factsOf, symbolsOf } from '../testing/facts.ts'

test('finds functions whatever they are bound to', async () => {
  const symbols = await symbolsOf(
    'ts',
    `export function declared() {}
export const arrow = (a = b || c) => a?.b, second = function () {}
const wrapped = memo(forwardRef((props) => props.a && props.b))
const api = { get() {}, nested: { deep: async () => {} }, [Symbol.iterator]() {} }
Queue.prototype.push = function () {}
app.handle = function handle(request) {
  return request || null
}
export { api }
export default () => {}`,
  )
  expect(symbols).toEqual([
    'function declared 1-1 complexity 1, exported',
    'function arrow 2-2 complexity 2, exported',
    'function second 2-2 complexity 1, exported',
    'function wrapped 3-3 complexity 2',
    'method api.get 4-4 complexity 1, exported',
    'method api.nested.deep 4-4 complexity 1, exported',
    'method api.[Symbol.iterator] 4-4 complexity 1, exported',
    'method Queue.push 5-5 complexity 1',
    'method app.handle 6-8 complexity 2',
    'function default 10-10 complexity 1, exported',
  ])
})

test('reads classes without their overloads, abstract methods and decorators', async () => {
  const symbols = await symbolsOf(
    'ts',
    `@Injectable()
// the session store
export class Store<T> extends Base(Mixin) implements Disposable {
  #secret = () => { if (a) return }
  field = async () => a && b
  plain = 1
  declare ambient: string
  constructor(private readonly db: Db = open()) { super() }
  find(id: string): T
  find(id: number): T
  find(id: unknown) { return id ? 1 : 2 }

  @Get('/x')
  async load() { return this.db.find(a ?? b) }
  protected reset() {}
  private clear() { for (;;) break }
  get size() { return 1 }
  set size(value) {}
  static { if (ready) start() }
}
export abstract class Shape { abstract area(): number; name() {} }
declare class Ambient { run(): void }
interface Contract { run(): void }
const Local = class Named { run() {} }`,
  )
  expect(symbols).toEqual([
    'class Store 3-20 complexity 2, exported',
    'method Store.#secret 4-4 complexity 2',
    'method Store.field 5-5 complexity 2, exported',
    'method Store.constructor 8-8 complexity 1, exported',
    'method Store.find 11-11 complexity 2, exported',
    'method Store.load 14-14 complexity 2, exported',
    'method Store.reset 15-15 complexity 1',
    'method Store.clear 16-16 complexity 2',
    'method Store.size 17-17 complexity 1, exported',
    'method Store.size 18-18 complexity 1, exported',
    'class Shape 21-21 complexity 1, exported',
    'method Shape.name 21-21 complexity 1, exported',
    'class Local 24-24 complexity 1',
    'method Local.run 24-24 complexity 1',
  ])
})

test('leaves ambient declarations and overloads of functions out', async () => {
  const symbols = await symbolsOf(
    'ts',
    `export function parse(text: string): Ast
export function parse(text: any) { return text }
declare function ambient(): void
declare module 'elsewhere' { function inside(): void }
declare global { function everywhere(): void }
namespace Outer.Inner { export function visible() {}; function hidden() {} }
export namespace Shown { export const run = () => {} }`,
  )
  expect(symbols).toEqual([
    'function parse 2-2 complexity 1, exported',
    'function Outer.Inner.visible 6-6 complexity 1',
    'function Outer.Inner.hidden 6-6 complexity 1',
    'function Shown.run 7-7 complexity 1, exported',
  ])
})

test('counts branches of anonymous callbacks to the function around them and of named ones to themselves', async () => {
  const complexity = await complexityOf(
    'tsx',
    `function outer(items) {
  const choose = (item) => (item ? 1 : 2)
  const trivial = () => 1
  function repeat() { while (busy) wait() }
  items.forEach((item) => { if (item) handle(item) })
  useEffect(function named() { if (ready) go() })
  return { kept() { return a && b }, dropped: () => 1 }
}`,
  )
  expect(complexity).toEqual({
    outer: 2,
    'outer.choose': 2,
    'outer.repeat': 2,
    'outer.named': 2,
    'outer.kept': 2,
  })
})

test('counts every branch of the language once', async () => {
  const body = (code: string) => complexityOf('tsx', `function f() { ${code} }`).then((found) => found['f'])
  expect(await body('if (a) b(); else if (c) d(); else e()')).toBe(3)
  expect(await body('for (;;) {} for (x of y) {} for (x in y) {} while (a) {} do {} while (b)')).toBe(6)
  expect(await body('switch (a) { case 1: case 2: b(); break; default: c() }')).toBe(3)
  expect(await body('try { a() } catch { b() } finally { c() }')).toBe(2)
  expect(await body('a && b || c ?? d; a &&= b; a ||= b; a ??= b; a += b')).toBe(7)
  expect(await body('return a ? b : c ? d : e')).toBe(3)
  expect(await body('return <p>{a && <b>{c ? d : e}</b>}</p>')).toBe(3)
  expect(await body('a?.b?.(); label: a()')).toBe(1)
})

test('counts statements to every symbol around them and not those that do nothing', async () => {
  const { symbols } = await factsOf(
    'ts',
    `class Box {
  open() {
    'use strict'
    const [a, b] = this.parts
    if (a) return b
    function inner() { throw a }
    type Unused = string
  }
  close = () => this.lid.shut()
  empty() {}
}`,
  )
  const statements = Object.fromEntries(symbols.map((symbol) => [symbol.name, symbol.statements]))
  expect(statements).toEqual({ Box: 6, 'Box.open': 4, 'Box.close': 1, 'Box.empty': 0 })
})

test('reads CommonJS exports, with and without a name of their own', async () => {
  const source = `var app = exports = module.exports = function (options) { if (options) {} }
exports.named = function internalName() { return a || b }
exports.local = helper
module.exports.third = () => {}
function helper() {}
function hidden() {}
app.use = function use(fn) { return fn ? 1 : 2 }
if (late) return`
  expect(await symbolsOf('jsx', source)).toEqual([
    'function app 1-1 complexity 2, exported',
    'function named 2-2 complexity 2, exported',
    'function third 4-4 complexity 1, exported',
    'function helper 5-5 complexity 1, exported',
    'function hidden 6-6 complexity 1',
    'method app.use 7-7 complexity 2, exported',
  ])
  expect((await factsOf('jsx', source)).syntaxErrors).toBeUndefined()
})

test('reads objects that are exported as a whole', async () => {
  const symbols = await symbolsOf(
    'jsx',
    `module.exports = { first, renamed: second, inline() { if (a) b() }, arrow: () => 1 }
function first() {}
function second() {}
function third() {}`,
  )
  expect(symbols).toEqual([
    'function inline 1-1 complexity 2, exported',
    'function arrow 1-1 complexity 1, exported',
    'function first 2-2 complexity 1, exported',
    'function second 3-3 complexity 1, exported',
    'function third 4-4 complexity 1',
  ])
})

test('names methods set on this and on prototypes as a whole', async () => {
  const symbols = await symbolsOf(
    'jsx',
    `function Counter() {
  this.next = function () { if (a) b() }
  socket.onclose = function () { if (a) b() }
}
Counter.prototype = { reset: function () {}, stop() {} }`,
  )
  expect(symbols).toEqual([
    'function Counter 1-4 complexity 2',
    'method Counter.next 2-2 complexity 2',
    'method Counter.reset 5-5 complexity 1',
    'method Counter.stop 5-5 complexity 1',
  ])
})

test('keeps lines right in scripts of components', async () => {
  const component = `<template>
  <p v-if="a">{{ a }}</p>
</template>

<script setup lang="ts">
import { ref } from 'vue'
function toggle(value: boolean) {
  return value ? 1 : 2
}
</script>
<script lang="ts">
export const shared = () => {}
</script>
<style>p { color: red }</style>`
  expect(await symbolsOf('component', component)).toEqual([
    'function toggle 7-9 complexity 2',
    'function shared 12-12 complexity 1, exported',
  ])
  const facts = await factsOf('component', component)
  expect(facts.imports).toEqual([{ specifier: 'vue', names: ['ref'] }])
  expect(facts.exports.map((fact) => fact.name)).toEqual(['shared', 'default'])
  expect((await factsOf('component', '<template><p /></template>')).exports).toEqual([{ name: 'default' }])
})

test('reads Flow annotations and says when a file is broken', async () => {
  expect(await symbolsOf('jsx', '// @flow\nfunction f(a: Props): number { return 1 }')).toEqual([
    'function f 2-2 complexity 1',
  ])
  const broken = await factsOf('ts', 'export function a() {}\nfunction b( {\nfunction c() {}')
  expect(broken).toMatchObject({ symbols: [], syntaxErrors: true })
})

test('reads files that start with a byte order mark', async () => {
  expect(await symbolsOf('jsx', '\uFEFF#!/usr/bin/env node\nfunction run() {}')).toEqual([
    'function run 2-2 complexity 1',
  ])
})
