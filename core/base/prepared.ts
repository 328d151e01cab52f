import type pg from 'pg'
import type { EntityManager } from 'typeorm'
import { poolOf } from './pool.ts'

/** A statement whose text never changes, under a name of its own. */
export interface PreparedStatement {
  name: string
  text: string
}

/**
 * Runs a statement that Postgres parses and plans only once for each connection. TypeORM cannot do that. It pays for
 * statements that nearly every request runs. Within a transaction, it is a part of it.
 */
export async function queryPrepared<Row extends object>(
  db: EntityManager,
  { name, text }: PreparedStatement,
  values: unknown[],
): Promise<Row[]> {
  const client: pg.Pool | pg.ClientBase = db.queryRunner
    ? ((await db.queryRunner.connect()) as pg.ClientBase)
    : poolOf(db.dataSource)
  const { rows } = await client.query<Row>({ name, text, values })
  return rows
}
