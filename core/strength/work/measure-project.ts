import { join } from 'node:path'
import { namingField } from '../../../engines/source/base-reference.ts'
import { evidenceOf, maxSurvivors, verdictOf } from '../../../engines/strength/evidence.ts'
import { driverOf } from '../../../engines/strength/driver.ts'
import { Tally } from '../../../engines/strength/tally.ts'
import { findGoModulesApart } from '../../../engines/test-plan/detect-apart.ts'
import type { Context } from '../../base/context.ts'
import { engineRunner } from '../../base/engines.ts'
import { withRetry } from '../../base/retry.ts'
import { storableJson } from '../../base/storable-json.ts'
import { ownerOf } from '../../projects/owner.ts'
import { loadProjectSettings } from '../../projects/settings.ts'
import { storeReach } from '../../selection/reach.ts'
import { storedSnapshot } from '../../snapshots/stored-snapshot.ts'
import type { VerdictScope } from '../../verdicts/job.ts'
import { historyCommits } from '../../workspaces/compare-with-base.ts'
import { makeWorkDirectory } from '../../workspaces/directories.ts'
import { layersAbove, openLayers } from '../../workspaces/layered-checkout.ts'
import { masked } from '../../workspaces/mask.ts'
import { withPlannedSource } from '../../workspaces/planned-source.ts'
import { unloggedWork } from '../../workspaces/unlogged-work.ts'
import { howManyFit } from '../../workspaces/runner/at-once.ts'
import { suiteStep } from '../../workspaces/runner/steps.ts'
import { trustIn } from '../../workspaces/trust.ts'
import { MeasurementEntity, type MeasurementRow } from '../entity.ts'
import type { StrengthPhase } from '../schema.ts'
import type { MeasurementEnd } from '../state.ts'
import { fileStrengths } from '../../../engines/strength/file-strength.ts'
import { conditionsOf, ownersOf } from './conditions.ts'
import { noDriver, noTests } from './failures.ts'
import { programLimits, switchedProgram, withRoomFor } from './find-mutants.ts'
import { openKeeping } from './keeping.ts'
import { KnownPlaces } from './known-places.ts'
import { knownScores } from './known-scores.ts'
import { publishRegularly } from './publishing.ts'
import { inWords, pathsIn, readCode } from './read-code.ts'
import { readTests } from './read-tests.ts'
import { checksTypes, reachForSelection } from './reach-for-selection.ts'
import { sampleResults } from './sample.ts'
import { storeForRanking } from './store-for-ranking.ts'
import { tryMutants } from './try-mutants.ts'
import { warningsOf, warningsOfCode } from './warnings.ts'

