import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import type {
  ExecutionLimits,
  ExecutionOutcome,
  Executor,
  NetworkAccess,
  Volume,
} from '../../engines/sandbox/executor.ts'
import { executedWords, fillIn, type StepPaths, toolsDirectory } from '../../engines/test-plan/placeholders.ts'
import type { Step } from '../../engines/test-plan/plan.ts'
import { capture } from './capture.ts'
import { removeTree } from './directories.ts'
import { readableOutput } from './readable-output.ts'

/** The folders of the host that a step uses. */
export interface StepFolders {
  /** The layers of the repository, topmost first, and the folder that receives writes. */
  root: { lower: readonly string[]; upper: string }
  output: string
  /** Receives printed reports. No command sees it. */
  captured: string
  deps: { lower: readonly string[]; upper: string }
  /** Created for the step, and removed after it. */
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
  /** Receives the output as text. */
  print: (text: string) => void
  signal: AbortSignal
}

/** The paths at which steps see the folders. The executor `local` mounts nothing and shows the paths of the host. */
export const mountPoints = { root: '/work', output: '/assay/output', deps: '/assay/deps', tools: '/assay/tools' }

export function pathsOf(executor: Executor, folders: StepFolders): StepPaths {
  if (executor.mounts) return mountPoints
  return { root: folders.root.upper, output: folders.output, deps: folders.deps.upper, tools: toolsDirectory }
}

/** Runs a command of a plan. */
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
  // In a folder that the command cannot write to, because it could replace the file with a link or a pipe.
  const report = step.stdoutReport === undefined ? undefined : join(folders.captured, step.stdoutReport)
  const stdout = capture(readableOutput(step.stdoutReport, print), report)
  const stderr = capture(print)
  const environment = Object.entries({ ...request.environment, ...step.environment })
  try {
    const outcome = await executor.run(
      {
        argv: executedWords(step.argv, paths),
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
    await Promise.all([finished(stdout.end()), finished(stderr.end())])
    if (stdout.failure() !== undefined) throw stdout.failure()
    return outcome
  } finally {
    stdout.destroy()
    stderr.destroy()
    await removeTree(folders.scratch)
  }
}
