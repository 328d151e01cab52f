import type { Config } from '../../config.ts'
import { createRunScene, type RunScene } from '../../test-runs/testing/scene.ts'
import type { Files, GitRepository } from '../../../engines/source/testing/git-repository.ts'
import type { Change } from '../schema.ts'

type Verify = RunScene['client']['changes']['verify']['mutate']

/** An application that verifies changes, with one user. */
export interface ChangeScene extends RunScene {
  /** Commits a change of the project's only commit to the branch `topic`. A file that is null is deleted. */
  change(repository: GitRepository, files: Files, branch?: string): Promise<string>
  /** Verifies a change and waits for the final verdict. */
  verify(projectId: string, how?: Omit<Parameters<Verify>[0], 'projectId'>): Promise<Change>
  waitForChange(changeId: string): Promise<Change>
}

export async function createChangeScene(change: Partial<Config> = {}): Promise<ChangeScene> {
  const scene = await createRunScene(change)
  const waitForChange = async (changeId: string) => {
    for (;;) {
      const found = await scene.client.changes.get.query({ changeId, waitSeconds: 45, final: true })
      if (found.completedAt !== null) return found
    }
  }
  return {
    ...scene,
    waitForChange,
    verify: async (projectId, how = {}) => {
      const { id } = await scene.client.changes.verify.mutate({ projectId, head: 'topic', ...how })
      return waitForChange(id)
    },
    change: async (repository, files, branch = 'topic') => {
      await repository.git('checkout', '--quiet', '-B', branch, 'main')
      return repository.commit(files)
    },
  }
}
