import { expect, test } from 'vitest'
import { complexityOf, factsOf, symbolsOf } from '../testing/facts.ts'

test('reads functions, methods and classes without their decorators', async () => {
  const symbols = await symbolsOf(
    'python',
    `@app.route('/')
@cached
async def index(request):
    """Shows the start page."""
    return render()

def _private(): pass

double = lambda x: x * 2

class Store(Base, metaclass=Meta):
    @property
    def size(self): return self._size
    def __enter__(self): ...
    def _close(self):
        raise NotImplementedError

    class Inner:
        def run(self): pass
`,
  )
  expect(symbols).toEqual([
    'function index 3-5 complexity 1, exported',
    'function _private 7-7 complexity 1',
    'function double 9-9 complexity 1, exported',
    'class Store 11-19 complexity 1, exported',
    'method Store.size 13-13 complexity 1, exported',
    'method Store.__enter__ 14-14 complexity 1, exported',
    'method Store._close 15-16 complexity 1',
    'class Store.Inner 18-19 complexity 1, exported',
    'method Store.Inner.run 19-19 complexity 1, exported',
  ])
})

test('counts every branch of the language once', async () => {
  const body = (code: string) =>
    complexityOf('python', `def f():\n${code.replace(/^/gm, '  ')}\n`).then((found) => found['f'])
  expect(await body('if a: b()\nelif c: d()\nelse: e()')).toBe(3)
  expect(await body('for x in y: pass\nelse: pass\nwhile a: pass')).toBe(3)
  expect(await body('x = [i for i in a if i and b or c]')).toBe(5)
  expect(await body('try: a()\nexcept A: b()\nexcept (B, C) as e: c()\nelse: d()\nfinally: e()')).toBe(3)
  expect(await body('match a:\n  case 1 if b: pass\n  case [x, y] | {"k": z}: pass\n  case _: pass')).toBe(4)
  expect(await body('return a if b else c')).toBe(2)
  expect(await body('items.sort(key=lambda i: i.a and i.b)')).toBe(2)
  expect(await body('with a as b: assert a')).toBe(1)
})

test('keeps nested functions to themselves when they branch and drops them when they do not', async () => {
  const complexity = await complexityOf(
    'python',
    `def decorator(fn):
    def wrapper(*args):
        if args: return fn()
    def plain(): return 1
    choose = lambda a: 1 if a else 2
    return wrapper
`,
  )
  expect(complexity).toEqual({ decorator: 1, 'decorator.wrapper': 2, 'decorator.choose': 2 })
})

test('does not count doc strings, ellipses and pass as statements', async () => {
  const { symbols } = await factsOf(
    'python',
    `class Protocol:
    """What it is for."""
    def stub(self) -> int: ...
    def empty(self):
        """Nothing."""
        pass
    def full(self):
        """Something."""
        x = 1
        if x:
            return x
`,
  )
  const statements = Object.fromEntries(symbols.map((symbol) => [symbol.name, symbol.statements]))
  expect(statements).toEqual({ Protocol: 3, 'Protocol.stub': 0, 'Protocol.empty': 0, 'Protocol.full': 3 })
})

test('keeps the dots of relative imports and knows imports that only types use', async () => {
  const { imports, exports } = await factsOf(
    'python',
    `import os.path, sys as system
from . import a, b as c
from ..x.y import (
    d,
    e as f,
)
from z import *
if typing.TYPE_CHECKING:
    from q import T
def later():
    from lazy import thing
    return importlib.import_module("plugins.one")
LIMIT = 1
_internal = 2
`,
  )
  expect(imports).toEqual([
    { specifier: 'os.path', names: ['*'] },
    { specifier: 'sys', names: ['*'] },
    { specifier: '.', names: ['a', 'b'], locals: ['a', 'c'] },
    { specifier: '..x.y', names: ['d', 'e'], locals: ['d', 'f'] },
    { specifier: 'z', names: ['*'] },
    { specifier: 'q', names: ['T'], typeOnly: true },
    { specifier: 'lazy', names: ['thing'], within: 'later' },
    { specifier: 'plugins.one', names: ['*'] },
  ])
  expect(exports).toEqual([
    { name: 'a', from: '.' },
    { name: 'c', local: 'b', from: '.' },
    { name: 'd', from: '..x.y' },
    { name: 'f', local: 'e', from: '..x.y' },
    { name: '*', from: 'z' },
    { name: 'T', from: 'q' },
    { name: 'later' },
    { name: 'LIMIT' },
    { name: '_internal' },
  ])
})

test('refers to what is called, extended and decorated with', async () => {
  const { references } = await factsOf(
    'python',
    `@fixture
@pytest.mark
def f(): Store.open(parse(x)).close()
class A(Base, pkg.Other): pass
`,
  )
  expect(references.toSorted()).toEqual(['Base', 'Other', 'Store', 'close', 'fixture', 'mark', 'open', 'parse'])
})

test('reads what it can of a broken file and says so', async () => {
  const facts = await factsOf('python', 'def good():\n    return 1\n\ndef bad(:\n    retur (\n')
  expect(facts.syntaxErrors).toBe(true)
  expect(facts.symbols[0]).toMatchObject({ name: 'good', startLine: 1, endLine: 2 })
})

test('members of imported modules are used wherever they are written, and members of other values are not', async () => {
  const { references } = await factsOf(
    'python',
    `import unittest
import cachetools.func
import shapes as s

class CacheTest(unittest.TestCase):
    DECORATOR = staticmethod(cachetools.func.lru_cache)

def build(row):
    return [s.circle, row.width, make(key=cachetools.func.rr_cache)]
`,
  )
  expect(references).toEqual(expect.arrayContaining(['lru_cache', 'circle', 'rr_cache']))
  expect(references).not.toContain('width')
})
