import { reasonText, skipText } from '../../engines/selection/reason-text.ts'
import { RepositoryError } from '../../engines/source/types.ts'
import type { Context } from '../base/context.ts'
import { invalid } from '../base/errors.ts'
import { getOwnProject } from '../projects/get.ts'
import { headOf, requireBase } from '../snapshots/references.ts'
import { storedSnapshot } from '../snapshots/stored-snapshot.ts'
import { wantedState } from '../snapshots/wanted-state.ts'
import { RunFailure } from '../workspaces/run-failure.ts'
import { loadEvidence } from './evidence.ts'
import type { SelectedTests, SelectTests } from './schema.ts'
import { type FoundSelection, selectIn } from './select-in-source.ts'

/** More files make the answer too long; the counts say how many there are. */
const maxListed = 5_000

/** Selects the tests that can notice a change. Does not run any code of the repository. */
export async function selectTests(ctx: Context, input: SelectTests): Promise<SelectedTests> {
  const { projectId, base, head, snapshotId, budgetSeconds } = input
  if (base !== undefined) requireBase(base)
  if (head !== undefined && snapshotId !== undefined) throw invalid('head and snapshotId: send at most one of them.')
  const project = await getOwnProject(ctx, projectId, 'member')
  const state = await wantedState(ctx, project, { ...(head === undefined ? {} : headOf(head)), snapshotId })
  try {
    const snapshot = await storedSnapshot(ctx, project, state)
    const wanted = { lane: 'interactive', base: base ?? project.branch, budgetSeconds } as const
    const found = await selectIn(ctx, project, { ...state, snapshot }, wanted)
    return { ...present(found), snapshotId: state.snapshotId, evidence: await loadEvidence(ctx, project.id) }
  } catch (error) {
    if (error instanceof RunFailure || error instanceof RepositoryError) throw invalid(error.message)
    throw error
  }
}

function present({ baseSha, headSha, mode, whyAll, tests, skipped, counts, seconds }: FoundSelection) {
  return {
    baseSha,
    headSha,
    mode,
    whyAll,
    tests: tests.slice(0, maxListed).map(({ file, reason, seconds: usual = null }) => ({
      file,
      kind: reason.kind,
      because: reasonText(reason),
      seconds: usual,
    })),
    skipped: skipped
      .slice(0, maxListed)
      .map(({ file, reason }) => ({ file, kind: reason.kind, because: skipText(reason) })),
    counts,
    seconds,
  }
}
