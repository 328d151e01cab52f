import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { isErrno } from './files.ts'

export type GitSetting = readonly [key: string, value: string]

export interface GitCommand {
  args: readonly string[]
  signal: AbortSignal
  /** Absent for commands that need no repository. */
  gitDir?: string
  cwd?: string
  settings?: readonly GitSetting[]
  environment?: Record<string, string | undefined>
  /** What the command may reach. Absent: nothing, not even another repository of this machine. */
  network?: { protocol: 'https' | 'http'; maxFileBytes: number }
  /** For commands that read what a stranger sent. The system enforces them where it has the program for it. */
  bounds?: { maxFileBytes: number; maxMemoryBytes: number; maxCpuSeconds: number }
}

/** A running git. Disposing of it kills it and all that it started. */
export interface GitProcess extends AsyncDisposable {
  stdin: Writable
  stdout: Readable
  /**
   * Waits for its end and returns its warnings; rejects with the reason of an abort, or with a GitError unless it
   * succeeded.
   */
  succeed(): Promise<string>
}

/** Git ended with a failure. What it said may hold anything that a server sent: see `errors.ts` before showing it. */
export class GitError extends Error {
  override name = 'GitError'
  readonly stderr: string
  readonly exitCode: number | null
  /** The name of the signal that ended it. */
  readonly signal: string | null
  constructor(command: string, exitCode: number | null, signal: string | null, stderr: string) {
    super(`git ${command} ended with ${signal ?? exitCode}`)
    this.exitCode = exitCode
    this.signal = signal
    this.stderr = stderr
  }
}

// 2.37 brought http.curloptResolve; an older git would quietly look the host up again.
const oldestGit = [2, 37] as const
const maxStderr = 8_192
const maxOutput = 16 * 2 ** 20
const maxMemory = 8 * 2 ** 30

/** Nothing that a repository or its server can say makes git start a program, leave its directory or keep running. */
const safety: readonly GitSetting[] = [
  ['protocol.allow', 'never'],
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.untrackedCache', 'false'],
  ['core.symlinks', 'false'],
  ['core.attributesFile', '/dev/null'],
  ['core.pager', 'cat'],
  ['core.editor', 'false'],
  ['core.sshCommand', 'false'],
  ['core.alternateRefsCommand', 'false'],
  ['core.askPass', ''],
  ['gpg.program', 'false'],
  ['log.showSignature', 'false'],
  ['credential.helper', ''],
  ['fetch.recurseSubmodules', 'false'],
  ['submodule.recurse', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
]

/** Starts git without a shell, without the user's and the machine's settings and without what the environment holds. */
export async function startGit(command: GitCommand): Promise<GitProcess> {
  await gitIsUsable()
  command.signal.throwIfAborted()
  const launcher = await confinement(command)
  const [program = 'git', ...args] = [...launcher, 'git', ...command.args]
  // Its own process group, so that helpers such as git-remote-https can be killed with it.
  const child = spawn(program, args, {
    cwd: command.cwd ?? '/',
    env: environmentOf(command),
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  const end = watch(child)
  // `succeed` reports a failure to start. Until it is called, the output may still be read.
  end.catch(() => undefined)
  const kill = () => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch (error) {
      if (!isErrno(error, 'ESRCH')) throw error
    }
  }
  command.signal.addEventListener('abort', kill)
  // The signal may have been aborted while the launcher was looked for.
  if (command.signal.aborted) kill()

  return {
    stdin: child.stdin,
    stdout: child.stdout,
    async succeed() {
      const { exitCode, signal, stderr } = await end
      command.signal.throwIfAborted()
      if (exitCode !== 0) throw new GitError(command.args[0] ?? '', exitCode, signal, stderr)
      return stderr
    },
    async [Symbol.asyncDispose]() {
      command.signal.removeEventListener('abort', kill)
      kill()
      child.stdin.destroy()
      child.stdout.destroy()
      await end.catch(() => undefined)
    },
  }
}

/** Runs git to its end and returns what it printed. For short output; stream what can be long. */
export async function runGit(command: GitCommand, input: Readable | string = ''): Promise<string> {
  await using git = await startGit(command)
  if (typeof input === 'string') git.stdin.end(input)
  // Git may end before it has read everything; a failure of the input itself leaves it without an end of what it reads.
  else pipeline(input, git.stdin).catch(() => undefined)
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of git.stdout as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > maxOutput) throw new GitError(command.args[0] ?? '', null, null, 'fatal: the answer does not end')
  }
  await git.succeed()
  return Buffer.concat(chunks).toString()
}

