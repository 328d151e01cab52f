import { expect, test } from 'vitest'
import { whereMeasured } from './coverage-words.ts'

const measured = { commitSha: 'abcdef0123456789', behind: 0, measuredFiles: 4, changedFiles: 0, goneFiles: 0 }

test.each([
  [
    undefined,
    'Coverage is estimated, because the measured coverage of this working tree is not known. trigger_run measures it.',
  ],
  [null, 'Coverage is estimated, because no run has measured it. trigger_run measures it.'],
  [measured, 'Coverage was measured at this commit.'],
  [{ ...measured, changedFiles: 1 }, 'Coverage was measured at this commit; 1 measured file changed since.'],
  [{ ...measured, behind: 1 }, 'Coverage was measured 1 commit earlier, at abcdef0.'],
  [
    { ...measured, behind: 50, changedFiles: 1, goneFiles: 2 },
    'Coverage was measured 50 commits earlier, at abcdef0; 1 measured file changed since; the commit does not have 2 measured files.',
  ],
  [
    {
      ...measured,
      measuredFiles: 1_205,
      goneFiles: 1,
      earlier: [
        { commitSha: 'db9d1d0a', behind: 1, measuredFiles: 4 },
        { commitSha: 'eeeeeeee', behind: 30, measuredFiles: 1_200 },
      ],
    },
    'Coverage of 1 file was measured at this commit, and of 4 files 1 commit earlier, at db9d1d0, of 1,200 files 30 commits earlier, at eeeeeee; the commit does not have 1 measured file.',
  ],
])('says where the coverage of %j comes from', (coverage, words) => {
  expect(whereMeasured(coverage, 'trigger_run measures it.')).toBe(words)
})

test('does not advise a caller to measure who has just tried to', () => {
  expect(whereMeasured(null, undefined)).toBe('Coverage is estimated, because no run has measured it.')
})
