import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createBwrapExecutor } from './bwrap.ts'
import { findCgroupPlace, removeLeftCgroups } from './cgroups.ts'
import { hasOwnUsers } from './sandbox-users.ts'
import { createBench, mebibyte, type Bench } from './testing.ts'

const options = { hostEnvironment: process.env, extraPaths: [], hiddenPaths: [], allowCidrs: [] }
const executor = createBwrapExecutor(options)
let bench: Bench

beforeAll(async () => {
  const probe = await executor.probe(new AbortController().signal)
  // Not skipped: without it nobody would notice that nothing was confined.
  if (!probe.usable) throw new Error(`These tests need bubblewrap. ${probe.problem}`)
  bench = await createBench(executor)
})
afterAll(() => bench[Symbol.asyncDispose]())

/** Of processes on this machine, in every namespace, whose command line holds the text. */
function running(text: string): string[] {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').includes(text)
    } catch {
      return false
    }
  })
}

/** The command line of a process that executes the script on its own. */
function runElsewhere({ folder, workspace }: Bench, script: string): string[] {
  const scratch = join(folder, 'scratch-elsewhere')
  const spec = {
    argv: ['bash', '-c', script],
    cwd: '/workspace',
    environment: {},
    volumes: [{ path: '/workspace', lower: [], upper: workspace }],
    network: 'none',
    limits: { wallMs: 1e6, cpuMs: 1e6, memoryBytes: 1e9, processes: 50, outputBytes: 1e6, diskBytes: 1e9, files: 1e6 },
    scratch,
  }
  const program = `
    import { mkdirSync, rmSync } from 'node:fs'
    import { createBwrapExecutor } from ${JSON.stringify(join(import.meta.dirname, 'bwrap.ts'))}
    rmSync(${JSON.stringify(scratch)}, { recursive: true, force: true })
    mkdirSync(${JSON.stringify(scratch)})
    const options = { hostEnvironment: process.env, extraPaths: [], hiddenPaths: [], allowCidrs: [] }
    await createBwrapExecutor(options).run(${JSON.stringify(spec)}, new AbortController().signal, process)`
  return [process.execPath, '--input-type=module-typescript', '-e', program]
}

test('runs a command in its folder, with a clean environment and the programs of this machine', async () => {
  process.env.ASSAY_TEST_SECRET = 'do-not-show'
  const run = await bench.run('echo hello > file; pwd; env; node --version; ls -A "$HOME" /tmp')
  expect(run).toMatchObject({ reason: 'ok', exitCode: 0, message: null })
  expect(run.stdout).toMatch(/^\/workspace\n/)
  expect(run.stdout).toMatch(/^v\d+/m)
  expect(run.stdout).not.toContain('do-not-show')
  expect(run.stdout).toContain('LANG=C.UTF-8\n')
  expect(run.stdout).toMatch(/\/home\/runner:\n\n\/tmp:\n$/)
  expect(await readFile(join(bench.workspace, 'file'), 'utf8')).toBe('hello\n')
})

test('keeps its limits where the command’s own PATH has programs of their names', async () => {
  const fake = '#!/bin/bash\nwhile [[ $1 == --* ]]; do shift; done\necho replaced\nexec "$@"\n'
  for (const name of ['prlimit', 'env', 'sh']) await writeFile(join(bench.workspace, name), fake, { mode: 0o755 })
  const { stdout, reason } = await bench.run('ulimit -f', { environment: { PATH: '/workspace:/usr/bin:/bin' } })
  expect(reason).toBe('ok')
  expect(stdout.trim()).toMatch(/^\d+$/)
})