async function watch(child: ChildProcessByStdio<Writable, Readable, Readable>) {
  let stderr = ''
  child.stderr.setEncoding('utf8')
  child.stderr.on('data', (text: string) => {
    stderr = (stderr + text).slice(-maxStderr)
  })
  // Git may end before it has read everything; its exit code says whether that was a failure.
  child.stdin.on('error', () => undefined)
  const [[exitCode, signal]] = await Promise.all([once(child, 'exit'), once(child.stderr, 'close')])
  return { exitCode: exitCode as number | null, signal: signal as string | null, stderr }
}

function environmentOf(command: GitCommand): Record<string, string | undefined> {
  const settings = [...safety, ...(command.settings ?? [])]
  if (command.network) settings.push([`protocol.${command.network.protocol}.allow`, 'always'])
  return {
    // The one thing taken over: where git and the certificates of this machine are.
    ...inherited('PATH', 'SSL_CERT_FILE', 'SSL_CERT_DIR'),
    // Not a directory, so it cannot contain a .netrc or a .gitconfig.
    HOME: '/dev/null',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    GIT_ALLOW_PROTOCOL: command.network?.protocol ?? 'none',
    GIT_PROTOCOL_FROM_USER: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_LITERAL_PATHSPECS: '1',
    // Packs can claim objects of any size.
    GIT_ALLOC_LIMIT: '512m',
    ...(command.gitDir === undefined ? {} : { GIT_DIR: command.gitDir }),
    ...command.environment,
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  }
}

function inherited(...names: string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** Limits on files, memory and time, and death together with us, where the system has the programs and allows them. */
async function confinement({ network, bounds }: GitCommand): Promise<string[]> {
  const limits = bounds
    ? [`--fsize=${bounds.maxFileBytes}`, `--as=${bounds.maxMemoryBytes}`, `--cpu=${bounds.maxCpuSeconds}`]
    : network && [`--fsize=${Math.floor(network.maxFileBytes)}`, `--as=${maxMemory}`]
  if (!limits) return []
  const [limited, death, nice] = await (launchers ??= Promise.all([
    works('prlimit', [`--fsize=${2 ** 40}`, `--as=${maxMemory}`, 'true']),
    works('setpriv', [...dieWithUs, 'true']),
    works('nice', [...afterOthers, 'true']),
  ]))
  return [
    ...(limited ? ['prlimit', ...limits] : []),
    ...(death ? ['setpriv', ...dieWithUs] : []),
    ...(nice && bounds ? ['nice', ...afterOthers] : []),
  ]
}

const dieWithUs = ['--pdeathsig', 'KILL']
/** The work of a stranger may not slow down that of others. */
const afterOthers = ['-n', '10']
let launchers: Promise<[boolean, boolean, boolean]> | undefined

const works = (program: string, args: string[]): Promise<boolean> =>
  promisify(execFile)(program, args).then(
    () => true,
    () => false,
  )

let usable: Promise<void> | undefined

/** Rejects if git is missing or too old. It is asked once. */
export function gitIsUsable(): Promise<void> {
  return (usable ??= checkGit())
}

async function checkGit() {
  const needed = `git ${oldestGit.join('.')} or later is needed`
  const { stdout } = await promisify(execFile)('git', ['--version']).catch((error: unknown) => {
    throw new Error(`${needed}, and none was found on the PATH`, { cause: error })
  })
  const [, major = 0, minor = 0] = (/(?<!\d)(\d+)\.(\d+)/.exec(stdout) ?? []).map(Number)
  if (major < oldestGit[0] || (major === oldestGit[0] && minor < oldestGit[1])) {
    throw new Error(`${needed}; this machine has ${stdout.trim()}`)
  }
}
