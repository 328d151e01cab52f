import { clipRanges, parseRanges } from '../../coverage/ranges.ts'
import { counted } from '../worth.ts'
import { isBlankOrComment } from './comments.ts'
import { beginsFunction } from './code-lines.ts'
import { type Gap, gap } from './gap.ts'
import type { RestoredPart } from './facts.ts'
import type { Observed } from './judgement.ts'
import { familyOf } from './patch-coverage.ts'
import { quotedCode, ranges } from './sentences.ts'

/** Percent of the changed lines that tests must run. The rest leaves room for errors that are hard to provoke. */
const minCoveredPercent = 80
/** A longer range that no test runs is a whole function or branch, which a percentage of a large change would hide. */
const maxUncoveredLines = 10

export function linesNotRun({ facts, lines: { patch, longestUncovered, notLoaded } }: Observed): Gap[] {
  if (patch === null) return []
  const { lines, coveredLines, uncovered } = patch
  const gaps: Gap[] = []
  const uncalledIn = (path: string) => parseRanges(facts.head.coverage?.files[path]?.uncalled ?? '')
  const notCalled = uncovered.filter(
    ({ path, startLine, endLine }) =>
      clipRanges(uncalledIn(path), startLine, endLine).length > 0 ||
      beginsBody(facts.sources.get(path), startLine, path),
  )
  const isLow = coveredLines * 100 < lines * minCoveredPercent
  if (isLow || longestUncovered > maxUncoveredLines) {
    gaps.push(
      gap(
        'lines_not_run',
        `Tests run ${coveredLines} of ${counted(lines, 'changed line')}. Nothing runs ${ranges(uncovered)}. Test these lines.`,
      ),
    )
  }
  if (gaps.length === 0 && notCalled.length > 0) {
    gaps.push(
      gap(
        'lines_not_run',
        `Tests run ${coveredLines} of ${counted(lines, 'changed line')}, but nothing calls the function with ${ranges(notCalled)}. Test it.`,
      ),
    )
  }
  if (notLoaded.length > 0) {
    const shown = notLoaded.slice(0, 3).join(', ')
    const more = notLoaded.length > 3 ? ` and ${notLoaded.length - 3} more` : ''
    gaps.push(
      gap('file_not_loaded', `No test loads ${shown}${more}, which the change adds or modifies. Test this code.`),
    )
  }
  return gaps
}

/** Places of the change with mutants that no test detects, where no coverage says whether tests run them. */
export function placesNotDetected({ facts: { files, mutation }, lines: { patch } }: Observed): Gap[] {
  if (patch !== null || mutation === null) return []
  const judged = mutation.judged.filter(({ outcome }) => outcome !== 'invalid')
  // Another gap says that the tests detect nothing at all.
  if (judged.every(({ outcome }) => outcome === 'survived')) return []
  const left = files.flatMap(({ path, lines }) =>
    lines.flatMap(([first, last]) => {
      const here = judged.filter(({ mutant }) => mutant.path === path && mutant.line >= first && mutant.line <= last)
      return here.length > 0 && here.every(({ outcome }) => outcome === 'survived') ? { path, line: first } : []
    }),
  )
  const [place] = left
  if (place === undefined) return []
  const more = left.length > 1 ? ` The same holds for ${counted(left.length - 1, 'more place')}.` : ''
  return [
    gap(
      'lines_not_noticed',
      `The tests detect no mutant of the change in ${place.path}:${place.line}, and no coverage shows whether they run it.${more} Test what it does.`,
    ),
  ]
}

const shownBranches = 3

/** Branches that no test takes could do something else than before. */
export function branchesNotTaken({ lines: { patch }, facts: { sources } }: Observed): Gap[] {
  const partial = patch?.partial ?? []
  if (partial.length === 0) return []
  const shown = partial.slice(0, shownBranches).map(({ path, line, taken, total }) => {
    const code = sources.get(path)?.split('\n')[line - 1] ?? ''
    return `${quotedCode(code)} in ${path}:${line} (${taken} of ${total})`
  })
  const left = (patch?.partialLines ?? 0) - shown.length
  const more = left > 0 ? ` and ${counted(left, 'more line')}` : ''
  return [
    gap(
      'branch_not_taken',
      `Tests do not take all branches of ${shown.join(', ')}${more}, so they do not show what these do. Test the other branches.`,
    ),
  ]
}

/** Whether the line is the first one in the body of a function, so that it only runs if somebody calls the function. */
function beginsBody(source: string | undefined, line: number, path: string): boolean {
  const lines = source?.split('\n') ?? []
  if (beginsFunction(lines[line - 1] ?? '')) return true
  const before = lines.slice(0, line - 1).findLast((text) => !isBlankOrComment(text, path))
  return before !== undefined && beginsFunction(before)
}

