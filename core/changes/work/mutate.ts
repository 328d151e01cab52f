import { clipRanges, type Ranges } from '../../../engines/coverage/ranges.ts'
import { findMutants } from '../../../engines/mutation/find-mutants.ts'
import { applyMutant, makesText, type Mutant, presentMutant } from '../../../engines/mutation/mutant.ts'
import { codeReached } from '../../../engines/verdicts/coverage-gain.ts'
import type { ChangeFacts, JudgedOldMutant, RestoredPart } from '../../../engines/verdicts/change/facts.ts'
import type { PartToRestore } from '../../../engines/verdicts/change/parts-to-restore.ts'
import { partsToRestoreApart } from '../../../engines/verdicts/change/restore-apart.ts'
import type { JudgedRun, MutantOutcome } from '../../../engines/verdicts/facts.ts'
import type { Measured, RunOutcome } from '../../../engines/verdicts/outcome.ts'
import { counted } from '../../../engines/verdicts/worth.ts'
import { allSettled } from '../../base/all-settled.ts'
import { limitConcurrency } from '../../base/limit-concurrency.ts'
import { digest } from '../../workspaces/digest.ts'
import { countInPlaces, findInOldCode, type OldCodeToTry, openOldCode, sampleOfOldCode } from './mutate-old-code.ts'
import { layerWithOtherText, testsOfNewText, type WithoutChange } from './follow-text.ts'
import { sampleOf } from './sample.ts'
import { writeLayer } from './side.ts'
import {
  type Attempts,
  type Noticed,
  ownStages,
  type Stage,
  suiteStages,
  type Trying,
  tryLayers,
  tryOtherText,
} from './stages.ts'
import type { Task } from './task.ts'

/** What tests do with other code than that of the head. */
export type Tried = Pick<ChangeFacts, 'mutation' | 'restored' | 'textTests' | 'oldCode' | 'places'>

interface MutatedFile {
  path: string
  source: string
  mutants: readonly Mutant[]
}

interface Mutating extends Omit<Trying, 'failures'> {
  coverage: Measured | null
  /** Contents of the code files after and before the change. */
  sources: ReadonlyMap<string, string>
  sourcesBefore: ReadonlyMap<string, string>
  /** Titles of tests that fail on the head as it is. */
  failures: ReadonlySet<string>
  /** The tests of the change on the code of the base, with their results; null if they did not run. */
  withoutChange: (WithoutChange & { runs: readonly RunOutcome[]; wallMs: number }) | null
}

/** More files of a change are not searched for mutants. */
const maxFiles = 100
/** The share of the wanted mutants of a refactoring that are in the old code, if there are enough of both. */
const oldShare = 1 / 2
/** The share of the wanted mutants that restore parts of the old code instead, and their largest number. */
const restoredShare = 1 / 3
const maxRestored = 10

/**
 * Tries other code in the place of the changed code: another text that does the same, parts of the old code, and mutants
 * of the changed lines that tests cover.
 *
 * @param publish - receives the results so far
 * @returns whether all of it was possible within the time for the work
 */
