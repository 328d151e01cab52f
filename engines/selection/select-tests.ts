import { globMatcher } from '../source/glob.ts'
import { cutAtBudget } from './budget.ts'
import { type Dependencies, findDependencies } from './dependencies.ts'
import { findSeeds, type Seeds } from './find-seeds.ts'
import { readReach } from './measured-reach.ts'
import { listTestFiles } from './test-files.ts'
import type { SelectedTest, SelectionInput, SelectionReason, SkipReason, TestSelection } from './types.ts'

/**
 * Decides which tests can notice the change, each with its reason. Where a file cannot be understood, every test runs.
 * The same input gives the same selection.
 */
export function selectTests(input: SelectionInput): TestSelection {
  const { tree, graph, texts, links, changes, parts, runnerFiles, history, durations } = input
  const listed = listTestFiles(tree, parts)
  const dependencies = findDependencies(tree, graph, texts, links)
  const seeds = findSeeds(input, dependencies)
  const affected = follow(dependencies, seeds)
  const pathFrom = (id: number) => affected.pathFrom(id).flatMap((one) => tree.files[one]?.path ?? [])
  const whyAll = ('whyAll' in listed ? listed.whyAll : undefined) ?? seeds.whyAll ?? whyOfRunner()
  const secondsOf = (file: string) => durations?.get(file)
  if (whyAll !== undefined) {
    const tests = listed.files.map((id) => withSeconds(tree.pathOf(id), { kind: 'all' }))
    return finish({ mode: 'all', whyAll, tests, skipped: [] })
  }

  const uncertain = seeds.hasEffect ? followUnknown(dependencies) : undefined
  const reach = usableReach()
  const isAlwaysRun = matcherOf(input.alwaysRun)
  const tests: SelectedTest[] = []
  const skipped: { file: string; reason: SkipReason }[] = []
  const narrowed: { file: string; imported: SelectionReason & { kind: 'imports' }; commitSha: string }[] = []
  for (const id of listed.files) {
    const file = tree.pathOf(id)
    const direct = importReason(id)
    const certain = reasonOf(id, file, direct)
    const imported = certain ?? direct
    const seen = reach?.of(file)
    if (certain === undefined && imported?.kind === 'imports' && seen?.missed === true) {
      narrowed.push({ file, imported, commitSha: seen.commitSha })
    } else if (imported) tests.push(withSeconds(file, imported))
    else if (seen?.reached !== undefined) {
      tests.push(withSeconds(file, { kind: 'reached', file: seen.reached, commitSha: seen.commitSha }))
    } else skipped.push({ file, reason: { kind: 'unaffected' } })
  }
  // A change inside of a function can make its file fail to load. So a test of each changed file runs: the nearest.
  const loaded = new Set(tests.flatMap(({ reason }) => (reason.kind === 'imports' ? (reason.path.at(-1) ?? []) : [])))
  for (const { file, imported, commitSha } of narrowed.toSorted(
    (a, b) => a.imported.path.length - b.imported.path.length,
  )) {
    const changed = imported.path.at(-1) ?? file
    if (loaded.has(changed)) skipped.push({ file, reason: { kind: 'not_reached', file: changed, commitSha } })
    else tests.push(withSeconds(file, imported))
    loaded.add(changed)
  }
  return finish({ mode: 'impacted', whyAll: null, tests, skipped }, (file) => reach?.of(file).reached !== undefined)

  /**
   * What was measured says nothing of code that was not watched. So tests that use such code need not be narrowed down, nor
   * those that may load a new file.
   */
  function usableReach() {
    if (input.reach === undefined) return undefined
    const { changes: later } = input.reach
    const changed = findSeeds({ tree, texts, links, changes: later }, dependencies)
    if (changed.whyAll !== undefined) return undefined
    const judged = readReach(input.reach, { tree })
    const unwatched = follow(dependencies, {
      changed: new Map([...changed.changed].filter(([, path]) => !judged.isWatched(path))),
    })
    const nameNow = new Map([...later.changed].map(([path, { before }]) => [before, path]))
    const isOfChange = (path: string) => changes.changed.has(nameNow.get(path) ?? path) || changes.gone.has(path)
    const isLoadedUnseen = (id: number) =>
      later.added.size > 0 && uncertain !== undefined && uncertain.pathFrom(id).length > 0
    return {
      of(file: string) {
        const id = tree.idOf(file) ?? -1
        const { commitSha, reached, missed } = judged.of(file)
        return {
          commitSha,
          missed: missed && unwatched.causeOf(id) === undefined && !isLoadedUnseen(id),
          reached: [...reached].find(isOfChange),
        }
      },
    }
  }

  /** Reasons that no measurement overrules. */
  function reasonOf(id: number, file: string, direct: ReturnType<typeof importReason>): SelectionReason | undefined {
    if (changes.added.has(file)) return { kind: 'new' }
    if (changes.changed.has(file)) return { kind: 'changed' }
    const known = history?.get(file)
    const unknown = uncertain?.pathFrom(id)
    if (direct?.path.length === 1) return direct
    if (known?.hasFailed) return { kind: 'failed' }
    if (known?.neverPassed) return { kind: 'never_passed' }
    if (known?.isFlaky) return { kind: 'flaky' }
    if (isAlwaysRun(file)) return { kind: 'always_run' }
    if (!direct && unknown && unknown.length > 0) {
      const last = unknown.at(-1) ?? id
      return {
        kind: 'unknown_imports',
        path: unknown.flatMap((one) => tree.files[one]?.path ?? []),
        what: dependencies.unknown.get(last) ?? '',
      }
    }
    return undefined
  }

  function importReason(id: number): (SelectionReason & { kind: 'imports' }) | undefined {
    const cause = affected.causeOf(id)
    if (cause === undefined) return undefined
    const path = pathFrom(id)
    if (path.length === 0) return undefined
    return { kind: 'imports', path: path.at(-1) === cause ? path : [...path, cause] }
  }

  /** A setup file that changed, or that imports a changed file. */
  function whyOfRunner(): string | undefined {
    for (const file of [...runnerFiles].toSorted()) {
      const id = tree.idOf(file)
      if (changes.gone.has(file)) return `${file}, which the runner loads, is gone`
      const cause = id === undefined ? undefined : affected.causeOf(id)
      if (cause === file) return `the runner loads ${file}`
      if (cause !== undefined) return `${file}, which the runner loads, uses ${cause}`
      const unknown = id !== undefined && seeds.hasEffect ? dependencies.unknown.get(id) : undefined
      if (unknown !== undefined && !/\.config\.\w+$/.test(file))
        return `${file}, which the runner loads, imports ${unknown}`
    }
    return undefined
  }

  function withSeconds(file: string, reason: SelectionReason): SelectedTest {
    const seconds = secondsOf(file)
    return { file, reason, ...(seconds !== undefined && { seconds }) }
  }

  function finish(
    found: Pick<TestSelection, 'mode' | 'whyAll' | 'tests' | 'skipped'>,
    isReached: (file: string) => boolean = () => false,
  ): TestSelection {
    return cutAtBudget(found, { input, total: listed.files.map((id) => tree.pathOf(id)), isReached })
  }
}

