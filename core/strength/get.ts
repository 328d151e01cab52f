import type { FindOptionsWhere } from 'typeorm'
import { changeSince, type Strength } from '../../engines/strength/interval.ts'
import type { Context } from '../base/context.ts'
import { notFound, procedureHint } from '../base/errors.ts'
import type { WatchedRecords } from '../jobs/changes.ts'
import { endingRecords, waitForEnd } from '../jobs/wait-for-end.ts'
import { requireRole } from '../identity/organizations/roles.ts'
import type { Role } from '../identity/organizations/schema.ts'
import { findOwnProject, getOwnProject } from '../projects/get.ts'
import { hasEnded } from '../verdicts/record.ts'
import { MeasurementEntity, type MeasurementRow } from './entity.ts'
import { type ListedEvidence, presentMeasurement, presentSummary } from './present.ts'
import type { GetMeasurement, ListMeasurements, Measurement, MeasurementsPage } from './schema.ts'

const unended = endingRecords('strength_measurements', ['pending', 'running'])

/** Measurements that run, by the number of their survivors. */
const survivors: WatchedRecords = {
  name: 'survivors',
  states: `SELECT id, survived::text AS state FROM strength_measurements
            WHERE id = ANY($1::text[]) AND status IN ('pending', 'running')`,
}

/** Answers the same for a measurement of another user and for one that does not exist. */
export async function getOwnMeasurement(ctx: Context, id: string, minRole: Role): Promise<MeasurementRow> {
  const row = await ctx.db.getRepository(MeasurementEntity).findOneBy({ id })
  const project = row && (await findOwnProject(ctx, row.projectId))
  if (!project) {
    const hint = 'strength.list lists the measurements of a project.'
    throw notFound('measurement', hint, procedureHint('strength.list'))
  }
  requireRole(project.role, minRole)
  return row
}

/**
 * Returns a measurement with what is known so far. With `waitSeconds`, waits for its end, or with `survivorsAfter` until more
 * survivors than so many are known.
 */
export async function getMeasurement(ctx: Context, input: GetMeasurement): Promise<Measurement> {
  const { id } = await getOwnMeasurement(ctx, input.measurementId, 'viewer')
  const load = async () => {
    const row = await ctx.db.getRepository(MeasurementEntity).findOneBy({ id })
    if (!row) throw notFound('measurement')
    return row
  }
  const { survivorsAfter = Infinity } = input
  const survivedOf = ({ evidence }: MeasurementRow) => evidence?.survived ?? 0
  const isEnough = (row: MeasurementRow) => hasEnded(row) || survivedOf(row) > survivorsAfter
  const until =
    survivorsAfter === Infinity
      ? { records: unended }
      : { records: survivors, stateOf: (row: MeasurementRow) => String(survivedOf(row)) }
  const milliseconds = input.waitSeconds * 1_000
  const row = await waitForEnd(ctx, { ...until, hasEnded: isEnough, id, milliseconds, load })
  const { previous = null } = hasEnded(row) ? ((await loadListed(ctx, [id])).get(id) ?? {}) : {}
  return presentMeasurement(ctx, row, previous)
}

/** Lists the measurements of a project without their evidence, newest first. */
export async function listMeasurements(ctx: Context, input: ListMeasurements): Promise<MeasurementsPage> {
  const { limit, offset, status } = input
  const project = await getOwnProject(ctx, input.projectId, 'viewer')
  const where: FindOptionsWhere<MeasurementRow> = {
    projectId: project.id,
    ...(status === undefined ? {} : { status }),
  }
  const [rows, total] = await ctx.db
    .getRepository(MeasurementEntity)
    .findAndCount({ where, select: withoutEvidence, order: { id: 'DESC' }, take: limit, skip: offset })
  const listed = await loadListed(
    ctx,
    rows.map(({ id }) => id),
  )
  const measurements = rows.map((row) => {
    const { evidence = null, previous = null } = listed.get(row.id) ?? {}
    return presentSummary(ctx, row, evidence, previous)
  })
  return { measurements, pagination: { total, limit, offset } }
}

/** Evidence is large. */
const withoutEvidence = Object.fromEntries(
  Object.keys(MeasurementEntity.options.columns).map((name) => [name, name !== 'evidence']),
)

interface ListedRow {
  id: string
  evidence: ListedEvidence | null
  previous: { id: string; commitSha: string | null; completedAt: Date; strength: Strength } | null
}

interface Listed {
  evidence: ListedEvidence | null
  previous: Measurement['previous']
}

/**
 * Loads what lists show of evidence, and the measurements that completed ones compare with. A snapshot compares with its
 * sender's snapshots of the same commit, or else with this commit, or else with its branch.
 */
async function loadListed({ db }: Pick<Context, 'db'>, ids: readonly string[]): Promise<Map<string, Listed>> {
  const rows = await db.query<ListedRow[]>(
    `SELECT m.id,
            CASE WHEN m.status <> 'completed' THEN NULL
                 WHEN m.snapshot_id IS NULL THEN ${lastOf('p.snapshot_id IS NULL AND p.branch IS NOT DISTINCT FROM m.branch')}
                 ELSE coalesce(
                   ${lastOf(`p.snapshot_id IN (SELECT other.id FROM snapshots AS other
                                                WHERE other.project_id = s.project_id AND other.user_id = s.user_id
                                                  AND other.base_sha IS NOT DISTINCT FROM s.base_sha)`)},
                   ${lastOf('p.snapshot_id IS NULL AND p.commit_sha = s.base_sha')},
                   ${lastOf('p.snapshot_id IS NULL AND p.branch = s.branch')})
             END AS previous,
            CASE WHEN m.evidence IS NOT NULL THEN (SELECT jsonb_object_agg(key, m.evidence -> key) FROM unnest($2::text[]) AS key)
             END AS evidence
       FROM strength_measurements AS m
       LEFT JOIN snapshots AS s ON s.id = m.snapshot_id AND s.project_id = m.project_id
      WHERE m.id = ANY($1::text[])`,
    [ids, listedFields],
  )
  return new Map(
    rows.map(({ id, evidence, previous }): [string, Listed] => {
      const strength = evidence?.strength
      if (!previous || !strength) return [id, { evidence, previous: null }]
      const { strength: before, completedAt, ...record } = previous
      const change = changeSince(before, strength)
      return [
        id,
        { evidence, previous: { ...record, completedAt: new Date(completedAt).toISOString(), ...before, change } },
      ]
    }),
  )
}

/** A query of the last measurement of the same paths and reference that completed before `m`. */
const lastOf = (condition: string) =>
  `(SELECT jsonb_build_object('id', p.id, 'commitSha', p.commit_sha, 'completedAt', p.completed_at,
                              'strength', p.evidence -> 'strength')
      FROM strength_measurements AS p
     WHERE p.project_id = m.project_id AND p.id < m.id AND p.status = 'completed'
       AND p.paths = m.paths AND p.since IS NOT DISTINCT FROM m.since AND ${condition}
       AND p.evidence -> 'strength' <> 'null'
     ORDER BY p.id DESC LIMIT 1)`

const listedFields = [
  'reason',
  'summary',
  'strength',
  'reached',
  'tried',
  'noticed',
  'survived',
] satisfies (keyof ListedEvidence)[]
