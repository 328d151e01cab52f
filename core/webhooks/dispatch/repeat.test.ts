import { pino } from 'pino'
import { expect, test } from 'vitest'
import { Gate } from './gate.ts'
import { repeat } from './repeat.ts'

const log = pino({ level: 'silent' })
const enough = 1_000_000

test.each([0, -1, Number.NaN])('a step to be done again in %d ms lets everything else go on', async (waitMs) => {
  const stopping = new AbortController()
  setTimeout(() => stopping.abort(), 5)
  let steps = 0
  const step = async () => {
    if (++steps > enough) throw new Error('Nothing else got a turn.')
    return waitMs
  }
  await repeat({ step, gate: new Gate(), until: stopping.signal, log, name: 'spinning' })
  expect(steps).toBeLessThan(enough)
})

test('a gate that is opened in every step lets everything else go on', async () => {
  const stopping = new AbortController()
  const gate = new Gate()
  setTimeout(() => stopping.abort(), 5)
  let steps = 0
  const step = async () => {
    if (++steps > enough) throw new Error('Nothing else got a turn.')
    gate.open()
    return Number.POSITIVE_INFINITY
  }
  await repeat({ step, gate, until: stopping.signal, log, name: 'spinning' })
  expect(steps).toBeLessThan(enough)
})

test('what fails is done again, and the log hears of the beginning and the end of that', async () => {
  const stopping = new AbortController()
  const lines: { msg: string }[] = []
  const told = pino({}, { write: (line) => void lines.push(JSON.parse(line)) })
  let steps = 0
  const step = async () => {
    if (++steps === 1) throw new Error('away')
    if (steps === 3) stopping.abort()
    return 0
  }
  await repeat({ step, gate: new Gate(), until: stopping.signal, log: told, name: 'looking' })
  expect(lines.map(({ msg }) => msg)).toEqual(['looking fails at the moment', 'looking works again'])
})
