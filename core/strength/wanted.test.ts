import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startGitHost } from '../../engines/source/testing/git-host.ts'
import { createRunScene, type RunScene } from '../test-runs/testing/scene.ts'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import type { MeasureStrength } from './schema.ts'

// Measurements take long on a busy machine.
vi.setConfig({ testTimeout: 240_000 })

const shop = {
  'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }',
  'src/stock.js': 'export const isLow = (count) => count < 3\n',
  'test/stock.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLow } from '../src/stock.js'
test('knows a low stock', () => assert.equal(isLow(1), true))
`,
}

let scene: RunScene
beforeAll(async () => {
  scene = await createRunScene()
})
afterAll(() => scene[Symbol.asyncDispose]())

async function measure(
  projectId: string,
  how: Partial<MeasureStrength> = {},
  { strength }: RunScene['client'] = scene.client,
) {
  const { id } = await strength.measure.mutate({ projectId, ...how })
  for (;;) {
    const found = await strength.get.query({ measurementId: id, waitSeconds: 45 })
    if (found.completedAt !== null) return found
  }
}

test('mistakes are refused before anything is started, where the repository is at hand', async () => {
  const { id: projectId } = await scene.project(shop)
  const refused: [Partial<MeasureStrength>, RegExp][] = [
    [{ since: 'nowhere' }, /^since: the repository has no branch, tag or commit "nowhere"\./],
    [{ since: 'HEAD~1' }, /^since: "HEAD~1" does not exist, because the head is the first commit\./],
    [{ since: '--help' }, /^since: must be the name of a branch/],
    [{ paths: ['test/stock.test.js'] }, /^paths: name no code, only tests: test\/stock\.test\.js\. Name the code/],
  ]
  for (const [how, message] of refused) {
    await expect(scene.client.strength.measure.mutate({ projectId, ...how })).rejects.toThrow(message)
  }
  expect((await scene.client.strength.list.query({ projectId })).pagination.total).toBe(0)
  expect(await measure(projectId, { paths: ['test'] })).toMatchObject({
    status: 'failed',
    error: { code: 'no_code', message: expect.stringMatching(/^The paths name no code, only tests: /) },
  })
})

test('compares with a branch of another server, and says later what that does not have', async () => {
  const { repository } = await scene.project(shop)
  await repository.git('checkout', '-q', '-b', 'feature')
  await repository.commit({ 'src/stock.js': shop['src/stock.js'].replace('3', '4') })
  await using host = await startGitHost({ shop: repository.path })
  const user = await createUser(scene.app)
  const { id: projectId } = await createProjectFor(scene.app, { user, repository: `${host.url}/shop` })
  const client = scene.app.client(await createTokenFor(scene.app, { user }))
  const feature = await measure(projectId, { branch: 'feature', since: 'main' }, client)
  expect(feature).toMatchObject({ error: null, evidence: { files: [{ path: 'src/stock.js' }] } })
  expect(await measure(projectId, { branch: 'feature', since: 'nowhere' }, client)).toMatchObject({
    status: 'failed',
    error: { code: 'reference_not_found', message: expect.stringMatching(/^since: the repository has no branch/) },
  })
})

test('a branch beside a commit is a name, and results count for the project only if the branch has the commit', async () => {
  const { id: projectId, repository } = await scene.project(shop)
  const onMain = await repository.commit({ 'README.md': 'A shop' })
  await repository.git('checkout', '-q', '-b', 'feature')
  const elsewhere = await repository.commit({ 'src/stock.js': shop['src/stock.js'].replace('3', '4') })
  const stored = async () => {
    const rows = await scene.app.dataSource.query<{ count: number }[]>(
      'SELECT count(*)::int AS count FROM file_strength WHERE project_id = $1',
      [projectId],
    )
    return rows[0]?.count
  }
  expect(await measure(projectId, { branch: 'nope', commitSha: elsewhere })).toMatchObject({
    branch: 'nope',
    error: null,
  })
  expect(await measure(projectId, { branch: 'main', commitSha: elsewhere })).toMatchObject({
    branch: 'main',
    error: null,
  })
  expect(await stored()).toBe(0)
  await measure(projectId, { branch: 'main', commitSha: onMain })
  expect(await stored()).toBe(1)
})
