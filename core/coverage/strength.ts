import type { FileStrength } from '../../engines/analysis/ranking/strength.ts'
import {
  type MeasuredFile,
  type ReachedLine,
  withEarlierLines,
  withLater,
} from '../../engines/strength/file-strength.ts'
import type { Context } from '../base/context.ts'
import { storableJson } from '../base/storable-json.ts'

/** Enough for some branches beside the main one. */
const contentsPerPath = 4
const snapshotDays = 7
/** Analyses read all rows of a project. */
const maxFiles = 20_000

/** The measurement that found the strength of files. */
export interface MeasuredStrength {
  projectId: string
  snapshotId: string | null
  files: readonly MeasuredFile[]
}

/**
 * Stores what a measurement found of files, for the ranking of analyses, in the caller's transaction. Adds it to what is
 * known of the same content. Keeps the latest contents of each file, and those of snapshots for a week.
 */
export async function storeFileStrength(
  { db, now }: Pick<Context, 'db' | 'now'>,
  { projectId, snapshotId, files }: MeasuredStrength,
): Promise<void> {
  const of = snapshotId ?? ''
  const known = await db.query<Pick<Row, 'path' | 'content_id' | 'lines' | 'survivors' | 'reached_by'>[]>(
    `SELECT path, content_id, lines, survivors, reached_by FROM file_strength
      WHERE project_id = $1 AND snapshot_id = $2
        AND (path, content_id) IN (SELECT * FROM unnest($3::text[], $4::text[]))
      ORDER BY path, content_id FOR UPDATE`,
    [projectId, of, files.map(({ path }) => path), files.map(({ contentId }) => contentId)],
  )
  const earlier = new Map(known.map((row) => [JSON.stringify([row.path, row.content_id]), row]))
  const rows = files.map((file) => {
    const before = earlier.get(JSON.stringify([file.path, file.contentId])) ?? nothing
    const { path, contentId, commitSha, reached, lines, survivors } = withLater(before, file)
    const tried = lines.reduce((sum, [, count]) => sum + count, 0)
    const reachedBy = withEarlierLines(file.reachedBy, before.reached_by)
    return {
      path,
      content_id: contentId,
      commit_sha: commitSha,
      tried,
      reached,
      lines,
      survivors,
      reached_by: reachedBy,
    }
  })
  // The order is the one in which other transactions lock the rows.
  await db.query(
    `INSERT INTO file_strength (project_id, snapshot_id, path, content_id, commit_sha, tried, reached, lines, survivors, reached_by,
                                measured_at)
     SELECT $1, $2, path, content_id, commit_sha, tried, reached, lines, survivors, reached_by, $4
       FROM jsonb_to_recordset($3::jsonb)
         AS given (path text, content_id text, commit_sha text, tried int, reached int, lines jsonb, survivors jsonb,
                  reached_by jsonb)
      ORDER BY path, content_id
     ON CONFLICT (project_id, snapshot_id, path, content_id) DO UPDATE
       SET commit_sha = excluded.commit_sha, tried = excluded.tried, reached = excluded.reached, lines = excluded.lines,
           survivors = excluded.survivors, reached_by = excluded.reached_by, measured_at = excluded.measured_at`,
    [projectId, of, storableJson(rows), now()],
  )
  await db.query(
    `DELETE FROM file_strength AS old
      USING (SELECT snapshot_id, path, content_id, measured_at,
                    row_number() OVER (PARTITION BY snapshot_id, path ORDER BY measured_at DESC, content_id) AS position
               FROM file_strength WHERE project_id = $1) AS ranked
      WHERE old.project_id = $1 AND old.snapshot_id = ranked.snapshot_id AND old.path = ranked.path
        AND old.content_id = ranked.content_id
        AND (ranked.position > $2
          OR (ranked.snapshot_id <> '' AND ranked.measured_at < $3::timestamptz - make_interval(days => $4)))`,
    [projectId, contentsPerPath, now(), snapshotDays],
  )
}

interface Row {
  path: string
  content_id: string
  commit_sha: string
  reached: number | null
  lines: FileStrength['lines']
  survivors: FileStrength['survivors']
  reached_by: readonly ReachedLine[]
}

const nothing = { lines: [], survivors: [], reached_by: [] }

/** Returns what was measured of the files of a project, newest first; for a snapshot, what was measured of it before. */
export async function loadFileStrength(
  { db }: Pick<Context, 'db'>,
  projectId: string,
  snapshotId: string | null,
): Promise<FileStrength[]> {
  const rows = await db.query<Omit<Row, 'reached_by'>[]>(
    `SELECT path, content_id, commit_sha, reached, lines, survivors FROM file_strength
      WHERE project_id = $1 AND snapshot_id IN ('', $2)
      ORDER BY snapshot_id DESC, measured_at DESC, path LIMIT $3`,
    [projectId, snapshotId ?? '', maxFiles],
  )
  return rows.map(({ path, content_id, commit_sha, reached, lines, survivors }) => {
    return { path, contentId: content_id, commitSha: commit_sha, reached, lines, survivors }
  })
}

/** What the last measurement of a file found, and the commit that it measured. */
export interface LatestStrength {
  tried: number
  noticed: number
  commitSha: string
}

/** A query of the last strength of each file of a project ($1) and of a snapshot ($2, or empty). */
export const latestStrength = `
  SELECT DISTINCT ON (path) path, commit_sha AS "commitSha", tried,
         (SELECT coalesce(sum((line ->> 1)::int - (line ->> 2)::int), 0)::int
            FROM jsonb_array_elements(lines) AS line) AS noticed
    FROM file_strength
   WHERE project_id = $1 AND snapshot_id IN ('', $2)
   ORDER BY path, snapshot_id DESC, measured_at DESC`

/** Returns what was measured last of some files of a project or of a snapshot, by path. */
export async function latestStrengthOf(
  { db }: Pick<Context, 'db'>,
  { projectId, snapshotId }: Pick<MeasuredStrength, 'projectId' | 'snapshotId'>,
  paths: readonly string[],
): Promise<ReadonlyMap<string, LatestStrength>> {
  const rows = await db.query<(LatestStrength & { path: string })[]>(
    `SELECT * FROM (${latestStrength}) AS latest WHERE path = ANY($3::text[])`,
    [projectId, snapshotId ?? '', paths],
  )
  return new Map(rows.map(({ path, ...found }) => [path, found]))
}

/** Returns the percentage of the tried changes that tests noticed, with one decimal; null if none was tried. */
export const percentNoticed = ({ tried, noticed }: Pick<LatestStrength, 'tried' | 'noticed'>): number | null =>
  tried === 0 ? null : Math.round((1_000 * noticed) / tried) / 10
