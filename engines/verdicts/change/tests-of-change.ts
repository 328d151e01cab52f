import { hasLine, type Ranges } from '../../coverage/ranges.ts'
import type { OutcomeCase } from '../outcome.ts'
import type { ComparedSides, ComparedTest } from './compare-sides.ts'
import type { ChangedFile, ChangeFacts } from './facts.ts'
import type { ChangedTest } from './schema.ts'
import { linesByTitle } from './lines-by-title.ts'
import { isGo, isOfFile } from './side-tests.ts'

export interface TestOfChange extends ComparedTest {
  isOfChange: ChangedTest['isOfChange']
  /** The declaration of the test after the change; null if it is unknown. */
  line: number | null
}

/**
 * Finds the tests that the change added or changed.
 *
 * A test that only the head has is added, unless the diff does not touch its file. A test of a changed file is changed
 * if the change touches its lines: those from its declaration to the next one. Lines that declare an added test belong
 * to that test alone. A change of other lines, such as imports and helpers, or a report without lines counts only for
 * tests whose result differs, or that fail without the change. A test that the change breaks counts if its own lines may
 * have changed, or if it fails without the change too.
 */
export function testsOfChange(
  { tests, skipped, isBaseKnown }: ComparedSides,
  { files, sources }: ChangeFacts,
): TestOfChange[] {
  const changed = new Map(files.flatMap((file) => (file.kind === 'other' ? [] : [[file.path, file] as const])))
  const goTests = findGoTests(files, sources)
  const placed = tests.map((test) => {
    const now = test.head?.named ?? null
    const found = now ?? test.base?.example ?? test.head?.example
    const go = found && isGo(found) ? goTests(found) : null
    const file = test.file ?? go?.file ?? null
    const line = test.head === null ? null : (go?.line ?? (now === null || isGo(now) ? null : (now.line ?? null)))
    return { ...test, file, line, isOfChange: null as ChangedTest['isOfChange'] }
  })
  const skippedByFile = Map.groupBy(skipped, ({ file }) => file)
  const byFile = Map.groupBy(placed, ({ file }) => file)
  for (const [path, ofFile] of byFile) {
    const file = path === null ? undefined : changed.get(path)
    const skippedHere = withLines(ofFile, skippedByFile.get(path) ?? [], sources.get(path ?? ''))
    for (const test of ofFile) test.isOfChange = isAdded(test, file, path, isBaseKnown) ? 'added' : null
    if (file === undefined || file.change === 'deleted') {
      // Reports without files show a changed test only by its result without the change.
      if (path === null)
        for (const test of ofFile) if (test.isOfChange === null && failsAlone(test)) test.isOfChange = 'changed'
      continue
    }
    const touched = touchedLines(ofFile, skippedHere, file.lines)
    for (const test of ofFile) {
      if (test.isOfChange !== null || test.head === null) continue
      const isTouched = test.line !== null && touched.has(test.line)
      const isUnclear = test.line === null && !isBaseKnown
      if (isTouched || isUnclear || isAffected(test)) test.isOfChange = 'changed'
    }
  }
  return placed
}

/** Sets the lines of the tests of a file from its source, if the report names none. Returns the skipped tests with theirs. */
function withLines(
  tests: readonly TestOfChange[],
  skipped: ComparedSides['skipped'],
  source: string | undefined,
): ComparedSides['skipped'] {
  const named = tests.flatMap((test) => (test.head?.named ? { test, name: test.head.named.name } : []))
  if (source === undefined || named.length === 0 || tests.some(({ line }) => line !== null)) return skipped
  const lines = linesByTitle(source, [...named.map(({ name }) => name), ...skipped.map(({ example }) => example.name)])
  if (lines === null) return skipped
  for (const { test, name } of named) test.line = lines.get(name) ?? null
  return skipped.map((found) => {
    const line = lines.get(found.example.name)
    return line === undefined ? found : { ...found, example: { ...found.example, line } }
  })
}

