import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createHostileRepository, everything, vectors } from '../client/testing/hostile-repository.ts'
import { createFolder, shopFiles } from '../client/testing/repository.ts'
import { startAi } from '../core/testing/ai-service.ts'
import { createTestApp, type TestApp } from '../core/testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../core/testing/factories.ts'
import { assay } from './testing/assay.ts'

vi.setConfig({ testTimeout: 180_000 })

const opened = new AsyncDisposableStack()
let core: TestApp
let user: Awaited<ReturnType<typeof createUser>>
let env: Record<string, string>
beforeAll(async () => {
  const ai = opened.use(await startAi())
  core = opened.use(await createTestApp({ ai: { url: ai.url, secret: undefined, timeoutMs: 60_000 } }))
  const data = opened.use(await createFolder())
  user = await createUser(core)
  env = { SVC_BASE_URL: core.url, SVC_API_TOKEN: await createTokenFor(core, { user }), DATA_DIR: data.path }
})
afterAll(() => opened.disposeAsync())

test.each(vectors)('`assay suggest .` starts no program of a checkout with $name', async (vector) => {
  await using repository = await createHostileRepository(shopFiles, vector)
  await createProjectFor(core, { user, repository: repository.path })
  const suggested = await assay(['suggest', '.'], { cwd: repository.path, env })
  expect(suggested, suggested.stderr).toMatchObject({ exitCode: 0 })
  // The server reads the same repository, which may lack the content of the other file.
  expect(suggested.stdout).toContain(vector.isPartial ? 'src/name.ts' : 'src/price.ts')
  expect(repository.isTriggered()).toBe(false)
  // The trap is a real one: git as people use it runs into it.
  const { trigger } = vector
  if (trigger) await repository.git(...trigger).catch(() => undefined)
  expect(repository.isTriggered()).toBe(trigger !== undefined)
})

test('no command starts a program of a checkout with everything, nor does the server', async () => {
  const files = {
    ...shopFiles,
    'package.json': JSON.stringify({ name: 'shop', type: 'module', scripts: { test: 'node --test' } }),
    'test/name.test.ts': 'import test from "node:test"\ntest("German", () => {})\n',
  }
  // The server cannot check a commit out whose content is missing.
  await using repository = await createHostileRepository(files, { ...everything, isPartial: false })
  const { id } = await createProjectFor(core, { user, repository: repository.path })
  const type = (...words: string[]) => assay(words, { cwd: repository.path, env })
  for (const words of [
    ['analyze'],
    ['analyze', id],
    ['suggest', id],
    ['plan'],
    ['run'],
    ['verify', 'test/name.test.ts'],
    ['status'],
  ]) {
    const { stdout, stderr } = await type(...words)
    expect([words, stdout + stderr, repository.isTriggered()]).toEqual([words, expect.any(String), false])
  }
  const [run] = await core.dataSource.query('SELECT status, total_tests FROM test_runs WHERE project_id = $1', [id])
  expect(run).toEqual({ status: 'COMPLETED', total_tests: 1 })
})
