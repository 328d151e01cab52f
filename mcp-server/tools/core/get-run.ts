import { z } from 'zod'
import type { PlannedPart, Selection } from '../../../core/test-runs/schema.ts'
import { cleanLine, shorten } from '../../../client/sanitize.ts'
import { nameFact, testName } from '../../answers/failure-facts.ts'
import { dataNotice } from '../../answers/output.ts'
import { commandFact, hasEnded, renderRun, RunFact, runFact } from '../../answers/run-facts.ts'
import { defineTool, Id } from '../tool.ts'

const StepFact = z.object({ directory: z.string().optional(), command: z.string(), because: z.string() })

const Output = RunFact.extend({
  /** What it is confined to; of each kind the first ten. */
  onlyPaths: z.array(z.string()).optional(),
  onlyTests: z.array(z.string()).optional(),
  plan: z.array(StepFact).optional(),
  note: z.string(),
  next: z.string().optional(),
})

const maxSteps = 20
const maxSelected = 10

export const getRun = defineTool({
  name: 'get_run',
  title: 'Read a run',
  description: 'Status, counts, coverage and warnings of a run, and the commands it runs, each with why.',
  scope: 'tests:read',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  inputSchema: z.object({ runId: Id }),
  outputSchema: Output,
  run: async ({ runId }, call) => {
    const run = await call.core.testRuns.get.query({ runId })
    const fact = runFact(run)
    const failed = fact.status === 'FAILED' || fact.status === 'ERROR'
    return {
      ...fact,
      ...selectionFacts(run.selection),
      plan: run.plan ? stepFacts(run.plan) : undefined,
      note: dataNotice,
      ...(hasEnded(fact) ? {} : { next: `Call wait_for_run with runId ${runId} to wait for its end.` }),
      ...(failed ? { next: `Call get_run_failures with runId ${runId} for the causes.` } : {}),
    }
  },
  render: ({ onlyPaths, onlyTests, plan, note, next, ...run }) =>
    [
      ...renderRun(run),
      note,
      ...(onlyPaths ? [`Only the paths: ${onlyPaths.join(', ')}`] : []),
      ...(onlyTests ? [`Only the tests: ${onlyTests.join('; ')}`] : []),
      ...(plan ?? []).map(
        ({ directory, command, because }) =>
          `${directory === undefined ? '' : `in ${directory}: `}${command}\n   because: ${because}`,
      ),
      ...(next ? [next] : []),
    ].join('\n'),
})

function selectionFacts(selection: Selection | null) {
  const { paths = [], tests = [] } = selection ?? {}
  return {
    onlyPaths: paths.length > 0 ? counted(paths.map(nameFact)) : undefined,
    onlyTests: tests.length > 0 ? counted(tests.map(testName)) : undefined,
  }
}

const counted = (names: string[]) =>
  names.length <= maxSelected ? names : [...names.slice(0, maxSelected), `and ${names.length - maxSelected} more`]

const stepFacts = (parts: readonly PlannedPart[]) =>
  parts
    .flatMap(({ directory, steps }) =>
      steps.map(({ command, because }) => ({
        directory: directory === '' ? undefined : nameFact(directory),
        command: commandFact(command),
        because: shorten(cleanLine(because), 200),
      })),
    )
    .slice(0, maxSteps)
