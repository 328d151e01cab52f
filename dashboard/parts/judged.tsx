import { type ReactNode, useEffect, useState } from 'react'
import { CodeLink, type CodeOf } from './code-link.tsx'
import { Icon } from './icon.tsx'
import { Prose } from './prose.tsx'
import { lookOf, Status } from './status.tsx'
import { formatDuration } from './time-text.ts'

/** The part of a verification, a change or a measurement that decides how it is shown. */
export interface Judged {
  status: 'pending' | 'running' | 'completed' | 'failed' | 'cancelled'
  verdict: string | null
  isProvisional: boolean
  error: { code: string; message: string } | null
  createdAt: string
  startedAt: string | null
  completedAt: string | null
}

export const hasEnded = ({ status }: Pick<Judged, 'status'>) => status !== 'pending' && status !== 'running'

/** How long one call waits for the end of a record. In between, the page learns what progressed. */
export const followSeconds = 2

/** The interval until the next call for a record that has not ended. */
export const followInterval = ({ state }: { state: { data?: Pick<Judged, 'status'> | undefined } }) =>
  state.data && !hasEnded(state.data) ? 250 : false

/** The verdict, or the status of a record without one. What is not done yet is always partial, which says nothing. */
const shownOf = (of: Pick<Judged, 'status' | 'verdict'>) =>
  of.verdict === null || (of.verdict === 'partial' && !hasEnded(of)) ? of.status : of.verdict

export function VerdictStatus({ of }: { of: Pick<Judged, 'status' | 'verdict' | 'isProvisional'> }) {
  const shown = shownOf(of)
  return (
    <span className="verdict-status">
      <Status of={shown} />
      {of.isProvisional && shown === of.verdict ? <span className="tag">Provisional</span> : undefined}
    </span>
  )
}

/** Names of verdicts or statuses as choices of a filter. */
export const optionsOf = (names: readonly string[]) => names.map((name) => [name, lookOf(name).text] as const)

export const durationOf = ({ startedAt, completedAt }: Pick<Judged, 'startedAt' | 'completedAt'>) =>
  startedAt && completedAt ? Date.parse(completedAt) - Date.parse(startedAt) : null

/** A record in a list. */
export interface Reasoned extends Judged {
  summary: string | null
  progress: { phase: string; done: number; total: number } | null
}

/** The reason in a list, in two lines; while the work runs, its phase. */
export function Reason({ of }: { of: Reasoned }) {
  const text = of.summary ?? of.error?.message
  return (
    <span className="summary-cell" title={text}>
      {text ?? <span className="quiet">{progressOf(of)}</span>}
    </span>
  )
}

function progressOf({ progress, status }: Reasoned): string {
  if (status === 'pending') return 'waiting for a free worker'
  if (!progress) return ''
  const runs = progress.total > 0 ? `, ${progress.done} of ${progress.total}` : ''
  return `${phaseTexts[progress.phase] ?? progress.phase.replaceAll('_', ' ')}${runs}`
}

/** The phases whose names say too little. */
const phaseTexts: Record<string, string> = {
  building: 'running the test alone',
  baseline: 'running the other tests',
  comparing: 'running all tests',
  running_head: 'running tests with the change',
  running_base: 'running tests before the change',
  without_change: 'running new tests without the change',
  finding_mutants: 'finding small changes',
  mutating: 'trying small changes',
  trying_mutants: 'trying small changes',
}

interface AnswerProps {
  of: Judged
  /** The reason in sentences. */
  summary: string | undefined
  children?: ReactNode
}

/** The answer of a page with a verdict: the verdict first, then the reason in a sentence. */
export function Answer({ of, summary, children }: AnswerProps) {
  return (
    <div className={`card answer answer-${shownOf(of)}`} role="status" aria-live="polite">
      <VerdictStatus of={of} />
      {of.error ? (
        <p className="answer-text">
          <Prose text={of.error.message} /> <code className="quiet">{of.error.code}</code>
        </p>
      ) : undefined}
      {summary !== undefined && summary !== '' ? (
        <p className="answer-text">
          <Prose text={summary} />
        </p>
      ) : undefined}
      {children}
    </div>
  )
}

interface PhasesProps {
  /** Every phase in its usual order, with its name. */
  phases: readonly (readonly [id: string, name: string])[]
  status: Judged['status']
  startedAt: string | null
  progress: { phase: string; done: number; total: number } | null
}

