import { expect, test } from 'vitest'
import { judgeRuns } from './stability.ts'
import { assertion, breaks, crash, expectRule, facts, failed, ran, type Rule, withSuite } from './testing.ts'
import { judge } from './verdict.ts'

const full = { code: 'disk_limit', message: '`npm test` was stopped: It wrote more than 1,024 MB to the disk.' }

const rules: Rule[] = [
  // Stable failures.
  [
    'suspects a bug if an assertion always fails',
    { alone: [ran({ failures: assertion }), ran({ seed: '7', failures: assertion })] },
    'suspected_bug',
    'assertion_fails',
    /`cart > total` at test\/cart.test.ts:4, in all 2 runs on the unchanged code: expected 2 to be 3\./,
  ],
  [
    'suspects a bug if the code always throws',
    { alone: [ran({ failures: [failed('crash_in_code', { file: 'src/cart.ts' })] })] },
    'suspected_bug',
    'code_throws',
    /src\/cart.ts:4/,
  ],
  [
    'suspects a bug if the runner always stops the test',
    { alone: [ran({ failures: [failed('timeout')] }), ran({ failures: [failed('timeout')] })] },
    'suspected_bug',
    'never_ends',
  ],
  [
    'suspects a bug if no run ends',
    { alone: [ran({ outcome: 'timeout' }), ran({ outcome: 'timeout' })] },
    'suspected_bug',
    'never_ends',
  ],
  [
    'names the position of a test that does not end',
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
    /^The test does not end in `adds up` at src\/cart\.ts:3, in the only run on the unchanged code: It ran for more than 60 s\. /,
  ],
  [
    'suspects a bug if one assertion always fails, even next to broken and flaky tests',
    {
      alone: [
        ran({ failures: [...crash, failed('assertion', { test: 'cart > tax' })] }),
        ran({ failures: [...crash, failed('assertion', { test: 'cart > tax' }), failed('timeout', { test: 'x' })] }),
      ],
    },
    'suspected_bug',
    'assertion_fails',
    /`cart > tax`.*1 more of the tests always fails/,
  ],
  // Broken tests.
  [
    'rejects a test that throws an exception itself',
    { alone: [ran({ failures: crash }), ran({ failures: crash })] },
    'not_built',
    'test_throws',
    /throws at test\/cart.test.ts:4, .*cart.missing is not a function/,
  ],
  [
    'rejects a file that cannot be loaded',
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
    'quotes the output if the report does not explain a failure',
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
    'quotes the errors of the Go compiler from the report',
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
    'rejects a test in a folder that the runner does not search',
    {
      alone: [
        ran(
          { outcome: 'not_built' },
          {
            collected: 0,
            problem: { code: 'no_report', message: '`vitest` wrote no report.' },
            words: 'No test files found, exiting with code 1',
          },
        ),
      ],
    },
    'not_built',
    'not_collected',
    /does not search that path.*Tests of this project are in test\//,
  ],
  [
    'quotes the output of a runner that writes no report',
    {
      alone: [
        ran(
          { outcome: 'not_built' },
          {
            collected: 0,
            problem: { code: 'no_report', message: '`mocha` wrote no report.' },
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
    'rejects a file without tests',
    { alone: [ran({ outcome: 'not_built' }, { collected: 0 })] },
    'not_built',
    'no_tests',
  ],
  [
    'rejects a file whose tests are all skipped',
    { alone: [ran({}, { collected: 2, skipped: 2 })] },
    'not_built',
    'only_skipped',
  ],
  [
    'rejects a test that needs too much memory',
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
    'reports a limit that only some runs reach',
    { alone: [ran(), ran({ outcome: 'not_built' }, { collected: 0, problem: full })] },
    'not_built',
    'disk_limit',
    /1,024 MB/,
  ],
  [
    'reports a limit even if other runs fail',
    { alone: [ran({ failures: crash }, { problem: full }), ran({ failures: assertion })] },
    'not_built',
    'disk_limit',
  ],
  [
    'rejects a test whose process fails although its tests pass',
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
  // Flaky tests.
  [
    'calls a test flaky that fails once in three runs',
    { alone: [ran(), ran({ failures: assertion }), ran()] },
    'flaky',
    'fails_sometimes',
    /failed in 1 of 3 runs.*expected 2 to be 3/,
  ],
  [
    'calls a test flaky that sometimes cannot be loaded',
    { alone: [ran(), ran({ outcome: 'not_built' }, { collected: 0 })] },
    'flaky',
    'fails_sometimes',
  ],
  [
    'calls a test flaky that fails in every random order',
    { alone: [ran(), ran({ seed: '7', failures: assertion }), ran({ seed: '8', failures: assertion })] },
    'flaky',
    'depends_on_order',
    /seed 7/,
  ],
  [
    'does not blame the order after a single random order',
    { alone: [ran(), ran({ seed: '7', failures: assertion })] },
    'flaky',
    'fails_sometimes',
  ],
  [
    'calls a test flaky that fails in another test each time',
    { alone: [ran({ failures: assertion }), ran({ failures: [failed('assertion', { test: 'cart > tax' })] })] },
    'flaky',
    'fails_differently',
  ],
  [
    'calls a test flaky that fails in another way each time',
    { alone: [ran({ failures: assertion }), ran({ outcome: 'timeout' })] },
    'flaky',
    'fails_differently',
  ],
  // Together with the project's other tests.
  [
    'does not blame the other tests after one failure among them',
    { alone: [ran(), ran(), ran(), ran()], suite: [withSuite(), withSuite({ seed: '7', failures: assertion })] },
    'flaky',
    'fails_with_suite',
    /^The test failed in 1 of 6 runs.* \(random order, seed 7\): by chance, or because of the other tests/,
  ],
  [
    'blames the other tests if the test always fails among them',
    { suite: [withSuite({ failures: assertion }), withSuite({ seed: '7', failures: assertion })] },
    'flaky',
    'fails_with_suite',
    /^The test passes alone and fails together/,
  ],
  [
    'rejects a test that the test command of the project does not run',
    { suite: [withSuite({ outcome: 'not_built' }, { collected: 0 })] },
    'not_built',
    'not_in_suite',
    /are in test\//,
  ],
  [
    'calls a test flaky that breaks other tests',
    { breakChecks: [breaks([['money'], ['money', 'tax']], [[]])] },
    'flaky',
    'breaks_other_tests',
    /`money` repeatedly fails with it/,
  ],
  [
    'calls a test flaky that makes the suite hang',
    {
      suite: [withSuite({ outcome: 'timeout' }, { collected: 0, problem: { code: 'timeout', message: 'Too long.' } })],
      breakChecks: [breaks([['the whole run (timeout)'], ['the whole run (timeout)']], [[]])],
    },
    'flaky',
    'breaks_other_tests',
  ],
  [
    'rejects a test with which the suite reaches a limit',
    {
      suite: [withSuite({ failures: crash }, { problem: full })],
      breakChecks: [breaks([['the whole run (disk_limit)'], ['the whole run (disk_limit)']], [[]])],
    },
    'not_built',
    'disk_limit',
  ],
  [
    'accepts a test if the suite also reaches the limit without it',
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
    'accepts a test if others also fail without it',
    { breakChecks: [breaks([['money'], ['money']], [['money']])] },
    'accepted',
    'kills_mutants',
  ],
  [
    'accepts a test if others failed with it only once',
    { breakChecks: [breaks([['money'], []], [[]])] },
    'accepted',
    'kills_mutants',
  ],
  [
    'accepts a test if no check confirms that it breaks others',
    { breakChecks: [breaks([['money']], [])] },
    'accepted',
    'kills_mutants',
  ],
  [
    'accepts a test if the suite also fails without it',
    {
      suite: [withSuite({ outcome: 'failed' }, { collected: 0, problem: { code: 'timeout', message: 'Too long.' } })],
      breakChecks: [breaks([['the whole run (timeout)'], []], [['the whole run (timeout)']])],
    },
    'accepted',
    'kills_mutants',
  ],
  // A command that cannot run a single file.
  [
    'suspects a bug if every run of the whole suite fails',
    { alone: [], suite: [withSuite({ failures: assertion }), withSuite({ failures: assertion })] },
    'suspected_bug',
    'assertion_fails',
  ],
  [
    'calls a test flaky if some runs of the whole suite fail',
    { alone: [], suite: [withSuite(), withSuite({ failures: assertion })] },
    'flaky',
    'fails_sometimes',
  ],
  [
    'rejects a file without tests in the reports of the whole suite',
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
