import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startGitHost } from '../source/testing/git-host.ts'
import { createGitRepository, type Files } from '../source/testing/git-repository.ts'
import { AnalysisResult, type FirstAnswer } from './schema.ts'
import { analyzeInChildProcess, type AnalysisJob, type Commit, type RunOptions } from './run.ts'
import type { Progress } from './types.ts'

let folder: string
/** Kept by other tests in this process. */
let kept: number[] = []
beforeAll(async () => {
  kept = descendants()
  folder = await mkdtemp(join(tmpdir(), 'assay-run-'))
})
afterAll(() => rm(folder, { recursive: true }))

const app: Files = {
  'main.py': 'def main(argument):\n    return 1 if argument else 2\n',
  'requirements.txt': 'flask==3\n',
  'big.js': `// ${'x'.repeat(500)}\n`,
}
/** Takes its parser several seconds. */
const slowSource = `<?php ${'if ( foreach match [ => class ] ) fn '.repeat(20_000)}`

let jobs = 0
function jobFor(url: string, more: Partial<AnalysisJob> = {}): AnalysisJob {
  jobs += 1
  return { url, directory: join(folder, `job-${jobs}`), ref: {}, allowLocal: true, allowCidrs: [], ...more }
}

function run(job: AnalysisJob, options: Partial<RunOptions> = {}) {
  return analyzeInChildProcess(job, { signal: new AbortController().signal, ...options })
}

test('returns the result as JSON text, and the fields that are stored separately', async () => {
  await using repository = await createGitRepository(app)
  const commits: Commit[] = []
  const progress: Progress[] = []
  const finished = await run(jobFor(repository.path), {
    onCommit: (commit) => commits.push(commit),
    onProgress: (state) => progress.push(state),
  })
  const head = await repository.git('rev-parse', 'HEAD')
  expect(commits).toEqual([{ commitSha: head, branch: 'main' }])
  expect([...new Set(progress.map((state) => state.phase))]).toEqual(['fetching', 'reading', 'parsing', 'ranking'])
  const { json, ...fields } = finished
  expect(fields).toEqual({
    commitSha: head,
    branch: 'main',
    filesAnalyzed: 3,
    testCandidates: 1,
    languages: { JavaScript: 1, 'Pip Requirements': 1, Python: 1 },
    frameworks: ['Flask'],
    primaryLanguage: 'JavaScript',
    coverage: null,
  })
  const result = AnalysisResult.parse(JSON.parse(json))
  expect(result.testCandidates).toMatchObject([{ path: 'main.py', symbol: 'main' }])
  expect(result.packageInfo.name).toBe('app')
})

test('answers with languages and manifests before files are parsed, and again from known facts', async () => {
  await using repository = await createGitRepository({
    ...app,
    'tests/test_main.py': 'from main import main\n',
    'requirements-dev.txt': 'pytest==8\n',
    tool: '#!/usr/bin/env python3\n',
  })
  const job = jobFor(repository.path)
  const answers: unknown[] = []
  const order: string[] = []
  const listen = {
    onFirstAnswer: (answer: FirstAnswer) => void (answers.push(answer), order.push('first answer')),
    onProgress: ({ phase }: Progress) => order.at(-1) !== phase && order.push(phase),
  }
  await run(job, listen)
  expect(order).toEqual(['fetching', 'reading', 'first answer', 'reading', 'parsing', 'ranking'])
  const known = { totalFiles: 6, frameworks: ['Flask'], testFrameworks: ['pytest'] }
  const languages = { JavaScript: 1, 'Pip Requirements': 2, Python: 2 }
  // Without its content nothing says that `tool` is Python.
  expect(answers).toEqual([{ ...known, languages: { ...languages, Unknown: 1 } }])
  await run(job, listen)
  expect(answers[1]).toEqual({ ...known, languages: { ...languages, Python: 3 } })
})

test('keeps clone and facts in the given directory, for the next time', async () => {
  await using repository = await createGitRepository(app)
  await using host = await startGitHost({ app: repository.path })
  const job = jobFor(`${host.url}/app`, { allowCidrs: ['127.0.0.0/8'] })
  const first = await run(job)
  expect(await readdir(job.directory)).toEqual(expect.arrayContaining(['facts']))
  expect(await readdir(job.directory)).not.toContain('lock')
  expect(await run(job)).toEqual(first)
})

