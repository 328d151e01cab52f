import type { PlanPart } from '../../../engines/test-plan/plan.ts'
import type { FoundBaseline } from './baseline.ts'
import type { Facts, Judgement } from '../../../engines/verdicts/facts.ts'
import { mutationResult } from '../../../engines/verdicts/mutation-result.ts'
import type { Observed } from './observe.ts'
import type { RunsAlone } from './run-alone.ts'
import type { RunsWithSuite } from './run-with-suite.ts'
import { testTitle } from '../../../engines/verdicts/own-tests.ts'
import type { Dependence } from '../../../engines/verdicts/dependences/schema.ts'
import type { Evidence } from '../../../engines/verdicts/schema.ts'

interface Seen {
  part: PlanPart
  /** Null while the project's own tests have not run. */
  baseline: FoundBaseline | null
  alone: RunsAlone
  suite: Pick<RunsWithSuite, 'runs'>
  dependsOn: readonly Dependence[] | null
  notRun: NonNullable<Evidence['notRun']>
}

type Judged = Omit<Facts, 'coverage' | 'mutation'> & Partial<Pick<Facts, 'coverage' | 'mutation'>>

/** The evidence of a proof, before the job adds its warnings and its duration. */
export type ProofEvidence = Omit<Evidence, 'warnings' | 'durationMs'>

const shownNames = 50
const shownOutput = 8_192
const shownDependences = 10

/** Returns the facts that the verdict is based on. */
export function evidenceOf(facts: Judged, judgement: Judgement, seen: Seen): ProofEvidence {
  const { part, baseline, alone, suite, dependsOn, notRun } = seen
  const { target, framework, coverage = null, mutation, style } = facts
  return {
    reason: judgement.reason,
    summary: judgement.summary,
    target,
    framework,
    command: alone.command ?? part.test.short ?? part.test.command,
    baseline: baseline && { ...baseline.shown, cached: baseline.cached },
    ...(facts.extendsCommitted ? { extendsCommitted: true } : {}),
    collected: collectedBy([...alone.runs, ...suite.runs]),
    runs: [...facts.alone, ...facts.suite].map(({ run }) => run),
    // Without a baseline, nothing is known about what is new.
    coverage: baseline && coverage,
    ...(dependsOn && { dependsOn: dependsOn.slice(0, shownDependences) }),
    ...(notRun.length > 0 && { notRun }),
    mutation: mutation ? mutationResult(mutation) : null,
    style,
    output: outputOf([...alone.runs, ...suite.runs]),
  }
}

/** Takes the names from the first run that has any. They differ between runs only if the test generates them. */
function collectedBy(runs: readonly Observed[]): Evidence['collected'] {
  const own = runs.find((run) => run.own.length > 0)?.own ?? []
  return { total: own.length, names: own.slice(0, shownNames).map(testTitle) }
}

/** Returns the output of the first run that did not pass, because it decided the verdict, or else of the first run. */
function outputOf(runs: readonly Observed[]): string {
  const deciding = runs.find(({ facts }) => facts.run.outcome !== 'passed' || facts.run.broke.length > 0) ?? runs[0]
  return deciding?.outcome.output.slice(-shownOutput) ?? ''
}
