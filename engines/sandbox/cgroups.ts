import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isErrno } from '../source/files.ts'
import type { ExecutionLimits } from './executor.ts'
import { isSameProcess, ownMark } from './process-table.ts'
import type { Usage } from './usage.ts'

/** The folders in which this machine allows new cgroups: one per controller (version 1), or one (version 2). */
export type CgroupPlace =
  | { version: 1; memory: string; pids: string; cpuacct: string | null }
  | { version: 2; folder: string }

/** A group of processes whose resources the kernel limits together. */
export interface Cgroup {
  /** What a process writes its id into to enter, with all that it will start. */
  doors: string[]
  usage(): Promise<Usage>
  pids(): Promise<number[]>
  /** Kills all processes in the group and waits until it is empty. */
  end(): Promise<void>
  /** Kills the remaining processes and removes the group. */
  remove(): Promise<void>
}

const prefix = 'assay-'
let made = 0

/** Returns undefined if this user cannot create groups or controllers are missing. Creates a group to find out. */
export async function findCgroupPlace(): Promise<CgroupPlace | undefined> {
  const mounts = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '')
  const own = await readFile('/proc/self/cgroup', 'utf8').catch(() => '')
  for (const place of candidatePlaces(mounts, own)) {
    if (await canMakeGroups(place)) return place
  }
  return undefined
}

/** Returns our own group and, for version 2, its parent, because a group with processes cannot have limited children. */
export function candidatePlaces(mountinfo: string, cgroup: string): CgroupPlace[] {
  const places: CgroupPlace[] = []
  const memory = ownFolder(mountinfo, cgroup, 'memory')
  const pids = ownFolder(mountinfo, cgroup, 'pids')
  if (memory !== undefined && pids !== undefined) {
    places.push({ version: 1, memory, pids, cpuacct: ownFolder(mountinfo, cgroup, 'cpuacct') ?? null })
  }
  const unified = ownFolder(mountinfo, cgroup, '')
  if (unified !== undefined) {
    places.push({ version: 2, folder: unified }, { version: 2, folder: join(unified, '..') })
  }
  return places
}

/** `controller` is empty for version 2. */
function ownFolder(mountinfo: string, cgroup: string, controller: string): string | undefined {
  const own = cgroup
    .split('\n')
    .map((line) => /^\d+:([^:]*):(.*)$/.exec(line))
    .find((match) => match !== null && (match[1] ?? '').split(',').includes(controller))?.[2]
  if (own === undefined) return undefined
  for (const line of mountinfo.split('\n')) {
    const [place = '', kind = ''] = line.split(' - ')
    const [, , , root = '', point = ''] = place.split(' ')
    const [type, , options = ''] = kind.split(' ')
    const fits = controller === '' ? type === 'cgroup2' : type === 'cgroup' && options.split(',').includes(controller)
    if (!fits) continue
    const below = relative(root, own)
    return join(point, below.startsWith('..') ? '' : below)
  }
  return undefined
}

async function canMakeGroups(place: CgroupPlace): Promise<boolean> {
  const trial = { memoryBytes: 64 * 1024 * 1024, processes: 10 }
  try {
    const group = await makeCgroup(place, trial)
    await group.remove()
    return true
  } catch {
    return false
  }
}

/** @throws if a limit cannot be set */
export async function makeCgroup(
  place: CgroupPlace,
  limits: Pick<ExecutionLimits, 'memoryBytes' | 'processes'>,
): Promise<Cgroup> {
  const name = `${prefix}${ownMark}-${made++}`
  const group = place.version === 1 ? versionOne(place, name) : versionTwo(place.folder, name)
  try {
    for (const folder of group.folders) await mkdir(folder)
    for (const [file, value] of group.settings(limits)) await writeFile(file, value)
    // Without a limit for swap, memory beyond the limit goes there. Kernels without that counter have none to set.
    for (const [file, value] of group.swap(limits)) await writeFile(file, value).catch(() => undefined)
  } catch (error) {
    await removeFolders(group.folders)
    throw error
  }
  return {
    doors: group.folders.map((folder) => join(folder, 'cgroup.procs')),
    usage: () => group.usage(),
    pids: () => pidsOf(group.folders),
    end: () => endAll(group.folders),
    remove: () => removeFolders(group.folders),
  }
}

