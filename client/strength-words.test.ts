import { expect, test } from 'vitest'
import { adviceForStrength, previousInWords, strengthDigest, strengthInWords, survivorWords } from './strength-words.ts'
import { strengthEvidence } from './testing/strength-evidence.ts'

const wording = { wait: 'Wait.', again: 'measure again', suggest: 'look', unreached: 'see there' }
const completed = { status: 'completed', evidence: strengthEvidence({ survivors: 1 }), snapshotId: null } as const

test('says what a further measurement takes over, which no commit does from a working tree', () => {
  const ofCommit = adviceForStrength(completed, wording)
  expect(ofCommit).toMatch(/Then measure again: it continues where this one stopped\.$/)
  const ofSnapshot = adviceForStrength({ ...completed, snapshotId: 's' }, wording)
  expect(ofSnapshot).toMatch(
    /Then measure again, before you commit: it continues .* stopped\. A commit takes over no results of a working tree\.$/,
  )
  const { reached } = completed.evidence
  const whole = { ...completed, evidence: { ...completed.evidence, tried: reached } }
  expect(adviceForStrength(whole, wording)).toMatch(
    /Then measure again: it runs only test files that changed or that run a function that changed\.$/,
  )
})

test('a cancelled measurement says whether it has found anything', () => {
  const cancelled = { ...completed, status: 'cancelled' } as const
  expect(adviceForStrength(cancelled, wording)).toBe(
    'The measurement was cancelled, and keeps what it has found. To measure the rest, measure again.',
  )
  for (const evidence of [null, { ...strengthEvidence({}), tried: 0 }]) {
    expect(adviceForStrength({ ...cancelled, evidence }, wording)).toBe(
      'The measurement was cancelled before it had found anything. To measure, measure again.',
    )
  }
})

test('names the lines that no test runs, most changes first, and counts the others', () => {
  const unreached = (count: number) => {
    const files = Array.from({ length: count }, (_, index) => ({
      path: `src/${count - index}.js`,
      changes: count - index,
      lines: count - index,
      at: Array.from({ length: count - index }, (_, line) => line + 2),
    }))
    const changes = files.reduce((sum, file) => sum + file.changes, 0)
    const found = { ...strengthEvidence({}), unreached: { changes, lines: changes, files } }
    return strengthDigest(found, { maxBytes: 5_000, audience: 'commands' }).unreached
  }
  expect([0, 1, 2, 4, 6].map(unreached)).toEqual([
    null,
    '1 change on 1 line: src/1.js:2 (1)',
    '3 changes on 3 lines: src/2.js:2, 3 (2), src/1.js:2 (1)',
    '10 changes on 10 lines: src/4.js:2, 3, 4, 5 (4), src/3.js:2, 3, 4 (3), src/2.js:2, 3 (2) and 1 more file',
    '21 changes on 21 lines: src/6.js:2, 3, 4, 5, 6, … (6), src/5.js:2, 3, 4, 5, 6 (5), src/4.js:2, 3, 4, 5 (4) and 3 more files',
  ])
})

test('says that code is not run where tests notice everything that was tried', () => {
  const unreached = { changes: 3, lines: 2, files: [{ path: 'src/queue.ts', changes: 3, lines: 2, at: [7, 9] }] }
  const whole = strengthEvidence({})
  const evidence = { ...whole, tried: whole.reached, unreached }
  expect(adviceForStrength({ ...completed, evidence }, wording)).toBe(
    'Tests notice every change that was tried. No test runs 3 other changes on 2 lines: see there. Write tests that run them.',
  )
})

test('shows the line of a short change, and what is removed', () => {
  const [first] = strengthEvidence({ survivors: 1 }).survivors
  if (!first) throw new Error('no survivor')
  const context = { original: 'let end = 0', replacement: 'let end = 1' }
  expect(survivorWords({ ...first, original: '0', replacement: '1', context })).toMatchObject({
    place: 'src/0.js:1:8',
    ...context,
  })
  const removed = { ...first, operator: 'removed_call', original: 'jobs.sort()' } as const
  for (const replacement of [';', 'pass', '']) {
    expect(survivorWords({ ...removed, replacement })).toMatchObject({
      original: 'jobs.sort()',
      replacement: '(removed)',
    })
  }
  // Evidence of older measurements has no column.
  expect(survivorWords({ ...first, column: null }).place).toBe('src/0.js:1')
})

test('counts one of anything in the singular', () => {
  const strength = { percent: 50, interval: [0, 100] as [number, number] }
  expect(strengthInWords({ strength, reached: 1 })).toBe(
    '50 %, and between 0 and 100 % for the 1 change that tests run',
  )
  const previous = { id: 'm', commitSha: null, completedAt: '2026-11-26T00:00:00Z', ...strength, change: -1 }
  const point = { percent: 49, interval: [49, 49] as [number, number] }
  expect(previousInWords({ ...previous, interval: [50, 50] }, point)).toBe('50 % on 2026-11-26; 1 point less now')
})

test('shows the interval of an earlier strength, and names no difference that may be chance', () => {
  const previous = {
    id: 'm',
    commitSha: null,
    completedAt: '2026-11-26T00:00:00Z',
    percent: 75,
    interval: [0.5, 99.8] as [number, number],
  }
  const now = { percent: 49.2, interval: [40, 60] as [number, number] }
  expect(previousInWords({ ...previous, change: null }, now)).toBe(
    '75 % (between 0.5 and 99.8 %) on 2026-11-26; now 49.2 % (between 40 and 60 %), too wide to tell whether the strength has changed',
  )
  const sure = { ...previous, interval: [70, 80] as [number, number], change: -25.8 }
  expect(previousInWords(sure, now)).toBe('75 % (between 70 and 80 %) on 2026-11-26; 25.8 points less now')
})
