import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { DataSource } from 'typeorm'
import { type Context, inTransaction, type Services } from '../base/context.ts'
import { storeFile } from '../files/store.ts'
import { engineRunner, isLostProcess } from '../base/engines.ts'
import type { JobKind } from '../jobs/jobs.ts'
import { type Attempt, recordJob } from '../jobs/record-job.ts'
import { ownerOf } from '../projects/owner.ts'
import { reportTask } from '../../engines/reports/read-apart.ts'
import { findGoModulesApart } from '../../engines/test-plan/detect-apart.ts'
import { loadEnvironment, loadProjectSettings } from '../projects/settings.ts'
import { TestRunEntity, type TestRunRow } from './entity.ts'
import type { FindExecutor } from '../workspaces/find-executor.ts'
import { countLines, logText, openRunLog, type RunLog } from './log/log.ts'
import { runQueue } from './queue.ts'
import { forgetArtifacts } from './run/artifacts.ts'
import { concludeRun } from './run/conclude.ts'
import { trustIn } from '../workspaces/trust.ts'
import { storedSnapshot } from '../snapshots/stored-snapshot.ts'
import { makeWorkDirectory, removeTree, runDirectory } from '../workspaces/directories.ts'
import { RunFailure } from '../workspaces/run-failure.ts'
import { maskOf } from '../workspaces/mask.ts'
import { withRetry } from '../base/retry.ts'
import { type CommandStep, installParts, testParts } from '../workspaces/run-parts.ts'
import { withPlannedSource } from '../workspaces/planned-source.ts'
import { historyCommits } from '../workspaces/compare-with-base.ts'
import { chooseImpacted } from './run/choose-impacted.ts'
import { withoutSkipped } from './run/leave-out.ts'
import { type Repeated, repeatNewTests } from './run/repeat-new-tests.ts'
import { withLog } from './run/with-log.ts'
import { showPlan } from './run/show-plan.ts'
import type { RunProgress, TimelineStep } from './schema.ts'
import { addStep, presentStep } from './timeline.ts'
import { addWarning } from './warnings.ts'
import { beginRun, endRun, reportCommitStatus } from './state.ts'

interface RunJob {
  runId: string
}

const maxLogBytes = 64 * 2 ** 20

/** Takes test runs from the queue and runs the tests. */
export function runJob(services: Services, dataSource: DataSource, findExecutor: FindExecutor): JobKind<RunJob> {
  return recordJob<RunJob, RunProgress>(services, dataSource, {
    noun: 'run',
    queue: runQueue,
    retryLimit: 2,
    expireInSeconds: 86_400,
    concurrency: services.config.runs.runConcurrency,
    perGroup: services.config.runs.runsPerOwner,
    idOf: ({ runId }) => runId,
    begin: (ctx, id) => begin(ctx, id, findExecutor),
    isInterruption: isLostProcess,
    abandon: async (ctx, id, error) => {
      const run = await ctx.db.getRepository(TestRunEntity).findOneBy({ id })
      if (!run) return
      await inTransaction(ctx, (tx) => endRun(tx, run, { status: 'FAILED', error }))
      await removeTree(runDirectory(ctx.config, `${id}.${run.attempt}`))
    },
  })
}