interface Followed {
  /** From a file to the nearest changed one; empty if there is none. */
  pathFrom(id: number): number[]
  causeOf(id: number): string | undefined
}

/** Follows the dependencies backwards from what changed, along the shortest paths. */
function follow({ dependents }: Dependencies, { changed }: Pick<Seeds, 'changed'>): Followed {
  const next = new Map<number, number>()
  const cause = new Map(changed)
  const queue = [...changed.keys()]
  for (const id of queue) {
    for (const dependent of dependents[id] ?? []) {
      if (cause.has(dependent)) continue
      cause.set(dependent, cause.get(id) ?? '')
      next.set(dependent, id)
      queue.push(dependent)
    }
  }
  return {
    causeOf: (id) => cause.get(id),
    pathFrom(id) {
      if (!cause.has(id)) return []
      const path = [id]
      for (let at = next.get(id); at !== undefined; at = next.get(at)) path.push(at)
      return path
    },
  }
}

const followUnknown = (dependencies: Dependencies) =>
  follow(dependencies, { changed: new Map([...dependencies.unknown].map(([id, what]) => [id, what])) })

function matcherOf(globs: readonly string[] = []): (path: string) => boolean {
  const matchers = globs.map(globMatcher)
  return (path) => matchers.some((matches) => matches(path))
}
