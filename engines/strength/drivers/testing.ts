import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as delay } from 'node:timers/promises'
import { applyMutant, type Mutant } from '../../mutation/mutant.ts'
import { mutantsOf } from '../../mutation/mutants-of.ts'
import { switchGo } from '../../mutation/go/switch.ts'
import { switchJavaScript } from '../../mutation/javascript/switch.ts'
import type { NumberedMutant, SwitchedSource } from '../../mutation/switched-source.ts'
import { everyLine } from '../../mutation/testing.ts'
import { toolsDirectory } from '../../test-plan/placeholders.ts'

/** The packages of this project, including vitest. */
const ownModules = fileURLToPath(new URL('../../../node_modules', import.meta.url))

export interface DriverEvent {
  kind: string
  file: string | null
  test: string | null
  id: number
  outcome: string
  ms: number
  probes: number[]
  ids: number[]
  failed: boolean
  kept: number
  isComplete: boolean
  message?: string
}

/** What the tests of files are known to reach, by path. */
export type Known = Record<string, { test: string | null; ms: number; probes: number[] }[]>

export interface Trial extends AsyncDisposable {
  mutants: readonly NumberedMutant[]
  /** Runs a driver, and returns its events. */
  drive(
    driver: string,
    args: readonly string[],
    how?: { stopAt?: number; known?: Known; dependent?: readonly string[] },
  ): Promise<DriverEvent[]>
  /** Runs a command in a fresh process with one mutant in the text of its source. Returns whether it fails. */
  isNoticed(mutant: Mutant, program: string, args: readonly string[]): Promise<boolean>
}

/** Creates a project on disk whose sources below `src` have all their mutants. */
export async function openTrial(
  files: Readonly<Record<string, string>>,
  { modules = ownModules, variables = {} }: { modules?: string; variables?: Readonly<Record<string, string>> } = {},
): Promise<Trial> {
  const root = await mkdtemp(join(tmpdir(), 'assay-mutants-'))
  await symlink(modules, join(root, 'node_modules'))
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  const mutants: NumberedMutant[] = []
  const sources = new Map<string, string>()
  const probes = new Map<number, number>()
  for (const [path, text] of Object.entries(files)) {
    await write(path, text)
    if (!path.startsWith('src/') || path.endsWith('_test.go')) continue
    const found = await mutantsOf(path, text, everyLine)
    if (found.length === 0) continue
    const own = found.map((mutant, index) => ({ id: mutants.length + index + 1, mutant }))
    const all = await switched(path, text, own)
    if (!all) continue
    sources.set(path, all.source)
    for (const [id, probe] of all.probes) probes.set(id, probe)
    mutants.push(...own)
  }
  const { PATH = '' } = process.env
  const environment = { PATH, HOME: root, CI: '1', ...variables }
  return {
    mutants,
    async drive(driver, args, { stopAt = Date.now() + 60_000, known = {}, dependent = [] } = {}) {
      for (const [path, text] of sources) await write(path, text)
      const folder = await mkdtemp(join(root, 'events-'))
      const wanted = mutants.map(({ id, mutant: { path } }) => ({ id, path, probe: probes.get(id) ?? null }))
      await writeFile(join(folder, 'wanted.json'), JSON.stringify({ wanted, known, dependent, stopAt, workers: 2 }))
      const script = join(toolsDirectory, 'mutants', driver)
      const env = { ...environment, ASSAY_MUTANTS: folder, ASSAY_ROOT: root }
      const printed = await runs('node', [script, ...args], { cwd: root, env })
      if (printed.code !== 0) throw new Error(printed.text)
      const lines = (await readFile(join(folder, 'events.jsonl'), 'utf8')).split('\n').filter(Boolean)
      return lines.flatMap((line): DriverEvent[] => eventsIn(line))
    },
    async isNoticed(mutant, program, args) {
      for (const path of sources.keys()) {
        const text = files[path] ?? ''
        await write(path, path === mutant.path ? applyMutant(text, mutant) : text)
      }
      return (await runs(program, args, { cwd: root, env: environment })).code !== 0
    },
    async [Symbol.asyncDispose]() {
      const left = await processesIn(root)
      await rm(root, { recursive: true, force: true })
      if (left.length > 0) throw new Error(`Processes are left: ${left.join(', ')}`)
    },
  }
}

/** The processes that work in a folder, after those that are just ending. */
async function processesIn(root: string): Promise<string[]> {
  for (let tries = 0; ; tries++) {
    const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
    const folders = await Promise.all(ids.map((id) => readlink(`/proc/${id}/cwd`).catch(() => '')))
    const left = ids.filter((_, index) => folders[index] === root || folders[index]?.startsWith(`${root}/`))
    if (left.length === 0 || tries === 20) return left
    await delay(50)
  }
}

/** A test can write lines that no driver writes. */
function eventsIn(line: string): DriverEvent[] {
  try {
    const written = JSON.parse(line)
    return written === null ? [] : [written]
  } catch {
    return []
  }
}

function switched(
  path: string,
  text: string,
  own: readonly NumberedMutant[],
): Promise<SwitchedSource | null> | SwitchedSource {
  if (path.endsWith('.go')) return switchGo(path, text, own)
  return switchJavaScript(text, path.endsWith('.ts') ? 'ts' : 'js', own)
}

function runs(
  program: string,
  args: readonly string[],
  options: { cwd: string; env: Record<string, string> },
): Promise<{ code: number | null; text: string }> {
  return new Promise((resolve) => {
    const child = execFile(program, args, { ...options, timeout: 60_000, killSignal: 'SIGKILL' }, (_error, out, err) =>
      resolve({ code: child.exitCode, text: `${out}\n${err}` }),
    )
  })
}

/** What a driver decided, as `original -> replacement: outcome`, in the order of the mutants. */
export function decisions({ mutants }: Pick<Trial, 'mutants'>, events: readonly DriverEvent[]): string[] {
  const outcomes = new Map(events.filter(({ kind }) => kind === 'decided').map(({ id, outcome }) => [id, outcome]))
  return mutants.map(({ id, mutant }) => `${told(mutant)}: ${outcomes.get(id) ?? 'not reached'}`)
}

export const told = ({ original, replacement }: Mutant) => `${original} -> ${replacement}`

/** What the tests of a project were seen to reach, by the path of their file. */
export function knownBy(events: readonly DriverEvent[]): Known {
  const seen = events.filter(({ kind }) => kind === 'reach' || kind === 'load')
  const byFile = Map.groupBy(seen, ({ file }) => /[^/]*\/[^/]*$/.exec(file ?? '')?.[0] ?? '')
  const testsOf = (own: readonly DriverEvent[]) =>
    own.map(({ kind, test, ms, probes }) => ({ test: kind === 'load' ? null : test, ms, probes }))
  return Object.fromEntries([...byFile].map(([path, own]) => [path, testsOf(own)]))
}
