import { type Command, InvalidArgumentError, Option } from 'commander'
import { Health, ListTests, type TestsPage } from '../../core/tests/schema.ts'
import { openContext } from '../context.ts'
import { wrongUsage } from '../failure.ts'
import {
  addGroup,
  addPageOptions,
  addProjectOption,
  type PageOptions,
  type ProjectOptions,
  separateOptions,
} from '../options.ts'
import { resolveProject } from '../project.ts'
import { writeTests } from '../test-rows.ts'
import { counted } from '../words.ts'
import { addTestConfirm } from './test-confirm.ts'
import { addTestPolicy } from './test-policy.ts'
import { addTestShow } from './test-show.ts'

interface TestsOptions extends ProjectOptions, PageOptions {
  health?: Health[]
  owner?: string
  search?: string
  sort?: ListTests['sort']
  slowest?: boolean
  quarantined?: boolean
  all?: boolean
}

export function addTests(program: Command): void {
  const description = 'show which tests are flaky, broken or slow, and why'
  const tests = addListOptions(addGroup(program, 'tests', description, listTests))
  addListOptions(
    tests
      .command('list')
      .description('list tests that are not healthy or have failed, those with the most impact first'),
  ).action(listTests)
  addTestShow(tests)
  addTestConfirm(tests)
  addTestPolicy(tests)
  separateOptions(tests, program)
}

const addListOptions = (command: Command) =>
  addProjectOption(
    addPageOptions(
      command
        .option(
          '--health <list>',
          `only tests with this health, separated by commas: ${Health.options.join(', ')}`,
          readHealth,
        )
        .option('--owner <owner>', 'only tests of this owner, as CODEOWNERS names it')
        .option('--search <text>', 'only tests whose name or file contains this')
        .option('--quarantined', 'only tests that are muted or skipped')
        .option('--all', 'also healthy tests that have not failed')
        .addOption(
          new Option('--sort <order>', 'order (default: impact)').choices(ListTests.shape.sort.unwrap().options),
        )
        .option('--slowest', 'all tests, slowest first'),
    ),
  )

async function listTests(_options: unknown, command: Command): Promise<void> {
  const context = openContext(command)
  const { core, out } = context
  const options = command.optsWithGlobals<TestsOptions>()
  const { health, owner, search, limit, offset, quarantined, slowest = false, all = false } = options
  if (slowest && options.sort !== undefined) throw wrongUsage('Give only one of --sort and --slowest.')
  const client = await core()
  const { id: projectId, name } = await resolveProject(client, options.project, context)
  const isNarrowed = health !== undefined || search !== undefined || quarantined === true
  const page = await client.tests.list.query({
    projectId,
    health,
    owner,
    search,
    limit,
    offset,
    ...(quarantined === true ? { quarantine: 'active' as const } : {}),
    ...(isNarrowed || slowest || all ? {} : { notable: true }),
    sort: slowest ? 'slowest' : (options.sort ?? 'impact'),
  })
  out.answer(page, () => {
    out.warn(countsInWords(page))
    writeTests(out, page.tests)
    out.pageEnd(page.tests.length, { total: page.pagination.total, offset })
    if (page.tests.length === 0 && offset === 0) out.hint(nothingIn(name, page))
    for (const { line, message } of page.codeowners?.problems ?? []) {
      out.hint(`${page.codeowners?.path}${line === null ? '' : `:${line}`}: ${message}`)
    }
  })
}

function nothingIn(name: string, { counts, outages }: TestsPage): string {
  if (Object.values(counts).some((count) => count > 0)) return 'No such test. `assay tests --all` lists all tests.'
  if (outages === 0) return `${name} has no tests yet. They come from runs: \`assay run\`, or \`assay upload\` in CI.`
  return `${counted(outages, 'run')} of ${name} did not count: so many tests failed that it looks like an outage. If they always fail, they count from the fifth run on. \`assay failures\` shows them.`
}

/** `2 broken, 5 flaky, 11 new, 3 stale, 700 healthy; 1 in quarantine, 2 requests` */
function countsInWords({ counts, quarantined, requested, outages }: TestsPage): string {
  const order = ['broken', 'flaky', 'new', 'stale', 'healthy'] as const
  const parts = order.flatMap((health) => (counts[health] > 0 ? [`${counts[health]} ${health}`] : []))
  const quarantine = [
    ...(quarantined > 0 ? [`${quarantined} in quarantine`] : []),
    ...(requested > 0 ? [counted(requested, 'request')] : []),
  ]
  const tests =
    parts.join(', ') || (outages === 0 ? 'No tests' : `No tests: ${counted(outages, 'run')} left out as outages`)
  return [tests, quarantine.join(', ')].filter((part) => part !== '').join('; ')
}

function readHealth(text: string): Health[] {
  return text.split(',').map((word) => {
    const health = Health.safeParse(word.trim())
    if (health.success) return health.data
    throw new InvalidArgumentError(`It must be a list of these: ${Health.options.join(', ')}.`)
  })
}
