import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import { createGitRepository, type GitRepository } from '../../engines/source/testing/git-repository.ts'

let app: TestApp
let repository: GitRepository
beforeAll(async () => {
  app = await createTestApp({ role: 'web' })
  repository = await createGitRepository({
    'package.json': '{"name":"x","scripts":{"test":"node --test"}}',
    'a.test.js': "import test from 'node:test'\n",
    'nested/package.json': '{"name":"y","scripts":{"test":"node --test"}}',
  })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await repository[Symbol.asyncDispose]()
})

async function createScene() {
  const user = await createUser(app)
  const { id: projectId } = await createProjectFor(app, { user, repository: repository.path })
  return { projectId, client: app.client(await createTokenFor(app, { user })) }
}

test('shows the plan that other settings would result in, and saves nothing', async () => {
  const { projectId, client } = await createScene()
  await client.projects.updateProjectSettings.mutate({ projectId, settings: { installCommand: 'make deps' } })
  const before = await client.projects.getProjectSettings.query({ projectId })
  const plan = async (settings?: object) =>
    (await client.testRuns.plan.mutate({ projectId, ...(settings && { settings }) })).parts
  const stored = await plan()
  expect(JSON.stringify(stored)).toContain('make deps')

  const changed = await plan({ testCommand: 'make check', workingDirectory: 'nested', reportGlobs: ['out/*.xml'] })
  expect(JSON.stringify(changed)).toContain('make check')
  expect(JSON.stringify(changed)).toContain('nested')
  // What the call does not name stays as it is, and null means that Assay detects it.
  expect(JSON.stringify(changed)).toContain('make deps')
  expect(JSON.stringify(await plan({ installCommand: null }))).not.toContain('make deps')
  expect(await client.projects.getProjectSettings.query({ projectId })).toEqual(before)
  expect(await plan()).toEqual(stored)
})

test('refuses the settings that projects.updateProjectSettings refuses, in the same words', async () => {
  const { projectId, client } = await createScene()
  const problem = (call: Promise<unknown>) =>
    call.then(
      () => 'none',
      (error: Error) => error.message,
    )
  for (const settings of [
    { testCommand: '' },
    { testCommand: 'x'.repeat(2_001) },
    { reportGlobs: 'a' },
    { coverageGlobs: [''] },
    { workingDirectory: 'a\0b' },
    { nonsense: 1 },
  ]) {
    const message = await problem(client.testRuns.plan.mutate({ projectId, settings: settings as never }))
    expect(message).toContain('settings')
    expect(message).toBe(
      await problem(client.projects.updateProjectSettings.mutate({ projectId, settings: settings as never })),
    )
  }
  // The others have no effect on a plan.
  expect(
    await problem(client.testRuns.plan.mutate({ projectId, settings: { environment: { A: 'b' } } as never })),
  ).toBe('settings: has the unknown field environment')
  expect(await problem(client.testRuns.plan.mutate({ projectId, settings: { workingDirectory: '../..' } }))).not.toBe(
    'none',
  )
})
