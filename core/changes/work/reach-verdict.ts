import type { Context } from '../../base/context.ts'
import { engineRunner } from '../../base/engines.ts'
import { withRetry } from '../../base/retry.ts'
import { storableJson } from '../../base/storable-json.ts'
import { isDocumentation } from '../../../engines/languages/path-rules.ts'
import { kindOfFile } from '../../../engines/verdicts/change/changed-files.ts'
import type { ChangeFacts, SideFacts } from '../../../engines/verdicts/change/facts.ts'
import { judgeChangeApart } from '../../../engines/verdicts/change/judge-apart.ts'
import { coverageOfCalls } from '../../../engines/verdicts/uncalled-lines.ts'
import type { JudgedChange } from '../../../engines/verdicts/change/judge-change.ts'
import { TaskFailure, type TaskRunner } from '../../../engines/processes/tasks.ts'
import type { PlanPart } from '../../../engines/test-plan/plan.ts'
import { typedCommand } from '../../../engines/test-plan/select.ts'
import type { TestFile } from '../../../engines/verdicts/outcome.ts'
import { RunFailure } from '../../workspaces/run-failure.ts'
import type { ChangeEvidence } from '../../../engines/verdicts/change/schema.ts'
import { ownerOf } from '../../projects/owner.ts'
import { loadProjectSettings } from '../../projects/settings.ts'
import { makeWorkDirectory } from '../../workspaces/directories.ts'
import { masked } from '../../workspaces/mask.ts'
import { ChangeEntity, type ChangeRow } from '../entity.ts'
import type { ChangePhase } from '../schema.ts'
import type { ChangeEnd } from '../state.ts'
import { storedSnapshot } from '../../snapshots/stored-snapshot.ts'
import type { VerdictScope } from '../../verdicts/job.ts'
import { findKnownResult } from '../../verdicts/state.ts'
import { startBudget } from './budget.ts'
import { contentKey } from './content-key.ts'
import { fetchBase, type FetchedBase, type FetchedHead, fetchHead, type Fetching } from './fetch-sides.ts'
import { proveChange } from './prove-change.ts'
import { byPart, stepFor } from './side.ts'
import type { Task } from './task.ts'
import { uncoveredCases } from './uncovered-cases.ts'
import { startWorkTime } from './work-time.ts'

const maxCommands = 5
/** A command with more files would be cut. */
const maxFailingFiles = 10
const maxCommandLength = 2_000
/** The time for all runs, in units of the project's timeout for one run of its tests. No run starts after it. */
const timeoutFactor = 6

/**
 * Reaches the verdict on a change.
 *
 * @throws RunFailure if Assay cannot reach a verdict
 */
