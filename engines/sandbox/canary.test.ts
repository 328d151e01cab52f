import { execFile } from 'node:child_process'
import { chmod, lstat, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { probeWithCanary } from './canary.ts'
import { createBwrapExecutor } from './bwrap.ts'
import type { Executor } from './executor.ts'
import { seccompArchitecture, seccompProgram } from './seccomp.ts'

/** A sandbox of bubblewrap that runs commands as they are, with what the options make of it. */
function withHole({ options = [], filter = allowed(), asUser = true }: Hole = {}): Executor {
  const system = ['bin', 'lib', 'lib64', 'sbin'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`])
  return {
    name: 'bwrap',
    mounts: true,
    probe: async () => ({ usable: true, description: '', gaps: [] }),
    run: async ({ argv, volumes, scratch }, signal, { stdout, stderr }) => {
      const program = join(scratch, 'filter')
      await writeFile(program, filter ?? '')
      const { uid } = await lstat(scratch)
      // Root of this machine can enter every folder; others enter by the descriptor.
      const user =
        asUser && uid === 0 ? ['setpriv', '--reuid', '1900300001', '--regid', '1900300001', '--clear-groups'] : []
      const workspace = volumes[0]?.upper ?? ''
      await chmod(workspace, 0o777)
      for (let at = workspace; at.startsWith(tmpdir()) && at !== tmpdir(); at = dirname(at)) await chmod(at, 0o777)
      const words = [
        '--unshare-all',
        '--die-with-parent',
        '--ro-bind',
        '/usr',
        '/usr',
        ...system,
        '--proc',
        '/proc',
        '--dev',
        '/dev',
        '--remount-ro',
        '/dev/full',
        '--bind',
        workspace,
        '/workspace',
        '--chdir',
        '/workspace',
        ...(filter === null ? [] : ['--seccomp', '9']),
      ]
      const bwrap = [...user, 'bwrap', ...words, ...options, '--', ...argv]
      const shell = ['-c', 'exec 9<"$0"; exec prlimit --data=400000000 "$@"', program, ...bwrap]
      const ran = await promisify(execFile)('sh', shell, { timeout: 20_000, signal }).then(
        (printed) => ({ code: 0, ...printed }),
        (error: { code: number; stdout: string; stderr: string }) => error,
      )
      stdout.write(ran.stdout)
      stderr.write(ran.stderr)
      const usage = { wallMs: 0, cpuMs: null, peakMemoryBytes: null }
      return { reason: ran.code === 0 ? 'ok' : 'failed', exitCode: ran.code, signal: null, message: null, usage }
    },
  }
}

interface Hole {
  options?: readonly string[]
  filter?: Buffer | null
  asUser?: boolean
}

const allowed = () => seccompProgram(seccompArchitecture() ?? 'x64')

/** The filter with one more call, at the place where it answers what is not in its table. */
function allowing(number: number): Buffer {
  const extra = Buffer.alloc(16)
  // Skips the answer unless the number is this one; then allows the call.
  extra.writeUInt16LE(0x15, 0)
  extra.writeUInt8(1, 3)
  extra.writeUInt32LE(number, 4)
  extra.writeUInt16LE(0x06, 8)
  extra.writeUInt32LE(0x7fff_0000, 12)
  // After the architecture was checked and the number was loaded.
  return Buffer.concat([allowed().subarray(0, 32), extra, allowed().subarray(32)])
}

const problemOf = async (executor: Executor) => {
  const probe = await probeWithCanary(executor, { description: '' }, [], new AbortController().signal)
  return probe.usable ? null : probe.problem
}
const closed = ['--remount-ro', '/proc', '--ro-bind', '/dev/null', '/proc/keys']
const isX64 = process.arch === 'x64'

test('refuses a sandbox in which a file of the kernel can be opened for writing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-canary-test-'))
  const file = join(folder, 'file')
  await writeFile(file, 'as it was')
  await chmod(folder, 0o777)
  await chmod(file, 0o666)
  // In the place of what the kernel has there, which no test may write to.
  const open = withHole({ options: ['--bind', file, '/proc/sys/kernel/core_pattern'] })
  expect(await problemOf(open)).toMatch(/opens \/proc\/\S+ of this machine for writing/)
  // Further than that, to what else it does not limit.
  expect(await problemOf(withHole({ options: closed }))).toBe('bwrap does not limit memory on this machine.')
  await rm(folder, { recursive: true })
})

test('accepts files that the null device hides, as Docker hides them', async () => {
  const hidden = ['--remount-ro', '/proc', '--dev-bind', '/dev/null', '/proc/keys']
  expect(await problemOf(withHole({ options: hidden }))).toBe('bwrap does not limit memory on this machine.')
})

test.each([
  ['keyctl', 250, 219],
  ['shmget', 29, 194],
  ['io_uring_setup', 425, 425],
  ['unshare of a user namespace', 272, 97],
  ['fcntl with F_SETLEASE', 72, 25],
  ['chmod with the setuid bit', 268, 53],
])('refuses a sandbox that lets commands use %s', async (name, x64, arm64) => {
  const problem = await problemOf(withHole({ options: closed, filter: allowing(isX64 ? x64 : arm64) }))
  expect(problem).toContain(`a command can use ${name}, which reaches past the sandbox`)
  expect(problem).toContain('set EXECUTOR to another sandbox')
})

test('refuses a sandbox without a filter of system calls', async () => {
  expect(await problemOf(withHole({ options: closed, filter: null }))).toContain(
    'runs without a filter of system calls',
  )
})

test.runIf(process.getuid?.() === 0)('refuses a sandbox whose commands are root outside of it', async () => {
  expect(await problemOf(withHole({ options: closed, asUser: false }))).toContain('runs as root of this machine')
})

test.each([
  ['memory', 'memory'],
  ['files', 'the number of files'],
])('refuses an executor that does not stop at its limit of %s', async (reason, what) => {
  const sound = createBwrapExecutor({ hostEnvironment: process.env, extraPaths: [], hiddenPaths: [], allowCidrs: [] })
  const careless: Executor = {
    ...sound,
    run: async (spec, signal, sink) => {
      const outcome = await sound.run(spec, signal, sink)
      return outcome.reason === reason ? { ...outcome, reason: 'ok' } : outcome
    },
  }
  expect(await problemOf(careless)).toContain(`bwrap does not limit ${what} on this machine.`)
})
