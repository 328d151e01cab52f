import { expect, test } from 'vitest'
import { kindsOf } from './testing/reach-of.ts'

/** Checks the kinds of the symbols, in the form `path name`: kind. */
async function expectKinds(sources: Record<string, string>, expected: Record<string, string>) {
  expect(await kindsOf(sources, Object.keys(expected))).toEqual(expected)
}

const called = 'called-by-test'
const through = 'called-through'
const never = 'never-called'
const perhaps = 'perhaps-called'
const computed = 'computed'

test('names that come through barrels, built files and the main file of a package are called by the test', async () => {
  const sources = {
    'package.json': `{ "name": "kit", "main": "./dist/index.cjs", "module": "dist/index.mjs", "types": "dist/index.d.ts",
      "exports": { ".": { "types": "./dist/index.d.ts", "import": "./dist/index.mjs" }, "./tools": "./dist/tools.mjs" } }`,
    'src/index.ts': `export * from './parse'\nexport { print as write } from './print'\nexport { default as Engine } from './engine'`,
    'src/parse.ts': 'export function parse(a) { return [a] }\nexport function lost(a) { return [a] }',
    'src/print.ts': 'export function print(a) { return [a] }',
    'src/engine.ts': 'export default class Engine { run(a) { return [a] } }',
    'src/tools.ts': 'export const trim = (a) => [a]',
    'src/dates.ts': 'export function day(a) { return [a] }',
    'test/by-name.test.ts': `import { parse, Engine } from 'kit'\nimport { trim } from 'kit/tools'\ntest('x', () => { parse(1); new Engine().run(); trim(1) })`,
    'test/by-folder.test.js': `const kit = require('..')\ntest('x', () => kit.write(1))`,
    'test/built.test.js': `import { day } from '../dist/dates.js'\ntest('x', () => day(1))`,
  }
  await expectKinds(sources, {
    'src/parse.ts parse': called,
    'src/parse.ts lost': never,
    'src/print.ts print': called,
    'src/engine.ts Engine.run': called,
    'src/tools.ts trim': called,
    'src/dates.ts day': called,
  })
})

test('require of a directory means its index.js or the main file of its package.json', async () => {
  const sources = {
    'lib/store/index.js': `exports.open = function open(a) { return [a] }`,
    'lib/cache/package.json': '{ "main": "./memory.js" }',
    'lib/cache/memory.js': `module.exports = { get: function (a) { return [a] }, drop(a) { return [a] } }`,
    'test/a.test.js': `const { open } = require('../lib/store')\nconst cache = require('../lib/cache/')\ntest('x', () => { open(1); cache.get(1) })`,
  }
  await expectKinds(sources, {
    'lib/store/index.js open': called,
    'lib/cache/memory.js get': called,
    'lib/cache/memory.js drop': never,
  })
})

test('class fields, computed members and functions that are handed over run with what names them', async () => {
  const sources = {
    'src/panel.js': `const handlers = { add(a) { return [a] }, remove: (a) => { return [a] } }
const unused = { never(a) { return [a] } }
export class Panel {
  static registry = new Map()
  onClick = () => { return [this.state] }
  onKey = async (event) => { return [event] }
  open() { listen(this.onClick); listen('key', this.onKey) }
  on(type, payload) { return handlers[type](payload) }
  visit(node) { return this['visit' + node.type](node) }
  visitText(node) { return [node] }
  visitList(node) { return [node] }
  lost(node) { return [node] }
}
export class Calls {
  run(name) { return this[name]() }
  start() { return [1] }
}
defineGetter(Panel.prototype, 'size', function size() { return [1] })
`,
    'test/panel.test.js': `import { Panel, Calls } from '../src/panel.js'\ntest('x', () => { new Panel().open(); new Panel().on('add'); new Panel().visit({}); new Calls().run('x') })`,
  }
  await expectKinds(sources, {
    'src/panel.js Panel.onClick': through,
    'src/panel.js Panel.onKey': through,
    'src/panel.js handlers.add': computed,
    'src/panel.js handlers.remove': computed,
    'src/panel.js unused.never': never,
    'src/panel.js Panel.visitText': computed,
    'src/panel.js Panel.visitList': computed,
    'src/panel.js Panel.lost': never,
    'src/panel.js Calls.start': computed,
    'src/panel.js size': through,
  })
})

