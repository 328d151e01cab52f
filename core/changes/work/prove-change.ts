import type { PlanPart } from '../../../engines/test-plan/plan.ts'
import type { ChangedFile, ChangeFacts, SideFacts } from '../../../engines/verdicts/change/facts.ts'
import { isSupport } from '../../../engines/verdicts/change/proving-tests.ts'
import type { RunOutcome, TestFile } from '../../../engines/verdicts/outcome.ts'
import { testTitle } from '../../../engines/verdicts/own-tests.ts'
import { howManyFit } from '../../workspaces/runner/at-once.ts'
import { runWithSupportOfBase } from './base-support.ts'
import type { FetchedBase, FetchedHead } from './fetch-sides.ts'
import type { WithoutChange } from './follow-text.ts'
import { findLateFailures, saysLate } from './late-failures.ts'
import { tryOtherCode, type Tried } from './mutate.ts'
import { measuredBy, mergeOutcomes } from './outcomes.ts'
import { failingOnBoth, repeat, restrictionsOf } from './repeat.ts'
import { runSide, type SideRuns } from './run-sides.ts'
import { byPart, moveOut, openSide, type Restriction, runSome, type Side, withFilesOf } from './side.ts'
import type { Task } from './task.ts'

type MaybeSide = Side | { problem: { code: string; message: string } }

const minWallMs = 60_000

/**
 * Runs the tests of both sides, the tests of the change on the code of the base, suspicious tests again, and mutants of
 * the changed lines, in the order of what tells most.
 *
 * @param onKnown - called after each phase from which a verdict follows
 */
