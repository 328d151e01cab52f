import { quoted } from '../../../engines/test-plan/command-line.ts'
import type { PlanPart, Selection, Step } from '../../../engines/test-plan/plan.ts'
import { select } from '../../../engines/test-plan/select.ts'
import { goTestNames } from '../../../engines/verdicts/go-tests.ts'
import type { TestFile } from '../../../engines/verdicts/outcome.ts'

interface How {
  /** Without it, the run is faster where the runner can leave it out. */
  coverage: boolean
  /** Digits of a number below 2^31, for a random order; changes nothing where the runner has none. */
  seed?: string | null
}

/** The command of the part confined to one test file, which may be new. */
export function aloneStep(part: PlanPart, test: TestFile, how: How): { step: Step } | { unsupported: string } {
  return select({ ...part, test: suiteStep(part, how) }, selectionOf(part, test))
}

/** The whole command of the part. */
export function suiteStep(part: PlanPart, { coverage, seed }: How): Step {
  const step = coverage ? part.test : (part.unmeasured ?? part.test)
  const shuffled = seed == null ? [] : (part.shuffle ?? []).map((word) => word.replace('{seed}', seed))
  // What go remembers of an earlier run is no repetition.
  const anew = part.framework === 'go test' ? ['-count=1'] : []
  return withOptions(step, [...anew, ...shuffled], part.targetCount ?? 0)
}

/** Whether the runner takes a seed. */
export const canShuffle = (part: PlanPart): boolean => part.shuffle !== undefined

/** Go runs packages, and of these the tests that are named. */
function selectionOf(part: PlanPart, { path, code }: TestFile): Selection {
  const names = part.framework === 'go test' ? goTestNames(code) : []
  if (names.length === 0) return { paths: [path], tests: [] }
  return { paths: [], tests: names.map((name) => ({ suite: '', name, file: path })) }
}

function withOptions(step: Step, options: readonly string[], targetCount: number): Step {
  if (options.length === 0) return step
  const end = step.argv.length - targetCount
  const argv = [...step.argv.slice(0, end), ...options, ...step.argv.slice(end)]
  // Where people type something else than what is run, our options are not theirs.
  const isTyped = step.command.endsWith(quoted(step.argv.slice(1)))
  const command = isTyped ? step.command.replace(quoted(step.argv.slice(1)), () => quoted(argv.slice(1))) : step.command
  return { ...step, argv, command }
}
