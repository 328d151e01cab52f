import { mkdir, rm, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGitRepository, type GitRepository } from '../../engines/source/testing/git-repository.ts'
import { ensureOwner } from '../identity/local-owner/local-owner.ts'
import type { UserRow } from '../identity/users/entity.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import {
  createMembershipFor,
  createOrganizationFor,
  createProjectFor,
  createTokenFor,
  createUser,
} from '../testing/factories.ts'
import { ProjectEntity } from './entity.ts'

let app: TestApp
let owner: UserRow
let member: UserRow
let repository: GitRepository
let organizationId: string
beforeAll(async () => {
  app = await createTestApp({ localRepositories: 'owner' })
  repository = await createGitRepository({ 'package.json': '{}', 'a.js': 'export const a = 1\n' })
  owner = await ensureOwner(app.dataSource.manager, new Date())
  member = await createUser(app)
  const organization = await createOrganizationFor(app, { user: owner })
  organizationId = organization.id
  await createMembershipFor(app, { user: member, organizationId, role: 'admin' })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await repository[Symbol.asyncDispose]()
})

type Restriction = Parameters<typeof createTokenFor>[1]
const clientOf = async (user: UserRow, restriction: Restriction = {}) =>
  app.client(await createTokenFor(app, { user, ...restriction }))
const refused = /Only the owner of this local server can use repositories of its file system/

test('a project of a checkout without a current branch gets the usual one of its remote, or its only one', async () => {
  await using checkout = await createGitRepository({ 'a.js': 'export const a = 1\n' })
  const client = await clientOf(owner)
  const branchOf = async () =>
    (await client.projects.createProject.mutate({ name: 'mine', repository: checkout.path })).branch
  await checkout.git('branch', '--move', 'master')
  await checkout.git('checkout', '--quiet', '--detach')
  expect(await branchOf()).toBe('master')
  await checkout.git('branch', 'develop')
  expect(await branchOf()).toBe('master')
  await checkout.git('branch', '--move', 'master', 'other')
  expect(await branchOf()).toBe('develop')
  await checkout.git('update-ref', 'refs/heads/aside', await checkout.git('commit-tree', '-m', 'aside', 'HEAD^{tree}'))
  await checkout.git('branch', '--move', 'develop', 'topic')
  expect(await branchOf()).toBe('other')
  await checkout.git('branch', '--move', 'topic', 'develop')
  await checkout.git('update-ref', 'refs/remotes/origin/develop', 'HEAD')
  await checkout.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/develop')
  expect(await branchOf()).toBe('develop')
})

test('the branch of a project is the default one of the repository, not a feature branch that is checked out', async () => {
  await using checkout = await createGitRepository({ 'a.js': 'export const a = 1\n' })
  const client = await clientOf(owner)
  const branchOf = async (path: string) =>
    (await client.projects.createProject.mutate({ name: 'mine', repository: path })).branch
  await checkout.git('checkout', '--quiet', '-b', 'feature')
  expect(await branchOf(checkout.path)).toBe('main')
  await checkout.git('branch', '--move', 'main', 'trunk')
  expect(await branchOf(checkout.path)).toBe('feature')
  await checkout.git('config', 'init.defaultBranch', 'trunk')
  expect(await branchOf(checkout.path)).toBe('trunk')

  // A clone of one branch has the default branch only as that of its remote.
  await checkout.git('checkout', '--quiet', 'trunk')
  const clone = join(dirname(checkout.path), 'clone')
  await checkout.git('clone', '--quiet', checkout.path, clone)
  await checkout.git('-C', clone, 'checkout', '--quiet', '-b', 'topic')
  await checkout.git('-C', clone, 'branch', '--delete', 'trunk')
  const project = await client.projects.createProject.mutate({ name: 'mine', repository: clone })
  expect(project.branch).toBe('trunk')
  const { commitSha } = await client.analysis.analyzeRepository.mutate({ projectId: project.id })
  expect(commitSha).toBe(await checkout.git('rev-parse', 'trunk'))
})

