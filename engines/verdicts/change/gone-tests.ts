import { testsByName } from '../../test-names/named-sources.ts'
import type { ChangeFacts } from './facts.ts'
import type { Observed } from './judgement.ts'
import { isGo } from './side-tests.ts'
import type { TestOfChange } from './tests-of-change.ts'

/**
 * A deleted test weakens the proof, unless the code that it is named after is deleted too, or it only got a new name: a
 * new test of its file passes without the change and shares a word with it. The test of a deleted file may have its old
 * name in a new file. A case of a test with parameters may give way to another case.
 */
export function goneTests({ tests, facts: { files } }: Observed): { removed: TestOfChange[]; excused: TestOfChange[] } {
  const gone = tests.filter(({ transition }) => transition === 'gone')
  if (gone.length === 0) return { removed: [], excused: [] }
  const deleted = (kind: string) =>
    files.filter((file) => file.change === 'deleted' && file.kind === kind).map(({ path }) => path)
  const withCode = new Set(
    testsByName(deleted('code'), deleted('test'))
      .values()
      .flatMap((paths) => paths),
  )
  const folders = Map.groupBy(deleted('test'), (path) => path.slice(0, Math.max(0, path.lastIndexOf('/'))))
  const wasRenamed = newNames(tests)
  const wasMoved = newFiles(tests, files)
  const hasNewCase = newCases(tests)
  const isWithCode = ({ file, base }: TestOfChange) => {
    if (file !== null) return withCode.has(file)
    if (base === null || !isGo(base.example)) return false
    const { suite } = base.example
    const inPackage = [...folders].flatMap(([folder, paths]) =>
      folder !== '' && `/${suite}`.endsWith(`/${folder}`) ? paths : [],
    )
    return inPackage.length > 0 && inPackage.every((path) => withCode.has(path))
  }
  const removed: TestOfChange[] = []
  const excused: TestOfChange[] = []
  for (const test of gone) {
    const isExcused =
      !test.isSkippedElsewhere && (isWithCode(test) || hasNewCase(test) || wasMoved(test) || wasRenamed(test))
    if (isExcused) excused.push(test)
    else removed.push(test)
  }
  return { removed, excused }
}

/** Returns a function that finds a deleted test under its name in a new file. Each new test counts once. */
function newFiles(tests: readonly TestOfChange[], files: ChangeFacts['files']): (gone: TestOfChange) => boolean {
  const pathsOf = (change: string) =>
    new Set(files.flatMap((file) => (file.kind === 'test' && file.change === change ? file.path : [])))
  const [added, deleted] = [pathsOf('added'), pathsOf('deleted')]
  const isMoved = ({ transition, file }: TestOfChange) =>
    transition === 'new_passing' && file !== null && added.has(file)
  const counts = new Map<string, number>()
  for (const { head } of tests.filter(isMoved)) {
    const name = head?.example.name ?? ''
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return ({ base, file }) => {
    const name = base?.example.name ?? ''
    const count = counts.get(name) ?? 0
    if (count === 0 || file === null || !deleted.has(file)) return false
    counts.set(name, count - 1)
    return true
  }
}

/** Returns a function that tells whether the test of a deleted case has as many cases as before. */
function newCases(tests: readonly TestOfChange[]): (gone: TestOfChange) => boolean {
  const counts = new Map<string, { gone: number; added: number }>()
  for (const test of tests) {
    const isGone = test.transition === 'gone'
    const isAdded = test.base === null && test.isOfChange === 'added' && test.head?.status === 'passed'
    const root = isGone || isAdded ? rootOf(test) : null
    if (root === null) continue
    const count = counts.get(root) ?? { gone: 0, added: 0 }
    if (isGone) count.gone++
    else count.added++
    counts.set(root, count)
  }
  return (gone) => {
    const count = counts.get(rootOf(gone) ?? '')
    return count !== undefined && count.added >= count.gone
  }
}

/** The test with its file if the name is that of a case: `test_fee[2-40]` of pytest, `TestFee/two_days` of Go. */
function rootOf(test: TestOfChange): string | null {
  const example = (test.head ?? test.base)?.example
  if (example === undefined) return null
  const end = isGo(example)
    ? example.name.lastIndexOf('/')
    : example.name.endsWith(']')
      ? example.name.indexOf('[')
      : -1
  return end <= 0 ? null : `${homeOf(test)}\0${example.suite}\0${example.name.slice(0, end)}`
}

/** Returns a function that finds a new name for a deleted test. Each new test is the new name of one test at most. */
function newNames(tests: readonly TestOfChange[]): (gone: TestOfChange) => boolean {
  const byWord = new Map<string, TestOfChange[]>()
  for (const test of tests) {
    const { transition, isOfChange, withoutChange } = test
    if (transition !== 'new_passing' || isOfChange !== 'added' || withoutChange !== 'passes') continue
    for (const word of wordsOf(test)) {
      const known = byWord.get(word)
      if (known) known.push(test)
      else byWord.set(word, [test])
    }
  }
  const taken = new Set<TestOfChange>()
  return (gone) => {
    for (const word of wordsOf(gone)) {
      const candidates = byWord.get(word) ?? []
      for (let test = candidates.pop(); test !== undefined; test = candidates.pop()) {
        if (taken.has(test)) continue
        taken.add(test)
        return true
      }
    }
    return false
  }
}

/** The words of a test's name, with its file. */
function wordsOf(test: TestOfChange): Set<string> {
  const name = (test.head ?? test.base)?.example.name.slice(0, 500) ?? ''
  const words = name
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
  return new Set(
    words
      .filter((word) => word.length > 2 && !/^(?:tests?|should)$/.test(word))
      .map((word) => `${homeOf(test)}\0${word}`),
  )
}

function homeOf({ head, base, file }: TestOfChange): string {
  const example = (head ?? base)?.example
  if (example && isGo(example)) return `package ${example.suite}`
  return file === null ? `suite ${example?.suite}` : `file ${file}`
}
