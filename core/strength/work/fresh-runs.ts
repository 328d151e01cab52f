import { applyMutant } from '../../../engines/mutation/mutant.ts'
import type { NumberedMutant } from '../../../engines/mutation/switched-source.ts'
import { withoutTypeChecks } from '../../../engines/strength/driver.ts'
import type { ReachingTest, Tally } from '../../../engines/strength/tally.ts'
import type { PlanPart } from '../../../engines/test-plan/plan.ts'
import type { RunOutcome, TestFile } from '../../../engines/verdicts/outcome.ts'
import { mutantOutcome } from '../../../engines/verdicts/run-facts.ts'
import type { LayeredCheckout } from '../../workspaces/layered-checkout.ts'
import { partOfTest } from '../../workspaces/runner/part-of-test.ts'
import { selectedStep } from '../../workspaces/runner/steps.ts'

export interface FreshRuns {
  layered: LayeredCheckout
  parts: readonly PlanPart[]
  /** The sources by path. */
  files: ReadonlyMap<string, string>
  tally: Tally
  /** The files of the commit. */
  paths: readonly string[]
  pathOf: (file: string) => string
  /** How many runs may run at once. */
  atOnce: number
}

export interface FreshResult {
  isNoticed: boolean
  /** The test file that noticed the mutant, if it is known. */
  by: ReachingTest | null
}

const wallMs = 60_000
/** A command line has an end. */
const maxTestFiles = 50

/** Runs test files in fresh processes, each with a mutant in the text of its source. */
export function freshRunsOf(fresh: FreshRuns, stopAt: number) {
  /** Whether tests fail whatever the code, by their paths. */
  const originals = new Map<string, Promise<FreshResult | null>>()
  let longest = 0
  return {
    /** Whether a run would be cut off, and then say nothing. */
    isOver: () => performance.now() + longest >= stopAt,
    /** Returns null if the tests do not say whether they notice the mutant. */
    async run({ mutant }: NumberedMutant, names: readonly string[]): Promise<FreshResult | null> {
      const { layered, files, parts, pathOf } = fresh
      const from = performance.now()
      const source = files.get(mutant.path)
      const tests = await readTests(layered, names.map(pathOf))
      if (source === undefined || tests === null) return null
      const layer = await layered.makeLayer(mutant.path, applyMutant(source, mutant))
      for (const [part, own] of Map.groupBy(tests, (test) => partOfTest({ parts: [...parts] }, test))) {
        if (part === null) return null
        const result = await runTests(fresh, part, own, { layers: [layer], stopAt })
        if (result === null) return null
        if (!result.isNoticed) continue
        const key = JSON.stringify(own.map(({ path }) => path))
        const original = originals.get(key) ?? runTests(fresh, part, own, { layers: [], stopAt })
        originals.set(key, original)
        longest = Math.max(longest, performance.now() - from)
        return (await original)?.isNoticed === false ? result : null
      }
      longest = Math.max(longest, performance.now() - from)
      return { isNoticed: false, by: null }
    },
  }
}

async function readTests(layered: LayeredCheckout, paths: readonly string[]): Promise<TestFile[] | null> {
  if (paths.length === 0 || paths.length > maxTestFiles) return null
  const tests: TestFile[] = []
  for (const path of paths) {
    const code = await layered.read(path)
    if (code === null) return null
    tests.push({ path, code })
  }
  return tests
}

async function runTests(
  { layered, paths, atOnce, pathOf }: FreshRuns,
  part: PlanPart,
  tests: readonly TestFile[],
  { layers, stopAt }: { layers: readonly string[]; stopAt: number },
): Promise<FreshResult | null> {
  const selected = selectedStep(part, { files: tests, cases: [] }, { coverage: false })
  const leftMs = stopAt - performance.now()
  if (!selected || 'unsupported' in selected || leftMs <= 0) return null
  const step = withoutTypeChecks(part.framework, selected.step)
  const limit = Math.min(wallMs, leftMs)
  const outcome = await layered.run({ part, step, wallMs: limit, layers, beside: atOnce, paths, test: null })
  // The time was over before the mutant had taken too long.
  if (limit < wallMs && performance.now() >= stopAt) return null
  const isNoticed = isNoticedBy(outcome)
  if (isNoticed === null) return null
  const named = outcome.cases.find(({ status, file }) => status === 'failed' && file !== null)?.file
  const known = new Set(tests.map(({ path }) => path))
  const path = tests.length === 1 ? tests[0]?.path : named && known.has(pathOf(named)) ? pathOf(named) : undefined
  return { isNoticed, by: isNoticed && path !== undefined ? { file: path, test: null } : null }
}

function isNoticedBy(outcome: RunOutcome): boolean | null {
  switch (mutantOutcome(outcome, outcome.cases)) {
    case 'survived':
      return false
    case 'invalid':
      // A mutant can keep a test file from being loaded.
      return outcome.cases.some(({ status }) => status === 'failed') ? true : null
    default:
      return true
  }
}
