import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { createBwrapExecutor } from './bwrap.ts'
import { defaultUidRange, hasOwnUsers, problemOfRange, takeSandboxUser } from './sandbox-users.ts'
import { createBench, type Bench } from './testing.ts'

const options = { hostEnvironment: process.env, extraPaths: [], hiddenPaths: [], allowCidrs: [] }

/** The users of the processes of this machine whose command line has the text. */
function usersRunning(text: string): number[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      if (!/^\d+$/.test(name) || readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() !== text)
        return []
      return [Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1])]
    } catch {
      return []
    }
  })
}

async function folders<Name extends string>({ folder }: Bench, ...names: Name[]): Promise<Record<Name, string>> {
  const made = Object.fromEntries(names.map((name) => [name, join(folder, name)])) as Record<Name, string>
  for (const name of names) await mkdir(made[name], { mode: 0o700 })
  return made
}

/** Ordinary users cannot give sandboxes users of their own, which `assay doctor` says. */
describe.runIf(hasOwnUsers()).each([true, false])('with mounts that show other owners: %s', (identityMaps) => {
  const executor = createBwrapExecutor({ ...options, identityMaps })

  test('runs each sandbox as a user that nobody else is', async () => {
    await using bench = await createBench(executor)
    const { one, two } = await folders(bench, 'one', 'two')
    const done = new AbortController()
    const [first, second] = [one, two].map((upper, index) =>
      bench.run(`exec sleep 4720.${index}`, {
        volumes: [{ path: '/workspace', lower: [], upper }],
        signal: done.signal,
      }),
    )
    const users = await vi.waitFor(() => {
      const found = [0, 1].map((index) => usersRunning(`sleep 4720.${index}`)[0] ?? 0)
      expect(Math.min(...found)).toBeGreaterThan(defaultUidRange.first)
      return found
    }, 10_000)
    expect(users[0]).not.toBe(users[1])
    expect(Math.max(...users)).toBeLessThanOrEqual(defaultUidRange.last)
    done.abort()
    await Promise.all([first, second])
  })

  test('lets a sandbox change what the host and other sandboxes wrote, in its own layer', async () => {
    await using bench = await createBench(executor)
    const { checkout, install, test } = await folders(bench, 'checkout', 'install', 'test')
    await mkdir(join(checkout, 'folder'))
    await writeFile(join(checkout, 'folder/file'), 'of the host', { mode: 0o600 })
    await symlink('folder', join(checkout, 'link'))
    const work = (lower: string[], upper: string) => ({ volumes: [{ path: '/workspace', lower, upper }] })
    const installed = await bench.run('umask 077; mkdir deps; echo installed > deps/file', work([checkout], install))
    expect(installed, installed.stderr).toMatchObject({ reason: 'ok' })
    const run = await bench.run(
      `cat folder/file; echo changed > deps/file; chmod 755 deps; touch -d @0 link/file; rm folder/file; stat -c %U . deps link;
       echo out > /dev/stdout; touch /tmp/x /dev/shm/x ~/x`,
      work([install, checkout], test),
    )
    expect(run, run.stderr).toMatchObject({ reason: 'ok', stdout: 'of the hostrunner\nrunner\nrunner\nout\n' })
    expect(await readFile(join(checkout, 'folder/file'), 'utf8')).toBe('of the host')
    expect(await readFile(join(install, 'deps/file'), 'utf8')).toBe('installed\n')
    expect(await readFile(join(test, 'deps/file'), 'utf8')).toBe('changed\n')
    // On disk nothing belongs to a user that a process runs as.
    for (const path of [install, join(install, 'deps/file'), join(test, 'deps')]) {
      expect(statSync(path).uid, path).toBe(defaultUidRange.first)
    }
  })

  test('gives no user of this machine a program that runs as another', async () => {
    await using bench = await createBench(executor)
    const run = await bench.run(
      `cp /bin/true shell; chmod 755 shell; chmod 4755 shell; chmod 2755 shell; cp -a shell x`,
    )
    expect(run.stderr).toContain('changing permissions')
    for (const name of ['shell', 'x']) {
      const { mode, uid } = statSync(join(bench.workspace, name))
      expect([mode & 0o7777, uid]).toEqual([0o755, defaultUidRange.first])
    }
  })

  test('has limits per user of its own', async () => {
    // As much as one user of the machine may have.
    const most = Number(readFileSync('/proc/sys/fs/inotify/max_user_instances', 'utf8'))
    await using bench = await createBench(executor)
    const { one, two } = await folders(bench, 'one', 'two')
    const script = (count: number, more: string) =>
      `perl -e 'for (1..${count}) { syscall(${process.arch === 'x64' ? 294 : 26}, 0) >= 0 or exit 3 } print "made"; ${more}'`
    const done = new AbortController()
    const holding = bench.run(script(most, 'mkdir "made"; sleep 60'), {
      volumes: [{ path: '/workspace', lower: [], upper: one }],
      signal: done.signal,
    })
    await vi.waitFor(() => expect(existsSync(join(one, 'made'))).toBe(true), 10_000)
    const modest = await bench.run(script(most, ''), { volumes: [{ path: '/workspace', lower: [], upper: two }] })
    done.abort()
    await holding
    expect(modest).toMatchObject({ reason: 'ok', stdout: 'made' })
  })
})

describe.runIf(hasOwnUsers())('users for sandboxes', () => {
  test('are given to one holder, also where several processes take them', async () => {
    const range = { first: 1_900_100_000, last: 1_900_100_002 }
    const script = `
      import { takeSandboxUser } from ${JSON.stringify(join(import.meta.dirname, 'sandbox-users.ts'))}
      const taken = []
      try { for (;;) taken.push((await takeSandboxUser(${JSON.stringify(range)})).uid) } catch {}
      console.log(JSON.stringify(taken))`
    const elsewhere = () =>
      spawnSync(process.execPath, ['--input-type=module-typescript', '-e', script], { encoding: 'utf8' }).stdout.trim()
    // A process that ended, however it did, holds none.
    expect(elsewhere()).toBe('[1900100001,1900100002]')
    using first = await takeSandboxUser(range)
    expect(elsewhere()).toBe('[1900100002]')
    {
      using second = await takeSandboxUser(range)
      expect([first.uid, second.uid]).toEqual([1_900_100_001, 1_900_100_002])
      await expect(takeSandboxUser(range)).rejects.toThrow('SANDBOX_UID_RANGE')
    }
    using third = await takeSandboxUser(range)
    expect(third.uid).toBe(1_900_100_002)
  })

  test('are not given while a process of a killed holder runs', async () => {
    const range = { first: 1_900_200_000, last: 1_900_200_002 }
    const words = ['--reuid', '1900200001', '--regid', '1900200001', '--clear-groups', 'sleep', '4721']
    const left = spawn('setpriv', words)
    await vi.waitFor(() => expect(usersRunning('sleep 4721')).toEqual([1_900_200_001]), 5_000)
    using user = await takeSandboxUser(range)
    expect(user.uid).toBe(1_900_200_002)
    left.kill('SIGKILL')
  })

  test('must be ids that this container has', async () => {
    expect(await problemOfRange(defaultUidRange)).toBeNull()
    expect(await problemOfRange({ first: 4_294_967_290, last: 4_294_967_300 })).toContain('SANDBOX_UID_RANGE')
  })
})