test('starts its own programs without the variables of the command', async () => {
  const loaded = join(bench.workspace, 'loaded')
  await writeFile(join(bench.workspace, 'preload.cjs'), "require('fs').appendFileSync('/workspace/loaded', 'node\\n')")
  const fake = '#!/bin/sh\necho replaced >> /workspace/loaded\nexec /usr/bin/env "$@"\n'
  await writeFile(join(bench.workspace, 'env'), fake, { mode: 0o755 })
  const environment = {
    NODE_OPTIONS: '--require /workspace/preload.cjs',
    LD_PRELOAD: '/workspace/no-such.so',
    ENV: '/workspace/preload.cjs',
    IFS: '/w',
    QUOTED: `it's "$HOME" \\ $(id)\nand more\n`,
    PATH: '/workspace:/usr/local/bin:/usr/bin:/bin',
  }
  const script = 'printf "%s|%s|%s|" "$QUOTED" "$NODE_OPTIONS" "$LD_PRELOAD"; exec 3<>/dev/tcp/127.0.0.1/3128'
  const run = await bench.run(script, { environment, network: 'internet' })
  expect(run.reason).toBe('ok')
  expect(run.stdout).toBe(`${environment.QUOTED}|${environment.NODE_OPTIONS}|${environment.LD_PRELOAD}|`)
  expect(existsSync(loaded)).toBe(false)
  // Once for the shell of the command, and not for what ran before it.
  expect(run.stderr.match(/no-such\.so/g)?.length).toBe(1)
})

test('passes no variable or path to the sandbox as an option', async () => {
  const sneaked = '/\0--bind\0/\0/tmp/machine'
  const variable = await bench.run('ls /tmp/machine', { environment: { SNEAKED: sneaked } })
  expect(variable).toMatchObject({ reason: 'infra', stdout: '' })
  expect(variable.message).toContain('SNEAKED')
  expect(await bench.run('ls /tmp/machine', { cwd: sneaked })).toMatchObject({ reason: 'infra', stdout: '' })
})

test('tells how a command ended', async () => {
  expect(await bench.run('exit 3')).toMatchObject({ reason: 'failed', exitCode: 3, signal: null })
  expect(await bench.run('kill -SEGV $$')).toMatchObject({ reason: 'failed', signal: 'SIGSEGV' })
  const missing = await bench.run('', { argv: ['no-such-program'] })
  expect(missing).toMatchObject({ reason: 'failed', exitCode: 127 })
  expect(missing.stderr).toContain('no-such-program')
  const broken = await bench.run('true', { cwd: '/nowhere' })
  expect(broken.reason).toBe('infra')
  expect(broken.message).toContain('/nowhere')
})

test('lets scripts print to the devices of their output', async () => {
  const run = await bench.run('echo out > /dev/stdout; echo err > /dev/stderr')
  expect(run).toMatchObject({ reason: 'ok', stdout: 'out\n', stderr: 'err\n' })
})

test('runs the programs that tests consist of under its filter of system calls', async () => {
  const script = `
    node -e '
      const { Worker } = require("node:worker_threads")
      new Worker("require(\\"worker_threads\\").parentPort.postMessage(1)", { eval: true }).on("message", () => console.log("worker"))
      WebAssembly.instantiate(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])).then(() => console.log("wasm"))
      require("fs").watch(".").close()
      if ("lo" in require("os").networkInterfaces()) console.log("interfaces")'
    git init --quiet repository && cd repository && git -c user.name=x -c user.email=x commit --quiet --allow-empty -m x && git log --format=%s
    mkdir folder && tar cf folder.tar folder && tar xf folder.tar && cp -a folder copy && mkfifo pipe && chmod 1777 folder && echo files
    command -v python3 >/dev/null && python3 -c '
from multiprocessing import Pool, Queue
from multiprocessing.shared_memory import SharedMemory
with Pool(2) as pool: pool.map(abs, [1, 2])
memory = SharedMemory(create=True, size=100); memory.close(); memory.unlink()' && echo python || echo python`
  const run = await bench.run(script, { limits: { memoryBytes: 2048 * mebibyte } })
  expect(run.stdout.trim().split('\n').toSorted(), run.stderr).toEqual([
    'files',
    'interfaces',
    'python',
    'wasm',
    'worker',
    'x',
  ])
})

