/** Short texts for agents, in the order of use. */
export const guides = [
  {
    name: 'getting-started',
    title: 'Getting started',
    description: 'From a repository to tests that are worth keeping.',
    text: `# Getting started

1. whoami shows the user and the scopes of the token.
2. get_project finds a project by repository address, path or name; create_project adds one.
3. suggest_tests returns what to test: place, untested cases, where the test goes. paths, since (a branch) and symbols limit it, measure runs the tests first, detail adds examples. It analyzes the project first if it has no analysis. generate_tests writes whole test files.
4. analyze_repository analyzes newer commits and ranks what is most worth testing. It waits up to 45 s and then returns an analysisId to wait again.
5. verify_test judges whether a test is worth keeping. Keep the tests that it accepts.
6. trigger_run runs the tests of a commit and returns what failed.
7. verify_change decides whether the tests prove a whole change. Call it after a change, before you say it is done.
8. find_weak_tests returns small changes of the code that no test notices, best first, with what to assert. Call it with the paths that you write tests for, before you start and after.

Over stdio these tools also take localPath, a checkout with its uncommitted changes; verify_test takes localFile, a test in a checkout, too. Nothing has to be committed or pushed, and no other call has to come first. The answer says which state was sent, and what was left out.
Follow the advice of a refusal: it names the field, the scope or the call that is missing.
`,
  },
  {
    name: 'red-to-green',
    title: 'From a red run to a green one',
    description: 'How to find out what broke, and fix it.',
    text: `# From a red run to a green one

1. trigger_run with projectId and branch; wait_for_run while it is PENDING or RUNNING. For a failed run it returns the failures by cause, with file and line, new failures first.
2. Begin with new failures. A failure that is not new was there before the change; a flaky failure may have nothing to do with it: get_test_health says why, and since when.
3. Read the code at the given line before the test. get_run_failures with search returns the whole message and stack of a test. Use get_run_log for runs that ended with ERROR, before any test ran.
4. Fix the cause. Do not weaken or skip tests.
5. Run the failed tests in your checkout with the command in the answer; then call trigger_run again, over stdio with localPath, else after a push.
6. Call verify_change, so that a test fails without your fix.
7. The work is done when the change is proved, and a run of your pushed commit has PASSED.
`,
  },
  {
    name: 'good-test',
    title: 'Writing a test that is worth keeping',
    description: 'What verify_test measures, and what its verdicts mean.',
    text: `# Writing a test that is worth keeping

- Test what callers rely on: results, errors, effects. Do not test the implementation or the text of the code.
- Assert exact values. An assertion that a value merely exists detects hardly any change.
- Replace only what is outside the project: network, clock, randomness.
- Leave nothing behind that another test would find.

verify_test runs the test alone several times, with the suite, and on slightly changed code (mutants):
- accepted: it passes, and detects changes or reaches new lines. Keep it.
- no_gain: it passes, and adds nothing to the other tests. The survivors are changes that it did not detect: assert those.
- flaky: its result differs from run to run. Look for time, order, randomness, shared state.
- not_built: it does not compile, or the runner does not find it. The output says why.
- suspected_bug: it always fails on unchanged code. Either the test or the code is wrong: read both before you change either.

find_weak_tests lists what all tests of a file or folder together do not notice. Some of these changes cannot be noticed, because they do not change what the code does.
`,
  },
  {
    name: 'proved-change',
    title: 'Proving a change',
    description: 'What verify_change measures, and what its verdicts mean.',
    text: `# Proving a change

Call verify_change after a change, before you say it is done: over stdio with localPath, else with the pushed branch. It runs the tests before and after the change, the new and changed tests on the code before it, and the tests on slightly changed code (mutants).
- proved: nothing is broken, a test fails without the change, tests run the changed lines and notice their mutants. Commit exactly this state.
- unproved: nothing contradicts the change, but something is missing. summary and missing say what, most important first; passWithoutChange names tests that prove nothing; unproved has the lines that no test runs; survivors are what to assert.
- broken: a test passed before and fails now, or a new test fails. Read the code at its place before the test. Do not weaken or skip tests.
- not_built: the install, the build or the tests do not start. The output says why.
- flaky: a test of the change passes and fails on the same code.
- no_code_changed: only documentation, tests or configuration.

For a refactoring pass expect: "same": then no test has to fail without the change, but the tests must notice every mutant of the old and the new code.
A provisional verdict can change, and is never proved: call verify_change with the changeId until it is final. detail returns more evidence.
`,
  },
  {
    name: 'webhooks',
    title: 'Webhooks',
    description: 'How to receive events, and find out why one did not arrive.',
    text: `# Webhooks

1. create_webhook with url, events and projectId. The secret is shown once; the receiver verifies signatures with it.
2. test_webhook sends an event and returns the receiver's answer.
3. list_webhook_deliveries shows deliveries with status and answer. Assay retries a failed delivery automatically, with growing pauses; retry_webhook_delivery retries it now.
4. Assay deactivates a webhook that has failed for a long time, and gives the reason; update_webhook with active true activates it again.
5. rotate_webhook_secret creates a new secret. The old one stays valid for a while, so that the receiver can switch.

A receiver answers with a 2xx within seconds and does its work afterwards. It verifies the signature over the raw body, and processes an event that arrives twice only once, by its id.
`,
  },
] as const
