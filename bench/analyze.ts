/**
 * Times the analyzer on real repositories and compares it with line counters, language detectors and the time that git
 * takes to output every file. Arguments: paths of checkouts or bare repositories. One run measures everything on the
 * same commit; figures are medians in seconds.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { access, constants, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join, resolve } from 'node:path'
import { analyze } from '../engines/analysis/analyze.ts'
import { fileCache } from '../engines/analysis/cache.ts'
import { ParsePool } from '../engines/parsing/pool.ts'
import { analyzeInChildProcess } from '../engines/analysis/run.ts'
import { openCommit } from '../engines/source/commit.ts'
import { defaultLimits } from '../engines/analysis/types.ts'
import { currentBuild } from '../local/built.mjs'
import { root } from '../packaging/bundle.ts'
import type { FigureName } from './goals.ts'
import { median, printTable, recordFigure, recordGrowth } from './report.ts'

const runs = 5
/** A slower tool is measured only once: cloc needs minutes for some repositories. */
const maxRepeatSeconds = 10
/** Nine of ten commits change fewer files. */
const changedFiles = 22

const peers: { name: string; command: string; args: string[] }[] = [
  { name: 'scc', command: 'scc', args: ['.'] },
  { name: 'ohcount', command: 'ohcount', args: ['.'] },
  { name: 'cloc', command: 'cloc', args: ['--quiet', '.'] },
  { name: 'github-linguist', command: 'github-linguist', args: ['.'] },
]
/** Installed from npm into a folder of the benchmark. */
const npmPeers: { name: string; program: string; args: string[] }[] = [
  // Counts lines of each language; offline, it does not download linguist's data again.
  { name: 'linguist-js', program: 'linguist-js', args: ['.', '--analyze', '--offline', '--json'] },
  // Reads only JavaScript and TypeScript. It ends with 1 where it finds something.
  {
    name: 'fallow coverage-gaps (JS and TS only)',
    program: 'fallow',
    args: ['health', '--coverage-gaps', '--no-cache'],
  },
]

const cold = 'Assay, own process, cold'
const first = 'Assay, languages and manifests first'
const again = `Assay, kept process, after a commit of ${changedFiles} files`
/** Which cells of the table have goals. */
const figures: Record<string, Record<string, FigureName>> = {
  [cold]: { 'logto-io+logto': 'analysisCold', 'hatchet-dev+hatchet': 'analysisPolyglot' },
  [first]: { 'logto-io+logto': 'analysisFirst' },
  [again]: { 'vuejs+core': 'analysisAgainSmall', 'logto-io+logto': 'analysisAgain' },
}

// The processes of an analysis run from bundles, as those of a server do.
Object.assign(globalThis, { ASSAY_BUILT: { root, folder: currentBuild() } })