describe('a hostile command', () => {
  test('finds no secret in the environment of any process it sees', async () => {
    process.env.ASSAY_TEST_SECRET = 'do-not-show'
    const run = await bench.run('cat /proc/*/environ /proc/*/cmdline | tr "\\0" "\\n"; ls /proc | grep -c "^[0-9]"', {
      environment: { TOKEN: 'of-the-project' },
    })
    expect(run.stdout).not.toContain('do-not-show')
    expect(run.stdout).toContain('TOKEN=of-the-project')
    expect(Number(run.stdout.trim().split('\n').at(-1))).toBeLessThan(10)
  })

  test('hides the command and its environment from lists of processes', async () => {
    const run = bench.run('sleep 1', { environment: { TOKEN: 'of-the-project-81' } })
    await sleep(500)
    expect(running('of-the-project-81')).toEqual([])
    expect((await run).reason).toBe('ok')
  })

  test('does not reach a listener on the loopback of this machine', async () => {
    let connections = 0
    const server = createServer(() => connections++)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const connect = `(exec 3<>/dev/tcp/127.0.0.1/${port}) && echo connected`
    expect((await bench.run(connect)).stdout).toBe('')
    expect((await bench.run(connect, { network: 'internet' })).stdout).toBe('')
    const through = await bench.run(
      `exec 3<>/dev/tcp/127.0.0.1/3128; printf 'CONNECT 127.0.0.1:${port} HTTP/1.1\\r\\n\\r\\n' >&3; head -1 <&3`,
      { network: 'internet' },
    )
    expect(through.stdout).toContain('403')
    expect(connections).toBe(0)
    server.close()
  })

  test('is stopped when it repeats refused requests without an end, and the reason names the host', async () => {
    const ask =
      "exec 3<>/dev/tcp/127.0.0.1/3128 && printf 'CONNECT 127.0.0.1:1 HTTP/1.1\\r\\n\\r\\n' >&3 && read -r <&3"
    const run = await bench.run(`while :; do ${ask}; done`, { network: 'internet' })
    expect(run).toMatchObject({
      reason: 'network',
      message: expect.stringMatching(
        /^The command failed to connect 500 times\. The last reason: 127\.0\.0\.1 is .*OUTBOUND_ALLOW_CIDRS/,
      ),
    })
    expect((await bench.run(`for i in {1..20}; do ${ask}; done`, { network: 'internet' })).reason).toBe('ok')
  })

  test('reads neither accounts nor home folders nor keys, and writes nowhere else', async () => {
    const run = await bench.run(
      `cat /etc/shadow; ls -A ${homedir()}/.ssh; cat ${homedir()}/.npmrc ${homedir()}/.bash_history; ls ${import.meta.dirname};
       ls /etc/ssl/private /var/lib /run/docker.sock; touch /usr/x /etc/x /x /dev/x /proc/sys/kernel/x /root/x /run/x`,
    )
    expect(run.stdout).toBe('')
    expect(run.stderr.trim().split('\n').length).toBeGreaterThanOrEqual(14)
  })

  test('opens no file of the kernel for writing, and changes no device', async () => {
    const before = statSync('/dev/full').ctimeMs
    const run = await bench.run(
      `look() {
         for file in "$@"; do
           case "$file" in /proc/[0-9]*) continue ;; esac
           if [ -L "$file" ]; then continue; elif [ -d "$file" ]; then look "$file"/*
           elif true 3>>"$file"; then echo "opened $file"; fi
         done
       }
       look /proc/* 2>/dev/null
       for name in /dev/full /proc/self/fd/0; do chmod "$(stat -L -c %a $name)" $name && echo "changed $name"; done
       echo x > /dev/null && head -c 1 /dev/zero | wc -c; grep -o '^proc /proc proc ro' /proc/self/mounts`,
    )
    expect(run.stdout).toBe('1\nproc /proc proc ro\n')
    expect(statSync('/dev/full').ctimeMs).toBe(before)
  })

  test('has no capability, cannot gain one, and cannot create a namespace', async () => {
    const run = await bench.run(
      'grep -E "Cap(Eff|Prm|Bnd)|NoNewPrivs" /proc/self/status; unshare -U true; mount -t tmpfs x /tmp',
    )
    expect(run.stdout.replaceAll(/\s+/g, ' ')).toBe(
      'CapPrm: 0000000000000000 CapEff: 0000000000000000 CapBnd: 0000000000000000 NoNewPrivs: 1 ',
    )
    expect(run.stderr).toMatch(/unshare/)
    expect(run.reason).toBe('failed')
  })

  test('has no call of the kernel that reaches past the sandbox', async () => {
    const numbers = {
      x64: {
        keyctl: '250, 0, -3, 1',
        add_key: '248, S("user"), S("assay-test"), S("x"), 1, -4',
        request_key: '249, S("user"), S("assay-test"), 0, -4',
        shmget: '29, 0, 4096, 01600',
        semget: '64, 0, 1, 01600',
        msgget: '68, 0, 01600',
        userfaultfd: '323, 1',
        perf_event_open: '298, S("\\0" x 120), 0, -1, -1, 0',
        bpf: '321, 0, S("\\0" x 120), 120',
        io_uring_setup: '425, 1, S("\\0" x 120)',
        ptrace: '101, 0, 0, 0, 0',
        process_vm_readv: '310, $$, 0, 0, 0, 0, 0',
        unshare: '272, 0x10000000',
        mount: '165, S("x"), S("/tmp"), S("tmpfs"), 0, 0',
        fsopen: '430, S("tmpfs"), 0',
        open_tree: '428, -100, S("/tmp"), 1',
        'socket of vsock': '41, 40, 1, 0',
        'socket of alg': '41, 38, 5, 0',
        'socket of packet': '41, 17, 3, 0',
        'chmod setuid': '90, S("file"), 04755',
        'chmod setgid': '90, S("file"), 02755',
        'fchmodat setuid': '268, -100, S("file"), 04755',
        'fchmodat2 setuid': '452, -100, S("file"), 04755, 0',
        'open setuid': '2, S("made"), 0102, 04755',
        'mknod of a device': '133, S("device"), 020666, 0x103',
        'fcntl F_SETLEASE': '72, fileno(STDIN), 1024, 0',
        'ioctl TIOCSTI': '16, fileno(STDIN), 0x5412, S("x")',
        clone3: '435, 0, 0',
        openat2: '437, -100, S("file"), S("\\0" x 24), 24',
      },
      arm64: {
        keyctl: '219, 0, -3, 1',
        shmget: '194, 0, 4096, 01600',
        'socket of vsock': '198, 40, 1, 0',
        'fchmodat setuid': '53, -100, S("file"), 04755',
        'fcntl F_SETLEASE': '25, fileno(STDIN), 1024, 0',
        userfaultfd: '282, 1',
        clone3: '435, 0, 0',
      },
    }[process.arch as 'x64' | 'arm64']
    const tries = Object.entries(numbers).map(
      ([name, words]) => `$! = 0; $answer = syscall(${words}); printf "%s %d %d\n", "${name}", $answer, $!;`,
    )
    const run = await bench.run(
      `touch file; perl -e 'sub S { my $s = shift; $s } ${tries.join('\n')}' <file; stat -c %a file; ls`,
    )
    const missing = ['clone3', 'openat2']
    const expected = Object.keys(numbers).map((name) => `${name} -1 ${missing.includes(name) ? 38 : 1}`)
    expect(run.stdout.split('\n').slice(0, expected.length)).toEqual(expected)
    expect(run.stdout).toContain('\n644\n')
    expect(run.stdout).not.toMatch(/^(?:made|device)$/m)
  })

  test('inherits no descriptor, not even one that this process inherited itself', async () => {
    const inner = 'for fd in $(ls /proc/self/fd); do readlink /proc/self/fd/$fd; done; cat <&200'
    const parent = spawn('bash', [
      '-c',
      'exec 9</etc/passwd 200</etc/passwd; exec "$@"',
      'bash',
      ...runElsewhere(bench, inner),
    ])
    const [printed] = await Promise.all([text(parent.stdout), new Promise((resolve) => parent.once('exit', resolve))])
    expect(printed).toContain('/scratch-elsewhere/stdout')
    expect(printed).not.toMatch(/passwd|root:|socket/)
  })

  test('is stopped as a fork bomb', async () => {
    const run = await bench.run(':(){ :|:& };: ; sleep 10')
    expect(run).toMatchObject({
      reason: 'processes',
      message: 'The command started more than 64 processes and threads at once.',
    })
    // Before the command ended by itself.
    expect(run.usage.wallMs).toBeLessThan(10_000)
  })

  test('is stopped as a memory bomb', async () => {
    const run = await bench.run('head -c 2000000000 /dev/zero | tail -c 1900000000 > /dev/null')
    expect(run).toMatchObject({ reason: 'memory', message: 'The command used more than 512 MB of memory.' })
  })

  test('is stopped in an endless loop, by processor time and by the clock', async () => {
    const [cpu, wall] = await Promise.all([
      bench.run('while :; do :; done & while :; do :; done', { limits: { cpuMs: 600 } }),
      bench.run('sleep 60', { limits: { wallMs: 800 } }),
    ])
    expect(cpu).toMatchObject({ reason: 'cpu', message: 'The command used more than 0.6 s of processor time.' })
    expect(wall).toMatchObject({ reason: 'wall', message: 'The command ran for more than 0.8 s.' })
    expect(wall.usage.wallMs).toBeLessThan(60_000)
  })

  test('is killed if it ignores SIGTERM, and may write its report if it does not', async () => {
    // Both have time to set their traps, also on a busy machine.
    const [stubborn, polite] = await Promise.all([
      bench.run('trap "" TERM; echo $$; while :; do sleep 0.1; done', { limits: { wallMs: 2_000 } }),
      bench.run('trap "echo report; exit 0" TERM; while :; do sleep 0.1; done', { limits: { wallMs: 2_000 } }),
    ])
    expect(stubborn.reason).toBe('wall')
    expect(stubborn.usage.wallMs).toBeGreaterThan(3_500)
    expect(polite).toMatchObject({ reason: 'wall', stdout: 'report\n' })
  })

  test('leaves no process, however it hides one', async () => {
    const run = await bench.run(
      '(setsid nohup sleep 4711.1 >/dev/null 2>&1 &) ; sleep 4711.2 & disown; trap "" TERM HUP; exit 0',
    )
    expect(run.reason).toBe('ok')
    expect(running('sleep 4711.')).toEqual([])
  })

  test('is cut off after what it may print', async () => {
    const run = await bench.run('yes | head -c 209715200', { limits: { outputBytes: 100_000 } })
    expect(run).toMatchObject({ reason: 'output', message: 'The command printed more than 0.1 MB.' })
    expect(run.stdout.length + run.stderr.length).toBe(100_000)
  })

  test('is stopped when it fills the disk, with one file, many files or deleted files', async () => {
    const limits = { diskBytes: 32 * mebibyte }
    const many = 'while :; do head -c 4000000 /dev/zero > $RANDOM$RANDOM || exit; done'
    const removed = 'while :; do exec {fd}>x; rm x; head -c 8000000 /dev/zero >&$fd; done'
    const scripts = ['head -c 900000000 /dev/zero > file', many, removed, `cd /tmp; ${many}`, `cd /dev/shm; ${many}`]
    for (const script of scripts) {
      const run = await bench.run(script, { limits })
      expect(run, script).toMatchObject({ reason: 'disk', message: 'The command wrote more than 32 MB to the disk.' })
      await rm(bench.workspace, { recursive: true })
      await mkdir(bench.workspace)
    }
  })

  test('is stopped when it hides data in removed files that it has only mapped', async () => {
    const map = process.arch === 'x64' ? 9 : 222
    const run = await bench.run(
      `perl -e '
         my $data = "x" x 4_000_000;
         for (1..60) {
           open my $file, "+>", "file" or die; syswrite $file, $data;
           syscall(${map}, 0, 4_000_000, 1, 1, fileno $file, 0) > 0 or die; close $file; unlink "file";
           select undef, undef, undef, 0.05
         }
         sleep 20'`,
      { limits: { diskBytes: 32 * mebibyte } },
    )
    expect(run, run.stderr).toMatchObject({ reason: 'disk', message: 'The command wrote more than 32 MB to the disk.' })
  })

  test('is stopped when it creates many empty files', async () => {
    const run = await bench.run(`perl -e 'for (1..200_000) { open F, ">f$_" or die } sleep 20'`, {
      limits: { files: 5_000 },
    })
    expect(run).toMatchObject({ reason: 'files', message: 'The command created more than 5,000 files and folders.' })
    await rm(bench.workspace, { recursive: true })
    await mkdir(bench.workspace)
  })

  test('ends when it is cancelled, before and while it runs', async () => {
    const running = new AbortController()
    const ended = bench.run('touch started; sleep 4712', { signal: running.signal })
    await vi.waitFor(() => expect(existsSync(join(bench.workspace, 'started'))).toBe(true), 10_000)
    running.abort()
    const run = await ended
    expect(run).toMatchObject({ reason: 'cancelled', message: 'The command was cancelled.' })
    expect((await bench.run('echo x', { signal: AbortSignal.abort() })).reason).toBe('cancelled')
  })
})

