import type { Share } from '../../../engines/coverage/coverage.ts'
import { intersectRanges, parseRanges, uniteRanges, withoutRanges } from '../../../engines/coverage/ranges.ts'
import type { ProjectCoverage } from '../../../engines/gate/facts.ts'
import { type PatchFile, rangesOf } from '../../../engines/gate/patch.ts'
import { shareOf } from '../../../engines/gate/patch-coverage.ts'
import type { Context } from '../../base/context.ts'
import { counting } from '../../coverage/measured.ts'
import { lastMeasuringRunOf } from '../../coverage/of-file.ts'
import type { GateRow } from '../entity.ts'
import type { GateRun } from './load-runs.ts'

type Db = Pick<Context, 'db'>

/** Coverage of all lines of the project, before and after a change. Null if the head was not measured. */
export async function loadProjectCoverage(
  ctx: Db,
  gate: Pick<GateRow, 'projectId' | 'baseSha' | 'base'>,
  patch: readonly PatchFile[],
  runs: readonly GateRun[],
): Promise<ProjectCoverage | null> {
  const head = await shareOfRuns(
    ctx,
    runs.filter(({ coverage }) => coverage !== null).map(({ id }) => id),
  )
  if (head.total === 0) return null
  const base = await measuredBase(ctx, gate)
  return {
    head,
    base: base && (await shareOfRuns(ctx, base.runIds)),
    removed: base ? await removedLines(ctx, base.runIds, patch) : { covered: 0, total: 0 },
    baseSha: base?.commitSha ?? null,
  }
}

/** The base itself if it was measured, or else the latest measured commit of its branch. */
async function measuredBase(
  ctx: Db,
  { projectId, baseSha, base }: Pick<GateRow, 'projectId' | 'baseSha' | 'base'>,
): Promise<{ runIds: string[]; commitSha: string } | null> {
  if (baseSha !== null) {
    const rows = await ctx.db.query<{ id: string }[]>(
      `SELECT id FROM test_runs WHERE ${counting} AND commit_sha = $3 ORDER BY id DESC LIMIT 20`,
      [projectId, null, baseSha],
    )
    if (rows.length > 0) return { runIds: rows.map(({ id }) => id), commitSha: baseSha }
  }
  const latest = await lastMeasuringRunOf(ctx, projectId, base)
  return latest ? { runIds: [latest.id], commitSha: latest.commit_sha } : null
}

/** Adds up the lines of all files. Files that several runs measured are merged. */
async function shareOfRuns({ db }: Db, runIds: readonly string[]): Promise<Share> {
  const [once] = await db.query<[{ covered: number; total: number }]>(
    `SELECT coalesce(sum(covered), 0)::int AS covered, coalesce(sum(total), 0)::int AS total
       FROM (SELECT sum(lines_covered) AS covered, sum(lines_total) AS total FROM test_run_coverage
              WHERE run_id = ANY ($1) GROUP BY path HAVING count(*) = 1) AS files`,
    [runIds],
  )
  if (runIds.length < 2) return once
  const several = await db.query<{ path: string; covered: string; uncovered: string }[]>(
    `SELECT path, covered_lines AS covered, uncovered_lines AS uncovered FROM test_run_coverage
      WHERE run_id = ANY ($1)
        AND path IN (SELECT path FROM test_run_coverage WHERE run_id = ANY ($1) GROUP BY path HAVING count(*) > 1)`,
    [runIds],
  )
  const sum = { ...once }
  for (const rows of Map.groupBy(several, ({ path }) => path).values()) {
    const share = mergedShare(rows)
    sum.covered += share.covered
    sum.total += share.total
  }
  return sum
}

function mergedShare(rows: readonly { covered: string; uncovered: string }[]): Share {
  // Most runs measure a file alike.
  const distinct = new Map(rows.map((row) => [`${row.covered}|${row.uncovered}`, row]))
  const united = (side: 'covered' | 'uncovered') =>
    [...distinct.values()].map((row) => parseRanges(row[side])).reduce((all, one) => uniteRanges(all, one), [])
  const covered = united('covered')
  return shareOf(covered, withoutRanges(united('uncovered'), covered))
}

/** Lines of the base that the change removed or replaced, of those that were measured. */
async function removedLines({ db }: Db, runIds: readonly string[], patch: readonly PatchFile[]): Promise<Share> {
  const removed = new Map(patch.flatMap(({ before, removed: lines }) => (before === null ? [] : [[before, lines]])))
  const rows = await db.query<{ path: string; covered: string; uncovered: string }[]>(
    `SELECT path, covered_lines AS covered, uncovered_lines AS uncovered FROM test_run_coverage
      WHERE run_id = ANY ($1) AND path = ANY ($2)`,
    [runIds, [...removed.keys()]],
  )
  const sum = { covered: 0, total: 0 }
  for (const [path, ofPath] of Map.groupBy(rows, ({ path }) => path)) {
    const lines = rangesOf(removed.get(path) ?? null)
    const cut = ofPath.map(({ covered, uncovered }) => ({
      covered: intersectRanges(parseRanges(covered), lines),
      uncovered: intersectRanges(parseRanges(uncovered), lines),
    }))
    const covered = cut.reduce((all, one) => uniteRanges(all, one.covered), cut[0]?.covered ?? [])
    const uncovered = cut.reduce((all, one) => uniteRanges(all, one.uncovered), cut[0]?.uncovered ?? [])
    const share = shareOf(covered, withoutRanges(uncovered, covered))
    sum.covered += share.covered
    sum.total += share.total
  }
  return sum
}
