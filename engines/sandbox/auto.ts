import { createBwrapExecutor } from './bwrap.ts'
import { createDockerExecutor } from './docker.ts'
import type { Executor, ExecutorName } from './executor.ts'
import { createGvisorExecutor } from './gvisor.ts'
import { createLocalExecutor } from './local.ts'
import type { SandboxOptions } from './sandbox-files.ts'
import type { UidRange } from './sandbox-users.ts'

export interface ExecutorOptions {
  /** Networks that an install may reach besides the public internet. */
  allowCidrs: readonly string[]
  /** The server's own data, which no sandbox shows. */
  hiddenPaths: readonly string[]
  /** Folders of this machine that sandboxes show read-only, besides known toolchains. */
  paths: readonly string[]
  /** For `docker`. */
  image: string | null
  /** Where root runs Assay: the users that sandboxes run as. */
  uidRange?: UidRange
  /** Where this machine's programs and certificates are: PATH, HOME and the like. By default those of this process. */
  hostEnvironment?: Readonly<Record<string, string | undefined>>
}

export type Choice = { executor: Executor; description: string; gaps: string[] } | { problem: string }

/** The strongest first, without `local`: it confines nothing, so the setting must name it. */
const strongestFirst = ['gvisor', 'bwrap', 'docker'] as const

const choices = new Map<string, Promise<Choice>>()

/**
 * Finds the executor that the setting asks for and tries whether it confines commands on this machine. What was found is
 * kept for the life of the process; a missing executor is looked for again the next time.
 */
export async function chooseExecutor(
  setting: ExecutorName | 'auto',
  options: ExecutorOptions,
  signal: AbortSignal,
): Promise<Choice> {
  const { hostEnvironment: _, ...asked } = options
  const key = JSON.stringify([setting, asked])
  const known = choices.get(key) ?? choose(setting, options, signal)
  choices.set(key, known)
  const forget = () => choices.delete(key)
  const choice = await known.catch((error: unknown) => {
    forget()
    throw error
  })
  if ('problem' in choice) forget()
  return choice
}

async function choose(setting: ExecutorName | 'auto', options: ExecutorOptions, signal: AbortSignal): Promise<Choice> {
  const names = setting === 'auto' ? strongestFirst : [setting]
  const problems: string[] = []
  for (const name of names) {
    const executor = createExecutor(name, options)
    const probe = await executor.probe(signal)
    signal.throwIfAborted()
    if (probe.usable) return { executor, description: probe.description, gaps: probe.gaps }
    problems.push(probe.problem)
  }
  if (setting !== 'auto') return { problem: `EXECUTOR=${setting} does not work: ${problems.join(' ')}` }
  return {
    problem:
      'Assay cannot run tests, because this machine has no sandbox. Install bubblewrap ' +
      '(apt-get install bubblewrap), or set EXECUTOR=local if you trust the code. ' +
      `Problems: ${problems.join(' ')}`,
  }
}

function createExecutor(name: ExecutorName, options: ExecutorOptions): Executor {
  const sandbox: SandboxOptions = {
    hostEnvironment: options.hostEnvironment ?? process.env,
    extraPaths: options.paths,
    hiddenPaths: options.hiddenPaths,
    allowCidrs: options.allowCidrs,
    ...(options.uidRange === undefined ? {} : { uidRange: options.uidRange }),
  }
  const create: Record<ExecutorName, () => Executor> = {
    bwrap: () => createBwrapExecutor(sandbox),
    gvisor: () => createGvisorExecutor(sandbox),
    docker: () => createDockerExecutor({ ...sandbox, image: options.image }),
    local: () => createLocalExecutor(sandbox),
  }
  return create[name]()
}
