import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { lstat, mkdir, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { EndReason, ExecutionLimits, ExecutionOutcome, Executor, Probe } from './executor.ts'
import { forbiddenCallsCommand } from './forbidden-calls.ts'
import { makeTemporaryFolder, removeLeftFolders } from './left-folders.ts'
import { seccompArchitecture } from './seccomp.ts'
import { quote } from './shell.ts'

const mebibyte = 1024 * 1024
const limits: ExecutionLimits = {
  wallMs: 30_000,
  cpuMs: 30_000,
  memoryBytes: 128 * mebibyte,
  processes: 64,
  outputBytes: mebibyte,
  diskBytes: 64 * mebibyte,
  files: 300,
}

/** What shows whether a limit is enforced: a command that exceeds it at once. */
const greedy: Partial<Record<EndReason, { what: string; script: string }[]>> = {
  memory: [{ what: 'memory', script: 'head -c 600000000 /dev/zero | tail -c 500000000 >/dev/null' }],
  files: [{ what: 'the number of files', script: `i=0; while [ $i -lt 3000 ]; do : >f$i; i=$((i+1)); done; sleep 20` }],
  disk: [{ what: 'removed files', script: 'exec 3>f; rm f; head -c 200000000 /dev/zero >&3; sleep 20' }],
}

/** Runs commands that try forbidden actions, and reports those that succeed. */
export async function probeWithCanary(
  executor: Executor,
  { description, gaps = [] }: { description: string; gaps?: string[] },
  hiddenPaths: readonly string[],
  signal: AbortSignal,
): Promise<Probe> {
  await removeLeftFolders()
  const folder = await makeTemporaryFolder('canary')
  const listener = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const { port } = listener.address() as AddressInfo
  const run: Run = (script, stop) =>
    runCanary(executor, folder, script, stop ? AbortSignal.any([signal, stop]) : signal)
  try {
    const problem =
      (await findEscape(executor.name, run, escapeScript(port, [homedir(), ...hiddenPaths]))) ??
      (await findExcess(executor.name, run))
    return problem === null ? { usable: true, description, gaps } : { usable: false, problem }
  } finally {
    listener.close()
    await rm(folder, { recursive: true, force: true })
  }
}

type Run = (script: string, stop?: AbortSignal) => Promise<CanaryResult>

async function findEscape(name: string, run: Run, script: string): Promise<string | null> {
  const escaped = (how: string) =>
    `${name} does not confine commands on this machine: a command ${how}. Update it and the kernel, or set EXECUTOR to another sandbox.`
  const before = await changeOf(device)
  const [result, users] = await watchUsers(run(script))
  if (result.outcome.reason !== 'ok' || !result.printed.includes('confined')) {
    return result.outcome.reason === 'failed' ? escaped(lastLine(result)) : describe(name, result)
  }
  if ((await changeOf(device)) !== before) return escaped(`changed ${device}`)
  if (users.has(0)) return escaped('runs as root of this machine')
  const { mode } = await lstat(join(result.workspace, 'here'))
  return (mode & 0o6000) === 0 ? null : escaped('left a program that runs as its owner')
}

/** All at once, because each takes as long as it takes to look. The first problem stops the others. */
async function findExcess(name: string, run: Run): Promise<string | null> {
  const stop = new AbortController()
  const tries = Object.entries(greedy).flatMap(([reason, commands]) =>
    commands.map(async ({ what, script }) => {
      const { outcome } = await run(script, stop.signal)
      if (outcome.reason === reason || stop.signal.aborted) return null
      return `${name} does not limit ${what} on this machine. ${outcome.message ?? ''}`.trim()
    }),
  )
  try {
    for (const attempt of tries) {
      const problem = await attempt
      if (problem !== null) return problem
    }
    return null
  } finally {
    stop.abort()
    await Promise.allSettled(tries)
  }
}

/** Looks which users of this machine the processes of the canary run as, where the machine shows them. */
async function watchUsers<T>(running: Promise<T>): Promise<[T, Set<number>]> {
  const users = new Set<number>()
  if (process.platform !== 'linux') return [await running, users]
  const seen = new Set<string>(readdirSync('/proc'))
  const timer = setInterval(() => {
    for (const name of readdirSync('/proc')) if (!seen.has(name) && addUser(users, name)) seen.add(name)
  }, lookEveryMs)
  try {
    return [await running, users]
  } finally {
    clearInterval(timer)
  }
}

const lookEveryMs = 50

/** Returns true if there is no need to look at the process again. */
function addUser(users: Set<number>, pid: string): boolean {
  try {
    // What starts the sandbox becomes what runs in it.
    if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(canaryMark)) return false
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    // In a further namespace: not what starts the sandbox.
    if (!/^NSpid:\s+\d+\s+\d+/m.test(status)) return false
    users.add(Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]))
  } catch {
    // It has ended.
  }
  return true
}

