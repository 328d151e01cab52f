import type { Client } from 'pg'

/** Records phase changes of verifications with a trigger, so that no polling affects the measurement. */
export async function recordPhases(client: Client): Promise<void> {
  await client.query(`
    CREATE TABLE verification_phases (verification_id text, phase text, at double precision);
    CREATE FUNCTION record_phase() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO verification_phases VALUES
        (NEW.id, coalesce(NEW.progress ->> 'phase', NEW.status), extract(epoch FROM clock_timestamp()) * 1000);
      RETURN NULL;
    END $$;
    CREATE TRIGGER record_phase AFTER UPDATE ON verifications FOR EACH ROW EXECUTE FUNCTION record_phase()`)
}

/** Returns the milliseconds of each phase. Runs alone and runs with all tests are both `repeating`. */
export async function phasesOf(
  client: Client,
  verificationId: string,
  { startedAt, endedAt }: { startedAt: number; endedAt: number },
): Promise<Map<string, number>> {
  const { rows } = await client.query<{ phase: string; at: number }>(
    'SELECT phase, min(at) AS at FROM verification_phases WHERE verification_id = $1 GROUP BY phase ORDER BY 2',
    [verificationId],
  )
  const phases = new Map<string, number>()
  let current = 'waiting for a worker'
  let since = startedAt
  for (const { phase, at } of [...rows, { phase: '', at: endedAt }]) {
    phases.set(current, at - since)
    current = phase === 'completed' ? 'noticed by the caller' : phase
    since = at
  }
  return phases
}
