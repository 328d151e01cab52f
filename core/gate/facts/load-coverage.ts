import { carryCoverage } from '../../../engines/coverage/carry-over.ts'
import { type Ranges, withoutRanges } from '../../../engines/coverage/ranges.ts'
import { findReported, type FoundReport, type PathPrefix } from '../../../engines/gate/find-reported.ts'
import type { PatchFile } from '../../../engines/gate/patch.ts'
import type { HeadReports } from '../../../engines/gate/patch-coverage.ts'
import {
  mergeLines,
  moveLines,
  parseStored,
  type ReportedLines,
  type StoredLines,
} from '../../../engines/gate/report-lines.ts'
import type { Changes } from '../../../engines/source/types.ts'
import type { Context } from '../../base/context.ts'
import type { GateRun } from './load-runs.ts'

type StoredRow = StoredLines & { run_id: string }

const columns = `run_id, path, covered_lines AS covered, uncovered_lines AS uncovered, partial_branches AS partial,
                 complete_branches AS complete`

/** What the runs of a commit measured of the files of a change, and how their names were found. */
export interface PatchReports {
  rows: readonly StoredRow[]
  /** By path of the commit. */
  found: ReadonlyMap<string, FoundReport>
  /** The names of all files in the reports; empty if every changed file was found by its path. */
  names: readonly string[]
}

/** Loads what reports say about the files of a change. */
export async function loadPatchReports(
  { db }: Pick<Context, 'db'>,
  files: readonly PatchFile[],
  runs: readonly GateRun[],
  prefixes: readonly PathPrefix[],
): Promise<PatchReports> {
  const runIds = runs.filter(({ coverage }) => coverage !== null).map(({ id }) => id)
  const present = files.filter(({ change }) => change !== 'deleted')
  const paths = present.map(({ path }) => path)
  const exact = await db.query<StoredRow[]>(
    `SELECT ${columns} FROM test_run_coverage WHERE run_id = ANY ($1) AND path = ANY ($2)`,
    [runIds, paths],
  )
  const known = new Set(exact.map(({ path }) => path))
  const isFound = prefixes.length === 0 && present.every(({ path, kind }) => kind !== 'code' || known.has(path))
  const names = isFound || runIds.length === 0 ? [] : await namesIn(db, runIds)
  const found = findReported(present, names.length === 0 ? known : names, prefixes)
  const others = [...found.values()].filter(({ name }) => !known.has(name)).map(({ name }) => name)
  const more =
    others.length === 0
      ? []
      : await db.query<StoredRow[]>(
          `SELECT ${columns} FROM test_run_coverage WHERE run_id = ANY ($1) AND path = ANY ($2)`,
          [runIds, others],
        )
  return { rows: [...exact, ...more], found, names }
}

async function namesIn(db: Context['db'], runIds: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ path: string }[]>(
    'SELECT DISTINCT path FROM test_run_coverage WHERE run_id = ANY ($1)',
    [runIds],
  )
  return rows.map(({ path }) => path)
}

/**
 * Merges what runs measured, by path of the head.
 *
 * @param runs - those that count
 * @param movesOf - how the commits that were tested in place of the head differ from it; null if that is not known
 */
export function headReports(
  { rows, found }: PatchReports,
  runs: readonly GateRun[],
  movesOf: ReadonlyMap<string, Changes | null>,
): HeadReports {
  const byRun = Map.groupBy(rows, ({ run_id }) => run_id)
  const paths = Map.groupBy(found, ([, { name }]) => name)
  const files = new Map<string, ReportedLines>()
  const unknown = new Map<string, Ranges>()
  for (const { id, tested_sha: testedSha } of runs) {
    const moves = testedSha === null ? undefined : movesOf.get(testedSha)
    for (const row of byRun.get(id) ?? []) {
      for (const [path] of paths.get(row.path) ?? []) {
        const lines = parseStored(row)
        if (moves === undefined) {
          add(files, path, lines)
          continue
        }
        // Only files that have this path in both commits are mapped: a merge does not rename files of a change.
        const change = moves?.changed.get(path)
        if (moves === null || moves.added.has(path)) unknown.set(path, [[1, 2 ** 31]])
        else if (!change) add(files, path, lines)
        else {
          add(files, path, moveLines(lines, change.hunks))
          unknown.set(path, changedIn(moves, path, lines))
        }
      }
    }
  }
  return { files, unknown: withoutKnown(unknown, files) }
}

function add(files: Map<string, ReportedLines>, path: string, lines: ReportedLines): void {
  const known = files.get(path)
  files.set(path, known ? mergeLines(known, lines) : lines)
}

function changedIn(moves: Changes, path: string, { covered, uncovered }: ReportedLines): Ranges {
  const measured = new Map([[moves.changed.get(path)?.before ?? path, { covered, uncovered, partialBranches: null }]])
  return carryCoverage(measured, moves).files.get(path)?.changed ?? []
}

/** Lines that another run measured on the head itself are known. */
function withoutKnown(
  unknown: ReadonlyMap<string, Ranges>,
  files: ReadonlyMap<string, ReportedLines>,
): Map<string, Ranges> {
  return new Map(
    [...unknown].map(([path, ranges]) => {
      const known = files.get(path)
      return [path, known ? without(ranges, known) : ranges]
    }),
  )
}

function without(ranges: Ranges, { covered, uncovered }: ReportedLines): Ranges {
  return [covered, uncovered].reduce((left, known) => withoutRanges(left, known), ranges)
}