async function begin(ctx: Context, id: string, findExecutor: FindExecutor): Promise<Attempt<RunProgress> | undefined> {
  const begun = await beginRun(ctx, id)
  if (!begun) return undefined
  const { run, project } = begun
  const { attempt } = run
  const directory = runDirectory(ctx.config, `${id}.${attempt}`)
  const secrets = run.withSecrets ? await withRetry(() => loadEnvironment(ctx, project.id)) : {}
  const mask = maskOf(secrets)
  const log = openRunLog(ctx.db, id, {
    mask,
    firstLine: await countLines(ctx.db, id),
    maxBytes: maxLogBytes,
    onError: (error) => ctx.log.warn({ err: error, runId: id }, 'could not store lines of a log'),
  })
  if (attempt > 1) {
    log.say('# The worker stopped unexpectedly. The run starts again.')
    await withRetry(() => forgetArtifacts(ctx, id), ctx.signal)
    await removeTree(runDirectory(ctx.config, `${id}.${attempt - 1}`))
  }

  const runs = ctx.db.getRepository(TestRunEntity)
  const current = { id, attempt, status: 'RUNNING' as const }
  let known: Omit<RunProgress, 'logLines'> | undefined
  const timeline: TimelineStep[] = []
  return {
    isCurrent: () => runs.existsBy(current),
    progress: () => known && { ...known, logLines: log.lines() },
    writeProgress: async (progress) => (await runs.update(current, { progress, timeline })).affected !== 0,
    work: (context, writeNow) => {
      const report: Report = (phase, command = null) => {
        known = { phase, command: command && mask(command) }
        writeNow()
      }
      const onStep = (step: CommandStep) => {
        addStep(timeline, { ...presentStep(step), label: mask(step.command) })
        writeNow()
      }
      const scope = { run, project, directory, secrets, mask, log, report, timeline, onStep, findExecutor }
      return work(context, scope)
    },
    explain: (error) => (error instanceof RunFailure ? { code: error.code, message: withLog(error) } : undefined),
    fail: async ({ code, message }) => {
      log.say(`# ${message}`)
      // Readers that see the end of the run must find its complete log.
      await log.flush()
      const end = { status: 'FAILED' as const, error: { code, message: mask(message) }, timeline }
      await inTransaction(ctx, (tx) => endRun(tx, run, end))
    },
    onStopping: () => log.say('# The server is stopping. The run starts again when the server is back.'),
    close: async () => {
      await log.flush()
      await removeTree(directory)
    },
  }
}

type Report = (phase: RunProgress['phase'], command?: string | null) => void

interface RunScope {
  run: TestRunRow
  project: NonNullable<Awaited<ReturnType<typeof beginRun>>>['project']
  directory: string
  /** The project's environment; the run gets it if its commit is trusted. */
  secrets: Readonly<Record<string, string>>
  mask: (text: string) => string
  log: RunLog
  report: Report
  /** The steps that have ended. */
  timeline: TimelineStep[]
  onStep: (step: CommandStep) => void
  findExecutor: FindExecutor
}

