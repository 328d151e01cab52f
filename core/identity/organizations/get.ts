import { type Context, requireUser } from '../../base/context.ts'
import { notFound, procedureHint } from '../../base/errors.ts'
import { OrganizationEntity, type OrganizationRow } from './entity.ts'
import { findRole, requireRole } from './roles.ts'
import type { Organization, OrganizationBySlug, Role } from './schema.ts'

export const noOrganization = () =>
  notFound('organization', 'organizations.list lists yours.', procedureHint('organizations.list'))

/**
 * Returns an organization of the caller, with the caller's role. An organization of others and a missing one give the
 * same error.
 *
 * @throws AppError 404; 403 if the caller's role has fewer rights than `minRole`
 */
export async function getOwnOrganization(
  ctx: Context,
  organizationId: string,
  minRole: Role = 'viewer',
): Promise<OrganizationRow & { role: Role }> {
  const role = await findRole(ctx, organizationId)
  const row = role && (await ctx.db.getRepository(OrganizationEntity).findOneBy({ id: organizationId }))
  if (!role || !row) throw noOrganization()
  requireRole(role, minRole)
  return { ...row, role }
}

/**
 * Does the same as `getOwnOrganization`, and locks the organization and its members until the transaction ends.
 *
 * @param strength - `UPDATE` to change or delete it; `KEY SHARE` to prevent that, together with other readers
 */
export async function lockOwnOrganization(
  ctx: Context,
  organizationId: string,
  minRole: Role,
  strength: 'UPDATE' | 'KEY SHARE' = 'UPDATE',
): Promise<OrganizationRow & { role: Role }> {
  // Checks before locking too, so that callers without access cannot take the lock.
  await getOwnOrganization(ctx, organizationId, minRole)
  await ctx.db.query(`SELECT FROM organizations WHERE id = $1 FOR ${strength}`, [organizationId])
  return getOwnOrganization(ctx, organizationId, minRole)
}

/** Lists the caller's organizations by name. */
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