test('what a file loads by a computed path in one folder may be loaded', async () => {
  const sources = {
    'src/app.js': `module.exports = function app(name) { return require('./plugins/' + name)() }`,
    'src/plugins/zip.js': 'module.exports = function zip(a) { return [a] }',
    'src/lazy.mjs': 'export const load = (name) => import(`./pages/${name}.mjs`)',
    'src/pages/home.mjs': 'export function home(a) { return [a] }',
    'src/other/lost.js': 'exports.lost = (a) => [a]',
    'test/app.test.js': `const app = require('../src/app')\ntest('x', () => app('zip'))`,
    'test/lazy.test.mjs': `import { load } from '../src/lazy.mjs'\ntest('x', () => load('home'))`,
  }
  const { repository } = await import('../graph/testing/repository.ts')
  const { reachOf } = await import('./testing/reach-of.ts')
  const reach = reachOf(await repository(sources))
  expect(reach.rung('src/plugins/zip.js')).not.toBe('unreached')
  expect(reach.rung('src/pages/home.mjs')).not.toBe('unreached')
  expect(reach.rung('src/other/lost.js')).toBe('unreached')
})

test('Python: package re-exports, getattr, overridden methods and mixins', async () => {
  const sources = {
    'shop/__init__.py': 'from .cart import Cart as Basket\nfrom .money import *\n',
    'shop/money.py': 'def to_cents(a):\n    b = a\n    return b\n\ndef lost(a):\n    b = a\n    return b\n',
    'shop/visitor.py': `class Visitor:
    def visit(self, node):
        return getattr(self, f"visit_{node.kind}", None)(node)
    def hook(self):
        return self.after()
`,
    'shop/cart.py': `from string import Formatter
from .visitor import Visitor
from .mixins import Named

class Cart(Visitor, Named):
    def visit_item(self, node):
        a = node
        return a
    def after(self):
        a = 1
        return a
    def lost(self):
        a = 1
        return a
    @staticmethod
    def make(a):
        b = a
        return b

class Template(Formatter):
    def get_field(self, a):
        b = a
        return b

class Commands:
    def run(self, name):
        return getattr(self, "do_" + name)()
    def do_list(self):
        a = 1
        return a

TABLE = {"x": Cart.make}
`,
    'shop/mixins.py': 'class Named:\n    def label(self):\n        a = 1\n        return a\n',
    'tests/test_shop.py': `import shop
from shop import to_cents

def test_all():
    basket = shop.Basket()
    basket.visit(1)
    basket.hook()
    basket.label()
    to_cents(1)

def test_more():
    from shop.cart import Template, Commands
    Template().format("x")
    Commands().run("list")
`,
  }
  await expectKinds(sources, {
    'shop/money.py to_cents': called,
    'shop/money.py lost': never,
    'shop/visitor.py Visitor.visit': perhaps,
    'shop/cart.py Cart.visit_item': computed,
    'shop/cart.py Cart.after': perhaps,
    'shop/cart.py Cart.lost': never,
    'shop/cart.py Cart.make': through,
    'shop/cart.py Template.get_field': 'implicit',
    'shop/cart.py Commands.do_list': computed,
    'shop/mixins.py Named.label': perhaps,
  })
})

test('Go: functions as values in a package of several files, embedded structs and interface methods', async () => {
  const sources = {
    'go.mod': 'module example.com/m\n',
    'lex.go': `package m

type state func() state

func Run(a string) string {
	step := lexText
	for i := 0; i < 3; i++ {
		step = step
	}
	use(helper)
	table := map[string]func(){"a": lexTable}
	_ = table
	_ = Options{Parse: parseOption}
	s := &server{}
	handle(s.serve)
	return join([]func() state{lexList})
}

func lexText() state {
	a := lexEnd
	return a
}

func lexList() state {
	a := 1
	return nil
}

func lexLost() state {
	a := 1
	return nil
}
`,
    'more.go': `package m

type server struct {
	base
}

type base struct{}

func (s *server) serve() int {
	a := 1
	return a
}

func (b base) Close2() int {
	a := 1
	return a
}

type Shape interface {
	Area() int
}

type square struct{}

func (s square) Area() int {
	a := 1
	return a
}

func Total(s Shape) int {
	return s.Area()
}

func lexEnd() state {
	a := 1
	return nil
}

func helper() int {
	a := 1
	return a
}

func lexTable() {
	a := 1
	use(a)
}

func parseOption() {
	a := 1
	use(a)
}
`,
    'lex_test.go': `package m

import "testing"

func TestRun(t *testing.T) {
	Run("a")
	s := server{}
	s.Close2()
	Total(square{})
}
`,
    'mw/real.go': 'package mw\n\nfunc Real(a int) int {\n\tb := a\n\treturn b\n}\n',
    'mw/real_test.go':
      'package mw_test\n\nimport (\n\t"testing"\n\t"example.com/m/mw"\n)\n\nfunc TestReal(t *testing.T) {\n\tuse(mw.Real)\n}\n',
  }
  await expectKinds(sources, {
    'lex.go lexText': through,
    'lex.go lexList': through,
    'lex.go lexLost': never,
    'more.go lexEnd': through,
    'more.go helper': through,
    'more.go lexTable': through,
    'more.go parseOption': through,
    'more.go server.serve': through,
    'more.go base.Close2': called,
    'more.go square.Area': through,
    'mw/real.go Real': called,
  })
})

