import { expect, test } from 'vitest'
import type { Change } from '../core/changes/schema.ts'
import type { ChangeEvidence } from '../engines/verdicts/change/schema.ts'
import { adviceForChange, baseInWords } from './change-advice.ts'
import { changeDigest } from './change-words.ts'
import { changeEvidence } from './testing/change-evidence.ts'

test('says what a change was compared with', () => {
  const baseSha = '1a2b3c4'.padEnd(40, '0')
  const said = (base: string | null, { head = null as string | null, branch = null as string | null } = {}) =>
    baseInWords({ base, baseSha, head }, branch)
  expect(said('main', { branch: 'feature', head: baseSha })).toBe('where `feature` left `main` (1a2b3c4)')
  expect(said('main', { head: 'topic' })).toBe('where `topic` left `main` (1a2b3c4)')
  expect(said('main', { head: baseSha })).toBe('where the change left `main` (1a2b3c4)')
  expect(said('main', { branch: 'main' })).toBe('`main` (1a2b3c4)')
  expect(said('HEAD~1', { branch: 'main' })).toBe('`HEAD~1` (1a2b3c4)')
  expect(said(baseSha)).toBe('the commit 1a2b3c4')
  expect(baseInWords({ base: 'main', baseSha: null, head: null }, null)).toBeNull()
})

const change: Pick<Change, 'status' | 'verdict' | 'isProvisional' | 'intent' | 'error' | 'snapshotId'> = {
  status: 'completed',
  verdict: 'proved',
  isProvisional: false,
  intent: 'change',
  error: null,
  snapshotId: null,
}
const wording = { wait: 'WAIT.', again: 'AGAIN', base: 'BASE', unpushed: 'UNPUSHED' }
const advice = (fields: Partial<typeof change>, evidence: ChangeEvidence | null = changeEvidence()) =>
  adviceForChange({ ...change, ...fields, evidence }, wording)

test('says what to do after each verdict', () => {
  expect(advice({})).toContain('Commit exactly this state')
  expect(advice({ verdict: 'unproved' })).toMatch(/Do not call the change done\..*AGAIN\.$/)
  // An agent could take it for a way to a green verdict.
  expect(advice({ verdict: 'unproved' })).not.toMatch(/same/i)
  expect(advice({ verdict: 'broken' })).toContain('Do not weaken or skip tests')
  expect(advice({ verdict: 'not_built' })).toContain('Fix the error in the output')
  expect(advice({ verdict: 'flaky' })).toContain('Do not add retries')
  expect(advice({ verdict: 'no_code_changed' })).toContain('check BASE')
})

test('names only what the evidence shows to be missing', () => {
  const survivor = {
    path: 'src/cart.js',
    line: 3,
    operator: 'boundary' as const,
    original: 'a > b',
    replacement: 'a >= b',
  }
  const counts = { found: 4, tried: 4, killed: 3, timedOut: 0, invalid: 0, survived: 1, seed: 'a' }
  const weak = changeEvidence({ mutation: { ...counts, survivors: [survivor] } })
  expect(advice({ verdict: 'unproved' })).toContain('missing: a test that fails without the change. Then AGAIN.')
  expect(advice({ verdict: 'unproved', intent: 'same' }, weak)).toContain(
    'missing: assertions against the survivors. Then',
  )
  const unknown = changeEvidence({ reason: 'no_result' })
  expect(advice({ verdict: 'unproved' }, unknown)).toMatch(/Add what is missing\. Then AGAIN\.$/)
  const uninstalled = changeEvidence({ reason: 'install_failed', output: 'npm error 404 left-pad' })
  expect(advice({ verdict: 'unproved' }, uninstalled)).toMatch(
    /^The project's dependencies cannot be installed, .*output/,
  )
  expect(
    changeDigest({ verdict: 'unproved', intent: 'change' }, uninstalled, { maxBytes: 3_300, audience: 'tools' }).output,
  ).toBe('npm error 404 left-pad')
})

test('says that a verdict is provisional, and what has not run', () => {
  const evidence = changeEvidence({ notRun: ['without_change', 'mutants'] })
  expect(advice({ status: 'running', isProvisional: true }, evidence)).toBe(
    'This verdict is provisional and can change. Not run yet: the tests of the change without it, the mutants. WAIT.',
  )
  const unfinished = changeEvidence({ reason: 'not_finished', notRun: ['mutants'] })
  expect(advice({ status: 'running', verdict: 'unproved', isProvisional: true }, unfinished)).toBe(
    'Nothing is missing so far, but the change is not proved yet. Not run yet: the mutants. WAIT.',
  )
  expect(advice({ verdict: 'unproved' }, unfinished)).toMatch(/^Nothing is missing in what ran, .* AGAIN\.$/)
  expect(advice({ status: 'pending', verdict: null }, null)).toBe('Still pending, without a verdict. WAIT.')
})

test('says that no verdict means nothing for the change, and what helps', () => {
  const failed = { status: 'failed', verdict: null } as const
  expect(advice({ ...failed, error: { code: 'base_not_found', message: '' } }, null)).toContain('Give another BASE')
  expect(advice({ ...failed, error: { code: 'fetch_failed', message: '' } }, null)).toContain('Fix the cause')
  const unpushed = { ...failed, error: { code: 'commit_not_found', message: '' } }
  expect(advice(unpushed, null)).toContain('Push the commit, or UNPUSHED, then AGAIN.')
  expect(advice({ ...unpushed, snapshotId: 's' }, null)).toContain('Fix the cause')
  expect(advice({ status: 'cancelled', verdict: null }, null)).toContain('To get a verdict, AGAIN.')
})
