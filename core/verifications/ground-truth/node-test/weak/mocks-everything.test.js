import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { retry } from '../src/retry.js'

test('calls the work', async () => {
  const work = mock.fn(async () => 'done')
  const sleep = mock.fn(async () => {})
  await retry(work, { attempts: 3, delayMs: 10, sleep })
  assert.ok(work.mock.callCount() > 0)
})
