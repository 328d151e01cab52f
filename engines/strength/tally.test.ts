import { expect, test } from 'vitest'
import { countsOf, keptOf } from './counts.ts'
import { readEvent } from './events.ts'
import { Tally } from './tally.ts'

const reports = { loadsLast: true }

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
  const tally = new Tally({ probes })
  tally.beginPart(reports)
  const decided = [...lines, ...forged].flatMap((line) => {
    const event = readEvent(line)
    return event ? (tally.take(event)?.id ?? []) : []
  })
  expect(decided).toEqual([1, 2, 5])
  expect(tally).toMatchObject({ tests: 3, failing: 1, isComplete: false, errors: [] })
  const mutants = [...probes.keys()].map((id) => ({ id }))
  expect(countsOf(tally, mutants)).toEqual({
    found: 5,
    reached: 4,
    tried: 3,
    noticed: 2,
    timedOut: 1,
    survived: 1,
    strength: { percent: 66.7, interval: [50, 75] },
  })
  expect(keptOf(tally, mutants)).toBe(0)
  expect(tally.testsOf(5).map(({ test: name }) => name)).toEqual(['narrow', 'wide'])
  expect(tally.testsOf(2)).toEqual([
    { file: 'a.test.ts', test: 'wide' },
    { file: 'b.test.ts', test: null },
  ])
  expect(tally.decided.get(2)).toMatchObject({ outcome: 'noticed', by: { test: 'wide' } })
})

/** Two mutants and the events of parts. */
function ofParts(...parts: string[][]) {
  const tally = new Tally({
    probes: new Map([
      [1, 1],
      [2, 2],
    ]),
  })
  for (const part of parts) {
    tally.beginPart(reports)
    for (const line of part) {
      const event = readEvent(line)
      if (event) tally.take(event)
    }
  }
  return tally
}

const reach = (file: string, ...probes: number[]) =>
  JSON.stringify({ kind: 'reach', file, test: 'x', ms: 1, failed: false, probes })
const ready = '{"kind":"ready","tests":1,"failed":0,"isComplete":true}'
const late = '{"kind":"ready","tests":1,"failed":0,"isComplete":false}'
const survived = (id: number, kept = false) => JSON.stringify({ kind: 'decided', id, outcome: 'survived', kept })
const noticed = (id: number) => JSON.stringify({ kind: 'decided', id, outcome: 'noticed', file: 'b.js', test: 'x' })
const lost = (id: number) => JSON.stringify({ kind: 'decided', id, outcome: 'lost' })
const end = '{"kind":"end","isComplete":true}'
const stopped = '{"kind":"end","isComplete":false}'
const first = [reach('a.js', 1, 2), ready, survived(1), survived(2, true), end]

test('a mutant survives if the tests of all parts accept it', () => {
  const outcomesOf = (...parts: string[][]) => {
    const tally = ofParts(first, ...parts)
    tally.forgetOpen()
    return [1, 2].map((id) => tally.decided.get(id)?.outcome)
  }
  expect(outcomesOf([reach('b.js', 1, 2), ready, noticed(1), survived(2), end])).toEqual(['noticed', 'survived'])
  expect(outcomesOf([reach('b.js', 1), ready, lost(1), end])).toEqual(['lost', 'survived'])
  expect(outcomesOf([ready, end])).toEqual(['survived', 'survived'])
  // The time was over before the part tried it, or before it ran.
  expect(outcomesOf([reach('b.js', 1), ready, stopped])).toEqual([undefined, 'survived'])
  expect(outcomesOf([reach('b.js', 1), late, stopped])).toEqual([undefined, undefined])
  expect(outcomesOf([])).toEqual([undefined, undefined])
  expect(outcomesOf()).toEqual(['survived', 'survived'])
  // Its tests cannot run.
  expect(outcomesOf(['{"kind":"error","message":"old"}', stopped])).toEqual(['survived', 'survived'])
})

test('a result counts as known only if no part had to try the mutant', () => {
  const again = [reach('b.js', 1, 2), ready, survived(1, true), survived(2, true), end]
  expect([...ofParts(first, again).kept]).toEqual([2])
  expect([...ofParts(first, [...again.slice(0, 2), survived(2), end]).kept]).toEqual([])
})

test('knows that a part is missing', () => {
  const tally = ofParts(first)
  expect([tally.isComplete, tally.lacksTests]).toEqual([true, false])
  tally.hasOthers = true
  expect([tally.isComplete, tally.lacksTests]).toEqual([false, true])
  const broken = ofParts(first, ['{"kind":"error","message":"old"}', stopped])
  expect([broken.isComplete, broken.lacksTests]).toEqual([false, true])
  // A process of the runner ended before all of its tests had run.
  const crashed = ofParts([reach('a.js', 1, 2), late, survived(1), survived(2), end])
  expect([crashed.isComplete, crashed.lacksTests]).toEqual([false, false])
  const over = ofParts(first, [late, stopped])
  over.hasOthers = true
  expect([over.isComplete, over.lacksTests]).toEqual([false, false])
})

test('what the tests of a file reach is known as soon as it has ended, whatever other files do', () => {
  const load = '{"kind":"load","file":"a.js","ms":1,"probes":[]}'
  const known = (...lines: string[]) =>
    ofParts(lines)
      .reaches()
      .map(({ file, tests }) => [file, tests !== null])
  expect(known(reach('a.js', 1), load, reach('b.js', 2))).toEqual([
    ['a.js', true],
    ['b.js', false],
  ])
})
