import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { PoolClient } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { Context } from './context.ts'

type Value = string | number | boolean | null
type Batch = readonly (readonly Value[])[]
type Rows = AsyncIterable<Batch> | Iterable<Batch>

/**
 * Writes rows with COPY and backpressure, in the caller's transaction.
 *
 * @param table - the table with its columns, in SQL: `test_results (run_id, name)`
 */
export async function copyRows(tx: Pick<Context, 'db' | 'signal'>, table: string, rows: Rows): Promise<void> {
  if (!tx.db.queryRunner) throw new Error('copyRows requires a transaction.')
  const client: PoolClient = await tx.db.queryRunner.connect()
  let failure: { error: unknown } | undefined
  async function* source() {
    try {
      yield* encode(rows)
    } catch (error) {
      failure = { error }
      // Postgres logs the message of an aborted COPY, so it must not contain confidential text.
      throw new Error('the rows could not be read', { cause: error })
    }
  }
  try {
    const copy = client.query(copyFrom(`COPY ${table} FROM STDIN`))
    await pipeline(Readable.from(source()), copy, { signal: tx.signal })
  } catch (error) {
    throw failure ? failure.error : error
  }
}

async function* encode(batches: Rows): AsyncGenerator<string> {
  for await (const rows of batches) {
    let text = ''
    for (const row of rows) text += `${row.map(field).join('\t')}\n`
    yield text
  }
}

const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

function field(value: Value): string {
  if (value === null) return '\\N'
  if (typeof value !== 'string') return String(value)
  return /[\\\t\n\r]/.test(value) ? value.replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? '') : value
}
