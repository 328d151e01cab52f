import { relative } from 'node:path/posix'
import { quoted } from '../../../engines/test-plan/command-line.ts'
import type { PlanPart, Selection, Step } from '../../../engines/test-plan/plan.ts'
import { select } from '../../../engines/test-plan/select.ts'
import { isWithin } from '../../../engines/test-names/paths.ts'
import { goTestNames } from '../../../engines/verdicts/go-tests.ts'
import type { TestFile } from '../../../engines/verdicts/outcome.ts'

interface How {
  /** Whether to measure coverage. Many runners are faster without it. */
  coverage: boolean
  /** The seed of a random order, in digits and below 2^31. Ignored by runners without random order. */
  seed?: string | null
}

/** Returns the command of the part, restricted to one test file, which may be new. */
export const aloneStep = (part: PlanPart, test: TestFile, how: How): { step: Step } | { unsupported: string } =>
  selectedStep(part, { files: [test], cases: [] }, how)

/** Returns the command of the part, restricted to some test files, which may be new, and to some reported tests. */
export function selectedStep(
  part: PlanPart,
  { files, cases }: { files: readonly TestFile[]; cases: readonly Selection['tests'][number][] },
  how: How,
): { step: Step } | { unsupported: string } {
  const selections = files.map((test) => selectionOf(part, test))
  const selection = {
    paths: selections.flatMap(({ paths }) => paths),
    tests: [...selections.flatMap(({ tests }) => tests), ...cases],
  }
  return select({ ...part, test: suiteStep(part, how) }, selection)
}

/**
 * Returns a command like `aloneStep`, which shows where a test hangs after `afterMs`: the runner stops the test or prints
 * its stack, or a parent process of the runner writes the stacks of all Node processes to a file.
 */
export function watchedStep(part: PlanPart, test: TestFile, afterMs: number): { step: Step } | { unsupported: string } {
  const seconds = Math.max(1, Math.floor(afterMs / 1_000))
  const options = watchOptions[part.framework ?? ''] ?? []
  const step = withOptions(
    part.test,
    options.map((word) => word.replace('{seconds}', String(seconds))),
    part.targetCount ?? 0,
  )
  const confined = aloneStep({ ...part, test: step }, test, { coverage: true })
  if ('unsupported' in confined || part.ecosystem !== 'javascript') return confined
  const argv = ['node', '{tools}/print-stacks.mjs', String(seconds * 1_000), `{output}/${stacksFile}`]
  return { step: { ...confined.step, argv: [...argv, ...confined.step.argv] } }
}

export const stacksFile = 'stacks.txt'
export const runningTestsFile = 'running-tests.txt'

const watchOptions: Readonly<Record<string, readonly string[]>> = {
  'go test': ['-timeout={seconds}s'],
  pytest: ['-o', 'faulthandler_timeout={seconds}'],
  unittest: ['--stacks-after={seconds}'],
  'node:test': [
    '--test-reporter={tools}/running-tests.mjs',
    `--test-reporter-destination={output}/${runningTestsFile}`,
  ],
}

/** Returns the command of the part for all tests. */
export function suiteStep(part: PlanPart, { coverage, seed }: How): Step {
  const step = coverage ? part.test : (part.unmeasured ?? part.test)
  const shuffled = seed == null ? [] : (part.shuffle ?? []).map((word) => word.replace('{seed}', seed))
  // Without it, go would return the cached result of an earlier run.
  const uncached = part.framework === 'go test' ? ['-count=1'] : []
  return withOptions(step, [...uncached, ...shuffled], part.targetCount ?? 0)
}

/** Whether the runner accepts a seed. */
export const canShuffle = (part: PlanPart): boolean => part.shuffle !== undefined

/** Returns a command that runs the tests which import one of the files, or null if the runner has none. */
export function relatedStep(part: PlanPart, paths: readonly string[]): Step | null {
  if (part.targetCount === undefined || paths.some((path) => !isWithin(path, part.directory))) return null
  const files = paths.map((path) => relative(part.directory, path))
  // The runner would read such a path as an option.
  if (files.some((file) => file.startsWith('-'))) return null
  const step = suiteStep(part, { coverage: false })
  const base = step.argv.slice(0, step.argv.length - part.targetCount)
  const run = base.findIndex((word, index) => word === 'run' && base[index - 1]?.endsWith('vitest'))
  const argv =
    part.framework === 'jest'
      ? [...base, '--passWithNoTests', '--findRelatedTests', ...files]
      : part.framework === 'vitest' && run >= 0
        ? [...base.with(run, 'related'), '--run', '--passWithNoTests', ...files]
        : null
  return argv && { ...step, argv, command: quoted(argv), because: 'only tests that import the changed file run' }
}

/** Go selects tests by name, all other runners by file. */
function selectionOf(part: PlanPart, { path, code }: TestFile): Selection {
  const names = part.framework === 'go test' ? goTestNames(code) : []
  if (names.length === 0) return { paths: [path], tests: [] }
  return { paths: [], tests: names.map((name) => ({ suite: '', name, file: path })) }
}

function withOptions(step: Step, options: readonly string[], targetCount: number): Step {
  if (options.length === 0) return step
  const end = step.argv.length - targetCount
  const argv = [...step.argv.slice(0, end), ...options, ...step.argv.slice(end)]
  // If the shown command differs from the executed one, our options do not fit into it.
  const isTyped = step.command.endsWith(quoted(step.argv.slice(1)))
  const command = isTyped ? step.command.replace(quoted(step.argv.slice(1)), () => quoted(argv.slice(1))) : step.command
  return { ...step, argv, command }
}
