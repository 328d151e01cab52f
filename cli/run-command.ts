import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { PassedSignal } from './interrupt.ts'
import type { Invocation } from './invocation.ts'

export interface CommandEnd {
  /** The codes of shells: 127 for a program that does not exist, 126 for one that cannot be run, 128 + n after signal n. */
  exitCode: number
  /** Why the command has no result of its own; null if it ended by itself. */
  problem: string | null
}

export interface RunningProgram {
  ended: Promise<CommandEnd>
  pass: (signal: PassedSignal) => void
}

/** Starts a program on the streams of this one, without a shell. */
export function startCommand(
  [program = '', ...args]: readonly string[],
  { cwd, env, stdin, stdout, stderr }: Pick<Invocation, 'cwd' | 'env' | 'stdin' | 'stdout' | 'stderr'>,
): RunningProgram {
  const child = spawn(program, args, { cwd, env, stdio: [stdin, stdout, stderr] })
  // A terminal sends SIGINT to all programs that run in it. Programs that get it twice stop without cleaning up.
  const isAtTerminal = [stdin, stdout, stderr].some(({ isTTY }) => isTTY === true)
  return {
    ended: new Promise((resolve) => {
      child.once('error', (error: NodeJS.ErrnoException) => resolve(notStarted(program, error)))
      child.once('exit', (code, signal) => {
        if (signal === null) resolve({ exitCode: code ?? 1, problem: null })
        else resolve({ exitCode: 128 + constants.signals[signal], problem: `${signal} ended the command` })
      })
    }),
    pass(signal) {
      if (signal !== 'SIGINT' || !isAtTerminal) child.kill(signal)
    },
  }
}

function notStarted(program: string, { code, message }: NodeJS.ErrnoException): CommandEnd {
  if (code === 'ENOENT') return { exitCode: 127, problem: `there is no program ${program} (exit code 127)` }
  const reason = code === 'EACCES' ? 'it may not be executed' : message
  return { exitCode: 126, problem: `${program} could not be started: ${reason} (exit code 126)` }
}
