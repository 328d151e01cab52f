import type { EntityManager } from 'typeorm'
import { poolOf } from './pool.ts'

/** A statement whose text never changes, under a name of its own. */
export interface PreparedStatement {
  name: string
  text: string
}

/**
 * Runs a statement that Postgres parses and plans only once for each connection. TypeORM cannot do that. It pays for
 * statements that nearly every request runs.
 *
 * @throws Error within a transaction, because the statement uses another connection
 */
export async function queryPrepared<Row extends object>(
  db: EntityManager,
  { name, text }: PreparedStatement,
  values: unknown[],
): Promise<Row[]> {
  if (db.queryRunner) throw new Error(`${name} cannot run in a transaction`)
  const { rows } = await poolOf(db.dataSource).query<Row>({ name, text, values })
  return rows
}