test('Rust: pub use, methods of traits, and functions as values', async () => {
  const sources = {
    'Cargo.toml': '[package]\nname = "kit"',
    'src/lib.rs': 'mod shape;\nmod text;\npub use shape::{Square, area as surface};\npub use text::*;\n',
    'src/shape.rs': `pub struct Square(u8);
impl std::fmt::Display for Square {
    fn fmt(&self, f: &mut Formatter) -> Result { let a = 1; write!(f, "{}", a) }
}
impl Iterator for Square { type Item = u8; fn next(&mut self) -> Option<u8> { let a = 1; Some(a) } }
impl Drop for Square { fn drop(&mut self) { let a = 1; use_it(a); } }
impl Plugin for Square { fn on_load(&self) -> u8 { let a = 1; a } }
impl Square {
    pub fn new() -> Self { let a = 1; Square(a) }
    pub fn lost(&self) -> u8 { let a = 1; a }
    fn double(a: &u8) -> u8 { let b = 1; b }
    pub fn all(&self) -> Vec<u8> { vec().iter().map(Self::double).map(triple).collect() }
}
pub fn area(a: u8) -> u8 { let b = a; b }
fn triple(a: u8) -> u8 { let b = a; b }
pub trait Named { fn name(&self) -> String { let a = 1; a.to_string() } fn unused(&self) -> u8 { let a = 1; a } }
`,
    'src/text.rs': 'pub fn trim(a: u8) -> u8 { let b = a; b }\n',
    'tests/all.rs': `use kit::{Square, surface, trim};
#[test]
fn works() { let s = Square::new(); s.all(); s.name(); surface(1); trim(1); }
`,
  }
  await expectKinds(sources, {
    'src/shape.rs Square.fmt': 'implicit',
    'src/shape.rs Square.next': 'implicit',
    'src/shape.rs Square.drop': 'implicit',
    'src/shape.rs Square.on_load': 'implicit',
    'src/shape.rs Square.new': called,
    'src/shape.rs Square.lost': never,
    'src/shape.rs Square.double': through,
    'src/shape.rs area': called,
    'src/shape.rs triple': through,
    'src/shape.rs Named.name': called,
    'src/shape.rs Named.unused': never,
    'src/text.rs trim': called,
  })
})

test('Ruby: modules, symbols, send, and calls without parentheses', async () => {
  const sources = {
    'lib/shop.rb': "require 'shop/cart'\n",
    'lib/shop/named.rb': `module Shop
  module Named
    def label
      a = 1
      a + prefix
    end
    def prefix
      a = 1
      a
    end
    def self.included(base)
      a = 1
      a
    end
  end
end
`,
    'lib/shop/cart.rb': `require 'shop/named'
module Shop
  class Cart
    include Named
    before_save :check
    def add(item)
      total
      items.map(&method(:price))
      items.each(&:tax)
      public_send("on_#{item}")
    end
    def total
      a = 1
      a
    end
    def price(a)
      b = a
      b
    end
    def tax
      b = 1
      b
    end
    def check
      b = 1
      b
    end
    def on_add
      b = 1
      b
    end
    def each
      b = 1
      yield b
    end
    def to_s
      b = 1
      b.to_s
    end
    def lost
      b = 1
      b
    end
  end
end
`,
    'spec/cart_spec.rb':
      "require 'shop'\ndescribe Shop::Cart do\n  it 'adds' do\n    cart = Shop::Cart.new\n    cart.add(1)\n    cart.label\n  end\nend\n",
  }
  await expectKinds(sources, {
    'lib/shop/cart.rb Shop.Cart.add': called,
    'lib/shop/cart.rb Shop.Cart.total': through,
    'lib/shop/cart.rb Shop.Cart.price': through,
    'lib/shop/cart.rb Shop.Cart.tax': through,
    'lib/shop/cart.rb Shop.Cart.check': through,
    'lib/shop/cart.rb Shop.Cart.on_add': computed,
    'lib/shop/cart.rb Shop.Cart.each': through,
    'lib/shop/cart.rb Shop.Cart.to_s': 'implicit',
    'lib/shop/cart.rb Shop.Cart.lost': never,
    'lib/shop/named.rb Shop.Named.label': perhaps,
    'lib/shop/named.rb Shop.Named.prefix': through,
    'lib/shop/named.rb Shop.Named.included': 'implicit',
  })
})

