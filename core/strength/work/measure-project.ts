import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { namedPaths } from '../../../engines/analysis/scope.ts'
import { namingField } from '../../../engines/source/base-reference.ts'
import { RepositoryError } from '../../../engines/source/types.ts'
import { codeAmong } from '../../../engines/strength/code-among.ts'
import { evidenceOf, hasUntried, maxSurvivors } from '../../../engines/strength/evidence.ts'
import { driverOf } from '../../../engines/strength/driver.ts'
import { Tally } from '../../../engines/strength/tally.ts'
import { findGoModulesApart } from '../../../engines/test-plan/detect-apart.ts'
import type { PlanPart } from '../../../engines/test-plan/plan.ts'
import { type Context, inTransaction } from '../../base/context.ts'
import { engineRunner } from '../../base/engines.ts'
import { withRetry } from '../../base/retry.ts'
import { storableJson } from '../../base/storable-json.ts'
import { ownerOf } from '../../projects/owner.ts'
import { loadProjectSettings } from '../../projects/settings.ts'
import { storedSnapshot } from '../../snapshots/stored-snapshot.ts'
import type { VerdictScope } from '../../verdicts/job.ts'
import { makeWorkDirectory } from '../../workspaces/directories.ts'
import { layersAbove, openLayers } from '../../workspaces/layered-checkout.ts'
import { masked } from '../../workspaces/mask.ts'
import { withPlannedSource } from '../../workspaces/planned-source.ts'
import { keepEnds } from '../../workspaces/printed.ts'
import { RunFailure, withOutput } from '../../workspaces/run-failure.ts'
import type { Work } from '../../workspaces/run-parts.ts'
import { howManyFit } from '../../workspaces/runner/at-once.ts'
import { suiteStep } from '../../workspaces/runner/steps.ts'
import type { OpenedSource } from '../../workspaces/source.ts'
import { trustIn } from '../../workspaces/trust.ts'
import { MeasurementEntity, type MeasurementRow } from '../entity.ts'
import type { StrengthPhase } from '../schema.ts'
import type { MeasurementEnd } from '../state.ts'
import { requestRanking } from '../../analysis/rank-anew.ts'
import { storeFileStrength } from '../../coverage/strength.ts'
import type { FileStrength } from '../../../engines/analysis/ranking/strength.ts'
import { fileStrengths } from '../../../engines/strength/file-strength.ts'
import { conditionsOf, ownersOf } from './conditions.ts'
import { switchedProgram, withRoomFor } from './find-mutants.ts'
import { openKeeping } from './keeping.ts'
import { KnownPlaces } from './known-places.ts'
import { knownScores } from './known-scores.ts'
import { sampleResults } from './sample.ts'
import { tryMutants } from './try-mutants.ts'
import { warningsOf } from './warnings.ts'

const publishMs = 2_000
const storeMs = 10_000
/** The part of the budget for repeating results in fresh processes. */
const sampleShare = 0.15
const maxSampleMs = 30_000

/**
 * Measures how much of the code that they run the tests of a commit check.
 *
 * @throws RunFailure if the tests cannot run
 */
