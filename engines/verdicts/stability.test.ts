import { expect, test } from 'vitest'
import { judgeRuns } from './stability.ts'
import { assertion, breaks, crash, expectRule, facts, failed, ran, type Rule, withSuite } from './testing.ts'
import { judge } from './verdict.ts'

const full = { code: 'disk_limit', message: '`npm test` was stopped: It wrote more than 1,024 MB to the disk.' }

const rules: Rule[] = [
  // Stable failures of a test that could be run.
  [
    'an assertion that always fails',
    { alone: [ran({ failures: assertion }), ran({ seed: '7', failures: assertion })] },
    'suspected_bug',
    'assertion_fails',
    /`cart > total` at test\/cart.test.ts:4, in all 2 runs on the unchanged code: expected 2 to be 3\./,
  ],
  [
    'an exception that the code always throws',
    { alone: [ran({ failures: [failed('crash_in_code', { file: 'src/cart.ts' })] })] },
    'suspected_bug',
    'code_throws',
    /src\/cart.ts:4/,
  ],
  [
    'a test that the runner always gives up',
    { alone: [ran({ failures: [failed('timeout')] }), ran({ failures: [failed('timeout')] })] },
    'suspected_bug',
    'never_ends',
  ],
  [
    'a run that never ends',
    { alone: [ran({ outcome: 'timeout' }), ran({ outcome: 'timeout' })] },
    'suspected_bug',
    'never_ends',
  ],
  [
    'a run that never ends, of which it is known where it was',
    {
      alone: [
        ran({
          outcome: 'timeout',
          failures: [
            failed('timeout', {
              test: 'adds up',
              message: 'It ran for more than 60 s.\nsum (src/cart.ts:3)',
              file: 'src/cart.ts',
              line: 3,
            }),
          ],
        }),
      ],
    },
    'suspected_bug',
    'never_ends',
    /^It does not end in `adds up` at src\/cart\.ts:3, in its only run on the unchanged code: It ran for more than 60 s\. /,
  ],
  [
    'one assertion that always fails beside tests that are broken or flaky',
    {
      alone: [
        ran({ failures: [...crash, failed('assertion', { test: 'cart > tax' })] }),
        ran({ failures: [...crash, failed('assertion', { test: 'cart > tax' }), failed('timeout', { test: 'x' })] }),
      ],
    },
    'suspected_bug',
    'assertion_fails',
    /`cart > tax`.*1 more of its tests fails always/,
  ],
  // Tests that are broken themselves.
  [
    'an exception of the test itself',
    { alone: [ran({ failures: crash }), ran({ failures: crash })] },
    'not_built',
    'test_throws',
    /throws at test\/cart.test.ts:4, .*cart.missing is not a function/,
  ],
  [
    'a file that cannot be loaded',
    {
      alone: [
        ran(
          { outcome: 'not_built', failures: [failed('not_built', { message: "Cannot find module '../src/cat.ts'" })] },
          { collected: 0 },
        ),
      ],
    },
    'not_built',
    'cannot_be_loaded',
    /Cannot find module/,
  ],
  [
    'a file of which the report says nothing, but the log',
    {
      framework: 'go test',
      alone: [
        ran(
          { outcome: 'not_built', failures: [failed('not_built', { message: 'The package does not compile: FAIL' })] },
          {
            collected: 0,
            unexplained: [failed('not_built').test],
            words: '# example.org/lab\ncart_test.go:6:14: undefined: notThere\nFAIL',
          },
        ),
      ],
    },
    'not_built',
    'cannot_be_loaded',
    /undefined: notThere/,
  ],
  [
    'a file that Go cannot compile, which its report says the reason of',
    {
      framework: 'go test',
      alone: [
        ran(
          {
            outcome: 'not_built',
            failures: [
              failed('not_built', {
                message:
                  '# example.org/lab [example.org/lab.test]\ncart/cart_test.go:6:14: cannot use "a" (untyped string constant) as []int value in argument to Total\nFAIL\texample.org/lab [build failed]',
              }),
            ],
          },
          { collected: 0, words: 'FAIL\texample.org/lab [build failed]' },
        ),
      ],
    },
    'not_built',
    'cannot_be_loaded',
    /cart_test.go:6:14: cannot use "a" \(untyped string constant\) as \[\]int value in argument to Total\./,
  ],
  [
    'a runner that looks elsewhere',
    {
      alone: [
        ran(
          { outcome: 'not_built' },
          {
            collected: 0,
            problem: { code: 'no_report', message: '`vitest` left no report.' },
            words: 'No test files found, exiting with code 1',
          },
        ),
      ],
    },
    'not_built',
    'not_collected',
    /does not look there.*Tests of this project are in test\//,
  ],
  [
    'a runner that breaks down before it reports',
    {
      alone: [
        ran(
          { outcome: 'not_built' },
          {
            collected: 0,
            problem: { code: 'no_report', message: '`mocha` left no report.' },
            words: " Exception during run: Error: Cannot find module '../src/cat'\n    at x",
          },
        ),
      ],
    },
    'not_built',
    'cannot_be_loaded',
    /Cannot find module '..\/src\/cat'/,
  ],
  [
    'a file in which there is no test',
    { alone: [ran({ outcome: 'not_built' }, { collected: 0 })] },
    'not_built',
    'no_tests',
  ],
  ['tests that are all skipped', { alone: [ran({}, { collected: 2, skipped: 2 })] }, 'not_built', 'only_skipped'],
  [
    'a test that needs too much memory',
    {
      alone: [
        ran(
          { outcome: 'not_built' },
          { collected: 0, problem: { code: 'memory_limit', message: 'It used more than 2,048 MB of memory.' } },
        ),
      ],
    },
    'not_built',
    'memory_limit',
    /2,048 MB/,
  ],
  [
    'a limit that only some runs come to',
    { alone: [ran(), ran({ outcome: 'not_built' }, { collected: 0, problem: full })] },
    'not_built',
    'disk_limit',
    /1,024 MB/,
  ],
  [
    'a limit that some runs come to, and others fail',
    { alone: [ran({ failures: crash }, { problem: full }), ran({ failures: assertion })] },
    'not_built',
    'disk_limit',
  ],
  [
    'a process that fails though its tests pass',
    {
      alone: [
        ran(
          { outcome: 'failed' },
          { problem: { code: 'command_failed', message: 'It ended with 1.' }, words: 'Unhandled Errors\nError: later' },
        ),
      ],
    },
    'not_built',
    'fails_after_tests',
    /Error: later/,
  ],
  // Tests that do not always do the same.
  [
    'one failure in three',
    { alone: [ran(), ran({ failures: assertion }), ran()] },
    'flaky',
    'fails_sometimes',
    /failed once of 3.*expected 2 to be 3/,
  ],
  [
    'a test that is built only sometimes',
    { alone: [ran(), ran({ outcome: 'not_built' }, { collected: 0 })] },
    'flaky',
    'fails_sometimes',
  ],
  [
    'failures in every order but its own',
    { alone: [ran(), ran({ seed: '7', failures: assertion }), ran({ seed: '8', failures: assertion })] },
    'flaky',
    'depends_on_order',
    /seed 7/,
  ],
  [
    'a failure in the one random order that there was',
    { alone: [ran(), ran({ seed: '7', failures: assertion })] },
    'flaky',
    'fails_sometimes',
  ],
  [
    'other failures each time',
    { alone: [ran({ failures: assertion }), ran({ failures: [failed('assertion', { test: 'cart > tax' })] })] },
    'flaky',
    'fails_differently',
  ],
  [
    'failures of other kinds each time',
    { alone: [ran({ failures: assertion }), ran({ outcome: 'timeout' })] },
    'flaky',
    'fails_differently',
  ],
  // Together with the project's other tests.
  [
    'failures among the others alone',
    { suite: [withSuite(), withSuite({ seed: '7', failures: assertion })] },
    'flaky',
    'fails_with_suite',
    /seed 7/,
  ],
  [
    'a test that the project never runs',
    { suite: [withSuite({ outcome: 'not_built' }, { collected: 0 })] },
    'not_built',
    'not_in_suite',
    /are in test\//,
  ],
  [
    'others that fail with it and never without',
    { breakChecks: [breaks([['money'], ['money', 'tax']], [[]])] },
    'flaky',
    'breaks_other_tests',
    /`money` fails/,
  ],
  [
    'a suite that does not end with it',
    {
      suite: [withSuite({ outcome: 'timeout' }, { collected: 0, problem: { code: 'timeout', message: 'Too long.' } })],
      breakChecks: [breaks([['the whole run (timeout)'], ['the whole run (timeout)']], [[]])],
    },
    'flaky',
    'breaks_other_tests',
  ],
  [
    'a suite that comes to a limit with it',
    {
      suite: [withSuite({ failures: crash }, { problem: full })],
      breakChecks: [breaks([['the whole run (disk_limit)'], ['the whole run (disk_limit)']], [[]])],
    },
    'not_built',
    'disk_limit',
  ],
  [
    'a suite that comes to a limit without it too',
    {
      suite: [withSuite({ failures: crash }, { problem: full })],
      breakChecks: [
        breaks([['the whole run (disk_limit)'], ['the whole run (disk_limit)']], [['the whole run (disk_limit)']]),
      ],
    },
    'accepted',
    'kills_mutants',
  ],
  [
    'others that fail without it as well',
    { breakChecks: [breaks([['money'], ['money']], [['money']])] },
    'accepted',
    'kills_mutants',
  ],
  ['others that failed with it once', { breakChecks: [breaks([['money'], []], [[]])] }, 'accepted', 'kills_mutants'],
  ['others of which nothing was made sure', { breakChecks: [breaks([['money']], [])] }, 'accepted', 'kills_mutants'],
  [
    'a suite that breaks down by itself',
    {
      suite: [withSuite({ outcome: 'failed' }, { collected: 0, problem: { code: 'timeout', message: 'Too long.' } })],
      breakChecks: [breaks([['the whole run (timeout)'], []], [['the whole run (timeout)']])],
    },
    'accepted',
    'kills_mutants',
  ],
  // A command that cannot be confined to the file.
  [
    'failures in every run of a command that runs everything',
    { alone: [], suite: [withSuite({ failures: assertion }), withSuite({ failures: assertion })] },
    'suspected_bug',
    'assertion_fails',
  ],
  [
    'failures in some runs of it',
    { alone: [], suite: [withSuite(), withSuite({ failures: assertion })] },
    'flaky',
    'fails_sometimes',
  ],
  [
    'no test of the file in its reports',
    { alone: [], framework: null, suite: [withSuite({ outcome: 'not_built' }, { collected: 0 })] },
    'not_built',
    'no_tests',
  ],
]

test.for(rules)('%s', (rule) => expectRule(judge(facts(rule[1])), rule))

test('has no verdict by the runs alone on a test that passes, whatever was run so far', () => {
  expect(judgeRuns(facts({ suite: [] }))).toBeNull()
  expect(judgeRuns(facts())).toBeNull()
})