/** In the command lines of canaries of this process. */
const canaryMark = `assay-canary-${randomUUID()}`

const device = '/dev/full'

/** Returns when the permissions or the owner last changed. */
async function changeOf(path: string): Promise<number> {
  return lstat(path).then(
    ({ ctimeMs }) => ctimeMs,
    () => 0,
  )
}

interface CanaryResult {
  outcome: ExecutionOutcome
  printed: string
  /** The folder that the command could write to. */
  workspace: string
}

let runs = 0

async function runCanary(
  executor: Executor,
  folder: string,
  script: string,
  signal: AbortSignal,
): Promise<CanaryResult> {
  const scratch = join(folder, `scratch-${runs}`)
  const workspace = join(folder, `workspace-${runs++}`)
  await Promise.all([mkdir(scratch), mkdir(workspace)])
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  const printed = Promise.all([text(stdout), text(stderr)])
  const outcome = await executor.run(
    {
      argv: ['sh', '-c', script, canaryMark],
      cwd: '/workspace',
      environment: {},
      volumes: [{ path: '/workspace', lower: [], upper: workspace }],
      network: 'none',
      limits,
      scratch,
    },
    signal,
    { stdout, stderr },
  )
  stdout.end()
  stderr.end()
  return { outcome, printed: (await printed).join('\n'), workspace }
}

/** Makes a script that prints "confined", or fails with a line that names the escape. */
function escapeScript(port: number, invisible: readonly string[]): string {
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0')
  return [
    'fail() { echo "$1" >&2; exit 1; }',
    'ls / >/dev/null || fail "cannot list a folder"',
    'touch here || fail "cannot write to its own folder"',
    `grep -q '^Seccomp:.*2$' /proc/self/status || fail "runs without a filter of system calls"`,
    ...(architecture === undefined ? [] : [`open=$(${forbiddenCallsCommand(architecture)})`, openCalls]),
    'if chmod 4755 here 2>/dev/null; then fail "makes a program that runs as its owner"; fi',
    '[ -z "$(cat /proc/keys 2>/dev/null)" ] || fail "sees the keys of this machine"',
    `[ ! -d /proc/${process.pid} ] || [ "$(readlink /proc/${process.pid}/exe)" != ${quote(process.execPath)} ] || fail "sees processes of this machine"`,
    'if (echo x > /usr/assay-canary) 2>/dev/null; then fail "writes outside its folders"; fi',
    // Sets the same permissions again; the host sees whether that changed its device.
    `chmod "$(stat -c %a ${device})" ${device} 2>/dev/null`,
    ...openKernelFiles,
    'if (cat /etc/shadow) >/dev/null 2>&1; then fail "reads the accounts of this machine"; fi',
    `if grep -qi ":${hexPort} " /proc/net/tcp 2>/dev/null; then fail "sees the network of this machine"; fi`,
    `if command -v node >/dev/null; then node -e 'require("net").connect(${port}, "127.0.0.1").on("connect", () => process.exit(1)).on("error", () => process.exit(0))' || fail "reaches the loopback of this machine"; fi`,
    // A home folder may be visible for its toolchains, but without files of its user.
    ...invisible.map(
      (path) =>
        `for name in ${quote(path)}/* ${quote(path)}/.ssh ${quote(path)}/.npmrc ${quote(path)}/.bash_history; do [ ! -e "$name" ] || fail "sees $name"; done`,
    ),
    'echo confined',
  ].join('\n')
}

const architecture = seccompArchitecture()
const openCalls = '[ -z "$open" ] || fail "can use $(echo "$open" | head -n 1), which reaches past the sandbox"'

/**
 * Opens for writing, and closes, what of the kernel is not about one process; it never writes. What is written to
 * /proc/pressure affects only its writer.
 */
const openKernelFiles = [
  'look() {',
  '  for file in "$@"; do',
  '    case "$file" in /proc/[0-9]* | /proc/pressure) continue ;; esac',
  '    if [ -L "$file" ]; then continue',
  '    elif [ -d "$file" ]; then look "$file"/*',
  // Docker hides files behind the null device, to which everybody may write.
  '    elif [ -c "$file" ] && [ "$(stat -c %t:%T "$file")" = 1:3 ]; then continue',
  '    elif true 3>>"$file"; then fail "opens $file of this machine for writing" 2>&4',
  '    fi',
  '  done',
  '}',
  'look /proc/* 4>&2 2>/dev/null',
]

function describe(name: string, result: CanaryResult): string {
  const said = lastLine(result)
  const { message, reason } = result.outcome
  return `${name} does not work on this machine: ${message ?? reason}${said === '' ? '' : ` (${said})`}`
}

function lastLine({ printed }: CanaryResult): string {
  return (
    printed
      .trim()
      .split('\n')
      .findLast((line) => line !== '') ?? ''
  )
}