export async function measureProject(
  ctx: Context,
  scope: VerdictScope<MeasurementRow, StrengthPhase>,
): Promise<MeasurementEnd> {
  const { row: measurement, project, directory, secrets, mask, report } = scope
  const begunAt = performance.now()
  const warnings = new Set<string>()
  report('fetching')
  const settings = await withRetry(() => loadProjectSettings(ctx, project.id), ctx.signal)
  const executor = await scope.findExecutor()
  const runner = engineRunner(ctx, 'background', ownerOf(project))
  const checkout = join(directory, 'checkout')
  const snapshot = await storedSnapshot(ctx, project, measurement)
  const how = { type: 'ALL', selection: null, elseAll: true } as const
  const wanted = { ...measurement, snapshot, ...how, historyCommits: measurement.since === null ? 0 : historyCommits }
  const fetched = await withPlannedSource(ctx, runner, project, settings, wanted, async (source, { parts }) => {
    const { commitSha } = source
    await withRetry(() => storeCommit(ctx, measurement, { commitSha, branch: measurement.branch ?? source.branch }))
    const { since } = measurement
    const onTop = since === null ? null : await inWords(() => namingField('since', source.changesOnTopOf(since)))
    const whyUntrusted = await source.whyUntrusted()
    const isOnProjectBranch = whyUntrusted === null && (await source.isOnProjectBranch())
    await makeWorkDirectory(ctx.config, directory, executor)
    await source.checkOut(checkout)
    const goModules = await findGoModulesApart(runner, source.tree, parts)
    const files = await inWords(() => readCode(source, measurement, onTop))
    return {
      source,
      parts,
      onTop,
      whyUntrusted,
      isOnProjectBranch,
      goModules,
      files,
      trust: trustIn(source, whyUntrusted),
    }
  })
  const { source, parts, onTop, whyUntrusted, isOnProjectBranch, goModules, trust } = fetched
  if (whyUntrusted !== null) warnings.add(whyUntrusted)
  if (source.hasSubmodules) warnings.add('Assay does not fetch the submodules of the repository.')

  report('finding_mutants')
  const scores = await withRetry(() => knownScores(ctx, project.id), ctx.signal)
  const program = await switchedProgram(runner, { files: fetched.files, onTop, scores })
  const markers = [...program.code.values()].flatMap(({ unitOf, marker }) => [marker, ...unitOf.keys()])
  const tally = new Tally(program.probes, markers)
  const pathOf = pathsIn(source.tree.paths)
  const places = new KnownPlaces(runner, fetched.files)
  let sample = { tried: 0, disagreed: 0 }
  let areDropped = false
  const isUnchanged = onTop !== null && fetched.files.size === 0
  const result = async () => {
    const survived = program.mutants.filter(({ id }) => tally.decided.get(id)?.outcome === 'survived')
    await places.read(new Set(survived.slice(0, maxSurvivors).map(({ mutant }) => mutant.path)))
    const evidence = evidenceOf({
      mutants: program.mutants,
      tally,
      placeAt: (path, line) => places.at(path, line),
      pathOf,
      sample,
      warnings: [...warnings],
      isUnchanged,
      durationMs: performance.now() - begunAt,
    })
    return JSON.parse(storableJson(masked(evidence, mask))) as typeof evidence
  }
  // Nothing needs to be installed.
  if (isUnchanged) return { status: 'completed', verdict: 'measured', evidence: await result() }
  const driven = parts.flatMap((part) => {
    const step = driverOf(part.framework, suiteStep(part, { coverage: false }))
    return step ? [{ part, step }] : []
  })
  if (driven.length === 0) throw new RunFailure('unsupported', noDriver(parts))

  const environment = whyUntrusted === null ? secrets : {}
  const owners = ownersOf({
    trust,
    commitSha: source.commitSha,
    branch: measurement.branch,
    isOnProjectBranch,
    snapshot: snapshot ? { senderId: snapshot.senderId, baseSha: snapshot.source.baseSha } : null,
  })
  const keeping = await openKeeping(ctx, {
    projectId: project.id,
    conditions: conditionsOf({ source, parts, settings, executor, environment, owners }),
    program,
    source,
    again: measurement.again,
    pathOf,
    mask,
  })
  for (const decided of keeping.spared.decided) tally.takeOver(decided)
  for (const [id, { accepted }] of keeping.spared.hints) if (accepted) tally.begin(id)
  const tried = await withRoomFor(runner, program, fetched.files, (id) => tally.decided.has(id))
  tally.leftOut = tried.left.size
  if (tried.left.size > 0) {
    warnings.add(
      `${tried.left.size} changes of very long functions have to wait for the next call, because all of them at once would make the code too long to load.`,
    )
  }

  if (program.unsupported.length > 0) warnings.add(notSwitched(program.unsupported))

  using inUse = new DisposableStack()
  let printed = keepEnds(mask)
  const work: Work = {
    ctx,
    project,
    settings,
    executor,
    checkout,
    directory,
    trust,
    inUse,
    environment,
    // Keeps only the output of the command, because the message of the failure has the rest.
    log: { say: () => {}, write: (text) => printed.write(text) },
    report: () => {
      printed = keepEnds(mask)
      report('installing')
    },
  }
  const layers = layersAbove(work)
  const layered = await openLayers({ runner, work, source, parts, goModules, mask }, layers).catch((error: unknown) => {
    throw withOutput(error, printed.text())
  })
  let storedAt = performance.now()
  const publish = async () => {
    const evidence = await result()
    await ctx.db
      .getRepository(MeasurementEntity)
      .update({ id: measurement.id, attempt: measurement.attempt, status: 'running' }, { verdict: 'partial', evidence })
    if (performance.now() - storedAt < storeMs) return
    await keeping.store(tally)
    storedAt = performance.now()
  }
  const budgetMs = measurement.budgetSeconds * 1_000
  {
    await using _publishing = repeatedly(publishMs, () => withRetry(publish))
    // Also what a cancelled measurement has found is of use for the next one.
    await using _storing = { [Symbol.asyncDispose]: () => keeping.store(tally) }
    const endAt = performance.now() + budgetMs
    const stopAt = endAt - Math.min(sampleShare * budgetMs, maxSampleMs)
    for (const { part, step } of driven) {
      report('running_tests')
      await tryMutants({
        ctx,
        layered,
        part,
        step,
        program: tried,
        spared: keeping.spared,
        tally,
        paths: source.tree.paths,
        budgetMs: Math.max(0, stopAt - performance.now()),
        report: (done, total) => report('trying_mutants', done, total),
      })
    }
    if (tally.tests === 0) throw noTests(tally, performance.now() >= stopAt)
    report('checking')
    const { doubtful, ...sampled } = await sampleResults({
      layered,
      parts,
      mutants: program.mutants,
      files: fetched.files,
      tally,
      paths: source.tree.paths,
      pathOf,
      endAt,
      atOnce: howManyFit(ctx.config.runs.memoryBytes, null),
      report: (done, total) => report('checking', done, total),
    })
    sample = sampled
    areDropped = doubtful.length > 0
    for (const warning of warningsOf(tally, { ...sampled, doubtful, pathOf })) warnings.add(warning)
  }
  const { commitSha } = source
  const strengths = fileStrengths(program.mutants, tally, { commitSha, contentOf: (path) => source.contentId(path) })
  // Nobody may have reviewed the tests of another branch.
  if (isOnProjectBranch || snapshot) await withRetry(() => storeForRanking(ctx, measurement, strengths))
  const isComplete = tally.isComplete && !areDropped && !hasUntried(tally, program.mutants)
  return { status: 'completed', verdict: isComplete ? 'measured' : 'partial', evidence: await result() }
}

