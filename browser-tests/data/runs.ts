import type { TestRunRow } from '../../core/test-runs/entity.ts'
import { TestRunEntity } from '../../core/test-runs/entity.ts'
import { emptyRun } from '../../core/test-runs/trigger.ts'
import { copyRows } from '../../core/base/copy-rows.ts'
import { type Cause, describeFailure, planCauses } from './failures.ts'
import { type HabitualResult, type Habits, habitualResults, outageAt, planHabits } from './habits.ts'
import { after, before, day, idAt, minute, second } from './random.ts'
import type { KnownTest } from './sources.ts'
import type { Scene } from './target.ts'

/** A result as a row of `test_results`. */
type ResultRow = (string | number | boolean | null)[]

export interface RunsOptions {
  runs: number
  /** How many tests each run has. */
  tests: number
  /** How many tests the large run has; 0 for no such run. */
  largeRun: number
  /** The number of lines of the log of the run that is under way. */
  logLines: number
}

export interface FilledRuns {
  /** Newest first. */
  rows: TestRunRow[]
  large: TestRunRow | undefined
  /** A test that fails in some of the runs. */
  failingTestId: string | undefined
  habits: Habits
}

const days = 40
const branches = [
  ['feature/stream-backpressure', 412],
  ['fix/empty-chunk', 418],
  ['dependabot/npm_and_yarn/tap-21.0.0', 421],
  ['release/10.1', null],
  ['refactor/levels', 425],
] as const

/** Fills the history of a project: runs of the main branch and of others, with their results. */
export async function fillRuns(scene: Scene, options: RunsOptions): Promise<FilledRuns> {
  const { sources, random, isFirst } = scene
  const tests = sources.tests.slice(0, options.tests)
  const causes = planCauses(tests, sources.files, random)
  const outdated = causes.at(0)
  // The default branch of the first project fails at the end.
  if (outdated) Object.assign(outdated, isFirst ? { from: 0.93, to: 1.1 } : { from: 0.7, to: 0.76 })
  const habits = planHabits(tests, causes)
  const made = Array.from({ length: options.runs }, (_, index) =>
    makeRun(scene, { ...options, index, tests, causes, habits }),
  )
  const large = options.largeRun > 0 ? makeLargeRun(scene, options.largeRun, tests, causes) : undefined
  const all = large ? [...made, large] : made
  await scene.app.dataSource.getRepository(TestRunEntity).insert(all.map(({ row }) => row))
  await storeResults(
    scene,
    all.flatMap(({ results }) => results),
  )
  const rows = made.map(({ row }) => row).toSorted((a, b) => (a.id < b.id ? 1 : -1))
  return { rows, large: large?.row, failingTestId: outdated?.tests[0]?.id, habits }
}

const rowsPerStatement = 20_000

/** Copies rows in several statements, each of which the database allows half a minute. */
export async function storeResults({ app }: Pick<Scene, 'app'>, rows: readonly ResultRow[]): Promise<void> {
  const columns =
    'run_id, position, test_id, suite, name, file, line, status, duration_ms, message, stack, attempts, flaky, error_id, variant, muted'
  for (let first = 0; first < rows.length; first += rowsPerStatement) {
    const part = rows.slice(first, first + rowsPerStatement)
    await app.dataSource.transaction((db) =>
      copyRows({ db, signal: AbortSignal.timeout(60_000) }, `test_results (${columns})`, [part]),
    )
  }
}

interface Plan {
  index: number
  runs: number
  logLines: number
  tests: readonly KnownTest[]
  causes: readonly Cause[]
  habits: Habits
}

type Made = { row: TestRunRow; results: ResultRow[] }

