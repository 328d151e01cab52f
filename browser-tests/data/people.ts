import { recordAudit } from '../../core/identity/audit/record.ts'
import type { AuditAction } from '../../core/identity/audit/schema.ts'
import { ensureOwner } from '../../core/identity/local-owner/local-owner.ts'
import { InvitationEntity, type OrganizationRow } from '../../core/identity/organizations/entity.ts'
import type { Role } from '../../core/identity/organizations/schema.ts'
import { insertToken } from '../../core/identity/tokens/insert.ts'
import { TokenEntity } from '../../core/identity/tokens/entity.ts'
import type { UserRow } from '../../core/identity/users/entity.ts'
import { Scope } from '../../core/base/schema.ts'
import { createMembershipFor, createOrganizationFor, createUser } from '../../core/testing/factories.ts'
import { after, before, day, hour, idAt } from './random.ts'
import type { Target } from './target.ts'

export interface People {
  owner: UserRow
  admin: UserRow
  member: UserRow
  viewer: UserRow
  organization: OrganizationRow
}

const names = ['Ada Lovelace', 'Grace Hopper', 'Barbara Liskov', 'Katherine Johnson', 'Radia Perlman', 'Lin Clark']

/** Creates an organization with members of each role, invitations, tokens and an audit log. */
export async function createPeople(app: Target, now: Date): Promise<People> {
  const owner = await ensureOwner(app.dataSource.manager, now)
  const suffix = idAt(now).slice(-6).toLowerCase()
  const organization = await createOrganizationFor(app, {
    user: owner,
    name: 'Northwind',
    slug: `northwind-${suffix}`,
    description: 'Libraries for forms, logs and schemas',
    createdAt: before(now, 60 * day),
  })
  const join = async (index: number, role: Role) => {
    const name = names[index] ?? 'Test User'
    const email = `${name.toLowerCase().replaceAll(' ', '.')}.${suffix}@example.com`
    const createdAt = before(now, (50 - index) * day)
    const user = await createUser(app, { name, email, createdAt })
    await createMembershipFor(app, { organizationId: organization.id, user, role, createdAt })
    return user
  }
  const [admin, member, viewer] = [await join(0, 'admin'), await join(1, 'member'), await join(2, 'viewer')]
  await join(3, 'member')
  await join(4, 'viewer')
  const invited: [string, Role][] = [
    ['margaret.hamilton@example.com', 'member'],
    ['edith.clarke@example.org', 'viewer'],
  ]
  await app.dataSource.getRepository(InvitationEntity).insert(
    invited.map(([email, role], index) => {
      const createdAt = before(now, (index + 1) * 3 * day)
      return { id: idAt(createdAt), organizationId: organization.id, email, role, createdAt }
    }),
  )
  await createTokens(app, owner, organization, now)
  await createAuditLog(app, { owner, admin, member, viewer, organization }, now)
  return { owner, admin, member, viewer, organization }
}

async function createTokens(app: Target, owner: UserRow, organization: OrganizationRow, now: Date): Promise<void> {
  const tokens = app.dataSource.getRepository(TokenEntity)
  const create = async (name: string, scopes: Scope[], ageDays: number, lifeDays: number, organizationId?: string) => {
    const createdAt = before(now, ageDays * day)
    const { row } = await insertToken(app.dataSource.manager, {
      userId: owner.id,
      name,
      scopes,
      projectId: null,
      expiresAt: after(createdAt, lifeDays * day),
      createdAt,
      ...(organizationId !== undefined && { organizationId }),
    })
    return row.id
  }
  const laptop = await create('Claude Code on the laptop', [...Scope.options], 31, 365)
  const upload = await create('GitHub Actions', ['tests:run', 'projects:read'], 28, 90, organization.id)
  await create('Nightly report', ['tests:read', 'projects:read', 'audit:read'], 6, 9)
  await create('Old laptop', [...Scope.options], 100, 90)
  const lost = await create('Lost phone', ['projects:read'], 40, 90)
  await tokens.update({ id: laptop }, { lastUsedAt: before(now, 2 * hour) })
  await tokens.update({ id: upload }, { lastUsedAt: before(now, 11 * 60_000) })
  await tokens.update({ id: lost }, { revokedAt: before(now, 39 * day) })
}

async function createAuditLog(app: Target, people: People, now: Date): Promise<void> {
  const { owner, admin, member, viewer, organization } = people
  const organizationId = organization.id
  const told: [AuditAction, UserRow, Record<string, unknown>][] = [
    ['organization_created', owner, { organizationId, name: organization.name }],
    ['member_invited', owner, { organizationId, email: admin.email, role: 'admin' }],
    ['member_added', admin, { organizationId, role: 'admin' }],
    ['member_invited', admin, { organizationId, email: viewer.email, role: 'viewer' }],
    ['failed_auth', member, { method: 'password', reason: 'wrong password' }],
    ['token_created', owner, { name: 'GitHub Actions', scopes: ['tests:run', 'projects:read'] }],
    ['token_revoked', owner, { name: 'Lost phone' }],
    ['webhook_created', admin, { organizationId, url: 'https://ci.example.com/hooks/assay' }],
    ['webhook_secret_rotated', admin, { organizationId, url: 'https://ci.example.com/hooks/assay' }],
    ['member_role_changed', owner, { organizationId, from: 'viewer', to: 'member' }],
    ['project_secrets_changed', owner, { names: ['REGISTRY_TOKEN'] }],
    ['password_changed', member, {}],
  ]
  const agents = ['Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0', 'assay-cli/0.1.0', 'assay-mcp/0.1.0']
  // Rows are added at the end of a chain of hashes, so none may be older than the ones that a server has already written.
  const [last] = await app.dataSource.query<{ at: Date | null }[]>('SELECT max(created_at) AS at FROM audit_logs')
  const step = Math.min(15 * hour, (now.getTime() - (last?.at?.getTime() ?? 0)) / 61)
  for (let number = 0; number < 60; number++) {
    const at = before(now, (60 - number) * step)
    const known = told[Math.floor(number / 4)]
    const [action, user, metadata] =
      number % 4 === 3 && known ? known : (['login', owner, { method: 'local' }] as const)
    const client = { ipAddress: `192.0.2.${10 + (number % 7)}`, userAgent: agents[number % 3] ?? null }
    await recordAudit({ ...app.services, now: () => at, db: app.dataSource.manager, client }, action, user.id, metadata)
  }
}
