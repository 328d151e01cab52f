import { expect, test } from 'vitest'
import { repository, type TestRepository } from '../graph/testing/repository.ts'
import { reachOf } from './testing/reach-of.ts'

/** Tells the file who calls what, as parsers that know it do. */
function withCallers(repo: TestRepository, path: string, callers: Record<string, string[]>): TestRepository {
  const facts = repo.files.find((file) => file.path === path)?.record?.facts
  for (const symbol of facts?.symbols ?? []) {
    symbol.references = (callers[symbol.name] ?? []).map((name) => facts?.references.indexOf(name) ?? -1)
  }
  return repo
}

test('estimates less coverage the farther a file is from the tests', async () => {
  const reach = reachOf(
    await repository({
      'src/both.ts': `import { near } from './near'\nexport function both() { near() }`,
      'src/named.ts': 'export function named() {}',
      'src/near.ts': `import { far } from './far'\nexport function near() { far() }`,
      'src/far.ts': 'export function far() {}',
      'src/lost.ts': 'export function lost() {}',
      'src/imported.ts': 'export function imported() {}',
      'test/both.test.ts': `import { both } from '../src/both'\nimport { imported } from '../src/imported'\ntest('x', () => { both(); imported() })`,
      'test/named.test.ts': `test('x', () => fetch('http://localhost'))`,
    }),
  )
  expect(reach.rung('src/both.ts')).toBe('named-and-imported')
  expect(reach.rung('src/named.ts')).toBe('named')
  expect(reach.rung('src/imported.ts')).toBe('imported')
  expect(reach.rung('src/near.ts')).toBe('near')
  expect(reach.rung('src/far.ts')).toBe('far')
  expect(reach.rung('src/lost.ts')).toBe('unreached')
  expect(reach.via('src/far.ts')).toBe('src/near.ts')
  expect(reach.via('src/both.ts')).toBeUndefined()
  expect(reach.nearest('src/far.ts')).toBe('test/both.test.ts')
})

test('what only serves the tests is half way to them, and types lead nowhere', async () => {
  const reach = reachOf(
    await repository({
      'src/server.ts': 'export function start() {}',
      'src/types.ts': 'export interface Options {}\nexport function defaults() {}',
      'tests/helpers/server.ts': `import { start } from '../../src/server'\nexport const run = () => start()`,
      'tests/app.test.ts': `import { run } from './helpers/server'\nimport type { Options } from '../src/types'\ntest('x', () => run())`,
    }),
  )
  expect(reach.rung('src/server.ts')).toBe('near')
  expect(reach.rung('src/types.ts')).toBe('unreached')
})

test('a file among the tests that declares tests is one, whatever it is called', async () => {
  const reach = reachOf(
    await repository({
      'lib/adapter.js': 'exports.send = () => 1',
      'test/specs/a.spec.js': `it('x', () => 1)`,
      'test/unit/http.js': `const { send } = require('../../lib/adapter')\ndescribe('http', () => it('sends', () => send()))`,
    }),
  )
  expect(reach.rung('lib/adapter.js')).toBe('imported')
  expect(reach.symbol('lib/adapter.js', 'send')).toMatchObject({ kind: 'called-by-test' })
})

test('tells symbols that a test calls from those it only loads', async () => {
  const reach = reachOf(
    await repository({
      'src/math.ts': `export function add(a) { return check(a) }
function check(a) { return a }
export function unused(a) { return a }
export class Counter { constructor(n) { this.n = n } up() { return 1 } down() { return 2 } }`,
      'src/math.test.ts': `import { add, Counter } from './math'
test('x', () => { add(1); new Counter(1).up() })`,
    }),
  )
  expect(reach.symbol('src/math.ts', 'add')).toMatchObject({ kind: 'called-by-test' })
  expect(reach.symbol('src/math.ts', 'Counter.up')).toMatchObject({ kind: 'called-by-test' })
  expect(reach.symbol('src/math.ts', 'Counter.constructor')).toMatchObject({ kind: 'called-by-test' })
  expect(reach.symbol('src/math.ts', 'Counter.down')).toEqual({ kind: 'never-called' })
  expect(reach.symbol('src/math.ts', 'unused')).toEqual({ kind: 'never-called' })
  expect(reach.symbol('src/math.ts', 'check')).toMatchObject({ kind: 'called-through' })
})

test('a function that a test hands over without calling it counts as called', async () => {
  const reach = reachOf(
    await repository({
      'src/slug.ts': 'export function slug(a) { return a }',
      'src/slug.test.ts': `import { slug } from './slug'\ntest.each(cases)('x', slug)`,
    }),
  )
  expect(reach.symbol('src/slug.ts', 'slug')).toMatchObject({ kind: 'called-by-test' })
})

test('follows calls from symbol to symbol where the parser says who calls', async () => {
  const repo = await repository({
    'src/api.ts': `import { load } from './store'
export function get() { return load() }
export function admin() { return purge() }
function purge() { return 1 }`,
    'src/store.ts': 'export function load() { return 1 }',
    'src/api.test.ts': `import { get } from './api'\ntest('x', () => get())`,
  })
  const reach = reachOf(withCallers(repo, 'src/api.ts', { get: ['load'], admin: ['purge'] }))
  expect(reach.symbol('src/store.ts', 'load')).toMatchObject({
    kind: 'called-through',
    via: { symbol: { name: 'get' } },
  })
  // Only the function that no test calls calls it.
  expect(reach.symbol('src/api.ts', 'purge')).toEqual({ kind: 'called-elsewhere' })
})

