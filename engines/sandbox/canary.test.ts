import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { probeWithCanary } from './canary.ts'
import type { Executor } from './executor.ts'

/** A sandbox of bubblewrap with what the options make of it. */
function withHole(options: readonly string[]): Executor {
  const system = ['bin', 'lib', 'lib64', 'sbin'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`])
  return {
    name: 'bwrap',
    mounts: true,
    probe: async () => ({ usable: true, description: '' }),
    run: async ({ argv, volumes }, _signal, { stdout, stderr }) => {
      const words = [
        '--unshare-all',
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
      ]
      const workspace = ['--bind', volumes[0]?.upper ?? '', '/workspace', '--chdir', '/workspace']
      const ran = await promisify(execFile)('prlimit', [
        '--data=400000000',
        'bwrap',
        ...words,
        ...workspace,
        ...options,
        '--',
        ...argv,
      ]).then(
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

test('refuses a sandbox in which a file of the kernel can be opened for writing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-canary-test-'))
  const file = join(folder, 'file')
  await writeFile(file, 'as it was')
  // In the place of what the kernel has there, which no test may write to.
  const closed = withHole(['--remount-ro', '/proc'])
  const open = withHole(['--bind', file, '/proc/sys/kernel/core_pattern'])
  const signal = new AbortController().signal
  expect(await probeWithCanary(open, '', [], signal)).toMatchObject({
    usable: false,
    problem: expect.stringMatching(/opens \/proc\/\S+ of this machine for writing/),
  })
  // Further than that, to what else it does not limit.
  expect(await probeWithCanary(closed, '', [], signal)).toEqual({
    usable: false,
    problem: 'bwrap does not limit memory on this machine.',
  })
  await rm(folder, { recursive: true })
})
