import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { ExecutionLimits, ExecutionOutcome, ExecutionSpec, Executor } from './executor.ts'

export const mebibyte = 1024 * 1024

export interface Execution extends ExecutionOutcome {
  stdout: string
  stderr: string
}

export interface Trial extends Partial<Omit<ExecutionSpec, 'limits'>> {
  limits?: Partial<ExecutionLimits>
  signal?: AbortSignal
}

/** Folders for executions, and a way to run a script of bash in them. */
export interface Bench extends AsyncDisposable {
  folder: string
  workspace: string
  run(script: string, trial?: Trial): Promise<Execution>
}

/** For tests of executors. */
export async function createBench(executor: Executor, parent = tmpdir()): Promise<Bench> {
  const folder = await mkdtemp(join(parent, 'assay-executor-'))
  const workspace = join(folder, 'workspace')
  await mkdir(workspace)
  let executions = 0
  return {
    folder,
    workspace,
    run: async (script, { limits, signal = new AbortController().signal, ...spec } = {}) => {
      const scratch = join(folder, `scratch-${executions++}`)
      await mkdir(scratch)
      const stdout = new PassThrough()
      const stderr = new PassThrough()
      const printed = Promise.all([text(stdout), text(stderr)])
      const outcome = await executor.run(
        {
          argv: ['bash', '-c', script],
          cwd: executor.mounts ? '/workspace' : workspace,
          environment: {},
          volumes: [{ path: '/workspace', lower: [], upper: workspace }],
          network: 'none',
          scratch,
          ...spec,
          limits: {
            wallMs: 20_000,
            cpuMs: 20_000,
            memoryBytes: 512 * mebibyte,
            processes: 64,
            outputBytes: mebibyte,
            diskBytes: 256 * mebibyte,
            files: 100_000,
            ...limits,
          },
        },
        signal,
        { stdout, stderr },
      )
      stdout.end()
      stderr.end()
      const [out, err] = await printed
      await rm(scratch, { recursive: true, force: true })
      return { ...outcome, stdout: out, stderr: err }
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
