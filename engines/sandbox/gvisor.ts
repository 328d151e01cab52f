import { execFile, spawn } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { probeWithCanary } from './canary.ts'
import { environmentFile, environmentScript, withEnvironment } from './command-environment.ts'
import { findCgroupPlace, makeCgroup, removeLeftCgroups, type CgroupPlace } from './cgroups.ts'
import { withDescriptors } from './descriptors.ts'
import { openEgress, type Egress } from './egress.ts'
import type { ExecutionOutcome, ExecutionSpec, Executor, OutputSink } from './executor.ts'
import { removeWorkFolder } from './layers.ts'
import { withProtectedDevices } from './protect-devices.ts'
import { user } from './root-filesystem.ts'
import { findHost, prepareFiles, type Host, type SandboxFiles, type SandboxOptions } from './sandbox-files.ts'
import { seccompProfile } from './seccomp.ts'
import { quote } from './shell.ts'
import { brokenOutcome, supervise, type Started } from './supervise.ts'
import { systemEnvironment } from './system.ts'

interface Machine {
  host: Host
  cgroups: CgroupPlace | undefined
}

/** Threads of runsc, which the kernel counts with the threads of the command. */
const ownProcesses = 768
const ownMemoryBytes = 128 * 1024 * 1024
let made = 0

/** Runs commands on gVisor's own kernel. Needs root and the kernel's groups, by which it is limited as a whole. */
export function createGvisorExecutor(options: SandboxOptions): Executor {
  let found: Promise<Machine> | undefined
  const machine = () => (found ??= findMachine(options))
  const executor: Executor = {
    name: 'gvisor',
    mounts: true,
    probe: async (signal) => {
      const problem = await findProblem(machine)
      if (problem !== null) return { usable: false, problem }
      return probeWithCanary(executor, { description: 'gVisor, limits by cgroups' }, options.hiddenPaths, signal)
    },
    run: async (spec, signal, sink) => {
      try {
        return await run(await machine(), options, spec, signal, sink)
      } catch (error) {
        return brokenOutcome(error)
      }
    },
  }
  return executor
}

async function findMachine(options: SandboxOptions): Promise<Machine> {
  const [host, cgroups] = await Promise.all([findHost(options), findCgroupPlace()])
  if (cgroups) await removeLeftCgroups(cgroups)
  return { host, cgroups }
}

async function findProblem(machine: () => Promise<Machine>): Promise<string | null> {
  if (process.platform !== 'linux') return 'gVisor needs Linux.'
  try {
    await promisify(execFile)('runsc', ['--version'], { env: systemEnvironment })
  } catch {
    return 'gVisor is not installed (runsc).'
  }
  if (process.getuid?.() !== 0) return 'gVisor needs root here.'
  return (await machine()).cgroups === undefined ? 'gVisor needs writable cgroups here.' : null
}

async function run(
  { host, cgroups }: Machine,
  options: SandboxOptions,
  spec: ExecutionSpec,
  signal: AbortSignal,
  sink: OutputSink,
): Promise<ExecutionOutcome> {
  if (cgroups === undefined) throw new Error('this machine has no writable cgroups')
  await using egress =
    spec.network === 'internet' ? await openEgress(options.allowCidrs, options.hostEnvironment) : null
  const files = await prepareFiles(spec, host, egress, null)
  const environment = join(spec.scratch, 'environment')
  await writeFile(environment, environmentScript(files.environment), { mode: 0o600 })
  files.entries.push({ kind: 'show', source: environment, path: environmentFile })
  const bundle = join(spec.scratch, 'bundle')
  await makeRoot(join(bundle, 'rootfs'), files)
  await writeFile(join(bundle, 'config.json'), JSON.stringify(bundleConfig(spec, files, egress)))
  try {
    return await supervise(spec, signal, sink, files.writable, egress, (ends) =>
      start(spec, files, bundle, cgroups, ends),
    )
  } finally {
    for (const work of files.leftovers) await removeWorkFolder(work)
  }
}

