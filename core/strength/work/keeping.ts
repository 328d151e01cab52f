import type { Found, Kept, Present, Spared, TestRecord } from '../../../engines/strength/kept.ts'
import { whatIsSpared, whatToKeep } from '../../../engines/strength/kept.ts'
import { mutantKeys } from '../../../engines/strength/code-parts.ts'
import type { Tally } from '../../../engines/strength/tally.ts'
import { kindOfFile } from '../../../engines/verdicts/change/changed-files.ts'
import type { Context } from '../../base/context.ts'
import { withRetry } from '../../base/retry.ts'
import type { OpenedSource } from '../../workspaces/source.ts'
import type { SwitchedProgram } from './find-mutants.ts'
import { loadKept, storeKept } from './kept-results.ts'

export interface Keep {
  projectId: string
  /** See `conditionsOf`. */
  conditions: readonly [own: string, ...others: string[]]
  program: SwitchedProgram
  source: Pick<OpenedSource, 'tree' | 'contentId'>
  /** Whether to take over no results. */
  again: boolean
  /** Returns the path in the repository of a file where the runner sees it. */
  pathOf: (file: string) => string
  mask: (text: string) => string
}

/** Results of earlier measurements, and those of this one for later ones. */
export interface Keeping {
  spared: Spared
  /** @param isChecked - whether a sample of the results has been repeated in fresh processes */
  store(tally: Tally, isChecked: boolean): Promise<void>
  /** Returns what the test files ran of which all tests have run, now or in the measurement that is taken over. */
  seen(tally: Tally): readonly TestRecord[]
}

const nothing: Kept = { tests: [], others: [], reaches: [], results: new Map() }

/** Finds what earlier measurements of the project spare this one. */
export async function openKeeping(ctx: Context, keep: Keep): Promise<Keeping> {
  const { projectId, conditions, program, source, again, pathOf, mask } = keep
  const { mutants, probes, code } = program
  const contentOf = (path: string) => source.contentId(path) ?? null
  const ofPackage = goPackageTests(source.tree.paths)
  const testOf = (path: string) => withCompanions(path, contentOf, ofPackage)
  const keys = mutantKeys(mutants, code)
  const present: Present = { mutants, probes, keys, code, contentOf, testOf }
  const kept = again
    ? nothing
    : await withRetry(() => loadKept(ctx, projectId, { conditions, paths: [...code.keys()] }), ctx.signal)
  // Test files of Go are in the records of the tests of their package, and no other package can use them.
  const paths = source.tree.paths.filter(
    (path) => ['code', 'test'].includes(kindOfFile(path)) && !path.endsWith(goTest),
  )
  const stored = new Set<string>()
  const spared = whatIsSpared(kept, present)
  const known = new Set(spared.known.map(({ path }) => path))
  const found = (tally: Tally, isChecked: boolean): Found => {
    const settled = [...tally.decided.values()].filter(({ id, outcome }) => outcome !== 'survived' || !tally.isOpen(id))
    const decided = settled.map((one) => {
      const { by } = one
      if (by === null) return one
      return { ...one, by: { file: pathOf(by.file), test: by.test === null ? null : mask(by.test) } }
    })
    const reaches = tally
      .reaches()
      .map(({ file, tests, ...reach }) => {
        const path = pathOf(file)
        // A masked name would name no test.
        const isKept = tests !== null && !known.has(path) && tests.every(({ test }) => !test || mask(test) === test)
        return { path, ...reach, tests: isKept ? tests : null }
      })
      .filter(({ path }) => contentOf(path) !== null)
    return {
      ...present,
      paths,
      decided,
      isUnchecked: (id) => !isChecked && (!tally.kept.has(id) || spared.unchecked.has(id)),
      reaches,
      testsOf: (id) => tally.filesOf(id).map(pathOf),
    }
  }
  return {
    spared,
    seen(tally) {
      const whole = new Set(tally.reaches().flatMap(({ file, tests }) => (tests === null ? [] : pathOf(file))))
      return whatToKeep(found(tally, true), kept).tests.filter(({ path }) => whole.has(path) || known.has(path))
    },
    async store(tally, isChecked) {
      const replaced = new Map<string, Set<string>>()
      for (const { id, mutant } of mutants) {
        const key = keys.get(id)
        if (key === undefined || !tally.decided.has(id)) continue
        const own = replaced.get(mutant.path) ?? new Set()
        replaced.set(mutant.path, own.add(key))
      }
      const results = {
        projectId,
        conditions: conditions[0],
        kept: whatToKeep(found(tally, isChecked), kept),
        replaced,
      }
      await withRetry(() => storeKept(ctx, results, stored))
    },
  }
}

/** Identifies a test file with its stored snapshots, which Vitest and Jest put beside it, and with all that Go compiles with it. */
function withCompanions(
  path: string,
  contentOf: (path: string) => string | null,
  ofPackage: ReadonlyMap<string, readonly string[]>,
): string | null {
  const own = contentOf(path)
  if (own === null) return null
  const at = path.lastIndexOf('/') + 1
  const others = path.endsWith(goTest)
    ? (ofPackage.get(path.slice(0, at)) ?? []).filter((one) => one !== path)
    : [`${path.slice(0, at)}__snapshots__/${path.slice(at)}.snap`]
  return [own, ...others.flatMap((one) => contentOf(one) ?? [])].join(' ')
}

const goTest = '_test.go'

/** The test files of Go by their folder: each can use functions of the others. */
const goPackageTests = (paths: readonly string[]) =>
  Map.groupBy(
    paths.filter((path) => path.endsWith(goTest)),
    (path) => path.slice(0, path.lastIndexOf('/') + 1),
  )
