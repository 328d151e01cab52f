/**
 * Real flakes: five public repositories get four tests that depend on chance, the time, a port and an order, and run 60
 * times through the product, each time on a commit of its own and without retries. Shows which of the tests Assay calls
 * flaky, after how many runs, and whether it says so of any of the repositories' own tests. From half of the runs on, a
 * further test fails always. Usage: `npm run bench -- real-flakes <folder with checkouts as owner+name> [runs]`
 */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { ProjectSettingsChange } from '../core/projects/schema.ts'
import { type Plants, plants } from './real-flakes/plants.ts'
import { printTable } from './report.ts'
import { openScratch } from './scratch.ts'
import { startAssay } from './verify/start.ts'

const [checkouts = '', runs = '60'] = process.argv.slice(2)
interface Repository {
  name: string
  planted: Plants
  broken: Pick<Plants, 'path' | 'text'>
  settings?: ProjectSettingsChange
}
const repositories: Repository[] = [
  {
    name: 'google/uuid',
    planted: plants.go('planted_test.go', 'uuid'),
    broken: {
      path: 'broken_test.go',
      text: 'package uuid\n\nimport "testing"\n\nfunc TestIsBroken(t *testing.T) { t.Fatal("always") }\n',
    },
  },
  {
    name: 'julienschmidt/httprouter',
    planted: plants.go('planted_test.go', 'httprouter'),
    broken: {
      path: 'broken_test.go',
      text: 'package httprouter\n\nimport "testing"\n\nfunc TestIsBroken(t *testing.T) { t.Fatal("always") }\n',
    },
  },
  {
    name: 'tkem/cachetools',
    planted: plants.pytest('tests/test_planted.py'),
    broken: { path: 'tests/test_broken.py', text: 'def test_is_broken():\n    assert False, "always"\n' },
    // With the pytest of the machine.
    settings: { installCommand: 'true', environment: { PYTHONPATH: 'src' } },
  },
  {
    name: 'unjs/defu',
    planted: plants.vitest('test/planted.test.ts'),
    broken: {
      path: 'test/broken.test.ts',
      text: "import { it } from 'vitest'\nit('is broken', () => { throw new Error('always') })\n",
    },
    // Its own command also checks types and style.
    settings: { testCommand: 'npx vitest run' },
  },
  {
    name: 'micromatch/picomatch',
    planted: plants.mocha('test/planted.js'),
    broken: { path: 'test/broken.js', text: "it('is broken', () => { throw new Error('always') })\n" },
  },
]
const only = process.env['ONLY']?.split(',')
const chosen = repositories.filter(({ name }) => only === undefined || only.includes(name))

await using cleanUp = new AsyncDisposableStack()
const scratch = await openScratch(cleanUp)
const run = promisify(execFile)
const git = (directory: string, ...args: string[]) =>
  run('git', ['-C', directory, '-c', 'user.name=Bench', '-c', 'user.email=bench@example.com', ...args])

const directories: string[] = []
for (const { name, planted } of chosen) {
  const directory = join(scratch.directory, name.replace('/', '+'))
  await run('git', ['clone', '--quiet', join(checkouts, name.replace('/', '+')), directory])
  await git(directory, 'checkout', '--quiet', '-B', 'main')
  await writeFile(join(directory, planted.path), planted.text)
  await git(directory, 'add', '--all')
  await git(directory, 'commit', '--quiet', '--message', 'Add tests')
  directories.push(directory)
}
const { client, projectIds } = await startAssay(cleanUp, scratch, directories)

const rows: (string | number)[][] = []
for (const [index, { name, planted, broken, settings }] of chosen.entries()) {
  const projectId = projectIds[index] ?? ''
  if (settings) await client.projects.updateProjectSettings.mutate({ projectId, settings })
  const directory = directories[index] ?? ''
  const foundAfter = new Map<string, number>()
  let falseAlarms = new Set<string>()
  let failedRuns = 0
  for (let count = 1; count <= Number(runs); count++) {
    if (count === Math.ceil(Number(runs) / 2)) {
      await writeFile(join(directory, broken.path), broken.text)
      await git(directory, 'add', '--all')
    }
    await git(directory, 'commit', '--quiet', '--allow-empty', '--message', `Change ${count}`)
    const { id: runId } = await client.testRuns.trigger.mutate({ projectId })
    let ended = await client.testRuns.get.query({ runId, waitSeconds: 45 })
    while (ended.completedAt === null) ended = await client.testRuns.get.query({ runId, waitSeconds: 45 })
    if (ended.status !== 'COMPLETED') throw new Error(`${name}: ${ended.error?.message}`)
    if (ended.reportedStatus === 'FAILED') failedRuns++
    // The health is judged within a second.
    await delay(1_000)
    const { tests } = await client.tests.list.query({ projectId, health: ['flaky'], limit: 100 })
    for (const test of tests) {
      if (!planted.flaky.includes(test.name)) falseAlarms = falseAlarms.add(test.name)
      else if (!foundAfter.has(test.name)) foundAfter.set(test.name, count)
    }
  }
  const { counts } = await client.tests.list.query({ projectId })
  const { tests: nowBroken } = await client.tests.list.query({ projectId, health: ['broken'] })
  const missed: string[] = []
  for (const search of planted.flaky.filter((each) => !foundAfter.has(each))) {
    const { tests } = await client.tests.list.query({ projectId, search })
    missed.push(`${search}, which failed ${tests[0]?.failures ?? 0} times`)
  }
  rows.push([
    name,
    Object.values(counts).reduce((sum, tests) => sum + tests, 0),
    failedRuns,
    `${foundAfter.size} of ${planted.flaky.length}`,
    [...foundAfter.values()].toSorted((a, b) => a - b).join(', '),
    missed.join('; '),
    falseAlarms.size === 0 ? 'none' : [...falseAlarms].join(', '),
    nowBroken.map((test) => test.name).join(', '),
  ])
  console.error(rows.at(-1)?.join(' | '))
}
printTable(
  [
    'repository',
    'tests',
    `failed runs of ${runs}`,
    'flaky found',
    'after runs',
    'missed',
    'own tests called flaky',
    'broken',
  ],
  rows,
)