async function work(ctx: Context, scope: RunScope): Promise<void> {
  const { run, project, directory, secrets, mask, log, report, timeline, onStep } = scope
  const settings = await withRetry(() => loadProjectSettings(ctx, project.id), ctx.signal)
  const executor = await scope.findExecutor()
  const checkout = join(directory, 'checkout')
  // An interrupted attempt may have found that the commit is not trusted. This attempt does not check again.
  const warnings = [...run.warnings]
  const warn = (text: string) => addWarning(warnings, text)

  // Meanwhile, because it takes as long as a small commit.
  const made = makeWorkDirectory(ctx.config, directory, executor)
  made.catch(() => undefined)
  report('fetching')
  log.say(`# Fetching ${stateOf(run) ?? project.branch} of ${project.name}.`)
  const runner = engineRunner(ctx, 'background', ownerOf(project))
  // If the runner cannot select tests, a rerun runs all of them.
  const snapshot = await storedSnapshot(ctx, project, run)
  const chosen = run.impacted && chooseImpacted(ctx, project, run.impacted)
  const wanted = {
    ...run,
    snapshot,
    elseAll: run.source === 'rerun' || chosen !== null,
    ...(chosen && { selectIn: chosen.selectIn, historyCommits }),
  }
  const fetching = withPlannedSource(ctx, runner, project, settings, wanted, async (source, plan) => {
    report('planning')
    await made
    await source.checkOut(checkout)
    const whyUntrusted = run.withSecrets ? await source.whyUntrusted() : null
    return { source, plan, goModules: await findGoModulesApart(runner, source.tree, plan.parts), whyUntrusted }
  })
  // The folder must be complete before the end of the run removes it.
  await Promise.allSettled([fetching, made])
  const fetched = await fetching
  const { source, plan, goModules, whyUntrusted } = fetched
  const withSecrets = run.withSecrets && whyUntrusted === null
  log.say(`# Commit ${source.commitSha}. The tests run in ${executor.name}.`)
  if (whyUntrusted !== null) {
    log.say(`# ${whyUntrusted}`)
    warn(whyUntrusted)
  }
  if (source.hasSubmodules) warn('Assay does not fetch the submodules of the repository.')
  for (const note of chosen?.notes() ?? []) log.say(`# ${mask(note)}`)
  const selection = chosen ? chosen.selection() : run.selection
  const known = {
    selection,
    impacted: chosen ? chosen.impacted() : null,
    commitSha: source.commitSha,
    branch: run.branch ?? source.branch,
    plan: showPlan(plan),
    recipe: plan,
    executor: executor.name,
    withSecrets,
    warnings,
  }
  await withRetry(() => inTransaction(ctx, (tx) => storeKnown(tx, run, known)), ctx.signal)

  const trust = trustIn(source, withSecrets ? null : 'The commit may come from a fork.')
  const environment = withSecrets ? secrets : {}
  using inUse = new DisposableStack()
  const parts = {
    ctx,
    project,
    settings,
    executor,
    checkout,
    directory,
    trust,
    inUse,
    environment,
    log,
    report,
    onStep,
  }
  // A run of chosen tests runs what was chosen.
  const whole = selection === null ? await withoutSkipped(ctx, project.id, plan) : { plan, leftOut: [], notes: [] }
  for (const note of whole.notes) log.say(`# ${mask(note)}`)
  const installed = await installParts(parts, source, whole.plan)
  const testedFrom = performance.now()
  const tested = await testParts(parts, installed)
  const testMs = performance.now() - testedFrom
  const repeated =
    selection === null
      ? await repeatNewTests({
          ctx,
          work: parts,
          runner,
          installed,
          tested,
          paths: source.tree.paths,
          goModules,
          mask,
          testMs,
        })
      : null
  if (repeated) sayRepeated(repeated, log, warn)
  report('storing')
  runner.warm(reportTask)
  await log.flush()
  await storeLog(ctx, run)
  report('reading')
  await concludeRun(ctx, {
    runners: { background: runner, interactive: engineRunner(ctx, 'interactive', ownerOf(project)) },
    run: { ...run, selection },
    settings,
    tested,
    paths: source.tree.paths,
    goModules,
    environment: secrets,
    mask,
    warnings,
    leftOut: whole.leftOut,
    repeated,
    timeline,
  })
}

function sayRepeated({ tests, runs, unsteady }: Repeated, log: RunLog, warn: (text: string) => void): void {
  const added = tests === 1 ? '1 new test' : `${tests} new tests`
  log.say(`# Ran ${added} ${runs} times. ${unsteady.length} of them failed in some runs and passed in others.`)
  if (unsteady.length === 0) return
  warn(`${unsteady.length} of ${added} failed in some of ${runs} runs and passed in others: flaky from the first day.`)
}

const stateOf = ({ commitSha, branch, snapshotId }: TestRunRow) =>
  snapshotId === null ? (commitSha ?? branch) : `the snapshot ${snapshotId}`

async function storeKnown(
  tx: Context,
  run: TestRunRow,
  known: Pick<
    TestRunRow,
    'selection' | 'impacted' | 'commitSha' | 'branch' | 'plan' | 'recipe' | 'executor' | 'withSecrets' | 'warnings'
  >,
): Promise<void> {
  const { affected } = await tx.db
    .getRepository(TestRunEntity)
    .update({ id: run.id, attempt: run.attempt, status: 'RUNNING' }, known)
  // If the run was created with a commit, the code host has its status already.
  if (affected !== 0 && run.commitSha === null) await reportCommitStatus(tx, { ...run, ...known })
}

async function storeLog(ctx: Context, run: TestRunRow): Promise<void> {
  try {
    await storeFile(ctx, {
      projectId: run.projectId,
      runId: run.id,
      name: 'log.txt',
      contentType: 'text/plain; charset=utf-8',
      stream: Readable.from(logText(ctx.db, run.id), { objectMode: false }),
      maxBytes: 2 * maxLogBytes,
    })
  } catch (error) {
    if (ctx.signal.aborted) throw error
    // The log is still available from testRuns.log.
    ctx.log.warn({ err: error, runId: run.id }, 'the log of a run could not be stored as a file')
  }
}
