import { isAbsolute } from 'node:path'
import { newId } from '../base/ids.ts'
import { ensureOwner } from '../identity/local-owner/local-owner.ts'
import type { App } from '../app.ts'
import { encryptTokens } from '../code-host/link-tokens.ts'
import type { CodeHostTokens } from '../code-host/link-tokens.ts'
import { PasswordEntity } from '../identity/auth/entity.ts'
import { AccountLinkEntity } from '../code-host/entity.ts'
import { UserEntity, type UserRow } from '../identity/users/entity.ts'
import { hashPassword } from '../identity/auth/password/hash.ts'
import {
  MembershipEntity,
  type MembershipRow,
  OrganizationEntity,
  type OrganizationRow,
} from '../identity/organizations/entity.ts'
import { ProjectEntity, type ProjectRow } from '../projects/entity.ts'
import { sessionCookie } from '../identity/sessions/cookie.ts'
import { startSession } from '../identity/sessions/start.ts'
import { insertToken } from '../identity/tokens/insert.ts'
import { TestRunEntity, type TestRunRow } from '../test-runs/entity.ts'
import { emptyRun } from '../test-runs/trigger.ts'
import type { TokenRow } from '../identity/tokens/entity.ts'
import { Scope } from '../base/schema.ts'

type Database = Pick<App, 'dataSource'>

export async function createUser({ dataSource }: Database, fields: Partial<UserRow> = {}): Promise<UserRow> {
  const id = newId(new Date())
  const now = new Date()
  const user = {
    id,
    email: `${id.toLowerCase()}@example.com`,
    name: 'Test User',
    avatar: null,
    emailVerified: true,
    createdAt: now,
    updatedAt: now,
    ...fields,
  }
  await dataSource.getRepository(UserEntity).insert(user)
  return user
}

/** Sets a password for the given or a new user. */
export async function createPasswordFor(app: Database, password: string, user?: UserRow): Promise<UserRow> {
  const owner = user ?? (await createUser(app))
  const row = { userId: owner.id, passwordHash: await hashPassword(password), updatedAt: new Date() }
  await app.dataSource.getRepository(PasswordEntity).insert(row)
  return owner
}

/** Creates a token of the given or a new user, by default with every scope, and returns its plain text. */
export async function createTokenFor(
  app: Database,
  {
    user,
    ...fields
  }: { user?: UserRow } & Partial<Pick<TokenRow, 'scopes' | 'organizationId' | 'projectId' | 'expiresAt'>> = {},
): Promise<string> {
  const owner = user ?? (await createUser(app))
  const { plainToken } = await insertToken(app.dataSource.manager, {
    userId: owner.id,
    name: 'Test',
    scopes: [...Scope.options],
    projectId: null,
    expiresAt: new Date(Date.now() + 86_400_000),
    createdAt: new Date(),
    ...fields,
  })
  return plainToken
}

/** Creates a session of the given or a new user, and returns its `Cookie` header. */
export async function createSessionFor(app: App, user?: UserRow): Promise<{ cookie: string; sessionId: string }> {
  const { services, dataSource } = app
  const client = { ipAddress: '127.0.0.1', userAgent: 'factory' }
  const owner = user ?? (await createUser(app))
  const { session, token } = await startSession({ ...services, db: dataSource.manager, client }, owner.id, 'password')
  return { cookie: `${sessionCookie}=${token}`, sessionId: session.id }
}

/** Creates a project of the given or a new user. In local mode, the owner chooses the paths of repositories. */
export async function createProjectFor(
  app: Database,
  { user, ...fields }: { user?: UserRow } & Partial<ProjectRow> = {},
): Promise<ProjectRow> {
  const owner = user ?? (await createUser(app))
  const now = new Date()
  const { manager } = app.dataSource
  // Tried again, because another test may create the owner at the same time.
  const localOwner = () => ensureOwner(manager, now).catch(() => ensureOwner(manager, now))
  const reader = isAbsolute(fields.repository ?? '') ? await localOwner() : owner
  const project = {
    id: newId(new Date()),
    name: 'A project',
    description: null,
    repository: 'https://example.com/a/project.git',
    branch: 'main',
    language: null,
    framework: null,
    userId: owner.id,
    organizationId: null,
    repositoryUserId: reader.id,
    settings: {},
    createdAt: now,
    updatedAt: now,
    ...fields,
  }
  await app.dataSource.getRepository(ProjectEntity).insert(project)
  return project
}

/** Creates a run in the given or a new project. No worker executes it, because it is in no queue. */
export async function createRunFor(app: Database, fields: Partial<TestRunRow> = {}): Promise<TestRunRow> {
  const projectId = fields.projectId ?? (await createProjectFor(app)).id
  const now = new Date()
  const own = { id: newId(now), userId: newId(now), source: 'api' as const, branch: 'main', commitSha: null }
  const run = { ...emptyRun(projectId, now), ...own, ranAt: fields.createdAt ?? now, ...fields }
  await app.dataSource.getRepository(TestRunEntity).insert(run)
  return run
}

/** Creates an organization owned by the given or a new user. */
export async function createOrganizationFor(
  app: Database,
  { user, ...fields }: { user?: UserRow } & Partial<OrganizationRow> = {},
): Promise<OrganizationRow> {
  const owner = user ?? (await createUser(app))
  const now = new Date()
  const id = newId(now)
  const organization = {
    id,
    name: 'An organization',
    slug: id.toLowerCase(),
    description: null,
    createdAt: now,
    updatedAt: now,
    ...fields,
  }
  await app.dataSource.getRepository(OrganizationEntity).insert(organization)
  await createMembershipFor(app, { organizationId: organization.id, user: owner, role: 'owner' })
  return organization
}

/** Adds the given or a new user to the given or a new organization, by default with the role member. */
export async function createMembershipFor(
  app: Database,
  { user, ...fields }: { user?: UserRow } & Partial<MembershipRow> = {},
): Promise<MembershipRow> {
  const member = user ?? (await createUser(app))
  const now = new Date()
  const organizationId = fields.organizationId ?? (await createOrganizationFor(app)).id
  const membership = {
    id: newId(now),
    userId: member.id,
    role: 'member' as const,
    createdAt: now,
    ...fields,
    organizationId,
  }
  await app.dataSource.getRepository(MembershipEntity).insert(membership)
  return membership
}

/** Links a code host account to the given or a new user. */
export async function createLinkFor(
  { services, dataSource }: Pick<App, 'services' | 'dataSource'>,
  tokens: Partial<CodeHostTokens> & { accessToken: string },
  user?: UserRow,
): Promise<{ user: UserRow; linkId: string }> {
  const owner = user ?? (await createUser({ dataSource }))
  const now = services.now()
  const id = newId(now)
  await dataSource.getRepository(AccountLinkEntity).insert({
    id,
    userId: owner.id,
    provider: 'code_host',
    providerAccountId: id,
    login: 'octocat',
    ...encryptTokens(services, id, { refreshToken: null, scope: 'repo', expiresInSeconds: null, ...tokens }),
    createdAt: now,
    updatedAt: now,
  })
  return { user: owner, linkId: id }
}