test('reports why a repository cannot be analyzed', async () => {
  await using repository = await createGitRepository(app)
  const missing = run(jobFor(repository.path, { ref: { branch: 'nowhere' } }))
  await expect(missing).rejects.toMatchObject({ name: 'RepositoryError', code: 'branch_not_found' })
  const refused = run(jobFor(repository.path, { allowLocal: false }))
  await expect(refused).rejects.toMatchObject({ name: 'RepositoryError', code: 'url_refused' })
  const slow = await createGitRepository({ ...app, 'slow.php': slowSource })
  const late = run(jobFor(slow.path, { limits: { analysisTimeoutMs: 500, parseTimeoutMs: 30_000 } }))
  await expect(late).rejects.toMatchObject({ name: 'RepositoryError', code: 'timeout' })
  await slow[Symbol.asyncDispose]()
})

test('ends all processes that it started when it is aborted', async () => {
  await using repository = await createGitRepository({ ...app, 'slow.php': slowSource })
  const abort = new AbortController()
  const job = jobFor(repository.path, { limits: { parseTimeoutMs: 30_000 } })
  const running = run(job, {
    signal: abort.signal,
    onProgress: ({ phase }) => phase === 'parsing' && setTimeout(() => abort.abort(), 200),
  })
  await expect(running).rejects.toMatchObject({ code: 'cancelled' })
  await expect.poll(() => descendants()).toEqual([])
  expect(await readdir(job.directory).catch(() => [])).not.toContain('lock')
  await expect(run(job, { signal: abort.signal })).rejects.toMatchObject({ code: 'cancelled' })
})

test('reports how the process ended without an answer, and leaves no process behind', async () => {
  await using repository = await createGitRepository({ ...app, 'slow.php': slowSource })
  let kill: NodeJS.Timeout | undefined
  const running = run(jobFor(repository.path, { limits: { parseTimeoutMs: 30_000 } }), {
    onProgress({ phase }) {
      if (phase === 'parsing') kill ??= setTimeout(() => killAnalysis(), 200)
    },
  })
  await expect(running).rejects.toThrow(/ended without an answer: signal SIGKILL.*memory/)
  await expect.poll(() => descendants()).toEqual([])
})

test('ends when its parent process is killed', async () => {
  await using repository = await createGitRepository({ ...app, 'slow.php': slowSource })
  const job = jobFor(repository.path, { limits: { parseTimeoutMs: 30_000 } })
  const source = `
    import { analyzeInChildProcess } from ${JSON.stringify(new URL('run.ts', import.meta.url).href)}
    await analyzeInChildProcess(${JSON.stringify(job)}, { signal: new AbortController().signal })`
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', source], { stdio: 'ignore' })
  await expect.poll(() => descendants().length, { timeout: 25_000 }).toBeGreaterThan(1)
  const started = descendants()
  parent.kill('SIGKILL')
  const isAlive = (pid: number) => ofProcess(pid, 'cmdline') !== ''
  await expect.poll(() => started.filter(isAlive), { timeout: 25_000 }).toEqual([])
  await expect.poll(() => readdir(job.directory).catch(() => [])).not.toContain('lock')
})

test('passes no environment variables of its own on', async () => {
  await using repository = await createGitRepository({ ...app, 'slow.php': slowSource })
  process.env['ASSAY_TEST_SECRET'] = 'do not tell'
  let environments: string[] = []
  try {
    const abort = new AbortController()
    const running = run(jobFor(repository.path, { limits: { parseTimeoutMs: 30_000 } }), {
      signal: abort.signal,
      onProgress({ phase }) {
        if (phase !== 'parsing') return
        environments = descendants().map((pid) => ofProcess(pid, 'environ'))
        abort.abort()
      },
    })
    await expect(running).rejects.toMatchObject({ code: 'cancelled' })
  } finally {
    delete process.env['ASSAY_TEST_SECRET']
  }
  expect(environments.length).toBeGreaterThan(1)
  expect(environments.join('\n')).toContain('NODE_COMPILE_CACHE')
  expect(environments.join('\n')).not.toContain('do not tell')
})

/** Processes below this one that run the analyser, without those that other tests keep. */
function descendants(): number[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({ pid: Number(pid), parent: parentOf(pid), command: ofProcess(pid, 'cmdline') }))
  const found: number[] = []
  const parents = [process.pid]
  for (const parent of parents) {
    for (const { pid, command } of all.filter((one) => one.parent === parent)) {
      parents.push(pid)
      if (/engines\/(?:analysis\/process|parsing\/worker)\.ts/.test(command) && !kept.includes(pid)) found.push(pid)
    }
  }
  return found
}

function parentOf(pid: string): number {
  return Number(/^PPid:\s*(\d+)/m.exec(ofProcess(pid, 'status'))?.[1])
}

/** What Linux says of a process; nothing once it has ended. */
function ofProcess(pid: string | number, what: 'cmdline' | 'environ' | 'status'): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'utf8')
  } catch {
    return ''
  }
}

function killAnalysis(): void {
  const [analysis] = descendants()
  if (analysis !== undefined) process.kill(analysis, 'SIGKILL')
}