type Setting = [file: string, value: string]
interface Kind {
  folders: string[]
  settings(limits: Pick<ExecutionLimits, 'memoryBytes' | 'processes'>): Setting[]
  swap(limits: Pick<ExecutionLimits, 'memoryBytes'>): Setting[]
  usage(): Promise<Usage>
}

function versionOne(place: CgroupPlace & { version: 1 }, name: string): Kind {
  const memory = join(place.memory, name)
  const pids = join(place.pids, name)
  const cpu = place.cpuacct === null ? null : join(place.cpuacct, name)
  return {
    folders: cpu === null ? [memory, pids] : [memory, pids, cpu],
    settings: (limits) => [
      [join(memory, 'memory.limit_in_bytes'), String(limits.memoryBytes)],
      [join(pids, 'pids.max'), String(limits.processes)],
    ],
    swap: (limits) => [[join(memory, 'memory.memsw.limit_in_bytes'), String(limits.memoryBytes)]],
    usage: async () => {
      const [oom, refused, nanoseconds, peak] = await Promise.all([
        counter(join(memory, 'memory.oom_control'), 'oom_kill'),
        counter(join(pids, 'pids.events'), 'max'),
        cpu === null ? null : number(join(cpu, 'cpuacct.usage')),
        number(join(memory, 'memory.max_usage_in_bytes')),
      ])
      return {
        cpuMs: nanoseconds === null ? null : nanoseconds / 1e6,
        peakMemoryBytes: peak,
        exceeded: oom > 0 ? 'memory' : refused > 0 ? 'processes' : null,
      }
    },
  }
}

function versionTwo(parent: string, name: string): Kind {
  const folder = join(parent, name)
  return {
    folders: [folder],
    settings: (limits) => [
      [join(folder, 'memory.max'), String(limits.memoryBytes)],
      [join(folder, 'pids.max'), String(limits.processes)],
    ],
    swap: () => [[join(folder, 'memory.swap.max'), '0']],
    usage: async () => {
      const [oom, refused, microseconds, peak] = await Promise.all([
        counter(join(folder, 'memory.events'), 'oom_kill'),
        counter(join(folder, 'pids.events'), 'max'),
        counter(join(folder, 'cpu.stat'), 'usage_usec'),
        number(join(folder, 'memory.peak')).catch(() => number(join(folder, 'memory.current'))),
      ])
      const exceeded = oom > 0 ? 'memory' : refused > 0 ? 'processes' : null
      return { cpuMs: microseconds / 1000, peakMemoryBytes: peak, exceeded }
    },
  }
}

/** Removes the groups of killed Assay processes, and ends the processes in them. */
export async function removeLeftCgroups(place: CgroupPlace): Promise<void> {
  const parents =
    place.version === 2
      ? [place.folder]
      : [place.memory, place.pids, place.cpuacct].filter((folder): folder is string => folder !== null)
  for (const parent of parents) {
    for (const name of await readdir(parent).catch(() => [])) {
      const mark = /^assay-(\d+-\d+)-\d+$/.exec(name)?.[1]
      if (mark !== undefined && !isSameProcess(mark)) await removeFolders([join(parent, name)])
    }
  }
}

async function endAll(folders: readonly string[]): Promise<void> {
  for (;;) {
    const left = await pidsOf(folders)
    if (left.length === 0) return
    for (const pid of left) killQuietly(pid)
    await sleep(2)
  }
}

async function removeFolders(folders: readonly string[]): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    for (const pid of await pidsOf(folders)) killQuietly(pid)
    const left = await Promise.all(folders.map(removeFolder))
    if (!left.includes(true)) return
    await sleep(Math.min(5 + attempt, 50))
  }
}

/** True while it is still there. */
async function removeFolder(folder: string): Promise<boolean> {
  try {
    await rmdir(folder)
    return false
  } catch (error) {
    return !isErrno(error, 'ENOENT')
  }
}

async function pidsOf(folders: readonly string[]): Promise<number[]> {
  const lists = await Promise.all(
    folders.map((folder) => readFile(join(folder, 'cgroup.procs'), 'utf8').catch(() => '')),
  )
  // 0 is a process of another namespace, which cannot be named from here.
  return [...new Set(lists.flatMap((list) => list.split('\n').map(Number)))].filter((pid) => pid > 0)
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has already ended.
  }
}

async function number(file: string): Promise<number> {
  return Number((await readFile(file, 'utf8')).trim())
}

async function counter(file: string, name: string): Promise<number> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1] ?? 0)
}
