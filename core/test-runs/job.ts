import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { DataSource } from 'typeorm'
import { type Context, inTransaction, type Services } from '../base/context.ts'
import { storeFile } from '../files/store.ts'
import type { JobKind } from '../jobs/jobs.ts'
import { loadEnvironment, loadProjectSettings } from '../projects/settings.ts'
import { TestRunEntity, type TestRunRow } from './entity.ts'
import type { FindExecutor } from '../workspaces/find-executor.ts'
import { countLines, logText, openRunLog, type RunLog } from './log.ts'
import { runQueue } from './queue.ts'
import { forgetArtifacts } from './run/artifacts.ts'
import { concludeRun, Overtaken } from './run/conclude.ts'
import type { Trust } from '../workspaces/dependencies.ts'
import { removeTree, runDirectory } from '../workspaces/directories.ts'
import { RunFailure } from '../workspaces/failure.ts'
import { maskOf } from '../workspaces/mask.ts'
import { patiently } from '../base/retry.ts'
import { installParts, testParts } from '../workspaces/perform.ts'
import { goModulesOf, withPlannedSource } from '../workspaces/prepare.ts'
import { withLog } from './run/with-log.ts'
import { showPlan } from './run/show-plan.ts'
import { type RunWatch, watchRun } from './run/watch.ts'
import type { RunError } from '../../engines/verdicts/schema.ts'
import { addWarning } from './warnings.ts'
import { beginRun, endRun, showBesideCommit } from './state.ts'

interface RunJob {
  runId: string
}

const maxLogBytes = 64 * 2 ** 20

/** Takes runs from the queue and does them. Whoever dies over one has it taken up again, from the start. */
export function runJob(services: Services, dataSource: DataSource, findExecutor: FindExecutor): JobKind<RunJob> {
  const contextOf = (runId: string, signal: AbortSignal): Context => ({
    ...services,
    db: dataSource.manager,
    actor: { kind: 'system' },
    client: { ipAddress: null, userAgent: null },
    requestId: `run-${runId}`,
    forgetSession: () => {},
    signal,
  })
  return {
    queue: runQueue,
    retryLimit: 2,
    heartbeatSeconds: 10,
    expireInSeconds: 86_400,
    concurrency: services.config.runs.runConcurrency,
    perGroup: services.config.runs.runsPerOwner,
    handle: ({ runId }, signal) => doRun(contextOf(runId, signal), runId, findExecutor),
    giveUp: async ({ runId }) => {
      const ctx = contextOf(runId, services.stopping)
      const run = await ctx.db.getRepository(TestRunEntity).findOneBy({ id: runId })
      if (!run) return
      const message =
        'Whoever worked on it died or was stopped, three times. The log of the server says why; the tests may need more than the machine has.'
      await inTransaction(ctx, (tx) => endRun(tx, run, { status: 'FAILED', error: { code: 'interrupted', message } }))
    },
  }
}

async function doRun(ctx: Context, runId: string, findExecutor: FindExecutor): Promise<void> {
  const begun = await patiently(() => beginRun(ctx, runId), ctx.signal)
  if (!begun) return
  const { run, project } = begun
  const directory = runDirectory(ctx.config, `${run.id}.${run.attempt}`)
  const secrets = run.withSecrets ? await patiently(() => loadEnvironment(ctx, project.id)) : {}
  const mask = maskOf(secrets)
  const log = openRunLog(ctx.db, run.id, {
    mask,
    firstLine: await countLines(ctx.db, run.id),
    maxBytes: maxLogBytes,
    onError: (error) => ctx.log.warn({ err: error, runId }, 'lines of a log are lost'),
  })
  if (run.attempt > 1) {
    log.say('# Whoever worked on this run was interrupted. It begins again.')
    await forgetEarlier(ctx, run)
  }
  try {
    await using watch = watchRun(ctx, run, () => log.lines())
    const signal = AbortSignal.any([ctx.signal, watch.signal])
    await work({ ...ctx, signal }, { run, project, directory, secrets, mask, log, watch, findExecutor })
  } catch (error) {
    await conclusionOf(ctx, run, log, error, mask)
  } finally {
    await log.flush()
    await removeTree(directory)
  }
}

interface Undertaking {
  run: TestRunRow
  project: NonNullable<Awaited<ReturnType<typeof beginRun>>>['project']
  directory: string
  /** The project's environment; the run gets it if its commit is trusted. */
  secrets: Readonly<Record<string, string>>
  mask: (text: string) => string
  log: RunLog
  watch: RunWatch
  findExecutor: FindExecutor
}

