import { type Context, requireUser } from '../../base/context.ts'
import { notFound, procedureHint } from '../../base/errors.ts'
import { OrganizationEntity, type OrganizationRow } from './entity.ts'
import { findRole, requireRole } from './roles.ts'
import type { Organization, OrganizationBySlug, Role } from './schema.ts'

export const noOrganization = () =>
  notFound('organization', 'organizations.list shows yours.', procedureHint('organizations.list'))

/**
 * An organization that the caller belongs to, with the caller's role. Anybody else's is as absent as one that never was.
 *
 * @throws AppError 404; 403 where the role is less than `least`
 */
export async function getOwnOrganization(
  ctx: Context,
  organizationId: string,
  least: Role = 'viewer',
): Promise<OrganizationRow & { role: Role }> {
  const role = await findRole(ctx, organizationId)
  const row = role && (await ctx.db.getRepository(OrganizationEntity).findOneBy({ id: organizationId }))
  if (!role || !row) throw noOrganization()
  requireRole(role, least)
  return { ...row, role }
}

/**
 * As `getOwnOrganization`, in a transaction; until that ends nobody deletes the organization or touches its members.
 *
 * @param strength - `UPDATE` for who does that; `KEY SHARE` for who only relies on it, and does not mind others who do
 */
export async function lockOwnOrganization(
  ctx: Context,
  organizationId: string,
  least: Role,
  strength: 'UPDATE' | 'KEY SHARE' = 'UPDATE',
): Promise<OrganizationRow & { role: Role }> {
  // Asked before too, so that strangers cannot hold it.
  await getOwnOrganization(ctx, organizationId, least)
  await ctx.db.query(`SELECT FROM organizations WHERE id = $1 FOR ${strength}`, [organizationId])
  return getOwnOrganization(ctx, organizationId, least)
}

/** Every organization that the caller belongs to, by name. */
export async function listOrganizations(ctx: Context): Promise<Organization[]> {
  const { userId, organizationId, projectId } = requireUser(ctx)
  if (projectId) return []
  const rows = await ctx.db.query<FoundOrganization[]>(
    `SELECT o.*, m.role FROM organizations o JOIN memberships m ON m.organization_id = o.id
      WHERE m.user_id = $1 AND ($2::text IS NULL OR o.id = $2) ORDER BY lower(o.name), o.id`,
    [userId, organizationId],
  )
  return rows.map(({ created_at, updated_at, ...row }) =>
    presentOrganization({ ...row, createdAt: created_at, updatedAt: updated_at }),
  )
}

interface FoundOrganization extends Omit<OrganizationRow, 'createdAt' | 'updatedAt'> {
  role: Role
  created_at: Date
  updated_at: Date
}

export async function getOrganizationBySlug(ctx: Context, { slug }: OrganizationBySlug): Promise<Organization> {
  const found = await ctx.db.getRepository(OrganizationEntity).findOneBy({ slug: slug.trim().toLowerCase() })
  return presentOrganization(await getOwnOrganization(ctx, found?.id ?? ''))
}

export function presentOrganization(row: OrganizationRow & { role: Role }): Organization {
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    description: row.description,
    role: row.role,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}
