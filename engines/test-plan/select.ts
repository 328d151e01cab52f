import { quoted } from './command-line.ts'
import { isForOthers } from './file-endings.ts'
import { measuring, reportedAnywhere } from './javascript/measure.ts'
import type { PlanPart, Selection, Step } from './plan.ts'
import type { Narrowing, SelectedTest } from './selectors.ts'
import { coverageThreshold, selectors } from './selectors.ts'

/** More names make the command line too long and do not shorten the run. */
const maxTests = 200
const maxFilterLength = 8_000

/** Why a part cannot be confined to a selection, a sentence. `holdsNone`: nothing that is selected is in the part. */
interface Unconfined {
  unsupported: string
  holdsNone?: true
}

/** The test step of a part, confined to some files or tests. */
export function select(part: PlanPart, selection: Selection): { step: Step } | Unconfined {
  if (selection.paths.length + selection.tests.length === 0) return { step: part.test }
  const chosen = selection.tests.flatMap((test): SelectedTest[] => {
    if (test.file === null) return [{ suite: test.suite, name: test.name, file: null }]
    return insideOf(part, test.file).map((file) => ({ suite: test.suite, name: test.name, file }))
  })
  const [unloaded, tests] = partitioned(chosen, standsForFile)
  const paths = unique([...selection.paths.flatMap((path) => insideOf(part, path)), ...filesOf(unloaded)])
  if (paths.includes('') || tests.some(standsForEverything)) return { step: part.test }
  const place = part.directory === '' ? 'the repository' : part.directory
  if (paths.length + tests.length === 0) {
    return { unsupported: `None of the selected files and tests are in ${place}.`, holdsNone: true }
  }
  if (part.framework === null && reportedAnywhere.includes(part.writtenFor ?? '') && part.elseReports) {
    return { step: withFiles(part, unique([...paths, ...filesOf(tests)])) }
  }
  const selector = part.framework === null ? undefined : selectors[part.framework]
  if (!selector || part.targetCount === undefined) {
    const what = part.framework ?? 'the setting "testCommand"'
    return { unsupported: `Assay does not know how ${what} can run only some of its tests.` }
  }
  const hostile = [...paths, ...tests.map(({ file }) => file ?? '')].some(
    (path) => path.startsWith('-') || path.includes('\0'),
  )
  if (hostile)
    return { unsupported: 'A path must not begin with a hyphen, because the test runner reads it as an option.' }
  const narrowed =
    tests.length > maxTests ? selector(unique([...paths, ...filesOf(tests)]), []) : selector(paths, tests)
  const long = [...narrowed.options, ...narrowed.targets].join(' ').length > maxFilterLength
  const narrowing = long ? selector(unique([...paths, ...filesOf(tests)]), []) : narrowed
  return { step: confined(part.test, part.targetCount, isNodeProgram(part) ? forNode(narrowing) : narrowing) }
}

/** Files of other languages belong to other parts in the same folder. */
const insideOf = (part: PlanPart, path: string) => (isForOthers(part, path) ? [] : inside(part.directory, path))

/** Adds a file to those that the command runs, which are `files`. Null if the command cannot run single files. */
export function alsoRunning(part: PlanPart, files: readonly string[], path: string): PlanPart | null {
  const { framework, targetCount } = part
  const selector = framework === null ? undefined : selectors[framework]
  const [own] = inside(part.directory, path)
  if (!selector || targetCount === undefined || own === undefined) return null
  const narrowing = selector([...files, own], [])
  const made = isNodeProgram(part) ? forNode(narrowing) : narrowing
  const extended = (step: Step): Step => ({ ...confined(step, targetCount, made), because: step.because })
  return {
    ...part,
    test: extended(part.test),
    ...(part.unmeasured && { unmeasured: extended(part.unmeasured) }),
    targetCount: made.options.length + made.targets.length,
  }
}

/** Whether Node itself runs the file of the tests. */
const isNodeProgram = ({ framework, test, unmeasured = test }: PlanPart) =>
  framework === 'tape' && unmeasured.argv[0] === 'node'

/** Node runs one file, and others before it as options. */
const forNode = ({ options, targets }: Narrowing): Narrowing => ({
  options: [...options, ...targets.slice(0, -1).map((path) => `--import=./${path}`)],
  targets: targets.slice(-1),
})

/** Restricts the runner that a command of the project starts, which `report-tests.cjs` does. */
function withFiles({ test, directory, writtenFor = '' }: PlanPart, files: readonly string[]): Step {
  const place = directory === '' ? '{root}' : `{root}/${directory}`
  const program = writtenFor === 'node:test' ? ['node', '--test'] : ['npx', writtenFor]
  return {
    ...test,
    environment: { ...test.environment, ASSAY_TESTS: JSON.stringify(files.map((file) => `${place}/${file}`)) },
    short: quoted([...program, ...files]),
    because: 'only these tests were selected',
  }
}