export async function tryOtherCode(task: Task, mutating: Mutating, publish: (soFar: Tried) => void): Promise<boolean> {
  const { change, report } = task
  const { side, sources, sourcesBefore, coverage, withoutChange } = mutating
  const seed = digest([mutating.runs.fetched.commitSha, change.baseSha]).slice(0, 16)
  const files = await findInChange(task, mutating)
  const found = files.reduce((sum, { mutants }) => sum + mutants.length, 0)
  const parts =
    change.intent === 'same'
      ? []
      : await partsToRestoreApart(task.runner, {
          files: task.files,
          sources,
          sourcesBefore,
          measured: coverage && Object.keys(coverage.files),
          count: Math.min(maxRestored, Math.ceil(change.mutants * restoredShare)),
          seed,
        })
  const same = sameMutants(parts, files)
  const count = change.mutants - parts.filter(({ kind }) => kind !== 'file').length
  const ofNew = files.flatMap(({ mutants }) => mutants)
  const old = change.intent === 'same' ? await findInOldCode(task, mutating, ofNew) : null
  const oldCount = old === null ? 0 : Math.max(Math.ceil(count * oldShare), count - found)
  const oldSample = old === null ? [] : sampleOfOldCode(old, oldCount, seed)
  const inOld = sizeOf(oldSample)
  const sample = sampleOf(withoutMutants(files, new Set(same.values())), count - inOld, seed)
  const sampled = sizeOf(sample)
  const total = parts.length + sampled + inOld
  const texts = { files: task.files, sources, sourcesBefore }

  const judged: JudgedRun[] = []
  const restored: RestoredPart[] = []
  const judgedOld: JudgedOldMutant[] = []
  const failures = new Set(mutating.failures)
  const textTests = new Set<string>()
  const tried = (): Tried => ({
    mutation: judged.length + judgedOld.length === 0 ? null : { found, seed, judged: sorted(judged) },
    restored: restored.toSorted((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1)),
    textTests: [...textTests],
    ...(old && { oldCode: { found: old.found, judged: sorted(judgedOld) }, places: places() }),
  })
  const counting = (ofOld: OldCodeToTry | null) =>
    countInPlaces(old?.places ?? [], { now: ofNew, before: ofOld?.files.flatMap(({ mutants }) => mutants) ?? [] })
  let countPlaces = counting(old)
  const places = () => countPlaces({ now: invalid(judged), before: invalid(judgedOld) })
  const trying: Trying = { ...mutating, failures }
  const follows = (titles: readonly string[]) => {
    for (const title of titles) {
      textTests.add(title)
      failures.add(title)
    }
    publish(tried())
  }
  report('mutating', 0, total)

  const mutants = new Map(files.map((file) => [file.path, file.mutants]))
  const unchanged = await layerWithOtherText(side, texts, mutants)
  const checked = async (stages: Stage[]) => {
    if (unchanged === null || stages.length === 0) return stages
    const { usable, following } = await tryOtherText(trying, stages, unchanged)
    follows(following)
    return usable
  }
  const own = await checked(ownStages(trying))
  const known = new Map<string, Promise<Stage[]>>()
  // Tests around the code may follow its text or fail for a reason of their own, like those of the change.
  const attemptsOn = (path: string, isImported: boolean): Attempts => ({
    own,
    around: () => {
      const stages = suiteStages(trying, path, isImported)
      const key = JSON.stringify(stages.map(({ part, step }) => [part.directory, step.argv]))
      const found = known.get(key) ?? checked(stages)
      known.set(key, found)
      return found
    },
  })
  if (withoutChange) follows(await testsOfNewText(withoutChange, withoutChange.runs, texts, withoutChange.wallMs))

  const inSlot = limitConcurrency(mutating.atOnce)
  let done = 0
  let skipped = 0
  const attempt = (run: () => Promise<void>) =>
    inSlot(async () => {
      if (task.time.isOver()) {
        skipped++
        return
      }
      await run()
      publish(tried())
      report('mutating', ++done, total)
    })
  let triedParts = 0
  const gone = deletedCode(mutating, task)
  await allSettled(
    parts.map((part) =>
      attempt(async () => {
        const { path, line, kind, now, before } = part
        const attempts = attemptsOn(path, kind !== 'file')
        const { outcome, alone, isAlone } = await restore(trying, part, { attempts, gone })
        const mutant = same.get(part)
        const isMutant = mutant !== undefined && isAlone
        restored.push({ path, line, kind, now, before, outcome, ...(isMutant && { isMutant }) })
        if (mutant === undefined) triedParts++
        else if (alone !== null)
          judged.push({ mutant: presentMutant(mutant), outcome: alone.outcome, killedBy: alone.killedBy })
      }),
    ),
  )
  await allSettled(
    sample.map(async ({ path, source, mutants: ofFile }) => {
      const attempts = attemptsOn(path, true)
      if (own.length === 0 && (await inSlot(attempts.around)).length === 0) {
        task.warn(`Assay tried no mutants of ${path}: its tests fail even if only the text of the file changes.`)
        return
      }
      await allSettled(
        ofFile.map((mutant) =>
          attempt(async () => {
            const layer = await side.layered.makeLayer(path, applyMutant(source, mutant))
            const { outcome, killedBy } = await tryLayers(trying, attempts, [layer])
            judged.push({ mutant: presentMutant(mutant), outcome, killedBy })
          }),
        ),
      )
    }),
  )
  if (inOld > 0 && !task.time.isOver()) {
    const around = (path: string) => attemptsOn(path, true).around()
    const tryOld = await openOldCode(trying, task, { ...texts, own, around })
    if (tryOld === null) {
      countPlaces = counting(null)
      task.warn(
        'Assay tried no mutants of the old code, because the tests do not pass with it in the place of the new.',
      )
      publish(tried())
    } else {
      await allSettled(
        oldSample.flatMap((file) =>
          file.mutants.map((mutant) => attempt(async () => void judgedOld.push(await tryOld(file, mutant)))),
        ),
      )
    }
  } else skipped += inOld
  if (old !== null) publish(tried())
  if (skipped > 0) {
    const [mutantsIn, partsIn] = [sampled + same.size, parts.length - same.size]
    const tried = [
      ...(mutantsIn > 0 ? [`${judged.length} of ${counted(mutantsIn, 'mutant')}`] : []),
      ...(inOld > 0 ? [`${judgedOld.length} of ${counted(inOld, 'mutant')} of the old code`] : []),
      ...(partsIn > 0 ? [`${triedParts} of ${counted(partsIn, 'restored part')} of the old code`] : []),
    ]
    task.warn(`Assay tried ${tried.join(' and ')}, because the time for the work was over.`)
  }
  return skipped === 0
}

