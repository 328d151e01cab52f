import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { StringDecoder } from 'node:string_decoder'
import { Writable } from 'node:stream'
import type { ExecutionLimits, ExecutionOutcome, Executor, NetworkAccess, Volume } from '../executors/executor.ts'
import { fillIn, type StepPaths, toolsDirectory } from '../plan/placeholders.ts'
import type { Step } from '../plan/plan.ts'
import { removeTree } from './directories.ts'
import { readableOutput } from './readable-output.ts'

/** The folders of the host that a step works on. */
export interface StepFolders {
  /** Layers of the repository, topmost first, and where writes to it go. */
  root: { lower: readonly string[]; upper: string }
  output: string
  deps: { lower: readonly string[]; upper: string }
  /** Made for the step, and removed after it. */
  scratch: string
}

export interface StepRequest {
  step: Step
  /** Relative to the repository. */
  directory: string
  folders: StepFolders
  environment: Readonly<Record<string, string>>
  network: NetworkAccess
  limits: ExecutionLimits
  /** Gets what is printed, as text. */
  print: (text: string) => void
  signal: AbortSignal
}

/** Where steps see the folders; `local`, which mounts nothing, shows them as they are. */
export const mountPoints = { root: '/work', output: '/assay/output', deps: '/assay/deps', tools: '/assay/tools' }

export function pathsOf(executor: Executor, folders: StepFolders): StepPaths {
  if (executor.mounts) return mountPoints
  return { root: folders.root.upper, output: folders.output, deps: folders.deps.upper, tools: toolsDirectory }
}

/** Runs one command of a plan. */
export async function runStep(executor: Executor, request: StepRequest): Promise<ExecutionOutcome> {
  const { step, folders, print } = request
  const paths = pathsOf(executor, folders)
  const volumes: Volume[] = [
    { path: paths.root, ...folders.root },
    { path: paths.output, lower: [], upper: folders.output },
    { path: paths.deps, ...folders.deps },
    { path: paths.tools, lower: [toolsDirectory], upper: null },
  ]
  await mkdir(folders.scratch, { recursive: true })
  const copy = step.stdoutReport === undefined ? undefined : createWriteStream(join(folders.output, step.stdoutReport))
  const stdout = printer(readableOutput(step.stdoutReport, print), copy)
  const stderr = printer(print)
  const environment = Object.entries({ ...request.environment, ...step.environment })
  try {
    return await executor.run(
      {
        argv: step.argv.map((part) => fillIn(part, paths)),
        cwd: join(paths.root, request.directory),
        environment: Object.fromEntries(environment.map(([name, value]) => [name, fillIn(value, paths)])),
        volumes,
        network: request.network,
        limits: request.limits,
        scratch: folders.scratch,
      },
      request.signal,
      { stdout, stderr },
    )
  } finally {
    stdout.end()
    stderr.end()
    await Promise.all([finished(stdout), finished(stderr)])
    await removeTree(folders.scratch)
  }
}

/** Hands bytes on as text, and to a file as they are. */
function printer(print: (text: string) => void, copy?: Writable): Writable {
  const decoder = new StringDecoder('utf8')
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      print(decoder.write(chunk))
      if (!copy) done()
      else copy.write(chunk, done)
    },
    final(done) {
      print(decoder.end())
      if (!copy) done()
      else copy.end(done)
    },
  })
}
