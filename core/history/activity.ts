import type { Context } from '../base/context.ts'
import { invalidField } from '../base/errors.ts'
import { getOwnProject } from '../projects/get.ts'
import { type EntryKey, loadEntries } from './activity-entries.ts'
import { type Activity, ActivityKind, type ListActivity } from './schema.ts'

/** Where the entries of each kind begin, and where those about the end of a suggestion or a generated test do. */
const sources: readonly { kind: ActivityKind; table: string; at: 'created_at' | 'resolved_at' | 'dismissed_at' }[] = [
  { kind: 'analysis', table: 'analyses', at: 'created_at' },
  { kind: 'suggestion', table: 'suggestions', at: 'created_at' },
  { kind: 'suggestion', table: 'suggestions', at: 'resolved_at' },
  { kind: 'generated_test', table: 'generated_tests', at: 'created_at' },
  { kind: 'generated_test', table: 'generated_tests', at: 'dismissed_at' },
  { kind: 'verification', table: 'verifications', at: 'created_at' },
  { kind: 'change', table: 'changes', at: 'created_at' },
  { kind: 'strength', table: 'strength_measurements', at: 'created_at' },
  { kind: 'run', table: 'test_runs', at: 'created_at' },
  { kind: 'snapshot', table: 'snapshots', at: 'created_at' },
]

/** The id of an entry about the end of a record is that of the record with this suffix. */
const endSuffix = '.end'

/** Lists what callers, the code host and the server did in a project, newest first. */
export async function listActivity(ctx: Context, input: ListActivity): Promise<Activity> {
  const { kinds = ActivityKind.options, limit } = input
  const project = await getOwnProject(ctx, input.projectId, 'viewer')
  const before = input.before === undefined ? null : parseCursor(input.before)
  const found = await findKeys(ctx, project.id, kinds, before, limit + 1)
  const page = found.slice(0, limit)
  const last = page.at(-1)
  return {
    entries: await loadEntries(ctx, page),
    nextCursor: last && found.length > limit ? `${last.at.toISOString()}_${last.id}` : null,
  }
}

interface Position {
  at: Date
  id: string
}

/** Reads the position after which the next page begins. */
function parseCursor(cursor: string): Position {
  const [time = '', id = '', ...rest] = cursor.split('_')
  const at = new Date(time)
  // Only what `listActivity` returns is a position: a year such as 275760 is no timestamp of Postgres.
  if (Number.isNaN(at.getTime()) || at.toISOString() !== time || time.length !== 24 || id === '' || rest.length > 0) {
    throw invalidField('before', 'must be the nextCursor of the page before')
  }
  return { at, id }
}

/** Finds the newest entries before a position. Each source reads only the first entries of its index. */
async function findKeys(
  { db }: Context,
  projectId: string,
  kinds: readonly ActivityKind[],
  before: Position | null,
  limit: number,
): Promise<EntryKey[]> {
  const values = [projectId, limit, ...(before ? [before.at, before.id] : [])]
  const parts = sources
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ kind, table, at }) => {
      const id = at === 'created_at' ? 'id' : `id || '${endSuffix}'`
      const position = before ? `AND ${at} <= $3 AND (${at} < $3 OR ${id} < $4)` : ''
      return `(SELECT '${kind}' AS kind, ${id} AS id, id AS "subjectId", ${at} AS at, ${at !== 'created_at'} AS "isEnd"
                 FROM ${table} WHERE project_id = $1 AND ${at} IS NOT NULL ${position}
                ORDER BY ${table}.${at} DESC, ${table}.id DESC LIMIT $2)`
    })
  const all = parts.join(' UNION ALL ')
  return db.query<EntryKey[]>(`SELECT * FROM (${all}) AS entries ORDER BY at DESC, id DESC LIMIT $2`, values)
}
