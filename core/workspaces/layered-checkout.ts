import type { Stats } from 'node:fs'
import { type FileHandle, mkdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openRegularFile } from '../../engines/source/regular-file.ts'
import type { TaskRunner } from '../../engines/processes/tasks.ts'
import type { GoModule } from '../../engines/test-plan/go-modules.ts'
import type { PlanPart, Step } from '../../engines/test-plan/plan.ts'
import type { RunOutcome, TestFile } from '../../engines/verdicts/outcome.ts'
import { commandError } from './command-error.ts'
import { makeFolders, removeTree } from './directories.ts'
import { followLines } from './follow-lines.ts'
import { folderBelow } from './left-files.ts'
import { keepEnd } from './printed.ts'
import { RunFailure } from './run-failure.ts'
import { installParts, layersOf, limitsOf, runLogged, type Work } from './run-parts.ts'
import { pathsOf, runStep } from './run-step.ts'
import { readOutcome } from './runner/read-outcome.ts'
import type { OpenedSource } from './source.ts'

export interface LayeredExecution {
  part: PlanPart
  /** The command of the part, possibly restricted to some tests. */
  step: Step
  wallMs: number
  /** The limit for all its processes together. Defaults to the limit of runs. */
  cpuMs?: number
  /** Layers above all others, topmost first, such as that of a mutant. */
  layers?: readonly string[]
  /** The number of simultaneous runs, which share the limits of one run. */
  beside?: number
  /** Whether later runs may use the compiled files of this run. */
  warmsUp?: boolean
  /** The files of the commit and of the layers. */
  paths: readonly string[]
  /** The test file that failures are attributed to; null if there is none. */
  test: TestFile | null
  /** Files to put into `{output}` before the command starts, by name. */
  inputs?: Readonly<Record<string, string>>
  /** Receives the lines that the command appends to a file of `{output}`, while it runs. */
  follow?: { name: string; onLine: (line: string) => void }
}

/**
 * A commit with installed dependencies in which commands run. Each command sees the original files without the changes of
 * other commands, so that several commands can run at once.
 */
export interface LayeredCheckout {
  /** Returns a new, empty layer with the folder of the path. */
  newLayer(path: string): Promise<string>
  /** Creates a layer with one file. */
  makeLayer(path: string, content: string): Promise<string>
  /** Reads a file of the commit. Returns null if it is large or not a regular file. */
  read(path: string): Promise<string | null>
  /** @throws RunFailure if the sandbox failed */
  run(execution: LayeredExecution): Promise<RunOutcome>
}

export interface OpenLayers {
  runner: TaskRunner
  work: Work
  source: Pick<OpenedSource, 'contentId' | 'treeId'>
  /** The parts to install and prepare. */
  parts: readonly PlanPart[]
  goModules: readonly GoModule[]
  mask: (text: string) => string
}

const maxSourceBytes = 2 ** 20
/** The runners of these ecosystems compile into `{deps}`, so later runs can reuse the compiled files. */
const compiled = new Set(['go', 'rust', 'java', 'csharp'])

/** Returns functions that make layers above a checkout. */
export function layersAbove({ directory, checkout }: Pick<Work, 'directory' | 'checkout'>) {
  let made = 0
  const newLayer = async (path: string) => {
    const layer = join(directory, 'layers', String(made++))
    await mkdir(join(layer, dirname(path)), { recursive: true })
    return layer
  }
  const makeLayer = async (path: string, content: string) => {
    const layer = await newLayer(path)
    await writeFile(join(layer, path), content)
    const original = await statRegular(checkout, path)
    // A newer modification time would let a test detect the change.
    if (original) await utimes(join(layer, path), original.atime, original.mtime)
    return layer
  }
  return { newLayer, makeLayer, read: (path: string) => readRegular(checkout, path) }
}

/**
 * Installs and prepares the parts.
 *
 * @throws RunFailure if a command fails
 */
