import { expect, test } from 'vitest'
import { complexityOf, factsOf, symbolsOf } from '../testing/facts.ts'

test('reads classes, records, enums and interfaces without annotations and bodiless methods', async () => {
  const symbols = await symbolsOf(
    'java',
    `package a.b;
@Entity
/** Doc. */
public abstract class Store<T> extends Base implements Closeable {
  private final Dep dep = make();
  public Store(Dep d) { super(d); }
  @Override
  @Test public <R> void run() throws X { }
  abstract void bodiless();
  @Inject
  void packagePrivate() {}
  protected void inherited() {}
  static class Inner { public void hiddenByInner() {} }
  public record Point(int x, Dep y) { Point { if (x > 0) {} } public int sum() { return x; } }
  public enum Level { LOW { void own() { if (a) {} } }, HIGH; public void level() {} }
  public interface Contract { void bodiless(); default void filled() { go(); } private void inside() {} }
}`,
  )
  expect(symbols).toEqual([
    'class Store 4-17 complexity 1, exported',
    'method Store.Store 6-6 complexity 1, exported',
    'method Store.run 8-8 complexity 1, exported',
    'method Store.packagePrivate 11-11 complexity 1',
    'method Store.inherited 12-12 complexity 1',
    'class Store.Inner 13-13 complexity 1',
    'method Store.Inner.hiddenByInner 13-13 complexity 1',
    'class Store.Point 14-14 complexity 1, exported',
    'method Store.Point.Point 14-14 complexity 2',
    'method Store.Point.sum 14-14 complexity 1, exported',
    'class Store.Level 15-15 complexity 2, exported',
    'method Store.Level.level 15-15 complexity 1, exported',
    'method Store.Contract.filled 16-16 complexity 1, exported',
    'method Store.Contract.inside 16-16 complexity 1',
  ])
})

test('counts every branch of the language once', async () => {
  const body = (code: string) => complexityOf('java', `class A { void f() { ${code} } }`).then((found) => found['A.f'])
  expect(await body('if (a && b || c) return; else if (d) {} else {}')).toBe(5)
  expect(await body('for (;;) {} for (var x : y) {} while (a) {} do {} while (b);')).toBe(5)
  expect(await body('switch (x) { case 1: case 2: foo(); break; default: }')).toBe(3)
  expect(await body('var y = switch (x) { case A, B -> 1; case Foo f when f.x() -> 2; default -> 3; };')).toBe(4)
  expect(await body('try (var r = a()) {} catch (A | B e) {} finally {}')).toBe(2)
  expect(await body('int q = a ? b : c;')).toBe(2)
  expect(await body('run(() -> { if (a) {} }); new Thread(new Runnable() { public void run() { if (a) {} } });')).toBe(
    3,
  )
  expect(await body('class Local { void m() { if (a) {} } }')).toBe(1)
})

test('lists imports, package, exports and the types that it names', async () => {
  const facts = await factsOf(
    'java',
    `package a.b;
import c.D;
import c.e.*;
import static c.F.method;
import static c.G.*;
class Hidden { Sibling field; Result go(Param p) { helper(); Tools.run(Mapper::map); return new Made(); } }
public class Shown extends Parent<Argument> {}`,
  )
  expect(facts.namespace).toBe('a.b')
  expect(facts.imports).toEqual([
    { specifier: 'c.D', names: ['D'] },
    { specifier: 'c.e', names: ['*'] },
    { specifier: 'c.F', names: ['method'] },
    { specifier: 'c.G', names: ['*'] },
  ])
  expect(facts.exports).toEqual([{ name: 'Hidden' }, { name: 'Shown' }])
  expect(facts.references.toSorted()).toEqual(
    ['Argument', 'Made', 'Mapper', 'Param', 'Parent', 'Result', 'Sibling', 'Tools', 'helper', 'map', 'run'].toSorted(),
  )
})
