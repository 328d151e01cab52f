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

/** How a commit that was tested in place of the gate's commit differs from it; null if that cannot be found out. */
export type FindMoves = (testedSha: string) => Promise<Changes | null>

/** Prefixes are suggested for so many files. */
const maxSuggested = 20

/** Loads what a gate decides with. */
export async function loadFacts(
  ctx: Pick<Context, 'db' | 'now'>,
  gate: GateRow,
  policy: GatePolicy,
  findMoves: FindMoves,
): Promise<LoadedFacts> {
  const runs = await loadRuns(ctx, gate)
  const patch = withoutIgnored(gate.patch ?? [], policy.ignore)
  const reports = await loadPatchReports(ctx, patch, runs, policy.pathPrefixes)
  const moves = new Map<string, Changes | null>()
  for (const { tested_sha: sha, coverage } of runs)
    if (sha !== null && coverage !== null && !moves.has(sha)) moves.set(sha, await findMoves(sha))
  const coverage = (files: readonly PatchFile[], counting: readonly GateRun[]) =>
    patchCoverage(files, headReports(reports, counting, moves))
  const whole = coverage(patch, runs)
  return {
    patch: gate.patch === null ? null : whole,
    components: policy.components.map((component) => coverage(...partOf(component, patch, runs))),
    incomparable: gate.incomparable,
    project: await loadProjectCoverage(ctx, gate, patch, runs),
    runs: countRuns(runs),
    uploads: gate.snapshotId === null ? await loadUploads(ctx, gate, runs) : null,
    ...(await loadTests(ctx, gate, runs)),
    ...(await loadProof(ctx, gate)),
    prefixes: prefixesFor(whole, reports),
    matched: [...reports.found].flatMap(([path, { name, by }]) => (by === 'suffix' ? { path, reported: name } : [])),
    isDeadlineOver: ctx.now() >= gate.deadlineAt,
  }
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
