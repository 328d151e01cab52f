import { pino } from 'pino'
import { expect, test } from 'vitest'
import { WakeSignal } from './wake-signal.ts'
import { repeat } from './repeat.ts'

const log = pino({ level: 'silent' })
const enough = 1_000_000

test.each([0, -1, Number.NaN])('a step that runs again after %d ms does not starve other work', async (waitMs) => {
  const stopping = new AbortController()
  setTimeout(() => stopping.abort(), 5)
  let steps = 0
  const step = async () => {
    if (++steps > enough) throw new Error('Nothing else got a turn.')
    return waitMs
  }
  await repeat({ step, wake: new WakeSignal(), until: stopping.signal, log, name: 'spinning' })
  expect(steps).toBeLessThan(enough)
})

test('a signal that every step notifies does not starve other work', async () => {
  const stopping = new AbortController()
  const wake = new WakeSignal()
  setTimeout(() => stopping.abort(), 5)
  let steps = 0
  const step = async () => {
    if (++steps > enough) throw new Error('Nothing else got a turn.')
    wake.notify()
    return Number.POSITIVE_INFINITY
  }
  await repeat({ step, wake, until: stopping.signal, log, name: 'spinning' })
  expect(steps).toBeLessThan(enough)
})

test('retries a failing step and logs the first failure and the recovery', async () => {
  const stopping = new AbortController()
  const lines: { msg: string }[] = []
  const recordingLog = pino({}, { write: (line) => void lines.push(JSON.parse(line)) })
  let steps = 0
  const step = async () => {
    if (++steps === 1) throw new Error('away')
    if (steps === 3) stopping.abort()
    return 0
  }
  await repeat({ step, wake: new WakeSignal(), until: stopping.signal, log: recordingLog, name: 'looking' })
  expect(lines.map(({ msg }) => msg)).toEqual(['looking failed; retrying', 'looking works again'])
})
