import type { Client } from 'pg'

/** The states of a run in order. A run without an install skips `installing`. */
export const stages = {
  RUNNING: 'taken and waiting',
  fetching: 'taken up',
  planning: 'fetched and planned',
  installing: 'checked out',
  testing: 'checked out or installed',
  storing: 'tests and sandbox',
  reading: 'log stored',
  COMPLETED: 'files stored, reports read',
} as const

/** Records state changes of runs with a trigger, so that no polling affects the measurement. */
export async function recordTimeline(client: Client): Promise<void> {
  await client.query(`
    CREATE TABLE run_timeline (run_id text, state text, at double precision);
    CREATE FUNCTION record_state() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO run_timeline VALUES
        (NEW.id, coalesce(NEW.progress ->> 'phase', NEW.status), extract(epoch FROM clock_timestamp()) * 1000);
      RETURN NULL;
    END $$;
    CREATE TRIGGER record_state AFTER UPDATE ON test_runs FOR EACH ROW EXECUTE FUNCTION record_state()`)
}

/** Returns the milliseconds from each state to the next. */
export async function timelineOf(client: Client, runId: string, startedAt: number): Promise<Map<string, number>> {
  const { rows } = await client.query<{ state: string; at: number }>(
    'SELECT state, min(at) AS at FROM run_timeline WHERE run_id = $1 GROUP BY state ORDER BY 2',
    [runId],
  )
  let before = startedAt
  return new Map(
    rows.map(({ state, at }) => {
      const milliseconds = at - before
      before = at
      return [state, milliseconds]
    }),
  )
}
