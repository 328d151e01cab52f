import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Context } from '../base/context.ts'
import type { ProjectRow } from '../projects/entity.ts'
import type { ProjectSettings } from '../projects/schema.ts'
import type { ExecutionLimits, ExecutionOutcome, Executor, NetworkAccess } from '../../engines/sandbox/executor.ts'
import type { PlanPart, RunPlan, Step } from '../../engines/test-plan/plan.ts'
import { type Dependencies, findInstall, installKey, keepInstall } from './dependencies.ts'
import type { Trust } from './trust.ts'
import { makeFolders } from './directories.ts'
import { RunFailure } from './run-failure.ts'
import type { LeftBehind } from './results.ts'
import type { OpenedSource } from './source.ts'
import { pathsOf, runStep, type StepFolders } from './run-step.ts'
import { commandError } from './command-error.ts'
import { keepTail, unresolvedHost } from './unresolved-host.ts'

const installWallMs = 900_000

/** Receives the commands and their output. */
export interface StepLog {
  say(line: string): void
  write(text: string): void
}

/** A command that has ended, or was not needed. */
export interface CommandStep {
  kind: 'install' | 'prepare' | 'test'
  /** With the folder in which it ran. */
  command: string
  startedAt: Date
  durationMs: number
  outcome: 'ok' | 'failed' | 'skipped'
}

/** Everything that the commands of a plan need. */
export interface Work {
  ctx: Context
  project: Pick<ProjectRow, 'id'>
  settings: ProjectSettings
  executor: Executor
  /** The checkout of the commit. Commands never write to it. */
  checkout: string
  /** An empty folder for everything else. */
  directory: string
  trust: Trust
  /** Holds the kept installs that the commands use. */
  inUse: DisposableStack
  /** The values of the project's variables that the commands may see. */
  environment: Readonly<Record<string, string>>
  log: StepLog
  report: (phase: 'installing' | 'testing', command: string) => void
  /** Receives each command that has ended. */
  onStep?: (step: CommandStep) => void
}

/** A part after its test command has ended. */
export interface TestedPart extends LeftBehind {
  outcome: ExecutionOutcome
}

type Source = Pick<OpenedSource, 'contentId' | 'treeId'>

/** A part with its installed dependencies. */
export interface InstalledPart {
  part: PlanPart
  dependencies: Dependencies | undefined
  /** The folder `{deps}`, unless the install is kept. */
  deps: string
  /** The key of the install; null for an install that is never kept. */
  key: string | null
}

/**
 * Installs the dependencies of the parts.
 *
 * @throws RunFailure if an install command fails
 */
export async function installParts(work: Work, source: Source, plan: RunPlan): Promise<InstalledPart[]> {
  const { installed } = await makeFolders(work.directory, ['installed'])
  const parts: InstalledPart[] = []
  for (const [index, part] of plan.parts.entries()) {
    parts.push(await installPart(work, source, { part, index, installed, before: parts }))
  }
  return parts
}

async function installPart(
  work: Work,
  source: Source,
  {
    part,
    index,
    installed,
    before,
  }: { part: PlanPart; index: number; installed: string; before: readonly InstalledPart[] },
): Promise<InstalledPart> {
  const { ctx, project, executor, trust, log } = work
  const folders = await makeFolders(work.directory, [
    `deps-${index}`,
    `install-output-${index}`,
    `install-captured-${index}`,
  ])
  const deps = folders[`deps-${index}`] ?? ''
  const { install } = part
  if (!install) return { part, dependencies: undefined, deps, key: null }
  const earlier = before.filter((one) => one.part.install !== null).map((one) => one.key)
  const conditions = { directory: part.directory, executor: executor.name, environment: work.environment, earlier }
  const key = installKey(ctx.config, install, source, conditions)
  const kept = key === null ? undefined : await findInstall(ctx.config, project.id, key, trust)
  if (kept) {
    work.inUse.use(kept)
    const same = install.readsTree ? 'files' : named(install.lockfiles)
    log.say(`# Skipped, because an earlier run installed the same ${same}: ${install.command}`)
    const command = shownCommand(part, install)
    work.onStep?.({ kind: 'install', command, startedAt: ctx.now(), durationMs: 0, outcome: 'skipped' })
    return { part, dependencies: kept, deps, key }
  }
  work.report('installing', install.command)
  const tail = keepTail()
  const write = (text: string) => {
    tail.write(text)
    log.write(text)
  }
  const outcome = await runLogged({ ...work, log: { say: (line) => log.say(line), write } }, part, install, {
    folders: {
      root: { lower: [...layersOf(before), work.checkout], upper: installed },
      output: folders[`install-output-${index}`] ?? '',
      captured: folders[`install-captured-${index}`] ?? '',
      deps: { lower: [], upper: deps },
      scratch: join(work.directory, 'scratch'),
    },
    network: 'internet',
    wallMs: Math.max(installWallMs, work.settings.timeoutSeconds * 1_000),
  })
  const error = commandError('install', install.command, outcome, unresolvedHost(tail.text()))
  if (error) throw new RunFailure(error.code, error.message, error)
  if (key === null) return { part, dependencies: undefined, deps, key }
  const collected = join(work.directory, `collected-${index}`)
  const { dependencies, problem } = await keepInstall(ctx.config, project.id, {
    key,
    trust,
    install,
    written: installed,
    deps,
    collected,
  })
  work.inUse.use(dependencies)
  if (problem !== undefined) {
    ctx.log.warn({ err: problem, projectId: project.id }, 'an install could not be kept')
    log.say('# Later runs cannot use this install, because its files could not be copied.')
  }
  return { part, dependencies, deps, key }
}

