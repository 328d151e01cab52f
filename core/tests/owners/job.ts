import type { DataSource } from 'typeorm'
import { codeownersPaths, maxCodeownersBytes, readCodeowners, tooLarge } from '../../../engines/owners/codeowners.ts'
import { type Context, contextOfSystem, inTransaction, type Services } from '../../base/context.ts'
import type { JobKind } from '../../jobs/jobs.ts'
import { ProjectEntity } from '../../projects/entity.ts'
import { RunFailure } from '../../workspaces/run-failure.ts'
import { withSource } from '../../workspaces/source.ts'
import { storeOwners } from './codeowners.ts'

export const ownersQueue = 'test-owners'

interface OwnersJob {
  projectId: string
}

/** The repository is asked at most this often. */
const intervalMs = 15 * 60_000

/** Reads CODEOWNERS of the project's branch after a run of it. */
export function ownersJob(services: Services, dataSource: DataSource): JobKind<OwnersJob> {
  return {
    queue: ownersQueue,
    retryLimit: 1,
    retryDelaySeconds: 30,
    heartbeatSeconds: 10,
    expireInSeconds: 600,
    concurrency: 1,
    perGroup: 1,
    handle: ({ projectId }, signal) =>
      readOwners(
        contextOfSystem(services, dataSource.manager, { requestId: `owners-${projectId}`, signal }),
        projectId,
      ),
    onExhausted: async ({ projectId }) => services.log.warn({ projectId }, 'CODEOWNERS could not be read'),
  }
}

/** Requests that CODEOWNERS is read, in the caller's transaction, unless that happened a short time ago. */
export async function requestOwners(tx: Context, projectId: string): Promise<void> {
  const [taken] = await tx.db.query<unknown[]>(
    `INSERT INTO codeowners (project_id, requested_at) VALUES ($1, $2)
     ON CONFLICT (project_id) DO UPDATE SET requested_at = $2 WHERE codeowners.requested_at < $3
     RETURNING project_id`,
    [projectId, tx.now(), new Date(tx.now().getTime() - intervalMs)],
  )
  if (taken) await tx.jobs.enqueue(tx.db, ownersQueue, { projectId }, { group: projectId })
}

async function readOwners(ctx: Context, projectId: string): Promise<void> {
  const project = await ctx.db.getRepository(ProjectEntity).findOneBy({ id: projectId })
  if (!project) return
  const found = await findCodeowners(ctx, project)
  if (found === undefined) return
  const problems = problemsOf(found)
  const [whole] = problems.filter(({ line }) => line === null)
  if (whole) ctx.log.warn({ projectId, path: found.path, problem: whole.message }, 'CODEOWNERS does not count entirely')
  await inTransaction(ctx, async (tx) => {
    await tx.db.query('SELECT FROM projects WHERE id = $1 FOR KEY SHARE', [projectId])
    await tx.db.query(
      'UPDATE codeowners SET content = $2, path = $3, commit_sha = $4, problems = $5 WHERE project_id = $1',
      [projectId, found.content, found.path, found.commitSha, JSON.stringify(problems)],
    )
    await storeOwners(tx, projectId)
  })
}

function problemsOf({ path, content }: { path: string | null; content: string | null }) {
  if (content !== null) return readCodeowners(content).problems
  return path === null ? [] : [tooLarge]
}

/** Returns undefined if the repository is unavailable: reports can be uploaded without it. */
async function findCodeowners(ctx: Context, project: Parameters<typeof withSource>[1]) {
  try {
    return await withSource(ctx, project, { branch: project.branch, commitSha: null }, async (source) => {
      const { commitSha } = source
      for (const path of codeownersPaths) {
        const file = await source.readUpTo(path, maxCodeownersBytes)
        // A NUL cannot be stored as text.
        if (file !== null && file.text?.includes('\0') !== true) return { path, content: file.text, commitSha }
      }
      return { path: null, content: null, commitSha }
    })
  } catch (error) {
    if (!(error instanceof RunFailure)) throw error
    ctx.log.debug({ err: error, projectId: project.id }, 'the repository with CODEOWNERS is unavailable')
    return undefined
  }
}