test('shows layers as one folder and writes to the upper one alone', async () => {
  const [base, middle, upper] = ['base', 'middle', 'upper'].map((name) => join(bench.folder, name)) as [
    string,
    string,
    string,
  ]
  for (const folder of [base, middle, upper]) await mkdir(folder)
  await writeFile(join(base, 'kept'), 'base')
  await writeFile(join(base, 'hidden'), 'base')
  await writeFile(join(base, 'removed'), 'base')
  await writeFile(join(middle, 'hidden'), 'middle')
  const volumes = [
    { path: '/workspace', lower: [middle, base], upper },
    { path: '/layers', lower: [middle, base], upper: null },
    { path: '/workspace/base', lower: [base], upper: null },
  ]
  const run = await bench.run(
    'cat kept hidden; echo changed > kept; rm removed; ls; cat /layers/kept base/kept; touch /layers/x base/x',
    { volumes },
  )
  expect(run.stdout).toBe('basemiddlebase\nhidden\nkept\nbasebase')
  expect(run.reason).toBe('failed')
  expect(await readdir(base)).toEqual(['hidden', 'kept', 'removed'])
  expect(await readFile(join(base, 'kept'), 'utf8')).toBe('base')
  expect(await readFile(join(upper, 'kept'), 'utf8')).toBe('changed\n')
  const again = await bench.run('ls', { volumes })
  expect(again.stdout).toBe('base\nhidden\nkept\n')
})

