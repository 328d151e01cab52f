/**
 * The gate of a large pull request: 300 changed files in a repository of 7,700 files with 100,000 tests. Shows how long after
 * the last upload the gate is decided, and how long the selection of its tests takes.
 * Usage: `npm run bench -- gate [rounds] [files] [tests] [changed files]`
 */
import { createTRPCClient, httpLink } from '@trpc/client'
import { execFile } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { pino } from 'pino'
import { createApp } from '../core/app.ts'
import type { AppRouter } from '../core/router.ts'
import { testConfig } from '../core/testing/config.ts'
import { createProjectFor, createTokenFor, createUser } from '../core/testing/factories.ts'
import { createGitRepository, type Files } from '../engines/source/testing/git-repository.ts'
import { median, printTable } from './report.ts'
import { openScratch } from './scratch.ts'

const [rounds = 5, files = 7_700, tests = 100_000, changed = 300] = process.argv.slice(2).map(Number)
const modules = Math.floor(files / 2)
const perFile = Math.ceil(tests / modules)

await using cleanUp = new AsyncDisposableStack()
const { directory, postgres } = await openScratch(cleanUp)
const config = testConfig({ databaseUrl: postgres.url, dataDir: `${directory}/data` })
const app = cleanUp.use(await createApp({ ...config, role: 'all' }, { log: pino({ level: 'error' }) }))
const { port } = await app.listen()
const user = await createUser(app)
const token = await createTokenFor(app, { user })
const repository = cleanUp.use(await createGitRepository(allFiles()))
// As git does by itself, in the background and some time later.
await repository.git('repack', '-a', '-d', '-q')
const { id: projectId } = await createProjectFor(app, { user, repository: repository.path })
const headers = { authorization: `Bearer ${token}` }
const api = createTRPCClient<AppRouter>({ links: [httpLink({ url: `http://127.0.0.1:${port}/trpc`, headers })] })
await api.gate.updatePolicy.mutate({ projectId, policy: { mode: 'enforced', uploads: { names: ['unit', 'lint'] } } })
const main = await repository.git('rev-parse', 'HEAD')
await upload(main, 'main', 'unit')

const rows: number[][] = []
for (let round = 1; round <= rounds; round++) {
  await repository.git('checkout', '-q', '-B', `change-${round}`, 'main')
  const commitSha = await repository.commit(changedFiles(round))
  await idle()
  const bareMs = await bareGit()
  const selection = await select(commitSha)
  await upload(commitSha, `change-${round}`, 'lint')
  const opened = await api.gate.check.mutate({ projectId, head: commitSha, waitSeconds: 20 })
  if (opened.state !== 'pending') throw new Error(`The gate is ${opened.state} before the last upload.`)
  const sentAt = performance.now()
  await upload(commitSha, `change-${round}`, 'unit')
  const storedAt = performance.now()
  let gate = opened
  while (gate.state === 'pending' || gate.isOutdated)
    gate = await api.gate.get.query({ gateId: opened.id, waitSeconds: 20 })
  const decidedAt = performance.now()
  if (gate.figures?.lines.total !== changed) throw new Error(`Of ${changed} lines ${gate.figures?.lines.total} count.`)
  const busy = await select(commitSha)
  rows.push([round, bareMs, selection.ms, storedAt - sentAt, decidedAt - storedAt, busy.ms, selection.selected])
}
console.log(`${changed} of ${files} files changed, ${perFile * modules} tests:\n`)
printTable(
  [
    'pull request',
    'git alone ms',
    'selected after ms',
    'last upload answered after ms',
    'decided ms later',
    'selected then, after ms',
    'test files selected',
  ],
  rows.map((row) => row.map(Math.round)),
)
const column = (index: number) => Math.round(median(rows.map((row) => row[index] ?? 0)))
console.log(
  `\nMedians: selected in ${column(2)} ms (goal 1,000; git alone takes ${column(1)} ms), in ${column(5)} ms while the server still works through the uploads; ` +
    `decided ${column(4)} ms after the last upload (goal 2,000).`,
)

