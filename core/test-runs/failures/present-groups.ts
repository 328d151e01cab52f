import { firstFrame } from '../../../engines/reports/first-frame.ts'
import { normalizeError } from '../../../engines/reports/normalize-error.ts'
import { cutText } from '../../../engines/reports/text.ts'
import type { FailingTest, FailureGroup, Flakiness } from './schema.ts'
import type { FailedTest } from './failed-tests.ts'
import type { Since } from './history.ts'
import { short } from './short.ts'

const maxNameLength = 200
const maxGroupMessageLength = 240
/** The first message of a group may be longer, because the others say the same. */
const maxMessageLength = { first: 400, others: 120 }
const stackLines = 4
const maxStackLineLength = 160

/**
 * @param historyOf - returns the history of a test
 * @param roots - folders that absolute paths in stacks begin with
 * @returns the groups in the order of the tests, except that groups with only flaky tests come last
 */
export function presentGroups(
  tests: readonly FailedTest[],
  historyOf: (testId: string) => { since: Since; flaky: Flakiness | null },
  roots: readonly string[],
): FailureGroup[] {
  const allRoots = [...roots, ...guessRoots(tests)]
  const groups = [...Map.groupBy(tests, ({ group }) => group).values()].map((members): FailureGroup => {
    const [first] = members
    const examples = members.map((test, index) => presentTest(test, index === 0, historyOf(test.testId), allRoots))
    return {
      message: short(normalizeError(first?.message ?? null).text, maxGroupMessageLength),
      tests: first?.groupTests ?? 0,
      newTests: first?.groupNewTests ?? 0,
      flaky: examples.every(({ flaky }) => flaky !== null),
      examples,
      leftOut: 0,
    }
  })
  return groups.toSorted((a, b) => Number(a.flaky) - Number(b.flaky))
}

function presentTest(
  test: FailedTest,
  isFirst: boolean,
  { since, flaky }: { since: Since; flaky: Flakiness | null },
  roots: readonly string[],
): FailingTest {
  const frame =
    firstFrame(test.message, test.stack, { roots }) ??
    // Java names a file only by the folders of its package.
    (test.file ? firstFrame(test.message, test.stack, { roots, files: new Set([test.file]) }) : null)
  // Go names a file without its folder.
  const isOwnFile = frame !== null && test.file?.endsWith(`/${frame.file}`) === true
  const message = test.message?.trim() ?? ''
  return {
    testId: test.testId,
    suite: short(test.suite, maxNameLength),
    name: short(test.name, maxNameLength),
    file: test.file && short(test.file, maxNameLength),
    line: test.line,
    since,
    flaky,
    frame:
      frame && frame.line !== null
        ? { file: short(isOwnFile ? (test.file ?? '') : frame.file, maxNameLength), line: frame.line }
        : null,
    message: message === '' ? null : cutText(message, isFirst ? maxMessageLength.first : maxMessageLength.others),
    stack: isFirst ? stackOf(test) : [],
  }
}

const frameLine = /:\d+(?::\d+)?\)?$|, line \d+/

/** Returns the first frames of a stack without the lines of the message; if no line looks like a frame, its beginning. */
function stackOf({ message, stack }: FailedTest): string[] {
  const lines = (stack ?? '').split('\n').map((line) => line.trim())
  const messageLines = new Set(message?.split('\n').map((line) => line.trim()))
  const frames = lines.filter((line) => frameLine.test(line))
  const chosen = frames.length > 0 ? frames : lines.filter((line) => line !== '' && !messageLines.has(line))
  return chosen.slice(0, stackLines).map((line) => short(line, maxStackLineLength))
}

const maxGuessedRoots = 5

/** Finds the folders of the repository in stacks that name the file of their test by its absolute path. */
function guessRoots(tests: readonly FailedTest[]): string[] {
  const roots = new Set<string>()
  for (const { file, stack } of tests) {
    const end = file && stack ? stack.indexOf(`/${file}`) : -1
    const before = end > 0 ? (stack?.slice(Math.max(0, end - 500), end) ?? '') : ''
    const word = before.split(/[\s()'":]/).at(-1) ?? ''
    const start = word.indexOf('/')
    if (start >= 0 && roots.size < maxGuessedRoots) roots.add(word.slice(start))
  }
  return [...roots]
}
