import { clipRanges, parseRanges, type Ranges } from '../../../engines/coverage/ranges.ts'
import { findMutants } from '../../../engines/mutation/find-mutants.ts'
import { applyMutant, changeNothing, type Mutant, presentMutant } from '../../../engines/mutation/mutant.ts'
import { sampleMutants } from '../../../engines/mutation/sample-mutants.ts'
import { isWithin } from '../../../engines/test-names/paths.ts'
import type { PlanPart } from '../../../engines/test-plan/plan.ts'
import type { ChangeFacts } from '../../../engines/verdicts/change/facts.ts'
import type { JudgedRun, MutantOutcome } from '../../../engines/verdicts/facts.ts'
import type { Measured, RunOutcome, TestFile } from '../../../engines/verdicts/outcome.ts'
import { testTitle } from '../../../engines/verdicts/own-tests.ts'
import { mutantOutcome } from '../../../engines/verdicts/run-facts.ts'
import { allSettled } from '../../base/all-settled.ts'
import { limitConcurrency } from '../../base/limit-concurrency.ts'
import { digest } from '../../workspaces/digest.ts'
import { relatedStep, suiteStep } from '../../workspaces/runner/steps.ts'
import { runStepOf, type Side, stepFor } from './side.ts'
import type { SideRuns } from './run-sides.ts'
import type { Task } from './task.ts'

export type ChangeMutants = NonNullable<ChangeFacts['mutation']>

interface MutatedFile {
  path: string
  source: string
  mutants: readonly Mutant[]
}

interface Mutating {
  side: Side
  runs: SideRuns
  coverage: Measured | null
  sources: ReadonlyMap<string, string>
  /** The new and changed tests by the part that runs them. */
  tests: ReadonlyMap<PlanPart, readonly TestFile[]>
  /** Titles of tests that fail on the head without a mutant. */
  failures: ReadonlySet<string>
  atOnce: number
}

/** Generous, because a busy machine slows everything down. Endless mutants reach the limit of processor time first. */
const minWallMs = 20_000
const minCpuMs = 3_000
/** A suite that takes longer does not run once more for mutants that the tests of the change let survive. */
const maxFastSuiteMs = 20_000
/** More files of a change are not searched for mutants. */
const maxFiles = 100

/**
 * Runs tests against mutants of the changed lines that tests cover: first the new and changed tests, then those that
 * import the file, or all tests if they are fast or if the change has no tests.
 *
 * @param publish - receives the results so far
 * @returns null if there are none: the language has no mutants, or the tests check the text of the code
 */
export async function mutateChange(
  task: Task,
  mutating: Mutating,
  publish: (soFar: ChangeMutants) => void,
): Promise<ChangeMutants | null> {
  const { change, report } = task
  const seed = digest([mutating.runs.fetched.commitSha, change.baseSha]).slice(0, 16)
  const files = await findInChange(task, mutating)
  const found = files.reduce((sum, { mutants }) => sum + mutants.length, 0)
  if (found === 0) return null
  const sample = sampleOf(files, change.mutants, seed)
  const total = sample.reduce((sum, { mutants }) => sum + mutants.length, 0)
  const { layered } = mutating.side
  const judged: JudgedRun[] = []
  report('mutating', 0, total)
  const inSlot = limitConcurrency(mutating.atOnce)
  let skipped = 0
  await allSettled(
    sample.map(async ({ path, source, mutants }) => {
      const stages = stagesOf(mutating, path)
      const checked = await inSlot(() => checkUnchanged(mutating, stages, { path, source, mutants }))
      if (checked === null) {
        task.warn(`Assay tried no mutants of ${path}: its tests fail even if only the text of the file changes.`)
        return
      }
      const attempts = mutants.map((mutant) =>
        inSlot(async () => {
          if (task.isOver()) {
            skipped++
            return
          }
          const layer = await layered.makeLayer(path, applyMutant(source, mutant))
          judged.push({ mutant: presentMutant(mutant), outcome: await tryMutant(mutating, checked, layer) })
          publish({ found, seed, judged: sorted(judged) })
          report('mutating', judged.length, total)
        }),
      )
      await allSettled(attempts)
    }),
  )
  if (skipped > 0)
    task.warn(`Assay tried ${judged.length} of ${total} mutants, because the time for the work was over.`)
  return judged.length === 0 ? null : { found, seed, judged: sorted(judged) }
}

const sorted = (judged: readonly JudgedRun[]) =>
  judged.toSorted(({ mutant: a }, { mutant: b }) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1))