test('functions inside a function follow it', async () => {
  const repo = await repository({
    'src/plugin.ts': `export function plugin() {
  const seen = (a) => { if (a) return 1; return 2 }
  return { transform(code) { if (code) return seen(code); return 0 } }
}`,
    'src/plugin.test.ts': `import { plugin } from './plugin'\ntest('x', () => plugin())`,
  })
  const reach = reachOf(withCallers(repo, 'src/plugin.ts', { 'plugin.transform': ['seen'] }))
  expect(reach.symbol('src/plugin.ts', 'plugin.seen')).toMatchObject({ kind: 'inside', callback: true })
  expect(reach.symbol('src/plugin.ts', 'plugin.transform')).toMatchObject({ kind: 'inside', callback: false })
})

test('inline tests are tests of their own file', async () => {
  const reach = reachOf(
    await repository({
      'Cargo.toml': '[package]\nname = "x"',
      'src/lib.rs': `pub fn add(a: i32) -> i32 { a }
pub fn sub(a: i32) -> i32 { a }
#[cfg(test)]
mod tests { use super::*; #[test] fn adds() { assert_eq!(add(1), 1); } }`,
    }),
  )
  expect(reach.rung('src/lib.rs')).toBe('imported')
  expect(reach.symbol('src/lib.rs', 'add')).toMatchObject({ kind: 'called-by-test' })
  expect(reach.symbol('src/lib.rs', 'sub')).toEqual({ kind: 'never-called' })
})

test('members of a JavaScript class are used by their accessors, private names, and as values', async () => {
  const reach = reachOf(
    await repository({
      'src/queue.js': `export class Queue {
  get size() { return 1 }
  set limit(value) { this.x = value }
  add(job) { this.#next(); this.timer = setTimeout(this.#tick, 1); emitter.on('end', this.finish.bind(this)) }
  #next() { return [1] }
  #tick() { return [2] }
  finish() { return { by: describe } }
  unused() { return [4] }
}
function describe() { return [5] }
`,
      'test/queue.test.js': `import { Queue } from '../src/queue.js'\ntest('x', () => new Queue().add(1))`,
    }),
  )
  const kinds = Object.fromEntries(
    ['size', 'limit', 'add', '#next', '#tick', 'finish', 'unused'].map((name) => [
      name,
      reach.symbol('src/queue.js', `Queue.${name}`)?.kind,
    ]),
  )
  expect(kinds).toEqual({
    size: 'implicit',
    limit: 'implicit',
    add: 'called-by-test',
    '#next': 'called-through',
    '#tick': 'called-through',
    finish: 'called-through',
    unused: 'never-called',
  })
  expect(reach.symbol('src/queue.js', 'describe')?.kind).toBe('called-through')
})

test('members of a Python class are used as properties, operators and values, and decorated functions by their module', async () => {
  const reach = reachOf(
    await repository({
      'shop/cart.py': `class Cart:
    @property
    def total(self):
        return 1
    def __len__(self):
        return 2
    def add(self, item):
        self.hooks.append(self.check)
        return sorted([item], key=by_name)
    def check(self):
        return 3
    def unused(self):
        return 4

def by_name(item):
    return 5

@app.route("/")
def index():
    return 6

def lost():
    return 7
`,
      'tests/test_cart.py': 'from shop.cart import Cart\n\ndef test_add():\n    Cart().add(1)\n',
    }),
  )
  const kinds = Object.fromEntries(
    ['Cart.total', 'Cart.__len__', 'Cart.check', 'by_name', 'index', 'Cart.unused', 'lost'].map((name) => [
      name,
      reach.symbol('shop/cart.py', name)?.kind,
    ]),
  )
  expect(kinds).toEqual({
    'Cart.total': 'implicit',
    'Cart.__len__': 'implicit',
    'Cart.check': 'called-through',
    by_name: 'called-through',
    index: 'called-through',
    'Cart.unused': 'never-called',
    lost: 'never-called',
  })
})

test('methods of standard Go interfaces are used with their type', async () => {
  const reach = reachOf(
    await repository({
      'go.mod': 'module example.com/m\n',
      'id.go':
        'package m\n\ntype ID int\n\nfunc Parse(s string) ID { return ID(len(s)) }\n\nfunc (i ID) Next() ID { return i + 1 }\n\nfunc (i ID) String() string { return "x" }\n\nfunc (i ID) Lost() string { return "y" }\n',
      'id_test.go': 'package m\n\nimport "testing"\n\nfunc TestNext(t *testing.T) { Parse("a").Next() }\n',
    }),
  )
  expect(reach.symbol('id.go', 'ID.String')?.kind).toBe('implicit')
  expect(reach.symbol('id.go', 'ID.Lost')?.kind).toBe('never-called')
})

test('circles of calls and imports come to an end', async () => {
  const repo = await repository({
    'src/a.ts': `import { b } from './b'\nexport function a() { return b() }`,
    'src/b.ts': `import { a } from './a'\nexport function b() { return a() }`,
    'src/a.test.ts': `import { a } from './a'\ntest('x', () => a())`,
  })
  const reach = reachOf(withCallers(withCallers(repo, 'src/a.ts', { a: ['b'] }), 'src/b.ts', { b: ['a'] }))
  expect(reach.symbol('src/b.ts', 'b')).toMatchObject({ kind: 'called-through' })
})
