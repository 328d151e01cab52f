import { expect, test } from 'vitest'
import { testRunner } from '../../processes/testing/runner.ts'
import { readDependences } from './read-dependences.ts'

/** What the test depends on, where it covers every line of the other files. */
async function dependences(path: string, code: string, files: Record<string, string> = {}) {
  const measured = Object.entries(files).map(([name, text]) => {
    const lines = text.split('\n')
    const uncovered = lines.flatMap((line, index) => (line.includes('NOT RUN') ? [index + 1] : [])).join(',')
    return [name, { covered: `1-${lines.length}`, uncovered, branches: '' }] as const
  })
  const alone = { files: Object.fromEntries(measured.filter(([name]) => !name.endsWith('conftest.py'))) }
  const read = async (wanted: string) => files[wanted] ?? null
  const found = await readDependences(testRunner, {
    test: { path, code },
    alone,
    paths: [path, ...Object.keys(files)],
    read,
  })
  return found.map(({ kind, what, path: where, line }) => `${kind}: ${what} (${where}:${line})`)
}

const vitest = (body: string) => `import { expect, test } from 'vitest'\nimport { add } from './add.js'\n${body}\n`
const pytest = (body: string) => `import pytest\nfrom shop.add import add\n${body}\n`
const js = (body: string, source = 'export const add = (a, b) => a + b') =>
  dependences('src/add.test.js', vitest(body), { 'src/add.js': source })
const py = (body: string, source = 'def add(a, b):\n    return a + b') =>
  dependences('tests/test_add.py', pytest(body), { 'shop/add.py': source })

test('a test of code that only computes depends on nothing else', async () => {
  expect(
    await js(
      "test('adds', () => { const sums = []; sums.push(add(Math.max(1, 0), 2)); const at = new Date(0); expect(at.getTime() + Date.UTC(1970)).toBe(0); expect(sums).toEqual([3]) })",
    ),
  ).toEqual([])
  const counter =
    'export class Counter {\n  #n = 0\n  next() {\n    this.#n += 1\n    const all = [1].map((one) => this.#n + one)\n    return all\n  }\n}\nexport const add = () => new Counter().next()'
  expect(await js("test('adds', () => { expect(add()).toEqual([2]) })", counter)).toEqual([])
  const table =
    'const rates = { a: 1 }\nexport function add(a) {\n  const seen = new Map()\n  seen.set(a, rates[a])\n  return seen.get(a)\n}'
  expect(await js("test('adds', () => { expect(add('a')).toBe(1) })", table)).toEqual([])
  expect(await py('def test_adds():\n    sums = [add(1, 2)]\n    sums.append(3)\n    assert sums == [3, 3]')).toEqual(
    [],
  )
  const whole =
    'import re\nPATTERN = re.compile("a")\nRATES = {"a": 1}\n\nclass Cart:\n    def __init__(self):\n        self.items = []\n\n    def add(self, item):\n        self.items.append(RATES[item])\n\ndef add(a):\n    cart = Cart()\n    cart.add(a)\n    return cart.items'
  expect(await py('@pytest.mark.parametrize("a", ["a"])\ndef test_adds(a):\n    assert add(a) == [1]', whole)).toEqual(
    [],
  )
})