async function work(ctx: Context, undertaking: Undertaking): Promise<void> {
  const { run, project, directory, secrets, mask, log, watch } = undertaking
  const settings = await patiently(() => loadProjectSettings(ctx, project.id), ctx.signal)
  const executor = await undertaking.findExecutor()
  const checkout = join(directory, 'checkout')
  // An interrupted attempt may have found that the commit is not trusted; this one does not look again.
  const warnings = [...run.warnings]
  const warn = (text: string) => addWarning(warnings, text)
  const report = (phase: Parameters<RunWatch['report']>[0]['phase'], command: string | null = null) =>
    watch.report({ phase, command: command && mask(command) })

  report('fetching')
  log.say(`# Fetching ${run.commitSha ?? run.branch ?? project.branch} of ${project.name}.`)
  // Better all tests again than none, where the runner cannot be told which.
  const wanted = { ...run, elseAll: run.source === 'rerun' }
  const fetched = await withPlannedSource(ctx, project, settings, wanted, async (source, plan) => {
    report('planning')
    await source.checkOut(checkout)
    const whyUntrusted = run.withSecrets ? await source.whyUntrusted() : null
    return { source, plan, goModules: await goModulesOf(source, plan), whyUntrusted }
  })
  const { source, plan, goModules, whyUntrusted } = fetched
  const withSecrets = run.withSecrets && whyUntrusted === null
  log.say(`# Commit ${source.commitSha}. The tests run in ${executor.name}.`)
  if (whyUntrusted !== null) {
    log.say(`# ${whyUntrusted}`)
    warn(whyUntrusted)
  }
  if (source.hasSubmodules) warn('The submodules of the repository are not fetched.')
  const known = {
    commitSha: source.commitSha,
    branch: run.branch ?? source.branch,
    plan: showPlan(plan),
    recipe: plan,
    executor: executor.name,
    withSecrets,
    warnings,
  }
  await patiently(() => inTransaction(ctx, (tx) => writeDown(tx, run, known)), ctx.signal)

  const trust: Trust = withSecrets ? 'own' : 'fork'
  const environment = withSecrets ? secrets : {}
  using inUse = new DisposableStack()
  const parts = { ctx, project, settings, executor, checkout, directory, trust, inUse, environment, log, report }
  const installed = await installParts(parts, source, plan)
  const tested = await testParts(parts, installed)
  report('storing')
  await log.flush()
  await storeLog(ctx, run)
  report('reading')
  await concludeRun(ctx, {
    run,
    settings,
    tested,
    paths: source.tree.paths,
    goModules,
    environment: secrets,
    mask,
    warnings: known.warnings,
  })
}

/** What is known once the commit is there. */
async function writeDown(
  tx: Context,
  run: TestRunRow,
  known: Pick<TestRunRow, 'commitSha' | 'branch' | 'plan' | 'recipe' | 'executor' | 'withSecrets' | 'warnings'>,
): Promise<void> {
  const { affected } = await tx.db
    .getRepository(TestRunEntity)
    .update({ id: run.id, attempt: run.attempt, status: 'RUNNING' }, known)
  // Where the commit was known before, its state is shown already.
  if (affected !== 0 && run.commitSha === null) await showBesideCommit(tx, { ...run, ...known })
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
    // Nothing is lost: testRuns.log has it.
    ctx.log.warn({ err: error, runId: run.id }, 'the log of a run could not be stored as a file')
  }
}

async function forgetEarlier(ctx: Context, run: TestRunRow): Promise<void> {
  await patiently(() => forgetArtifacts(ctx, run.id), ctx.signal)
  await removeTree(runDirectory(ctx.config, `${run.id}.${run.attempt - 1}`))
}

/** Ends a run that has no verdict, unless somebody else has ended it or it is to be taken up again. */
async function conclusionOf(
  ctx: Context,
  run: TestRunRow,
  log: RunLog,
  error: unknown,
  mask: (text: string) => string,
): Promise<void> {
  if (error instanceof Overtaken) return
  if (ctx.signal.aborted) {
    log.say('# The server stops. The run begins again when it is back.')
    throw error
  }
  const still = await patiently(() =>
    ctx.db.getRepository(TestRunEntity).existsBy({ id: run.id, attempt: run.attempt, status: 'RUNNING' }),
  )
  if (!still) return
  const reason = describe(ctx, run, error)
  log.say(`# ${reason.message}`)
  // Whoever sees that the run has ended finds all of its log.
  await log.flush()
  const end = { status: 'FAILED' as const, error: { ...reason, message: mask(reason.message) } }
  await patiently(() => inTransaction(ctx, (tx) => endRun(tx, run, end)))
}

function describe(ctx: Context, run: TestRunRow, error: unknown): RunError {
  if (error instanceof RunFailure) return { code: error.code, message: withLog(error) }
  ctx.log.error({ err: error, runId: run.id }, 'a run failed')
  if (/ENOSPC|No space left/i.test(String(error))) {
    return { code: 'disk_full', message: 'The disk of the server is full. Run it again when there is room.' }
  }
  return { code: 'internal', message: 'Assay broke over this run. The log of the server has the details.' }
}