/** Returns the test command of a part as a person would type it, without Assay's reporters. */
export function typedCommand({ framework, test }: PlanPart): string {
  return framework === null ? test.command : quoted(typed(test.argv))
}

/** Returns the step with these options and, instead of the last `targetCount` arguments, these targets. */
export function confined(
  test: Step,
  targetCount: number,
  { options: narrowing, targets }: Narrowing,
  because = 'only these tests were selected',
): Step {
  const base = test.argv.slice(0, test.argv.length - targetCount)
  // A selection covers less than the whole run, which the threshold is for.
  const options = base.some((word) => coverageThreshold.test(word)) ? [...narrowing, '--cov-fail-under=0'] : narrowing
  const argv = [...base, ...options, ...targets]
  return {
    ...test,
    argv,
    command: fullCommand(test, base, targetCount, [...options, ...targets]),
    short: quoted([...typed(base), ...options, ...targets]),
    because,
  }
}

/** Returns the command of the plan with other targets. */
function fullCommand(test: Step, base: readonly string[], targetCount: number, words: readonly string[]): string {
  const targets = targetCount === 0 ? '' : ` ${quoted(test.argv.slice(-targetCount))}`
  const before = test.command.endsWith(targets) ? test.command.slice(0, test.command.length - targets.length) : ''
  const isWhole = before.endsWith(quoted(base.slice(-1)))
  return isWhole ? `${before} ${quoted(words)}`.trimEnd() : quoted([...typed(base), ...words])
}

const reporting =
  /\{output\}|\{tools\}|^--(?:no-install|reporter|report|coverage|check-coverage|ci$|json$|tap$|testLocationInResults|includeTaskLocation|test-reporter|experimental-test-coverage|cov\b|cov-|junit|log-junit|format$|logger|collect|no-restore|offline|no-fail-fast|no-daemon|console=plain|continue|init-script|tool-config-file|profile)|^-(?:json|cover|B$|o$|fae$|Dmaven)|^(?:json|documentation|progress|junit_family=.*|trx|XPlat Code Coverage|[cC]8|nyc)$/

/** Returns where the command begins that others wrap: one that measures, or a shell whose arguments it is. */
export function startOf(argv: readonly string[], at = 0): number {
  if (argv[at] === 'sh') return startOf(argv, at + 4)
  return measuring.every((word, index) => argv[at + index] === word) ? startOf(argv, at + measuring.length) : at
}

/** Returns the command without Assay's reporters. */
function typed(argv: readonly string[]): string[] {
  const inner = argv.slice(startOf(argv))
  const kept: string[] = []
  for (const word of inner) {
    if (reporting.test(word)) {
      if (word.includes('{') && /^(?:-o|--out|--output)$/.test(kept.at(-1) ?? '')) kept.pop()
      continue
    }
    kept.push(word.replace(/^\{deps\}\/venv\/bin\//, ''))
  }
  return /^python3?$/.test(kept.join(' ')) ? ['python', '-m', 'unittest'] : kept
}

/** Returns the path relative to a folder; an empty path for the folder itself and for folders that contain it. */
export function inside(directory: string, path: string): string[] {
  const plain = path
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .join('/')
  if (plain === '' || plain === directory || directory.startsWith(`${plain}/`)) return ['']
  if (directory === '') return [plain]
  return plain.startsWith(`${directory}/`) ? [plain.slice(directory.length + 1)] : []
}

/** Whether the case stands for a file or a whole run that failed outside of its tests. A run without that failure omits it. */
export function standsForTests(test: SelectedTest): boolean {
  return standsForFile(test) || standsForEverything(test)
}

function standsForFile({ suite, name, file }: SelectedTest): boolean {
  if (file === null || suite !== '') return false
  const names = [file, file.slice(file.lastIndexOf('/') + 1), file.replace(/\.py$/, '').replaceAll('/', '.')]
  return names.includes(name) || name.endsWith(`/${file}`)
}

/** Whether the case stands for an error outside of all tests and files; see the readers of reports. */
function standsForEverything({ suite, name, file }: SelectedTest): boolean {
  return file === null && suite === '' && /^errors? outside of (?:tests|examples)$/.test(name)
}

function partitioned<Value>(values: readonly Value[], isFirst: (value: Value) => boolean): [Value[], Value[]] {
  return [values.filter(isFirst), values.filter((value) => !isFirst(value))]
}

function filesOf(tests: readonly SelectedTest[]): string[] {
  return tests.flatMap(({ file }) => file ?? [])
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)]
}
