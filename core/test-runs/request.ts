import type { Context } from '../context.ts'
import type { RequestedRun } from './schema.ts'

/** What a run is to be made of. */
export interface RunRequest {
  projectId: string
  /** What asked for it: push, pull_request or release. */
  event: string
  branch: string | null
  /** Set instead of a commit where a release asked. */
  tag: string | null
  commitSha: string | null
  pullRequest: number | null
  /** False for commits of strangers: their code must not see the project's environment. */
  withSecrets: boolean
}

/** Asks for a run on behalf of a project, in the caller's transaction. */
export async function requestRun(ctx: Context, { projectId, event }: RunRequest): Promise<RequestedRun> {
  ctx.log.info({ projectId, event }, 'a run was asked for, which this release does not have')
  return { kind: 'run', status: 'not_built', message: 'Test runs come with the next release.' }
}