export async function proveChange(
  task: Task,
  fetched: { head: FetchedHead; base: FetchedBase; tests: readonly TestFile[] },
  onKnown: (facts: () => ChangeFacts) => Promise<void>,
): Promise<ChangeFacts> {
  const { head, base, tests } = fetched
  const { settings, change, files } = task
  const timeoutMs = settings.timeoutSeconds * 1_000
  const removed = files
    .filter(isLaidOver)
    .flatMap((file) =>
      file.before !== null && (file.change === 'deleted' || file.before !== file.path) ? file.before : [],
    )
  const openHead = once(() => openSide(task, head.side))
  const openBase = once(async (): Promise<MaybeSide> => {
    const side = await openSide(task, base.side, base.testParts)
    if ('problem' in side) return side
    return removed.length === 0 ? side : moveOut(side, removed)
  })

  const headRuns = await runSide(task, head.side, { phase: 'running_head', coverage: true, open: openHead })
  const baseRuns = await runSide(task, base.side, { phase: 'running_base', coverage: false, open: openBase })
  // Tests may pass now because of another file that changed, such as a fixture.
  const mended = files.some(isSupport)
    ? withoutFiles(restrictionsOf(baseRuns, headRuns, new Map()), removed)
    : new Map()
  const known = {
    withoutChange: tests.length + mended.size === 0 ? null : ([] as RunOutcome[]),
    tried: { mutation: null, restored: [], textTests: [] } as Tried,
    notRun: new Set<ChangeFacts['notRun'][number]>(['repeats', 'without_change', 'mutants']),
    support: undefined as ChangeFacts['support'],
  }
  const facts = (): ChangeFacts => ({
    intent: change.intent,
    files,
    base: sideFacts(baseRuns),
    head: sideFacts(headRuns),
    withoutChange: known.withoutChange && [...known.withoutChange],
    ...known.tried,
    ...(known.support && { support: known.support }),
    sources: head.sources,
    sourcesBefore: change.intent === 'same' ? base.sources : new Map<string, string>(),
    cases: new Map(),
    notRun: [...known.notRun],
    warnings: [],
  })
  const mergedHead = mergeOutcomes(headRuns.first.map(({ outcome }) => outcome))
  const testsOfHead = byPart(head.side.parts, tests)
  const isRunnable = headRuns.problem === null && mergedHead !== null && mergedHead.problem === null
  if (known.withoutChange === null || !isRunnable) known.notRun.delete('without_change')
  if (!isRunnable) known.notRun.delete('mutants')
  await onKnown(facts)

  let withoutChange: WithoutChange | null = null
  if (known.notRun.has('without_change') && !task.time.isOver()) {
    withoutChange = await openWithoutChange(task, { ...fetched, mended }, openBase)
    if (withoutChange) {
      task.report('without_change')
      const outcome = await runParts(withoutChange, timeoutMs)
      if (outcome) known.withoutChange?.push(outcome)
    }
    known.notRun.delete('without_change')
    await onKnown(facts)
  }

  const wallMs = Math.min(timeoutMs, minWallMs + 4 * Math.max(headRuns.durationMs, baseRuns.durationMs))
  const peak = mergedHead?.execution.usage.peakMemoryBytes ?? null
  const atOnce = howManyFit(task.ctx.config.runs.memoryBytes, peak)
  if (await repeatSuspects()) known.notRun.delete('repeats')
  await onKnown(facts)

  if (isRunnable && head.runnerFiles.length > 0) {
    const side = task.time.isOver() ? null : await openHead()
    known.support =
      side && 'layered' in side
        ? await runWithSupportOfBase(task, fetched, side, failuresOf(headRuns))
        : { files: head.runnerFiles.map(({ path }) => path), runs: [] }
  }

  if (known.notRun.has('mutants') && !task.time.isOver()) {
    const hasCode = files.some(
      ({ kind, change: how }) => kind === 'code' && (how !== 'deleted' || change.intent === 'same'),
    )
    const isBroken = restrictionsOf(headRuns, baseRuns, new Map()).size > 0 && failsAlways(headRuns, baseRuns)
    const side = hasCode && !isBroken ? await openHead() : null
    let isComplete = true
    if (side && 'layered' in side) {
      const own = {
        side,
        runs: headRuns,
        tests: testsOfHead,
        failures: failuresOf(headRuns),
        atOnce,
        noticing: head.noticing,
      }
      const texts = { sources: head.sources, sourcesBefore: base.sources, coverage: measuredBy(mergedHead) }
      const unchanged = withoutChange && { ...withoutChange, runs: known.withoutChange ?? [], wallMs }
      const tryIt = (failures: ReadonlySet<string>) =>
        tryOtherCode(task, { ...own, ...texts, failures, withoutChange: unchanged }, (soFar) => {
          known.tried = soFar
        })
      isComplete = await tryIt(own.failures)
      const late = task.time.isOver() ? null : await findLateFailures(own, known.tried)
      if (late) {
        headRuns.repeated.push(...late.runs)
        task.warn(saysLate(late))
        known.tried = { mutation: null, restored: [], textTests: known.tried.textTests }
        if (!late.isOfChange) isComplete = await tryIt(own.failures.union(late.titles))
      }
    }
    if (isComplete) known.notRun.delete('mutants')
  }
  return facts()

  async function repeatSuspects(): Promise<boolean> {
    const failing = failingOnBoth(headRuns, baseRuns)
    const ofHead = restrictionsOf(headRuns, baseRuns, isRunnable ? testsOfHead : new Map(), failing)
    const ofBase = restrictionsOf(baseRuns, headRuns, new Map(), failing)
    const failed = known.withoutChange?.some(({ totals, problem }) => totals.failedTests > 0 || problem !== null)
    const repetitions = []
    const add = (runs: SideRuns) => (outcome: RunOutcome) => void runs.repeated.push(outcome)
    if (ofHead.size > 0) {
      const side = await openHead()
      if ('layered' in side) repetitions.push({ side, restrictions: ofHead, wallMs, add: add(headRuns) })
    }
    if (ofBase.size > 0) {
      const side = await openBase()
      if ('layered' in side) repetitions.push({ side, restrictions: ofBase, wallMs, add: add(baseRuns) })
    }
    if (withoutChange && failed) {
      const into = (outcome: RunOutcome) => void known.withoutChange?.push(outcome)
      repetitions.push({ side: withoutChange.side, restrictions: withoutChange.parts, wallMs, add: into })
    }
    return repeat(task, repetitions, { times: change.repeats - 1, atOnce })
  }
}

