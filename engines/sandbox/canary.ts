import { lstat, mkdir, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { ExecutionLimits, ExecutionOutcome, Executor, Probe } from './executor.ts'
import { makeTemporaryFolder, removeLeftFolders } from './left-folders.ts'
import { quote } from './shell.ts'

const mebibyte = 1024 * 1024
const limits: ExecutionLimits = {
  wallMs: 30_000,
  cpuMs: 30_000,
  memoryBytes: 128 * mebibyte,
  processes: 64,
  outputBytes: mebibyte,
  diskBytes: 64 * mebibyte,
  files: 2_000,
}

/** Runs commands that try forbidden actions, and reports those that succeed. */
export async function probeWithCanary(
  executor: Executor,
  description: string,
  hiddenPaths: readonly string[],
  signal: AbortSignal,
): Promise<Probe> {
  await removeLeftFolders()
  const folder = await makeTemporaryFolder('canary')
  const listener = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const { port } = listener.address() as AddressInfo
  try {
    const before = await changeOf(device)
    const escapes = await runCanary(executor, folder, escapeScript(port, [homedir(), ...hiddenPaths]), signal)
    if (escapes.outcome.reason !== 'ok' || !escapes.printed.includes('confined')) {
      return { usable: false, problem: describe(executor.name, escapes) }
    }
    if ((await changeOf(device)) !== before) {
      return {
        usable: false,
        problem: `${executor.name} does not confine commands on this machine: a command changed ${device}.`,
      }
    }
    const greed = await runCanary(
      executor,
      folder,
      'head -c 600000000 /dev/zero | tail -c 500000000 >/dev/null',
      signal,
    )
    if (greed.outcome.reason !== 'memory') {
      return {
        usable: false,
        problem: `${executor.name} does not limit memory on this machine. ${greed.outcome.message ?? ''}`.trim(),
      }
    }
    return { usable: true, description }
  } finally {
    listener.close()
    await rm(folder, { recursive: true, force: true })
  }
}

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
      argv: ['sh', '-c', script],
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
  return { outcome, printed: (await printed).join('\n') }
}

/** Makes a script that prints "confined", or fails with a line that names the escape. */
function escapeScript(port: number, invisible: readonly string[]): string {
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0')
  return [
    'fail() { echo "$1" >&2; exit 1; }',
    'ls / >/dev/null || fail "cannot list a folder"',
    'touch here || fail "cannot write to its own folder"',
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
  '    elif true 3>>"$file"; then fail "opens $file of this machine for writing" 2>&4',
  '    fi',
  '  done',
  '}',
  'look /proc/* 4>&2 2>/dev/null',
]

function describe(name: string, { outcome, printed }: CanaryResult): string {
  const said =
    printed
      .trim()
      .split('\n')
      .findLast((line) => line !== '') ?? ''
  if (outcome.reason === 'failed') return `${name} does not confine commands on this machine: a command ${said}.`
  return `${name} does not work on this machine: ${outcome.message ?? outcome.reason}${said === '' ? '' : ` (${said})`}`
}
