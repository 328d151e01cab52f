import { expect, test } from 'vitest'
import { readEvent } from './events.ts'
import { Tally } from './tally.ts'

const lines = [
  '{"kind":"ready","tests":3,"failed":1}',
  '{"kind":"reach","file":"a.test.ts","test":"wide","ms":2,"failed":false,"probes":[1,2,3]}',
  '{"kind":"reach","file":"a.test.ts","test":"narrow","ms":9.5,"failed":false,"probes":[1]}',
  '{"kind":"reach","file":"a.test.ts","test":"red","ms":1,"failed":true,"probes":[4]}',
  '{"kind":"load","file":"b.test.ts","ms":40,"probes":[2]}',
  '{"kind":"tried","id":1,"outcome":"passed"}',
  '{"kind":"decided","id":1,"outcome":"survived","tries":2}',
  '{"kind":"decided","id":2,"outcome":"noticed","file":"a.test.ts","test":"wide","message":"expected 1"}',
  '{"kind":"decided","id":5,"outcome":"timed_out","file":null,"test":null}',
  '{"kind":"tried","id":1}',
  '{"kind":"tried","id":3}',
  '{"kind":"end","isComplete":false}',
]
/** Lines that the project's own code could write. */
const forged = [
  '{"kind":"decided","id":99,"outcome":"noticed"}',
  '{"kind":"decided","id":1,"outcome":"noticed","file":"a.test.ts","test":null}',
  '{"kind":"decided","id":-1,"outcome":"won"}',
  `{"kind":"error","message":"${'x'.repeat(5_000)}"}`,
  'not JSON',
  'null',
  '',
]

test('counts what a driver decides, and ignores what it cannot have decided', () => {
  // Mutants 1 and 5 share a statement.
  const probes = new Map([
    [1, 1],
    [2, 2],
    [3, 3],
    [4, 4],
    [5, 1],
  ])
  const tally = new Tally(probes)
  tally.beginPart()
  const decided = [...lines, ...forged].flatMap((line) => {
    const event = readEvent(line)
    return event ? (tally.take(event)?.id ?? []) : []
  })
  expect(decided).toEqual([1, 2, 5])
  expect(tally).toMatchObject({ tests: 3, failing: 1, isComplete: false, errors: [] })
  expect(tally.counts([...probes.keys()].map((id) => ({ id })))).toEqual({
    found: 5,
    reached: 4,
    tried: 3,
    undecided: 1,
    kept: 0,
    noticed: 2,
    timedOut: 1,
    survived: 1,
    lost: 0,
  })
  expect(tally.testsOf(5).map(({ test: name }) => name)).toEqual(['narrow', 'wide'])
  expect(tally.testsOf(2)).toEqual([
    { file: 'a.test.ts', test: 'wide' },
    { file: 'b.test.ts', test: null },
  ])
  expect(tally.decided.get(2)).toMatchObject({ outcome: 'noticed', by: { test: 'wide' } })
})