/** Whether the tests of the change run with this file on the code of the base: everything but code. */
const isLaidOver = (file: ChangedFile) => file.kind === 'test' || isSupport(file)

/** Leaves out the tests of files that the base loses. */
function withoutFiles(
  restrictions: ReadonlyMap<PlanPart, Restriction>,
  paths: readonly string[],
): Map<PlanPart, Restriction> {
  const left = [...restrictions].map(([part, { files, cases }]) => {
    const kept = { files: files.filter(({ path }) => !paths.includes(path)), cases }
    return [part, kept] as const
  })
  return new Map(left.filter(([, { files, cases }]) => files.length + cases.length > 0))
}

/**
 * Lays the new and changed tests with all other files that are not code over the base, which loses those that the change
 * deletes. So tests that fail there fail because of the code.
 *
 * @param mended - other tests that fail before the change and pass after it
 */
async function openWithoutChange(
  task: Task,
  {
    head,
    base,
    tests,
    mended,
  }: {
    head: FetchedHead
    base: FetchedBase
    tests: readonly TestFile[]
    mended: ReadonlyMap<PlanPart, Restriction>
  },
  openBase: () => Promise<MaybeSide>,
): Promise<WithoutChange | null> {
  const parts = new Map(mended)
  for (const [part, files] of byPart([...base.side.parts, ...base.testParts], tests)) {
    const known = parts.get(part) ?? { files: [], cases: [] }
    const others = known.files.filter(({ path }) => !files.some((file) => file.path === path))
    parts.set(part, { files: [...files, ...others], cases: known.cases })
  }
  if (parts.size === 0) {
    task.warn('The tests of the change could not run without it: the base has no test command for them.')
    return null
  }
  const side = await openBase()
  if ('problem' in side) {
    task.warn(`The tests of the change could not run without it: ${side.problem.message}`)
    return null
  }
  const laid = task.files.filter((file) => isLaidOver(file) && file.change !== 'deleted').map(({ path }) => path)
  return { side: await withFilesOf(side, head.side.checkout, laid), parts }
}

async function runParts({ side, parts }: WithoutChange, wallMs: number): Promise<RunOutcome | null> {
  const outcomes: RunOutcome[] = []
  for (const [part, restriction] of parts) outcomes.push(await runSome(side, part, restriction, { wallMs }))
  return mergeOutcomes(outcomes)
}

function sideFacts({ fetched, problem, first, repeated, durationMs, cached }: SideRuns): SideFacts {
  const whole = mergeOutcomes(first.map(({ outcome }) => outcome))
  return {
    commitSha: fetched.commitSha,
    runs: whole ? [whole, ...repeated] : [],
    problem,
    coverage: measuredBy(whole),
    durationMs,
    cached,
  }
}

const failedIn = ({ cases }: RunOutcome) => new Set(cases.filter(({ status }) => status === 'failed').map(testTitle))

/** Returns the titles of tests that failed in some run of a side. */
const failuresOf = ({ first, repeated }: SideRuns): Set<string> =>
  [...first.map(({ outcome }) => outcome), ...repeated].reduce(
    (all, outcome) => all.union(failedIn(outcome)),
    new Set<string>(),
  )

/** Whether a test that does not fail on the other side failed in every run. */
function failsAlways(own: SideRuns, other: SideRuns): boolean {
  const elsewhere = failuresOf(other)
  const first = own.first.reduce((all, { outcome }) => all.union(failedIn(outcome)), new Set<string>())
  return [...first]
    .filter((title) => !elsewhere.has(title))
    .some((title) => own.repeated.every((outcome) => failedIn(outcome).has(title)))
}

/** Calls a function at the first call only. */
function once<Value>(call: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined
  return () => (value ??= call())
}