test.each([
  ["test('a', () => { expect(add(Date.now(), 1)).toBe(2) })", 'time: Date'],
  ["const now = Date['now']\ntest('a', () => { expect(now()).toBe(2) })", 'time: Date'],
  ["const { now } = Date\ntest('a', () => { expect(now()).toBe(2) })", 'time: Date'],
  ["test('a', () => { expect(Reflect.get(add, 'x')).toBe(2) })", 'unknown: Reflect'],
  ["const { random } = Math\ntest('a', () => {})", 'chance: Math'],
  ["test('a', () => { expect(Math['ran' + 'dom']()).toBe(2) })", 'chance: Math'],
  ["test('a', () => { (() => 1).constructor('return Date.now()')() })", 'unknown: constructor'],
  [
    "const table = { a: 1 }\nconst bump = (one) => { one.a += 1 }\ntest('a', () => bump(table))",
    'shared_state: assignment to one.a',
  ],
  [
    "const table = { a: 1 }\ntest('a', () => { const same = table; same.a += 1 })",
    'shared_state: assignment to same.a',
  ],
  ["test('a', () => { expect(add(new Date(), 1)).toBe(2) })", 'time: new Date()'],
  ["test('a', async () => { await new Promise((done) => setTimeout(done, 5)) })", 'time: setTimeout'],
  ["test('a', () => { expect(add(Math.random(), 1)).toBe(2) })", 'chance: Math'],
  ["test('a', async () => { await fetch('http://x') })", 'outside: fetch'],
  ["test('a', () => { expect(process.env.A).toBe(1) })", 'shared_state: process'],
  ["let count = 0\ntest('a', () => { expect(add(count, 1)).toBe(1) })", 'shared_state: `count`'],
  ["describe('x', () => { let count = 0; test('a', () => {}) })", 'shared_state: `count`'],
  ["const seen = []\ntest('a', () => {})", 'shared_state: `seen`'],
  ["const seen = [1]\ntest('a', () => { seen.push(2) })", 'shared_state: seen.push()'],
  ["test('a', () => { add.calls = 1 })", 'shared_state: assignment to add.calls'],
  ["test('a', () => { Array.prototype.last = 1 })", 'shared_state: assignment to Array.prototype.last'],
  ["test('a', () => { vi.useFakeTimers() })", 'shared_state: vi'],
  ["import { readFileSync } from 'node:fs'", 'unknown: node:fs'],
  ["import { other } from './other.js'", 'unknown: ./other.js'],
  ["const word = /a/g\ntest('a', () => { word.test('a') })", 'shared_state: `word`'],
  ['class Cart { static items = [] }', 'shared_state: a static field'],
  ['class Cart { static n; static next() { return this.n++ } }', 'shared_state: assignment to this'],
  ['export const counter = { n: 0, next() { return this.n++ } }', 'shared_state: assignment to this'],
  [
    'class Counter { #n = 0; next() { return this.#n++ } }\nexport default new Counter()',
    'shared_state: the default export',
  ],
  ["test('a', () => { const [d] = [Date]; d.now() })", 'time: Date'],
  ["test('a', () => { add({ valueOf: Math.random }, 1) })", 'chance: Math'],
])('JavaScript: %s', async (body, expected) => {
  expect((await js(body)).join('\n')).toContain(expected)
})

test.each([
  ['def test_a():\n    assert datetime.now()', 'time: now'],
  ['import random', 'unknown: random'],
  ['import time', 'unknown: time'],
  ['def test_a(tmp_path):\n    pass', 'outside: tmp_path'],
  ['def test_a():\n    assert list({"a", "b"}) == ["a", "b"]', 'chance: the order of a set'],
  ['seen = []\ndef test_a():\n    pass', 'shared_state: `seen`'],
  ['seen = [1]\ndef test_a():\n    seen.append(1)', 'shared_state: seen.append()'],
  ['def test_a():\n    global count\n    count = 1', 'shared_state: global count'],
  ['@pytest.fixture(scope="module")\ndef cart():\n    return 1', 'shared_state: a fixture that tests share'],
  ['class Cart:\n    items = []', 'shared_state: `items`'],
  ['def one(seen=[]):\n    return seen', 'shared_state: a default value'],
  ['TABLE = {"a": 1}\ndef test_a():\n    same = TABLE\n    same["a"] = 2', 'shared_state: assignment to same'],
  ['def bump(one):\n    one.append(1)', 'shared_state: one.append()'],
  ['def __getattr__(name):\n    return 1', 'unknown: __getattr__'],
  ['def test_a():\n    assert getattr(add, "x" + "y")', 'shared_state: getattr'],
  ['def test_a():\n    add.calls = 1', 'shared_state: assignment to add'],
  ['@lru_cache\ndef one():\n    return 1', 'shared_state: lru_cache'],
  ['def test_a(monkeypatch):\n    pass', 'shared_state: monkeypatch'],
  ['from shop.other import thing', 'unknown: shop.other'],
])('Python: %s', async (body, expected) => {
  expect((await py(body)).join('\n')).toContain(expected)
})

test('code counts where the test runs it, and fixtures count always', async () => {
  const clock = (mark: string) =>
    `export function add(a, b) {\n  return a + b\n}\nexport function now() {\n  return Date.now() // ${mark}\n}`
  const body = "test('adds', () => { expect(add(1, 2)).toBe(3) })"
  expect(await js(body, clock('NOT RUN'))).toEqual([])
  expect(await js(body, clock('run'))).toEqual(['time: Date (src/add.js:5)'])
  const files = { 'shop/add.py': 'def add(a, b):\n    return a + b', 'tests/conftest.py': 'import time' }
  expect(await dependences('tests/test_add.py', pytest('def test_a():\n    pass'), files)).toEqual([
    'unknown: time (tests/conftest.py:1)',
  ])
  expect(await dependences('src/add.test.js', 'import {', {})).toEqual([
    'unknown: a file that Assay cannot read (src/add.test.js:1)',
  ])
  expect(await dependences('add_test.go', 'package a', {})).toHaveLength(1)
})
