import { expect, test } from 'vitest'
import { differences } from './testing.ts'

const programs: Record<string, string> = {
  'labels, break and continue': `
function find(rows, wanted) {
  let seen = 0
  rows: for (const row of rows) {
    for (const cell of row) {
      seen += 1
      if (cell < 0) continue rows
      if (cell > 90) { note(cell + 1); break rows }
      block: {
        if (cell === wanted) break block
        seen += cell > 5 ? 10 : 20
        continue
      }
      switch (cell % 3) {
        case 0: note(cell); continue rows
        case 1: break
        default: note(cell - 1)
      }
      if (seen > 60) break
    }
    note(row.length)
  }
  all: while (seen < 80) { do { if (seen++ > 30) break all; seen += 2 } while (seen < 70) }
  return [seen, notes.splice(0, 99)]
}
const notes = []
const note = (one) => { notes.push(one) }
const result = () => [find([[1, 2, -1, 4], [3, 4, 5], [6, 99, 7], [1]], 4), find([], 1), find([[7, 7], [4, 8]], 7)]`,
  'try, catch, finally and return': `
function attempt(n, log) {
  try {
    if (n > 3) throw new Error('large' + n)
    log.push(n + 1)
    return n * 2
  } catch ({ message, extra = n - 1 }) {
    var failed = message.length > 5
    log.push(message, extra)
    if (n === 9) return -1
  } finally {
    log.push(failed === true)
    if (n === 5) return 0
  }
  return n - 4
}
const result = () => [1, 4, 5, 9].map((n) => { const log = []; return [attempt(n, log), log] })`,
  'switches that fall through': `
function kind(n, m) {
  const said = []
  switch (n + m) {
    case m > 2 ? 3 : 1: said.push('low')
    case 2: let low = n * 2; said.push(low); break
    case 4: {
      let low = n - 1
      said.push(low > 1)
    }
    case 5: const high = (low = 7, m + 1); class Inner { size = n + high }; said.push(new Inner().size); break
    default:
      if (m < 0) return 'negative'
      function twice(x) { return x * 2 }
      said.push(twice(n) > 9)
  }
  return said
}
const result = () => [[0, 1], [0, 3], [1, 1], [2, 2], [3, 2], [4, -9], [9, 9]].map(([n, m]) => {
  try { return kind(n, m) } catch (error) { return error.name }
})`,
  'hoisted names': `
function hoisted(n) {
  later = n + 1
  if (n > 2) { var later = n * 2; function inBlock() { return later - 1 } }
  for (var i = 0, size = n + 1; i < size; i++) var last = i * 2
  for (var key in { a: 1, b: n > 1 }) last += key.length
  { function other() { return n > 3 } }
  const typed = typeof inBlock
  return [later, i, last, typed, other(), typed === 'function' ? inBlock() : after(n)]
  function after(x) { return x + 5 }
}
const result = () => [1, 2, 3, 4].map(hoisted)`,
  'closures in loops': `
function closures(n) {
  const all = []
  for (let i = n - 2; i < n + 2; i++) all.push(() => i * 2)
  for (const key in { a: 1, b: 2 }) { const one = key + n; all.push(() => one) }
  for (const [index, value = index + 1] of [[0], [1, 5]]) all.push((more = value - 1) => index + more)
  let k = 0
  while (k < n) { let own = k + 1; all.push(function () { return own > 1 ? own : k - n }); k += 1 }
  return all.map((one) => one())
}
const result = () => [closures(2), closures(4)]`,
  generators: `
function* numbers(n) {
  const sent = (yield n + 1) ?? n * 2
  for (const one of yield* inner(n - 1)) yield one > 2 ? one : -one
  if ((yield sent) > 3) return n
  try { yield sent + 1 } finally { yield n - 9 }
  function* inner(m) { while (m > 0) { yield m * 3; m -= 1 } return [m + 1, 5] }
}
function all(n, send) {
  const one = numbers(n), got = []
  for (let step = one.next(); !step.done && got.length < 20; step = one.next(send)) got.push(step.value)
  return got
}
const result = () => [all(1, 2), all(3, 7), all(2)]`,
  'asynchronous code': `
const later = async (n) => { await null; if (n === 7) throw new Error('seven'); return n }
async function sum(list) {
  let total = await later(1) + 1
  const [first = (await later(4)) * 3, ...rest] = list
  for await (const one of [later(first), ...rest]) {
    total += one > 3 ? await later(one - 1) : one
    if (await later(total > 30)) break
  }
  const more = async () => { if (total > 9) { await later(0); return total - 9 } return 1 }
  try { total += await later(list.length + 5) } catch (error) { total -= error.message.length }
  for (let i = await later(0); i < await later(2); i += await later(1)) total += i
  return [total, await more()]
}
async function* each(n) { for (let i = 0; i < n; i++) { if (i === 2) continue; yield later(i * 2) } }
const result = async () => {
  const got = []
  for await (const one of each(4)) got.push(one)
  return [await sum([]), await sum([5, 6, 2]), await sum([1, 2]), got]
}`,
  'destructuring declarations': `
function read(options, list) {
  const { a = 1 + 2, b: { c = a > 2 } = {}, ['d' + a]: d = list.length - 1, ...others } = options
  let [first = a * 2, [second] = [first + 1], , ...rest] = list
  var { length = rest.length > 0 } = rest, size = (length, first - 1);
  ({ first, second = size > 1 } = { first: first + 1 });
  [first, list[size > 9 ? 1 : 0]] = [list[0] === 4, first]
  const { [a - 2]: third } = list
  for (let { [a - 3]: i } = [1, 0], j = 3; i < j; i++) size += third ?? i
  return [a, c, d, others, first, second, rest, length, size, list]
}
const result = () => [read({}, []), read({ a: 5, d5: 2, e: 1 }, [7, [8], 9, 10]), read({ b: { c: 3 } }, [4])]`,
  'no semicolons': `
function plain(n) {
  'use strict'
  let a = n + 1
  var b = a > 2
  const c = [a, b]
  ;[a] = [a - 1]
  ;(function () { a = a * 2 })()
  if (a > 3) a--
  else ++a
  a
  ++b
  b
  do a += 1; while (a < 4) c.push(a > 4)
  for (;;) { if (a++ > 6) break } c.push(a)
  while (a > 3) a -= 2
  c.push(n)
  { c.push(a) } c.push(typeof b === 'number')
  if (n === 3) throw c
  if (n > 1) return
  c
  return c
}
function value(n) { return n > 1
  && n - 1 }
function nothing(n) { if (n > 1) return
  n - 1 }
const result = () => [0, 1, 2, 3].map((n) => { try { return [plain(n), value(n), nothing(n)] } catch (one) { return one } })`,
  'comments everywhere': `
function noted(n) { // first
  /* before */ if (/* in */ n > 1 /* after */ ) /* then */ n += 1 // line
  else n -= 1 // else
  const a = /* value */ n * 2 // last
  , b = ( // open
    n - 1 // inner
  ) // closed
  const c = n // left
    ?? 5
  if (c > 3) call(c) // third
  call(n // argument
  ) /* end */ // more
  return ( // why
    a > b // because
  ) // done
}
let calls = 0
const call = (n) => { calls += n /* sum */ } // called
const result = () => [noted(1), noted(2), noted(0), calls] // end`,
  'classes in functions': `
function classes(n) {
  const key = n > 1 ? 'big' : 'small'
  class Base {
    static total = n + 1
    static { let i = 0; while (i < n) { this.total += i * 2; i++ } if (n > 2) this.more = n - 1; else this.more = 0 }
    #own = n * 3;
    [key + n] = this.#own - 1
    handler = () => this.#own > 5
    constructor(m = n - 1) { this.m = m }
    get own() { return this.#own + this.m }
    set own(value) { this.#own = value + 1 }
    static make(m) { return new this(m > 1 ? m : undefined) }
  }
  return class extends (n > 2 ? Base : class extends Base { extra = n + 5 }) {
    constructor(m) { if (m > 4) m -= 1; super(m + 1); this.own = m * 2 }
    get own() { return super.own - 1 }
    set own(value) { super.own = value }
    all(...rest) { return [this.own, this.handler(), super.constructor.total, rest.length > 1, this[key + n], this.extra] }
  }
}
const result = () => [1, 2, 3].map((n) => { const One = classes(n); return [One.more, One.make(n).all(n), new One(6).all()] })`,
  'functions in wrapped statements': `
function outer(list, n) {
  if (list.length > 1) {
    list = list.map(function (one) {
      if (one > n) return one - n
      return [1, 2].reduce((sum, next) => { if (next > 1) sum += next * one; return sum }, n > 2 ? 1 : 0)
    }).filter((one) => one !== 3)
  }
  var late = n > 1 && function (m = n - 1) { while (m > 0) { n += m; m -= 1 } return n }
  const first = list.find((one) => { let is = one > 2; return is })
  return [list, first, late ? late() : late, (() => { if (n > 3) return n + 1; return 0 })()]
}
const result = () => [outer([1, 2, 3], 1), outer([4], 2), outer([5, 6, 1, 9], 4)]`,
  'names of functions': `
function names(n) {
  const f = () => n > 1, g = function () { return n - 1 }, H = class { size = n + 1 }
  let { k = () => n * 2, l = class {} } = {}
  var m = n > 1 ? () => 1 : () => 2
  const o = { p: () => n > 2, q() { return n - 2 } }
  let r
  r = () => n + 3
  const s = (n > 1, () => 4)
  class Fields { static t = () => n > 3; static u = class { [n - 1] = 2 }; static v = n > 1 ? () => 1 : 0; [n * 2] = n }
  const { w = class { static [n - 2] = 1 } } = {}, x = class { [n - 3]() {} }
  const all = [f, g, H, k, l, m, o.p, o.q, r, s, Fields.t, Fields.u, w, x]
  return [all.map((one) => one.name), [f, g, k, m, o.p, o.q, r, s, Fields.t].map((one) => one()), new H().size, Fields.v && 1, w, Object.keys(w), Object.getOwnPropertyNames(x.prototype), { ...new Fields(), ...new Fields.u() }]
}
const result = () => [names(1), names(2)]`,
  'this, arguments and directives': `
function own(a, b = a + 1) {
  const all = arguments.length > 1 ? [...arguments] : []
  const arrow = () => { if (this.size > 1) return this.size - 1; return arguments[0] }
  if (all.length > 1) { all.push(this.size + 1); (() => all.push(arguments.length * 2))() }
  this.set?.(a > 1)
  return [all, arrow(), new.target === undefined]
}
function sloppy(a) { if (a > 1) arguments[0] = a + 1; return [a, this === undefined] }
function strict(a) { 'use strict'; "another"; if (a > 1) arguments[0] = a + 1; return [a, this === undefined] }
const result = () => [own.call({ size: 1 }, 1), own.call({ size: 3, set(is) { this.is = is } }, 2, 5), sloppy(1), sloppy(2), strict(1), strict(2)]`,
  'chains and templates': `
function tag(parts, ...values) { return this === undefined || this === globalThis ? parts.length + values.length : this.n * 2 }
const holder = { n: 4, tag, deep: { get(n) { return this === holder.deep ? n + 1 : n - 1 } } }
function chains(one, n) {
  const got = one?.deep.get(n > 1 ? n : 0)
  one?.deep?.get?.(n - 1)
  if (one?.deep.get(n) > 2) one.tag\`a\${n + 1}b\`
  const text = tag\`x\${n > 2}y\${n - 1}\`, own = one.tag\`\${n * 2}\`
  delete one?.missing
  for (const part of \`\${n + 1}:\${got ?? n}\`.split(':')) if (part !== '') return [part, text, own, got, (one?.deep).get(n)]
}
const result = () => [chains(holder, 1), chains(holder, 3)]`,
  'statements without braces': `
function bare(n) {
  if (n > 5) if (n > 7) return 'seven'; else n += 1
  else if (n < 0) return 'below'
  else if (n === 3 || n === 4) for (let i = 0; i < 2; i++) if (i === 1) n += 2; else n -= 1
  else while (n < 2) n++
  for (var i = 0, j = n - 1; i < j; i += 1, j--) if (i > 1) continue; else n += i
  for (i = n > 3 ? 1 : 0; i < 3; i++);
  do if (n > 4) n -= 1; else break; while (n > 1)
  outer: for (const one of [n, n + 1]) for (const two of [1, 2]) if (one - two > 3) break outer; else n += two
  if (n > 6) ; else n = n * 2
  for (const one of [n, 2]) one > 3 - 1 ? n -= 1 : n += one
  while (n > 8) {n > 12 - 3 ? n -= 2 : n--}
  return n > 8 ? [n, i] : n
}
const result = () => [-1, 0, 1, 2, 3, 4, 6, 7, 8, 9].map(bare)`,
}

