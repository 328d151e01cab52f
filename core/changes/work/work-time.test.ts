import { expect, test } from 'vitest'
import { startWorkTime } from './work-time.ts'

test('the time of installs does not count, also if they fail', async () => {
  let now = 1_000
  const time = startWorkTime(100, () => now)
  now += 90
  await time.uncounted(async () => (now += 500))
  expect(time.isOver()).toBe(false)
  const failing = time.uncounted(async () => {
    now += 500
    throw new Error('no network')
  })
  await expect(failing).rejects.toThrow('no network')
  now += 10
  expect(time.isOver()).toBe(false)
  now += 1
  expect(time.isOver()).toBe(true)
})