export async function openLayers(
  { runner, work, source, parts, goModules, mask }: OpenLayers,
  layers = layersAbove(work),
): Promise<LayeredCheckout> {
  const { executor, directory, checkout } = work
  const installed = await installParts(work, source, { parts })
  const depsLayers = new Map(installed.map(({ part, dependencies, deps }) => [part, [dependencies?.deps ?? deps]]))
  const depsOf = ({ directory: folder, ecosystem }: PlanPart) => {
    const own = installed.findLast(({ part }) => part.directory === folder && part.ecosystem === ecosystem)
    return (own && depsLayers.get(own.part)) ?? []
  }
  const ground = [join(directory, 'installed'), ...layersOf(installed), checkout]
  await prepareParts(work, parts, { lower: ground, depsOf })
  ground.unshift(join(directory, 'prepared'))

  let executions = 0
  const run = async (wanted: LayeredExecution) => {
    const { part, step, wallMs, cpuMs, beside = 1, warmsUp = false, paths, test } = wanted
    const place = join(directory, 'executions', String(executions++))
    const { root, output, captured, deps } = await makeFolders(place, ['root', 'output', 'captured', 'deps'])
    const partDeps = depsOf(part)
    const folders = {
      root: { lower: [...(wanted.layers ?? []), ...ground], upper: root },
      output,
      captured,
      deps: { lower: [...partDeps], upper: deps },
      scratch: join(place, 'scratch'),
    }
    for (const [name, text] of Object.entries(wanted.inputs ?? {})) await writeFile(join(output, name), text)
    const followed = wanted.follow && followLines(join(output, wanted.follow.name), wanted.follow.onLine)
    // A mounted upper layer contains only new files. In a copy, the modification time tells which files are new.
    const since = executor.mounts ? undefined : Date.now()
    const printed = keepEnd()
    const limits = limitsOf(work, step, wallMs)
    await using _following = followed && { [Symbol.asyncDispose]: () => followed.end() }
    const execution = await runStep(executor, {
      step,
      directory: part.directory,
      folders,
      environment: work.environment,
      network: work.settings.testNetwork ? 'internet' : 'none',
      limits: {
        ...limits,
        cpuMs: cpuMs ?? limits.cpuMs,
        memoryBytes: Math.floor(limits.memoryBytes / beside),
        diskBytes: Math.floor(limits.diskBytes / beside),
        files: Math.floor(limits.files / beside),
      },
      print: printed.write,
      signal: work.ctx.signal,
    })
    await followed?.end()
    work.ctx.signal.throwIfAborted()
    if (execution.reason === 'infra') {
      throw new RunFailure('sandbox_failed', execution.message ?? 'The sandbox failed.')
    }
    const seenAs = pathsOf(executor, folders).root
    const outcome = await readOutcome(
      { part: { ...part, test: step }, root, output, captured, since, seenAs },
      {
        runner,
        execution,
        paths,
        goModules,
        test,
        testNetwork: work.settings.testNetwork,
        mask,
        printed: printed.text(),
        command: step.command,
      },
    )
    if (warmsUp && executor.mounts && compiled.has(part.ecosystem)) partDeps.unshift(deps)
    else await removeTree(deps)
    for (const folder of [root, output, captured]) await removeTree(folder)
    return outcome
  }
  return { ...layers, run }
}

/** Runs the prepare steps with the network access of tests, and keeps the files that they write as a layer. */
async function prepareParts(
  work: Work,
  parts: readonly PlanPart[],
  { lower, depsOf }: { lower: readonly string[]; depsOf: (part: PlanPart) => readonly string[] },
): Promise<void> {
  const names = ['prepared', 'prepared-deps', 'prepare-output', 'prepare-captured'] as const
  const folders = await makeFolders(work.directory, names)
  for (const part of parts) {
    for (const step of part.prepare) {
      work.report('installing', step.command)
      const outcome = await runLogged(work, part, step, {
        folders: {
          root: { lower, upper: folders.prepared },
          output: folders['prepare-output'],
          captured: folders['prepare-captured'],
          deps: { lower: depsOf(part), upper: folders['prepared-deps'] },
          scratch: join(work.directory, 'scratch'),
        },
        network: work.settings.testNetwork ? 'internet' : 'none',
        wallMs: work.settings.timeoutSeconds * 1_000,
      })
      const error = commandError('prepare', step.command, outcome)
      if (error) throw new RunFailure(error.code, error.message, error)
    }
  }
}

/** Opens a file without following links of the commit, which could lead to any file of this machine. */
async function openRegular(checkout: string, path: string): Promise<FileHandle | undefined> {
  const folder = await folderBelow(checkout, dirname(path))
  return folder === undefined ? undefined : openRegularFile(join(checkout, path))
}

async function statRegular(checkout: string, path: string): Promise<Stats | null> {
  const file = await openRegular(checkout, path)
  if (!file) return null
  try {
    return await file.stat()
  } finally {
    await file.close()
  }
}

async function readRegular(checkout: string, path: string): Promise<string | null> {
  const file = await openRegular(checkout, path)
  if (!file) return null
  try {
    return (await file.stat()).size > maxSourceBytes ? null : await readFile(file, 'utf8')
  } finally {
    await file.close()
  }
}
