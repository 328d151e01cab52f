import { expect, test } from 'vitest'
import { repository } from '../graph/testing/repository.ts'
import { rankCandidates } from './rank-candidates.ts'
import { kindsOf } from './testing/reach-of.ts'

const history = { commits: 0, changes: new Map<string, number>(), recentChanges: new Map<string, number>() }
const queue = `export class Queue {
  add(a) { return [a] }
  close() { return [1] }
}
export function parse(a) { if (a) return [a]; return [2] }
export function listen(server) { if (server) return [server]; return [2] }
`

async function kindsInQueue(test: string) {
  const names = ['Queue.add', 'Queue.close', 'parse'].map((name) => `src/q.js ${name}`)
  const kinds = await kindsOf({ 'src/q.js': queue, 'test/q.test.js': test }, names)
  return Object.values(kinds)
}

test('a call of an equal name on a value of another module or of the language is no call of the symbol', async () => {
  const kinds = await kindsInQueue(`import http from 'node:http'
import { Queue } from '../src/q.js'
test('x', async () => {
  new Queue().add(1)
  const server = http.createServer()
  server.close()
  http.createServer().close()
  JSON.parse('1')
})`)
  expect(kinds).toEqual(['called-by-test', 'perhaps-called', 'called-elsewhere'])
})

test('names that a test imports and does not use are not called, and renamed ones are', async () => {
  expect(await kindsInQueue(`import { Queue, parse } from '../src/q.js'\njest.mock('../src/q.js')`)).toEqual([
    'never-called',
    'never-called',
    'never-called',
  ])
  const renamed = `import { Queue as Q, parse as read } from '../src/q.js'\ntest('x', () => { new Q().add(); read() })`
  expect(await kindsInQueue(renamed)).toEqual(['called-by-test', 'never-called', 'called-by-test'])
  const whole = `const q = require('../src/q.js')\ntest('x', () => { const a = new q.Queue(); a.add(); q.parse() })`
  expect(await kindsInQueue(whole)).toEqual(['called-by-test', 'never-called', 'called-by-test'])
})

test('receivers are followed through variables, properties, assignments and chains of calls', async () => {
  for (const line of [
    'const queue = await new Queue(); queue.close()',
    'let queue; beforeEach(() => { queue = new Queue() }); queue.close()',
    'this.queue = new Queue(); this.queue.close()',
    'new Queue().add(1).close()',
    'const { queue } = make(new Queue()); queue?.close()',
  ]) {
    const kinds = await kindsInQueue(
      `import { Queue, make } from '../src/q.js'\ntest('x', async function () { ${line} })`,
    )
    expect(kinds[1], line).toBe('called-by-test')
  }
})

test('a call on a value of unknown origin is likely meant where the test uses the type, and perhaps elsewhere', async () => {
  const body = (use: string) => `import { Queue, parse } from '../src/q.js'\ntest('x', (it) => { ${use}; it.close() })`
  expect((await kindsInQueue(body('new Queue()')))[1]).toBe('likely-called')
  expect((await kindsInQueue(body('parse(1)')))[1]).toBe('perhaps-called')
})

test('Python: receivers, renamed imports and parameters', async () => {
  const sources = {
    'shop/cart.py': `class Cart:
    def add(self, item):
        return [item]
    def close(self):
        return [1]
    def clear(self):
        return [1]
    def split(self):
        return [1]

def loads(text):
    return [text]

def total(items):
    return [items]
`,
    'tests/test_cart.py': `import json
from shop.cart import Cart, total as total_of

def test_add(tmp_path, cart):
    with Cart() as cart2:
        cart2.add(1)
    stream = tmp_path.open()
    stream.close()
    json.loads("1")
    "a b".split()
    total_of([])

class TestClear:
    def setup_method(self):
        self.cart = Cart()
    def test_clear(self):
        self.cart.clear()
`,
  }
  const names = ['Cart.add', 'Cart.close', 'Cart.clear', 'Cart.split', 'loads', 'total']
  const kinds = await kindsOf(
    sources,
    names.map((name) => `shop/cart.py ${name}`),
  )
  expect(Object.values(kinds)).toEqual([
    'called-by-test',
    'likely-called',
    'called-by-test',
    'called-elsewhere',
    'perhaps-called',
    'called-by-test',
  ])
})

test('the reason says no more than what was found', async () => {
  const { files, manifests } = await repository({
    'src/q.js': queue.replace('close() {', 'close() { if (this.a) return [2];'),
    'test/q.test.js': `import { Queue, listen } from '../src/q.js'\ntest('x', (it) => { new Queue(); it.close(); it.parse(); listen() })`,
  })
  const { candidates } = rankCandidates({ files, manifests, history, limits: { maxCandidates: 9 } })
  const said = Object.fromEntries(candidates.map(({ symbol, reasons, hasTest }) => [symbol, [reasons.at(-1), hasTest]]))
  expect(said).toEqual({
    'Queue.close': ['test/q.test.js uses Queue and calls something named close', false],
    listen: ['test/q.test.js calls it', true],
    parse: ['tests reach a call with this name, but Assay cannot tell whether it means this symbol', false],
  })
})
