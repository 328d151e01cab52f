import { expect, test } from 'vitest'
import { complexityOf, factsOf, symbolsOf } from '../testing/facts.ts'

test('reads types and members by the visibility that C# gives them', async () => {
  const symbols = await symbolsOf(
    'c-sharp',
    `namespace N.M;
[Attr]
/// doc
public abstract partial class Store<T> : Base, IStore where T : class {
  private readonly Dep _dep = new();
  public int Plain { get; set; } = 1;
  public int Chosen => a ? 1 : 2;
  public int Full { get { if (a) return 1; return 2; } private set { x = value; } }
  static Store() {}
  public Store(Dep d) : base(d) {}
  ~Store() {}
  [Fact]
  public async Task Run<R>() {}
  protected abstract void Bodiless();
  void NoModifier() {}
  internal void Internal() {}
  public static Store operator +(Store a, Store b) => a;
  void IExplicit.Do() {}
  class Inner { public void M() {} }
}
interface IShape { void M(); void Default() { go(); } }
public record Point(int X) { public int Sum() => X; }
struct Size { public int Area() => 1; }`,
  )
  expect(symbols).toEqual([
    'class Store 4-20 complexity 1, exported',
    'method Store.Chosen 7-7 complexity 2, exported',
    'method Store.Full 8-8 complexity 2, exported',
    'method Store.Store 9-9 complexity 1',
    'method Store.Store 10-10 complexity 1, exported',
    'method Store.~Store 11-11 complexity 1',
    'method Store.Run 13-13 complexity 1, exported',
    'method Store.NoModifier 15-15 complexity 1',
    'method Store.Internal 16-16 complexity 1, exported',
    'method Store.operator + 17-17 complexity 1, exported',
    'method Store.Do 18-18 complexity 1',
    'class Store.Inner 19-19 complexity 1',
    'method Store.Inner.M 19-19 complexity 1',
    'method IShape.Default 21-21 complexity 1, exported',
    'class Point 22-22 complexity 1, exported',
    'method Point.Sum 22-22 complexity 1, exported',
    'class Size 23-23 complexity 1, exported',
    'method Size.Area 23-23 complexity 1, exported',
  ])
})

test('counts every branch of the language once', async () => {
  const body = (code: string) =>
    complexityOf('c-sharp', `class A { void F() { ${code} } }`).then((found) => found['A.F'])
  expect(await body('if (a && b || c) return; else if (d) {} else {}')).toBe(5)
  expect(await body('for (;;) {} foreach (var x in y) {} while (a) {} do {} while (b);')).toBe(5)
  expect(
    await body('switch (x) { case 1: case 2: F(); break; case string s when s.Length > 1: break; default: break; }'),
  ).toBe(5)
  expect(await body('var y = x switch { 1 => 2, string s when s.X => 3, _ => 4 };')).toBe(4)
  expect(await body('try {} catch (A e) when (e.x) {} catch {} finally {}')).toBe(4)
  expect(await body('var q = a ? b : c; var w = a ?? b; a ??= c; a?.B();')).toBe(4)
  expect(await body('Run(() => { if (a) {} }); Run(delegate { if (a) {} });')).toBe(3)
  expect(await body('int Local(int z) { if (a) {} return 1; }')).toBe(1)
})

test('lists usings, namespace, exports and the types that it names', async () => {
  const facts = await factsOf(
    'c-sharp',
    `using System;
global using X.Y;
using static A.B;
using Alias = X.Y.Z<int>;
namespace N.M {
  public class Shown : Parent<Argument>, IContract {
    private readonly Dep dep;
    public Result Go(Param p, List<Item> items, Maybe? m) { Tools.Run(); helper(); x?.Chain(); typed.Get<Kind>(); return new Made(); }
  }
  enum Level { Low }
}`,
  )
  expect(facts.namespace).toBe('N.M')
  expect(facts.imports).toEqual([
    { specifier: 'System', names: ['*'] },
    { specifier: 'X.Y', names: ['*'] },
    { specifier: 'A.B', names: ['*'] },
    { specifier: 'X.Y.Z', names: ['Z'] },
  ])
  expect(facts.exports).toEqual([{ name: 'Shown' }, { name: 'Level' }])
  expect(facts.references).toEqual(
    expect.arrayContaining([
      'Parent',
      'Argument',
      'IContract',
      'Dep',
      'Result',
      'Param',
      'List',
      'Item',
      'Maybe',
      'Tools',
      'Run',
      'helper',
      'Chain',
      'Get',
      'Kind',
      'Made',
    ]),
  )
})

test('reads both sides of conditional compilation', async () => {
  const symbols = await symbolsOf(
    'c-sharp',
    `public class A {
#if DEBUG
  public void Debug() {}
#else
  public void Release() {}
#endif
}`,
  )
  expect(symbols.map((symbol) => symbol.split(' ')[1])).toEqual(['A', 'A.Debug', 'A.Release'])
})