function makeRun(scene: Scene, { index, runs, logLines, tests, causes, habits }: Plan): Made {
  const { random, now } = scene
  const share = index / runs
  const createdAt = before(now, Math.max(6 * minute, (1 - share) * days * day - random.between(0, 60) * minute))
  const onMain = index % 5 < 3
  const [branch, pullRequest] = onMain
    ? [scene.repository.branch, null]
    : (branches[Math.floor(share * 3 * branches.length) % branches.length] ?? ['release/10.1', null])
  const source = pullRequest !== null ? 'pull_request' : index % 4 === 0 ? 'upload' : index % 11 === 0 ? 'api' : 'push'
  const row: TestRunRow = {
    ...newRun(scene, createdAt),
    branch,
    pullRequest,
    source,
    commitSha: commitAt(scene, createdAt),
    // The last runs are queued and running.
    ...(index >= runs - 2 ? unfinished(index === runs - 1, now, logLines) : ended(scene, index, createdAt)),
  }
  if (source === 'upload') Object.assign(row, { executor: null, plan: null, idempotencyKey: `ci-${index}` })
  if (row.status !== 'COMPLETED') return { row, results: [] }
  const active = causes.filter(({ from, to }) => share >= from && share < to && (onMain || random.chance(0.5)))
  const isFlaky = index % 9 === 4
  const outage = outageAt(index, runs)
  const results = [...new Set([...tests, ...habits.keys()])].flatMap((test, place) => {
    const habit = habits.get(test)
    const own = habit ? habitualResults(habit, index, runs) : [undefined]
    const isHit = outage === 'most' ? place % 5 < 2 : outage === 'many' && place % 5 === 1
    return own.map((result) => ({
      test,
      place,
      habitual: isHit && result ? { ...result, fails: true } : result,
      isHit,
    }))
  })
  return withResults(row, results, ({ test, place, habitual, isHit }, position) =>
    makeResult(scene, row.id, test, position, {
      active: isHit ? causes.slice(5, 6).map((cause) => ({ ...cause, tests: [test] })) : active,
      flakyCause: isFlaky && place % 41 === 7 ? causes[5] : undefined,
      habitual,
      habitCause: causes[test.line % 5],
    }),
  )
}

function makeLargeRun(scene: Scene, count: number, tests: readonly KnownTest[], causes: readonly Cause[]): Made {
  const createdAt = before(scene.now, 3 * day)
  const row: TestRunRow = {
    ...newRun(scene, createdAt),
    ...ended(scene, 1, createdAt),
    name: 'matrix of all runtimes',
    branch: 'release/10.1',
    source: 'upload',
    commitSha: commitAt(scene, createdAt),
    executor: null,
    plan: null,
    duration: 41 * minute,
  }
  const runtimes = ['node 22', 'node 24', 'node 26', 'bun 2', 'deno 3']
  const many = Array.from({ length: count }, (_, index): KnownTest => {
    const test = tests[index % tests.length] ?? { id: '', suite: 'suite', name: 'test', file: 'test.js', line: 1 }
    const round = Math.floor(index / tests.length)
    const hex = index.toString(16).padStart(12, '0')
    const name = `${test.name} (${runtimes[round % 5]}, case ${Math.floor(round / 5) + 1})`
    return { ...test, id: `00000000-0000-4000-8000-${hex}`, name }
  })
  return withResults(row, many, (test, position) => {
    const cause = position % 997 === 0 ? causes[position % causes.length] : undefined
    const failing = cause && { ...cause, tests: [test] }
    return makeResult(scene, row.id, test, position, { active: failing ? [failing] : [] })
  })
}

function withResults<Test>(
  row: TestRunRow,
  tests: readonly Test[],
  make: (test: Test, position: number) => { result: ResultRow; status: string; isFlaky: boolean },
): Made {
  const made = tests.map(make)
  const count = (wanted: string) => made.filter(({ status }) => status === wanted).length
  Object.assign(row, {
    totalTests: made.length,
    passedTests: count('passed'),
    failedTests: count('failed'),
    mutedTests: count('muted'),
    skippedTests: count('skipped'),
    flakyTests: made.filter(({ isFlaky }) => isFlaky).length,
  })
  return { row, results: made.map(({ result }) => result) }
}

interface ResultPlan {
  active: readonly Cause[]
  /** The test passes, but only after a failure for this cause. */
  flakyCause?: Cause | undefined
  /** Decides instead of the causes. */
  habitual?: HabitualResult | undefined
  /** Why the test fails by habit. */
  habitCause?: Cause | undefined
}

