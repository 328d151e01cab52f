import { leaveOut } from '../../../engines/test-plan/leave-out.ts'
import type { RunPlan } from '../../../engines/test-plan/plan.ts'
import type { Context } from '../../base/context.ts'

interface NamedTest {
  suite: string
  name: string
  file: string | null
}

/**
 * Leaves the tests out of a plan for all tests that are in quarantine as `skipped`. A test that the runner cannot leave out
 * alone runs, and is muted.
 *
 * @returns the plan to run, and sentences for the log
 */
export async function withoutSkipped(
  ctx: Pick<Context, 'db' | 'now'>,
  projectId: string,
  plan: RunPlan,
): Promise<{ plan: RunPlan; notes: string[] }> {
  const skipped = await loadSkipped(ctx, projectId)
  if (skipped.length === 0) return { plan, notes: [] }
  const notes: string[] = []
  const parts = await Promise.all(
    plan.parts.map(async (part) => {
      const own = skipped.filter(({ variant }) => variant === null || variant === part.directory)
      if (own.length === 0) return part
      const known = await loadKnown(ctx, projectId, part.directory)
      const { step, unmeasured, leftOut, kept } = leaveOut(part, own.map(namesOf), known)
      notes.push(...leftOut.map((test) => `Left out, because it is in quarantine: ${titleOf(test)}`))
      notes.push(...kept.map(({ test, because }) => `Muted instead of left out: ${titleOf(test)}. ${because}`))
      return { ...part, test: step, ...(unmeasured && { unmeasured }) }
    }),
  )
  return { plan: { ...plan, parts }, notes }
}

const namesOf = ({ suite, name, file }: NamedTest): NamedTest => ({ suite, name, file })
const titleOf = ({ suite, name }: NamedTest) => (suite === '' ? name : `${suite} > ${name}`)

function loadSkipped({ db, now }: Pick<Context, 'db' | 'now'>, projectId: string) {
  return db.query<(NamedTest & { variant: string | null })[]>(
    `SELECT suite, name, file, variant FROM quarantines
      WHERE project_id = $1 AND status = 'active' AND mode = 'skipped' AND expires_at > $2 ORDER BY id`,
    [projectId, now()],
  )
}

/** Runs of Assay tell the tests of the parts apart by their folders. */
function loadKnown({ db }: Pick<Context, 'db'>, projectId: string, variant: string) {
  return db.query<NamedTest[]>(
    `SELECT suite, name, file FROM tests WHERE project_id = $1 AND variant = $2 AND health <> 'stale'`,
    [projectId, variant],
  )
}