/** Finds the mutants of all changed lines that the tests cover. */
async function findInChange(task: Task, { coverage, sources }: Mutating): Promise<MutatedFile[]> {
  const files: MutatedFile[] = []
  const code = task.files.filter(({ kind, change }) => kind === 'code' && change !== 'deleted')
  if (coverage === null && code.length > 0) {
    task.warn(
      'Assay could not measure which lines the tests cover, so mutants in lines that they do not cover may have survived.',
    )
  }
  for (const { path, lines } of code.slice(0, maxFiles)) {
    const source = sources.get(path)
    const measured = coverage?.files[path]
    if (source === undefined || lines.length === 0 || (coverage !== null && !measured)) continue
    const covered = measured && {
      covered: withinChange(parseRanges(measured.covered), lines),
      uncovered: parseRanges(measured.uncovered),
    }
    const mutants = await findMutants(task.runner, { path, source, lines, ...(covered && { covered }) })
    if (mutants.length > 0) files.push({ path, source, mutants })
  }
  return files
}

const withinChange = (covered: Ranges, lines: Ranges): Ranges =>
  lines.flatMap(([first, last]) => clipRanges(covered, first, last))

/** Takes the same number of mutants of every file, as far as there are so many. */
function sampleOf(files: readonly MutatedFile[], count: number, seed: string): MutatedFile[] {
  let left = count
  const ordered = files.toSorted((a, b) => a.mutants.length - b.mutants.length)
  return ordered.flatMap((file, index) => {
    const share = Math.min(file.mutants.length, Math.ceil(left / (ordered.length - index)))
    left -= share
    return share === 0 ? [] : { ...file, mutants: sampleMutants(file.mutants, share, seed) }
  })
}

/** Runs of one part, with limits. A later stage runs only for mutants that survive the earlier ones. */
interface Stage {
  part: PlanPart
  step: ReturnType<typeof stepFor>
  wallMs: number
  cpuMs?: number
}

function stagesOf({ side, runs, tests }: Mutating, path: string): Stage[][] {
  const around = side.parts.filter((part) => isWithin(path, part.directory))
  const deepest = Math.max(...around.map(({ directory }) => directory.length))
  const ofFile = around.filter(({ directory }) => directory.length === deepest)
  const suites = ofFile.flatMap((part): Stage[] => {
    const first = runs.first.find((run) => run.part === part)?.outcome.execution.usage.wallMs ?? 0
    const related = relatedStep(part, [path])
    if (related === null && tests.size > 0 && first > maxFastSuiteMs) return []
    return [{ part, step: related ?? suiteStep(part, { coverage: false }), wallMs: Math.max(minWallMs, 5 * first) }]
  })
  const own = [...tests].map(([part, files]): Stage => {
    const first = runs.first.find((run) => run.part === part)?.outcome.execution.usage.wallMs ?? 0
    return { part, step: stepFor(part, { files, cases: [] }), wallMs: Math.max(minWallMs, 5 * first) }
  })
  return [own, suites].filter((stage) => stage.length > 0)
}

/**
 * Runs the stages with a change that changes no behavior. Returns them with limits by the time that they took, without
 * those that fail, or null if all do: they check the text of the code.
 */
async function checkUnchanged(
  mutating: Mutating,
  stages: readonly Stage[][],
  { path, source, mutants }: MutatedFile,
): Promise<Stage[][] | null> {
  const layer = await mutating.side.layered.makeLayer(path, changeNothing(path, source, mutants))
  const [first = [], ...later] = stages
  const checked: Stage[] = []
  for (const stage of first) {
    const again = async () => run(mutating, stage, layer)
    let outcome = await again()
    if (judge(mutating, outcome) !== 'survived') outcome = await again()
    if (judge(mutating, outcome) !== 'survived') continue
    const { wallMs, cpuMs } = outcome.execution.usage
    checked.push({
      ...stage,
      wallMs: Math.max(minWallMs, 10 * wallMs),
      ...(cpuMs !== null && { cpuMs: Math.max(minCpuMs, 5 * cpuMs) }),
    })
  }
  const left = [checked, ...later].filter((stage) => stage.length > 0)
  return checked.length === 0 ? null : left
}

async function tryMutant(mutating: Mutating, stages: readonly Stage[][], layer: string): Promise<MutantOutcome> {
  let outcome: MutantOutcome = 'invalid'
  // A second try of a single stage, so that a flaky pass does not count as a survivor.
  const tries = stages.length === 1 ? [...stages, ...stages] : stages
  for (const stage of tries) {
    for (const one of stage) {
      const next = judge(mutating, await run(mutating, one, layer))
      if (next !== 'survived' && next !== 'invalid') return next
      if (next === 'survived') outcome = next
    }
    if (outcome === 'invalid') return outcome
  }
  return outcome
}

const run = ({ side, atOnce }: Mutating, { part, ...stage }: Stage, layer: string): Promise<RunOutcome> =>
  runStepOf(side, part, { ...stage, layers: [layer], beside: atOnce })

const judge = ({ failures }: Mutating, outcome: RunOutcome): MutantOutcome =>
  mutantOutcome(
    outcome,
    outcome.cases.filter((found) => found.status !== 'failed' || !failures.has(testTitle(found))),
  )
