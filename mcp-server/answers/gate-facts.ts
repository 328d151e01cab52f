import { z } from 'zod'
import type { Gate } from '../../core/gate/schema.ts'
import { GateState } from '../../engines/gate/schema.ts'
import { gateTitle } from '../../engines/gate/table.ts'
import { inWordsOf } from '../../client/procedure-names.ts'
import { Label, testName } from './failure-facts.ts'
import { maybe, untrusted } from './untrusted.ts'
import { dataNotice } from './output.ts'

const Line = untrusted.line(240)

const RuleFact = z.object({
  rule: z.string(),
  outcome: z.enum(['failed', 'error', 'waiting']),
  text: Line,
  fix: maybe(Line),
})

const FileFact = z.object({
  file: Label,
  /** Ranges of changed lines that no test runs, or why nothing is known. */
  uncovered: z.string(),
  symbol: maybe(Label),
  cases: z.array(Line).optional(),
  nearestTest: maybe(Label),
})

export const GateFacts = z.object({
  state: GateState,
  /** What the code host shows: neutral if the gate does not block. */
  conclusion: GateState,
  summary: Line,
  /** Rules that fail or wait, the most important first. */
  rules: z.array(RuleFact),
  coverage: maybe(z.string()),
  failing: z.array(Label).optional(),
  flaky: z.array(Label).optional(),
  files: z.array(FileFact).optional(),
  moreFiles: z.int().optional(),
  gateId: z.string(),
  projectId: z.string(),
  url: z.string(),
  sent: maybe(untrusted.line(700)),
  head: maybe(untrusted.name(255)),
  base: untrusted.name(255),
  note: z.string(),
  next: z.string(),
})

const maxRules = 4
const maxTests = 3
const maxFiles = 4
const maxRanges = 4
const maxCases = 2

/** What an agent has to know of a gate, within 1,500 tokens. */
export function gateFacts(gate: Gate, sent?: string): z.input<typeof GateFacts> {
  const { state, conclusion, mode, reasons, figures } = gate
  const open = reasons.flatMap(({ rule, component, outcome, text, fix }) =>
    outcome === 'passed' || outcome === 'nothing'
      ? []
      : {
          rule: component === null ? rule : `${rule} ${component}`,
          outcome,
          text: inWordsOf('tools', text),
          fix: fix && inWordsOf('tools', fix),
        },
  )
  const files = gate.files.filter(
    ({ uncovered, partial, state }) => state !== 'measured' || uncovered.length + partial.length > 0,
  )
  return {
    state,
    conclusion,
    summary: gateTitle(state, reasons, mode),
    rules: open.slice(0, maxRules),
    coverage:
      figures &&
      (figures.lines.total === 0
        ? 'no changed line was measured'
        : `${figures.lines.covered} of ${figures.lines.total} changed lines`),
    ...namesOf('failing', figures?.failures.fresh ?? []),
    ...namesOf('flaky', figures?.flaky.fresh ?? []),
    ...(files.length > 0 && { files: files.slice(0, maxFiles).map(fileFact) }),
    ...(files.length > maxFiles && { moreFiles: files.length - maxFiles }),
    gateId: gate.id,
    projectId: gate.projectId,
    url: gate.url,
    sent,
    head: gate.branch ?? gate.headSha,
    base: gate.base,
    note: dataNotice,
    next: nextOf(gate),
  }
}

function namesOf(name: 'failing' | 'flaky', tests: readonly { suite: string; name: string }[]) {
  return tests.length === 0 ? {} : { [name]: tests.slice(0, maxTests).map(testName) }
}

const fileFact = ({
  path,
  state,
  uncovered,
  partial,
  symbol,
  cases,
  nearestTest,
}: Gate['files'][number]): z.input<typeof FileFact> => ({
  file: path,
  uncovered:
    state === 'measured'
      ? linesText(uncovered, partial)
      : state === 'unmeasured'
        ? 'no report names it'
        : 'measured in another version',
  symbol,
  ...(cases.length > 0 && { cases: cases.slice(0, maxCases).map(({ line, text }) => `line ${line}: ${text}`) }),
  nearestTest,
})

function linesText(uncovered: Gate['files'][number]['uncovered'], partial: Gate['files'][number]['partial']): string {
  const all = [
    ...uncovered.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)),
    ...partial.map(({ line, covered, total }) => `${line} (${covered} of ${total} branches)`),
  ]
  return `${all.slice(0, maxRanges).join(', ')}${all.length > maxRanges ? ` and ${all.length - maxRanges} more` : ''}`
}

/** One thing to do. */
const ofLines = new Set<string>(['patch', 'uncovered_lines', 'component'])

function nextOf({ state, snapshotId, reasons, figures }: Gate): string {
  const [first] = reasons
  if (state === 'success') return 'The gate holds. Nothing is left to do.'
  if (figures === null || (state === 'pending' && figures.runs.ended + figures.runs.open === 0)) {
    return snapshotId === null
      ? 'Call trigger_run for the commit, wait_for_run, then check_patch again.'
      : `Call trigger_run with the same localPath, wait_for_run, then check_patch again.`
  }
  if (state === 'pending') return 'Call check_patch again when the run has ended.'
  if (first?.rule === 'new_failures') return 'Call get_run_failures for the errors, fix them, and check_patch again.'
  if (first && !ofLines.has(first.rule)) return 'Do what the fix of the first rule says, and call check_patch again.'
  return 'Add tests for the uncovered lines in the nearest test file, run them with trigger_run, and check_patch again.'
}
