import { z } from 'zod'
import { newId } from '../base/ids.ts'
import type { Context } from '../base/context.ts'
import type { ProjectRow } from '../projects/entity.ts'
import type { RequestedRun } from './schema.ts'
import { createRun } from './trigger.ts'

/** The events of a code host that ask for runs. */
export const RunEvent = z.enum(['push', 'pull_request', 'release'])

/** What a run is to be made of. */
export interface RunRequest {
  project: Omit<ProjectRow, 'settings'>
  event: z.infer<typeof RunEvent>
  branch: string | null
  /** Set instead of a commit where a release asked. */
  tag: string | null
  commitSha: string | null
  pullRequest: number | null
  /** The commit is a stranger's: its code must not see the project's environment. */
  fork: boolean
}

/** Asks for a run on behalf of a project, in the caller's transaction, which has its row locked. */
export async function requestRun(tx: Context, request: RunRequest): Promise<RequestedRun> {
  const { project, event, branch, tag, commitSha, pullRequest, fork } = request
  const run = await createRun(tx, project, {
    id: newId(tx.now()),
    userId: project.repositoryUserId ?? project.userId,
    source: event,
    // A branch of a stranger's repository is not one of the project's.
    branch: tag ?? (fork ? null : branch),
    commitSha,
    pullRequest,
    withSecrets: !fork,
  })
  return { kind: 'run', runId: run.id }
}
