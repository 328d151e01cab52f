import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createGateFor } from '../../../core/gate/testing.ts'
import { createProjectFor, createTokenFor, createUser } from '../../../core/testing/factories.ts'
import { createRepository, type TestRepository } from '../../../client/testing/repository.ts'
import { connectV2, type TestClient } from '../../testing/clients.ts'
import { type Stack, startStack } from '../../testing/stack.ts'

vi.setConfig({ testTimeout: 120_000 })

let stack: Stack
let shop: TestRepository
let http: TestClient
let agent: TestClient
let projectId: string
let token: string
beforeAll(async () => {
  ;[stack, shop] = await Promise.all([
    startStack(),
    createRepository({
      'src/cart.js': 'export const one = () => 1\n',
      'test/cart.test.js': "import '../src/cart.js'\n",
    }),
  ])
  const user = await createUser(stack.core)
  token = await createTokenFor(stack.core, { user })
  http = await connectV2({ kind: 'http', url: stack.mcpUrl, token }, 'auto')
  agent = await connectV2({ kind: 'stdio', env: { SVC_BASE_URL: stack.core.url, SVC_API_TOKEN: token } }, 'auto')
  ;({ id: projectId } = await createProjectFor(stack.core, { user, repository: shop.path }))
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  await http[Symbol.asyncDispose]()
  await stack[Symbol.asyncDispose]()
  await shop[Symbol.asyncDispose]()
})

test('tells an agent what its uncommitted change still lacks, and what to do next', async () => {
  await shop.write({
    'src/cart.js':
      'export const one = () => 1\nexport const two = (x) => {\n  if (x > 9) throw new RangeError()\n  return 2\n}\n',
  })
  const waiting = await agent.call('check_patch', { projectId, localPath: shop.path, waitSeconds: 0 })
  expect(waiting.isError, waiting.text).toBe(false)
  expect(waiting.facts).toMatchObject({ state: 'pending', projectId, base: 'main' })
  expect(waiting.text).toContain('Call trigger_run with the same localPath')
})

test('names failed rules, uncovered lines with their cases, and the nearest test, within 1,500 tokens', async () => {
  const files = Array.from({ length: 30 }, (_, at) => ({
    path: `packages/some-rather-long-name/src/features/checkout/module-${at}.ts`,
    state: 'measured' as const,
    covered: 10,
    uncoveredCount: 40,
    uncovered: Array.from({ length: 30 }, (_, line): [number, number] => [10 * line + 1, 10 * line + 4]),
    partial: [{ line: 999, covered: 1, total: 2 }],
    symbol: 'CheckoutModuleWithLongName.calculateTotals',
    cases: Array.from({ length: 5 }, (_, line) => ({
      line,
      text: `${'amount.isNegative() && '.repeat(8)}throws RangeError`,
    })),
    nearestTest: `packages/some-rather-long-name/test/features/checkout/module-${at}.test.ts`,
  }))
  const named = { testId: 'a', variant: '', suite: 'checkout of a cart', file: 'a.test.ts', runId: 'r' }
  const fresh = Array.from({ length: 20 }, (_, at) => ({
    ...named,
    name: `${'adds the price of everything '.repeat(5)}${at}`,
  }))
  await createGateFor(stack.core, {
    projectId,
    pullRequest: 7,
    headSha: 'a'.repeat(40),
    subject: 'a'.repeat(40),
    state: 'failure',
    judged: 1_000,
    requests: 0,
    reasons: Array.from({ length: 12 }, () => ({
      rule: 'component' as const,
      component: 'payment',
      outcome: 'failed' as const,
      text: 'x'.repeat(300),
      fix: 'y'.repeat(300),
    })),
    files,
    figures: {
      lines: { covered: 1, total: 2, percent: 50 },
      branches: null,
      uncovered: 1,
      changedFiles: 30,
      unmeasured: [],
      unmeasuredCount: 0,
      project: null,
      failures: { fresh, freshCount: 20, known: 0, muted: 0 },
      flaky: { fresh, freshCount: 20 },
      proof: null,
      runs: { open: 0, ended: 1 },
      uploads: { names: [], count: 0, isDone: false },
      matched: [],
    },
  })
  const answer = await http.call('check_patch', { projectId, pullRequest: 7, waitSeconds: 0 })
  expect(answer.isError, answer.text).toBe(false)
  expect(answer.facts).toMatchObject({ state: 'failure', coverage: '1 of 2 changed lines', moreFiles: 6 })
  expect(answer.text).toContain('module-0.test.ts')
  expect(encode(answer.text).length).toBeLessThanOrEqual(1_500)
})

test('refuses contradictions, and checkouts over HTTP', async () => {
  const both = await http.call('check_patch', { projectId, branch: 'a', pullRequest: 7 })
  expect(both).toMatchObject({ isError: true, text: expect.stringContaining('either branch or pullRequest') })
  const unknown = await http.call('check_patch', { projectId, pullRequest: 99 })
  expect(unknown).toMatchObject({ isError: true, text: expect.stringContaining('heard nothing of pull request 99') })
})