test('PHP: traits, magic methods, callables and variable methods', async () => {
  const sources = {
    'composer.json': '{ "autoload": { "psr-4": { "Shop\\\\": "src/" } } }',
    'src/Cart.php': `<?php
namespace Shop;
class Cart implements \\Countable {
  use Named;
  public function add($item) {
    usort($this->items, [$this, 'compare']);
    array_map($this->price(...), $this->items);
    array_map('self::tax', $this->items);
    return $this->{'on' . $item}();
  }
  private function compare($a, $b) { $c = $a; return $c; }
  private function price($a) { $c = $a; return $c; }
  public function onAdd() { $c = 1; return $c; }
  public function count(): int { $c = 1; return $c; }
  public function __get($name) { $c = 1; return $c; }
  public function lost() { $c = 1; return $c; }
}
class Runner {
  public function run($name) { return $this->$name(); }
  public function start() { $c = 1; return $c; }
}
`,
    'src/Named.php': `<?php
namespace Shop;
trait Named {
  public function label() { $c = 1; return $c; }
}
`,
    'tests/CartTest.php': `<?php
namespace Shop\\Tests;
use Shop\\Cart;
use Shop\\Runner;
class CartTest extends TestCase {
  public function testAdd() { $cart = new Cart(); $cart->add(1); $cart->label(); (new Runner())->run('start'); }
}
`,
  }
  await expectKinds(sources, {
    'src/Cart.php Cart.compare': through,
    'src/Cart.php Cart.price': through,
    'src/Cart.php Cart.onAdd': computed,
    'src/Cart.php Cart.count': 'implicit',
    'src/Cart.php Cart.__get': 'implicit',
    'src/Cart.php Cart.lost': never,
    'src/Cart.php Runner.start': computed,
    'src/Named.php Named.label': perhaps,
  })
})

test('Java: standard interfaces, overridden methods and method references', async () => {
  const sources = {
    'src/main/java/shop/Cart.java': `package shop;
public class Cart extends Thread implements Comparable<Cart> {
  public int compareTo(Cart other) { int a = 1; return a; }
  public void run() { int a = 1; use(a); }
  @Override protected void onLoad() { int a = 1; use(a); }
  public void add() { items.forEach(this::check); items.map(Cart::price); }
  private void check(Item a) { int b = 1; use(b); }
  static int price(Item a) { int b = 1; return b; }
  public int lost() { int a = 1; return a; }
}
`,
    'src/test/java/shop/CartTest.java': `package shop;
class CartTest { @Test void adds() { new Cart().add(); } }
`,
  }
  await expectKinds(sources, {
    'src/main/java/shop/Cart.java Cart.compareTo': 'implicit',
    'src/main/java/shop/Cart.java Cart.run': 'implicit',
    'src/main/java/shop/Cart.java Cart.onLoad': 'implicit',
    'src/main/java/shop/Cart.java Cart.check': through,
    'src/main/java/shop/Cart.java Cart.price': through,
  })
})

test('C#: properties, operators, standard interfaces, overrides and method groups', async () => {
  const sources = {
    'src/Cart.cs': `namespace Shop;
public class Cart : IDisposable, IEnumerable<int> {
  public int Total { get { if (a) { return 1; } return 2; } }
  public static Cart operator +(Cart a, Cart b) { var c = a; return c; }
  public void Dispose() { var a = 1; Use(a); }
  public IEnumerator<int> GetEnumerator() { var a = 1; yield return a; }
  protected override void OnLoad() { var a = 1; Use(a); }
  public void Add() { items.Select(Price); Changed += Check; Func<int> f = Later; }
  private int Price(int a) { var b = a; return b; }
  private void Check(int a) { var b = a; Use(b); }
  private int Later() { var b = 1; return b; }
}
public class Alone {
  public int Lost() { var a = 1; return a; }
}
`,
    'tests/CartTests.cs': `namespace Shop.Tests;
using Shop;
public class CartTests { [Fact] public void Adds() { new Cart().Add(); new Alone(); } }
`,
  }
  await expectKinds(sources, {
    'src/Cart.cs Cart.Total': 'implicit',
    'src/Cart.cs Cart.operator +': 'implicit',
    'src/Cart.cs Cart.Dispose': 'implicit',
    'src/Cart.cs Cart.GetEnumerator': 'implicit',
    'src/Cart.cs Cart.OnLoad': 'implicit',
    'src/Cart.cs Cart.Price': through,
    'src/Cart.cs Cart.Check': through,
    'src/Cart.cs Cart.Later': through,
    'src/Cart.cs Alone.Lost': never,
  })
})