test('enforces limits by polling where the kernel has no cgroups', async () => {
  await using watched = await createBench(createBwrapExecutor({ ...options, cgroups: false }))
  const memory = await watched.run('head -c 2000000000 /dev/zero | tail -c 1900000000 > /dev/null')
  expect(memory.reason).toBe('memory')
  const hidden = await watched.run(`perl -e '
    sub S { my $s = shift; $s } my $data = "x" x 50_000_000;
    for (1..40) { my $fd = syscall(${process.arch === 'x64' ? 319 : 279}, S("x"), 0); open my $f, ">&=", $fd; syswrite $f, $data; push @held, $f; select undef, undef, undef, 0.05 } sleep 20'`)
  expect(hidden, hidden.stderr).toMatchObject({ reason: 'memory' })
  const processes = await watched.run('for i in $(seq 80); do sleep 60 & done; wait')
  expect(processes.reason).toBe('processes')
  const cpu = await watched.run('while :; do :; done', { limits: { cpuMs: 500 } })
  expect(cpu.reason).toBe('cpu')
})

test('says what this machine lacks, and what Assay does instead', async () => {
  const { signal } = new AbortController()
  const lacking = await createBwrapExecutor({ ...options, cgroups: false, identityMaps: false }).probe(signal)
  const users = hasOwnUsers() ? 'so each command copies the layers' : 'Sandboxes run as the user of Assay'
  expect(lacking).toMatchObject({
    usable: true,
    gaps: [expect.stringContaining('may not create cgroups here'), expect.stringContaining(users)],
  })
})

