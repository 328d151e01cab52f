import { expect, test } from 'vitest'
import type { StrengthEvidence } from '../engines/strength/schema.ts'
import { adviceForStrength, previousInWords, strengthDigest, strengthInWords } from './strength-words.ts'
import { strengthEvidence } from './testing/strength-evidence.ts'

const wording = { wait: 'Wait.', again: 'measure again', suggest: 'look' }
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
  expect(adviceForStrength(whole, wording)).toMatch(/Then measure again: it tries only what changed\.$/)
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

test('names the files with most changes that no test runs, and counts the others', () => {
  const { files, ...evidence } = strengthEvidence({})
  const counts = { tried: 0, noticed: 0, timedOut: 0, survived: 0, strength: null }
  const fileOf = (index: number) => ({ path: `src/${index}.js`, found: index, reached: 0, ...counts })
  const unreached = (count: number) => {
    const found: StrengthEvidence = {
      ...evidence,
      files: [...files, ...Array.from({ length: count }, (_, at) => fileOf(at))],
    }
    return strengthDigest(found, { maxBytes: 5_000, audience: 'commands' }).unreached
  }
  expect([1, 3, 5, 9].map(unreached)).toEqual([
    null,
    'src/2.js (2), src/1.js (1)',
    'src/4.js (4), src/3.js (3), src/2.js (2) and 1 more file',
    'src/8.js (8), src/7.js (7), src/6.js (6) and 5 more files',
  ])
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
