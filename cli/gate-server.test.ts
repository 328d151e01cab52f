import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { createTokenFor } from '../core/testing/factories.ts'
import { freePort } from '../core/testing/free-port.ts'
import { ended, spawnAssay } from './testing/assay.ts'
import { createGateScene, type GateScene, startServer, suiteWords } from './testing/gate-scene.ts'
import { startProxy } from './testing/proxy.ts'

// Every test starts processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

let scene: GateScene
beforeAll(async () => void (scene = await createGateScene()))
afterAll(() => scene[Symbol.asyncDispose]())

const failing = suiteWords('7', 'junit.xml', 'flaky=failed')

test('keeps the exit code without a login, and with invalid settings', async () => {
  const [none, invalid] = [
    await scene.gate(failing, { SVC_API_TOKEN: '' }),
    await scene.gate(failing, { SVC_API_TOKEN: 'hunter2' }),
  ]
  expect(none).toMatchObject({
    exitCode: 7,
    stderr: expect.stringMatching(
      /^Exit code 7 of the command: You are not logged in to \S+\. Run `assay login`, or set SVC_API_TOKEN\.\n$/,
    ),
  })
  expect(invalid).toMatchObject({
    exitCode: 7,
    stderr: expect.stringMatching(/^Exit code 7 of the command: Invalid environment variables: .*SVC_API_TOKEN.*\n$/),
  })
})

test('keeps the exit code if the server refuses', async () => {
  const stranger = { SVC_API_TOKEN: await createTokenFor(scene.core) }
  const { exitCode, stderr } = await scene.gate(failing, stranger)
  expect(exitCode).toBe(7)
  expect(stderr).toMatch(/^Exit code 7 of the command: No project has the repository of .*\n$/)
  const weak = { SVC_API_TOKEN: await createTokenFor(scene.core, { scopes: ['projects:read'] }) }
  expect(await scene.gate(['--project', scene.projectId, ...failing], weak)).toMatchObject({ exitCode: 7 })
})

test('a token that may not read tests decides without their names', async () => {
  const ci = {
    SVC_API_TOKEN: await createTokenFor(scene.core, { user: scene.user, scopes: ['tests:run', 'projects:read'] }),
  }
  const { exitCode, stderr } = await scene.gate(failing, ci)
  expect(exitCode, stderr).toBe(0)
  expect(stderr).toContain('because the test that failed is muted.\n')
})

test('keeps the exit code if no server listens, or one that is not Assay', async () => {
  const down = await scene.gate(['--timeout', '20s', ...failing], {
    SVC_BASE_URL: `http://127.0.0.1:${await freePort()}`,
  })
  expect(down).toMatchObject({
    exitCode: 7,
    stderr: expect.stringMatching(/^Exit code 7 of the command: .*does not answer.*\n$/),
  })
  const other = await startServer((_, response) => void response.end('<h1>It works!</h1>'))
  const elsewhere = await scene.gate(failing, { SVC_BASE_URL: other })
  expect(elsewhere).toMatchObject({
    exitCode: 7,
    stderr: expect.stringMatching(/^Exit code 7 of the command: .*not Assay.*\n$/),
  })
})

test('does not wait longer than --timeout for a server that hangs', async () => {
  const hanging = await startServer(() => {})
  const startedAt = performance.now()
  const { exitCode, stderr } = await scene.gate(['--timeout', '1s', ...failing], { SVC_BASE_URL: hanging })
  expect({ exitCode, stderr }).toEqual({
    exitCode: 7,
    stderr: 'Exit code 7 of the command: the server did not answer within 1 s.\n',
  })
  expect(performance.now() - startedAt).toBeLessThan(15_000)
})

test('keeps the exit code if the server hangs or dies during the upload', async () => {
  await using hanging = await startProxy(scene.core.url, () => false)
  const inUpload = await startServer((request, response) => {
    if (request.url?.startsWith('/api/ci/upload') === true) return
    void fetch(`${scene.core.url}${request.url}`, { headers: { authorization: request.headers.authorization ?? '' } })
      .then((answer) => answer.text())
      .then((body) => response.setHeader('content-type', 'application/json').end(body))
  })
  expect(await scene.gate(['--timeout', '2s', ...failing], { SVC_BASE_URL: inUpload })).toMatchObject({
    exitCode: 7,
    stderr: 'Exit code 7 of the command: the server did not answer within 2 s.\n',
  })
  void hanging
    .untilAsked((asked) => asked.some((path) => path.startsWith('/api/ci/upload')))
    .then(async () => {
      const cutting = setInterval(hanging.cut, 1)
      onTestFinished(() => clearInterval(cutting))
    })
  const dead = await scene.gate(['--timeout', '20s', ...failing], { SVC_BASE_URL: hanging.url })
  expect(dead.exitCode).toBe(7)
  expect(dead.stderr.trimEnd().split('\n')).toHaveLength(1)
})

test('Ctrl-C while it waits for the server keeps the exit code', async () => {
  const asked = Promise.withResolvers<void>()
  const hanging = await startServer(() => asked.resolve())
  const child = spawnAssay(['gate', ...failing], {
    cwd: scene.checkout.path,
    env: { ...scene.env, SVC_BASE_URL: hanging },
  })
  const output = ended(child)
  await asked.promise
  child.kill('SIGINT')
  expect(await output).toEqual({
    exitCode: 7,
    stdout: '',
    stderr: 'Exit code 7 of the command: a signal ended the wait for the server.\n',
  })
})
