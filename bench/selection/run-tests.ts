import { spawn } from 'node:child_process'
import { createReadStream, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, posix, resolve } from 'node:path'
import { detectPlan } from '../../engines/test-plan/detect.ts'
import { findGoModules } from '../../engines/test-plan/go-modules.ts'
import { type PlanPart, PlanError, type RunPlan } from '../../engines/test-plan/plan.ts'
import { readReport } from '../../engines/reports/read-report.ts'
import { ReportError, reportLimits } from '../../engines/reports/report.ts'
import type { Checkout } from './checkout.ts'

/** How the tests of a commit ended. */
export interface Outcome {
  /** Null if the tests ran. */
  problem: string | null
  /** The file (for Go: the folder of the package), the test, whether it failed, and its milliseconds. */
  tests: [file: string, test: string, failed: 0 | 1, ms: number][]
}

const settings = {
  installCommand: null,
  testCommand: null,
  workingDirectory: null,
  reportGlobs: [],
  coverageGlobs: [],
}
const toolsFolder = resolve(import.meta.dirname, '../../engines/test-plan/tools')
interface Limits {
  /** After this time a run counts as impossible. */
  maxMs?: number
  /** Variables for the tests, in addition to those of the plan. */
  environment?: Readonly<Record<string, string>>
}

/** Runs the tests of commits in a sandbox without network, each once, and keeps the outcomes in a folder. */
export class TestRuns {
  readonly #checkout: Checkout
  readonly #kept: string
  readonly #shared: string
  readonly #limits: Limits

  /** @param shared - the folder of virtual environments and caches, `{deps}` of the plans */
  constructor(checkout: Checkout, kept: string, shared: string, limits: Limits = {}) {
    this.#checkout = checkout
    this.#kept = kept
    this.#shared = shared
    this.#limits = limits
    mkdirSync(kept, { recursive: true })
  }

  /** @param repeat - counts the runs of one commit */
  async run(commit: string, repeat = 0): Promise<Outcome> {
    const known = this.known(commit, repeat)
    if (known) return known
    const outcome = await this.#runAll(commit)
    writeFileSync(this.#fileOf(commit, repeat), JSON.stringify(outcome))
    return outcome
  }

  known(commit: string, repeat = 0): Outcome | undefined {
    const file = this.#fileOf(commit, repeat)
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Outcome) : undefined
  }

  async plan(commit: string): Promise<RunPlan> {
    return detectPlan(this.#treeOf(commit), settings, 'ALL')
  }

  #treeOf(commit: string) {
    const paths = this.#checkout.paths(commit)
    return { paths, read: (path: string) => Promise.resolve(this.#checkout.read(commit, path)) }
  }

  #fileOf(commit: string, repeat: number): string {
    return join(this.#kept, `${commit}-${repeat}.json`)
  }

  async #runAll(commit: string): Promise<Outcome> {
    this.#checkout.checkOut(commit)
    try {
      const parts = widest((await this.plan(commit)).parts)
      const tests: Outcome['tests'] = []
      for (const part of parts) {
        const { problem, tests: found } = await this.#runPart(commit, part)
        if (problem !== null) return { problem, tests: [] }
        tests.push(...found)
      }
      return { problem: tests.length === 0 ? 'no tests' : null, tests }
    } catch (error) {
      if (error instanceof PlanError || error instanceof ReportError) return { problem: error.message, tests: [] }
      throw error
    }
  }

  async #runPart(commit: string, part: PlanPart): Promise<Outcome> {
    const output = join(this.#kept, 'output')
    rmSync(output, { recursive: true, force: true })
    mkdirSync(output)
    const fill = (text: string) =>
      text
        .replaceAll('{output}', output)
        .replaceAll('{deps}', this.#shared)
        .replaceAll('{tools}', toolsFolder)
        .replaceAll('{root}', this.#checkout.path)
    const step = part.unmeasured ?? part.test
    const { maxMs = 180_000, environment: further } = this.#limits
    const variables = Object.entries({ ...step.environment, ...further })
    const environment = Object.fromEntries(variables.map(([key, value]) => [key, fill(value)]))
    const printed = await inSandbox(step.argv.map(fill), environment, {
      cwd: join(this.#checkout.path, part.directory),
      writable: [this.#checkout.path, output, this.#shared],
      maxMs,
    })
    if (part.test.stdoutReport !== undefined) writeFileSync(join(output, part.test.stdoutReport), printed)
    const [report] = readdirSync(output)
    if (report === undefined) return { problem: `no report: ${printed.slice(-300)}`, tests: [] }
    const tests: Outcome['tests'] = []
    const modules = await findGoModules(this.#treeOf(commit), [part])
    const { cases } = await readReport(
      { name: report, bytes: createReadStream(join(output, report)) },
      {
        roots: [this.#checkout.path],
        goModules: modules,
        limits: reportLimits,
        warn: () => undefined,
      },
    )
    for await (const batch of cases) {
      for (const { suite, name, file, status, durationMs } of batch) {
        if (status === 'skipped') continue
        const place = file ?? folderOfPackage(suite, modules)
        tests.push([place, `${suite} > ${name}`, status === 'failed' ? 1 : 0, durationMs ?? 0])
      }
    }
    return { problem: null, tests }
  }
}

/** The folder of a package of Go, `.` for the repository itself. */
function folderOfPackage(name: string, modules: readonly { path: string; folder: string }[]): string {
  const module = modules.find(({ path }) => name === path || name.startsWith(`${path}/`))
  return module ? posix.join(module.folder, `.${name.slice(module.path.length)}`) : ''
}

/** Parts that repeat tests of another one under other conditions are left out. */
function widest(parts: readonly PlanPart[]): PlanPart[] {
  const byPlace = new Map<string, PlanPart>()
  for (const part of parts) {
    const key = `${part.directory} ${part.framework} ${part.testFiles?.join(' ') ?? ''}`
    const known = byPlace.get(key)
    if (!known || (part.targetCount ?? 0) < (known.targetCount ?? 0)) byPlace.set(key, part)
  }
  return [...byPlace.values()].filter(
    ({ testFiles }) => testFiles?.every((glob) => !glob.startsWith('integration')) ?? true,
  )
}

function inSandbox(
  argv: readonly string[],
  environment: Readonly<Record<string, string>>,
  { cwd, writable, maxMs }: { cwd: string; writable: readonly string[]; maxMs: number },
): Promise<string> {
  const bound = writable.flatMap((path) => ['--bind', path, path])
  const installed = ['--ro-bind', resolve(import.meta.dirname, '../..'), resolve(import.meta.dirname, '../..')]
  const home = ['--tmpfs', '/tmp', ...installed, ...bound, '--setenv', 'HOME', '/tmp']
  const options = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--unshare-net', '--unshare-pid']
  return new Promise((finish, reject) => {
    const child = spawn('bwrap', [...options, '--die-with-parent', ...home, '--chdir', cwd, ...argv], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', ...environment },
    })
    const timer = setTimeout(() => child.kill('SIGKILL'), maxMs)
    let printed = ''
    let complaint = ''
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(-2_000)))
    child.on('error', reject)
    child.on('close', () => {
      clearTimeout(timer)
      finish(printed === '' ? complaint : printed)
    })
  })
}