/** The part of the budget after which no more code is read for mutants. */
const findShare = 0.25
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
  const scores = await withRetry(() => knownScores(ctx, project.id, measurement.snapshotId), ctx.signal)
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
    const code = await inWords(() => readCode(source, measurement, { onTop, scores }))
    const tests = await readTests(source, runner, code.files)
    return {
      source,
      parts,
      onTop,
      whyUntrusted,
      isOnProjectBranch,
      goModules,
      code,
      tests,
      trust: trustIn(source, whyUntrusted),
    }
  })
  const { source, parts, onTop, whyUntrusted, isOnProjectBranch, goModules, tests, trust } = fetched
  const { files, left } = fetched.code
  if (whyUntrusted !== null) warnings.add(whyUntrusted)
  if (source.hasSubmodules) warnings.add('Assay does not fetch the submodules of the repository.')

  report('finding_mutants')
  const budgetMs = measurement.budgetSeconds * 1_000
  const foundFrom = performance.now()
  const limits = { ...programLimits, stopAt: foundFrom + findShare * budgetMs }
  const program = await switchedProgram(runner, { files, onTop, scores, limits })
  const markers = [...program.code.values()].flatMap(({ unitOf, marker }) => [marker, ...unitOf.keys()])
  const pathOf = pathsIn(source.tree.paths)
  const isKnownFile = (file: string) => source.contentId(pathOf(file)) !== undefined
  const tally = new Tally({ probes: program.probes, markers, isKnownFile })
  const places = new KnownPlaces(runner, files)
  let sample = { tried: 0, disagreed: 0 }
  const isUnchanged = onTop !== null && files.size + left === 0
  const result = async ({ isRunning }: { isRunning: boolean }) => {
    const survived = program.mutants.filter(({ id }) => tally.decided.get(id)?.outcome === 'survived')
    await places.read(new Set(survived.slice(0, maxSurvivors).map(({ mutant }) => mutant.path)))
    const evidence = evidenceOf({
      mutants: program.mutants,
      tally,
      placeOf: (mutant) => places.of(mutant),
      pathOf,
      sample,
      warnings: [...warnings],
      isRunning,
      isUnchanged,
      limits: measurement,
      durationMs: performance.now() - begunAt,
    })
    return JSON.parse(storableJson(masked(evidence, mask))) as typeof evidence
  }
  // Nothing needs to be installed.
  if (isUnchanged) return { status: 'completed', verdict: 'measured', evidence: await result({ isRunning: false }) }
  const driven = parts.flatMap((part) => {
    const step = driverOf(part.framework, suiteStep(part, { coverage: false }))
    return step ? [{ part, step }] : []
  })
  if (driven.length === 0) throw noDriver(parts)
  const others = parts.filter((part) => !driven.some((one) => one.part === part))
  tally.hasOthers = others.length > 0

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
    conditions: conditionsOf({ source, tests, parts, settings, executor, environment, owners }),
    program,
    source,
    again: measurement.again,
    pathOf,
    mask,
  })
  for (const decided of keeping.spared.decided) tally.takeOver(decided)
  const tried = await withRoomFor(runner, program, files, (id) => tally.decided.has(id))
  const longFunctions = tried.left.size
  tally.leftOut = longFunctions + program.leftFiles + left
  for (const warning of warningsOfCode({ program, left, longFunctions, others })) warnings.add(warning)
  const findMs = performance.now() - foundFrom

  using inUse = new DisposableStack()
  const given = { ctx, project, settings, executor, checkout, directory, trust, inUse, environment }
  const { work, explained } = unloggedWork(given, mask, () => report('installing'))
  const layers = layersAbove(work)
  const layered = await openLayers({ runner, work, source, parts, goModules, mask }, layers).catch((error: unknown) => {
    throw explained(error)
  })
  let isChecked = false
  const store = () => keeping.store(tally, isChecked)
  {
    // Also what a cancelled measurement has found is of use for the next one. It is stored after what was published.
    await using _storing = { [Symbol.asyncDispose]: store }
    await using _publishing = publishRegularly(ctx, measurement, {
      result: () => result({ isRunning: true }),
      store,
    })
    const endAt = performance.now() + Math.max(budgetMs / 2, budgetMs - findMs)
    const stopAt = endAt - Math.min(sampleShare * budgetMs, maxSampleMs)
    for (const [index, { part, step }] of driven.entries()) {
      report('running_tests')
      await tryMutants({
        ctx,
        layered,
        part,
        step,
        program: tried,
        spared: keeping.spared,
        tally,
        dependent: tests.dependent,
        paths: source.tree.paths,
        pathOf,
        // What a part does not use is for the others.
        budgetMs: Math.max(0, stopAt - performance.now()) / (driven.length - index),
        report: (done, total) => report('trying_mutants', done, total),
      })
    }
    if (tally.tests === 0) throw noTests(tally, performance.now() >= stopAt)
    tally.forgetOpen()
    report('checking')
    const { doubtful, isWhole, ...sampled } = await sampleResults({
      layered,
      parts,
      mutants: program.mutants,
      files,
      unchecked: keeping.spared.unchecked,
      tally,
      paths: source.tree.paths,
      pathOf,
      endAt,
      atOnce: howManyFit(ctx.config.runs.memoryBytes, null),
      report: (done, total) => report('checking', done, total),
    })
    sample = sampled
    isChecked = isWhole
    for (const warning of warningsOf(tally, { ...sampled, doubtful })) warnings.add(warning)
  }
  const { commitSha } = source
  const strengths = fileStrengths(program.mutants, tally, {
    commitSha,
    contentOf: (path) => source.contentId(path),
    pathOf,
  })
  // Nobody may have reviewed the tests of another branch.
  if (isOnProjectBranch || snapshot) await storeForRanking(ctx, measurement, strengths)
  if (isOnProjectBranch && !snapshot && isOfAll(measurement)) {
    const records = keeping.seen(tally)
    const seen = reachForSelection({
      records,
      code: program.code,
      files,
      tests,
      frameworks: new Set(driven.map(({ part }) => part.framework)),
      checksTypes: await checksTypes(source),
    })
    await storeReach(ctx, project.id, { commitSha, ...seen })
  }
  const evidence = await result({ isRunning: false })
  return { status: 'completed', verdict: verdictOf(evidence), evidence }
}

/** Whether a measurement is about all code. */
const isOfAll = ({ paths, since }: Pick<MeasurementRow, 'paths' | 'since'>) => since === null && paths.length === 0

async function storeCommit(
  ctx: Context,
  { id, attempt }: MeasurementRow,
  known: Pick<MeasurementRow, 'commitSha' | 'branch'>,
): Promise<void> {
  await ctx.db.getRepository(MeasurementEntity).update({ id, attempt, status: 'running' }, known)
}
