import { firstFrame } from '../../../engines/reports/first-frame.ts'
import { normalizeError } from '../../../engines/reports/normalize-error.ts'
import { cutText } from '../../../engines/reports/text.ts'
import type { FailingTest, FailureGroup, Flakiness } from './schema.ts'
import type { FailedTest } from './failed-tests.ts'
import type { Since } from './history.ts'
import { short } from './short.ts'

const longestName = 200
const longestGroupMessage = 240
/** Those after the first of a group say the same. */
const longestMessage = { first: 400, others: 120 }
const stackLines = 4
const longestStackLine = 160

/**
 * @param historyOf - what the tests did before
 * @param roots - folders that absolute paths in stacks begin with
 * @returns in the order of the tests, but groups whose tests are all known to be flaky last
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
      message: short(normalizeError(first?.message ?? null).text, longestGroupMessage),
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
    // Java names a file with the folders of its package alone.
    (test.file ? firstFrame(test.message, test.stack, { roots, files: new Set([test.file]) }) : null)
  // Go names a file without its folder.
  const isOwnFile = frame !== null && test.file?.endsWith(`/${frame.file}`) === true
  const message = test.message?.trim() ?? ''
  return {
    testId: test.testId,
    suite: short(test.suite, longestName),
    name: short(test.name, longestName),
    file: test.file && short(test.file, longestName),
    line: test.line,
    since,
    flaky,
    frame:
      frame && frame.line !== null
        ? { file: short(isOwnFile ? (test.file ?? '') : frame.file, longestName), line: frame.line }
        : null,
    message: message === '' ? null : cutText(message, isFirst ? longestMessage.first : longestMessage.others),
    stack: isFirst ? stackOf(test) : [],
  }
}

const frameLine = /:\d+(?::\d+)?\)?$|, line \d+/

/** Where it happened; the message is told already. Of a stack that nobody can read, its beginning. */
function stackOf({ message, stack }: FailedTest): string[] {
  const lines = (stack ?? '').split('\n').map((line) => line.trim())
  const told = new Set(message?.split('\n').map((line) => line.trim()))
  const frames = lines.filter((line) => frameLine.test(line))
  const chosen = frames.length > 0 ? frames : lines.filter((line) => line !== '' && !told.has(line))
  return chosen.slice(0, stackLines).map((line) => short(line, longestStackLine))
}

const maxGuessedRoots = 5

/** Where the repository lay, as far as a stack names a test's own file by an absolute path. */
function guessRoots(tests: readonly FailedTest[]): string[] {
  const roots = new Set<string>()
  for (const { file, stack } of tests) {
    const end = file && stack ? stack.indexOf(`/${file}`) : -1
    const [root] = end > 0 ? (/\/[^\s()'":]*$/.exec(stack?.slice(Math.max(0, end - 500), end) ?? '') ?? []) : []
    if (root !== undefined && roots.size < maxGuessedRoots) roots.add(root)
  }
  return [...roots]
}
