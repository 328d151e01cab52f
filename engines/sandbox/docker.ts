import { execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isErrno } from '../source/files.ts'
import { probeWithCanary } from './canary.ts'
import { environmentFile, environmentScript, withEnvironment } from './command-environment.ts'
import { withDescriptors } from './descriptors.ts'
import { openEgress, type Egress } from './egress.ts'
import type { ExecutionLimits, ExecutionOutcome, ExecutionSpec, Executor, OutputSink } from './executor.ts'
import { maxFileBytes } from './disk-usage.ts'
import { copyLayers } from './copy-layers.ts'
import { isSameProcess, ownMark, treeOf, watchProcesses } from './process-table.ts'
import type { SandboxOptions } from './sandbox-files.ts'
import { defaultUidRange, hasOwnUsers, takeSandboxUser } from './sandbox-users.ts'
import { seccompProfile } from './seccomp.ts'
import { giveTree } from './stage.ts'
import { brokenOutcome, supervise, type Started } from './supervise.ts'
import type { Usage } from './usage.ts'

export interface DockerOptions extends SandboxOptions {
  /** Holds the toolchains. Null: docker is not used. */
  image: string | null
}

/** Runs commands in containers of one image. The containers never see the socket of the engine. */
export function createDockerExecutor(options: DockerOptions): Executor {
  const { hostEnvironment } = options
  const executor: Executor = {
    name: 'docker',
    mounts: true,
    probe: async (signal) => {
      const problem = await findProblem(options, signal)
      if (problem !== null) return { usable: false, problem }
      return probeWithCanary(executor, { description: `docker, image ${options.image}` }, options.hiddenPaths, signal)
    },
    run: async (spec, signal, sink) => {
      try {
        return await run(options, spec, signal, sink, clientEnvironment(hostEnvironment))
      } catch (error) {
        return brokenOutcome(error)
      }
    },
  }
  return executor
}

async function findProblem({ image, hostEnvironment }: DockerOptions, signal: AbortSignal): Promise<string | null> {
  if (image === null) return 'docker needs an image with the toolchains (SANDBOX_IMAGE).'
  const docker = (...words: string[]) =>
    promisify(execFile)('docker', words, { env: clientEnvironment(hostEnvironment), signal, timeout: 15_000 })
  try {
    await docker('version', '--format', '{{.Server.Version}}')
    const { stdout } = await docker('ps', '--all', '--filter', `label=${ownLabel}`, '--format', '{{.Names}}')
    const left = leftContainers(stdout.split('\n'))
    if (left.length > 0) await docker('rm', '--force', ...left)
  } catch (error) {
    return isErrno(error, 'ENOENT')
      ? 'docker is not installed.'
      : 'docker is installed, but its engine does not answer.'
  }
  try {
    await docker('image', 'inspect', image)
    return null
  } catch {
    return `docker does not have the image ${image} (docker pull ${image}).`
  }
}

/** An engine may serve several machines, and this machine cannot see the processes of the others. */
const ownLabel = `assay.host=${hostname()}`

/** Selects the containers whose Assay process was killed, because the engine keeps them running. */
export function leftContainers(names: readonly string[]): string[] {
  return names.filter((name) => {
    const mark = /^assay-(\d+-\d+)-[0-9a-f-]{36}$/.exec(name)?.[1]
    return mark !== undefined && !isSameProcess(mark)
  })
}

/** What the client needs to find its engine. Containers get none of it. */
function clientEnvironment(host: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const names = [
    'PATH',
    'HOME',
    'DOCKER_HOST',
    'DOCKER_CONTEXT',
    'DOCKER_CONFIG',
    'DOCKER_CERT_PATH',
    'DOCKER_TLS_VERIFY',
  ]
  return Object.fromEntries(names.flatMap((name) => (host[name] === undefined ? [] : [[name, host[name]]])))
}

async function run(
  options: DockerOptions,
  spec: ExecutionSpec,
  signal: AbortSignal,
  sink: OutputSink,
  client: Record<string, string>,
): Promise<ExecutionOutcome> {
  await using egress =
    spec.network === 'internet' ? await openEgress(options.allowCidrs, options.hostEnvironment) : null
  using user = hasOwnUsers() ? await takeSandboxUser(options.uidRange ?? defaultUidRange) : null
  const own = ['home', 'tmp', 'shm'].map((name) => join(spec.scratch, name))
  for (const folder of own) await mkdir(folder, { recursive: true })
  for (const { lower, upper } of spec.volumes) if (upper !== null && lower.length > 0) await copyLayers(lower, upper)
  const uppers = spec.volumes.flatMap(({ upper }) => (upper === null ? [] : [upper]))
  const environment = join(spec.scratch, 'environment')
  await writeFile(environment, environmentScript(environmentOf(spec, egress)), { mode: 0o600 })
  await writeFile(join(spec.scratch, 'seccomp.json'), JSON.stringify(seccompProfile()))
  const name = `assay-${ownMark}-${randomUUID()}`
  const { uid = 1000, gid = 1000 } = user === null ? ownIds() : { uid: user.uid, gid: user.uid }
  const words = dockerArguments(name, options.image ?? '', spec, { egress, user: `${uid}:${gid}` })
  try {
    if (user !== null) for (const path of [...own, ...uppers, environment]) await giveTree(path, user.uid)
    return await supervise(spec, signal, sink, [...own, ...uppers], egress, (ends) =>
      start(name, words, client, spec.limits, ends),
    )
  } finally {
    if (user !== null) for (const path of uppers) await giveTree(path, user.storage)
  }
}

