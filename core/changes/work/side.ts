import { cp, lstat, mkdir, rename, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ifOutOfReach } from '../../../engines/source/regular-file.ts'
import type { PlanPart, Step } from '../../../engines/test-plan/plan.ts'
import type { OutcomeCase, RunOutcome, TestFile } from '../../../engines/verdicts/outcome.ts'
import { type LayeredCheckout, openLayers } from '../../workspaces/layered-checkout.ts'
import { folderBelow } from '../../workspaces/left-files.ts'
import { RunFailure } from '../../workspaces/run-failure.ts'
import { unloggedWork } from '../../workspaces/unlogged-work.ts'
import { partOfTest } from '../../workspaces/runner/part-of-test.ts'
import { isDoubtful, runMeasured } from '../../workspaces/runner/run-measured.ts'
import { selectedStep, suiteStep } from '../../workspaces/runner/steps.ts'
import type { FetchedSide } from './fetch-sides.ts'
import type { Task } from './task.ts'

/** One side with installed dependencies. */
export interface Side {
  fetched: FetchedSide
  /** The parts whose tests are the side's own. */
  parts: readonly PlanPart[]
  layered: LayeredCheckout
  /** The files of the commit and of its layers. */
  paths: readonly string[]
  /** Layers that restore files that were moved out of the checkout. */
  own: readonly string[]
}

/** The outcome of the tests of one part. */
export interface PartRun {
  part: PlanPart
  outcome: RunOutcome
}

/** The tests that a run is restricted to: whole files, and tests of reports that name no file. */
export interface Restriction {
  files: readonly TestFile[]
  cases: readonly Pick<OutcomeCase, 'suite' | 'name' | 'file'>[]
}

/** Failures of the machine or of the server, which say nothing about the commit. */
const notOfCommit = new Set(['sandbox_failed', 'no_executor', 'cancelled'])

/**
 * Installs and prepares the parts of a side.
 *
 * @param moreParts - parts that only the tests of the change have
 * @returns the side, or why its commands failed
 */
export async function openSide(
  task: Task,
  fetched: FetchedSide,
  moreParts: readonly PlanPart[] = [],
): Promise<Side | { problem: { code: string; message: string } }> {
  const { ctx, project, settings, executor, environment, mask, runner, inUse } = task
  const given = {
    ctx,
    project,
    settings,
    executor,
    checkout: fetched.checkout,
    directory: fetched.directory,
    trust: fetched.trust,
    inUse,
    environment,
  }
  const { work, explained } = unloggedWork(given, mask, () => task.report('installing'))
  const { source, goModules } = fetched
  const parts = [...fetched.parts, ...moreParts]
  try {
    const layered = await task.time.uncounted(() => openLayers({ runner, work, source, parts, goModules, mask }))
    return { fetched, parts: fetched.parts, layered, paths: fetched.paths, own: [] }
  } catch (error) {
    const told = explained(error)
    if (!(told instanceof RunFailure) || notOfCommit.has(told.code)) throw told
    return { problem: { code: told.code, message: mask(told.message) } }
  }
}

interface RunHow {
  wallMs: number
  cpuMs?: number
  layers?: readonly string[]
  beside?: number
}

/** Runs all tests of the parts one after the other, with one timeout for all of them. */
export async function runSuite(
  side: Side,
  parts: readonly PlanPart[],
  { wallMs, coverage, warmsUp = false, ...how }: RunHow & { coverage: boolean; warmsUp?: boolean },
): Promise<PartRun[]> {
  const deadline = performance.now() + wallMs
  const runs: PartRun[] = []
  for (const part of parts) {
    const left = Math.max(1_000, deadline - performance.now())
    const execution = { ...how, step: suiteStep(part, { coverage }), wallMs: left, warmsUp }
    const unmeasured = coverage ? suiteStep(part, { coverage: false }) : undefined
    const run = (wanted: typeof execution) => runIn(side, part, wanted)
    runs.push({ part, outcome: await runMeasured({ part, run }, execution, unmeasured) })
  }
  return runs
}