const repositories = process.argv.slice(2).map((path) => resolve(path))
if (repositories.length === 0) throw new Error('Give the paths of one or more git repositories.')
const measured = new Map<string, string[]>()
const columns: string[] = []
const tools = await installPeers()
for (const repository of repositories) {
  const folder = await mkdtemp(join(tmpdir(), 'assay-bench-'))
  try {
    await measure(repository, folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
await growth()
if (tools) await rm(tools, { recursive: true, force: true })
printTable(
  ['seconds', ...columns],
  [...measured].map(([name, cells]) => [name, ...cells]),
)

async function measure(repository: string, folder: string): Promise<void> {
  const checkout = join(folder, 'checkout')
  await checkOut(repository, checkout)
  const paths = (await git(checkout, 'ls-files', '-z')).split('\0').filter(Boolean)
  columns.push(`${nameOf(repository)}, ${paths.length.toLocaleString('en')} files`)
  const record = (name: string, cell: string) => measured.set(name, [...(measured.get(name) ?? []), cell])
  const name = nameOf(repository)
  const time = async (row: string, work: (run: number) => Promise<unknown>) => {
    const seconds = await timed(work)
    record(row, median(seconds).toFixed(2) + (seconds.length === 1 ? ' (one run)' : ''))
    const figure = figures[row]?.[name]
    if (figure) recordFigure(figure, seconds)
  }

  const ids = (await git(checkout, 'ls-tree', '-r', '--format=%(objectname)', 'HEAD')).trim()
  await time('limit: `git cat-file --batch` of every file', () =>
    run({ command: 'git', args: ['cat-file', '--batch', '--buffer'], cwd: checkout, input: `${ids}\n` }),
  )
  for (const { name, command, args } of peers) {
    if (await onPath(command)) await time(name, () => run({ command, args, cwd: checkout }))
    else record(name, 'not installed')
  }
  for (const { name, program, args } of npmPeers) {
    const command = tools && join(tools, 'node_modules/.bin', program)
    if (command && (await isRunnable(command)))
      await time(name, () => run({ command, args, cwd: checkout, maxCode: 1 }))
    else record(name, 'not installed')
  }
  const directory = (run: number | string) => join(folder, `job-${run}`)
  await time(cold, (run) => analyzeInOwnProcess(checkout, directory(run)))
  await time(first, (run) => firstAnswerAfter(checkout, directory(`first-${run}`)))
  await analyzeInOwnProcess(checkout, directory('warm'))
  await time('Assay, own process, nothing changed', () => analyzeInOwnProcess(checkout, directory('warm')))

  await using pool = new ParsePool()
  const here = (name: string) => analyzeHere(checkout, join(folder, name), pool)
  await here('warm-up')
  await time('Assay, warm process, nothing known', (run) => here(`cold-${run}`))

  const isSource = (path: string) => /\.(?:[jt]sx?|py|go|rb|php|rs|java|cs)$/.test(path)
  const changing = paths.filter(isSource).slice(0, changedFiles)
  const change = async (run: number) => {
    for (const path of changing) appendFileSync(join(checkout, path), `\n// ${run}\n`)
    await commit(checkout, '--all')
  }
  const afterChange = (analysis: () => Promise<unknown>) => async (run: number) => {
    await change(run)
    const startedAt = performance.now()
    await analysis()
    return performance.now() - startedAt
  }
  await time(
    `Assay, own process, after a commit of ${changedFiles} files`,
    afterChange(() => analyzeInOwnProcess(checkout, directory('warm'))),
  )
  // As the server does it.
  const inKeptProcess = () => analyzeInOwnProcess(checkout, directory('warm'), true)
  await inKeptProcess()
  await time('Assay, kept process, nothing changed', inKeptProcess)
  await time(again, afterChange(inKeptProcess))
}

/** Analyzes the first 77, 770 and 7,700 files of the largest repository. */
async function growth(): Promise<void> {
  const repository = repositories.find((path) => nameOf(path) === 'logto-io+logto')
  if (repository === undefined) return
  const folder = await mkdtemp(join(tmpdir(), 'assay-bench-'))
  try {
    const checkout = join(folder, 'checkout')
    await checkOut(repository, checkout)
    const paths = (await git(checkout, 'ls-files', '-z')).split('\0').filter(Boolean)
    const costs: { size: number; ms: number }[] = []
    for (const size of [7_700, 770, 77]) {
      // Evenly spread, so that each part has the same kinds of files.
      const step = Math.max(1, Math.round(paths.length / size))
      const left = paths.filter((_, index) => index % step !== 0)
      if (left.length > 0) {
        const input = left.map((path) => `0 ${'0'.repeat(40)}\t${path}\n`).join('')
        await run({ command: 'git', args: ['read-tree', 'HEAD'], cwd: checkout })
        await run({ command: 'git', args: ['update-index', '--index-info'], cwd: checkout, input })
        await commit(checkout)
      }
      const seconds = await timed((run) => analyzeInOwnProcess(checkout, join(folder, `${size}-${run}`)))
      costs.unshift({ size: paths.length - left.length, ms: 1_000 * median(seconds) })
    }
    recordGrowth({ work: 'analysis cold, own process', of: 'files', costs })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Checks the repository out without the files that a partial clone lacks, because other tools would fail on them. */
async function checkOut(repository: string, checkout: string): Promise<void> {
  await git('/', 'clone', '--quiet', '--shared', '--no-checkout', repository, checkout)
  await git(checkout, 'read-tree', 'HEAD')
  const tree = (await git(checkout, 'ls-tree', '-r', 'HEAD')).split('\n').filter(Boolean)
  const blobs = tree.map((line) => /^\d+ \w+ (\w+)\t(.*)$/.exec(line) ?? []).map(([, id, path]) => ({ id, path }))
  const input = blobs.map(({ id }) => `${id}\n`).join('')
  const found = await run({ command: 'git', args: ['cat-file', '--batch-check'], cwd: checkout, input })
  const missing = blobs.filter((_blob, index) => found.split('\n')[index]?.endsWith(' missing'))
  if (missing.length > 0) {
    await git(checkout, 'update-index', '--force-remove', '--', ...missing.map(({ path = '' }) => path))
    await commit(checkout)
  }
  await git(checkout, 'checkout-index', '--all', '--force')
}

function commit(checkout: string, ...args: string[]): Promise<string> {
  return git(checkout, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--message=change', ...args)
}

/** Returns the seconds of several runs, or of one that is slow. Work that returns a number measures its own time. */
async function timed(work: (run: number) => Promise<unknown>): Promise<number[]> {
  const seconds: number[] = []
  for (let run = 0; run < runs; run += 1) {
    const startedAt = performance.now()
    const own = await work(run)
    seconds.push((typeof own === 'number' ? own : performance.now() - startedAt) / 1_000)
    if ((seconds[0] ?? 0) > maxRepeatSeconds) break
  }
  return seconds
}

function analyzeInOwnProcess(checkout: string, directory: string, keepsProcess = false): Promise<unknown> {
  return analyzeInChildProcess(
    { ...source(checkout), directory },
    { signal: AbortSignal.timeout(300_000), keepsProcess },
  )
}

/** Returns the milliseconds from the call until the first answer is here; the analysis then ends as usual. */
async function firstAnswerAfter(checkout: string, directory: string): Promise<number> {
  const startedAt = performance.now()
  let firstAt = Number.NaN
  await analyzeInChildProcess(
    { ...source(checkout), directory },
    { signal: AbortSignal.timeout(300_000), onFirstAnswer: () => void (firstAt = performance.now() - startedAt) },
  )
  return firstAt
}

/** Installs the analyzers that npm has. Returns their folder; undefined if npm cannot get them. */
async function installPeers(): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-bench-npm-'))
  const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', 'linguist-js', 'fallow']
  try {
    await run({ command: 'npm', args, cwd: folder })
    return folder
  } catch {
    await rm(folder, { recursive: true, force: true })
    return undefined
  }
}

async function analyzeHere(checkout: string, directory: string, pool: ParsePool): Promise<unknown> {
  const signal = AbortSignal.timeout(300_000)
  await using snapshot = await openCommit({ ...source(checkout), directory, limits: defaultLimits, signal })
  return await analyze(snapshot, { signal, cache: fileCache(join(directory, 'facts')), pool })
}

function source(checkout: string) {
  return { url: checkout, ref: {}, allowLocal: true, allowCidrs: [] }
}

function git(cwd: string, ...args: string[]): Promise<string> {
  return run({ command: 'git', args, cwd })
}

interface Command {
  command: string
  args: string[]
  cwd: string
  input?: string
  /** Higher codes mean that the program failed. */
  maxCode?: number
}

/** Returns the output of a program. */
async function run({ command, args, cwd, input, maxCode = 0 }: Command): Promise<string> {
  const child = spawn(command, args, { cwd, stdio: ['pipe', 'pipe', 'ignore'] })
  child.stdin.end(input)
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  const [code] = await once(child, 'close')
  if (typeof code !== 'number' || code > maxCode)
    throw new Error(`${command} ${args.join(' ')} ended with ${String(code)}`)
  return Buffer.concat(chunks).toString('latin1')
}

async function onPath(command: string): Promise<boolean> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    if (await isRunnable(join(folder, command))) return true
  }
  return false
}

function isRunnable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}

function nameOf(repository: string): string {
  const name = basename(repository).replace(/\.git$/, '')
  return name === 'repo' || name === '' ? basename(dirname(repository)) : name
}
