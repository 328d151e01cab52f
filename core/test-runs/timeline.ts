import { plainText } from '../../engines/reports/text.ts'
import type { CommandStep } from '../workspaces/run-parts.ts'
import { short } from './failures/short.ts'
import type { TimelineStep } from './schema.ts'

/** More steps are left out, because a run can have any number of parts and uploads. */
const maxSteps = 200
const maxLabel = 300

/** Adds a step unless the limit is reached. */
export function addStep(timeline: TimelineStep[], step: TimelineStep): void {
  if (timeline.length < maxSteps) timeline.push({ ...step, label: short(plainText(step.label), maxLabel) })
}

/** Converts a command that ended to the form that users see. */
export const presentStep = ({ command, kind, startedAt, durationMs, outcome }: CommandStep): TimelineStep => ({
  label: command,
  kind,
  startedAt: startedAt.toISOString(),
  durationMs,
  tests: null,
  outcome,
})

/** Returns the steps with the number of tests of each test command. */
export function withTestCounts(timeline: readonly TimelineStep[], counts: readonly number[]): TimelineStep[] {
  const left = counts.values()
  return timeline.map((step) => (step.kind === 'test' ? { ...step, tests: left.next().value ?? null } : step))
}
