import { recordAudit } from '../audit/record.ts'
import { type Context, inTransaction, requireUnconfined } from '../../base/context.ts'
import { conflict } from '../../base/errors.ts'
import { newId } from '../../base/ids.ts'
import { MembershipEntity } from './entity.ts'
import { presentOrganization } from './get.ts'
import type { CreateOrganization, Organization } from './schema.ts'

/** Each organization takes a slug that others cannot use. */
const maxOwned = 50

export const slugTaken = (slug: string) => conflict(`slug: ${slug} is taken. Choose another one.`)

/** Creates an organization owned by the caller. Of parallel calls for one slug, one succeeds. */
export async function createOrganization(ctx: Context, input: CreateOrganization): Promise<Organization> {
  const caller = requireUnconfined(ctx, 'create an organization')
  const now = ctx.now()
  const id = newId(now)
  return inTransaction(ctx, async (ctx) => {
    await ctx.db.query('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [caller.userId])
    const memberships = ctx.db.getRepository(MembershipEntity)
    if ((await memberships.countBy({ userId: caller.userId, role: 'owner' })) >= maxOwned) {
      throw conflict(
        `You own ${maxOwned} organizations, which is the maximum. Delete one, or transfer one to another owner.`,
      )
    }
    const description = input.description ?? null
    const inserted = await ctx.db.query<unknown[]>(
      `INSERT INTO organizations (id, name, slug, description, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $5)
       ON CONFLICT (slug) DO NOTHING RETURNING id`,
      [id, input.name, input.slug, description, now],
    )
    if (inserted.length === 0) throw slugTaken(input.slug)
    await memberships.insert({
      id: newId(now),
      organizationId: id,
      userId: caller.userId,
      role: 'owner',
      createdAt: now,
    })
    await recordAudit(ctx, 'organization_created', caller.userId, { organizationId: id, slug: input.slug })
    const { name, slug } = input
    return presentOrganization({ id, name, slug, description, role: 'owner', createdAt: now, updatedAt: now })
  })
}