test('only the local owner creates projects of paths, with a credential that is not restricted', async () => {
  const unrestricted = await clientOf(owner)
  for (const address of [repository.path, `file://${repository.path}`]) {
    const made = await unrestricted.projects.createProject.mutate({ name: 'mine', repository: address })
    expect(made).toMatchObject({ repository: address, branch: 'main' })
  }
  const others = [
    await clientOf(member),
    await clientOf(owner, { organizationId }),
    await clientOf(await createUser(app)),
  ]
  for (const client of others) {
    for (const address of [
      repository.path,
      `file://${repository.path}`,
      '/etc',
      '/nowhere/at/all',
      `${repository.path}/..`,
    ]) {
      const made = client.projects.createProject.mutate({ name: 'theirs', repository: address })
      await expect(made).rejects.toMatchObject({ message: expect.stringMatching(refused), data: { code: 'FORBIDDEN' } })
    }
  }
})

test('the answer does not say whether a path exists', async () => {
  const client = await clientOf(member)
  const answers = await Promise.all(
    [repository.path, app.config.dataDir, '/nowhere/at/all'].map((path) =>
      client.projects.createProject.mutate({ name: 'theirs', repository: path }).catch((error: Error) => error.message),
    ),
  )
  expect(answers).toEqual([answers[2], answers[2], expect.stringMatching(refused)])
})

test('no other credential changes the repository of a project to a path', async () => {
  const { id } = await createProjectFor(app, { user: member, repository: 'https://example.com/a/b' })
  const confined = await clientOf(member, { projectId: id })
  for (const client of [await clientOf(member), confined]) {
    const moved = client.projects.updateProject.mutate({ projectId: id, repository: repository.path })
    await expect(moved).rejects.toThrow(refused)
  }
  const { id: own } = await createProjectFor(app, { user: owner, repository: 'https://example.com/a/b' })
  const ownConfined = await clientOf(owner, { projectId: own })
  await expect(
    ownConfined.projects.updateProject.mutate({ projectId: own, repository: repository.path }),
  ).rejects.toThrow(refused)
  await (await clientOf(owner)).projects.updateProject.mutate({ projectId: own, repository: repository.path })
})

test('members use a project of the owner, and keep its path', async () => {
  const mine = await clientOf(owner)
  const { id } = await mine.projects.createProject.mutate({
    name: 'shared',
    repository: repository.path,
    organizationId,
  })
  const theirs = await clientOf(member)
  const same = { projectId: id, repository: repository.path, description: 'Changed' }
  expect(await theirs.projects.updateProject.mutate(same)).toMatchObject({ description: 'Changed' })
  const { repositoryUserId } = await app.dataSource.getRepository(ProjectEntity).findOneByOrFail({ id })
  expect(repositoryUserId).toBe(owner.id)
  const result = await theirs.analysis.analyzeRepository.mutate({ projectId: id, repoUrl: repository.path })
  expect(result.commitSha).toMatch(/^[0-9a-f]{40}$/)
  await expect(theirs.testRuns.plan.mutate({ projectId: id })).rejects.not.toThrow('file system')
})

test('a path that another account chose before is not read', async () => {
  const { id } = await createProjectFor(app, { user: member, repository: repository.path })
  await app.dataSource.getRepository(ProjectEntity).update({ id }, { repositoryUserId: member.id })
  const client = await clientOf(member)
  await expect(client.analysis.analyzeRepository.mutate({ projectId: id })).rejects.toThrow(
    /does not analyze repositories on its own file system/,
  )
  await expect(client.testRuns.plan.mutate({ projectId: id })).rejects.toThrow(/on its own file system/)
})

test('nobody reads the clones of other users from the data folder, not even through a link', async () => {
  const inside = join(app.config.dataDir, 'cache', 'another-project')
  const link = `${app.config.dataDir}-link`
  await mkdir(inside, { recursive: true })
  await symlink(inside, link)
  try {
    const client = await clientOf(owner)
    for (const path of [inside, app.config.dataDir, link]) {
      const made = client.projects.createProject.mutate({ name: 'clones', repository: path })
      await expect(made).rejects.toThrow('The path is in the data folder of Assay')
    }
  } finally {
    await rm(link)
  }
})
