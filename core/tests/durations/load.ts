import type { Context } from '../../base/context.ts'
import { keyOf, type TestKey } from '../health/candidates.ts'
import { loadResults, placesOf } from '../health/load-results.ts'
import type { JudgedRun } from '../health/load-runs.ts'

/** Durations of so many latest results describe the speed of a test. */
const recent = 100
/** So many times more runs are read for tests that the latest ones do not contain often enough. */
const widening = 4

interface Row {
  runIds: string
  durations: string
}

const columns = `string_agg(run_id, ',') AS "runIds", string_agg(coalesce(duration_ms::text, 'null'), ',') AS durations`

/** Loads the durations of the latest 100 results of tests in these runs, in milliseconds, the latest last. */
export async function loadDurations(
  ctx: Pick<Context, 'db'>,
  projectId: string,
  runs: readonly JudgedRun[],
  tests: readonly TestKey[],
): Promise<Map<string, number[]>> {
  const found = new Map<string, number[]>()
  for (let count = recent, left = tests; left.length > 0; count *= widening) {
    const latest = runs.slice(-count)
    const rows = await loadResults<Row>(ctx, projectId, latest, left, columns)
    const places = placesOf(latest)
    for (const test of left) found.set(keyOf(test), durationsOf(rows.get(keyOf(test)) ?? [], places))
    if (latest.length === runs.length) break
    left = left.filter((test) => (found.get(keyOf(test))?.length ?? 0) < recent)
  }
  return found
}

function durationsOf(rows: readonly Row[], places: ReadonlyMap<string, number>): number[] {
  return rows
    .flatMap(({ runIds, durations }) => {
      const ms = JSON.parse(`[${durations}]`) as (number | null)[]
      return runIds.split(',').flatMap((id, index) => {
        const [place, duration] = [places.get(id), ms[index] ?? null]
        return place === undefined || duration === null ? [] : [{ place, duration }]
      })
    })
    .toSorted((a, b) => a.place - b.place || a.duration - b.duration)
    .slice(-recent)
    .map(({ duration }) => duration)
}
