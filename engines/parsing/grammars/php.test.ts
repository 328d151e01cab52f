import { expect, test } from 'vitest'
import { complexityOf, factsOf, symbolsOf } from '../testing/facts.ts'

test('reads classes, traits, enums and functions without attributes', async () => {
  const symbols = await symbolsOf(
    'php',
    `<html>
<?php
namespace App;
#[Entity]
/** Doc. */
abstract class Store extends Base {
    public function __construct(private Dep $dep) {}
    #[Test]
    public static function run(): ?User { return null; }
    abstract protected function bodiless();
    function open() {}
    private function hidden() {}
}
interface Contract { public function bodiless(); }
trait Shared { protected function help() {} }
enum Suit: string { case Hearts = 'h'; public function label(): string { return match($this) { self::Hearts => 'x' }; } }
function helper() {}
if (!function_exists('polyfill')) { function polyfill() {} }
`,
  )
  expect(symbols).toEqual([
    'class Store 6-13 complexity 1, exported',
    'method Store.__construct 7-7 complexity 1, exported',
    'method Store.run 9-9 complexity 1, exported',
    'method Store.open 11-11 complexity 1, exported',
    'method Store.hidden 12-12 complexity 1',
    'class Shared 15-15 complexity 1, exported',
    'method Shared.help 15-15 complexity 1',
    'class Suit 16-16 complexity 1, exported',
    'method Suit.label 16-16 complexity 2, exported',
    'function helper 17-17 complexity 1, exported',
    'function polyfill 18-18 complexity 1, exported',
  ])
})

test('counts every branch of the language once', async () => {
  const body = (code: string) => complexityOf('php', `<?php function f() { ${code} }`).then((found) => found['f'])
  expect(await body('if ($a && $b || $c and $d or $e) {} elseif ($x) {} else if ($y) {} else {}')).toBe(8)
  expect(await body('if ($a): b(); elseif ($c): d(); else: e(); endif;')).toBe(3)
  expect(await body('for (;;) {} foreach ($a as $b) {} while (1) {} do {} while (1);')).toBe(5)
  expect(await body('switch ($a) { case 1: case 2: b(); break; default: }')).toBe(3)
  expect(await body('$x = match(true) { 1, 2 => a(), 3 => b(), default => c() };')).toBe(3)
  expect(await body('try {} catch (A | B $e) {} catch (C) {} finally {}')).toBe(3)
  expect(await body('$x = $a ? $b : $c; $x = $a ?: $b; $x = $a ?? $b; $a ??= 1; $a?->b();')).toBe(5)
  expect(await body('$f = function () { if ($x) {} }; $g = fn($x) => $x ?? 1;')).toBe(3)
  expect(await body('return new class extends Foo { function z() { if (1) {} } };')).toBe(2)
})

test('lists uses, includes, namespace and the types that it names', async () => {
  const facts = await factsOf(
    'php',
    `<?php
namespace App\\Http;
use App\\Models\\User;
use App\\Models\\{Post, Tags\\Tag as T};
use function App\\helper;
require 'a.php';
require_once __DIR__ . '/b.php';
include_once('c.php');
require dirname(__DIR__) . '/d.php';
require $dynamic;
class Controller extends Base implements Contract {
    use Shared;
    private ?Dep $dep;
    function go(Input|Other $in): Result { new Made(); Facade::find(); \\App\\run(); $in->call(); Named::class; static::own(); }
}
`,
  )
  expect(facts.namespace).toBe('App\\Http')
  expect(facts.imports).toEqual([
    { specifier: 'App\\Models\\User', names: ['User'] },
    { specifier: 'App\\Models\\Post', names: ['Post'] },
    { specifier: 'App\\Models\\Tags\\Tag', names: ['Tag'] },
    { specifier: 'App\\helper', names: ['helper'] },
    { specifier: 'a.php', names: [] },
    { specifier: './b.php', names: [] },
    { specifier: 'c.php', names: [] },
    { specifier: '../d.php', names: [] },
  ])
  expect(facts.exports).toEqual([{ name: 'Controller' }])
  expect(facts.references.toSorted()).toEqual(
    [
      'Base',
      'Contract',
      'Shared',
      'Dep',
      'Input',
      'Other',
      'Result',
      'Made',
      'Facade',
      'find',
      'run',
      'call',
      'Named',
      'own',
      'dirname',
    ].toSorted(),
  )
})
