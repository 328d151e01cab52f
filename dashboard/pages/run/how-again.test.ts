import { expect, test } from 'vitest'
import { howAgain } from './how-again.ts'

const run = {
  projectId: 'p',
  source: 'dashboard' as const,
  branch: 'main',
  commitSha: 'a'.repeat(40),
  snapshotId: null,
  type: 'UNIT' as const,
  selection: { paths: ['src/cart'], tests: [] },
  rerunOf: null,
  error: null,
}
const asked = { projectId: 'p', type: 'UNIT', paths: ['src/cart'] }

test('runs the same tests of the same code', () => {
  const state = { branch: 'main', commitSha: 'a'.repeat(40) }
  expect(howAgain(run)).toEqual({ kind: 'trigger', input: { ...asked, ...state } })
  expect(howAgain({ ...run, commitSha: null })).toEqual({ kind: 'trigger', input: { ...asked, branch: 'main' } })
  const ofSnapshot = { ...run, branch: null, snapshotId: 's' }
  expect(howAgain(ofSnapshot)).toEqual({ kind: 'trigger', input: { ...asked, snapshotId: 's' } })
})

test('repeats a rerun of failed tests', () => {
  expect(howAgain({ ...run, source: 'rerun', rerunOf: 'r' })).toEqual({ kind: 'rerun', input: { runId: 'r' } })
})

test('asks for another branch where the one of the run does not exist', () => {
  expect(howAgain({ ...run, error: { code: 'branch_not_found', message: '' } })).toEqual({ kind: 'ask' })
})

test('cannot repeat an upload, or a run of deleted code', () => {
  expect(howAgain({ ...run, source: 'upload' })).toBeUndefined()
  expect(howAgain({ ...run, snapshotId: 's', error: { code: 'snapshot_deleted', message: '' } })).toBeUndefined()
})
