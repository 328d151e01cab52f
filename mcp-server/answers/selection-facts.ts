import { z } from 'zod'
import type { SelectedTests } from '../../core/selection/schema.ts'
import { Label } from './failure-facts.ts'
import { dataNotice } from './output.ts'
import { maybe, untrusted } from './untrusted.ts'

const Line = untrusted.line(200)

export const SelectionFacts = z.object({
  mode: z.enum(['impacted', 'all']),
  /** Why all tests run. */
  whyAll: maybe(Line),
  files: z.object({ all: z.int(), selected: z.int(), cut: z.int().optional() }),
  seconds: maybe(z.string()),
  tests: z.array(z.object({ file: Label, because: Line })).optional(),
  more: z.int().optional(),
  /** What the project's own history says of selections. */
  evidence: z.string(),
  projectId: z.string(),
  base: z.string(),
  sent: maybe(untrusted.line(700)),
  note: z.string(),
  next: z.string(),
})

const maxTests = 20

/** What an agent has to know of a selection. */
export function selectionFacts(
  { projectId, sent }: { projectId: string; sent?: string | undefined },
  { mode, whyAll, counts, seconds, tests, evidence, baseSha, snapshotId }: SelectedTests,
): z.input<typeof SelectionFacts> {
  const listed = mode === 'all' ? [] : tests.slice(0, maxTests).map(({ file, because }) => ({ file, because }))
  const again = snapshotId === null ? 'the same arguments' : 'the same localPath'
  return {
    mode,
    whyAll,
    files: { all: counts.all, selected: counts.selected, ...(counts.cut > 0 && { cut: counts.cut }) },
    seconds: seconds.all > 0 ? `${Math.round(seconds.selected)} of ${Math.round(seconds.all)} s` : null,
    ...(listed.length > 0 && { tests: listed }),
    ...(mode === 'impacted' && counts.selected > listed.length && { more: counts.selected - listed.length }),
    evidence:
      evidence.recall === null
        ? 'No run of this project has shown yet whether selections have every test that breaks.'
        : `The selection had every broken test in ${evidence.caughtRuns} of ${evidence.redRuns} runs that a change broke.`,
    projectId,
    base: baseSha,
    sent,
    note: dataNotice,
    next:
      mode === 'impacted' && counts.selected === 0
        ? 'No test can notice the change: add one, or continue.'
        : `Run them yourself, or call trigger_run with ${again} and selection "impacted".`,
  }
}
