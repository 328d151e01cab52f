import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { Readable, Writable } from 'node:stream'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { environmentFile, environmentScript, withEnvironment } from './command-environment.ts'
import { type BwrapOptions, findGaps, findMachine, findMissing, type Machine } from './bwrap-machine.ts'
import { type Cgroup, type CgroupPlace, makeCgroup } from './cgroups.ts'
import { withDescriptors } from './descriptors.ts'
import { openEgress, type Egress } from './egress.ts'
import { maxFileBytes } from './disk-usage.ts'
import type { ExecutionLimits, ExecutionOutcome, ExecutionSpec, Executor, OutputSink } from './executor.ts'
import { ownMountNamespace, removeWorkFolder } from './layers.ts'
import { isRunning, treeOf, watchProcesses } from './process-table.ts'
import { probeWithCanary } from './canary.ts'
import { user } from './root-filesystem.ts'
import { type Entry, prepareFiles, type SandboxFiles } from './sandbox-files.ts'
import { quote } from './shell.ts'
import { openStage } from './stage.ts'
import { defaultUidRange, hasOwnUsers, takeSandboxUser } from './sandbox-users.ts'
import { seccompArchitecture, seccompProgram } from './seccomp.ts'
import { brokenOutcome, supervise, type Started } from './supervise.ts'
import { systemEnvironment } from './system.ts'

/** What the sandbox itself needs of the limit for processes: bubblewrap's two and a few while it starts. */
const ownProcesses = 4
/** The forwarder is a Node program with its threads. */
const forwarderProcesses = 16

const architecture = seccompArchitecture()
const filter = architecture === undefined ? null : seccompProgram(architecture)

/** Runs commands with bubblewrap: namespaces of their own, no network, no capabilities, this machine read-only. */
export function createBwrapExecutor(options: BwrapOptions): Executor {
  let found: Promise<Machine> | undefined
  const machine = () => (found ??= findMachine(options))
  const executor: Executor = {
    name: 'bwrap',
    mounts: true,
    probe: async (signal) => {
      const problem = await findMissing(options)
      if (problem !== null) return { usable: false, problem }
      const { cgroups } = await machine()
      const by = cgroups === undefined ? 'limits by looking' : `limits by cgroups version ${cgroups.version}`
      const found = { description: `bubblewrap, ${by}`, gaps: await findGaps(cgroups, options) }
      return probeWithCanary(executor, found, options.hiddenPaths, signal)
    },
    run: async (spec, signal, sink) => {
      try {
        return await runWith(await machine(), options, spec, signal, sink)
      } catch (error) {
        return brokenOutcome(error)
      }
    },
  }
  return executor
}

async function runWith(
  { host, cgroups }: Machine,
  options: BwrapOptions,
  spec: ExecutionSpec,
  signal: AbortSignal,
  sink: OutputSink,
): Promise<ExecutionOutcome> {
  await using egress =
    spec.network === 'internet' ? await openEgress(options.allowCidrs, options.hostEnvironment) : null
  using user = hasOwnUsers() ? await takeSandboxUser(options.uidRange ?? defaultUidRange) : null
  await using stage = user === null ? null : await openStage(spec.scratch, user, options.identityMaps)
  const files = await prepareFiles(spec, host, egress, stage)
  try {
    return await supervise(spec, signal, sink, files.writable, egress, (ends) =>
      start(spec, files, { egress, place: cgroups, uid: user?.uid ?? null }, ends),
    )
  } finally {
    for (const work of files.leftovers) await removeWorkFolder(work)
  }
}

interface Surroundings {
  egress: Egress | null
  place: CgroupPlace | undefined
  /** Null for our own user. */
  uid: number | null
}

async function start(
  spec: ExecutionSpec,
  files: SandboxFiles,
  { egress, place, uid }: Surroundings,
  ends: { stdout: number; stderr: number },
): Promise<Started> {
  const limits = {
    ...spec.limits,
    processes: spec.limits.processes + ownProcesses + (egress === null ? 0 : forwarderProcesses),
  }
  const words = sandboxArguments(spec, files)
  const environment = environmentScript(files.environment)
  const group = place === undefined ? null : await makeCgroup(place, limits)
  const inner = withEnvironment(spec.argv)
  const command = limited(egress === null ? inner : egress.wrap(inner), limits)
  const script = launchScript(group?.doors ?? [], files, command, uid)
  const child = withDescriptors(['ignore', ends.stdout, ends.stderr, 'pipe', 'pipe', 'pipe', 'pipe'], (stdio) =>
    spawn('/bin/sh', ['-c', script], { env: systemEnvironment, cwd: '/', stdio }),
  )
  const ended = Promise.withResolvers<{ exitCode: number | null; problem: string | null }>()
  child.once('error', (error) => ended.resolve({ exitCode: null, problem: error.message }))
  const streams: readonly (Readable | Writable | null | undefined)[] = child.stdio
  const [, , , arguments_, report, variables, calls] = streams
  const isOpen =
    arguments_ instanceof Writable &&
    report instanceof Readable &&
    variables instanceof Writable &&
    calls instanceof Writable
  if (child.pid === undefined || !isOpen) {
    await group?.remove()
    throw new Error('the command could not be started')
  }
  // bubblewrap may end before it has read them; its status reports that.
  for (const stream of [arguments_, variables, calls]) stream.on('error', () => undefined)
  arguments_.end(words)
  variables.end(environment)
  calls.end(filter)
  const running = watchStatus(report)
  const settle = async () => {
    const exitCode = await running.exitCode
    const problem = exitCode === null ? 'the command could not be started in it' : null
    ended.resolve({ exitCode, problem })
  }
  child.once('exit', () => void settle())
  return processesOf(child.pid, running, ended.promise, group, limits)
}

