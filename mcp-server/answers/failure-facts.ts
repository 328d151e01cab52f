import { z } from 'zod'
import type { FailingTest, FailureDigest, FailureGroup } from '../../core/test-runs/failures/schema.ts'
import { cleanLine, cleanName, cleanText, fence, shorten } from '../../client/sanitize.ts'
import { branchFact, shortCommit } from './run-facts.ts'

const RunPoint = z.object({ runId: z.string(), commit: z.string().optional() })
const TestNames = z.object({ count: z.int(), tests: z.array(z.string()) })

const FailedTestFact = z.object({
  test: z.string(),
  /** With its line, where that is known. */
  file: z.string().optional(),
  /** The first place in its stack that is the project's own. */
  at: z.string().optional(),
  /** Absent where the failure is new. */
  since: RunPoint.extend({ runs: z.int() }).optional(),
  /** Why the failure may say nothing about the change. */
  flaky: z.string().optional(),
})
type FailedTestFact = z.infer<typeof FailedTestFact>

const GroupFact = z.object({
  message: z.string(),
  tests: z.int(),
  newTests: z.int(),
  /** All of them are known to be flaky. */
  flaky: z.literal(true).optional(),
  examples: z.array(FailedTestFact),
})
type GroupFact = z.infer<typeof GroupFact>

/** What went wrong in a run, by causes. */
export const FailureFacts = z.object({
  comparedWith: RunPoint.extend({ branch: z.string().optional(), failedTests: z.int() }).optional(),
  newFailures: z.int(),
  stillFailing: z.int(),
  groups: z.array(GroupFact),
  leftOut: z.object({ groups: z.int(), tests: z.int() }).optional(),
  fixed: TestNames.optional(),
  passedAfterRetry: TestNames.optional(),
  /** The end of the log of a run without results. */
  log: z.string().optional(),
  rerunCommand: z.string().optional(),
})
export type FailureFacts = z.infer<typeof FailureFacts>

const longestName = 160
const longestMessage = 240
const maxNames = 5

export const nameFact = (text: string) => shorten(cleanName(text), longestName)

/** The name that a test is found by again. */
export const testName = ({ suite, name }: { suite: string; name: string }) =>
  nameFact(suite === '' ? name : `${suite} > ${name}`)

export const placeFact = (file: string, line: number | null) => nameFact(line === null ? file : `${file}:${line}`)

export function failureFacts(digest: FailureDigest): FailureFacts {
  const { comparedWith: before, leftOut, error } = digest
  return {
    comparedWith: before
      ? {
          runId: before.runId,
          commit: shortCommit(before.commitSha),
          branch: branchFact(before.branch),
          failedTests: before.failedTests,
        }
      : undefined,
    newFailures: digest.newFailures,
    stillFailing: digest.stillFailing,
    groups: digest.groups.map(groupFact),
    leftOut: leftOut.tests > 0 ? leftOut : undefined,
    fixed: namesFact(digest.fixed),
    passedAfterRetry: namesFact(digest.passedAfterRetry),
    log: error && error.log.length > 0 ? cleanText(error.log.join('\n')) : undefined,
    rerunCommand: commandToType(digest.rerun?.command),
  }
}

function groupFact({ message, tests, newTests, flaky, examples }: FailureGroup): GroupFact {
  const [first] = examples
  return {
    // The group's own has placeholders where its tests differ.
    message: shorten(cleanLine(first?.message ?? message), longestMessage),
    tests,
    newTests,
    flaky: flaky || undefined,
    examples: examples.map(failedTestFact),
  }
}

function failedTestFact(test: FailingTest): FailedTestFact {
  const { file, frame, since, flaky } = test
  // Many runners name the file alone.
  const line = test.line ?? (frame && frame.file === file ? frame.line : null)
  const place = file === null ? undefined : placeFact(file, line)
  const at = frame ? placeFact(frame.file, frame.line) : undefined
  return {
    test: testName(test),
    file: place,
    at: at === place ? undefined : at,
    since:
      since.kind === 'new' ? undefined : { runId: since.runId, commit: shortCommit(since.commitSha), runs: since.runs },
    flaky: flaky ? cleanLine(flaky.reason) : undefined,
  }
}

const namesFact = ({ count, tests }: FailureDigest['fixed']) =>
  count === 0 ? undefined : { count, tests: tests.slice(0, maxNames).map(nameFact) }

/** Names of tests are in it: one that hides something would run something else than what is read. */
function commandToType(command: string | null | undefined): string | undefined {
  return command && cleanName(command) === command ? command : undefined
}

/** The digest with only its first groups. */
export function keepGroups(facts: FailureFacts, count: number): FailureFacts {
  const dropped = facts.groups.slice(count)
  const { groups = 0, tests = 0 } = facts.leftOut ?? {}
  const examples = dropped.reduce((sum, group) => sum + group.examples.length, 0)
  return {
    ...facts,
    groups: facts.groups.slice(0, count),
    leftOut: { groups: groups + dropped.length, tests: tests + examples },
  }
}

export function renderFailures(runId: string, facts: FailureFacts): string[] {
  const { comparedWith: before, newFailures, stillFailing, groups, leftOut, fixed, log, rerunCommand } = facts
  const failed = newFailures + stillFailing
  return [
    ...(failed > 0
      ? [`${newFailures} new, ${stillFailing} failed before${before ? ` (${renderCompared(before)})` : ''}:`]
      : []),
    ...groups.flatMap((group, index) => renderGroup(index + 1, group)),
    ...(leftOut
      ? [
          `Left out: ${leftOut.tests} tests${leftOut.groups > 0 ? ` and ${leftOut.groups} causes` : ''}. ` +
            `get_run_failures with runId ${runId} and offset 0 goes through all ${failed} failed tests.`,
        ]
      : []),
    ...renderNames('Fixed', fixed),
    ...renderNames('Passed only after a retry', facts.passedAfterRetry),
    ...(log === undefined ? [] : ['The log ends:', fence(log)]),
    ...(rerunCommand === undefined ? [] : ['Run these again in a checkout:', fence(rerunCommand)]),
  ]
}

const renderCompared = ({ runId, commit, branch, failedTests }: NonNullable<FailureFacts['comparedWith']>) =>
  `compared with run ${runId}${branch === undefined ? '' : ` on ${branch}`}${commit === undefined ? '' : ` @ ${commit}`}, ` +
  `where ${failedTests} failed`

function renderGroup(number: number, { message, tests, newTests, flaky, examples }: GroupFact): string[] {
  const age = newTests === tests ? 'new' : newTests === 0 ? 'old' : `${newTests} new`
  const marks = [...(flaky ? ['flaky'] : []), age, `${tests} ${tests === 1 ? 'test' : 'tests'}`]
  const more = tests - examples.length
  return [
    `${number}. [${marks.join(', ')}] ${message}`,
    ...examples.map(({ test, file, at, since, flaky: reason }) => {
      const place = [file, at && `at ${at}`].filter(Boolean).join(', ')
      const commit = since?.commit === undefined ? '' : ` @ ${since.commit}`
      const age = since ? `, since run ${since.runId}${commit} (${since.runs} runs in a row)` : ''
      return `   ${test}${place && ` — ${place}`}${age}${reason === undefined ? '' : `; flaky: ${reason}`}`
    }),
    ...(more > 0 ? [`   and ${more} more`] : []),
  ]
}

function renderNames(what: string, names: FailureFacts['fixed']): string[] {
  if (!names) return []
  const more = names.count - names.tests.length
  return [`${what}, ${names.count}: ${names.tests.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`]
}