/** Not every system has ids of users. */
const ownIds = () => ({ uid: process.getuid?.(), gid: process.getgid?.() })

/** What `docker` is called with. The environment is in a file, because every user of this machine can read command lines. */
export function dockerArguments(
  name: string,
  image: string,
  spec: ExecutionSpec,
  { egress, user }: { egress: Egress | null; user: string },
): string[] {
  const { limits } = spec
  const command = withEnvironment(spec.argv)
  const own = (folder: string) => join(spec.scratch, folder)
  const mounts = [
    ...spec.volumes.map(({ path, lower, upper }) => ({
      source: upper ?? lower[0] ?? '',
      path,
      writable: upper !== null,
    })),
    { source: own('home'), path: '/home/runner', writable: true },
    { source: own('tmp'), path: '/tmp', writable: true },
    { source: own('shm'), path: '/dev/shm', writable: true },
    { source: own('environment'), path: environmentFile, writable: false },
    ...(egress?.files ?? []).map((file) => ({ ...file, writable: false })),
    ...(egress === null ? [] : [{ source: process.execPath, path: '/run/assay/bin/node', writable: false }]),
  ]
  const words = [
    ['run', '--rm', '--init', '--name', name, '--label', ownLabel, '--pull', 'never', '--log-driver', 'none'],
    ['--network', 'none', '--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
    ['--security-opt', `seccomp=${own('seccomp.json')}`],
    ['--user', user],
    ['--memory', String(limits.memoryBytes), '--memory-swap', String(limits.memoryBytes)],
    ['--pids-limit', String(limits.processes), '--ulimit', `fsize=${maxFileBytes(limits)}`, '--ulimit', 'core=0'],
    ['--workdir', spec.cwd, '--entrypoint', ''],
    mounts.flatMap(({ source, path, writable }) => [
      '--mount',
      [`type=bind`, `source=${source}`, `target=${path}`, ...(writable ? [] : ['readonly'])].map(csvField).join(','),
    ]),
    [image],
    egress === null ? command : egress.wrap(command),
  ]
  return words.flat()
}

function environmentOf(spec: ExecutionSpec, egress: Egress | null): Record<string, string> {
  return {
    HOME: '/home/runner',
    TMPDIR: '/tmp',
    LANG: 'C.UTF-8',
    CI: 'true',
    ...egress?.environment,
    ...spec.environment,
  }
}

function csvField(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

async function start(
  name: string,
  words: readonly string[],
  environment: Record<string, string>,
  limits: ExecutionLimits,
  ends: { stdout: number; stderr: number },
): Promise<Started> {
  const child = withDescriptors(['ignore', ends.stdout, ends.stderr], (stdio) =>
    spawn('docker', words, { env: environment, stdio }),
  )
  const docker = async (...more: string[]) => {
    const answer = await promisify(execFile)('docker', more, { env: environment }).catch(() => ({ stdout: '' }))
    return answer.stdout.trim()
  }
  let killed = false
  let outOfMemory = false
  const ended = Promise.withResolvers<Awaited<Started['ended']>>()
  child.once('error', (error) => ended.resolve({ exitCode: null, problem: error.message }))
  child.once('exit', (code) => {
    // Only the memory limit of the kernel and this executor end a container in this way.
    outOfMemory = code === 137 && !killed
    // 125 is docker's own failure, before the command was started.
    ended.resolve(
      code === 125 ? { exitCode: null, problem: 'docker could not start it' } : { exitCode: code, problem: null },
    )
  })

  let first = 0
  const look = watchProcesses(() => treeOf(first), limits)
  const usage = async (): Promise<Usage> => {
    if (first === 0) first = Number(await docker('inspect', '--format', '{{.State.Pid}}', name)) || 0
    const seen = first === 0 ? { cpuMs: null, peakMemoryBytes: null, exceeded: null } : look()
    return outOfMemory ? { ...seen, exceeded: 'memory' } : seen
  }
  return {
    ended: ended.promise,
    usage,
    pids: async () => (first === 0 ? [] : treeOf(first).map(({ pid }) => pid)),
    terminate: () => void docker('kill', '--signal', 'TERM', name),
    kill: async () => {
      killed = true
      await docker('rm', '--force', name)
      child.kill('SIGKILL')
      await ended.promise
    },
    close: async () => undefined,
  }
}
