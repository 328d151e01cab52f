import { type Context, inTransaction } from '../../base/context.ts'
import { slugTaken } from './create.ts'
import { OrganizationEntity } from './entity.ts'
import { lockOwnOrganization, presentOrganization } from './get.ts'
import type { Organization, UpdateOrganization } from './schema.ts'

/** Changes the given fields. */
export async function updateOrganization(ctx: Context, input: UpdateOrganization): Promise<Organization> {
  return inTransaction(ctx, async (ctx) => {
    const before = await lockOwnOrganization(ctx, input.organizationId, 'admin')
    const organizations = ctx.db.getRepository(OrganizationEntity)
    const { name, slug, description } = input
    const change = {
      ...(name === undefined ? {} : { name }),
      ...(slug === undefined ? {} : { slug }),
      ...(description === undefined ? {} : { description }),
      updatedAt: ctx.now(),
    }
    // Without this check, two organizations that swap their slugs would deadlock.
    if (slug !== undefined && slug !== before.slug && (await organizations.existsBy({ slug }))) throw slugTaken(slug)
    try {
      await organizations.update({ id: before.id }, change)
    } catch (error) {
      if (slug !== undefined && isUniqueViolation(error)) throw slugTaken(slug)
      throw error
    }
    return presentOrganization({ ...before, ...change })
  })
}

const isUniqueViolation = (error: unknown) => error instanceof Error && 'code' in error && error.code === '23505'
