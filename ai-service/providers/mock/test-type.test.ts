import { expect, test } from 'vitest'
import { aCandidate } from '../../testing/analysis.ts'
import { readFacts } from '../../repository/facts.ts'
import { pickTargets } from './targets.ts'
import { addressOfPage } from '../../../engines/test-names/pages.ts'
import { testTypeOf } from './test-type.ts'

function typeOf(path: string, symbol = 'load', hasBrowser = false) {
  const [target] = pickTargets(readFacts({ testCandidates: [aCandidate({ path, symbol })] }), 1).picked
  return target && testTypeOf(target, hasBrowser)
}

test.each([
  ['src/routes/users.ts'],
  ['app/controllers/users_controller.rb'],
  ['internal/handlers/user.go'],
  ['src/userRouter.ts'],
  ['app/users/route.ts'],
  ['pages/api/users.ts'],
  ['src/auth.middleware.ts'],
  ['src/main/java/web/UserController.java'],
  ['src/server.ts', 'LoginHandler.handle'],
])('code that handles requests gets an integration test: %s', (path, symbol = 'load') => {
  expect(typeOf(path, symbol)).toBe('integration')
})

test.each(['src/config.ts', 'src/routing-table.ts', 'src/handlerless.ts', 'src/api/parse.ts', 'pages/index.tsx'])(
  'all other code gets a unit test: %s',
  (path) => {
    expect(typeOf(path)).toBe('unit')
  },
)

test('a page gets an end-to-end test only if the project has browser tests', () => {
  expect(typeOf('app/login/page.tsx', 'default', true)).toBe('e2e')
  expect(typeOf('app/login/page.tsx', 'default', false)).toBe('unit')
  expect(typeOf('pages/api/users.ts', 'default', true)).toBe('integration')
})

test.each([
  ['pages/index.tsx', '/'],
  ['src/pages/account/login.jsx', '/account/login'],
  ['app/(shop)/cart/page.tsx', '/cart'],
  ['app/page.tsx', '/'],
  ['app/blog/[slug]/page.tsx', '/blog/[slug]'],
  ['src/config.ts', undefined],
  ['pages/api/users.ts', undefined],
])('%s is visited at %s', (path, address) => {
  expect(addressOfPage(path)).toBe(address)
})
