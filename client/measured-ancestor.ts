import type { MeasuredCommit } from '../engines/analysis/find-coverage.ts'
import { hasWholeRun } from '../engines/coverage/measured.ts'
import { withBorrowed } from './borrowed-repository.ts'
import { headOf } from './committed-checkout.ts'
import { type CoreClient, coreFailure } from './core-client.ts'

/** The coverage that the server has of the newest commit before a working tree. */
export interface MeasuredAncestor extends MeasuredCommit {
  /** False if the server left files out, because all together are too large. */
  isWhole: boolean
  /** What it has of commits before that one, as far as they may know more files. */
  earlier: readonly MeasuredCommit[]
}

/** As many commits as an analysis of the server looks through. */
const maxCommits = 1_000

/** The result of a search for measured coverage. */
export interface Measured {
  /** Null if nothing has measured the coverage; undefined if that is not known. */
  ancestor: MeasuredAncestor | null | undefined
  /** Why the coverage was not measured on request, or is not known of all files. */
  problem: string | null
}

/**
 * Finds measured coverage for a checkout. With `measure`, measures its commit first, unless that was done before.
 *
 * @param wait - repeats a call while core refuses it with the hints `analysis_running` and `measuring`. An object is the
 *   answer of a caller that waits no longer
 */
export async function findMeasured<Unfinished extends object>(
  core: CoreClient,
  { projectId, root, measure }: { projectId: string; root: string; measure: boolean },
  wait: (ask: (waitSeconds: number) => Promise<string | null>) => Promise<string | null | Unfinished>,
): Promise<Measured | Unfinished> {
  const ancestor = await findMeasuredAncestor(core, projectId, root)
  if (!measure) return found(ancestor)
  if (ancestor === undefined) {
    const problem =
      'The coverage is estimated, because Assay cannot read what was measured: the token needs tests:read, and the ' +
      'checkout must be readable for git.'
    return { ancestor, problem }
  }
  if (ancestor?.behind === 0) return found(ancestor)
  const problem = await wait((waitSeconds) => measureHead(core, { projectId, root, waitSeconds }))
  if (typeof problem === 'object' && problem !== null) return problem
  return found(await findMeasuredAncestor(core, projectId, root), problem)
}

function found(ancestor: Measured['ancestor'], problem: string | null = null): Measured {
  const isCut = ancestor?.isWhole === false
  return {
    ancestor,
    problem:
      problem ?? (isCut ? 'The measured coverage is too large to send. The files left out count as unmeasured.' : null),
  }
}

/**
 * Asks the server for the measured coverage of the commit of a working tree and of the nearest commits before it.
 *
 * @returns null if there is none; undefined if the token must not read it, or git cannot read the checkout, because
 *   suggestions are possible without
 */
async function findMeasuredAncestor(
  core: CoreClient,
  projectId: string,
  root: string,
): Promise<MeasuredAncestor | null | undefined> {
  try {
    const { commits } = await core.analysis.getMeasuredCoverage.query({ projectId })
    const [{ commitOf }, { nearestAncestors }] = await Promise.all([
      import('../engines/source/local.ts'),
      import('../engines/source/changes.ts'),
    ])
    const ancestors = await withBorrowed(root, async ({ repository, gitDir, signal }) => {
      const head = await commitOf(repository.gitDir, 'HEAD', signal)
      return head === undefined ? [] : nearestAncestors({ gitDir, signal }, head, new Set(commits), maxCommits)
    })
    if (!ancestors) return undefined
    const measured: (MeasuredCommit & { isWhole: boolean })[] = []
    for (const ancestor of ancestors) {
      const { commitSha } = ancestor
      const { files, isWhole } = await core.analysis.getMeasuredCoverage.query({ projectId, commitSha })
      measured.push({ ...ancestor, files, isWhole })
      if (hasWholeRun(files)) break
    }
    const [nearest, ...earlier] = measured
    return nearest ? { ...nearest, isWhole: measured.every(({ isWhole }) => isWhole), earlier } : null
  } catch (error) {
    const failure = coreFailure(error)
    // An older server does not know the procedure.
    if (failure?.kind === 'refused' && ['FORBIDDEN', 'NOT_FOUND'].includes(failure.code)) return undefined
    throw error
  }
}

/**
 * Measures the coverage of the commit of a checkout.
 *
 * @returns why nothing was measured; null if something was
 * @throws TRPCClientError with the hint `analysis_running` or `measuring` if that takes longer than `waitSeconds`
 */
async function measureHead(
  core: CoreClient,
  { projectId, root, waitSeconds }: { projectId: string; root: string; waitSeconds: number },
): Promise<string | null> {
  const commitSha = await headOf(root)
  if (commitSha === undefined) return 'The coverage is estimated, because the checkout has no commit that git can read.'
  try {
    const input = { projectId, commitSha, measure: true, waitSeconds }
    const { measurement } = await core.analysis.analyzeRepository.mutate(input)
    return measurement?.problem ?? null
  } catch (error) {
    const failure = coreFailure(error)
    if (failure?.kind !== 'refused' || failure.code !== 'BAD_REQUEST') throw error
    return `The coverage is estimated, because the server cannot run the commit of this checkout. ${failure.message}`
  }
}
