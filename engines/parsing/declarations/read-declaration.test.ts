import { expect, test } from 'vitest'
import { describeFile } from '../description/describe-file.ts'
import type { SymbolDeclaration } from '../description/types.ts'
import type { Dialect } from '../dialects.ts'
import { nameByFile } from '../javascript/file-name.ts'
import { parseFile } from '../parse-file.ts'
import { factsOf } from '../testing/facts.ts'

const options = { timeoutMs: 5_000, checkNesting: true }

/** How the symbols of a file are called, by name: `signature | parameters | construct`. */
async function declarationsIn(dialect: Dialect, source: string): Promise<Record<string, string>> {
  const content = Buffer.from(source)
  const parsed = await parseFile(content, dialect, options)
  const symbols = 'facts' in parsed ? parsed.facts.symbols : []
  const described = await describeFile(content, dialect, symbols, options)
  const descriptions = 'symbols' in described ? described.symbols : []
  return Object.fromEntries(symbols.map(({ name }, index) => [name, asText(descriptions[index]?.declaration)]))
}

function asText(declaration: SymbolDeclaration | undefined): string {
  if (!declaration) return 'none'
  const { signature, parameters, construct, isDefault } = declaration
  const list = parameters?.map(
    ({ name, type, isOptional }) => `${name}${isOptional ? '?' : ''}${type ? `: ${type}` : ''}`,
  )
  return [signature, list?.join(', ') ?? '-', construct ?? '-', ...(isDefault ? ['default'] : [])].join(' | ')
}

test('TypeScript', async () => {
  const source = `
export default class Queue<T> extends Base {
  constructor(private readonly options: Options = {}, limit?: number) { super() }
  static of(a: string) { return a ? 1 : 2 }
  get size(): number { return this.x ? 1 : 2 }
  async add(fn: () => T, { id }: Partial<O> = {}, ...rest: string[]): Promise<T> { if (fn) return fn() }
  handler = (event: Event) => { if (event) return 1 }
}
export const parse = (text: string, opts?: { a: number }): number => ({ a: text ? 1 : 2 }).a
abstract class Shape { area(this: Shape, n = 1) { return n ? 1 : 2 } }
class Hidden { private constructor() {} run() { return this ? 1 : 2 } }
class Child extends Parent { run() { return this ? 1 : 2 } }
class Parent { constructor(name: string) { if (name) run() } }
class Far extends Elsewhere { run() { return this ? 1 : 2 } }
export const cached = memoize((key: string) => { return key ? 1 : 2 })
`
  expect(await declarationsIn('ts', source)).toMatchObject({
    Queue: 'class Queue<T> extends Base | options?: Options, limit?: number | new Queue(options, limit) | default',
    'Queue.of': 'static of(a: string) | a: string | - | default',
    'Queue.size': 'get size(): number |  | new Queue(options, limit) | default',
    'Queue.add':
      'async add(fn: () => T, { id }: Partial<O> = {}, ...rest: string[]): Promise<T> | fn: () => T, { id }?: Partial<O>, ...rest?: string[] | new Queue(options, limit) | default',
    'Queue.handler': 'handler = (event: Event) | event: Event | new Queue(options, limit) | default',
    parse: 'parse = (text: string, opts?: { a: number }): number | text: string, opts?: { a: number } | -',
    'Shape.area': 'area(this: Shape, n = 1) | n? | -',
    'Hidden.run': 'run() |  | -',
    'Child.run': 'run() |  | new Child(name)',
    'Far.run': 'run() |  | new Far(...)',
    cached: 'cached = memoize(…) | - | -',
  })
})

test('JavaScript with comments that give types', async () => {
  const source = `
/**
 * Adds.
 * @param {string} name
 * @param {object} [options] further ones
 */
exports.add = function (name, options) { if (name) return options }
class Cart { /** @param {number} count */ take(count) { if (count) return 1 } }
module.exports = Cart
`
  expect(await declarationsIn('js', source)).toMatchObject({
    add: 'exports.add = function (name, options) | name: string, options?: object | -',
    'Cart.take': 'take(count) | count: number | new Cart()',
  })
})

