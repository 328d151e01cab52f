import { setImmediate } from 'node:timers/promises'
import type { GateFacts } from '../../../engines/gate/facts.ts'
import { suggestPrefix } from '../../../engines/gate/find-reported.ts'
import type { PatchFile } from '../../../engines/gate/patch.ts'
import { type PatchCoverage, patchCoverage } from '../../../engines/gate/patch-coverage.ts'
import type { GateComponent, GatePolicy } from '../../../engines/gate/policy.ts'
import { globMatcher } from '../../../engines/source/glob.ts'
import type { Changes } from '../../../engines/source/types.ts'
import type { Context } from '../../base/context.ts'
import type { GateRow } from '../entity.ts'
import { headReports, loadPatchReports, type PatchReports } from './load-coverage.ts'
import { loadProjectCoverage } from './load-project.ts'
import { loadProof } from './load-proof.ts'
import { countRuns, type GateRun, loadRuns, loadUploads } from './load-runs.ts'
import { loadTests } from './load-tests.ts'

export interface LoadedFacts extends GateFacts {
  /** Files that reports name by other paths. */
  matched: { path: string; reported: string }[]
}

/** A commit that was tested in place of the gate's commit. */
export interface TestedCommit {
  /** How the gate's commit differs from it. */
  changes: Changes
  /** False if it certainly lacks the gate's commit. */
  hasHead: boolean
}

/** Finds a commit that was tested in place of the gate's commit; null if it cannot be fetched. */
export type FindTested = (testedSha: string) => Promise<TestedCommit | null>

/** Prefixes are suggested for so many files. */
const maxSuggested = 20

/** Loads what a gate decides with. */
export async function loadFacts(
  ctx: Pick<Context, 'db' | 'now'>,
  gate: GateRow,
  policy: GatePolicy,
  findTested: FindTested,
): Promise<LoadedFacts> {
  const all = await loadRuns(ctx, gate)
  const tested = new Map<string, TestedCommit | null>()
  for (const { tested_sha: sha } of all) if (sha !== null && !tested.has(sha)) tested.set(sha, await findTested(sha))
  const isOfOther = ({ tested_sha: sha }: GateRun) => sha !== null && tested.get(sha)?.hasHead === false
  const runs = all.filter((run) => !isOfOther(run))
  const patch = withoutIgnored(gate.patch ?? [], policy.ignore)
  const reports = await loadPatchReports(ctx, patch, runs, policy.pathPrefixes)
  const moves = new Map([...tested].map(([sha, found]) => [sha, found && found.changes]))
  const coverage = (files: readonly PatchFile[], counting: readonly GateRun[]) =>
    patchCoverage(files, headReports(reports, counting, moves))
  const whole = coverage(patch, runs)
  return {
    patch: gate.patch === null ? null : whole,
    components: await componentsOf(policy, (component) => coverage(...partOf(component, patch, runs))),
    incomparable: gate.incomparable,
    project: await loadProjectCoverage(ctx, gate, patch, runs),
    runs: countRuns(all.map((run) => (isOfOther(run) ? ofOther(run) : run))),
    uploads: gate.snapshotId === null ? await loadUploads(ctx, gate, runs) : null,
    ...(await loadTests(ctx, gate, runs)),
    ...(await loadProof(ctx, gate)),
    prefixes: prefixesFor(whole, reports),
    matched: [...reports.found].flatMap(([path, { name, by }]) => (by === 'suffix' ? { path, reported: name } : [])),
    isDeadlineOver: ctx.now() >= gate.deadlineAt,
  }
}

const ofOther = (run: GateRun): GateRun => ({
  ...run,
  status: 'FAILED',
  coverage: null,
  total_tests: 0,
  error: { message: `it tested ${run.tested_sha?.slice(0, 12)}, which does not contain the commit.` },
})

/** Many globs take long, so other work gets its turn between components. */
async function componentsOf(
  { components }: GatePolicy,
  coverageOf: (component: GateComponent) => PatchCoverage,
): Promise<PatchCoverage[]> {
  const found: PatchCoverage[] = []
  for (const component of components) {
    found.push(coverageOf(component))
    await setImmediate()
  }
  return found
}

function withoutIgnored(files: readonly PatchFile[], ignore: readonly string[]): PatchFile[] {
  const matchers = ignore.map(globMatcher)
  return files.filter(({ path }) => !matchers.some((matches) => matches(path)))
}

function partOf(
  { paths, upload }: GateComponent,
  files: readonly PatchFile[],
  runs: readonly GateRun[],
): [PatchFile[], GateRun[]] {
  const matchers = paths.map(globMatcher)
  return [
    files.filter(({ path }) => matchers.length === 0 || matchers.some((matches) => matches(path))),
    runs.filter(({ name }) => upload === null || name === upload),
  ]
}

function prefixesFor({ files }: PatchCoverage, { names }: PatchReports): GateFacts['prefixes'] {
  return files
    .filter(({ state }) => state === 'unmeasured')
    .slice(0, maxSuggested)
    .flatMap(({ path }) => {
      const prefix = suggestPrefix(path, names)
      return prefix ? { path, ...prefix } : []
    })
}