/** Finds, lists and compares the commit with the commands that a selection starts, from a shell and for nobody. */
async function bareGit(): Promise<number> {
  const commands = [
    'git rev-parse --absolute-git-dir',
    'git rev-parse --verify HEAD^{commit}',
    'git ls-tree -r -t -z --long HEAD',
    'git merge-base main HEAD',
    'git diff-tree -r -z --raw -p --unified=0 -M main HEAD',
  ]
  const startedAt = performance.now()
  await promisify(execFile)('sh', ['-c', `{ ${commands.join('; ')}; } > /dev/null`], { cwd: repository.path })
  return performance.now() - startedAt
}

/** Selects tests as CI does before it runs them. */
async function select(head: string): Promise<{ ms: number; selected: number }> {
  const startedAt = performance.now()
  const { counts, mode } = await api.testRuns.select.mutate({ projectId, head })
  if (mode !== 'impacted') throw new Error('All tests were selected.')
  return { ms: performance.now() - startedAt, selected: counts.selected }
}

/** Waits until nothing of the earlier pull request is left to do. */
async function idle(): Promise<void> {
  const waiting = "SELECT 1 FROM pgboss.job WHERE state < 'completed' AND start_after < now() + interval '5 seconds'"
  while ((await app.dataSource.query<unknown[]>(`${waiting} LIMIT 1`)).length > 0) await delay(200)
}

function pathOf(index: number, end = '.ts'): string {
  return `src/part-${index % 50}/module-${index}${end}`
}

/** Each module uses the one before it in its folder, up to ten in a row. */
function sourceOf(index: number, value: number): string {
  const before = index - 50
  const uses = before >= 0 && Math.floor(index / 50) % 10 !== 0
  const imported = uses ? `import { value as earlier } from './module-${before}.ts'\n` : 'const earlier = 0\n'
  return `${imported}export const value = (count: number) => {\n  return earlier + count + ${value}\n}\n`
}

function allFiles(): Files {
  const all: Files = {
    'package.json': JSON.stringify({ name: 'large', type: 'module', devDependencies: { vitest: '4.0.0' } }),
  }
  for (let index = 0; index < modules; index++) {
    all[pathOf(index)] = sourceOf(index, 0)
    all[pathOf(index, '.test.ts')] =
      `import { expect, test } from 'vitest'\nimport { value } from './module-${index}.ts'\n` +
      "test('adds', () => expect(value(1)).toBeDefined())\n"
  }
  return all
}

function changedFiles(round: number): Files {
  const step = Math.floor(modules / changed)
  return Object.fromEntries(Array.from({ length: changed }, (_, at) => [pathOf(at * step), sourceOf(at * step, round)]))
}

/** Uploads the results of all tests, with coverage of all modules; of the upload `lint` only one test. */
async function upload(commitSha: string, branch: string, name: 'unit' | 'lint'): Promise<void> {
  const form = new FormData()
  for (const [field, value] of Object.entries({ commitSha, branch, name })) form.set(field, value)
  const cases: string[] = []
  const coverage: string[] = []
  for (let index = 0; index < (name === 'unit' ? modules : 1); index++) {
    for (let n = 0; n < perFile; n++) {
      cases.push(
        `<testcase classname="module ${index}" name="does ${n}" file="${pathOf(index, '.test.ts')}" time="0.01"/>`,
      )
    }
    coverage.push(`SF:${pathOf(index)}\nDA:2,1\nDA:3,${index % 2}\nend_of_record\n`)
  }
  form.append('reports', new Blob([`<testsuites><testsuite>${cases.join('')}</testsuite></testsuites>`]), 'junit.xml')
  if (name === 'unit') form.append('coverage', new Blob([coverage.join('')]), 'lcov.info')
  const response = await fetch(`http://127.0.0.1:${port}/api/ci/upload/${projectId}`, {
    method: 'POST',
    body: form,
    headers,
  })
  if (response.status !== 201) throw new Error(await response.text())
}
