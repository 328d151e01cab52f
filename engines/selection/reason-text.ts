import type { SelectionReason, SkipReason } from './types.ts'

const shortSha = (commitSha: string) => commitSha.slice(0, 7)

/** Says why a test runs, as a clause whose subject is the test. */
export function reasonText(reason: SelectionReason): string {
  switch (reason.kind) {
    case 'all':
      return 'runs because every test runs'
    case 'changed':
      return 'changed'
    case 'new':
      return 'is new'
    case 'imports':
      return reason.path.length === 1 ? 'belongs to what changed' : `uses ${reason.path.slice(1).join(' -> ')}`
    case 'reached':
      return `ran changed code of ${reason.file} when it was measured at ${shortSha(reason.commitSha)}`
    case 'unknown_imports':
      return `uses ${reason.path.slice(1).join(' -> ') || 'modules itself'}, which loads ${reason.what}`
    case 'failed':
      return 'failed lately'
    case 'flaky':
      return 'is flaky'
    case 'never_passed':
      return 'did not pass lately'
    default:
      return 'always runs, by setting'
  }
}

/** Says why a test file does not run, as a clause whose subject is the file. */
export function skipText(reason: SkipReason): string {
  switch (reason.kind) {
    case 'unaffected':
      return 'uses nothing that changed'
    case 'not_reached':
      return `did not run the changed code of ${reason.file} when it was measured at ${shortSha(reason.commitSha)}`
    default:
      return `is beyond the budget, although it ${reasonText(reason.reason)}`
  }
}
