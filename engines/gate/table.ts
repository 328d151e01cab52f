import type { GatePolicy } from './policy.ts'
import type { GateReason, GateState } from './schema.ts'

/** One line of the table that comments, check runs and the command line show. */
export interface GateLine {
  /** `✗`, `…`, `✓` or `–`. */
  sign: string
  rule: string
  text: string
  fix: string | null
}

const signs: Record<GateReason['outcome'], string> = {
  failed: '✗',
  error: '✗',
  waiting: '…',
  passed: '✓',
  nothing: '–',
}

const names: Record<GateReason['rule'], string> = {
  runs: 'Runs',
  uploads: 'Uploads',
  new_failures: 'New failures',
  new_flaky: 'New flaky tests',
  patch: 'Patch coverage',
  uncovered_lines: 'Uncovered lines',
  component: 'Component',
  unmeasured: 'Unmeasured files',
  proof: 'Proof',
  mutants: 'Mutants',
  project: 'Project coverage',
}

/** The reasons of a gate as lines of a table, the most important first. */
export const gateLines = (reasons: readonly GateReason[]): GateLine[] =>
  reasons.map(({ rule, component, outcome, text, fix }) => ({
    sign: signs[outcome],
    rule: component === null ? names[rule] : `${names[rule]} ${component}`,
    text,
    fix,
  }))

const titles: Record<GateState, string> = {
  pending: 'Waiting for results',
  success: 'All rules hold',
  failure: 'A rule fails',
  error: 'There is no result to judge',
  neutral: 'Nothing to judge',
}

const notes: Record<GatePolicy['mode'], string> = {
  off: ' (the gate is off)',
  informational: ' (informational)',
  enforced: '',
}

/** The state in one line, with the first reason where something is wrong. */
export function gateTitle(state: GateState, reasons: readonly GateReason[], mode: GatePolicy['mode']): string {
  const failed = reasons.filter(({ outcome }) => outcome === 'failed' || outcome === 'error').length
  const what = failed > 1 ? `${failed} rules fail` : titles[state]
  const [first] = reasons
  const why = state === 'success' || first === undefined ? '' : `: ${first.text}`
  const isRed = state === 'failure' || state === 'error'
  return `${what}${isRed ? notes[mode] : ''}${why}`
}
