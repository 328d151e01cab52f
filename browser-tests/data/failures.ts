import { fingerprintOf } from '../../engines/reports/fingerprint.ts'
import type { Random } from './random.ts'
import type { KnownTest, SourceFile } from './sources.ts'

/** A reason for which tests fail, in some of the runs. */
export interface Cause {
  tests: readonly KnownTest[]
  /** The share of the history at which it begins and ends, from 0 to 1. */
  from: number
  to: number
  /** Where it fails. */
  at: { path: string; line: number }
  message: (random: Random) => string
}

export interface FailureText {
  message: string
  stack: string
  errorId: string
}

const messages: readonly ((random: Random) => string)[] = [
  () => "Expected values to be strictly equal:\n\n'debug' !== 'info'\n",
  () => "Cannot read properties of undefined (reading 'write')",
  (random) => `Test timed out in ${random.pick([5_000, 30_000])}ms. If it needs more time, set its timeout.`,
  (random) => `ENOENT: no such file or directory, open '/tmp/pino-${random.hex(8)}/out.log'`,
  () =>
    [
      'Expected values to be strictly deep-equal:',
      '+ actual - expected',
      '',
      '  {',
      "    level: 'error',",
      '+   time: 1532081790710,',
      '-   time: 1532081790743,',
      "    msg: 'hello world'",
      '  }',
    ].join('\n'),
  (random) => `connect ECONNREFUSED 127.0.0.1:${random.between(32_000, 60_000)}`,
  (random) => `Expected 3 calls, received ${random.pick([2, 4])}`,
  () => 'The input did not match the regular expression /^Unexpected end/. Input:\n\n"Error: Part terminated early"\n',
]

/** Where the checkout was on the machine that ran the tests. */
const checkout = '/builds/team/app'

/** Makes a history of failures: each begins with a commit and ends with one, and some come back. */
export function planCauses(tests: readonly KnownTest[], files: readonly SourceFile[], random: Random): Cause[] {
  return messages.map((message, index) => {
    const first = random.between(0, Math.max(0, tests.length - 8))
    const count = random.pick([1, 1, 2, 3, 6])
    const file = files[(index * 7) % files.length]
    const line = file ? (file.code[Math.floor(file.code.length / 2)] ?? 1) : 1
    const from = random.next() * 0.9
    return {
      tests: tests.slice(first, first + count),
      from,
      to: from + 0.01 + random.next() * 0.05,
      at: { path: file?.path ?? 'index.js', line },
      message,
    }
  })
}

/** The message and the stack of a test that failed, as a runner reports them. */
export function describeFailure(test: KnownTest, { at, message }: Cause, random: Random): FailureText {
  const text = message(random)
  const kind = /^(?:Expected|The input)/.test(text) ? 'AssertionError [ERR_ASSERTION]' : 'Error'
  const stack = [
    `${kind}: ${text}`,
    `    at write (${checkout}/${at.path}:${at.line}:11)`,
    `    at TestContext.<anonymous> (${checkout}/${test.file}:${test.line + 4}:10)`,
    '    at Test.runInAsyncScope (node:async_hooks:214:14)',
    '    at Test.run (node:internal/test_runner/test:1047:25)',
    '    at async Test.processPendingSubtests (node:internal/test_runner/test:744:7)',
  ].join('\n')
  const failure = { message: text, stack, file: test.file, suite: test.suite }
  return { message: text, stack, errorId: fingerprintOf(failure, { roots: [checkout] }).id }
}
