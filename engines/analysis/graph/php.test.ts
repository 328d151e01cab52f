import { expect, test } from 'vitest'
import { linksOf, repository } from './testing/repository.ts'

test('finds classes by use, in the same namespace, in namespaces below and by inclusion', async () => {
  const repo = await repository({
    'composer.json': '{ "autoload": { "psr-4": { "App\\\\": "src/" } } }',
    'src/Http/Kernel.php': `<?php
namespace App\\Http;
use App\\Models\\User;
use App\\Support\\{Str, Arr as A};
require_once __DIR__ . '/helpers.php';
class Kernel {
  public function handle() { return (new Router())->match(new User(), Str::lower(''), new Middleware\\Auth()); }
}`,
    'src/Http/Router.php': '<?php\nnamespace App\\Http;\nclass Router { public function match() { return 1; } }',
    'src/Http/Middleware/Auth.php':
      '<?php\nnamespace App\\Http\\Middleware;\nclass Auth { public function run() { return 1; } }',
    'src/Http/helpers.php': '<?php\nfunction help() { return 1; }',
    'src/Models/User.php': '<?php\nnamespace App\\Models;\nclass User { public function name() { return 1; } }',
    'src/Support/Str.php':
      '<?php\nnamespace App\\Support;\nclass Str { public static function lower($a) { return $a; } }',
    'src/Support/Arr.php':
      '<?php\nnamespace App\\Support;\nclass Arr { public static function get($a) { return $a; } }',
    'src/Other/Router.php': '<?php\nnamespace App\\Other;\nclass Router { public function match() { return 1; } }',
  })
  expect(linksOf(repo, 'src/Http/Kernel.php')).toEqual([
    'src/Http/Middleware/Auth.php: Auth',
    'src/Http/Router.php: Router',
    'src/Http/helpers.php:',
    'src/Models/User.php: User',
    'src/Support/Arr.php: Arr',
    'src/Support/Str.php: Str',
  ])
})

test("falls back to composer's rules for files that could not be read", async () => {
  const repo = await repository({
    'app/composer.json': '{ "autoload": { "psr-4": { "App\\\\": ["lib", "src/"], "App\\\\Deep\\\\": "deep" } } }',
    'app/main.php': '<?php\nuse App\\Broken;\nuse App\\Deep\\Thing;\nnew Broken(); new Thing();',
    'app/src/Broken.php': '',
    'app/deep/Thing.php': '',
  })
  for (const file of repo.files) if (file.path !== 'app/main.php') delete file.record
  expect(linksOf(repo, 'app/main.php')).toEqual(['app/deep/Thing.php: Thing', 'app/src/Broken.php: Broken'])
})