const maxNamed = 5

function named(paths: readonly string[]): string {
  const more = paths.length - maxNamed
  return more > 0 ? `${paths.slice(0, maxNamed).join(', ')} and ${more} more` : paths.join(', ')
}

/** Returns the layers with the files that the installs wrote into the repository. */
export const layersOf = (parts: readonly InstalledPart[]): string[] =>
  parts.flatMap(({ dependencies }) => (dependencies ? [dependencies.layer] : []))

/** Runs the tests of the parts one after the other, with one timeout for all of them. */
export async function testParts(work: Work, installed: readonly InstalledPart[]): Promise<TestedPart[]> {
  const { work: written } = await makeFolders(work.directory, ['work'])
  const deadline = performance.now() + work.settings.timeoutSeconds * 1_000
  const lower = [join(work.directory, 'installed'), ...layersOf(installed), work.checkout]
  const tested: TestedPart[] = []
  for (const [index, { part, dependencies, deps }] of installed.entries()) {
    const names = [`output-${index}`, `captured-${index}`, `deps-work-${index}`] as const
    const own = await makeFolders(work.directory, names)
    const folders: StepFolders = {
      root: { lower, upper: written },
      output: own[`output-${index}`] ?? '',
      captured: own[`captured-${index}`] ?? '',
      deps: { lower: [dependencies?.deps ?? deps], upper: own[`deps-work-${index}`] ?? '' },
      scratch: join(work.directory, 'scratch'),
    }
    // A mounted upper layer contains only new files. In a copy, the modification time tells which files are new.
    const since = work.executor.mounts ? undefined : Date.now()
    const outcome = await testPart(work, part, folders, deadline)
    const seenAs = pathsOf(work.executor, folders).root
    const { output, captured } = folders
    tested.push({ part, outcome, root: written, output, captured, since, seenAs })
  }
  return tested
}

async function testPart(work: Work, part: PlanPart, folders: StepFolders, deadline: number): Promise<ExecutionOutcome> {
  const network: NetworkAccess = work.settings.testNetwork ? 'internet' : 'none'
  const timeLeft = () => Math.max(1, deadline - performance.now())
  for (const step of part.prepare) {
    work.report('testing', step.command)
    const outcome = await runLogged(work, part, step, { folders, network, wallMs: timeLeft() })
    const error = commandError('prepare', step.command, outcome)
    if (error) throw new RunFailure(error.code, error.message, error)
  }
  work.report('testing', part.test.command)
  return runLogged(work, part, part.test, { folders, network, wallMs: timeLeft() })
}

const shownCommand = ({ directory }: PlanPart, { command }: Step): string =>
  directory === '' ? command : `cd ${directory} && ${command}`

/** Runs a step, and logs its command and a failure. */
export async function runLogged(
  work: Work,
  part: PlanPart,
  step: Step,
  { folders, network, wallMs }: { folders: StepFolders; network: NetworkAccess; wallMs: number },
): Promise<ExecutionOutcome> {
  const { log, ctx, executor } = work
  const command = shownCommand(part, step)
  log.say(`$ ${command}`)
  log.say(`# Because ${step.because}.`)
  const startedAt = ctx.now()
  const start = performance.now()
  const outcome = await runStep(executor, {
    step,
    directory: part.directory,
    folders,
    environment: work.environment,
    network,
    limits: limitsOf(work, step, wallMs),
    print: (text) => log.write(text),
    signal: ctx.signal,
  })
  ctx.signal.throwIfAborted()
  work.onStep?.({
    kind: step === part.install ? 'install' : step === part.test ? 'test' : 'prepare',
    command,
    startedAt,
    durationMs: Math.round(performance.now() - start),
    outcome: outcome.reason === 'ok' ? 'ok' : 'failed',
  })
  if (outcome.reason === 'failed') {
    log.say(
      `# The command ended with ${outcome.signal === null ? `exit code ${outcome.exitCode}` : `signal ${outcome.signal}`}.`,
    )
  } else if (outcome.reason !== 'ok') log.say(`# ${outcome.message ?? outcome.reason}`)
  return outcome
}

/** A printed report is longer than the output that it contains. */
const reportOverhead = 10

export function limitsOf({ ctx }: Pick<Work, 'ctx'>, step: Step, wallMs: number): ExecutionLimits {
  const { memoryBytes, diskBytes, files, processes, outputBytes } = ctx.config.runs
  return {
    wallMs: Math.ceil(wallMs),
    cpuMs: Math.ceil(wallMs * Math.min(4, availableParallelism())),
    memoryBytes,
    processes,
    outputBytes: step.stdoutReport === undefined ? outputBytes : outputBytes * reportOverhead,
    diskBytes,
    files,
  }
}
