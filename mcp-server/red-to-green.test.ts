import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTokenFor } from '../core/testing/factories.ts'
import { createFolder, createRepository } from '../client/testing/repository.ts'
import { connectV2, type CalledTool, type TestClient } from './testing/clients.ts'
import { type Stack, startStack } from './testing/stack.ts'

/** Shipping should be free from 100 on, but an order of exactly 100 pays for it. */
const wrong = `export function total(items, country) {
  let sum = 0
  for (const { cost, count } of items) {
    if (count <= 0) continue
    if (cost < 0) throw new RangeError('a cost is negative')
    sum += cost * count
  }
  const shipping = sum > 100 ? 0 : 5
  if (country === 'DE') return sum * 1.19 + shipping
  if (country === 'FR') return sum * 1.2 + shipping
  return sum + shipping
}
`
const right = wrong.replace('sum > 100', 'sum >= 100')

const carefulTest = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { total } from '../src/total.js'

test('adds what is bought, with shipping below 100', () => {
  assert.equal(total([{ cost: 10, count: 2 }, { cost: 3, count: 1 }, { cost: 9, count: 0 }], 'US'), 28)
})
test('shipping is free from 100 on', () => {
  assert.equal(total([{ cost: 50, count: 2 }], 'US'), 100)
})
test('each country has its own tax', () => {
  assert.equal(total([{ cost: 200, count: 1 }], 'DE'), 238)
  assert.equal(total([{ cost: 200, count: 1 }], 'FR'), 240)
})
test('a negative cost is refused', () => {
  assert.throws(() => total([{ cost: -1, count: 1 }], 'US'), RangeError)
})
`

let stack: Stack
beforeAll(async () => {
  stack = await startStack()
})
afterAll(() => stack[Symbol.asyncDispose]())

/** Repeats a call as its answers say, until the work has ended. */
async function finish(
  client: TestClient,
  tool: string,
  first: Record<string, unknown>,
  goOn: string,
): Promise<CalledTool> {
  let answer = await client.call(tool, first)
  while (['pending', 'running', 'PENDING', 'RUNNING'].includes(String(answer.facts['status']))) {
    expect(answer.text).toContain(String(answer.facts[goOn]))
    answer = await client.call(tool === 'trigger_run' ? 'wait_for_run' : tool, { [goOn]: answer.facts[goOn] })
  }
  expect(answer.isError, answer.text).toBe(false)
  return answer
}

test('an agent goes from a failed run to a passed one by following the answers', async () => {
  await using repository = await createRepository({
    'package.json': JSON.stringify({ name: 'shop', type: 'module', scripts: { test: 'node --test' } }),
    'src/total.js': wrong,
  })
  await using data = await createFolder()
  const env = {
    SVC_BASE_URL: stack.core.url,
    SVC_API_TOKEN: await createTokenFor(stack.core),
    DATA_DIR: data.path,
  }
  await using client = await connectV2({ kind: 'stdio', env }, 'auto')
  const { id: projectId } = (await client.call('create_project', { name: 'Shop', repository: repository.path })).facts

  // What should I test here?
  const localPath = repository.path
  const suggested = await client.call('suggest_tests', { localPath })
  const [suggestion] = suggested.facts['suggestions'] as { file_path: string; target: { symbol: string }; id: string }[]
  expect(suggestion).toMatchObject({ file_path: expect.stringContaining('total'), target: { symbol: 'total' } })

  // Is this test worth keeping? The test is right, and the code is wrong.
  const filePath = 'test/total.test.js'
  const verify = { projectId, filePath, code: carefulTest, repeats: 2 }
  const doubted = await finish(client, 'verify_test', verify, 'verificationId')
  expect(doubted.facts).toMatchObject({ verdict: 'suspected_bug' })
  expect(doubted.text).toContain('shipping is free from 100 on')

  // What broke, and where?
  await repository.write({ [filePath]: carefulTest })
  await repository.git('add', '--all')
  await repository.git('commit', '--quiet', '--message', 'Test the total')
  const red = await finish(client, 'trigger_run', { projectId }, 'runId')
  expect(red.facts).toMatchObject({ status: 'FAILED', tests: { total: 4, failed: 1 } })
  expect(red.text).toContain('shipping is free from 100 on')
  expect(red.text).toMatch(/test\/total\.test\.js:9/)
  expect(red.text).toContain('105')

  // After the fix the same tests pass, and the test is worth keeping.
  await repository.write({ 'src/total.js': right })
  await repository.git('commit', '--quiet', '--all', '--message', 'Ship for free from 100 on')
  const green = await finish(client, 'trigger_run', { projectId }, 'runId')
  expect(green.facts).toMatchObject({ status: 'PASSED', tests: { total: 4, failed: 0 } })
  await repository.git('rm', '--quiet', filePath)
  await repository.git('commit', '--quiet', '--message', 'Leave the test out again')
  const proved = await finish(client, 'verify_test', verify, 'verificationId')
  expect(proved.facts).toMatchObject({ verdict: 'accepted' })
})