const invalid = (judged: readonly Pick<JudgedOldMutant, 'mutant' | 'outcome'>[]) =>
  judged.flatMap(({ mutant, outcome }) => (outcome === 'invalid' ? mutant : []))

const sizeOf = (files: readonly { mutants: readonly unknown[] }[]) =>
  files.reduce((sum, { mutants }) => sum + mutants.length, 0)

const sorted = <Judged extends Pick<JudgedOldMutant, 'mutant'>>(judged: readonly Judged[]): Judged[] =>
  judged.toSorted(({ mutant: a }, { mutant: b }) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1))

/** The code files that the change deletes. Restored code may need them. */
function deletedCode({ sourcesBefore }: Mutating, { files }: Task): ReadonlyMap<string, string> {
  const deleted = files.filter(({ kind, change }) => kind === 'code' && change === 'deleted')
  return new Map(
    deleted.flatMap(({ path }) => {
      const source = sourcesBefore.get(path)
      return source === undefined ? [] : [[path, source] as const]
    }),
  )
}

/** Finds the mutants that are the same code as a part to restore. */
function sameMutants(parts: readonly PartToRestore[], files: readonly MutatedFile[]): Map<PartToRestore, Mutant> {
  const byPath = new Map(files.map((file) => [file.path, file]))
  return new Map(
    parts.flatMap((part) => {
      // Other tests run with whole files.
      const file = part.kind === 'file' ? undefined : byPath.get(part.path)
      const mutant = file?.mutants.find((one) => makesText(file.source, one, part.content))
      return mutant === undefined ? [] : [[part, mutant] as const]
    }),
  )
}

const withoutMutants = (files: readonly MutatedFile[], known: ReadonlySet<Mutant>): MutatedFile[] =>
  files.map((file) => ({ ...file, mutants: file.mutants.filter((mutant) => !known.has(mutant)) }))

interface Restored {
  outcome: MutantOutcome
  /** What tests do with this part alone, as with a mutant; null if no tests can tell. */
  alone: Noticed | null
  /** Whether `outcome` is that of this part alone, not with other code that the change removes. */
  isAlone: boolean
}

/**
 * Runs the stages with a part of the old code. If it cannot be loaded or crashes, it may need other code that the change
 * removes.
 */
async function restore(
  trying: Trying,
  { path, kind, content, withRemoved }: PartToRestore,
  { attempts, gone }: { attempts: Attempts; gone: ReadonlyMap<string, string> },
): Promise<Restored> {
  // No test runs what is outside of all parts, and no test tells whose failures say nothing.
  if (attempts.own.length === 0 && (await attempts.around()).length === 0)
    return { outcome: kind === 'file' ? 'survived' : 'invalid', alone: null, isAlone: false }
  const runWith = async (contents: ReadonlyMap<string, string>) =>
    tryLayers(trying, attempts, [await writeLayer(trying.side, contents)])
  const alone = await runWith(new Map([[path, content]]))
  const outcome = outcomeOfPart(alone)
  const isComplete = kind === 'file' || (withRemoved === null && gone.size === 0)
  if (isComplete || (outcome !== 'invalid' && outcome !== 'crashed')) return { outcome, alone, isAlone: true }
  const together = outcomeOfPart(await runWith(new Map([...gone, [path, withRemoved ?? content]])))
  return together === 'invalid' ? { outcome, alone, isAlone: true } : { outcome: together, alone, isAlone: false }
}

const outcomeOfPart = ({ outcome, isUnbuilt }: Noticed): MutantOutcome =>
  outcome === 'survived' && isUnbuilt ? 'invalid' : outcome

/** Finds the mutants of all changed lines that the tests cover. */
async function findInChange(task: Task, { coverage, sources }: Mutating): Promise<MutatedFile[]> {
  const files: MutatedFile[] = []
  const code = task.files.filter(({ kind, change }) => kind === 'code' && change !== 'deleted')
  if (coverage === null && code.length > 0 && task.change.mutants > 0) {
    task.warn(
      'Assay could not measure which lines the tests cover, so mutants in lines that they do not cover may have survived.',
    )
  }
  for (const { path, lines } of code.slice(0, maxFiles)) {
    const source = sources.get(path)
    const measured = coverage?.files[path]
    if (source === undefined || lines.length === 0 || (coverage !== null && !measured)) continue
    const reached = measured && codeReached(measured)
    const covered = reached && { ...reached, covered: withinChange(reached.covered, lines) }
    const mutants = await findMutants(task.runner, { path, source, lines, ...(covered && { covered }) })
    if (mutants.length > 0) files.push({ path, source, mutants })
  }
  return files
}

const withinChange = (covered: Ranges, lines: Ranges): Ranges =>
  lines.flatMap(([first, last]) => clipRanges(covered, first, last))
