import { expect, test } from 'vitest'
import { kindsOf } from './testing/reach-of.ts'

/** Lists the functions of `path` whose names begin with `via` and of which no caller was found. */
async function uncalled(path: string, source: string, calling: Record<string, string>, type = ''): Promise<string[]> {
  const names = [...new Set(source.match(/\bvia\w+/gi))].map((name) => `${path} ${type}${name}`)
  expect(names.length).toBeGreaterThan(3)
  const kinds = await kindsOf({ [path]: source, ...calling }, names)
  expect(Object.values(kinds)).not.toContain(undefined)
  return names.filter((name) => kinds[name] === 'never-called').map((name) => name.slice(path.length + 1))
}

test('JavaScript: an expression that chooses a function, or keeps one, uses it', async () => {
  const kept = `export function run(x, o, other = viaDefault, { inside = viaPattern } = {}) {
  const enc = o?.enc || viaOr
  const nothing = o.enc ?? viaNullish
  const and = o && viaAnd
  const f = o ? viaThen : viaElse
  const plain = viaVariable
  const nested = o ? (x ?? viaNested) : x
  const lazy = () => viaResult
  o.enc ||= viaAssigned
  return [f(enc(other(x)))].map(viaMap)
}
export class Queue {
  step = viaField
}
function viaDefault(x) { return x ? 1 : 2 }
function viaPattern(x) { return x ? 1 : 2 }
function viaOr(x) { return x ? 1 : 2 }
function viaNullish(x) { return x ? 1 : 2 }
function viaAnd(x) { return x ? 1 : 2 }
function viaThen(x) { return x ? 1 : 2 }
function viaElse(x) { return x ? 1 : 2 }
function viaVariable(x) { return x ? 1 : 2 }
function viaNested(x) { return x ? 1 : 2 }
function viaResult(x) { return x ? 1 : 2 }
function viaAssigned(x) { return x ? 1 : 2 }
function viaMap(x) { return x ? 1 : 2 }
function viaField(x) { return x ? 1 : 2 }
function viaNothing(x) { return x ? 1 : 2 }
`
  const calling = {
    'test/run.test.js': `import { run, Queue } from '../src/run.js'\ntest('x', () => { run(1); new Queue() })`,
  }
  expect(await uncalled('src/run.js', kept, calling)).toEqual(['viaNothing'])
})

test('JavaScript: an option that is read is not the method of its name', async () => {
  const source = `export class Cart {
  run(options) { const pack = options.pack || options.wrap; return options.deep ? options.send : pack }
  own() { return this.keep || this.hold }
  pack(x) { return x ? 1 : 2 }
  send(x) { return x ? 1 : 2 }
  keep(x) { return x ? 1 : 2 }
}`
  const calling = {
    'test/cart.test.js': `import { Cart } from '../src/cart.js'\ntest('x', () => { new Cart().run(1); new Cart().own() })`,
  }
  const names = ['pack', 'send', 'keep'].map((name) => `src/cart.js Cart.${name}`)
  expect(Object.values(await kindsOf({ 'src/cart.js': source, ...calling }, names))).toEqual([
    'never-called',
    'never-called',
    'called-through',
  ])
})

test('Python: defaults with types, assignment expressions and lambdas use a function', async () => {
  const kept = `def run(x, other: object = via_default, plain=via_plain, *, last: object = via_keyword):
    f = x or via_or
    g = via_then if x else via_else
    if (h := via_walrus):
        pass
    k = lambda: via_lambda
    return f, g, h, k

def via_default(x): return 1 if x else 2
def via_plain(x): return 1 if x else 2
def via_keyword(x): return 1 if x else 2
def via_or(x): return 1 if x else 2
def via_then(x): return 1 if x else 2
def via_else(x): return 1 if x else 2
def via_walrus(x): return 1 if x else 2
def via_lambda(x): return 1 if x else 2
def via_nothing(x): return 1 if x else 2
`
  const calling = { 'tests/test_run.py': 'from run import run\n\ndef test_run():\n    run(1)\n' }
  expect(await uncalled('run.py', kept, calling)).toEqual(['via_nothing'])
})

test('Rust: an expression that chooses a function uses it', async () => {
  const kept = `static KEPT: fn(u8) -> u8 = via_static;
pub fn run(x: u8) -> u8 {
    let f = if x > 1 { via_then } else { via_else };
    let g = match x { 1 => via_arm, _ => inner::via_path };
    let h = &via_reference;
    let k = || via_closure;
    f(x)
}
fn via_static(x: u8) -> u8 { if x > 1 { 1 } else { 2 } }
fn via_then(x: u8) -> u8 { if x > 1 { 1 } else { 2 } }
fn via_else(x: u8) -> u8 { if x > 1 { 1 } else { 2 } }
fn via_arm(x: u8) -> u8 { if x > 1 { 1 } else { 2 } }
fn via_path(x: u8) -> u8 { if x > 1 { 1 } else { 2 } }
fn via_reference(x: u8) -> u8 { if x > 1 { 1 } else { 2 } }
fn via_closure(x: u8) -> u8 { if x > 1 { 1 } else { 2 } }
fn via_nothing(x: u8) -> u8 { if x > 1 { 1 } else { 2 } }
`
  const calling = {
    'Cargo.toml': '[package]\nname = "kit"\n',
    'tests/run.rs': 'use kit::run;\n#[test]\nfn runs() { run(1); }\n',
  }
  expect(await uncalled('src/lib.rs', kept, calling)).toEqual(['via_nothing'])
})

test('C#: an expression that chooses a method uses it', async () => {
  const kept = `namespace Kit;
public class Cart {
  Func<int, int> field = ViaField;
  Func<int, int> Property { get; } = ViaProperty;
  public int Run(int x, Func<int, int> given) {
    var f = given ?? ViaOr;
    var g = x > 1 ? ViaThen : this.ViaElse;
    var h = x switch { 1 => ViaArm, _ => given };
    Func<Func<int, int>> k = () => ViaLambda;
    var list = new List<Func<int, int>> { ViaList };
    return f(x);
  }
  int ViaField(int x) { return x > 1 ? 1 : 2; }
  int ViaProperty(int x) { return x > 1 ? 1 : 2; }
  int ViaOr(int x) { return x > 1 ? 1 : 2; }
  int ViaThen(int x) { return x > 1 ? 1 : 2; }
  int ViaElse(int x) { return x > 1 ? 1 : 2; }
  int ViaArm(int x) { return x > 1 ? 1 : 2; }
  int ViaLambda(int x) { return x > 1 ? 1 : 2; }
  int ViaList(int x) { return x > 1 ? 1 : 2; }
  int ViaNothing(int x) { return x > 1 ? 1 : 2; }
}
`
  const calling = {
    'tests/CartTests.cs': `using Kit; public class CartTests { [Fact] public void Runs() { new Cart().Run(1, null); } }`,
  }
  expect(await uncalled('src/Cart.cs', kept, calling, 'Cart.')).toEqual(['Cart.ViaNothing'])
})
