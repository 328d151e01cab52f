import type { Context } from '../base/context.ts'
import { callerOf, whileIdle } from '../http/take-turn.ts'
import type { WatchedRecords } from './changes.ts'

const unfinished = 'unfinished'

/**
 * @param statuses - those of records that have not ended
 * @param only - a name and a further condition of records to wait for
 */
export function endingRecords(
  table: string,
  statuses: readonly string[],
  { name, and }: { name: string; and: string } = { name: table, and: 'true' },
): WatchedRecords {
  const list = statuses.map((status) => `'${status}'`).join(', ')
  return {
    name,
    states: `SELECT id, '${unfinished}' AS state FROM ${table} WHERE id = ANY($1::text[]) AND status IN (${list}) AND ${and}`,
  }
}

export interface Wait<Row> {
  records: WatchedRecords
  id: string
  milliseconds: number
  load: () => Promise<Row>
  hasEnded: (row: Row) => boolean
  /** The state that `records` selects for a record that has not ended. */
  stateOf?: (row: Row) => string
}

/**
 * Returns the record as soon as it has ended, or when the time is up, the caller disconnects or the program stops. The
 * call uses no connection and leaves its turn to others while it waits.
 */
export async function waitForEnd<Row>(
  ctx: Context,
  { records, id, milliseconds, load, hasEnded, stateOf = () => unfinished }: Wait<Row>,
): Promise<Row> {
  const until = performance.now() + milliseconds
  const signals = [ctx.signal, ctx.stopping]
  for (;;) {
    const row = await load()
    const remaining = until - performance.now()
    if (hasEnded(row) || remaining <= 0 || signals.some(({ aborted }) => aborted)) return row
    const options = { known: stateOf(row), milliseconds: remaining, signals, caller: callerOf(ctx) }
    await whileIdle(ctx, () => ctx.changes.until(records, id, options))
  }
}
