import { expect, test } from 'vitest'
import { adviseOn } from './advice.ts'

const facts = { health: 'healthy', quarantine: null, lastFailure: null } as const
const muted = { id: 'q', status: 'active', mode: 'muted', expiresAt: '2026-12-01T00:00:00.000Z' } as const
const settled = { missing: null, unsettled: false }

test('a healthy test in quarantine is released, unless it fails now', () => {
  expect(adviseOn({ ...facts, quarantine: muted }, settled)).toBe('The test is healthy. Release its quarantine.')
  const failing = adviseOn({ ...facts, quarantine: muted }, { ...settled, unsettled: true })
  expect(failing).toContain('failed in the latest run of the default branch')
  expect(failing).toContain('before you release its quarantine')
  expect(failing).not.toContain('is healthy')
})

test('a healthy test that fails now points to the change', () => {
  expect(adviseOn(facts, settled)).toMatch(/^Trust its result/)
  expect(adviseOn(facts, { ...settled, unsettled: true })).toMatch(/^The test failed in the latest run .*first suspect/)
})

test.each([
  [{ passes: 1, days: 0.3 }, 'after 1 more pass and 1 more day without a failure.'],
  [{ passes: 59, days: 6.2 }, 'after 59 more passes and 7 more days without a failure.'],
  [{ passes: 0, days: 3 }, 'after 3 more days without a failure.'],
  [{ passes: 12, days: 0 }, 'after 12 more passes without a failure.'],
])('says what a flaky test lacks: %j', (missing, words) => {
  expect(adviseOn({ ...facts, health: 'flaky' }, { missing, unsettled: false })).toContain(words)
})
