import { readdirSync, readFileSync } from 'node:fs'
import type { ExecutionLimits } from './executor.ts'
import { measureRemovedFiles } from './removed-files.ts'
import type { Usage } from './usage.ts'

interface Process {
  pid: number
  parent: number
  state: string
  threads: number
  /** Processor time of the process and of the children it waited for, in ticks. */
  ticks: number
}

/** On every Linux that Node runs on. */
const ticksPerSecond = 100

/** Lists every visible process of the machine. */
export function readProcesses(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)) ?? [])
}

function readProcess(pid: number): Process | undefined {
  const stat = readQuietly(`/proc/${pid}/stat`)
  // The name in parentheses may contain any characters, including parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields.length < 20) return undefined
  const at = (index: number) => Number(fields[index])
  return {
    pid,
    state: fields[0] ?? '',
    parent: at(1),
    threads: at(17),
    ticks: at(11) + at(12) + at(13) + at(14),
  }
}

/** The process and all that descend from it. */
export function treeOf(root: number, processes = readProcesses()): Process[] {
  const children = Map.groupBy(processes, ({ parent }) => parent)
  const found = processes.filter(({ pid }) => pid === root)
  for (let index = 0; index < found.length; index++) found.push(...(children.get(found[index]?.pid ?? -1) ?? []))
  return found
}

/** False for a zombie: it has ended, and its parent has not waited for it. */
export function isRunning(pid: number): boolean {
  const found = readProcess(pid)
  return found !== undefined && found.state !== 'Z' && found.state !== 'X'
}

/**
 * Limits by looking, where the kernel's groups cannot be used. What is found between two looks is counted by the
 * largest value seen.
 */
export function watchProcesses(
  find: () => Process[],
  limits: Pick<ExecutionLimits, 'memoryBytes' | 'processes'>,
): () => Usage {
  const seen = { ticks: 0, memory: 0, exceeded: null as Usage['exceeded'] }
  return () => {
    const processes = find()
    const memory = memoryOf(processes, limits.memoryBytes)
    const threads = processes.reduce((sum, { threads }) => sum + threads, 0)
    seen.ticks = Math.max(
      seen.ticks,
      processes.reduce((sum, { ticks }) => sum + ticks, 0),
    )
    seen.memory = Math.max(seen.memory, memory)
    if (memory > limits.memoryBytes) seen.exceeded ??= 'memory'
    if (threads >= limits.processes) seen.exceeded ??= 'processes'
    return {
      cpuMs: (seen.ticks * 1000) / ticksPerSecond,
      peakMemoryBytes: seen.memory,
      exceeded: seen.exceeded,
    }
  }
}

/** Counts shared pages once, but only if counting them per process would reach the limit. */
function memoryOf(processes: readonly Process[], limit: number): number {
  // A file in memory counts although no process has mapped it.
  const { memoryBytes: files } = measureRemovedFiles(processes.map(({ pid }) => pid))
  const of = (file: string, anonymous: string, shared: string) => {
    const texts = processes.map(({ pid }) => readQuietly(`/proc/${pid}/${file}`))
    const total = (name: string) => texts.reduce((sum, text) => sum + kilobytes(text, name), 0)
    return total(anonymous) + Math.max(total(shared), files)
  }
  const resident = of('status', 'RssAnon', 'RssShmem')
  return resident <= limit ? resident : of('smaps_rollup', 'Pss_Anon', 'Pss_Shmem')
}

function kilobytes(text: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) * 1024
}

/** Returns when a process started, in ticks: with the pid it identifies a process. 0 if unknown. */
function startOf(pid: number): number {
  const stat = readQuietly(`/proc/${pid}/stat`)
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? 0)
}

/** Identifies this process in the names of files that it leaves if it is killed. */
export const ownMark = `${process.pid}-${startOf(process.pid)}`

/** Whether the process with this mark still runs. */
export function isSameProcess(mark: string): boolean {
  const [pid = 0, start] = mark.split('-').map(Number)
  if (process.platform === 'linux') return startOf(pid) === start
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function readQuietly(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // The process has ended, or belongs to another user.
    return ''
  }
}
