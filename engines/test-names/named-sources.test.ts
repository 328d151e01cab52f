import { expect, test } from 'vitest'
import { testsByName } from './named-sources.ts'

/** The source that each test is named after, as `test -> source`. */
function matches(sources: string[], tests: string[]): string[] {
  const found = testsByName(sources, tests)
  return [...found].flatMap(([source, by]) => by.map((path) => `${path} -> ${source}`)).toSorted()
}

test('knows how tests are named after their sources in each ecosystem', () => {
  const pairs = {
    'src/parser.test.ts': 'src/parser.ts',
    'src/__tests__/Button.tsx': 'src/Button.tsx',
    'cypress/test-login.cy.js': undefined,
    'tests/test_utils.py': 'pkg/utils.py',
    'tests/api_container_test.py': 'docker/api/container.py',
    'tree_test.go': 'tree.go',
    'src/test/java/com/acme/OrderServiceTest.java': 'src/main/java/com/acme/OrderService.java',
    'src/test/java/com/acme/BasketIT.java': 'src/main/java/com/acme/Basket.java',
    'spec/models/user_spec.rb': 'app/models/user.rb',
    'test/spec_media_type.rb': 'lib/rack/media_type.rb',
    'tests/Unit/MoneyTest.php': 'src/Money.php',
    'Shop.Tests/InvoiceTests.cs': 'Shop/Invoice.cs',
    'tests/lexer.rs': 'src/lexer.rs',
    'src/router.test.ts': 'src/router/index.ts',
    'tests/test_cache.py': 'lib/cache/__init__.py',
  }
  const wanted = Object.entries(pairs).filter(([, source]) => source)
  expect(
    matches(
      wanted.map(([, source]) => source ?? ''),
      Object.keys(pairs),
    ),
  ).toEqual(wanted.map(([name, source]) => `${name} -> ${source}`).toSorted())
})

test('of several sources of one name takes the one whose folders are most alike', () => {
  const sources = ['packages/core/src/utils.ts', 'packages/cli/src/utils.ts', 'packages/cli/src/deep/utils.ts']
  expect(matches(sources, ['packages/cli/test/utils.test.ts'])).toEqual([
    'packages/cli/test/utils.test.ts -> packages/cli/src/utils.ts',
  ])
})

test('a test that says where it belongs is not taken for that of another place', () => {
  expect(matches(['packages/vite/src/client/client.ts'], ['playground/client-reload/client-reload.spec.ts'])).toEqual(
    [],
  )
  expect(matches(['billing/rates.py'], ['orders/tests/test_rates.py'])).toEqual([])
})

test('parts of a name count when nothing is called by the whole of it', () => {
  expect(matches(['src/parser.ts'], ['test/parser.arrays.test.ts', 'test/parser-objects.test.ts'])).toEqual([
    'test/parser-objects.test.ts -> src/parser.ts',
    'test/parser.arrays.test.ts -> src/parser.ts',
  ])
  expect(matches(['src/parser.ts', 'src/parser-objects.ts'], ['test/parser-objects.test.ts'])).toEqual([
    'test/parser-objects.test.ts -> src/parser-objects.ts',
  ])
})

test('spelling conventions do not matter, languages do', () => {
  expect(matches(['src/HTTPClient.ts', 'src/http_client.py'], ['test/http-client.test.ts'])).toEqual([
    'test/http-client.test.ts -> src/HTTPClient.ts',
  ])
})

test('a name that fits many sources equally well fits none', () => {
  const sources = Array.from({ length: 9 }, (_, index) => `feature${index}/model.ts`)
  expect(matches(sources, ['test/model.test.ts'])).toEqual([])
})
