import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGitRepository } from '../source/testing/git-repository.ts'
import { analyzeInChildProcess, type AnalysisJob } from './run.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-kept-'))
})
afterAll(() => rm(folder, { recursive: true }))

const jobIn = (name: string, url: string): AnalysisJob => ({
  url,
  directory: join(folder, name),
  ref: {},
  allowLocal: true,
  allowCidrs: [],
})

const run = (job: AnalysisJob, keepsProcess: boolean) =>
  analyzeInChildProcess(job, { signal: new AbortController().signal, keepsProcess })

test('a kept process answers like a new one, whatever has changed meanwhile', async () => {
  await using repository = await createGitRepository({
    'package.json': '{ "name": "shop", "devDependencies": { "vitest": "3.0.0" } }',
    'src/cart.ts':
      "import { price } from '#prices'\nexport function total(n: number) {\n  return n > 1 ? price(n) : 0\n}\n",
    'src/prices.ts': 'export function price(n: number) {\n  return n > 2 ? n : 3\n}\n',
    'src/cart.test.ts': "import { total } from './cart'\nit('adds', () => expect(total(1)).toBe(0))\n",
  })
  const kept = jobIn('kept', repository.path)
  const changes: Record<string, string>[] = [
    {},
    { 'src/prices.ts': 'export function price(n: number) {\n  return n > 9 ? n : 3\n}\n' },
    { 'package.json': '{ "name": "shop", "imports": { "#prices": "./src/prices.ts" } }' },
    {
      'src/cart.test.ts':
        "import { total } from './cart'\nconst two = () => 2\nit('adds', () => expect(total(two())).toBe(two()))\n",
    },
    { 'lib/new.ts': 'export function fresh(a: number) {\n  return a ? 1 : 2\n}\n', 'lib/new.test.ts': 'fresh()\n' },
  ]
  for (const [index, files] of changes.entries()) {
    if (Object.keys(files).length > 0) await repository.commit(files)
    const [inKept, inNew] = [await run(kept, true), await run(jobIn(`new-${index}`, repository.path), false)]
    expect(JSON.parse(inKept.json)).toEqual(JSON.parse(inNew.json))
  }
})

test('the ranking of a part takes the process of the analysis before it', async () => {
  await using repository = await createGitRepository({ 'a.ts': 'export const a = (n: number) => (n > 1 ? 1 : 2)\n' })
  const job = jobIn('part', repository.path)
  await run(job, true)
  const known = await analysesOf(process.pid)
  const part = await run(
    { ...job, isKnown: true, scope: { paths: ['a.ts'] }, limits: { fetchTimeoutMs: 45_000 } },
    true,
  )
  expect(part.testCandidates).toBe(1)
  const now = await analysesOf(process.pid)
  expect(now).not.toEqual([])
  // Those of other tests may just be ending.
  expect(now.filter((pid) => !known.includes(pid))).toEqual([])
})

/** The processes for analyses that a process started and that run. */
async function analysesOf(parent: number): Promise<string[]> {
  const read = (pid: string, what: string) => readFile(`/proc/${pid}/${what}`, 'utf8').catch(() => '')
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const isAnalysis = await Promise.all(
    pids.map(async (pid) => {
      const [, parentId] = /^PPid:\s(\d+)$/m.exec(await read(pid, 'status')) ?? []
      return parentId === String(parent) && (await read(pid, 'cmdline')).includes('analysis/process')
    }),
  )
  return pids.filter((_, index) => isAnalysis[index])
}
