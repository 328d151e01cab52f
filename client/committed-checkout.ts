import type { Project } from '../core/projects/schema.ts'
import { withBorrowed } from './borrowed-repository.ts'
import { compareWithCommit } from './compare-working-tree.ts'
import type { CoreClient } from './core-client.ts'
import type { LocalRepository } from './local-repository.ts'

/** A checkout without changes. */
export interface CommittedCheckout {
  commitSha: string
  /** Whether the latest analysis of the project is of this commit. Unlike one of a working tree, it knows measured coverage. */
  isAnalyzed: boolean
}

/** Returns undefined for a checkout with changes or without a commit. */
export async function findCommittedCheckout(
  core: CoreClient,
  { id: projectId }: Project,
  { root }: LocalRepository,
): Promise<CommittedCheckout | undefined> {
  const commitSha = await headOf(root)
  if (commitSha === undefined || (await compareWithCommit(root, commitSha))?.length !== 0) return undefined
  const analyses = await core.projects.getProjectAnalyses.query({ projectId, limit: 20 })
  const latest = analyses.find(({ status }) => status === 'completed')
  return { commitSha, isAnalyzed: latest?.commitSha === commitSha }
}

async function headOf(root: string): Promise<string | undefined> {
  const { commitOf } = await import('../engines/source/local.ts')
  return withBorrowed(root, ({ repository, signal }) => commitOf(repository.gitDir, 'HEAD', signal))
}