/** Runs some tests of one part, or all of them if the runner cannot be restricted. */
export async function runSome(side: Side, part: PlanPart, restriction: Restriction, how: RunHow): Promise<RunOutcome> {
  return runStepOf(side, part, { ...how, step: stepFor(part, restriction) })
}

/** Runs a command of the part that is restricted to some of its tests. */
export async function runStepOf(side: Side, part: PlanPart, how: RunHow & { step: Step }): Promise<RunOutcome> {
  const outcome = await runIn(side, part, how)
  // If coverage cannot be turned off, some of the tests always miss a coverage threshold.
  return part.unmeasured === undefined && isDoubtful(outcome) ? { ...outcome, problem: null } : outcome
}

export function stepFor(part: PlanPart, restriction: Restriction): Step {
  const how = { coverage: false }
  const selected = selectedStep(part, restriction, how)
  return 'step' in selected ? selected.step : suiteStep(part, how)
}

function runIn(side: Side, part: PlanPart, { layers = [], ...execution }: RunHow & { step: Step; warmsUp?: boolean }) {
  const { layered, own, paths } = side
  return layered.run({ ...execution, part, layers: [...layers, ...own], paths, test: null })
}

/** Groups test files by the parts that run them. Files that no part runs are left out. */
export function byPart(parts: readonly PlanPart[], files: readonly TestFile[]): Map<PlanPart, TestFile[]> {
  const groups = new Map<PlanPart, TestFile[]>()
  for (const file of files) {
    const part = partOfTest({ parts }, file)
    if (part) groups.set(part, [...(groups.get(part) ?? []), file])
  }
  return groups
}

/** Moves files out of the checkout to a layer that restores them. */
export async function moveOut(side: Side, paths: readonly string[]): Promise<Side> {
  const { fetched, layered } = side
  const layer = await layered.newLayer('.')
  for (const path of paths) {
    if ((await ownFile(fetched.checkout, path)) === undefined) continue
    await mkdir(dirname(join(layer, path)), { recursive: true })
    await rename(join(fetched.checkout, path), join(layer, path))
  }
  return { ...side, own: [layer] }
}

/** Returns the side with files of another checkout, and without those that were moved out of its own. */
export async function withFilesOf(side: Side, checkout: string, paths: readonly string[]): Promise<Side> {
  const layer = await side.layered.newLayer('.')
  for (const path of paths) {
    const file = await ownFile(checkout, path)
    if (file === undefined) continue
    await mkdir(dirname(join(layer, path)), { recursive: true })
    await cp(file, join(layer, path), { verbatimSymlinks: true, preserveTimestamps: true })
  }
  return { ...side, own: [layer], paths: [...new Set([...side.paths, ...paths])] }
}

/** Creates a layer with files of the side that have other contents, and their modification times. */
export async function writeLayer(side: Side, contents: ReadonlyMap<string, string>): Promise<string> {
  const layer = await side.layered.newLayer('.')
  for (const [path, content] of contents) {
    await mkdir(dirname(join(layer, path)), { recursive: true })
    await writeFile(join(layer, path), content)
    const original = await ownFile(side.fetched.checkout, path)
    const times = original === undefined ? undefined : await lstat(original).catch(ifOutOfReach)
    // A newer modification time would let a test detect the change.
    if (times?.isFile()) await utimes(join(layer, path), times.atime, times.mtime)
  }
  return layer
}

/** Returns the path of a file or link of the checkout, without following links of the commit on the way to it. */
async function ownFile(checkout: string, path: string): Promise<string | undefined> {
  if ((await folderBelow(checkout, dirname(path))) === undefined) return undefined
  const found = await lstat(join(checkout, path)).catch(ifOutOfReach)
  return found?.isFile() || found?.isSymbolicLink() ? join(checkout, path) : undefined
}
