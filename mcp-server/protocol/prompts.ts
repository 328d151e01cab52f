import { type McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { cleanLine, shorten } from '../../client/sanitize.ts'
import type { IdKind } from './resources.ts'

interface Argument {
  name: string
  description: string
  /** The kind of object whose id the argument is, for completion. */
  of?: IdKind
}

interface Prompt {
  name: string
  title: string
  description: string
  arguments: readonly Argument[]
  /** @param given - returns an argument, or the words for its absence */
  write: (given: (name: string, otherwise: string) => string) => string[]
}

const projectId: Argument = {
  name: 'projectId',
  description: 'Defaults to the project of this checkout',
  of: 'project',
}

export const prompts: readonly Prompt[] = [
  {
    name: 'red-to-green',
    title: 'Red to green',
    description: 'Find out why tests fail, fix the cause, and see them pass',
    arguments: [
      projectId,
      { name: 'runId', description: 'The failed run; without it, a new run is started', of: 'run' },
      { name: 'branch', description: 'Defaults to the default branch' },
    ],
    write: (given) => [
      'Make the failing tests pass.',
      `Project: ${given('projectId', 'find it with get_project and the address of this repository')}.`,
      `Run: ${given('runId', 'start one with trigger_run')}. Branch: ${given('branch', 'the default branch')}.`,
      '1. Call wait_for_run until the run has ended; it returns the failures by cause, new failures first.',
      '2. For each cause read the code at the given file and line, then the test. get_run_failures with search returns more.',
      '3. Fix the cause. Do not weaken or skip tests. Leave flaky failures for the end, and say so.',
      '4. Run the failed tests in the checkout, call trigger_run with localPath, or push first where the tool does not have it, and repeat until the run has PASSED.',
      '5. Call verify_change on the same state, and add what is missing until it is proved.',
      'At the end report the cause, your changes, the verdict, and the id of the passed run.',
    ],
  },
  {
    name: 'add-tests-for-diff',
    title: 'Add tests for this diff',
    description: 'Write tests for the changed code, and keep the tests that verify_test accepts',
    arguments: [projectId, { name: 'base', description: 'Base of the diff; defaults to main' }],
    write: (given) => [
      'Add tests for the code that the current changes touch.',
      `Project: ${given('projectId', 'find it with get_project and the address of this repository')}.`,
      `1. Call suggest_tests with since ${given('base', 'main')}, and with localPath where the tool has it.`,
      '2. Read the code that the suggestions name, and its cases.',
      '3. Write each test in the style of the existing tests, with exact assertions.',
      '4. Call verify_test for each test: with localFile where the tool has it, else commit and push the changed code, and name its branch or commitSha. Keep it if accepted; for no_gain assert what the survivors change; for flaky find the cause.',
      `5. Call verify_change for the whole change, with base ${given('base', 'main')}, and with localPath where the tool has it. Add what is missing until it is proved.`,
      'Stop after three attempts for each test. At the end give the verdict of the change, and list the tests that you kept, with their verdicts, and those that you dropped.',
    ],
  },
  {
    name: 'prove-change',
    title: 'Prove this change',
    description: 'Verify the current change, and add what is missing until its tests prove it',
    arguments: [
      projectId,
      { name: 'base', description: 'Where the change begins; defaults to where it left the default branch' },
    ],
    write: (given) => [
      'Prove that the current change is right.',
      `Project: ${given('projectId', 'find it with get_project and the address of this repository')}. Base: ${given('base', 'where the branch left the default branch')}.`,
      '1. Call verify_change: with localPath where the tool has it, else push, and name the branch. For a refactoring pass expect: "same". While the verdict is provisional, call it again with changeId.',
      '2. broken: read the code at the given places and fix the cause. Do not weaken or skip tests.',
      '3. unproved: take missing from the first point on. Write a test that fails without the change, tests for the unproved lines, and exact assertions against the survivors. Take expected values from what the code should do, never from its output.',
      '4. flaky: find the dependence on time, order, chance or shared state. A retry is no fix.',
      'Repeat, at most five times. At the end report the verdict, the tests that prove the change, and what is still missing.',
    ],
  },
  {
    name: 'triage-flaky',
    title: 'Triage flaky tests',
    description: 'Find tests that pass and fail on the same code, and why',
    arguments: [projectId, { name: 'branch', description: 'Defaults to all branches' }],
    write: (given) => [
      'Find the flaky tests and their causes.',
      `Project: ${given('projectId', 'find it with get_project and the address of this repository')}.`,
      `1. list_runs, branch ${given('branch', 'any')}; get_run_failures for the failed runs: it marks flaky tests, with the reason.`,
      '2. get_test_health for each of them: why it is flaky, since when, and its errors. Without search it lists the flaky and broken tests.',
      '3. Read the test and the code that it calls. Look for time, order, randomness, network, and state of other tests.',
      '4. Fix the cause; a longer timeout or a retry is no fix. verify_test with more repeats shows whether the fix holds.',
      'At the end report for each test: how often it failed, since when, the cause, and your change or proposal.',
    ],
  },
  {
    name: 'debug-webhook',
    title: 'Debug a webhook',
    description: 'Find out why events do not arrive',
    arguments: [
      { name: 'projectId', description: 'Project of the webhook', of: 'project' },
      { name: 'webhookId', description: 'Without it, the webhook that fails', of: 'webhook' },
    ],
    write: (given) => [
      'Find out why events of this webhook do not arrive.',
      `Project: ${given('projectId', 'list_projects shows the projects')}. Webhook: ${given('webhookId', 'find it with list_webhooks')}.`,
      '1. list_webhooks: is the webhook active, which events does it receive, since when does it fail?',
      '2. list_webhook_deliveries: status, answer and error of the latest. If there are none, the webhook does not receive that event.',
      '3. test_webhook, and compare. 401 or 403: secret or signature; 404: address; 3xx: Assay follows no redirects; timeout: the receiver works before it answers.',
      '4. Fix the cause, then retry_webhook_delivery for the missed deliveries.',
      'Call rotate_webhook_secret only if the secret is lost or known to others. At the end report the cause.',
    ],
  },
]

/** Serves the prompts that users choose by name. */
export function servePrompts({ server }: McpServer): void {
  server.registerCapabilities({ prompts: {} })
  server.setRequestHandler('prompts/list', () => ({
    prompts: prompts.map(({ name, title, description, arguments: taken }) => ({
      name,
      title,
      description,
      arguments: taken.map(({ name, description }) => ({ name, description, required: false })),
    })),
    ttlMs: 86_400_000,
    cacheScope: 'public' as const,
  }))
  server.setRequestHandler('prompts/get', ({ params }) => {
    const prompt = prompts.find(({ name }) => name === params.name)
    if (!prompt) {
      const known = prompts.map(({ name }) => name).join(', ')
      throw invalid(`Unknown prompt ${shorten(cleanLine(params.name), 60)}. Known: ${known}.`)
    }
    const given = params.arguments ?? {}
    const taken = prompt.arguments.map(({ name }) => name)
    const unknown = Object.keys(given).find((name) => !taken.includes(name))
    if (unknown !== undefined) {
      throw invalid(
        `${prompt.name} has no argument ${shorten(cleanLine(unknown), 60)}. Its arguments are ${taken.join(', ')}.`,
      )
    }
    const text = prompt.write((name, otherwise) => shorten(cleanLine(given[name] ?? ''), 300) || otherwise).join('\n')
    return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text } }] }
  })
}

const invalid = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message)
