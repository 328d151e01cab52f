import { expect, test } from 'vitest'
import type { MeasuredFile } from '../outcome.ts'
import type { ChangeFacts } from './facts.ts'
import { judgeChange } from './judge-change.ts'
import { mutantsInWords } from './mutant-counts.ts'
import { ChangeEvidence } from './schema.ts'
import {
  code,
  codeFile,
  failed,
  fix,
  inOldCode,
  measured,
  mutants,
  notLoaded,
  other,
  passed,
  refactoring,
  restored,
  run,
  side,
  skipped,
  stopped,
  testFile,
  tests,
} from './testing.ts'

/** What was seen, and what follows from it. */
type Rule = [story: string, facts: ChangeFacts, verdict: string, reason: string, says?: RegExp]

const { base, head } = fix()
/** The head of a refactoring with this coverage. */
const headWith = (ofCode: Partial<MeasuredFile>, others: Record<string, Partial<MeasuredFile>> = {}) => ({
  ...refactoring().head,
  coverage: measured({ [codeFile]: { covered: '1-5', ...ofCode }, ...others }),
})
const headOf = (...runs: Parameters<typeof side>[0]) => side(runs, { coverage: head.coverage })
const baseOf = (...runs: Parameters<typeof side>[0]) => side(runs, { coverage: base.coverage })
const rounds = passed('rounds', { line: 22 })
const adds = passed('adds', { line: 3 })
const sorting = { file: 'test/sort.test.ts' }
const covers = (covered: string, uncovered: string) => ({
  ...head,
  coverage: measured({ [codeFile]: { covered, uncovered } }),
})
const missing = failed('rounds', { message: 'TypeError: cart.round is not a function' }, 'crash_in_test')

function mutantAt(line: number, outcome: 'killed' | 'survived') {
  const mutant = { path: codeFile, line, operator: 'boundary' as const, original: 'a > b', replacement: 'a >= b' }
  return { outcome, mutant }
}

function mutantsKilledBy(...killedBy: string[]) {
  const { judged, ...mutation } = mutants('killed')
  return { ...mutation, judged: judged.map((one) => ({ ...one, killedBy })) }
}

