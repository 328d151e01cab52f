import { z } from 'zod'
import { newId } from '../base/ids.ts'
import type { Context } from '../base/context.ts'
import { isEnforced } from '../selection/enforced.ts'
import type { ProjectRow } from '../projects/entity.ts'
import type { RequestedRun } from './schema.ts'
import { createRun } from './trigger.ts'

/** The events of a code host that trigger runs. */
export const RunEvent = z.enum(['push', 'pull_request', 'release'])

export interface RunRequest {
  project: Omit<ProjectRow, 'settings'>
  event: z.infer<typeof RunEvent>
  branch: string | null
  /** For a release, which names no commit. */
  tag: string | null
  commitSha: string | null
  pullRequest: number | null
  /** Whether the commit comes from a fork: its code must not see the project's environment. */
  fork: boolean
}

/** Creates a run for an event of the code host, in the caller's transaction, which has locked the project's row. */
export async function requestRun(tx: Context, request: RunRequest): Promise<RequestedRun> {
  const { project, event, branch, tag, commitSha, pullRequest, fork } = request
  const mayLeaveOut = event !== 'release' && (fork || branch !== project.branch) && (await isEnforced(tx, project.id))
  const run = await createRun(tx, project, {
    id: newId(tx.now()),
    userId: project.repositoryUserId ?? project.userId,
    source: event,
    // A branch of a fork is not a branch of the project.
    branch: tag ?? (fork ? null : branch),
    commitSha,
    pullRequest,
    withSecrets: !fork,
    impacted: mayLeaveOut ? { base: project.branch, budgetSeconds: null, found: null } : null,
  })
  return { kind: 'run', runId: run.id }
}
