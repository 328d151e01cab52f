import { z } from 'zod'
import type { FailingTest, FailureDigest, FailureGroup } from '../../core/test-runs/failures/schema.ts'
import { cleanName } from '../../client/sanitize.ts'
import { testedSnapshotWords } from '../../client/snapshot-words.ts'
import { Branch, ShortCommit } from './run-facts.ts'
import { first, maybe, untrusted } from './untrusted.ts'
import { joined } from './words.ts'

/** The name of a test, file or folder. */
export const Label = untrusted.name(160)

const RunPoint = z.object({ runId: z.string(), commit: maybe(ShortCommit) })
const TestNames = z.object({ count: z.int(), tests: first(5, Label) })

const FailedTestFact = z.object({
  test: Label,
  /** With the line, where it is known. */
  file: maybe(Label),
  /** The first line of the project's own code in the stack. */
  at: maybe(Label),
  /** Absent where the failure is new. */
  since: RunPoint.extend({ runs: z.int() }).optional(),
  /** Why the failure may have nothing to do with the change. */
  flaky: maybe(untrusted.line(1_000)),
})

const GroupFact = z.object({
  message: untrusted.line(240),
  tests: z.int(),
  newTests: z.int(),
  /** All of these tests are known to be flaky. */
  flaky: z.literal(true).optional(),
  examples: z.array(FailedTestFact),
})

/** What failed in a run, by cause. */
export const FailureFacts = z.object({
  /** The code that was tested, if it was no commit of the repository. */
  snapshot: maybe(z.string()),
  comparedWith: RunPoint.extend({ branch: maybe(Branch), failedTests: z.int() }).optional(),
  newFailures: z.int(),
  stillFailing: z.int(),
  groups: z.array(GroupFact),
  leftOut: z.object({ groups: z.int(), tests: z.int(), rest: z.string() }).optional(),
  fixed: TestNames.optional(),
  passedAfterRetry: TestNames.optional(),
  /** Failed, but muted by quarantine, so that they do not decide. */
  muted: TestNames.optional(),
  /** Skipped, because quarantine leaves them out. */
  leftOutByQuarantine: TestNames.optional(),
  /** The end of the log of a run without results. */
  log: maybe(untrusted.text(10_000)),
  rerunCommand: z.string().optional(),
})
export type FailureFacts = z.infer<typeof FailureFacts>

/** The name by which a search finds the test. */
export const testName = ({ suite, name }: { suite: string; name: string }) => joined(' > ', suite, name)

export const placeOf = ({ file, line }: { file: string | null; line: number | null }) =>
  file !== null && line !== null ? `${file}:${line}` : file

export function failureFacts(digest: FailureDigest): FailureFacts {
  const { comparedWith: before, leftOut, error, rerun, newFailures, stillFailing } = digest
  return FailureFacts.parse({
    snapshot: digest.snapshot && testedSnapshotWords(digest.snapshot),
    comparedWith: before ? { ...before, commit: before.commitSha } : undefined,
    newFailures,
    stillFailing,
    groups: digest.groups.map(groupFact),
    leftOut: leftOut.tests > 0 ? { ...leftOut, rest: howToSeeAll(digest) } : undefined,
    fixed: digest.fixed.count > 0 ? digest.fixed : undefined,
    passedAfterRetry: digest.passedAfterRetry.count > 0 ? digest.passedAfterRetry : undefined,
    muted: digest.muted.count > 0 ? digest.muted : undefined,
    leftOutByQuarantine: digest.leftOutByQuarantine.count > 0 ? digest.leftOutByQuarantine : undefined,
    log: error?.log.join('\n'),
    rerunCommand: commandToType(rerun?.command),
  })
}

const groupFact = ({ message, tests, newTests, flaky, examples }: FailureGroup) => ({
  // The group's own message is only a line.
  message: examples[0]?.message ?? message,
  tests,
  newTests,
  flaky: flaky || undefined,
  examples: examples.map(failedTestFact),
})

function failedTestFact(test: FailingTest) {
  const { file, frame, since, flaky } = test
  // Many runners report the file without a line.
  const place = placeOf({ file, line: test.line ?? (frame && frame.file === file ? frame.line : null) })
  const at = frame && placeOf(frame)
  return {
    test: testName(test),
    file: place,
    at: at === place ? undefined : at,
    since: since.kind === 'new' ? undefined : { ...since, commit: since.commitSha },
    flaky: flaky?.reason,
  }
}

/** A pasted command has to run what its reader sees. */
export const commandToType = (command: string | null | undefined) =>
  command && cleanName(command) === command ? command : undefined

/** The facts with only the first groups. */
export function keepGroups(runId: string, facts: FailureFacts, count: number): FailureFacts {
  const dropped = facts.groups.slice(count)
  const { groups = 0, tests = 0 } = facts.leftOut ?? {}
  const examples = dropped.reduce((sum, group) => sum + group.examples.length, 0)
  return {
    ...facts,
    groups: facts.groups.slice(0, count),
    leftOut: { groups: groups + dropped.length, tests: tests + examples, rest: howToSeeAll({ ...facts, runId }) },
  }
}

const howToSeeAll = ({
  runId,
  newFailures,
  stillFailing,
}: Pick<FailureDigest, 'runId' | 'newFailures' | 'stillFailing'>) =>
  `get_run_failures with runId ${runId} and offset 0 lists all ${newFailures + stillFailing} failed tests.`