/** Tests of unknown files are added if the base does not have them: parametrized tests, and reports without files. */
function isAdded(
  test: TestOfChange,
  file: ChangedFile | undefined,
  path: string | null,
  isBaseKnown: boolean,
): boolean {
  if (test.head === null || test.base !== null) return false
  if (path === null) return isBaseKnown && !test.isSkippedElsewhere
  if (file === undefined) return false
  if (file.change === 'added') return true
  if (test.isSkippedElsewhere) return false
  return isBaseKnown || (test.line !== null && hasLine(file.lines, test.line))
}

/** Whether the change affects the test, although its lines did not change or are unknown. */
function isAffected(test: TestOfChange): boolean {
  const { transition, withoutChange } = test
  if (transition === 'fails_both') return false
  return (
    failsAlone(test) ||
    test.isSkippedElsewhere ||
    withoutChange === 'fails' ||
    // Otherwise the code breaks a test that stays as it is.
    (transition === 'broken' && test.line === null && withoutChange !== 'passes') ||
    transition === 'fails_to_passes' ||
    transition === 'new_failing' ||
    (transition === 'flaky' && test.line === null && test.base?.status !== 'flaky')
  )
}

/** An import that only the change has keeps the whole file from being loaded, which says nothing about one test. */
const failsAlone = ({ head, withoutChangeFailure }: TestOfChange): boolean =>
  head?.status === 'passed' && withoutChangeFailure !== null && !isOfFile(withoutChangeFailure)

/** Returns the declarations of tests whose lines the change touches. */
function touchedLines(
  tests: readonly TestOfChange[],
  skipped: ComparedSides['skipped'],
  lines: Ranges,
): ReadonlySet<number> {
  const added = new Set<number>()
  const starts = new Set<number>()
  for (const { line, isOfChange } of tests) {
    if (line === null) continue
    starts.add(line)
    if (isOfChange === 'added') added.add(line)
  }
  // Skipped tests are no tests of the change, but lines below their declaration are theirs.
  for (const { example } of skipped) {
    if (example.line === undefined || starts.has(example.line)) continue
    starts.add(example.line)
    added.add(example.line)
  }
  const declarations = [...starts].toSorted((a, b) => a - b)
  const touched = new Set<number>()
  let next = 0
  for (const [first, last] of lines) {
    while ((declarations[next] ?? Infinity) < first) next++
    const inside: number[] = []
    for (let at = next; (declarations[at] ?? Infinity) <= last; at++) inside.push(declarations[at] ?? 0)
    const before = declarations[next - 1]
    const hasAdded = inside.some((line) => added.has(line))
    // Several cases share a declaration if they are parametrized; the added ones own the changed lines.
    const owners = hasAdded || before === undefined || added.has(before) ? inside : [before, ...inside]
    for (const line of owners) if (!added.has(line)) touched.add(line)
  }
  return touched
}

interface GoTest {
  file: string
  line: number
}

const goTest = /^func\s+((?:Test|Example|Fuzz)(?![a-z])\w*)\s*\(/gm

/** Reports of Go name packages instead of files. The name of a test function is unique in its package. */
function findGoTests(
  files: readonly ChangedFile[],
  sources: ReadonlyMap<string, string>,
): (found: OutcomeCase) => GoTest | null {
  const byName = new Map<string, (GoTest & { folder: string })[]>()
  for (const { path, change } of files) {
    const source = sources.get(path)
    if (!path.endsWith('_test.go') || change === 'deleted' || source === undefined) continue
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')))
    let line = 1
    let from = 0
    for (const { index, 1: name = '' } of source.matchAll(goTest)) {
      for (; from < index; from++) if (source.charCodeAt(from) === 10) line++
      const known = byName.get(name)
      const test = { file: path, line, folder }
      if (known) known.push(test)
      else byName.set(name, [test])
    }
  }
  return ({ suite, name }) => {
    const [root = ''] = name.split('/', 1)
    const found = byName.get(root)?.filter(({ folder }) => folder === '' || `/${suite}`.endsWith(`/${folder}`)) ?? []
    return found.reduce<(GoTest & { folder: string }) | null>(
      (best, test) => (best === null || test.folder.length > best.folder.length ? test : best),
      null,
    )
  }
}
