import { type McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { cleanLine, shorten } from '../../client/sanitize.ts'
import type { IdKind } from './resources.ts'

interface Argument {
  name: string
  description: string
  /** Of what it is the id; such arguments are completed. */
  of?: IdKind
}

interface Prompt {
  name: string
  title: string
  description: string
  arguments: readonly Argument[]
  /** @param given - what was given, or words for that it was not */
  write: (given: (name: string, otherwise: string) => string) => string[]
}

const projectId: Argument = { name: 'projectId', description: 'Without it, the one of this checkout', of: 'project' }

export const prompts: readonly Prompt[] = [
  {
    name: 'red-to-green',
    title: 'Red to green',
    description: 'Find out why tests fail, mend the cause, and see them pass',
    arguments: [
      projectId,
      { name: 'runId', description: 'The red run; without it a new one is made', of: 'run' },
      { name: 'branch', description: 'Without it, the default branch' },
    ],
    write: (given) => [
      'Bring the tests from red to green.',
      `Project: ${given('projectId', 'find it by get_project with the address of this repository')}.`,
      `Run: ${given('runId', 'start one by trigger_run')}. Branch: ${given('branch', 'the default one')}.`,
      '1. wait_for_run, until it has ended; its answer groups what failed by cause, new failures first.',
      '2. For each cause read the code at the file and line named, then the test. get_run_failures with search has more.',
      '3. Mend the cause. Weaken or skip no test; leave failures marked as flaky for the end, and say so.',
      '4. Run in the checkout what failed, commit and push, trigger_run, and repeat until it PASSED.',
      'Say at the end what was wrong, what you changed, and the id of the green run.',
    ],
  },
  {
    name: 'add-tests-for-diff',
    title: 'Add tests for this diff',
    description: 'Write tests for what a change touches, and keep those that prove their worth',
    arguments: [projectId, { name: 'base', description: 'What the diff is against; without it main' }],
    write: (given) => [
      'Add tests for what the current changes touch.',
      `Project: ${given('projectId', 'find it by get_project with the address of this repository')}.`,
      `1. git diff ${given('base', 'main')} shows which functions changed.`,
      '2. suggest_tests, with localPath where it is taken: of what it says, take what those functions need.',
      '3. Write each test in the style of its neighbours, with exact assertions.',
      '4. Commit the code that changed, and push it if the server reads the repository from elsewhere: verify_test takes the code from a commit, and only the test as it is given.',
      '5. verify_test for each, with branch or commitSha of that commit. Keep it if accepted; with no_gain assert what the survivors name; with flaky find the cause.',
      'Three attempts for each test are enough. Say at the end which were kept, with their verdicts, and which were not.',
    ],
  },
  {
    name: 'triage-flaky',
    title: 'Triage flaky tests',
    description: 'Find tests that pass and fail on the same code, and why',
    arguments: [projectId, { name: 'branch', description: 'Without it, all branches' }],
    write: (given) => [
      'Find the flaky tests, and their causes.',
      `Project: ${given('projectId', 'find it by get_project with the address of this repository')}.`,
      `1. list_runs, branch ${given('branch', 'any')}; get_run_failures for the red ones: it marks what is flaky, and why it thinks so.`,
      '2. get_test_history for each of these: when it began, on which commits it both passed and failed.',
      '3. Read the test and what it calls. Look for time, order, chance, network, state that others leave behind.',
      '4. Mend the cause; a longer timeout or another attempt is none. verify_test with more repeats shows whether it holds.',
      'Say at the end, for each test: how often it failed, since when, the cause, what you changed or propose.',
    ],
  },
  {
    name: 'debug-webhook',
    title: 'Debug a webhook',
    description: 'Find out why events do not arrive',
    arguments: [
      { name: 'projectId', description: 'Whose webhook it is', of: 'project' },
      { name: 'webhookId', description: 'Without it, look for the one that fails', of: 'webhook' },
    ],
    write: (given) => [
      'Find out why events of this webhook do not arrive.',
      `Project: ${given('projectId', 'list_projects shows them')}. Webhook: ${given('webhookId', 'find it by list_webhooks')}.`,
      '1. list_webhooks: is it active, which events does it want, since when does it fail?',
      '2. list_webhook_deliveries: status, answer and error of the last ones. None at all: the event is not among its events.',
      '3. test_webhook, and compare. 401 or 403: secret or signature; 404: address; 3xx: redirects are not followed; timeout: the receiver works before it answers.',
      '4. Once that is mended, retry_webhook_delivery for what was missed.',
      'rotate_webhook_secret only if the secret is lost or known to others. Say at the end what was wrong.',
    ],
  },
]

/** Ways of work that people choose by name. */
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
      throw invalid(`Unknown prompt ${shorten(cleanLine(params.name), 60)}. There are: ${known}.`)
    }
    const given = params.arguments ?? {}
    const taken = prompt.arguments.map(({ name }) => name)
    const unknown = Object.keys(given).find((name) => !taken.includes(name))
    if (unknown !== undefined) {
      throw invalid(`${prompt.name} takes ${taken.join(', ')}, and no ${shorten(cleanLine(unknown), 60)}.`)
    }
    const text = prompt.write((name, otherwise) => shorten(cleanLine(given[name] ?? ''), 300) || otherwise).join('\n')
    return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text } }] }
  })
}

const invalid = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message)