export async function reachVerdict(ctx: Context, scope: VerdictScope<ChangeRow, ChangePhase>): Promise<ChangeEnd> {
  const { row: change, project, directory, mask, report } = scope
  const begunAt = performance.now()
  const elapsed = () => Math.round(performance.now() - begunAt)
  const warnings = new Set<string>()
  report('fetching')
  const settings = await withRetry(() => loadProjectSettings(ctx, project.id), ctx.signal)
  const executor = await scope.findExecutor()
  const runner = engineRunner(ctx, 'background', ownerOf(project))
  const snapshot = await storedSnapshot(ctx, project, change)
  const fetching: Fetching = { ctx, runner, project, settings, directory, snapshot }
  await makeWorkDirectory(ctx.config, directory, executor, 2)
  const head = await fetchHead(fetching, change)
  const shas = { base: change.base ?? head.base.reference, baseSha: head.base.commitSha, headSha: head.side.commitSha }
  await withRetry(() => storeKnown(ctx, change, shas))
  const tests = testsOf(head)
  const fetched = await fetchBase(fetching, { ...change, ...shas }, { tests, files: head.files }, async (base) => {
    const environment = environmentFor(head, base, scope.secrets)
    const key = contentKey(
      { settings, executor, environment },
      { head: head.side, base: base.side, testParts: base.testParts },
      change,
    )
    const known = change.again ? null : await withRetry(() => findKnownResult(ctx, ChangeEntity, change, key))
    return known && { ...known, contentKey: key }
  })
  if (fetched.known) return { status: 'completed', ...fetched.known }
  const environment = environmentFor(head, fetched, scope.secrets)
  const key = contentKey(
    { settings, executor, environment },
    { head: head.side, base: fetched.side, testParts: fetched.testParts },
    change,
  )
  for (const { whyUntrusted } of [head.side, fetched.side]) if (whyUntrusted !== null) warnings.add(whyUntrusted)
  if (head.unread.length > 0) warnings.add(notRead(head.unread))
  if (head.hasSubmodules) warnings.add('Assay does not fetch the submodules of the repository.')

  const { problem } = head.side
  // Without a test command on both sides the change is not the cause. A project without tests is judged.
  if (problem && fetched.side.problem && problem.code !== 'no_tests' && !isDocumented(head)) {
    throw new RunFailure(problem.code, problem.message)
  }

  using inUse = new DisposableStack()
  const task: Task = {
    ctx,
    runner,
    change: { ...change, ...shas },
    project,
    settings,
    executor,
    environment,
    mask,
    inUse,
    files: head.files,
    report,
    warn: (message) => void warnings.add(message),
    time: startWorkTime(timeoutFactor * settings.timeoutSeconds * 1_000),
  }
  const readCases = uncoveredCases(runner, head)
  const changed = head.files.flatMap(({ path, kind }) => (kind === 'code' ? path : []))
  const correct = coverageOfCalls(runner, changed, (path) => head.sources.get(path) ?? null)
  const judge = async (facts: ChangeFacts, isFinal: boolean) => {
    if (isFinal && facts.notRun.length > 0) warnings.add(whyNotRun(settings.timeoutSeconds))
    const coverage = facts.head.coverage && (await correct(facts.head.coverage))
    const judgedFacts = {
      ...facts,
      head: { ...namingRemoval(facts.head, head), coverage },
      cases: await readCases(coverage),
      warnings: [...warnings],
    }
    const { verdict, evidence } = await judgeApart(runner, judgedFacts)
    const whole = {
      ...evidence,
      command: commandOf(head.side.parts, withFailing(tests, evidence)),
      durationMs: elapsed(),
    }
    return { verdict, evidence: JSON.parse(storableJson(masked(whole, mask))) as ChangeEvidence }
  }
  if (isDocumented(head)) {
    return {
      status: 'completed',
      contentKey: key,
      ...(await judge(withoutRuns(change, head, fetched), true)),
    }
  }
  let known: (() => ChangeFacts) | undefined
  const publish = async () => {
    if (!known) return
    const judged = await judge(known(), false)
    await withRetry(() => storeKnown(ctx, change, judged), ctx.signal)
  }
  let facts: ChangeFacts
  {
    await using budget = startBudget(change.budgetSeconds * 1_000, publish)
    facts = await proveChange(task, { head, base: fetched, tests }, async (soFar) => {
      known = soFar
      await budget.answerIsKnown()
    })
  }
  report('judging')
  return { status: 'completed', contentKey: isLasting(facts) ? key : null, ...(await judge(facts, true)) }
}

/** Problems that the files of a commit decide alone. */
const problemsOfFiles = new Set(['command_failed', 'no_tests', 'nothing_detected', 'bad_setting'])

/** Whether the next verification of the same change may take over the verdict. A limit may be due to a busy machine, a failed install to the network. */
const isLasting = ({ notRun, head, base }: ChangeFacts) =>
  notRun.length === 0 &&
  [head, base].every(({ problem, runs }) =>
    [problem, ...runs.map((run) => run.problem)].every((found) => found === null || problemsOfFiles.has(found.code)),
  )

const whyNotRun = (timeoutSeconds: number) =>
  `Some phases did not run, because the work may take ${timeoutFactor} times the project's timeoutSeconds (${timeoutSeconds}).`

const someOf = (paths: readonly string[]) =>
  `${paths.slice(0, 3).join(', ')}${paths.length > 3 ? ` and ${paths.length - 3} more` : ''}`

function notRead(paths: readonly string[]): string {
  return `Assay did not read ${paths.length} of the changed files of tests and code, because they are too many, too large or links: ${someOf(paths)}. It judges their lines and their tests less exactly.`
}

