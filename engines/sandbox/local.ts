import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { withDescriptors } from './descriptors.ts'
import type { ExecutionLimits, ExecutionOutcome, ExecutionSpec, Executor, OutputSink } from './executor.ts'
import { copyLayers } from './copy-layers.ts'
import { readProcesses, treeOf, watchProcesses } from './process-table.ts'
import type { SandboxOptions } from './sandbox-files.ts'
import { brokenOutcome, supervise, type Started } from './supervise.ts'

/** All child processes inherit it, so that processes that left the process group are found. */
const marker = 'ASSAY_EXECUTION'
const supervisor = join(import.meta.dirname, 'local-supervisor.mjs')

/**
 * Runs commands without a sandbox, with the permissions of our user. For trusted code: it limits and cleans up
 * careless code, not hostile code.
 */
export function createLocalExecutor({ hostEnvironment }: Pick<SandboxOptions, 'hostEnvironment'>): Executor {
  return {
    name: 'local',
    mounts: false,
    probe: async () =>
      process.platform === 'win32'
        ? { usable: false, problem: 'Test runs need Linux or macOS.' }
        : { usable: true, description: 'no sandbox: commands may do what this user may', gaps: [] },
    run: async (spec, signal, sink) => {
      try {
        return await run(spec, hostEnvironment.PATH ?? '/usr/local/bin:/usr/bin:/bin', signal, sink)
      } catch (error) {
        return brokenOutcome(error)
      }
    },
  }
}

async function run(
  spec: ExecutionSpec,
  path: string,
  signal: AbortSignal,
  sink: OutputSink,
): Promise<ExecutionOutcome> {
  const [home, temporary] = [join(spec.scratch, 'home'), join(spec.scratch, 'tmp')]
  for (const folder of [home, temporary]) await mkdir(folder, { recursive: true })
  const uppers = spec.volumes.flatMap(({ upper }) => (upper === null ? [] : [upper]))
  for (const { lower, upper } of spec.volumes) if (upper !== null && lower.length > 0) await copyLayers(lower, upper)
  const environment = {
    PATH: path,
    HOME: home,
    TMPDIR: temporary,
    LANG: 'C.UTF-8',
    CI: 'true',
    ...spec.environment,
    [marker]: randomUUID(),
  }
  return supervise(spec, signal, sink, [home, temporary, ...uppers], null, (ends) => start(spec, environment, ends))
}

async function start(
  spec: ExecutionSpec,
  environment: Record<string, string>,
  ends: { stdout: number; stderr: number },
): Promise<Started> {
  // Not the command's: its NODE_OPTIONS would change the supervisor.
  const own = { [marker]: environment[marker] }
  const child = withDescriptors(['ignore', ends.stdout, ends.stderr, 'pipe', 'pipe', 'pipe'], (stdio) =>
    spawn(process.execPath, [supervisor, ...spec.argv], { cwd: spec.cwd, env: own, stdio, detached: true }),
  )
  const ended = Promise.withResolvers<EndReport>()
  child.once('error', (error) => ended.resolve({ exitCode: null, problem: error.message }))
  const streams: readonly (Readable | Writable | null | undefined)[] = child.stdio
  const [, , , lifeline, report, variables] = streams
  const isOpen = lifeline instanceof Writable && report instanceof Readable && variables instanceof Writable
  if (child.pid === undefined || !isOpen) {
    throw new Error('the command could not be started')
  }
  for (const stream of [lifeline, variables]) stream.on('error', () => undefined)
  variables.end(JSON.stringify(environment))
  const said = readAll(report)
  child.once('exit', () => void said.then((text) => ended.resolve(JSON.parse(text || defaultReport) as EndReport)))
  return processesOf(child.pid, environment[marker] ?? '', ended.promise, spec.limits)
}

type EndReport = Awaited<Started['ended']>
const defaultReport = JSON.stringify({ exitCode: 137, problem: null } satisfies EndReport)

function readAll(stream: Readable): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  let said = ''
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    said += chunk
  })
  stream.once('error', () => stream.destroy())
  stream.once('close', () => resolve(said))
  return promise
}

function processesOf(root: number, mark: string, ended: Started['ended'], limits: ExecutionLimits): Started {
  const hasProc = process.platform === 'linux'
  const find = () => (hasProc ? belonging(root, mark) : [])
  const look = watchProcesses(find, limits)
  const signalAll = (signal: NodeJS.Signals) => {
    const found = find().map(({ pid }) => pid)
    for (const pid of [-root, ...found]) signalQuietly(pid, signal)
    return found.length
  }
  return {
    ended,
    usage: look,
    pids: async () => find().map(({ pid }) => pid),
    // The supervisor ignores the signal, so that it can report how the command ended.
    terminate: () => void signalAll('SIGTERM'),
    kill: async () => {
      while (signalAll('SIGKILL') > 0) await sleep(5)
      await ended
    },
    close: async () => undefined,
  }
}

/** What descends from the command or carries its mark. */
function belonging(root: number, mark: string) {
  const all = readProcesses()
  const tree = new Set(treeOf(root, all).map(({ pid }) => pid))
  return all.filter(({ pid, state }) => state !== 'Z' && (tree.has(pid) || carries(pid, mark)))
}

function carries(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`${marker}=${mark}`)
  } catch {
    // It has ended, or is another user's.
    return false
  }
}

function signalQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // The process has already ended.
  }
}
