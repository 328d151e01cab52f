import type { Stats } from 'node:fs'
import { type FileHandle, mkdir, readFile, rename, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { folderBelow } from '../../workspaces/left-files.ts'
import { openRegularFile } from '../../../engines/source/regular-file.ts'
import { makeFolders, removeTree } from '../../workspaces/directories.ts'
import { RunFailure } from '../../workspaces/run-failure.ts'
import { installParts, layersOf, limitsOf, runLogged, type Work } from '../../workspaces/run-parts.ts'
import type { GoModule } from '../../../engines/test-plan/go-modules.ts'
import type { OpenedSource } from '../../workspaces/source.ts'
import { pathsOf, runStep } from '../../workspaces/run-step.ts'
import { commandError } from '../../workspaces/command-error.ts'
import type { TaskRunner } from '../../../engines/processes/tasks.ts'
import type { PlanPart, Step } from '../../../engines/test-plan/plan.ts'
import type { TestPlan } from './plan-test.ts'
import { digest } from './digest.ts'
import { keepEnd } from './printed.ts'
import type { RunOutcome, TestFile } from '../../../engines/verdicts/outcome.ts'
import { readOutcome } from '../runner/read-outcome.ts'

export interface Execution {
  /** The command of the part, possibly restricted to some tests. */
  step: Step
  wallMs: number
  /** The limit for all its processes together. Defaults to the limit of runs. */
  cpuMs?: number
  /** Whether the repository contains the test. */
  withTest: boolean
  /** Without a test that is committed: whether the repository contains it. */
  withOriginal?: boolean
  /** Layers above all others, such as that of a mutant. */
  layers?: readonly string[]
  /** The number of simultaneous runs, which share the limits of one run. */
  beside?: number
  /** Whether later runs may use the compiled files of this run. */
  warmsUp?: boolean
}

/**
 * A commit with installed dependencies in which commands run. Each command sees the original files without the changes of
 * other commands, so that several commands can run at once.
 */
export interface Workspace {
  part: PlanPart
  /** The part whose command includes the test, even if that command names files. */
  partWithTest: PlanPart
  test: TestFile
  /** Whether the commit contains this very test. It is hidden from commands. */
  isCommitted: boolean
  /** The version of the file in the commit, if the test changes it. Commands without the test see it. */
  original: TestFile | null
  /** The files of the commit and of the test. */
  paths: readonly string[]
  /** Reads a file of the commit. Returns null if it is large or not a regular file. */
  read(path: string): Promise<string | null>
  /** Creates a layer with one file. */
  makeLayer(path: string, content: string): Promise<string>
  /** @throws RunFailure if the sandbox failed */
  run(execution: Execution): Promise<RunOutcome>
}

export interface Opening {
  runner: TaskRunner
  work: Work
  source: Pick<OpenedSource, 'contentId' | 'tree' | 'treeId'>
  plan: TestPlan
  goModules: readonly GoModule[]
  test: TestFile
  isCommitted: boolean
  mask: (text: string) => string
}

const maxSourceBytes = 2 ** 20
/** The runners of these ecosystems compile into `{deps}`, so later runs can reuse the compiled files. */
const compiled = new Set(['go', 'rust', 'java', 'csharp'])

/**
 * Installs and prepares everything that the test needs.
 *
 * @throws RunFailure if a command fails
 */
export async function openWorkspace({
  runner,
  work,
  source,
  plan,
  goModules,
  test,
  isCommitted,
  mask,
}: Opening): Promise<Workspace> {
  const { part } = plan
  const { executor, directory, checkout } = work
  let made = 0
  const newLayer = async (path: string) => {
    const layer = join(directory, 'layers', String(made++))
    await mkdir(dirname(join(layer, path)), { recursive: true })
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
  const testLayer = await makeLayer(test.path, test.code)
  const hasFile = source.tree.paths.includes(test.path)
  const paths = hasFile ? source.tree.paths : [...source.tree.paths, test.path]
  const originalCode = hasFile && !isCommitted ? await readRegular(checkout, test.path) : null
  // A committed test is not one of the tests that it is compared with.
  const originalLayer = isCommitted ? await newLayer(test.path) : null
  if (originalLayer !== null) await rename(join(checkout, test.path), join(originalLayer, test.path))

  // The install does not see the hidden file.
  const treeId = () => (isCommitted ? digest([source.treeId(), 'without', test.path]) : source.treeId())
  const contentId = (path: string) => (isCommitted && path === test.path ? undefined : source.contentId(path))
  const installed = await installParts(work, { contentId, treeId }, { parts: plan.parts })
  const own = installed.at(-1)
  const depsLayers = [own?.dependencies?.deps ?? own?.deps ?? '']
  const ground = [join(directory, 'installed'), ...layersOf(installed), checkout]
  await prepareParts(work, plan.parts, { lower: ground, deps: depsLayers })
  ground.unshift(join(directory, 'prepared'))

  let executions = 0
  const run = async (wanted: Execution) => {
    const { step, wallMs, cpuMs, withTest, withOriginal = false, layers = [], beside = 1, warmsUp = false } = wanted
    const inPlace = withTest ? testLayer : withOriginal ? originalLayer : null
    const place = join(directory, 'executions', String(executions++))
    const { root, output, captured, deps } = await makeFolders(place, ['root', 'output', 'captured', 'deps'])
    const folders = {
      root: { lower: [...layers, ...(inPlace === null ? [] : [inPlace]), ...ground], upper: root },
      output,
      captured,
      deps: { lower: [...depsLayers], upper: deps },
      scratch: join(place, 'scratch'),
    }
    // A mounted upper layer contains only new files. In a copy, the modification time tells which files are new.
    const since = executor.mounts ? undefined : Date.now()
    const printed = keepEnd()
    const limits = limitsOf(work, step, wallMs)
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
        test: withTest ? test : null,
        testNetwork: work.settings.testNetwork,
        mask,
        printed: printed.text(),
        command: step.command,
      },
    )
    if (warmsUp && executor.mounts && compiled.has(part.ecosystem)) depsLayers.unshift(deps)
    else await removeTree(deps)
    for (const folder of [root, output, captured]) await removeTree(folder)
    return outcome
  }
  return {
    part,
    partWithTest: plan.partWithTest,
    test,
    isCommitted,
    original: originalCode === null ? null : { path: test.path, code: originalCode },
    paths,
    read: (path) => readRegular(checkout, path),
    makeLayer,
    run,
  }
}

/** Runs the prepare steps with the network access of tests, and keeps the files that they write as a layer. */
async function prepareParts(
  work: Work,
  parts: readonly PlanPart[],
  { lower, deps }: { lower: readonly string[]; deps: readonly string[] },
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
          deps: { lower: deps, upper: folders['prepared-deps'] },
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
