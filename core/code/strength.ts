import type { FileStrength, Survived } from '../../engines/analysis/ranking/strength.ts'
import type { ReachedLine } from '../../engines/strength/file-strength.ts'
import type { Survivor } from '../../engines/strength/schema.ts'
import type { Context } from '../base/context.ts'
import type { CodeFile } from './schema.ts'

interface FileContent {
  projectId: string
  snapshotId: string | null
  path: string
  contentId: string
}

interface Row {
  commit_sha: string
  measured_at: Date
  tried: number
  reached: number | null
  lines: FileStrength['lines']
  survivors: readonly Survived[]
  reached_by: readonly ReachedLine[]
}

interface FoundStrength {
  counts: NonNullable<CodeFile['strength']>
  survivors: CodeFile['survivors']
  /** Null if no measurement has recorded it. */
  reachedBy: CodeFile['reachedBy']
}

/** Finds what measurements of strength found out about exactly this content of a file. */
export async function findStrength({ db }: Pick<Context, 'db'>, file: FileContent): Promise<FoundStrength | undefined> {
  const [row] = await db.query<Row[]>(
    `SELECT commit_sha, measured_at, tried, reached, lines, survivors, reached_by FROM file_strength
      WHERE project_id = $1 AND snapshot_id IN ('', $2) AND path = $3 AND content_id = $4
      ORDER BY snapshot_id DESC, measured_at DESC LIMIT 1`,
    [file.projectId, file.snapshotId ?? '', file.path, file.contentId],
  )
  if (!row) return undefined
  const { tried, reached, commit_sha: commitSha, measured_at } = row
  const survived = row.lines.reduce((sum, [, , count]) => sum + count, 0)
  const lines = row.lines.map(([line, count, left]) => ({ line, tried: count, survived: left }))
  const reported = row.survivors.length === 0 ? [] : await reportedSurvivors({ db }, file, commitSha)
  return {
    counts: { commitSha, measuredAt: measured_at.toISOString(), tried, noticed: tried - survived, reached, lines },
    survivors: row.survivors.map((survivor) => presentSurvivor(survivor, reported)),
    reachedBy: row.reached_by.length === 0 ? null : row.reached_by.map(presentReached),
  }
}

const presentReached = ([line, tests, nearest]: ReachedLine) => ({
  line,
  tests,
  nearest: nearest.map(([path, name]) => ({ path, name })),
})

interface Reported {
  id: string
  survivor: Survivor
}

/** Lists the survivors of the file that the latest measurements of the commit reported. */
function reportedSurvivors(
  { db }: Pick<Context, 'db'>,
  { projectId, path }: FileContent,
  commitSha: string,
): Promise<Reported[]> {
  return db.query<Reported[]>(
    `WITH latest AS MATERIALIZED (
       SELECT id, evidence -> 'survivors' AS survivors FROM strength_measurements
        WHERE project_id = $1 AND commit_sha = $2 AND evidence IS NOT NULL ORDER BY id DESC LIMIT 5)
     SELECT id, survivor FROM latest, jsonb_array_elements(survivors) AS survivor
      WHERE survivor ->> 'path' = $3 ORDER BY id DESC LIMIT 500`,
    [projectId, commitSha, path],
  )
}

function presentSurvivor([line, before, after]: Survived, reported: readonly Reported[]) {
  const found = reported.find(
    ({ survivor }) => survivor.line === line && survivor.original === before && survivor.replacement === after,
  )
  return {
    line,
    before,
    after,
    column: found?.survivor.column ?? null,
    advice: found?.survivor.advice ?? null,
    measurementId: found?.id ?? null,
    tests: found?.survivor.tests ?? null,
    nearestTest: found?.survivor.nearestTest ?? null,
  }
}
