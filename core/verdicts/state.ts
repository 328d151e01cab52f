import type { EntitySchema } from 'typeorm'
import { type Context, inTransaction } from '../base/context.ts'
import { ProjectEntity, type ProjectRow } from '../projects/entity.ts'
import { hasEnded, type JudgedRow } from './record.ts'

/** How a record ends. Without a verdict it loses a provisional one. */
export type JudgedEnd<Row extends JudgedRow> = Pick<Row, 'status'> &
  Partial<Pick<Row, 'verdict' | 'evidence' | 'error' | 'sameAs' | 'contentKey'>>

const noVerdict = { verdict: null, evidence: null, progress: null }

/**
 * Starts an attempt, without anything that an earlier attempt found.
 *
 * @returns undefined if the record has ended or its project was deleted
 */
export function beginAttempt<Row extends JudgedRow>(
  ctx: Context,
  entity: EntitySchema<Row>,
  id: string,
): Promise<{ row: Row; project: Omit<ProjectRow, 'settings'> } | undefined> {
  return inTransaction(ctx, async (tx) => {
    const row = await lockRecord(tx, entity, { id })
    const project = row && (await tx.db.getRepository(ProjectEntity).findOneBy({ id: row.projectId }))
    if (!project || hasEnded(row)) return undefined
    const status = 'running' as const
    const begun = { ...noVerdict, status, attempt: row.attempt + 1, startedAt: row.startedAt ?? tx.now() }
    await sharedFields(tx, entity).update({ id }, begun)
    return { row: { ...row, ...begun }, project }
  })
}

/**
 * Ends a record in the caller's transaction.
 *
 * @param attempt - the attempt that found the end; without it, the record ends whatever its attempt is
 * @returns undefined if it has already ended, or another worker has started a newer attempt
 */
export async function endRecord<Row extends JudgedRow>(
  tx: Context,
  entity: EntitySchema<Row>,
  { id, attempt }: { id: string; attempt?: number },
  end: JudgedEnd<Row>,
): Promise<Row | undefined> {
  const row = await lockRecord(tx, entity, { id })
  if (!row || hasEnded(row) || row.attempt !== (attempt ?? row.attempt)) return undefined
  const ended = { ...noVerdict, ...end, completedAt: tx.now() }
  await sharedFields(tx, entity).update({ id }, ended)
  return { ...row, ...ended }
}

/** Finds an earlier verdict on the same content. */
export async function findKnownResult<Row extends JudgedRow>(
  { db }: Pick<Context, 'db'>,
  entity: EntitySchema<Row>,
  { id, projectId }: Pick<JudgedRow, 'id' | 'projectId'>,
  contentKey: string,
): Promise<Pick<Row, 'verdict' | 'evidence' | 'sameAs'> | null> {
  const known = await db
    .getRepository(entity)
    .createQueryBuilder('record')
    .where({ projectId, contentKey, status: 'completed' })
    .andWhere('record.verdict IS NOT NULL AND record.id <> :id', { id })
    .orderBy('record.id', 'DESC')
    .getOne()
  // `sameAs` names the record that measured the result, not one that copied it.
  return known && { verdict: known.verdict, evidence: known.evidence, sameAs: known.sameAs ?? known.id }
}

async function lockRecord<Row extends JudgedRow>(
  { db }: Pick<Context, 'db'>,
  entity: EntitySchema<Row>,
  { id }: Pick<JudgedRow, 'id'>,
): Promise<Row | null> {
  // All transactions lock the project first. The event of a verdict refers to it.
  const project = `SELECT project_id FROM ${tableOf(entity)} WHERE id = $1`
  await db.query(`SELECT FROM projects WHERE id = (${project}) FOR KEY SHARE`, [id])
  return db.getRepository(entity).createQueryBuilder('record').setLock('pessimistic_write').where({ id }).getOne()
}

/** The name of an entity, by which every kind can be changed in the fields that all kinds share. */
export interface JudgedTable {
  options: { name: string; tableName?: string | undefined }
}

export const sharedFields = ({ db }: Pick<Context, 'db'>, { options }: JudgedTable) =>
  db.getRepository<JudgedRow>(options.name)

export const tableOf = ({ options: { name, tableName = name } }: JudgedTable): string => tableName