/** Mount points and links, which a read-only root has to have beforehand. */
async function makeRoot(root: string, files: SandboxFiles): Promise<void> {
  await mkdir(root, { recursive: true })
  for (const name of ['proc', 'dev']) await mkdir(join(root, name), { recursive: true })
  for (const entry of files.entries) {
    await mkdir(join(root, dirname(entry.path)), { recursive: true })
    if (entry.kind === 'link') await symlink(entry.target, join(root, entry.path))
  }
}

/** What the OCI runtime specification calls a bundle's configuration. */
export function bundleConfig(spec: ExecutionSpec, files: SandboxFiles, egress: Egress | null) {
  const command = withEnvironment(spec.argv)
  const hard = (type: string, value: number) => ({ type, hard: value, soft: value })
  return {
    ociVersion: '1.0.0',
    process: {
      // The owner of the folders: gVisor gives no other name to the same user. It has no capability.
      user: { uid: process.getuid?.() ?? user.id, gid: process.getgid?.() ?? user.id },
      args: egress === null ? command : egress.wrap(command),
      env: [],
      cwd: spec.cwd,
      capabilities: {},
      rlimits: [hard('RLIMIT_FSIZE', spec.limits.diskBytes), hard('RLIMIT_CORE', 0)],
      noNewPrivileges: true,
    },
    root: { path: 'rootfs', readonly: true },
    hostname: 'sandbox',
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc', options: ['ro'] },
      ...files.entries.flatMap((entry) => {
        if (entry.kind === 'link') return []
        if (entry.kind === 'empty')
          return [{ destination: entry.path, type: 'tmpfs', source: 'tmpfs', options: ['ro'] }]
        const options = ['rbind', entry.kind === 'show' ? 'ro' : 'rw']
        return [{ destination: entry.path, type: 'bind', source: entry.source, options }]
      }),
    ],
    linux: {
      namespaces: ['pid', 'mount', 'ipc', 'uts', 'network'].map((type) => ({ type })),
      seccomp: seccompProfile(),
    },
  }
}

async function start(
  spec: ExecutionSpec,
  files: SandboxFiles,
  bundle: string,
  place: CgroupPlace,
  ends: { stdout: number; stderr: number },
): Promise<Started> {
  const group = await makeCgroup(place, {
    memoryBytes: spec.limits.memoryBytes + ownMemoryBytes,
    processes: spec.limits.processes + ownProcesses,
  })
  const name = `assay-${process.pid}-${made++}`
  const runsc = ['runsc', '--root', join(spec.scratch, 'runsc'), '--network=none', '--ignore-cgroups', '--oci-seccomp']
  const steps = [
    ...group.doors.map((door) => `echo $$ >${quote(door)}`),
    ...files.mounts,
    `exec ${[...runsc, 'run', '--bundle', bundle, name].map(quote).join(' ')}`,
  ]
  // In a mount namespace of its own, so that no layer stays mounted when this process is killed.
  const script = withProtectedDevices(`exec unshare --mount -- sh -c ${quote(steps.join(' && '))}`)
  const child = withDescriptors(['ignore', ends.stdout, ends.stderr], (stdio) =>
    spawn('/bin/sh', ['-c', script], { env: systemEnvironment, cwd: '/', stdio }),
  )
  const ended = Promise.withResolvers<Awaited<Started['ended']>>()
  child.once('error', (error) => ended.resolve({ exitCode: null, problem: error.message }))
  // 128 is runsc's own failure.
  child.once('exit', (code) =>
    ended.resolve(
      code === 128 ? { exitCode: null, problem: 'gVisor could not start it' } : { exitCode: code, problem: null },
    ),
  )
  const terminate = () =>
    execFile('runsc', [...runsc.slice(1), 'kill', '--all', name, 'TERM'], { env: systemEnvironment }, () => undefined)
  return {
    ended: ended.promise,
    usage: () => group.usage(),
    pids: () => group.pids(),
    terminate,
    kill: async () => {
      await group.end()
      await ended.promise
    },
    close: () => group.remove(),
  }
}