test('JavaScript whose module is a function without a name', async () => {
  const facts = nameByFile(
    await factsOf('js', 'var a = 1\nmodule.exports = function (text, options) { if (a) b() }'),
    'lib/to-text.js',
  )
  expect(facts.exports).toEqual([{ name: 'default', local: 'toText' }])
  const content = Buffer.from('var a = 1\nmodule.exports = function (text, options) { if (a) b() }')
  const described = await describeFile(content, 'js', facts.symbols, options)
  const [first] = 'symbols' in described ? described.symbols : []
  expect(asText(first?.declaration)).toBe('module.exports = function (text, options) | text, options | -')
})

test('Python', async () => {
  const source = `
@dataclass
class Point(Base):
    x: int
    y: int = 0
    @classmethod
    def of(cls, a): return a if a else None
    @staticmethod
    def zero(b=1): return b if b else None
    async def move(self, dx: int, dy=0, *args, name: str = "a", **kw) -> None:
        if dx: return

class Cart:
    def __init__(self, owner, *, limit=3):
        if owner: pass
    def add(self, item): return item if item else None

class Sub(Cart):
    def run(self): return 1 if self else 2
    @property
    def total(self): return 1 if self else 2
    @total.setter
    def total(self, value): self.x = 1 if value else 2
    @functools.cached_property
    def cached(self): return 1 if self else 2

def f(a, /, b): return a if a else b
`
  expect(await declarationsIn('python', source)).toMatchObject({
    Point: 'class Point(Base) | x: int, y?: int | Point(x, y)',
    'Point.of': 'def of(cls, a) | a | -',
    'Point.zero': 'def zero(b=1) | b? | -',
    'Point.move':
      'async def move(self, dx: int, dy=0, *args, name: str = "a", **kw) -> None | dx: int, dy?, *args?, name?: str, **kw? | Point(x, y)',
    'Cart.add': 'def add(self, item) | item | Cart(owner, limit=limit)',
    'Sub.run': 'def run(self) |  | Sub(owner, limit=limit)',
    'Sub.cached': '@functools.cached_property def cached(self) |  | Sub(owner, limit=limit)',
    'Sub.total': '@total.setter def total(self, value) | value | Sub(owner, limit=limit)',
    f: 'def f(a, /, b) | a, b | -',
  })
})

test('Go', async () => {
  const source = `package store
type Cache struct { a int }
type Bare struct{}
func NewCache(size int, opts ...Option) (*Cache, error) { if size > 0 { return nil, nil }; return nil, nil }
func (c *Cache) Get(key, other string) (string, bool) { if key == "" { return "", false }; return "", true }
func (b Bare) Run() int { if b.x { return 1 }; return 2 }
func (b *Bare) Set() int { if b.x { return 1 }; return 2 }
`
  expect(await declarationsIn('go', source)).toEqual({
    NewCache: 'func NewCache(size int, opts ...Option) (*Cache, error) | size: int, opts?: ...Option | -',
    'Cache.Get': 'func (c *Cache) Get(key, other string) (string, bool) | key: string, other: string | NewCache(size)',
    'Bare.Run': 'func (b Bare) Run() int |  | Bare{}',
    'Bare.Set': 'func (b *Bare) Set() int |  | &Bare{}',
  })
})

test('Java', async () => {
  const source = `package com.acme;
public class Cart<T> {
  public Cart(int size, String... names) { if (size > 0) {} }
  static int sum(List<String> a) { if (a == null) return 1; return 2; }
  void add(final Item item) throws E { if (item == null) return; }
}
record Pair(int a, String b) { int max() { return a > 1 ? a : 2; } }
`
  expect(await declarationsIn('java', source)).toMatchObject({
    'Cart.Cart': 'public Cart(int size, String... names) | size: int, names?: String... | new Cart(size)',
    'Cart.sum': 'static int sum(List<String> a) | a: List<String> | -',
    'Cart.add': 'void add(final Item item) throws E | item: Item | new Cart(size)',
    'Pair.max': 'int max() |  | new Pair(a, b)',
  })
})

test('Ruby', async () => {
  const source = `module Shop
  class Cart < Base
    def initialize(a, b = 1, *rest, key:, opt: 2, &block)
      a ? 1 : 2
    end
    def add(item, qty = 1)
      item ? 1 : 2
    end
    def self.of(x)
      x ? 1 : 2
    end
  end
end
`
  expect(await declarationsIn('ruby', source)).toMatchObject({
    'Shop.Cart.add': 'def add(item, qty = 1) | item, qty? | Shop::Cart.new(a, b, key: key, opt: opt)',
    'Shop.Cart.of': 'def self.of(x) | x | -',
  })
})

