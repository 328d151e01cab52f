import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestAi, startAi } from '../testing/ai-service.ts'
import { startReceiver } from '../webhooks/dispatch/testing/receiver.ts'
import { createVerificationScene, type VerificationScene } from './testing/scene.ts'

let ai: TestAi
let scene: VerificationScene
beforeAll(async () => {
  ai = await startAi()
  scene = await createVerificationScene({ ai: { url: ai.url, secret: undefined, timeoutMs: 60_000 } })
})
afterAll(async () => {
  await scene[Symbol.asyncDispose]()
  await ai[Symbol.asyncDispose]()
})

const files = {
  'package.json': JSON.stringify({ name: 'shop', type: 'module', scripts: { test: 'node --test' } }),
  'src/shipping.js': `export function shippingFor(total, country) {
  if (total < 0) throw new RangeError('nobody owes a negative amount')
  if (country === 'home') return total >= 50 ? 0 : 5
  return total >= 100 ? 10 : 20
}
`,
  'src/rates.js': 'export const rateOf = (kind) => (kind === "reduced" ? 7 : 19)\n',
  'test/rates.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rateOf } from '../src/rates.js'

test('rates', () => assert.deepEqual([rateOf('reduced'), rateOf('other')], [7, 19]))
`,
}

const goodCode = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shippingFor } from '../src/shipping.js'

test('at home it is free from fifty on', () => {
  assert.deepEqual([0, 49, 50].map((total) => shippingFor(total, 'home')), [5, 5, 0])
})
test('abroad it is cheaper from a hundred on', () => {
  assert.deepEqual([99, 100].map((total) => shippingFor(total, 'abroad')), [20, 10])
})
test('nobody owes less than nothing', () => assert.throws(() => shippingFor(-1, 'home'), RangeError))
`
const briefly = { repeats: 2, mutants: 6 }

/** A project whose code without tests was suggested for one, and somebody who hears of tests that are written. */
async function setUp() {
  const { client } = scene
  const receiver = await startReceiver()
  const { id: projectId } = await scene.project(files)
  const { webhook } = await client.webhooks.create.mutate({ url: receiver.url, events: ['test.generated'], projectId })
  await client.analysis.analyzeRepository.mutate({ projectId })
  const { suggestions } = await client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 1 })
  const [suggestion] = suggestions
  expect(suggestion).toMatchObject({ file_path: 'src/shipping.js', target: { symbol: 'shippingFor' } })
  const suggestionId = suggestion?.id ?? ''
  const generate = async () => {
    const { tests } = await client.analysis.generateTests.mutate({ projectId, suggestionId })
    const [test] = tests
    if (!test) throw new Error('nothing was written')
    return test
  }
  const verify = async (generatedTestId: string) => {
    const { id } = await client.tests.verify.mutate({ projectId, generatedTestId, ...briefly })
    return scene.waitForVerification(id)
  }
  const statusOf = async () => {
    const { suggestions } = await client.suggestions.list.query({ projectId })
    const found = suggestions.find(({ id }) => id === suggestionId)
    return { status: found?.status, verificationId: found?.verificationId }
  }
  /** What has arrived, with a signature that is right. */
  const heard = () =>
    receiver.received.map(({ body, headers }) => {
      const signed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
      return new Webhook(webhook.secret).verify(body, signed)
    })
  const [id, symbol] = [suggestionId, suggestion?.target?.symbol]
  return { projectId, suggestion: { id, symbol }, receiver, generate, verify, statusOf, heard }
}

test('keeps the suggestion of a generated test open if its assertions are too weak', async () => {
  const { client } = scene
  const { receiver, generate, verify, statusOf, heard } = await setUp()
  await using _ = receiver
  const generated = await generate()
  expect(generated).toMatchObject({ filePath: 'test/shipping.test.js', framework: 'node:test', verdict: null })
  expect(generated.code).toContain('[MOCK RESPONSE]')
  await expect.poll(heard, { timeout: 10_000 }).toMatchObject([
    {
      event: 'test.generated',
      data: { id: generated.id, filePath: 'test/shipping.test.js', framework: 'node:test' },
    },
  ])

  // The mock only looks at whether there is such a function.
  const verification = await verify(generated.id)
  expect(verification, JSON.stringify(verification)).toMatchObject({
    status: 'completed',
    verdict: 'no_gain',
    generatedTestId: generated.id,
    evidence: { reason: 'only_loaded', target: { path: 'src/shipping.js', symbol: 'shippingFor' } },
  })
  expect(await client.generatedTests.get.query({ generatedTestId: generated.id })).toMatchObject({
    verdict: 'no_gain',
    verificationId: verification.id,
  })
  expect(await statusOf()).toEqual({ status: 'open', verificationId: null })
})

test('closes the suggestion of a generated test that is accepted', async () => {
  const { client } = scene
  const { projectId, receiver, suggestion, generate, verify, statusOf, heard } = await setUp()
  await using _ = receiver
  const written = { name: 'shipping', file: 'test/shipping.test.js', code: goodCode, coverage: 'all' }
  ai.answer = (_request, path) =>
    path === '/generate-tests'
      ? { body: { tests: { unit_tests: [written] }, coverage_estimate: 1, test_count: 1, execution_time: '0ms' } }
      : { status: 500, body: {} }
  const generated = await generate()
  ai.answer = undefined

  const verification = await verify(generated.id)
  expect(verification, JSON.stringify(verification)).toMatchObject({
    verdict: 'accepted',
    suggestionId: suggestion.id,
    evidence: { reason: 'kills_mutants', target: { path: 'src/shipping.js' } },
  })
  expect(await client.generatedTests.get.query({ generatedTestId: generated.id })).toMatchObject({
    verdict: 'accepted',
    verificationId: verification.id,
  })
  expect(await statusOf()).toEqual({ status: 'accepted', verificationId: verification.id })
  const later = await client.analysis.suggestTests.mutate({ projectId })
  expect(later.suggestions.map(({ target }) => target?.symbol)).not.toContain(suggestion.symbol)
  await expect(client.analysis.generateTests.mutate({ projectId, suggestionId: suggestion.id })).rejects.toThrow(
    'was accepted',
  )
  await expect.poll(heard, { timeout: 10_000 }).toMatchObject([{ data: { id: generated.id } }])
})
