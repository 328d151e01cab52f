import type { ClientBase } from 'pg'
import type { EntityManager } from 'typeorm'

/**
 * Runs a statement in a transaction with TypeORM, which does not support prepared statements. Postgres parses it once
 * per connection and name, and plans it again only while that pays.
 */
export async function queryPrepared<Row extends object>(
  { queryRunner }: EntityManager,
  name: string,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  if (!queryRunner) throw new Error('Prepared statements run in a transaction.')
  const client = (await queryRunner.connect()) as ClientBase
  const { rows } = await client.query<Row>({ name, text, values })
  return rows
}
