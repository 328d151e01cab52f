import { expect, test } from 'vitest'
import { aFile, anAnalysis } from '../../testing/analysis.ts'
import { readFacts } from './facts.ts'
import type { BrowserFramework, TestFramework } from './frameworks.ts'
import { languageOf } from './languages.ts'
import { layoutOf, testPathFor } from './test-place.ts'

function placeOf(
  path: string,
  framework: TestFramework | BrowserFramework,
  tests: string[] = [],
  manifests: string[] = [],
): string {
  const analysis = anAnalysis({
    files: [path, ...tests].map((file) => aFile(file)),
    packageInfo: { name: 'example', manifests: manifests.map((manifest) => ({ path: manifest, ecosystem: 'npm' })) },
  })
  const language = languageOf(path, undefined) ?? 'other'
  return testPathFor({ path, language, framework, testType: 'unit' }, layoutOf(readFacts(analysis)))
}

test.each<[string, TestFramework | BrowserFramework, string]>([
  ['src/web/router.ts', 'vitest', 'src/web/router.test.ts'],
  ['src/Button.tsx', 'jest', 'src/Button.test.tsx'],
  ['lib/router.js', 'mocha', 'test/router.test.js'],
  ['index.js', 'mocha', 'test/index.test.js'],
  ['lib/router.js', 'jasmine', 'spec/router.spec.js'],
  ['src/shop/cart.py', 'pytest', 'tests/test_cart.py'],
  ['shop/__init__.py', 'pytest', 'tests/test_shop.py'],
  ['shop/_private.py', 'unittest', 'tests/test_private.py'],
  ['tools/my-tool.py', 'pytest', 'tests/test_my_tool.py'],
  ['internal/store/cache.go', 'go test', 'internal/store/cache_test.go'],
  ['src/main/java/com/acme/Cart.java', 'junit', 'src/test/java/com/acme/CartTest.java'],
  ['shop/src/main/java/com/acme/Cart.java', 'junit', 'shop/src/test/java/com/acme/CartTest.java'],
  ['Cart.java', 'junit', 'CartTest.java'],
  ['lib/rack/request.rb', 'rspec', 'spec/rack/request_spec.rb'],
  ['app/models/user.rb', 'minitest', 'test/models/user_test.rb'],
  ['src/parser.rs', 'cargo test', 'src/parser.rs'],
  ['app/Models/User.php', 'phpunit', 'tests/Models/UserTest.php'],
  ['src/Shop.Web/Carts/Cart.cs', 'xunit', 'tests/Shop.Web.Tests/Carts/CartTests.cs'],
  ['shop/src/Shop.Web/Cart.cs', 'xunit', 'shop/tests/Shop.Web.Tests/CartTests.cs'],
  ['app/Main.kt', 'outline', 'app/Main_test.kt'],
  ['app/account/login/page.tsx', 'playwright', 'e2e/account-login.spec.ts'],
  ['pages/index.tsx', 'cypress', 'cypress/e2e/home.cy.js'],
])('a test of %s in %s goes to %s', (path, framework, expected) => {
  expect(placeOf(path, framework)).toBe(expected)
})

test.each([
  [['test/a.spec.ts', 'test/b.spec.ts', 'src/c.test.ts'], 'test/web/router.spec.ts'],
  [['src/__tests__/a.test.ts'], 'src/web/__tests__/router.test.ts'],
  [['tests/a.test.ts', 'tests/fixtures/b.ts', 'tests/fixtures/c.ts'], 'tests/web/router.test.ts'],
  [['test/a.js', 'test/b.js'], 'test/web/router.ts'],
])('it follows where tests are already: %j', (tests, expected) => {
  expect(placeOf('src/web/router.ts', 'vitest', tests)).toBe(expected)
})

test('Python tests beside their modules stay there', () => {
  expect(placeOf('shop/cart.py', 'pytest', ['shop/test_order.py'])).toBe('shop/test_cart.py')
  expect(placeOf('shop/cart.py', 'pytest', ['test/test_order.py'])).toBe('test/test_cart.py')
})

test('in a monorepo a test stays in its package', () => {
  const manifests = ['package.json', 'packages/a/package.json', 'packages/a/nested/package.json']
  const tests = ['packages/a/test/x.test.ts']
  expect(placeOf('packages/a/src/web/router.ts', 'vitest', tests, manifests)).toBe('packages/a/test/web/router.test.ts')
  expect(placeOf('packages/a/nested/lib/x.ts', 'vitest', tests, manifests)).toBe('packages/a/nested/test/x.test.ts')
  expect(placeOf('packages/ab/src/x.ts', 'vitest', tests, manifests)).toBe('packages/ab/test/x.test.ts')
})