test('ends with the process that started it, and the next start removes what it left', async () => {
  const script = '(setsid sleep 4713 &); trap "" TERM; echo started; sleep 4713'
  const [node = '', ...words] = runElsewhere(bench, script)
  const parent = spawn(node, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise((resolve) => parent.stdout.once('data', resolve))
  await vi.waitFor(() => expect(running('sleep 4713').length).toBeGreaterThan(0), 10_000)
  parent.kill('SIGKILL')
  await new Promise((resolve) => parent.once('exit', resolve))
  await vi.waitFor(() => expect(running('sleep 4713')).toEqual([]), 10_000)

  const place = await findCgroupPlace()
  if (place) {
    const parents = place.version === 1 ? [place.memory, place.pids] : [place.folder]
    const left = () =>
      parents.flatMap((path) => readdirSync(path)).filter((name) => name.startsWith(`assay-${parent.pid}-`))
    expect(left().length).toBeGreaterThan(0)
    await removeLeftCgroups(place)
    expect(left()).toEqual([])
  }
})

test('leaves nothing behind on this machine', async () => {
  await bench.run('true', { network: 'internet' })
  const place = await findCgroupPlace()
  if (place) {
    const parents = place.version === 1 ? [place.memory, place.pids] : [place.folder]
    const own = parents.flatMap((path) => readdirSync(path)).filter((name) => name.startsWith(`assay-${process.pid}-`))
    expect(own).toEqual([])
  }
  expect(statSync(bench.folder).isDirectory() && existsSync(bench.workspace)).toBe(true)
  expect(await readdir(bench.folder)).not.toContain('scratch-0')
})
