import { IsNull } from 'typeorm'
import { deleteFilesOf } from './delete-files.ts'
import { affected, recordAudit } from '../identity/audit/record.ts'
import { type Context, inRepeatedTransaction, requireUser } from '../base/context.ts'
import { cancelRunsOf } from '../test-runs/cancel.ts'
import { TokenEntity } from '../identity/tokens/entity.ts'
import { retireWebhooks } from '../webhooks/retire.ts'
import { announceProject } from '../projects/announce.ts'
import { ProjectEntity } from '../projects/entity.ts'
import { lockOwnProject } from '../projects/get.ts'
import type { ProjectRef } from '../projects/schema.ts'

/**
 * Deletes the project with everything that belongs to it, including tokens that are restricted to it. Its test runs are
 * cancelled. A running analysis notices the deletion and stops.
 */
export async function deleteProject(ctx: Context, input: ProjectRef): Promise<{ message: string }> {
  const { userId } = requireUser(ctx)
  const project = await inRepeatedTransaction(ctx, async (ctx) => {
    // The lock prevents new tokens for the project, which the audit log would miss.
    const project = await lockOwnProject(ctx, input.projectId, 'admin')
    const tokens = await ctx.db.getRepository(TokenEntity).findBy({ projectId: project.id, revokedAt: IsNull() })
    await cancelRunsOf(ctx, [project.id])
    await announceProject(ctx, 'project.deleted', project)
    await retireWebhooks(ctx, { projectIds: [project.id] })
    await ctx.db.getRepository(ProjectEntity).delete({ id: project.id })
    for (const { id: tokenId, userId: owner, name } of tokens) {
      const details = { organizationId: project.organizationId, tokenId, name, reason: 'project_deleted' }
      await recordAudit(ctx, 'token_revoked', userId, { ...details, ...affected(owner) })
    }
    return project
  })
  await deleteFilesOf(ctx, project.id)
  return { message: `Project ${project.name} is deleted.` }
}