/** So far back a branch may have left another one. */
const historyCommits = 1_000

/** Stores what the ranking of analyses uses, and has the latest one ranked anew. */
async function storeForRanking(
  ctx: Context,
  { projectId, snapshotId }: MeasurementRow,
  files: readonly FileStrength[],
): Promise<void> {
  if (files.length === 0) return
  await inTransaction(ctx, async (tx) => {
    // All transactions lock the project first.
    const rows = await tx.db.query<unknown[]>('SELECT FROM projects WHERE id = $1 FOR KEY SHARE', [projectId])
    if (rows.length === 0) return
    await storeFileStrength(tx, { projectId, snapshotId, files })
    await requestRanking(tx, projectId, snapshotId)
  })
}

function notSwitched(paths: readonly string[]): string {
  const more = paths.length > 3 ? ` and ${paths.length - 3} more` : ''
  return `Assay cannot try all changes of these files, because they are too large, or the code is not in a function: ${paths.slice(0, 3).join(', ')}${more}.`
}

function noTests({ errors: [error] }: Tally, isOver: boolean): RunFailure {
  if (isOver && error === undefined) {
    return new RunFailure(
      'budget_used',
      'The time was over before the tests had run once. Measure again with a larger budget.',
    )
  }
  const why =
    error === undefined
      ? 'No test ran, or the tests damaged the record of it.'
      : `Assay could not try mutants with these tests. ${error}`
  return new RunFailure('no_tests', `${why} A test run shows what the test command prints.`)
}

/** Calls `work` again and again, until it is disposed of. */
function repeatedly(milliseconds: number, work: () => Promise<void>): AsyncDisposable {
  const stop = new AbortController()
  const working = (async () => {
    while (!stop.signal.aborted) {
      await delay(milliseconds, undefined, { signal: stop.signal }).catch(() => undefined)
      if (!stop.signal.aborted) await work()
    }
  })()
  // A failure appears at the end.
  working.catch(() => undefined)
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await working
    },
  }
}

/** Returns a function that finds the path in the repository of a file where the runner sees it. */
function pathsIn(paths: readonly string[]): (file: string) => string {
  const known = new Set(paths)
  const found = new Map<string, string>()
  const search = (file: string) => {
    const names = file.split('/')
    const from = names.findIndex((_, index) => known.has(names.slice(index).join('/')))
    return from < 0 ? file : names.slice(from).join('/')
  }
  return (file) => {
    const path = found.get(file) ?? search(file)
    found.set(file, path)
    return path
  }
}

/** Reads the code that is asked for, by path. */
async function readCode(
  { tree }: OpenedSource,
  { paths }: Pick<MeasurementRow, 'paths'>,
  onTop: Awaited<ReturnType<OpenedSource['changesOnTopOf']>> | null,
): Promise<Map<string, string>> {
  const named = namedPaths(paths.length === 0 ? undefined : paths, tree.paths)
  const { code, problem } = codeAmong(named)
  if (problem !== null && paths.length > 0) throw new RunFailure('no_code', `The paths ${problem}`)
  const files = new Map<string, string>()
  for (const path of code) {
    const isChanged = onTop === null || onTop.changes.added.has(path) || onTop.changes.changed.has(path)
    if (!isChanged) continue
    const source = await tree.read(path)
    if (source !== null) files.set(path, source)
  }
  return files
}

async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof RepositoryError) || error.code === 'cancelled') throw error
    throw new RunFailure(error.code, error.message)
  }
}

function noDriver(parts: readonly PlanPart[]): string {
  const named = [...new Set(parts.map(({ framework, test }) => framework ?? test.command))].join(', ')
  return `Assay cannot keep ${named} loaded while it tries changes of the code. It can do so with Vitest, Jest, mocha, node:test, pytest, unittest and go test. Verify single tests instead.`
}

async function storeCommit(
  ctx: Context,
  { id, attempt }: MeasurementRow,
  known: Pick<MeasurementRow, 'commitSha' | 'branch'>,
): Promise<void> {
  await ctx.db.getRepository(MeasurementEntity).update({ id, attempt, status: 'running' }, known)
}