function processesOf(
  launcher: number,
  status: Status,
  ended: Started['ended'],
  group: Cgroup | null,
  limits: ExecutionLimits,
): Started {
  const look = watchProcesses(() => treeOf(launcher), limits)
  return {
    ended,
    usage: () => group?.usage() ?? look(),
    pids: async () => group?.pids() ?? treeOf(launcher).map(({ pid }) => pid),
    terminate: () => {
      const first = status.firstPid()
      // With --new-session the sandbox's first process leads the group that all others are born into. It ignores the
      // signal itself, as first processes do.
      const reached = first !== null && signalQuietly(-first, 'SIGTERM')
      if (!reached) signalQuietly(launcher, 'SIGKILL')
    },
    kill: async () => {
      signalQuietly(launcher, 'SIGKILL')
      const first = status.firstPid()
      if (first !== null) {
        signalQuietly(first, 'SIGKILL')
        // The kernel ends the first process of a namespace only after all others.
        while (isRunning(first)) await sleep(2)
      }
      await ended
    },
    close: async () => group?.remove(),
  }
}

interface Status {
  /** The first process of the sandbox, as the host numbers it. */
  firstPid(): number | null
  /** Null if the command was never started. */
  exitCode: Promise<number | null>
}

/** Reads the status messages of bubblewrap. */
function watchStatus(stream: Readable): Status {
  let seen = ''
  const value = (name: string) => {
    const found = new RegExp(`"${name}": (\\d+)`).exec(seen)?.[1]
    return found === undefined ? null : Number(found)
  }
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    seen += chunk
  })
  const { promise, resolve } = Promise.withResolvers<number | null>()
  stream.once('close', () => resolve(value('exit-code')))
  stream.once('error', () => stream.destroy())
  return { firstPid: () => value('child-pid'), exitCode: promise }
}

/** Returns the limits per process, which apply in addition to cgroups. */
function limited(argv: readonly string[], limits: ExecutionLimits): string[] {
  const { processes } = limits
  const file = maxFileBytes(limits)
  // By its place, since the command's own PATH may name another.
  return [
    systemProgram('prlimit'),
    `--fsize=${file}:${file}`,
    '--core=0:0',
    `--nproc=${processes}:${processes}`,
    '--',
    ...argv,
  ]
}

function systemProgram(name: string): string {
  const places = systemEnvironment.PATH.split(':').map((folder) => join(folder, name))
  return places.find((place) => existsSync(place)) ?? name
}

/** Enters the cgroups, mounts the layers in a separate namespace, and becomes bubblewrap. */
function launchScript(
  doors: readonly string[],
  { mounts }: SandboxFiles,
  command: readonly string[],
  uid: number | null,
): string {
  const words = ['bwrap', ...isolation, '--args', '3', '--json-status-fd', '4', '--seccomp', '6', '--', ...command]
  const asUser = uid === null ? [] : ['setpriv', '--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups', '--']
  const bwrap = `exec ${[...asUser, ...words].map(quote).join(' ')}`
  const enter = doors.map((door) => `echo $$ >${quote(door)}`)
  const namespace = uid === null ? ownMountNamespace : rootMountNamespace
  const launch =
    mounts.length === 0 ? bwrap : `exec unshare ${namespace.join(' ')} sh -c ${quote([...mounts, bwrap].join(' && '))}`
  return [...enter, launch].join(' && ')
}

const rootMountNamespace = ['--mount', '--propagation', 'private', '--'] as const

const isolation = [
  '--unshare-all',
  '--unshare-user',
  '--disable-userns',
  '--die-with-parent',
  '--new-session',
  '--clearenv',
  ...Object.entries({ 'cap-drop': 'ALL', uid: user.id, gid: user.id, hostname: 'sandbox' }).flatMap(([name, value]) => [
    `--${name}`,
    String(value),
  ]),
]

/** bubblewrap reads the arguments from a descriptor, because every user of this machine can read command lines. */
function sandboxArguments(spec: ExecutionSpec, files: SandboxFiles): string {
  const arguments_ = [
    files.entries.flatMap(entryArguments),
    ['--proc', '/proc', '--dev', '/dev'],
    // Of the user's keyrings, which are not those of the sandbox.
    ['--ro-bind', files.empty, '/proc/keys', '--ro-bind', files.empty, '/proc/key-users'],
    ['--bind', files.shm, '/dev/shm'],
    ['--perms', '0400', '--ro-bind-data', '5', environmentFile],
    // For root, files of the kernel are writable in the sandbox, and settings in them apply to the whole machine.
    ['--remount-ro', '/proc', '--remount-ro', '/dev', '--remount-ro', '/'],
    ['--chdir', spec.cwd],
  ].flat()
  const broken = arguments_.find((argument) => argument.includes('\0'))
  if (broken !== undefined) throw new Error(`${JSON.stringify(broken)} contains a null character`)
  return arguments_.map((argument) => `${argument}\0`).join('')
}

function entryArguments(entry: Entry): string[] {
  if (entry.kind === 'show') return ['--ro-bind', entry.source, entry.path]
  if (entry.kind === 'write') return ['--bind', entry.source, entry.path]
  if (entry.kind === 'link') return ['--symlink', entry.target, entry.path]
  return ['--tmpfs', entry.path, '--remount-ro', entry.path]
}

/** Returns false if the process has ended. */
function signalQuietly(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}
