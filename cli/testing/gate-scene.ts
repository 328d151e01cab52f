import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { createTestApp, type TestApp } from '../../core/testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../../core/testing/factories.ts'
import { createGitRepository, type GitRepository } from '../../engines/source/testing/git-repository.ts'
import { type Ended, ended, spawnAssay } from './assay.ts'

/** Writes a report with these tests, and exits with this code. */
const suite = `
import { writeFileSync } from 'node:fs'
const [exitCode, file, ...tests] = process.argv.slice(2)
const cases = tests.map((test) => {
  const [name, outcome] = test.split('=')
  return \`<testcase classname="cart" name="\${name}">\${outcome === 'failed' ? '<failure message="119 is not 120"/>' : ''}</testcase>\`
})
if (file !== 'none') writeFileSync(file, \`<testsuite name="cart">\${cases.join('')}</testsuite>\`)
process.exit(Number(exitCode))
`

/** A checkout of a project in which the tests `flaky` and `slow` are muted. */
export interface GateScene extends AsyncDisposable {
  core: TestApp
  user: Awaited<ReturnType<typeof createUser>>
  env: Record<string, string>
  checkout: GitRepository
  projectId: string
  gate: (words: readonly string[], env?: Record<string, string>) => Promise<Ended>
  /** Runs a command in the gate that exits with a code and writes a report with tests such as `adds=passed`. */
  runSuite: (exitCode: string, file: string, ...tests: string[]) => Promise<Ended>
}

/** The words that run such a command. */
export const suiteWords = (...words: string[]) => ['--', process.execPath, 'suite.mjs', ...words]

export async function createGateScene(): Promise<GateScene> {
  await using opened = new AsyncDisposableStack()
  const core = opened.use(await createTestApp({ role: 'web' }))
  const user = await createUser(core)
  const token = await createTokenFor(core, { user })
  const env = { SVC_BASE_URL: core.url, SVC_API_TOKEN: token }
  const checkout = opened.use(await createGitRepository({ 'suite.mjs': suite, '.gitignore': '*.xml\n' }))
  const { id: projectId } = await createProjectFor(core, { user, repository: checkout.path })
  const gate: GateScene['gate'] = (words, more = {}) =>
    ended(spawnAssay(['gate', ...words], { cwd: checkout.path, env: { ...env, ...more } }))
  const runSuite: GateScene['runSuite'] = (...words) => gate(suiteWords(...words))
  await runSuite('1', 'first.xml', 'flaky=failed', 'slow=failed', 'adds=passed')
  const client = core.client(token)
  for (const name of ['flaky', 'slow']) {
    const history = await client.testRuns.history.query({ projectId, search: `cart > ${name}` })
    const testId = history.kind === 'history' ? history.test.testId : ''
    const { id } = await client.quarantine.request.mutate({ projectId, testId, reason: 'fails at midnight' })
    await client.quarantine.grant.mutate({ quarantineId: id })
  }
  const stack = opened.move()
  return { core, user, env, checkout, projectId, gate, runSuite, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

/** Starts a server for the time of a test, and returns its address. */
export async function startServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
