import { expect, test } from 'vitest'
import { testRole } from './roles.ts'
import { layoutOf, testPathFor } from './test-place.ts'

function placeOf(
  path: string,
  framework: string,
  tests: string[] = [],
  manifests: string[] = [],
  nearestTests: string[] = [],
): string {
  const files = [path, ...tests].map((file) => ({
    path: file,
    role: testRole(file) === undefined ? ('source' as const) : ('test' as const),
  }))
  const layout = layoutOf(files, manifests.map((manifest) => ({ path: manifest }))) // prettier-ignore
  return testPathFor({ path, framework, testType: 'unit', nearestTests }, layout)
}

test.each([
  ['src/web/router.ts', 'vitest', 'src/web/router.test.ts'],
  ['src/Button.tsx', 'jest', 'src/Button.test.tsx'],
  ['lib/router.js', 'mocha', 'test/router.test.js'],
  ['index.js', 'mocha', 'test/index.test.js'],
  ['lib/router.js', 'jasmine', 'spec/router.spec.js'],
  ['src/shop/cart.py', 'pytest', 'tests/test_cart.py'],
  ['shop/__init__.py', 'pytest', 'tests/test_shop.py'],
  ['shop/_private.py', 'unittest', 'tests/test_private.py'],
  ['shop/__main__.py', 'pytest', 'tests/test_main.py'],
  ['tools/my-tool.py', 'pytest', 'tests/test_my_tool.py'],
  ['internal/store/cache.go', 'go test', 'internal/store/cache_test.go'],
  ['src/main/java/com/acme/Cart.java', 'junit', 'src/test/java/com/acme/CartTest.java'],
  ['shop/src/main/java/com/acme/Cart.java', 'junit', 'shop/src/test/java/com/acme/CartTest.java'],
  ['Cart.java', 'junit', 'CartTest.java'],
  ['lib/rack/request.rb', 'rspec', 'spec/rack/request_spec.rb'],
  ['app/models/user.rb', 'minitest', 'test/models/user_test.rb'],
  ['lib/rake/task.rb', 'test-unit', 'test/rake/task_test.rb'],
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
  [['test/a.spec.ts', 'test/b.spec.ts', 'src/c.test.ts'], 'test/router.spec.ts'],
  [['src/__tests__/a.test.ts'], 'src/web/__tests__/router.test.ts'],
  [['tests/a.test.ts', 'tests/fixtures/b.ts', 'tests/fixtures/c.ts'], 'tests/router.test.ts'],
  [['test/a.js', 'test/b.js'], 'test/router.ts'],
])('it follows where tests are already: %j', (tests, expected) => {
  expect(placeOf('src/web/router.ts', 'vitest', tests)).toBe(expected)
})

test('where tests are beside their sources, one test elsewhere does not attract others', () => {
  const beside = ['engines/js/find.ts', 'engines/js/find.test.ts', 'engines/py/find.ts', 'engines/py/find.test.ts']
  const tests = [...beside, 'engines/js/kinds.ts', 'checks/kinds.test.ts']
  expect(placeOf('engines/js/calls.ts', 'vitest', tests)).toBe('engines/js/calls.test.ts')
  expect(placeOf('engines/js/kinds.ts', 'vitest', tests)).toBe('engines/js/kinds.test.ts')
})

test('Python tests beside their modules stay there', () => {
  expect(placeOf('shop/cart.py', 'pytest', ['shop/test_order.py'])).toBe('shop/test_cart.py')
  expect(placeOf('shop/cart.py', 'pytest', ['test/test_order.py'])).toBe('test/test_cart.py')
})

test('in a monorepo a test stays in its package', () => {
  const manifests = ['package.json', 'packages/a/package.json', 'packages/a/nested/package.json']
  const tests = ['packages/a/src/x.ts', 'packages/a/test/x.test.ts']
  expect(placeOf('packages/a/src/web/router.ts', 'vitest', tests, manifests)).toBe('packages/a/test/router.test.ts')
  expect(placeOf('packages/a/nested/lib/x.ts', 'vitest', tests, manifests)).toBe('packages/a/nested/test/x.test.ts')
  expect(placeOf('packages/ab/src/x.ts', 'vitest', tests, manifests)).toBe('packages/ab/test/x.test.ts')
})

