import assert from 'node:assert/strict'
import { test } from 'node:test'
import { retry } from '../src/retry.js'

function clock() {
  const slept = []
  return { slept, sleep: async (milliseconds) => void slept.push(milliseconds) }
}

test('what succeeds is not tried again', async () => {
  const { slept, sleep } = clock()
  assert.equal(await retry(async () => 'done', { attempts: 3, delayMs: 10, sleep }), 'done')
  assert.deepEqual(slept, [])
})

test('waits twice as long before every further attempt', async () => {
  const { slept, sleep } = clock()
  const work = async (attempt) => {
    if (attempt < 4) throw new Error('busy')
    return attempt
  }
  assert.equal(await retry(work, { attempts: 5, delayMs: 10, sleep }), 4)
  assert.deepEqual(slept, [10, 20, 40])
})

test('gives up with the last error after so many attempts', async () => {
  const { slept, sleep } = clock()
  const work = async (attempt) => {
    throw new Error(`attempt ${attempt}`)
  }
  await assert.rejects(retry(work, { attempts: 3, delayMs: 10, sleep }), { message: 'attempt 3' })
  assert.deepEqual(slept, [10, 20])
})

test('does not repeat what cannot be mended', async () => {
  const { slept, sleep } = clock()
  const work = async () => {
    throw Object.assign(new Error('gone'), { isFinal: true })
  }
  await assert.rejects(retry(work, { attempts: 3, delayMs: 10, sleep }), { message: 'gone' })
  assert.deepEqual(slept, [])
})