/** A renamed file of which nothing shows that a test loads it under its new name. */
export function renamedNotLoaded({ facts: { files, head } }: Observed): Gap[] {
  const { coverage } = head
  if (coverage === null) return []
  const measures = new Set(Object.keys(coverage.files).map(familyOf))
  const paths = files.flatMap(({ path, before, kind, change, lines }) =>
    kind === 'code' &&
    change === 'changed' &&
    before !== path &&
    lines.length === 0 &&
    measures.has(familyOf(path)) &&
    !Object.hasOwn(coverage.files, path)
      ? path
      : [],
  )
  if (paths.length === 0) return []
  const more = paths.length > 3 ? ` and ${paths.length - 3} more` : ''
  return [
    gap(
      'file_not_loaded',
      `No test loads ${paths.slice(0, 3).join(', ')}${more}, which the change renames. Test this code.`,
    ),
  ]
}

/** Variables that runners of tests set. */
const ofRunners =
  /\b(?:NODE_TEST_CONTEXT|VITEST|VITEST_POOL_ID|VITEST_WORKER_ID|JEST_WORKER_ID|PYTEST_CURRENT_TEST|PYTEST_VERSION)\b/

/** Code that may do something else without a test runner, which no test can show. */
export function codeAskingForTests({ facts: { files, sources } }: Observed): Gap[] {
  for (const { path, kind, lines } of files) {
    const source = kind === 'code' ? sources.get(path)?.split('\n') : undefined
    for (const [first, last] of source ? lines : []) {
      const at =
        source?.slice(first - 1, last).findIndex((line) => ofRunners.test(line) && !isBlankOrComment(line, path)) ?? -1
      if (at < 0) continue
      return [
        gap(
          'asks_for_tests',
          `${quotedCode(source?.[first - 1 + at] ?? '')} in ${path}:${first + at} asks whether a test runner runs, so no test shows what the code does otherwise. Make it independent of the runner.`,
        ),
      ]
    }
  }
  return []
}

/** Files that no coverage measures, and whose old content the tests accept, too. */
export function filesNotNoticed({ facts: { restored } }: Observed): Gap[] {
  const paths = restored.flatMap(({ kind, outcome, path }) => (kind === 'file' && outcome === 'survived' ? path : []))
  if (paths.length === 0) return []
  const more = paths.length > 3 ? ` and ${paths.length - 3} more` : ''
  return [
    gap(
      'file_not_noticed',
      `No test notices the change of ${paths.slice(0, 3).join(', ')}${more}: the tests pass with the old content, too. Test what the change makes different.`,
    ),
  ]
}

/** Code that the change only adds, and without which the tests pass, too. */
export function additionsNotNoticed({ facts: { restored } }: Observed): Gap[] {
  const left = restored.filter(({ kind, outcome }) => kind === 'addition' && outcome === 'survived')
  const [first] = left
  if (first === undefined) return []
  const more = left.length > 1 ? ` The same holds for ${counted(left.length - 1, 'more place')}.` : ''
  return [
    gap(
      'addition_not_noticed',
      `No test notices what the change adds in ${first.path}:${first.line}, ${quotedCode(first.now)}: the tests pass without this code, too.${more} Test what it does, or leave it out.`,
    ),
  ]
}

/** Code that the change only removes, and without whose removal the tests pass, too. */
export function removalsNotNoticed({ facts: { restored } }: Observed): Gap[] {
  const left = restored.filter(({ kind, outcome }) => kind === 'removal' && outcome === 'survived')
  const [first] = left
  if (first === undefined) return []
  const more = left.length > 1 ? ` The same holds for ${counted(left.length - 1, 'more place')}.` : ''
  return [
    gap(
      'removal_not_noticed',
      `No test notices that the change removes ${quotedCode(first.before)} in ${first.path}:${first.line}: the tests pass with this code, too.${more} Test what happens without it, or restore it.`,
    ),
  ]
}

/**
 * Code in another order or with another meaning, where the tests pass with the old code, too. Rewritten code may have the
 * same meaning, but not if the old code is a mutant of it, or if it has a branch that no test takes.
 */
export function alterationsNotNoticed({ facts: { restored }, lines: { patch } }: Observed): Gap[] {
  const left = (kind: string) => restored.filter((part) => part.kind === kind && part.outcome === 'survived')
  const more = (count: number) => (count > 1 ? ` The same holds for ${counted(count - 1, 'more place')}.` : '')
  const hasOpenBranch = ({ path, line, now }: RestoredPart) =>
    patch?.partial.some((open) => open.path === path && open.line >= line && open.line < line + linesOf(now)) ?? false
  const meansAnother = (part: RestoredPart) => part.isMutant === true || hasOpenBranch(part)
  const [moved, altered] = [left('move'), [...left('alteration'), ...left('replacement').filter(meansAnother)]]
  return [
    ...moved
      .slice(0, 1)
      .map(({ path, line, now, before }) =>
        gap(
          'order_not_noticed',
          `No test notices the order of ${quotedCode(now)} in ${path}:${line}: the tests pass with the old order ${quotedCode(before)}, too.${more(moved.length)} Test what depends on it, or restore it.`,
        ),
      ),
    ...altered
      .slice(0, 1)
      .map(({ path, line, now, before }) =>
        gap(
          'old_code_passes_too',
          `No test notices ${quotedCode(now)} in ${path}:${line}: the tests pass with the old ${quotedCode(before)}, too.${more(altered.length)} Test the difference, or restore the old code.`,
        ),
      ),
  ]
}

const linesOf = (text: string) => text.split('\n').length