test.each(Object.entries(programs))('parts of functions do what their own source does: %s', async (_, source) => {
  const { found, count, missing, left } = await differences(source, 'js', 0)
  expect(found).toEqual([])
  expect(count).toBeGreaterThan(5)
  expect([missing, left]).toEqual([[], []])
  expect((await differences(source, 'js')).found).toEqual([])
})

const typed = `
type Row = readonly number[]
interface Options<T extends number = number> { limit?: T; named?(this: Options, n: number): boolean }
function typed<T extends Row>(rows: T[], { limit = 2 + 1 as number, named }: Options = {}): unknown[] {
  type Inner = { size: number }
  const found = [] as Array<Inner | undefined>
  let size = (rows.length > 1 ? rows.length : 0) satisfies number
  for (const row of rows as Iterable<Row>) {
    const first: number | undefined = row[0]!, big = first! > limit
    if (big as boolean) found.push({ size: (first as number) * 2 } satisfies Inner)
    else if (named?.call({ limit }, first! - 1)) found.push({ size: first! + 1 } as Inner)
    else size += (row satisfies Row).length
  }
  const pick = <U,>(one: U, at: number = size - 1): U | undefined => (at > limit ? undefined : one)
  abstract class Box<V> { declare kept: V; protected readonly own: number = size + 1; get(this: this): number { return this.own > 4 ? this.own : size } }
  class Sized extends Box<Inner> { constructor(public_: number) { super(); if (public_ > 1) (this as { extra?: number }).extra = public_ - 1 } }
  return [found, size, pick<number>(limit > 2 ? 1 : 0)!, new Sized(size).get(), new Sized(size)]
}
const named = ((n: number, m: number = n + 1): boolean => n > m) as (n: number) => boolean
const result = (): unknown => [named.name, named(1), typed([[1], [5, 6], [3]]), typed([[2]], { limit: 1, named: (n: number): boolean => n > 0 }), typed([[1], [2]], { limit: 5, named(n) { return n > 0 } })]`

test('parts of functions do what their own source does, with types', async () => {
  const { found, count, missing } = await differences(typed, 'ts', 0)
  expect(found).toEqual([])
  expect(count).toBeGreaterThan(20)
  expect(missing).toEqual([])
})
