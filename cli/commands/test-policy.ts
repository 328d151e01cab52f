import type { Command } from 'commander'
import type { PolicyPreview } from '../../core/tests/schema.ts'
import type { HealthRulesChange, TestPolicy, UpdateTestPolicy } from '../../core/test-policy/schema.ts'
import { openContext } from '../context.ts'
import { wrongUsage } from '../failure.ts'
import { testNameOf } from '../health-words.ts'
import { addProjectOption, type ProjectOptions, repeated } from '../options.ts'
import type { Output } from '../output.ts'
import { partOf, policyParts, policyWords } from '../policy-words.ts'
import { resolveProject, shown } from '../project.ts'
import { counted } from '../words.ts'

interface PolicyOptions extends ProjectOptions {
  set?: string[]
  preview?: boolean
}

export function addTestPolicy(tests: Command): void {
  addProjectOption(
    tests
      .command('policy')
      .description('show the rules for health, quarantine and retention of a project, or change or preview them')
      .option<string[] | undefined>(
        '--set <name=value>',
        'change a setting, such as quietDays=5 (repeatable)',
        repeated,
      )
      .option('--preview', 'show what other rules for health would have said of the last 30 days; change nothing'),
  ).action(showPolicy)
}

type Change = Partial<Record<keyof TestPolicy, Record<string, unknown>>>

async function showPolicy(_options: unknown, command: Command): Promise<void> {
  const context = openContext(command)
  const { core, out } = context
  const { set = [], preview = false, project } = command.optsWithGlobals<PolicyOptions>()
  const change = readChange(set)
  if (preview && set.length === 0) throw wrongUsage('--preview requires --set, such as --set quietDays=5.')
  if (preview && (change.quarantine ?? change.retention)) {
    throw wrongUsage('--preview shows rules for health only. Leave out the other settings.')
  }
  const client = await core()
  const { id: projectId } = await resolveProject(client, project, context)
  if (preview) {
    const previewed = await client.tests.previewPolicy.query({ projectId, health: change.health as HealthRulesChange })
    return out.answer(previewed, () => writePreview(out, previewed))
  }
  const policy =
    set.length > 0
      ? await client.tests.updatePolicy.mutate({ projectId, ...(change as Omit<UpdateTestPolicy, 'projectId'>) })
      : await client.tests.getPolicy.query({ projectId })
  out.answer(policy, () => writePolicy(out, policy))
}

/** Core checks the values. */
function readChange(settings: readonly string[]): Change {
  const change: Change = {}
  for (const setting of settings) {
    const [, name = '', value = ''] = /^([\w.]+)=(.+)$/s.exec(setting) ?? []
    const bare = name.replace(/^(?:health|quarantine|retention)\./, '')
    const part = partOf(bare)
    if (part === undefined || (name !== bare && name !== `${part}.${bare}`)) {
      const known = policyParts.flatMap((one) => Object.keys(policyWords[one])).join(', ')
      throw wrongUsage(
        `--set ${shown(setting)} must be one of these settings with a value, such as quietDays=5: ${known}.`,
      )
    }
    change[part] = { ...change[part], [bare]: readValue(value.trim()) }
  }
  return change
}

function readValue(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true'
  return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text
}

function writePolicy(out: Output, policy: TestPolicy): void {
  out.table(
    ['SETTING', 'VALUE', 'MEANING'],
    policyParts.flatMap((part) =>
      Object.entries(policyWords[part]).map(([name, meaning]) => [
        name,
        String(new Map<string, unknown>(Object.entries(policy[part])).get(name)),
        `${meaning}${name === 'days' && part === 'quarantine' ? ' unless the request says otherwise' : ''}`,
      ]),
    ),
  )
}

function writePreview(out: Output, preview: PolicyPreview): void {
  const { days, runs, examined, current, previewed, differences, leftOut } = preview
  out.line(
    `${counted(runs, 'run')} of the last ${days} days, ${counted(examined, 'test')} that failed or passed only after a retry:`,
  )
  // A pipe gets no headings.
  const now = (value: string | number) => (out.isTerminal ? `${value}` : `now ${value}`)
  const then = (value: string | number) => (out.isTerminal ? `${value}` : `then ${value}`)
  out.table(
    ['HEALTH', 'NOW', 'THEN'],
    [
      ...(['broken', 'flaky', 'new', 'stale', 'healthy'] as const).map((health) => [
        health,
        now(current[health]),
        then(previewed[health]),
      ]),
      ['changes of health', now(preview.currentChanges), then(preview.previewedChanges)],
    ],
  )
  out.line(differences.length === 0 ? 'No test would have another health.' : 'Tests with another health:')
  out.table(
    ['NOW', 'THEN', 'TEST', 'REASON'],
    differences.map((test) => [now(test.current), then(test.previewed), testNameOf(test), test.reason]),
  )
  if (leftOut > 0) out.line(`and ${counted(leftOut, 'more test')}`)
}