test('Rust', async () => {
  const source = `pub struct Cart { a: u32 }
impl Cart {
  pub fn new(size: usize) -> Self { if size > 0 { } Cart { a: 1 } }
  pub fn add<T>(&mut self, item: T, mut qty: Option<u32>) -> Result<(), E> where T: Copy { if true { } Ok(()) }
}
pub async fn run(a: &str) -> u32 { if a == "" { 1 } else { 2 } }
`
  expect(await declarationsIn('rust', source)).toEqual({
    'Cart.new': 'pub fn new(size: usize) -> Self | size: usize | -',
    'Cart.add':
      'pub fn add<T>(&mut self, item: T, mut qty: Option<u32>) -> Result<(), E> where T: Copy | item: T, qty: Option<u32> | Cart::new(size)',
    run: 'pub async fn run(a: &str) -> u32 | a: &str | -',
  })
})

test('PHP', async () => {
  const source = `<?php
final class Cart {
  public function __construct(private int $a, ?string $b = null) { if ($a) {} }
  public function add(Item $i, int ...$more): ?int { if ($i) return 1; return null; }
  public static function of($x) { if ($x) return 1; }
}
function helper(array $a = []): void { if ($a) return; }
`
  expect(await declarationsIn('php', source)).toMatchObject({
    'Cart.add': 'public function add(Item $i, int ...$more): ?int | $i: Item, $more?: ...int | new Cart($a, $b)',
    'Cart.of': 'public static function of($x) | $x | -',
    helper: 'function helper(array $a = []): void | $a?: array | -',
  })
})

test('C#', async () => {
  const source = `namespace Shop { public class Cart : IThing {
  public Cart(int size, string name = "a") { if (size > 0) {} }
  public static int Sum(List<int> a) { if (a == null) return 1; return 2; }
  public async Task<int> Add(Item item) { if (item == null) return 1; return 2; }
}
public class Plain : IThing { public int Run() { return 1 > 2 ? 1 : 2; } }
public record Pair(int A, string B); }
`
  expect(await declarationsIn('c-sharp', source)).toMatchObject({
    'Cart.Cart': 'public Cart(int size, string name = "a") | size: int, name?: string | new Cart(size, name)',
    'Cart.Sum': 'public static int Sum(List<int> a) | a: List<int> | -',
    'Cart.Add': 'public async Task<int> Add(Item item) | item: Item | new Cart(size, name)',
    'Plain.Run': 'public int Run() |  | new Plain()',
    Pair: 'public record Pair(int A, string B) | A: int, B: string | new Pair(A, B)',
  })
})

test('a hostile declaration stays short', async () => {
  const long = 'x'.repeat(50_000)
  const source = `export function f(${Array.from({ length: 500 }, (_, n) => `a${n}: '${long.slice(0, 90)}'`).join(', ')}) { return a0 ? 1 : 2 }`
  const { f = '' } = await declarationsIn('ts', source)
  expect(f.length).toBeLessThan(5_000)
})

test('what another function makes of a callback is not called with its parameters', async () => {
  const source = `export const defuFn = createDefu((object, key, currentValue) => { if (object) { return 1 } return key })
export const Row = memo(forwardRef((props) => { return props ? 1 : 2 }))
export const load = cached('load', async (id) => { return id ? 1 : 2 })
`
  const declarations = await declarationsIn('ts', source)
  expect(declarations['defuFn']).toBe('defuFn = createDefu(…) | - | -')
  expect(declarations['load']).toBe("load = cached('load', …) | - | -")
})

test('writes constructions that are valid calls', async () => {
  const script = `
class Cart { constructor(owner, { currency = 'EUR' }, ...tags) { if (owner) run() } }
class Box { constructor([a, b], { c } = {}, d = 1) { if (a) run() } }
`
  expect(await declarationsIn('js', script)).toMatchObject({
    Cart: expect.stringMatching(/ \| new Cart\(owner, options\)$/),
    Box: expect.stringMatching(/ \| new Box\(options, options2, d\)$/),
  })
  const python = `
class Shelf:
    def __init__(self, name, *books: str, size=3): pass
class Rack:
    def __init__(self, name, /, depth, *, size, label: str = "", **more): pass
`
  expect(await declarationsIn('python', python)).toMatchObject({
    Shelf: expect.stringMatching(/ \| Shelf\(name, size=size\)$/),
    Rack: expect.stringMatching(/ \| Rack\(name, depth, size=size, label=label\)$/),
  })
})
