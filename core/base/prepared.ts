import type pg from 'pg'
import type { EntityManager } from 'typeorm'
import { poolOf } from './pool.ts'

/** A statement whose text never changes, under a name of its own. */
export interface PreparedStatement {
  name: string
  text: string
}

/**
 * Looks up rows by their keys, which are the only parameter of the statement: `= ANY ($1::text[])`.
 *
 * @returns a row for each key, in the order of the keys; undefined where there is none
 */
export async function queryByKeys<Row extends object>(
  db: EntityManager,
  statement: PreparedStatement,
  keys: readonly string[],
  keyOf: (row: Row) => string,
): Promise<(Row | undefined)[]> {
  const rows = await queryPrepared<Row>(db, statement, [[...new Set(keys)]])
  const found = new Map(rows.map((row) => [keyOf(row), row]))
  return keys.map((key) => found.get(key))
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