const rules: Rule[] = [
  [
    'a fix with a test',
    fix(),
    'proved',
    'fails_without_the_change',
    /`cart > rounds` \(test\/cart\.test\.ts:22\) fails without .* Tests run 2 of 2 changed lines\. They detect 2 of 3 mutants/,
  ],
  [
    'a fix whose test was red before',
    fix({ files: [code()], base: baseOf(run([adds, failed('rounds')])), withoutChange: null }),
    'proved',
    'fails_without_the_change',
  ],
  [
    'an edited test that fails without the change',
    fix({ base: baseOf(run([adds, rounds])) }),
    'proved',
    'fails_without_the_change',
  ],
  [
    'a fix next to a test that fails as before',
    fix({ base: baseOf(run([adds, failed('sorts')])), head: headOf(run([adds, rounds, failed('sorts')])) }),
    'proved',
    'fails_without_the_change',
  ],
  [
    'a fix next to a flaky test of others',
    fix({
      head: headOf(run([adds, rounds, failed('sorts', sorting)]), run([passed('sorts', sorting)])),
      base: baseOf(run([adds, passed('sorts', sorting)])),
    }),
    'proved',
    'fails_without_the_change',
  ],
  ['a fix without coverage', fix({ head: { ...head, coverage: null } }), 'proved', 'fails_without_the_change'],
  [
    'a new function whose tests detect mutants',
    fix({ withoutChange: [run([missing])] }),
    'proved',
    'fails_without_the_change',
  ],
  [
    'a fix that removes lines only',
    fix({ files: [code({ lines: [], removed: [[4, 4]] }), tests()] }),
    'proved',
    'fails_without_the_change',
  ],
  [
    'a fix of code that did not end',
    fix({ withoutChange: [stopped('timeout', 'The run was stopped.')] }),
    'proved',
    'fails_without_the_change',
  ],
  [
    'a fix of a flaky test',
    fix({ files: [code(), tests()], base: baseOf(run([adds, rounds]), run([failed('rounds')])) }),
    'proved',
    'fails_without_the_change',
  ],

  [
    'a fix without a test',
    fix({ files: [code()], head: headOf(run([adds])), withoutChange: null }),
    'unproved',
    'no_test_fails_without_it',
    /no test that passes\. Write a test that fails on the old code, in src\/cart\.ts:4\. If this is a refactoring, .*`expect: same`; then the tests must show/,
  ],
  [
    'a new test that is skipped',
    fix({ head: headOf(run([adds, skipped('rounds', { line: 22 })])) }),
    'unproved',
    'no_test_fails_without_it',
    /skips 1 test .* Remove the skip/,
  ],
  [
    'a test that passes before it too',
    fix({ withoutChange: [run([adds, rounds])] }),
    'unproved',
    'passes_without_it',
    /`cart > rounds` passes without it too, which proves nothing/,
  ],
  [
    'a test that passes before it in one of two runs',
    fix({ withoutChange: [run([failed('rounds')]), run([rounds])] }),
    'unproved',
    'passes_without_it',
  ],
  [
    'a red test that was weakened',
    fix({ base: baseOf(run([adds, failed('rounds')])), withoutChange: [run([adds, rounds])] }),
    'unproved',
    'passes_without_it',
  ],
  [
    'a red test whose fixture was changed',
    fix({
      files: [code(), tests({ path: 'test/fixtures/a.json', kind: 'test_support' })],
      base: baseOf(run([adds, failed('rounds')])),
      withoutChange: null,
    }),
    'unproved',
    'no_test_fails_without_it',
  ],
  [
    'a new test that did not run without the change',
    fix({ withoutChange: null, notRun: ['without_change'] }),
    'unproved',
    'not_finished',
    /^So far everything speaks for the change, and nothing is missing\. .* Not run yet: the tests of the change without it\.$/,
  ],
  [
    'a new test that no run without the change reports',
    fix({ withoutChange: [run([adds])] }),
    'unproved',
    'without_change_not_run',
    /`cart > rounds` fails without the change, because no run/,
  ],
  [
    'a fix of which mutants and repeats are still to come',
    fix({ mutation: null, notRun: ['repeats', 'mutants'] }),
    'unproved',
    'not_finished',
    /^So far everything speaks for the change, .* Not run yet: the repetition of tests, .*; the mutants of the changed lines\.$/,
  ],
  [
    'no tests at all',
    fix({
      files: [code()],
      base: side([stopped('no_tests', 'None.')]),
      head: side([stopped('no_tests', 'None.')]),
      withoutChange: null,
    }),
    'unproved',
    'no_tests',
    /Write tests/,
  ],
  [
    'a large change with a method on one line that nothing calls',
    fix({
      files: [code({ lines: [[1, 20]] })],
      head: { ...head, coverage: measured({ [codeFile]: { covered: '1-18,20', uncovered: '19', uncalled: '19' } }) },
      sources: new Map([[codeFile, `${'a()\n'.repeat(18)}  static double = (x) => x * 3\n}\n`]]),
    }),
    'unproved',
    'lines_not_run',
    /Tests run 19 of 20 changed lines, but nothing calls the function with src\/cart\.ts:19\./,
  ],
  [
    'a change that only deletes a test file',
    fix({ files: [tests({ change: 'deleted', lines: [] })] }),
    'no_code_changed',
    'only_tests',
    /^The change only deletes tests and their support files: test\/cart\.test\.ts\./,
  ],
  [
    'a fix next to a new function, without coverage',
    fix({
      files: [
        code({
          lines: [
            [4, 4],
            [9, 10],
          ],
        }),
        tests(),
      ],
      head: { ...head, coverage: null },
      mutation: {
        found: 3,
        seed: '1f',
        judged: [mutantAt(4, 'killed'), mutantAt(4, 'killed'), mutantAt(10, 'survived')],
      },
    }),
    'unproved',
    'lines_not_noticed',
    /detect no mutant of the change in src\/cart\.ts:9, and no coverage shows whether they run it\./,
  ],
  [
    'a large change with a function that nothing calls',
    fix({
      files: [code({ lines: [[1, 20]] })],
      head: covers('1-18', '19-20'),
      sources: new Map([[codeFile, `${'a()\n'.repeat(17)}export function mayRefund() {\n  return true\n}\n`]]),
    }),
    'unproved',
    'lines_not_run',
    /Tests run 18 of 20 changed lines, but nothing calls the function with src\/cart\.ts:19-20\./,
  ],
  [
    'changed lines that nothing runs',
    fix({ head: covers('1-4', '5-7') }),
    'unproved',
    'lines_not_run',
    /Tests run 1 of 2 changed lines\. Nothing runs src\/cart\.ts:5\./,
  ],
  [
    'a long new branch in a large change that nothing runs',
    fix({ files: [code({ lines: [[1, 200]] }), tests()], head: covers('1-180', '181-191') }),
    'unproved',
    'lines_not_run',
    /src\/cart\.ts:181-191/,
  ],
  [
    'a new file that no test loads',
    fix({
      files: [code(), code({ path: 'src/new.ts', before: null, change: 'added', lines: [[1, 2 ** 31]] }), tests()],
    }),
    'unproved',
    'file_not_loaded',
    /No test loads src\/new\.ts/,
  ],
  [
    'survivors beyond the bound',
    fix({ mutation: mutants('killed', 'survived', 'survived', 'invalid') }),
    'unproved',
    'survivors',
    /2 of 3 mutants .* No test detects `a <= b` in place of `a < b` in line 5/,
  ],
  ['an only mutant that survives', fix({ mutation: mutants('survived') }), 'unproved', 'survivors'],
  [
    'a new function whose tests assert nothing',
    fix({ withoutChange: [run([missing])], mutation: mutants('survived', 'invalid') }),
    'unproved',
    'nothing_asserted',
    /detect none of 1 mutant/,
  ],
  [
    'a new function without mutants',
    fix({ withoutChange: [run([missing])], mutation: null }),
    'unproved',
    'nothing_asserted',
    /`mutants` above 0/,
  ],
  [
    'a fix that moves code over a check, which no test notices',
    fix({ restored: [restored({ kind: 'move', before: 'check()\n  run()', now: 'run()\n  check()' })] }),
    'unproved',
    'order_not_noticed',
    /the order of `run\(\) check\(\)` in src\/cart\.ts:4: the tests pass with the old order `check\(\) run\(\)`, too/,
  ],
  [
    'a fix that alters a value, which no test notices',
    fix({ restored: [restored({ kind: 'alteration', before: 'most = 50', now: 'most = 5' })] }),
    'unproved',
    'old_code_passes_too',
    /No test notices `most = 5` in src\/cart\.ts:4: the tests pass with the old `most = 50`, too/,
  ],
  [
    'a refactoring that asks whether tests run',
    refactoring({ sources: new Map([[codeFile, 'one\ntwo\nthree\nreturn process.env.VITEST ? old() : now()\n']]) }),
    'unproved',
    'asks_for_tests',
  ],
  [
    'a fix that asks whether tests run',
    fix({ sources: new Map([[codeFile, 'one\ntwo\nthree\nreturn process.env.NODE_TEST_CONTEXT ? 2 : 1\n']]) }),
    'unproved',
    'asks_for_tests',
    /`return process\.env\.NODE_TEST_CONTEXT \? 2 : 1` in src\/cart\.ts:4 asks whether a test runner runs/,
  ],
  [
    'a fix that removes a test of code that stays',
    fix({ base: baseOf(run([adds, passed('sorts')])) }),
    'unproved',
    'tests_removed',
    /removes the test `cart > sorts` \(test\/cart\.test\.ts\)/,
  ],
  [
    'a fix that skips another test',
    fix({ base: baseOf(run([adds, passed('sorts')])), head: headOf(run([adds, rounds, skipped('sorts')])) }),
    'unproved',
    'tests_skipped',
    /skips the test `cart > sorts`/,
  ],
  [
    'an edited test that fails before and after',
    fix({
      files: [
        code(),
        tests({
          lines: [
            [4, 4],
            [20, 30],
          ],
        }),
      ],
      base: baseOf(run([failed('adds', { line: 3 })])),
      head: headOf(run([failed('adds', { line: 3 }), rounds])),
    }),
    'unproved',
    'own_test_fails',
    /before and after/,
  ],
  [
    'failures without known results before',
    fix({
      files: [code(), tests({ lines: [[22, 24]] })],
      base: side([], { problem: { code: 'install_failed', message: 'npm failed.' } }),
      head: headOf(run([rounds, failed('adds', { file: 'test/other.test.ts' })])),
    }),
    'unproved',
    'base_unknown',
    /`cart > adds` fails with the change, and the results without it are not known/,
  ],
  [
    'a failure among tests that are only counted',
    fix({
      head: headOf(
        run([adds, rounds], {
          totals: { totalTests: 30_000, passedTests: 29_998, failedTests: 2, skippedTests: 0, flakyTests: 0 },
        }),
      ),
    }),
    'unproved',
    'no_result',
    /^2 tests fail with the change that Assay did not compare/,
  ],
  ['no run of the head', fix({ head: side([]) }), 'unproved', 'no_result'],
  [
    'a broken sandbox',
    fix({ head: side([], { problem: { code: 'sandbox_failed', message: 'The sandbox failed' } }) }),
    'unproved',
    'no_result',
    /The sandbox failed\. Verify the change again/,
  ],
  [
    'both sides that do not end',
    fix({ head: side([stopped('timeout', 'Stopped.')]), base: side([stopped('timeout', 'Stopped.')]) }),
    'unproved',
    'no_result',
  ],
  [
    'nothing but declarations',
    fix({ files: [code({ lines: [[40, 41]], removed: [] })], head: headOf(run([adds])), withoutChange: null }),
    'unproved',
    'no_executable_lines',
    /expect: same/,
  ],

  [
    'a fix that breaks another test',
    fix({ head: headOf(run([failed('adds', { line: 3, place: { file: codeFile, line: 4 } }), rounds])) }),
    'broken',
    'breaks_tests',
    /breaks 1 unchanged test that passes without it\. `cart > adds` \(test\/cart\.test\.ts:3\) fails at src\/cart\.ts:4: expected 2 to be 3\./,
  ],
  [
    'a new test that fails',
    fix({ head: headOf(run([adds, failed('rounds', { line: 22 })])) }),
    'broken',
    'new_test_fails',
    /1 new test fails/,
  ],
  [
    'a file that cannot be loaded any more',
    fix({
      base: baseOf(run([adds, passed('pays', { file: 'test/pay.test.ts' })])),
      head: headOf(run([notLoaded(), passed('pays', { file: 'test/pay.test.ts' })])),
    }),
    'broken',
    'cannot_be_loaded',
    /`cart > adds` \(test\/cart\.test\.ts\) fails at src\/cart\.ts:4: SyntaxError/,
  ],
  [
    'a new test file that cannot be loaded',
    fix({ head: headOf(run([adds, notLoaded('test/new.test.ts')])) }),
    'broken',
    'new_test_fails',
    /`test\/new\.test\.ts` fails/,
  ],
  [
    'a run that does not end any more',
    fix({ head: headOf(stopped('timeout', 'The command was stopped after 60 s')) }),
    'broken',
    'never_ends',
    /loop or a wait/,
  ],
  [
    'a run that ends early any more',
    fix({ head: headOf(stopped('timeout', 'Stopped.', [adds])) }),
    'broken',
    'never_ends',
  ],
  [
    'a command that fails although its tests pass',
    fix({ head: headOf(run([adds, rounds], { problem: { code: 'command_failed', message: 'Exit code 1.' } })) }),
    'broken',
    'run_fails',
  ],

  [
    'a head that cannot be installed',
    fix({ head: side([], { problem: { code: 'install_failed', message: '`npm ci` ended with exit code 1.' } }) }),
    'not_built',
    'install_failed',
    /`npm ci` ended/,
  ],
  [
    'a head that cannot be compiled',
    fix({ head: side([notLoaded()].map((found) => run([found]))) }),
    'not_built',
    'cannot_be_loaded',
    /no test can be loaded at src\/cart\.ts:4: SyntaxError: .* Without the change they run\. Fix/,
  ],
  [
    'a head without a report',
    fix({ head: side([stopped('no_report', 'vitest ended before it could write a report.')]) }),
    'not_built',
    'no_report',
  ],
  [
    'a head without tests',
    fix({ head: side([stopped('no_tests', 'No tests.')]) }),
    'not_built',
    'no_tests',
    /Restore the tests/,
  ],
  [
    'a head and a base that are not built',
    fix({ base: side([stopped('no_tests', 'None.')]), head: side([stopped('no_report', 'None.')]) }),
    'not_built',
    'no_report',
  ],
  [
    'a head and a base that fail in the same way',
    fix({ base: side([stopped('no_report', 'None.')]), head: side([stopped('no_report', 'None.')]) }),
    'unproved',
    'no_result',
    /Without the change they do not run either/,
  ],
  [
    'a registry that is out of reach',
    fix({
      base: side([], { problem: { code: 'install_failed', message: 'npm failed.' } }),
      head: side([], {
        problem: {
          code: 'install_failed',
          message:
            '`npm ci` ended with exit code 1. The output was:\nnpm warn old lockfile\nnpm error code E404\n' +
            'npm error 404 left-pad is not in this registry.\nnpm error A complete log of this run can be found in: /log',
        },
      }),
    }),
    'unproved',
    'install_failed',
    /: `npm ci` ended with exit code 1\. The output says: npm error 404 left-pad is not in this registry\. Without the change/,
  ],
  [
    'tests that nobody could load before',
    fix({ base: side([run([notLoaded()])]), head: side([run([notLoaded()])]) }),
    'unproved',
    'no_result',
  ],
  [
    'tests that could not be loaded before for another reason',
    fix({ base: side([run([notLoaded(testFile, 'No module cart')])]), head: side([run([notLoaded()])]) }),
    'not_built',
    'cannot_be_loaded',
  ],

  [
    'a flaky new test',
    fix({ head: headOf(run([adds, rounds]), run([failed('rounds', { line: 22 })]), run([rounds])) }),
    'flaky',
    'flaky_test',
    /`cart > rounds` .* a test of the change, passes in some of 3 runs .* One failure says: expected 2 to be 3\. Remove/,
  ],
  [
    'a new test that passes on a retry',
    fix({ head: headOf(run([adds, { ...rounds, passedOnRetry: true }])) }),
    'flaky',
    'flaky_test',
    /passes only when it is retried/,
  ],

  ['only tests', fix({ files: [tests()] }), 'no_code_changed', 'only_tests', /test\/cart\.test\.ts/],
  [
    'only documentation',
    fix({ files: [other()], withoutChange: null }),
    'no_code_changed',
    'only_other_files',
    /README\.md/,
  ],
  [
    'tests and configuration',
    fix({ files: [other('ci.yml'), tests()] }),
    'no_code_changed',
    'only_tests_and_other_files',
  ],
  ['nothing', fix({ files: [], withoutChange: null }), 'no_code_changed', 'nothing_changed'],
  [
    'only a new name of a file',
    fix({ files: [code({ before: 'src/basket.ts', lines: [], removed: [] })], head: headOf(run([adds])) }),
    'no_code_changed',
    'only_renamed',
  ],
  [
    'only comments',
    fix({
      files: [code({ lines: [[2, 3]], removed: [[7, 7]] })],
      head: headOf(run([adds])),
      withoutChange: null,
      sources: new Map([[codeFile, 'one\n// two\n\nfour']]),
    }),
    'no_code_changed',
    'only_comments',
  ],
  [
    'only tests, one of which is broken',
    fix({ files: [tests()], head: headOf(run([failed('adds'), rounds])) }),
    'broken',
    'breaks_tests',
  ],
  [
    'only tests, one of which is flaky',
    fix({ files: [tests()], head: headOf(run([adds, rounds]), run([failed('rounds')])) }),
    'flaky',
    'flaky_test',
  ],
  [
    'only tests that cannot be loaded',
    fix({ files: [tests()], head: headOf(run([notLoaded()])) }),
    'not_built',
    'cannot_be_loaded',
  ],

  ['a refactoring', refactoring(), 'proved', 'behaves_the_same', /1 test passes before and after the change/],
  [
    'a refactoring with a fixed test',
    refactoring({ base: baseOf(run([adds, failed('rounds')])), head: headOf(run([adds, rounds])) }),
    'unproved',
    'behavior_changed',
    /`cart > rounds` passes with the change and fails without it/,
  ],
  [
    'a refactoring with a changed expectation',
    refactoring({ files: [code(), tests({ lines: [[4, 5]] })], withoutChange: [run([failed('adds', { line: 3 })])] }),
    'unproved',
    'behavior_changed',
    /`expect: change`/,
  ],
  [
    'a refactoring with a changed test that did not run without it yet',
    refactoring({ files: [code(), tests({ lines: [[4, 5]] })], notRun: ['without_change'] }),
    'unproved',
    'not_finished',
  ],
  [
    'a refactoring with a changed test that did not run without it',
    refactoring({ files: [code(), tests({ lines: [[4, 5]] })] }),
    'unproved',
    'without_change_not_run',
  ],
  ['a refactoring that breaks a test', refactoring({ head: headOf(run([failed('adds')])) }), 'broken', 'breaks_tests'],
  [
    'a refactoring that nothing runs',
    refactoring({
      head: { ...refactoring().head, coverage: measured({ [codeFile]: { covered: '1-3', uncovered: '4-7' } }) },
    }),
    'unproved',
    'lines_not_run',
  ],
  [
    'a refactoring without tests',
    refactoring({ files: [code(), tests()], base: side([stopped('no_tests', 'None.')]), withoutChange: [run([adds])] }),
    'unproved',
    'no_test_before',
    /Write tests of the code as it was/,
  ],
  [
    'a refactoring whose tests detect nothing',
    refactoring({ mutation: mutants('survived', 'survived') }),
    'unproved',
    'nothing_asserted',
  ],
  ['a refactoring without mutants', refactoring({ mutation: null }), 'unproved', 'nothing_tried'],
  [
    'a refactoring with a survivor of the new code',
    refactoring({ mutation: mutants('killed', 'killed', 'killed', 'killed', 'killed', 'survived') }),
    'unproved',
    'survivors',
    /1 of 6 mutants of the changed lines survives\. No test detects `a <= b`/,
  ],
  [
    'a refactoring with a survivor of the old code',
    refactoring({ oldCode: inOldCode('killed', 'survived') }),
    'unproved',
    'survivors',
    /1 of 2 mutants of the old code survives\. No test detects `12` in place of `11` in the old code, in line 3 of src\/cart\.ts, so the tests cannot show that it stayed the same/,
  ],
  [
    'a refactoring whose old code the tests check',
    refactoring({ oldCode: inOldCode('killed', 'invalid'), places: { count: 1, untried: [] } }),
    'proved',
    'behaves_the_same',
    /They detect 3 of 3 mutants of the changed lines and 1 of 1 mutant of the old code \(1 more could not run\)\./,
  ],
  [
    'a refactoring with a branch that no test takes',
    refactoring({
      head: headWith({ branches: '', partial: '4:1/2' }),
      sources: new Map([[codeFile, 'one\ntwo\nthree\nreturn amount < 0 ? 0 : 5\nfive\n']]),
    }),
    'unproved',
    'branch_not_taken',
    /`return amount < 0 \? 0 : 5` in src\/cart\.ts:4 \(1 of 2\)/,
  ],
  [
    'a fix with a branch that no test takes',
    fix({ head: { ...fix().head, coverage: measured({ [codeFile]: { covered: '1-5', partial: '4:1/2' } }) } }),
    'proved',
    'fails_without_the_change',
  ],
  [
    'a refactoring with code of which no mutant can run',
    refactoring({ places: { count: 2, untried: [{ path: codeFile, line: 5, code: 'const rows = page.rows' }] } }),
    'unproved',
    'nothing_tried',
    /no mutant of `const rows = page\.rows` in src\/cart\.ts:5, neither of the new nor of the old code/,
  ],
  [
    'a renamed file with its imports',
    refactoring({
      files: [
        code({ lines: [[1, 1]], removed: [[1, 1]] }),
        code({ path: 'src/prices.ts', before: 'src/price.ts', lines: [], removed: [] }),
      ],
      head: headWith({}, { 'src/prices.ts': { covered: '1-3' } }),
      mutation: null,
      places: { count: 0, untried: [] },
    }),
    'proved',
    'behaves_the_same',
  ],
  [
    'a renamed file that no test loads',
    refactoring({
      files: [
        code({ lines: [[1, 1]], removed: [[1, 1]] }),
        code({ path: 'src/prices.ts', before: 'src/price.ts', lines: [], removed: [] }),
      ],
      head: headWith({}),
      mutation: null,
      places: { count: 0, untried: [] },
    }),
    'unproved',
    'file_not_loaded',
    /No test loads src\/prices\.ts, which the change renames/,
  ],
  [
    'a refactoring that was verified without mutants',
    refactoring({ mutation: null, places: { count: 1, untried: [] } }),
    'unproved',
    'nothing_tried',
    /`mutants` above 0/,
  ],
  [
    'a refactoring of a base that is not built',
    refactoring({ base: side([], { problem: { code: 'install_failed', message: 'npm failed.' } }) }),
    'unproved',
    'base_unknown',
  ],
  [
    'a refactoring of which mutants are still to come',
    refactoring({ mutation: null, notRun: ['mutants'] }),
    'unproved',
    'not_finished',
  ],

  [
    'a new function whose test leaves it to older tests to detect mutants',
    fix({ withoutChange: [run([missing])], mutation: mutantsKilledBy('cart > adds') }),
    'unproved',
    'nothing_asserted',
    /`cart > rounds` fails without the change only because the code lacks what it uses, and detects none of 1 mutant of the changed lines\. Only other tests do\./,
  ],
  [
    'a test that follows the text of the code',
    fix({ textTests: ['cart > rounds'] }),
    'unproved',
    'follows_the_text',
    /`cart > rounds` follows the text of the code: another text changes its result .* Call the code and assert its results, in src\/cart\.ts:4\./,
  ],
  [
    'a red test whose data was changed',
    fix({
      files: [code(), other('data/rates.json')],
      base: baseOf(run([adds, failed('rounds')])),
      withoutChange: null,
    }),
    'unproved',
    'no_test_fails_without_it',
  ],
  [
    'a red test that passes with the data of the change alone',
    fix({
      files: [code(), other('data/rates.json')],
      base: baseOf(run([adds, failed('rounds')])),
      withoutChange: [run([rounds])],
    }),
    'unproved',
    'no_test_fails_without_it',
  ],
  [
    'a red test that fails with the data of the change alone, and a generated file',
    fix({
      files: [code(), other('data/rates.json'), { ...other('dist/a.js'), holdsCode: true }],
      base: baseOf(run([adds, failed('rounds')])),
      withoutChange: [run([failed('rounds')])],
    }),
    'proved',
    'fails_without_the_change',
  ],
  [
    'a removed check that no test misses',
    fix({ restored: [restored({ kind: 'removal', now: '', before: 'if (a < 0)\n  throw new RangeError()' })] }),
    'unproved',
    'removal_not_noticed',
    /removes `if \(a < 0\) throw new RangeError\(\)` in src\/cart\.ts:4: the tests pass with this code, too\./,
  ],
  [
    'removed code that a test misses, or without which nothing can be loaded',
    fix({
      restored: [restored({ kind: 'removal', outcome: 'killed' }), restored({ kind: 'removal', outcome: 'invalid' })],
    }),
    'proved',
    'fails_without_the_change',
  ],
  [
    'one rewritten place in which the old code passes, too',
    fix({ restored: [restored(), restored({ outcome: 'killed' })] }),
    'proved',
    'fails_without_the_change',
    /The tests pass with the old `a > b` in place of `a >= b`, in src\/cart\.ts:4\.$/,
  ],
  [
    'several places in which the old code passes, too',
    fix({ restored: [restored(), restored({ line: 9, before: '' }), restored({ line: 12 })] }),
    'unproved',
    'survivors',
    /1 of 3 mutants of the changed lines and 3 of 3 restored parts of the old code survive\./,
  ],
  [
    'a place in which the old code is a mutant and passes, too',
    fix({ mutation: mutants('killed', 'survived'), restored: [restored({ isMutant: true })] }),
    'unproved',
    'old_code_passes_too',
    /No test notices `a >= b` in src\/cart\.ts:4: the tests pass with the old `a > b`, too\./,
  ],
  [
    'a rewritten place with a branch that no test takes, in which the old code passes, too',
    fix({
      head: { ...head, coverage: measured({ [codeFile]: { covered: '1-9', partial: '4:1/2' } }) },
      restored: [restored({ before: 'return b' })],
    }),
    'unproved',
    'old_code_passes_too',
    /in src\/cart\.ts:4: the tests pass with the old `return b`, too\./,
  ],
  [
    'such a place next to a rewritten one in which the old code passes, too',
    fix({ mutation: mutants('killed', 'survived'), restored: [restored({ isMutant: true }), restored({ line: 9 })] }),
    'unproved',
    'old_code_passes_too',
    /No test notices .* 1 of 2 mutants of the changed lines and 1 of 1 restored part of the old code survive\./,
  ],
  [
    'a script in a language that nothing measures',
    fix({ restored: [restored({ kind: 'file', path: 'tax.lua' })] }),
    'unproved',
    'file_not_noticed',
    /No test notices the change of tax\.lua: the tests pass with the old content, too\./,
  ],
  [
    'third-party code that is edited by hand, and that a test notices',
    fix({
      files: [code(), tests(), code({ path: 'vendor/a.ts', before: 'vendor/a.ts', isVendored: true, holdsCode: true })],
      restored: [restored({ kind: 'file', path: 'vendor/a.ts', outcome: 'crashed' })],
    }),
    'proved',
    'fails_without_the_change',
  ],
]

