import type { SelectedTest, SelectionInput, SkipReason, TestSelection } from './types.ts'

/** Smaller ranks are more useful. Tests of the change come first, then those that are nearest to it. */
function rankOf({ file, reason }: SelectedTest, isReached: (file: string) => boolean): number {
  switch (reason.kind) {
    case 'changed':
    case 'new':
      return 0
    case 'failed':
    case 'reached':
      return 2
    case 'imports':
      return (isReached(file) ? 1 : 2) + Math.min(reason.path.length, 100)
    case 'never_passed':
    case 'flaky':
    case 'always_run':
      return 200
    case 'unknown_imports':
      return 300
    default:
      return 400
  }
}

const usualSeconds = 1

/** Orders the tests by their likely use, leaves out those beyond the budget, and counts. */
export function cutAtBudget(
  { mode, whyAll, tests, skipped }: Pick<TestSelection, 'mode' | 'whyAll' | 'tests' | 'skipped'>,
  {
    input: { budgetSeconds, durations },
    total,
    isReached,
  }: { input: SelectionInput; total: readonly string[]; isReached: (file: string) => boolean },
): TestSelection {
  const ordered = tests
    .map((test) => ({ test, rank: rankOf(test, isReached) }))
    .toSorted((a, b) => a.rank - b.rank || (a.test.file < b.test.file ? -1 : 1))
    .map(({ test }) => test)
  const unknown = median([...(durations?.values() ?? [])]) ?? usualSeconds
  const kept: SelectedTest[] = []
  const cut: { file: string; reason: SkipReason }[] = []
  let spent = 0
  for (const test of ordered) {
    const seconds = test.seconds ?? unknown
    // The most useful test runs even if it alone takes longer.
    if (budgetSeconds !== undefined && kept.length > 0 && spent + seconds > budgetSeconds) {
      cut.push({ file: test.file, reason: { kind: 'budget', reason: test.reason } })
      continue
    }
    spent += seconds
    kept.push(test)
  }
  const reaching = ordered.filter(({ file }) => isReached(file))
  const keptFiles = new Set(kept.map(({ file }) => file))
  const secondsOf = (files: Iterable<string>) => {
    let sum = 0
    for (const file of files) sum += durations?.get(file) ?? 0
    return sum
  }
  return {
    mode,
    whyAll,
    tests: kept,
    skipped: [...skipped, ...cut],
    counts: { all: total.length, selected: kept.length, skipped: skipped.length, cut: cut.length },
    seconds: { all: secondsOf(total), selected: secondsOf(keptFiles) },
    measuredShare:
      reaching.length === 0 ? null : reaching.filter(({ file }) => keptFiles.has(file)).length / reaching.length,
  }
}

function median(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[values.length >> 1]
}