function makeResult({ random }: Scene, runId: string, test: KnownTest, position: number, plan: ResultPlan) {
  const { active, habitual, habitCause } = plan
  const cause = active.find(({ tests }) => tests.includes(test)) ?? (habitual?.fails ? habitCause : undefined)
  const failure = cause && (habitual?.fails ?? true) ? describeFailure(test, cause, random) : undefined
  const flakyCause = failure || habitual ? undefined : plan.flakyCause
  const isFlaky = flakyCause !== undefined
  const retried = flakyCause && describeFailure(test, flakyCause, random)
  const status = failure ? 'failed' : !habitual && position % 53 === 12 ? 'skipped' : 'passed'
  const durationMs = habitual?.durationMs ?? Math.round(random.next() ** 6 * 4_000 * 100) / 100 + 0.4
  const earlier = retried ? [{ status: 'failed', durationMs: durationMs * 2, message: retried.message }] : null
  const isMuted = failure !== undefined && habitual?.muted === true
  const result: ResultRow = [
    runId,
    position,
    test.id,
    test.suite,
    test.name,
    test.file,
    test.line,
    isFlaky ? 'passed' : status,
    status === 'skipped' ? null : durationMs,
    failure?.message ?? null,
    failure?.stack ?? null,
    earlier && JSON.stringify(earlier),
    isFlaky,
    (failure ?? retried)?.errorId ?? null,
    habitual?.variant ?? '',
    isMuted,
  ]
  return { result, status: isMuted ? 'muted' : isFlaky ? 'passed' : status, isFlaky }
}

function newRun({ project, userIds, random }: Scene, createdAt: Date): TestRunRow {
  const userId = random.pick(userIds)
  return {
    ...emptyRun(project.id, createdAt),
    id: idAt(createdAt),
    userId,
    source: 'push',
    branch: null,
    commitSha: null,
  }
}

const plan: TestRunRow['plan'] = [
  {
    directory: '',
    ecosystem: 'javascript',
    framework: 'node:test',
    steps: [
      { kind: 'install', command: 'npm ci', because: 'package-lock.json is in this folder.' },
      {
        kind: 'test',
        command: 'node --test --experimental-test-coverage',
        because: 'The script `test` runs node --test.',
      },
    ],
    notes: ['The browser tests are not run, because they need a browser.'],
  },
]

function unfinished(isQueued: boolean, now: Date, logLines: number): Partial<TestRunRow> {
  const createdAt = before(now, isQueued ? 20 * second : 2 * minute)
  if (isQueued) return { id: idAt(createdAt), createdAt, branch: 'fix/empty-chunk', source: 'api' }
  const progress = { phase: 'testing' as const, command: 'node --test', logLines }
  const startedAt = after(createdAt, 4 * second)
  return { id: idAt(createdAt), createdAt, startedAt, status: 'RUNNING', plan, progress, executor: 'bwrap', attempt: 1 }
}

const errors: readonly NonNullable<TestRunRow['error']>[] = [
  { code: 'install_failed', message: 'npm ci ended with exit code 1. See the log for its output.' },
  { code: 'timeout', message: 'The tests took longer than 5 minutes, which is the limit of this project.' },
  { code: 'no_tests', message: 'The test command ended without a report. See the log for its output.' },
]

function ended({ random }: Scene, index: number, createdAt: Date): Partial<TestRunRow> {
  const startedAt = after(createdAt, random.between(1, 40) * second)
  const error = index % 23 === 9 ? (errors[index % errors.length] ?? null) : null
  const took = random.between(48, 190) * second
  const duration = error?.code === 'timeout' ? 5 * minute + 12 * second : took
  const completedAt = after(startedAt, duration)
  const times = { startedAt, completedAt, duration, attempt: 1, executor: 'bwrap', plan }
  if (error) return { ...times, status: 'FAILED', error }
  if (index % 37 === 20) return { ...times, status: 'CANCELLED' }
  const warnings: TestRunRow['warnings'] =
    index % 17 === 3 ? [{ code: 'note', text: 'report.xml names 2 files that the commit does not contain.' }] : []
  return { ...times, status: 'COMPLETED', warnings }
}

/** The commit that was the newest at this time. */
function commitAt({ repository: { commits }, now }: Scene, time: Date): string | null {
  const age = (now.getTime() - time.getTime()) / (days * day)
  return commits[Math.min(commits.length - 1, Math.floor(age * commits.length))] ?? null
}
