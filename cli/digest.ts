import { cleanText } from '../client/sanitize.ts'
import type { FailingTest, FailureDigest, FailureGroup } from '../core/test-runs/failures/schema.ts'
import { bold, dim, type Output, red, yellow } from './output.ts'
import { runCoverageWords } from '../client/run-coverage-words.ts'
import { testedSnapshotWords } from '../client/snapshot-words.ts'
import { countsOf, refOf, statusPart, timeOf } from './run-words.ts'
import { counted, pageLine } from './words.ts'

const messageLines = 12

/**
 * Prints the result of a run and, for each failure, its place, its age and how to run it again.
 *
 * @param isLogShown - the log was printed before, so its end is not repeated
 */
export function writeDigest(out: Output, digest: FailureDigest, { isLogShown = false } = {}): void {
  const { runId, url, status, error, groups, leftOut, fixed, passedAfterRetry, muted, leftOutByQuarantine, rerun } =
    digest
  const code = digest.snapshot ? testedSnapshotWords(digest.snapshot) : refOf(digest)
  const facts = [countsOf(digest), timeOf(digest.duration), code].filter(Boolean)
  out.line(statusPart(status), `  ${facts.join(', ')}  `, dim(`run ${runId}`))
  const covered = runCoverageWords(digest)
  if (covered) out.line(`Coverage ${covered.summary}${changeOf(digest)}`)
  if (covered?.worst) out.line(dim(`Least covered: ${covered.worst}`))
  for (const warning of digest.warnings) out.line(yellow(`! ${warning}`))
  if (error) {
    out.line('')
    out.line(red(`${error.code}: ${error.message}`))
    for (const line of isLogShown ? [] : error.log) out.line(dim(`  ${line}`))
  }
  const isFirst = digest.comparedWith === null
  for (const group of groups) writeGroup(out, group, isFirst)
  if (leftOut.tests > 0) {
    out.line('')
    out.line(
      `${counted(leftOut.tests, 'more failing test')} not shown. Run \`assay failures ${runId} --all\` to see more.`,
    )
  }
  if ([fixed, passedAfterRetry, muted, leftOutByQuarantine].some(({ count }) => count > 0)) out.line('')
  writeNames(out, 'Fixed', fixed)
  writeNames(out, 'Passed only after a retry', passedAfterRetry)
  writeNames(out, 'Failed but muted', muted)
  writeNames(out, 'Left out by quarantine', leftOutByQuarantine)
  if (rerun) {
    out.line('')
    if (rerun.command !== null) out.line('Run them locally:       ', bold(rerun.command))
    out.line('Run them on the server: ', bold(`assay run --rerun-failed ${runId}`))
  }
  out.line(dim(pageLine(url)))
}

/** @param isFirst - no earlier run says which failures are new */
function writeGroup(out: Output, group: FailureGroup, isFirst: boolean): void {
  const { message, tests, newTests, flaky, examples, leftOut } = group
  out.line('')
  const marks = [newTests > 0 && !isFirst ? `${newTests} new` : '', flaky ? 'flaky' : ''].filter(Boolean)
  out.line(red(`✗ ${counted(tests, 'test')}`), marks.length > 0 ? ` (${marks.join(', ')})` : '')
  // The group's message is only a line.
  const lines = cleanText(examples[0]?.message ?? message)
    .trimEnd()
    .split('\n')
  for (const line of lines.slice(0, messageLines)) out.line(`  ${line}`)
  if (lines.length > messageLines) out.line(dim(`  … ${counted(lines.length - messageLines, 'more line')}`))
  for (const example of examples) writeTest(out, example)
  if (leftOut > 0) out.line(dim(`  … and ${counted(leftOut, 'more test')} with this error`))
}

function writeTest(out: Output, test: FailingTest): void {
  const place = placeOf(test)
  out.line('  ', bold(nameOf(test)), place === null ? '' : `  ${place}`)
  const { kind, runs, commitSha, createdAt } = test.since
  if (kind === 'still_failing') {
    const since = commitSha === null ? createdAt : `${commitSha.slice(0, 10)}, ${createdAt}`
    out.line(dim(`    failing for ${counted(runs, 'run')}, since ${since}`))
  }
  if (test.flaky) out.line(yellow(`    flaky: ${test.flaky.reason}`))
}

/** Returns the failing line in the repository, else the test itself. */
function placeOf({ frame, file, line }: FailingTest): string | null {
  if (frame) return `${frame.file}:${frame.line}`
  return file === null ? null : line === null ? file : `${file}:${line}`
}

const nameOf = ({ suite, name }: FailingTest) => (suite === '' ? name : `${suite} > ${name}`)

function writeNames(out: Output, heading: string, names: FailureDigest['fixed']): void {
  if (names.count > 0) out.line(`${heading}: ${namesInWords(names)}`)
}

/** `cart > adds, cart > removes and 7 more`. */
export const namesInWords = ({ tests, leftOut }: Pick<FailureDigest['fixed'], 'tests' | 'leftOut'>) =>
  `${tests.join(', ')}${leftOut > 0 ? ` and ${leftOut} more` : ''}`

function changeOf({ coverage, comparedWith }: FailureDigest): string {
  const before = comparedWith?.coverage ?? null
  if (coverage === null || before === null || coverage.toFixed(1) === before.toFixed(1)) return ''
  return `, ${coverage > before ? 'up' : 'down'} from ${before.toFixed(1)} %`
}