/** The phases of work that runs. The current one shows how many of its runs are done. */
export function Phases({ phases, status, startedAt, progress }: PhasesProps) {
  const at = phases.findIndex(([id]) => id === progress?.phase)
  return (
    <div className="card phases">
      <p className="row">
        <strong>{status === 'pending' ? 'Waiting for a free worker' : (phases[at]?.[1] ?? 'Starting')}</strong>
        {progress && progress.total > 0 ? (
          <span className="number">
            {progress.done} of {progress.total}
          </span>
        ) : undefined}
        {startedAt ? <Elapsed since={startedAt} /> : undefined}
      </p>
      <progress
        aria-label="Progress of the current phase"
        max={progress && progress.total > 0 ? progress.total : 1}
        {...(progress && progress.total > 0 ? { value: progress.done } : {})}
      />
      <ol className="phase-list">
        {phases.map(([id, name], index) => (
          <li key={id} aria-current={index === at ? 'step' : undefined} className={index < at ? 'past' : undefined}>
            <Icon name={index < at ? 'passed' : index === at ? 'running' : 'pending'} />
            {name}
            {index < at ? <span className="visually-hidden">, done</span> : undefined}
          </li>
        ))}
      </ol>
    </div>
  )
}

function Elapsed({ since }: { since: string }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <span className="quiet number">
      {formatDuration(1_000 * Math.round(Math.max(0, now - Date.parse(since)) / 1_000))}
    </span>
  )
}

/** What was not measured, or not as well. */
export function Warnings({ of }: { of: readonly string[] }) {
  if (of.length === 0) return undefined
  return (
    <ul className="warnings">
      {of.map((warning) => (
        <li key={warning}>
          <Prose text={warning} />
        </li>
      ))}
    </ul>
  )
}

interface Change {
  path: string
  line: number
  original: string
  replacement: string
  context?: { original: string; replacement: string } | null | undefined
}

/** A small change of the code: its place, the text before and the text after. */
export function Mutation({ of, code, operator }: { of: Change; code: CodeOf; operator?: string | undefined }) {
  const { original, replacement } = of.context ?? of
  return (
    <div className="mutation">
      <p className="row">
        <CodeLink {...code} path={of.path} line={of.line} />
        {operator === undefined ? undefined : <span className="quiet">{operators[operator] ?? operator}</span>}
      </p>
      <Difference before={original} after={replacement} />
    </div>
  )
}

const operators: Record<string, string> = {
  condition: 'condition',
  boundary: 'boundary',
  return: 'return value',
  arithmetic: 'arithmetic',
  removed_call: 'call removed',
  removed_throw: 'throw removed',
  restored: 'code from before the change',
  removed_assignment: 'assignment removed',
  value: 'other value',
}

/** Text before and after a change, told apart by signs and by color. */
export function Difference({ before, after }: { before: string; after: string }) {
  return (
    <div className="difference">
      <del>
        <span className="sign">Before</span>
        <code>{before.slice(0, 2_000)}</code>
      </del>
      <ins>
        <span className="sign">After</span>
        <code>{after === '' ? '(nothing)' : after.slice(0, 2_000)}</code>
      </ins>
    </div>
  )
}

export interface Share {
  name: string
  count: number
  tone: 'good' | 'bad' | 'warn' | 'broken' | 'busy' | 'quiet'
}

/** Shares of a whole as one bar, with a legend that has the numbers. Patterns tell the parts apart without color. */
export function ShareBar({ label, of }: { label: string; of: readonly Share[] }) {
  const parts = of.filter(({ count }) => count > 0)
  const total = parts.reduce((sum, { count }) => sum + count, 0)
  if (total === 0) return undefined
  return (
    <figure className="shares">
      <figcaption className="visually-hidden">{label}</figcaption>
      <div className="share-bar" aria-hidden="true">
        {parts.map(({ name, count, tone }) => (
          <span key={name} className={`share share-${tone}`} style={{ flexGrow: count }} title={`${name}: ${count}`} />
        ))}
      </div>
      <ul className="plain-list share-legend">
        {parts.map(({ name, count, tone }) => (
          <li key={name}>
            <span className={`share-key share-${tone}`} aria-hidden="true" />
            <span className="number">{count}</span> {name}
          </li>
        ))}
      </ul>
    </figure>
  )
}
