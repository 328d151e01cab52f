import { leaveOut } from '../../../engines/test-plan/leave-out.ts'
import type { RunPlan } from '../../../engines/test-plan/plan.ts'
import type { Context } from '../../base/context.ts'

interface NamedTest {
  suite: string
  name: string
  file: string | null
}

/** A test that a part of the plan leaves out. */
export interface LeftOutTest extends NamedTest {
  testId: string
  variant: string
  /** Until when, and why. */
  because: string
}

/**
 * Leaves the tests out of a plan for all tests that are in quarantine as `skipped`. A test that the runner cannot leave out
 * alone runs, and is muted.
 *
 * @returns the plan to run, the tests that earlier runs reported and this one will not, and sentences for the log
 */
export async function withoutSkipped(
  ctx: Pick<Context, 'db' | 'now'>,
  projectId: string,
  plan: RunPlan,
): Promise<{ plan: RunPlan; leftOut: LeftOutTest[]; notes: string[] }> {
  const skipped = await loadSkipped(ctx, projectId)
  if (skipped.length === 0) return { plan, leftOut: [], notes: [] }
  const notes: string[] = []
  const allLeftOut: LeftOutTest[] = []
  const parts = await Promise.all(
    plan.parts.map(async (part) => {
      const own = skipped.filter(({ variant }) => variant === null || variant === part.directory)
      if (own.length === 0) return part
      const known = await loadKnown(ctx, projectId, part.directory)
      const { step, unmeasured, leftOut, kept } = leaveOut(part, own.map(namesOf), known)
      const knownKeys = new Set(known.map(keyOf))
      const keys = new Set(leftOut.map(keyOf).filter((key) => knownKeys.has(key)))
      for (const { testId, reason, until, ...test } of own) {
        // Deleted, so that a test in two quarantines is left out once.
        if (!keys.delete(keyOf(test))) continue
        const because = `In quarantine until ${until}: ${reason}`
        allLeftOut.push({ ...namesOf(test), testId, variant: part.directory, because })
      }
      notes.push(...leftOut.map((test) => `Left out, because it is in quarantine: ${titleOf(test)}`))
      notes.push(...kept.map(({ test, because }) => `Muted instead of left out: ${titleOf(test)}. ${because}`))
      return { ...part, test: step, ...(unmeasured && { unmeasured }) }
    }),
  )
  return { plan: { ...plan, parts }, leftOut: allLeftOut, notes }
}

const namesOf = ({ suite, name, file }: NamedTest): NamedTest => ({ suite, name, file })
const keyOf = (test: NamedTest) => JSON.stringify(namesOf(test))
const titleOf = ({ suite, name }: NamedTest) => (suite === '' ? name : `${suite} > ${name}`)

function loadSkipped({ db, now }: Pick<Context, 'db' | 'now'>, projectId: string) {
  return db.query<(NamedTest & { testId: string; variant: string | null; reason: string; until: string })[]>(
    `SELECT test_id AS "testId", suite, name, file, variant, reason,
            to_char(expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS until
       FROM quarantines
      WHERE project_id = $1 AND status = 'active' AND mode = 'skipped' AND expires_at > $2 ORDER BY id`,
    [projectId, now()],
  )
}

/** Runs of Assay tell the tests of the parts apart by their folders. A test that is left out for long becomes stale. */
function loadKnown({ db }: Pick<Context, 'db'>, projectId: string, variant: string) {
  return db.query<NamedTest[]>(
    `SELECT suite, name, file FROM tests AS t
      WHERE project_id = $1 AND variant = $2
        AND (health <> 'stale' OR EXISTS (
          SELECT FROM quarantines WHERE project_id = $1 AND test_id = t.test_id AND status = 'active' AND mode = 'skipped'))`,
    [projectId, variant],
  )
}
