import { pino } from 'pino'
import { expect, test } from 'vitest'
import { Loop } from './loop.ts'

const log = pino({ level: 'silent' })
const enough = 1_000_000

test.each([0, -1, Number.NaN])('a step that runs again after %d ms does not starve other work', async (waitMs) => {
  let steps = 0
  const step = async () => {
    if (++steps > enough) throw new Error('Nothing else got a turn.')
    return waitMs
  }
  const loop = new Loop({ name: 'spinning', log, step })
  setTimeout(() => loop.stop(), 5)
  await loop.run()
  expect(steps).toBeLessThan(enough)
})

test('a step that wakes its loop does not starve other work', async () => {
  let steps = 0
  const step = async () => {
    if (++steps > enough) throw new Error('Nothing else got a turn.')
    loop.wake()
    return Number.POSITIVE_INFINITY
  }
  const loop = new Loop({ name: 'spinning', log, step })
  setTimeout(() => loop.stop(), 5)
  await loop.run()
  expect(steps).toBeLessThan(enough)
})

test('runs again when it is woken, also if that happens during a step', async () => {
  let steps = 0
  const step = async () => {
    if (++steps === 1) loop.wake()
    if (steps === 2) setTimeout(() => loop.wake(), 5)
    if (steps === 3) loop.stop()
    return Number.POSITIVE_INFINITY
  }
  const loop = new Loop({ name: 'waiting', log, step })
  await loop.run()
  expect(steps).toBe(3)
})

test('retries a failing step and logs the first failure and the recovery', async () => {
  const lines: { msg: string }[] = []
  const recordingLog = pino({}, { write: (line) => void lines.push(JSON.parse(line)) })
  let steps = 0
  const step = async () => {
    if (++steps === 1) throw new Error('away')
    if (steps === 3) loop.stop()
    return 0
  }
  const loop = new Loop({ name: 'looking', log: recordingLog, step })
  await loop.run()
  expect(lines.map(({ msg }) => msg)).toEqual(['looking failed; retrying', 'looking works again'])
})