/** Says of a head without tests that the change removes them, in place of advice for a project that never had any. */
function namingRemoval(side: SideFacts, { files, side: { paths } }: FetchedHead): SideFacts {
  const removed = files.flatMap(({ path, kind, change }) => (kind === 'test' && change === 'deleted' ? path : []))
  if (removed.length === 0 || paths.some((path) => kindOfFile(path) === 'test')) return side
  const message = `The change removes all tests: ${someOf(removed)}.`
  const renamed = <Problem extends { code: string; message: string }>(problem: Problem | null) =>
    problem?.code === 'no_tests' ? { ...problem, message } : problem
  return {
    ...side,
    problem: renamed(side.problem),
    runs: side.runs.map((run) => ({ ...run, problem: renamed(run.problem) })),
  }
}

/** Whether the change has only documentation, for which no test can fail. */
const isDocumented = ({ files }: FetchedHead) =>
  files.every(({ path, kind }) => kind === 'other' && isDocumentation(path))

/** The new and changed tests. */
const testsOf = ({ files, sources }: FetchedHead) =>
  files.flatMap(({ path, kind, change }) => {
    const code = sources.get(path)
    return kind === 'test' && change !== 'deleted' && code !== undefined ? { path, code } : []
  })

/** Tests of a stranger also run on the base, so that one stranger keeps the environment from both sides. */
const environmentFor = (head: FetchedHead, base: Pick<FetchedBase, 'side'>, secrets: Task['environment']) =>
  head.side.whyUntrusted === null && base.side.whyUntrusted === null ? secrets : {}

/** The facts of a change that needs no run. */
function withoutRuns({ intent }: ChangeRow, head: FetchedHead, base: FetchedBase): ChangeFacts {
  const none = (commitSha: string): SideFacts => ({
    commitSha,
    runs: [],
    problem: null,
    coverage: null,
    durationMs: 0,
    cached: false,
  })
  return {
    intent,
    files: head.files,
    base: none(base.side.commitSha),
    head: none(head.side.commitSha),
    withoutChange: null,
    mutation: null,
    restored: [],
    textTests: [],
    sources: head.sources,
    sourcesBefore: new Map(),
    cases: new Map(),
    notRun: [],
    warnings: [],
  }
}

async function storeKnown(
  ctx: Context,
  { id, attempt }: ChangeRow,
  known: Partial<Pick<ChangeRow, 'base' | 'baseSha' | 'headSha' | 'verdict' | 'evidence'>>,
): Promise<void> {
  await ctx.db.getRepository(ChangeEntity).update({ id, attempt, status: 'running' }, known)
}

/** @throws RunFailure if the facts cannot be judged within the limits */
async function judgeApart(runner: TaskRunner, facts: ChangeFacts): Promise<JudgedChange> {
  try {
    return await judgeChangeApart(runner, facts)
  } catch (error) {
    if (!(error instanceof TaskFailure) || error.reason === 'lost') throw error
    throw new RunFailure('too_large', `The results of the tests ${error.problem}, so Assay could not judge the change.`)
  }
}

/** Returns the commands that run the tests of the change, or all tests if it has none, as a user would type them. */
/** Adds the files of tests that speak against the change, which need not be of the change. */
function withFailing(tests: readonly TestFile[], evidence: Pick<ChangeEvidence, 'tests'>): TestFile[] {
  const known = new Set(tests.map(({ path }) => path))
  const failing = evidence.tests.flatMap(({ transition, file }) => (transition === 'broken' ? (file ?? []) : []))
  const others = [...new Set(failing)].filter((path) => !known.has(path))
  return [...tests, ...others.slice(0, maxFailingFiles).map((path) => ({ path, code: '' }))]
}

function commandOf(parts: readonly PlanPart[], tests: readonly TestFile[]): string | null {
  const own = byPart(parts, tests)
  const chosen = parts.filter((part) => own.size === 0 || own.has(part)).slice(0, maxCommands)
  const commands = chosen.map((part) => {
    const step = stepFor(part, { files: own.get(part) ?? [], cases: [] })
    const typed = own.size === 0 ? typedCommand(part) : (step.short ?? step.command)
    return part.directory === '' ? typed : `(cd ${part.directory} && ${typed})`
  })
  return commands.length === 0 ? null : commands.join(' && ').slice(0, maxCommandLength)
}