test.for(rules)('judges %s', ([, facts, verdict, reason, says = /\w/]) => {
  const { verdict: found, evidence } = judgeChange(facts)
  expect([found, evidence.reason, evidence.summary]).toEqual([verdict, reason, expect.stringMatching(says)])
  const whole = { ...evidence, command: null, durationMs: 1 }
  expect(ChangeEvidence.parse(whole)).toEqual(whole)
  for (const text of [evidence.summary, ...evidence.missing, ...evidence.warnings]) {
    expect(text).toMatch(/^[A-Z0-9`].*[.…]$/s)
    expect(text).not.toMatch(/ {2}|undefined|null|\.\.(?: |$)|\. \./)
  }
  if (found === 'unproved') expect(evidence.missing.length).toBeGreaterThan(0)
  if (found === 'proved') expect(evidence.missing).toEqual([])
})

test('proposes a refactoring only where the change could be one', () => {
  const untested = { files: [code()], head: headOf(run([adds])), withoutChange: null }
  const said = (change: Partial<ChangeFacts>) => judgeChange(fix({ ...untested, ...change })).evidence.summary
  expect(said({})).toContain('`expect: same`')
  expect(said({ restored: [restored({ kind: 'replacement' })] })).toContain('`expect: same`')
  expect(said({ restored: [restored({ kind: 'alteration', outcome: 'killed' })] })).not.toContain('expect: same')
  expect(said({ files: [code({ removed: [] })] })).not.toContain('expect: same')
})

test('counts mutants of the old code apart', () => {
  const { mutation } = judgeChange(refactoring({ oldCode: { ...inOldCode('killed', 'survived'), found: 7 } })).evidence
  expect(mutation).toMatchObject({ found: 10, tried: 5, killed: 3, timedOut: 1, survived: 1, invalid: 0 })
  expect(mutation?.inOldCode).toEqual({ found: 7, tried: 2, killed: 1, timedOut: 0, survived: 1, invalid: 0 })
  expect(mutation?.survivors).toMatchObject([{ line: 3, operator: 'value', isInOldCode: true }])
  expect(mutation && mutantsInWords(mutation)).toBe(
    '3 of 3 tried: 2 killed, 1 timed out, 0 survived; in the old code 2 of 7 tried: 1 killed, 1 survived',
  )
})

test('counts mutants, those that could not run, and restored parts once each, with the same numbers everywhere', () => {
  const { summary, mutation } = judgeChange(
    fix({
      mutation: { ...mutants('killed', 'crashed', 'timed_out', 'survived', 'invalid'), found: 9 },
      restored: [
        restored({ outcome: 'killed', isMutant: true }),
        restored({ line: 9, outcome: 'killed' }),
        restored({ line: 12, outcome: 'invalid' }),
        restored({ kind: 'file', path: 'tax.lua', outcome: 'killed' }),
      ],
    }),
  ).evidence
  expect(mutation).toMatchObject({
    found: 11,
    tried: 7,
    killed: 3,
    timedOut: 1,
    survived: 1,
    invalid: 2,
    restored: { tried: 2, killed: 1, timedOut: 0, survived: 0, invalid: 1 },
  })
  expect(mutation && mutantsInWords(mutation)).toBe(
    '5 of 9 tried: 2 killed, 1 timed out, 1 survived, 1 could not run; ' +
      '2 restored parts of the old code: 1 killed, 0 survived, 1 could not run',
  )
  expect(summary).toContain(
    'They detect 3 of 4 mutants of the changed lines (1 more could not run) and ' +
      '1 of 1 restored part of the old code (1 more could not run).',
  )
})

test('says what else matters of a proved change', () => {
  const { evidence } = judgeChange(
    fix({
      base: baseOf(run([adds, failed('sorts'), passed('waits')]), run([failed('waits')])),
      head: {
        ...headOf(run([adds, rounds, passed('trims', { line: 26 }), failed('sorts'), passed('waits')])),
        coverage: null,
      },
      withoutChange: [run([failed('rounds'), passed('trims', { line: 26 })])],
      warnings: ['The lockfiles differ.'],
    }),
  )
  expect(evidence.warnings).toEqual([
    '1 test had different results in runs of the same code: `cart > waits`.',
    '1 test failed before the change and still fails: `cart > sorts`.',
    '`cart > trims` passes without the change too, which proves nothing about it.',
    'The runner measured no coverage, so it is not known whether tests run the changed lines.',
    'The lockfiles differ.',
  ])
})

test('warns where nothing shows that the tests check the changed lines, or that they are all that proves it', () => {
  const warningsOf = (change: Partial<ChangeFacts>) => judgeChange(fix(change)).evidence.warnings
  expect(warningsOf({ mutation: null })).toEqual([
    'No mutants were tried, so it is not known whether the tests check what the changed lines do.',
  ])
  expect(warningsOf({ mutation: null, restored: [restored({ kind: 'removal', outcome: 'killed' })] })).toEqual([])
  // Files that are restored as a whole say nothing about other code.
  const whole = restored({ kind: 'file', path: 'tax.lua', outcome: 'killed' })
  const lua = code({ path: 'tax.lua', before: 'tax.lua' })
  expect(warningsOf({ files: [code(), lua, tests()], mutation: null, restored: [whole] })[0]).toMatch(/^No mutants/)
  expect(warningsOf({ files: [lua, tests()], mutation: null, restored: [whole] })).toEqual([
    'Coverage does not measure tax.lua.',
  ])
  const trims = passed('trims', { line: 26 })
  const both = {
    head: headOf(run([adds, rounds, trims])),
    withoutChange: [run([failed('rounds'), failed('trims', { line: 26 })])],
  }
  expect(warningsOf({ ...both, textTests: ['cart > trims'] })).toEqual([
    '`cart > trims` follows the text of the code: another text changes its result although the code does the same. So it proves nothing about the change.',
  ])
  expect(
    warningsOf({ files: [code(), tests(), { ...other('vendor/a.js'), isVendored: true, holdsCode: true }] }),
  ).toEqual([
    '1 third-party file changed, such as vendor/a.js. Assay takes this for another version of third-party code, and did not check whether tests notice.',
  ])
})

test('lets new tests decide where the base cannot run, and says so', () => {
  const { verdict, evidence } = judgeChange(
    fix({ base: side([], { problem: { code: 'install_failed', message: 'npm failed.' } }) }),
  )
  expect([verdict, evidence.base.outcome, evidence.base.problem]).toEqual(['proved', 'not_built', 'npm failed.'])
  expect(evidence.warnings).toEqual([
    'The tests gave no result without the change, so results before it are not known. npm failed.',
    '1 test could not be compared, because the reports of one side are incomplete.',
  ])
})

test('names deleted tests of a change that deletes their code, and asks nothing', () => {
  const files = [
    code(),
    tests(),
    code({ path: 'src/old.ts', before: 'src/old.ts', change: 'deleted', lines: [] }),
    tests({ path: 'test/old.test.ts', before: 'test/old.test.ts', change: 'deleted', lines: [] }),
  ]
  const old = passed('is old', { file: 'test/old.test.ts' })
  const judged = judgeChange(fix({ files, base: baseOf(run([adds, old])) }))
  expect([judged.verdict, judged.evidence.counts.gone]).toEqual(['proved', 1])
  expect(judged.evidence.warnings).toEqual([
    '1 test went with the code, or got a new name or new parameters: `cart > is old`.',
    expect.stringContaining('The change deletes src/old.ts.'),
  ])
  const kept = judgeChange(
    fix({ files: files.filter(({ path }) => path !== 'src/old.ts'), base: baseOf(run([adds, old])) }),
  )
  expect([kept.verdict, kept.evidence.reason]).toEqual(['unproved', 'tests_removed'])
})

test('warns of deleted code, which may be loaded by its place', () => {
  const files = [code(), tests(), code({ path: 'src/rules/old.ts', change: 'deleted', lines: [] })]
  const judged = judgeChange(fix({ files }))
  expect([judged.verdict, judged.evidence.warnings]).toEqual([
    'proved',
    [
      'The change deletes src/rules/old.ts. The proof does not show that nothing needs it, such as a program that loads all files of a folder.',
    ],
  ])
})

test('finds the tests of a deleted file in a new file, each once', () => {
  const [from, to] = ['test/cart.test.ts', 'test/basket.test.ts']
  const files = [
    code(),
    tests({ path: from, change: 'deleted', lines: [] }),
    tests({ path: to, before: null, change: 'added', lines: [[1, 30]] }),
  ]
  const verdictOf = (...names: string[]) =>
    judgeChange(
      fix({
        files,
        base: baseOf(run([adds, passed('sorts')])),
        head: headOf(run(names.map((name, at) => passed(name, { file: to, line: at + 5 })))),
        withoutChange: [run(names.map((name, at) => failed(name, { file: to, line: at + 5 })))],
      }),
    ).evidence.reason
  expect(verdictOf('adds', 'sorts', 'rounds')).toBe('fails_without_the_change')
  expect(verdictOf('adds', 'rounds')).toBe('tests_removed')
})

test('takes a test for renamed only if the new one passes without the change', () => {
  const sums = passed('sums in total', { line: 28 })
  const facts = (without: typeof sums) =>
    fix({
      base: baseOf(run([adds, passed('total of lines')])),
      head: headOf(run([adds, rounds, sums])),
      withoutChange: [run([failed('rounds'), without])],
    })
  expect(judgeChange(facts(sums)).verdict).toBe('proved')
  // A failing test that was replaced by one that agrees with the change.
  expect(judgeChange(facts(failed('sums in total', { line: 28 }))).evidence.reason).toBe('tests_removed')
})

test('lets cases of a test with parameters give way to other cases, if these are as many', () => {
  const cases = (...names: string[]) => run([adds, ...names.map((name) => passed(name, { line: 22 }))])
  const facts = (old: string[], now: string[], without = failed(now[0] ?? '', { line: 22 })) =>
    fix({ base: baseOf(cases(...old)), head: headOf(cases(...now)), withoutChange: [run([without])] })
  const reasonOf = (...given: Parameters<typeof facts>) => judgeChange(facts(...given)).evidence.reason
  expect(reasonOf(['fee[1]', 'fee[2]'], ['fee[3]', 'fee[4]', 'fee[5]'])).toBe('fails_without_the_change')
  expect(reasonOf(['fee[1]', 'fee[2]'], ['fee[2]', 'fee[3]'])).toBe('fails_without_the_change')
  expect(reasonOf(['fee[1]', 'fee[2]'], ['fee[3]'])).toBe('tests_removed')
  expect(reasonOf(['fee[1]', 'fee[2]'], ['rate[3]', 'rate[4]'])).toBe('tests_removed')
})

test('knows which test of a report without lines was changed, by its title', () => {
  const source = ["test('adds', () => {", '  ok(1)', '})', "test('isn\\'t round', () => {", '  ok(2)', '})'].join('\n')
  const both = [passed('adds'), passed("isn't round")]
  const judged = (text: string) =>
    judgeChange(
      fix({
        files: [code(), tests({ lines: [[5, 5]] })],
        base: baseOf(run(both)),
        head: headOf(run(both)),
        withoutChange: [run(both)],
        sources: new Map([[testFile, text]]),
      }),
    ).evidence
  expect(judged(source).summary).toContain("`cart > isn't round`")
  expect(judged(source).tests).toMatchObject([{ test: "cart > isn't round", line: 4, isOfChange: 'changed' }])
  // The lines of a test that is declared in another way are unknown.
  expect(judged(source.replace("test('adds'", 'test(title')).tests).toEqual([])
})

test('lists what is missing, most important first', () => {
  const { evidence } = judgeChange(
    fix({
      head: { ...covers('1-3', '4-7'), runs: [run([adds, rounds])] },
      base: baseOf(run([adds, passed('sorts')])),
      withoutChange: [run([adds, rounds])],
      mutation: mutants('killed', 'survived', 'survived'),
      notRun: ['repeats'],
    }),
  )
  expect(evidence.missing.map((text) => text.slice(0, 40))).toEqual([
    'No test fails without the change. `cart ',
    'The change removes the test `cart > sort',
    'Tests run 0 of 2 changed lines. Nothing ',
    '2 of 3 mutants of the changed lines surv',
    'Not run yet: the repetition of tests, wh',
  ])
})

test('shows the worst tests first, without those that pass as before', () => {
  const { evidence } = judgeChange(
    fix({
      base: baseOf(run([adds, failed('sorts'), passed('leaves'), passed('stays')])),
      head: headOf(run([failed('adds'), rounds, failed('sorts'), passed('stays')])),
    }),
  )
  expect(
    evidence.tests.map(({ test: title, transition, isOfChange, withoutChange }) => [
      title,
      transition,
      isOfChange,
      withoutChange,
    ]),
  ).toEqual([
    ['cart > adds', 'broken', null, null],
    ['cart > leaves', 'gone', null, null],
    ['cart > sorts', 'fails_both', null, null],
    ['cart > rounds', 'new_passing', 'added', 'fails'],
  ])
  expect(evidence.tests[0]).toMatchObject({
    file: testFile,
    failure: { test: 'cart > adds', kind: 'assertion', message: 'expected 2 to be 3', file: testFile, line: 7 },
  })
  expect(evidence.counts).toMatchObject({ broken: 1, gone: 1, fails_both: 1, new_passing: 1, passes_to_passes: 1 })
})

test('stays short, however much failed and however long it is', () => {
  const long = 'x'.repeat(50_000)
  const many = Array.from({ length: 1_000 }, (_, at) =>
    failed(`${at} ${long.slice(0, 900)}`, { message: long.slice(0, 2_000) }),
  )
  const before = many.map((found) => ({ ...found, status: 'passed' as const, kind: null, message: null, place: null }))
  const { evidence } = judgeChange(fix({ base: baseOf(run(before)), head: headOf(run(many)), warnings: [long] }))
  expect(evidence.tests.length).toBe(200)
  expect(evidence.summary.length).toBeLessThanOrEqual(2_001)
  expect(JSON.stringify(evidence).length).toBeLessThan(700_000)
  const survivors = mutants(...Array.from({ length: 100 }, () => 'survived' as const))
  const judged = survivors.judged.map((one) => ({ ...one, mutant: { ...one.mutant, original: long } }))
  const { mutation, summary } = judgeChange(fix({ mutation: { ...survivors, judged } })).evidence
  expect([mutation?.survivors.length, mutation?.survivors[0]?.original.length]).toEqual([20, 500])
  expect(summary.length).toBeLessThan(2_001)
})
