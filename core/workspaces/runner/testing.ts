import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { removeTree } from '../directories.ts'
import { testRunner } from '../../../engines/processes/testing/runner.ts'
import type { PlanPart, Step } from '../../../engines/test-plan/plan.ts'
import { executedWords, fillIn, toolsDirectory } from '../../../engines/test-plan/placeholders.ts'
import { partOf } from '../../../engines/test-plan/testing/tree.ts'
import { readableOutput } from '../readable-output.ts'
import type { RunOutcome, TestFile } from '../../../engines/verdicts/outcome.ts'
import { readOutcome } from './read-outcome.ts'

/** The packages of this project, including vitest. */
const ownModules = fileURLToPath(new URL('../../../node_modules', import.meta.url))

interface Limit {
  wallMs: number
  /** Stops the run before the timeout. Receives the output and the folder for reports. */
  isEnough?: (printed: string, output: string) => boolean
}

export interface Lab extends AsyncDisposable {
  part: PlanPart
  /** Writes the test, runs the step and reads what it left, without a sandbox. */
  run(step: Step, test?: TestFile, limit?: Limit): Promise<RunOutcome>
}

/** Creates a project on disk that uses the packages of this project and the Python of this machine. */
export async function openLab(files: Record<string, string>): Promise<Lab> {
  const part = await partOf(files)
  const place = mkdtempSync(join(tmpdir(), 'assay-runner-'))
  const root = join(place, 'root')
  for (const [path, content] of Object.entries(files)) write(join(root, path), content)
  if (part.ecosystem === 'javascript') symlinkSync(ownModules, join(root, part.directory, 'node_modules'))
  const deps = join(place, 'deps')
  mkdirSync(join(deps, 'venv/bin'), { recursive: true })
  // Not a link, because Python would treat it as a virtual environment.
  writeFileSync(join(deps, 'venv/bin/python'), '#!/bin/sh\nexec python3 "$@"\n', { mode: 0o755 })
  let runs = 0
  return {
    part,
    async run(step, test, limit = { wallMs: 30_000 }) {
      if (test) write(join(root, test.path), test.code)
      const [output, captured] = ['output', 'captured'].map((name) => join(place, `${name}-${runs}`))
      runs++
      if (output === undefined || captured === undefined) throw new Error('no folders')
      mkdirSync(output)
      mkdirSync(captured)
      const paths = { root, output, deps, tools: toolsDirectory }
      const [program = '', ...args] = executedWords(step.argv, paths)
      const own = Object.entries(step.environment).map(([name, value]) => [name, fillIn(value, paths)])
      const { status, signal, stdout, stderr } = await runGroup(
        program,
        args,
        { ...limit, output },
        {
          cwd: join(root, part.directory),
          env: { PATH: process.env.PATH, HOME: place, ...Object.fromEntries(own) },
        },
      )
      if (step.stdoutReport) writeFileSync(join(captured, step.stdoutReport), stdout)
      let printed = ''
      const print = readableOutput(step.stdoutReport, (text) => (printed += text))
      print(stdout)
      print('')
      const reason = signal === 'SIGKILL' ? 'wall' : status === 0 ? 'ok' : 'failed'
      return readOutcome(
        { part: { ...part, test: step }, root, output, captured, since: undefined, seenAs: root },
        {
          runner: testRunner,
          execution: {
            reason,
            exitCode: status,
            signal,
            message: reason === 'wall' ? 'It took too long.' : null,
            usage: { wallMs: 1, cpuMs: null, peakMemoryBytes: null },
          },
          paths: [...Object.keys(files), ...(test ? [test.path] : [])],
          goModules: part.ecosystem === 'go' ? [{ path: 'example.org/shop', folder: part.directory }] : [],
          test: test ?? null,
          testNetwork: false,
          mask: (text) => text,
          printed: printed + stderr,
          command: step.command,
        },
      )
    },
    [Symbol.asyncDispose]: () => removeTree(place),
  }
}

/** Runs a program, and ends it together with its whole process group, because a hanging test is a grandchild. */
async function runGroup(
  program: string,
  args: string[],
  { wallMs, isEnough, output }: Limit & { output: string },
  options: { cwd: string; env: NodeJS.ProcessEnv },
) {
  const child = spawn(program, args, { ...options, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  const endGroup = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // The process group has ended.
    }
  }
  let soFar = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (soFar += chunk.toString()))
  const timer = setTimeout(endGroup, wallMs)
  const looking = setInterval(() => isEnough?.(soFar, output) && endGroup(), 100)
  const printed = Promise.all([text(child.stdout), text(child.stderr)])
  const [status, signal] = await ended
  clearTimeout(timer)
  clearInterval(looking)
  endGroup()
  const [stdout, stderr] = await printed
  return { status, signal, stdout, stderr }
}

function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}