/** Layouts of well-known projects: files that are there, a subject, and where its test goes. */
test.each<[project: string, files: string[], subject: string, expected: string, nearest?: string[]]>([
  [
    'a test of its name is added to',
    ['packages/core/src/transforms/text.ts', 'packages/core/__tests__/transforms/element.spec.ts'],
    'packages/core/src/transforms/element.ts',
    'packages/core/__tests__/transforms/element.spec.ts',
    ['packages/core/__tests__/transforms/element.spec.ts'],
  ],
  [
    'tests in the package, mirrored as far as folders are there',
    [
      'packages/core/src/a/one.ts',
      'packages/core/__tests__/a/one.spec.ts',
      'packages/dom/src/x.ts',
      'packages/dom/__tests__/x.spec.ts',
    ],
    'packages/core/src/a/two.ts',
    'packages/core/__tests__/a/two.spec.ts',
  ],
  [
    'no folder is made up',
    [
      'packages/dom/src/x.ts',
      'packages/dom/__tests__/x.spec.ts',
      'packages/core/src/y.ts',
      'packages/core/test/y.test.ts',
    ],
    'packages/dom/src/deep/z.ts',
    'packages/dom/__tests__/z.spec.ts',
  ],
  [
    'the folder of one subject is not for others',
    ['src/query/Brackets.ts', 'test/query/brackets/brackets.test.ts'],
    'src/query/Insert.ts',
    'test/query/Insert.test.ts',
  ],
  [
    'Ruby, flat and with a prefix',
    ['lib/rack/lint.rb', 'test/spec_lint.rb', 'test/multipart/fixture.rb'],
    'lib/rack/multipart/parser.rb',
    'test/spec_parser.rb',
  ],
  ['Ruby, joined with its folder', ['test/spec_auth_basic.rb'], 'lib/rack/auth/basic.rb', 'test/spec_auth_basic.rb'],
  [
    'Ruby, in a component',
    ['record/lib/record/base.rb', 'record/test/cases/base_test.rb', 'pack/lib/pack/a.rb', 'pack/test/a_test.rb'],
    'record/lib/record/query.rb',
    'record/test/cases/query_test.rb',
  ],
  [
    'PHP, in test',
    ['lib/PhpParser/Lexer.php', 'test/PhpParser/LexerTest.php'],
    'lib/PhpParser/Parser/Php7.php',
    'test/PhpParser/Php7Test.php',
  ],
  [
    'PHP, without the vendor',
    ['src/Illuminate/Mail/Mailer.php', 'tests/Mail/MailMailerTest.php'],
    'src/Illuminate/Mail/Message.php',
    'tests/Mail/MessageTest.php',
  ],
  [
    'C#, in test',
    ['src/Serilog/Core/Logger.cs', 'test/Serilog.Tests/Core/LoggerTests.cs'],
    'src/Serilog/Core/Sinks/Batch.cs',
    'test/Serilog.Tests/Core/BatchTests.cs',
  ],
  [
    'JavaScript, tests named like their subjects',
    ['lib/adapters/http.js', 'test/unit/adapters/http.js'],
    'lib/adapters/xhr.js',
    'test/unit/adapters/xhr.js',
  ],
  [
    'an index is known by its folder',
    ['test/unit/dialects/mssql.js', 'test/integration/dialects/mssql.js'],
    'lib/dialects/mssql/index.js',
    'test/unit/dialects/mssql.js',
  ],
  [
    'tests spelled in another way',
    ['src/util/StringUtils.ts', 'test/unit/util/string-utils.test.ts'],
    'src/util/DateUtils.ts',
    'test/unit/util/date-utils.test.ts',
  ],
  [
    'a fixture of the same name is no test',
    ['src/Author.ts', ...'abcdef'.split('').map((name) => `test/${name}.test.ts`), 'test/entity/Author.ts'],
    'src/Author.ts',
    'test/Author.test.ts',
  ],
  [
    'Kotlin source sets',
    ['okhttp/src/common/kotlin/okhttp3/Call.kt', 'okhttp/src/jvmTest/kotlin/okhttp3/CallTest.kt'],
    'okhttp/src/common/kotlin/okhttp3/ws/Reader.kt',
    'okhttp/src/jvmTest/kotlin/okhttp3/ws/ReaderTest.kt',
  ],
  [
    'Java, where only others have tests',
    ['a/src/main/java/x/A.java', 'a/src/test/java/x/ATest.java'],
    'b/src/main/java/y/B.java',
    'b/src/test/java/y/BTest.java',
  ],
  [
    'an end-to-end test is no place for a unit test',
    ['src/a.ts', 'src/a.test.ts', 'e2e/b.test.ts'],
    'src/b.ts',
    'src/b.test.ts',
  ],
])('it learns from the tests that are there: %s', (_, files, subject, expected, nearest) => {
  expect(placeOf(subject, 'vitest', files, [], nearest)).toBe(expected)
})

test('JavaScript tests of a TypeScript file are not added to', () => {
  expect(placeOf('src/a.ts', 'mocha', ['test/a.test.js'])).toBe('test/a.test.ts')
})
