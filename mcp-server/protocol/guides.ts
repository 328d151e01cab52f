/** Short reading for agents, in the order in which it is needed. */
export const guides = [
  {
    name: 'getting-started',
    title: 'Getting started',
    description: 'From a repository to tests that are worth having.',
    text: `# Getting started

1. whoami shows whose token this is and what it may do.
2. get_project finds a project by repository address, path or name; create_project registers one.
3. suggest_tests says what to test and why, with example code; it analyses a project that never was. generate_tests writes whole test files.
4. analyze_repository looks at newer commits, and ranks what is most worth testing. It waits up to 45 s and then gives an analysisId to go on with.
5. verify_test says whether a test is worth keeping. Keep those that it accepts.
6. trigger_run runs the tests of a pushed commit and tells what failed.

Over stdio, suggest_tests and analyze_repository also take localPath, a checkout, and see uncommitted changes; nothing has to be called before.
verify_test takes localFile, a test in a checkout: the test is taken as it lies there, the code that it tests from a commit. Commit that first, where the server can fetch it.
What a refusal says to do next is meant: it names the field, the scope or the call that is missing.
`,
  },
  {
    name: 'red-to-green',
    title: 'From a red run to a green one',
    description: 'How to find out what broke, and to mend it.',
    text: `# From a red run to a green one

1. trigger_run with projectId and branch; wait_for_run while it is PENDING or RUNNING. The answer of a run that failed groups the failures by cause, with file and line, new ones first.
2. Begin with new failures. One that is still failing was there before the change; one marked as flaky may say nothing about it.
3. Read the code at the named line before the test. get_run_failures with search has a test's whole message and stack; get_run_log is for runs that ended with ERROR, before any test ran.
4. Mend the cause. Do not weaken or skip a test so that it passes.
5. Run what failed in your checkout, with the command that the answer names; then push, and trigger_run again.
6. Done is a run that PASSED on the commit that you pushed.
`,
  },
  {
    name: 'good-test',
    title: 'Writing a test that is worth keeping',
    description: 'What verify_test looks at, and what its verdicts mean.',
    text: `# Writing a test that is worth keeping

- Test what somebody relies on: results, errors, effects. Not how it is done, and not the text of the code.
- Assert exact values. An assertion that only asks whether there is something notices hardly any change.
- Replace only what is beyond the project: network, clock, chance.
- Leave nothing behind that another test would find.

verify_test runs the test by itself several times, with the suite, and on slightly changed code:
- accepted: it passes, and notices changes or reaches new lines. Keep it.
- no_gain: it passes, and nothing would be missed without it. The survivors are changes that it did not notice: assert those.
- flaky: it does not always end the same. Look for time, order, chance, shared state.
- not_built: it does not compile or is not found. The output says why.
- suspected_bug: it always fails on unchanged code. Either the test or the code is wrong: read both before you change either.
`,
  },
  {
    name: 'webhooks',
    title: 'Webhooks',
    description: 'How to be told of events, and to find out why one did not arrive.',
    text: `# Webhooks

1. create_webhook with url, events and projectId. The secret is shown once; the receiver checks signatures with it.
2. test_webhook sends an event and tells what the receiver answered.
3. list_webhook_deliveries shows what was sent, with status and answer. A delivery that failed is tried again by itself, ever later; retry_webhook_delivery does it now.
4. A webhook that failed for long is deactivated, with the reason; update_webhook with active true begins again.
5. rotate_webhook_secret makes a new secret. The old one signs beside it for a while, so that the receiver can change over.

A receiver answers with a 2xx within seconds and does its work after that. It verifies the signature over the body as it came, and takes an event that comes twice once, by its id.
`,
  },
] as const
