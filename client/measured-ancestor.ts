import type { MeasuredRow } from '../engines/coverage/measured.ts'
import { withBorrowed } from './borrowed-repository.ts'
import { headOf } from './committed-checkout.ts'
import { type CoreClient, coreFailure } from './core-client.ts'

/** The coverage that the server has of the newest commit before a working tree. */
export interface MeasuredAncestor {
  commitSha: string
  /** Commits since. */
  behind: number
  files: readonly MeasuredRow[]
}

/** As many commits as an analysis of the server looks through. */
const maxCommits = 1_000

/**
 * Asks the server for the measured coverage of the commit of a working tree, or of the nearest commit before it.
 *
 * @returns null if there is none; undefined if the token must not read it, because suggestions are possible without
 */
export async function findMeasuredAncestor(
  core: CoreClient,
  projectId: string,
  root: string,
): Promise<MeasuredAncestor | null | undefined> {
  try {
    const { commits } = await core.analysis.getMeasuredCoverage.query({ projectId })
    const [{ commitOf }, { nearestAncestor }] = await Promise.all([
      import('../engines/source/local.ts'),
      import('../engines/source/changes.ts'),
    ])
    const ancestor = await withBorrowed(root, async ({ repository, gitDir, signal }) => {
      const head = await commitOf(repository.gitDir, 'HEAD', signal)
      return head === undefined ? undefined : nearestAncestor({ gitDir, signal }, head, new Set(commits), maxCommits)
    })
    if (!ancestor) return null
    const { files } = await core.analysis.getMeasuredCoverage.query({ projectId, commitSha: ancestor.commitSha })
    return { ...ancestor, files }
  } catch (error) {
    const failure = coreFailure(error)
    // An older server does not know the procedure.
    if (failure?.kind === 'refused' && ['FORBIDDEN', 'NOT_FOUND'].includes(failure.code)) return undefined
    throw error
  }
}

/**
 * Measures the coverage of the commit of a checkout, so that `findMeasuredAncestor` finds it.
 *
 * @returns why nothing was measured; null if something was
 * @throws TRPCClientError with the hint `measuring` while the run has not ended
 */
export async function measureHead(
  core: CoreClient,
  { projectId, root, waitSeconds }: { projectId: string; root: string; waitSeconds: number },
): Promise<string | null> {
  const commitSha = await headOf(root)
  if (commitSha === undefined) return 'The coverage is estimated, because the checkout has no commit.'
  try {
    const input = { projectId, commitSha, measure: true, waitSeconds }
    const { warnings = [] } = await core.analysis.analyzeRepository.mutate(input)
    return warnings.find(({ code }) => code === 'coverage_unknown')?.message ?? null
  } catch (error) {
    const failure = coreFailure(error)
    if (failure?.kind !== 'refused' || failure.code !== 'BAD_REQUEST') throw error
    return `The coverage is estimated, because the server cannot run the commit of this checkout. ${failure.message}`
  }
}
