import type { FailureDescription } from '../../../engines/reports/describe-failures.ts'
import { cutText, firstLine, plainText } from '../../../engines/reports/text.ts'
import type { FailingTest, FailureGroup, Flakiness } from './schema.ts'
import type { FailedTest } from './failed-tests.ts'
import type { Since } from './history.ts'
import { short } from './short.ts'

const maxNameLength = 200
const maxOwners = 5
const maxGroupMessageLength = 240
/** The first message of a group may be longer, because the others say the same. */
const maxMessageLength = { first: 400, others: 120 }
const maxStackLineLength = 160

/**
 * @param descriptionOf - returns what `describeFailures` found in the texts of a test
 * @param historyOf - returns the history of a test
 * @returns the groups in the order of the tests, except that groups with only flaky tests come last
 */
export function presentGroups(
  tests: readonly FailedTest[],
  descriptionOf: (test: FailedTest) => FailureDescription | undefined,
  historyOf: (testId: string) => { since: Since; flaky: Flakiness | null; owners: string[] },
): FailureGroup[] {
  const groups = [...Map.groupBy(tests, ({ group }) => group).values()].map((members): FailureGroup => {
    const [first] = members
    const examples = members.map((test, index) =>
      presentTest(test, index === 0, descriptionOf(test), historyOf(test.testId)),
    )
    return {
      message: short(firstLine(plainText(first?.message ?? '')), maxGroupMessageLength),
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
  { frame, stackLines }: FailureDescription = { frame: null, stackLines: [] },
  { since, flaky, owners }: { since: Since; flaky: Flakiness | null; owners: string[] },
): FailingTest {
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
    owners: owners.slice(0, maxOwners),
    frame:
      frame && frame.line !== null
        ? { file: short(isOwnFile ? (test.file ?? '') : frame.file, maxNameLength), line: frame.line }
        : null,
    message: message === '' ? null : cutText(message, isFirst ? maxMessageLength.first : maxMessageLength.others),
    stack: isFirst ? stackLines.map((line) => short(line, maxStackLineLength)) : [],
  }
}
