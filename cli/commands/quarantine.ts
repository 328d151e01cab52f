import { type Command, Option } from 'commander'
import { isRefusal } from '../../client/core-client.ts'
import {
  maxQuarantineDays,
  type Quarantine,
  type QuarantineMode,
  QuarantineStatus,
} from '../../core/quarantine/schema.ts'
import { openContext } from '../context.ts'
import { exitCodes, wrongUsage } from '../failure.ts'
import { findTestId, testWords } from '../find-test.ts'
import { quarantineInWords, testNameOf } from '../health-words.ts'
import {
  addGroup,
  addPageOptions,
  addProjectOption,
  type PageOptions,
  type ProjectOptions,
  separateOptions,
  wholeNumber,
} from '../options.ts'
import { bold, dim, green, type Output, type Part, yellow } from '../output.ts'
import { resolveProject } from '../project.ts'
import { counted, pageLine } from '../words.ts'

const idWords = 'id from `assay quarantine`'

export function addQuarantine(program: Command): void {
  const description = 'mute or skip tests until they are fixed'
  const quarantine = addListOptions(addGroup(program, 'quarantine', description, listQuarantines))
  addListOptions(quarantine.command('list').description('list quarantines, requests and active ones first')).action(
    listQuarantines,
  )
  addProjectOption(
    quarantine
      .command('request')
      .description('request that failures of a test do not decide; nothing changes until the request is granted')
      .argument('<test>', testWords)
      .requiredOption('--reason <text>', 'why, in one line')
      .option('--skip', 'leave the test out of runs of the server instead of muting its failures')
      .option('--owner <name>', 'who will fix the test')
      .option('--issue <url>', 'address of the issue about the test')
      .addOption(daysOption("how long it lasts (default: the project's setting)"))
      .option('--variant <variant>', 'only this variant of the test')
      .option('--grant', 'also grant the request, if your role may'),
  ).action(requestQuarantine)
  quarantine
    .command('grant')
    .description('grant a request, or extend an active quarantine')
    .argument('<id>', idWords)
    .addOption(daysOption('how long it lasts from now (default: as requested)'))
    .action(grantQuarantine)
  quarantine
    .command('release')
    .description('end a quarantine, or reject a request')
    .argument('<id>', idWords)
    .option('--reason <text>', 'why, in one line')
    .action(releaseQuarantine)
  separateOptions(quarantine, program)
}

const addListOptions = (command: Command) =>
  addProjectOption(
    addPageOptions(command).addOption(
      new Option('--status <status>', 'list only quarantines with this status').choices(QuarantineStatus.options),
    ),
  )

const daysOption = (words: string) =>
  new Option('--days <count>', `${words}, up to ${maxQuarantineDays} days`).argParser(wholeNumber(1, maxQuarantineDays))

type ListOptions = PageOptions & ProjectOptions & { status?: QuarantineStatus }

async function listQuarantines(_options: unknown, command: Command): Promise<void> {
  const context = openContext(command)
  const { core, out } = context
  const { project, status, limit, offset } = command.optsWithGlobals<ListOptions>()
  const client = await core()
  const { id: projectId, name } = await resolveProject(client, project, context)
  const page = await client.quarantine.list.query({ projectId, status, limit, offset })
  out.answer(page, () => {
    out.table(
      ['ID', 'STATUS', 'MODE', 'UNTIL', 'OWNER', 'TEST', 'REASON'],
      page.quarantines.map((one) => [
        one.id,
        statusPart(one),
        one.mode,
        (one.endedAt ?? one.expiresAt)?.slice(0, 10) ?? '-',
        one.owner ?? '-',
        testNameOf({ ...one, variant: one.variant ?? '' }),
        one.reason,
      ]),
    )
    out.pageEnd(page.quarantines.length, { total: page.pagination.total, offset })
    if (page.pagination.total === 0) out.hint(`${name} has no ${status ?? 'test in'} quarantine.`)
  })
}

interface RequestOptions extends ProjectOptions {
  reason: string
  skip?: boolean
  owner?: string
  issue?: string
  days?: number
  variant?: string
  grant?: boolean
}

async function requestQuarantine(wanted: string, _options: unknown, command: Command): Promise<void> {
  const context = openContext(command)
  const { core, out, exitWith } = context
  const options = command.optsWithGlobals<RequestOptions>()
  const { reason, owner, days, variant, issue: issueUrl, grant = false } = options
  const mode = options.skip === true ? 'skipped' : 'muted'
  const client = await core()
  const { id: projectId } = await resolveProject(client, options.project, context)
  const testId = await findTestId(client, projectId, wanted)
  const asked = { mode, reason, owner, issueUrl, days } as const
  const requested = await client.quarantine.request.mutate({ projectId, testId, variant, ...asked })
  const earlier = earlierRequest(requested, asked)
  if (earlier !== undefined && grant) throw wrongUsage(earlier)
  if (earlier !== undefined) out.warn(earlier)
  let refusal: string | undefined
  let quarantine = requested
  if (grant) {
    try {
      quarantine = await client.quarantine.grant.mutate({ quarantineId: requested.id })
    } catch (error) {
      if (!isRefusal(error, 'FORBIDDEN')) throw error
      refusal = 'Your role or your token may not grant quarantine, so the request waits.'
    }
  }
  out.answer(quarantine, () => show(out, quarantine))
  if (refusal === undefined) return
  out.warn(refusal)
  exitWith(exitCodes.notAllowed)
}

type Asked = Pick<RequestOptions, 'reason' | 'owner' | 'days'> & { mode: QuarantineMode; issueUrl: string | undefined }

/** Core answers with the request that waits already, which may say something else. */
function earlierRequest(requested: Quarantine, asked: Asked): string | undefined {
  const differs = (given: string | number | undefined, known: string | number | null) =>
    given !== undefined && (typeof given === 'string' ? given.trim() : given) !== known
  const different = [
    ...(differs(asked.reason, requested.reason) ? ['reason'] : []),
    ...(differs(asked.mode, requested.mode) ? ['mode'] : []),
    ...(differs(asked.days, requested.days) ? ['length'] : []),
    ...(differs(asked.owner, requested.owner) ? ['owner'] : []),
    ...(differs(asked.issueUrl, requested.issueUrl) ? ['issue'] : []),
  ]
  if (different.length === 0) return undefined
  return (
    `An earlier request for this test waits, with another ${new Intl.ListFormat('en').format(different)}. It did not change. To replace it, ` +
    `run \`assay quarantine release ${requested.id}\` and request again.`
  )
}

async function grantQuarantine(quarantineId: string, options: { days?: number }, command: Command): Promise<void> {
  const { core, out } = openContext(command)
  const granted = await (await core()).quarantine.grant.mutate({ quarantineId, days: options.days })
  out.answer(granted, () => show(out, granted))
}

async function releaseQuarantine(quarantineId: string, options: { reason?: string }, command: Command): Promise<void> {
  const { core, out } = openContext(command)
  const released = await (await core()).quarantine.release.mutate({ quarantineId, reason: options.reason })
  out.answer(released, () => show(out, released))
}

function show(out: Output, quarantine: Quarantine): void {
  const { id, status, mode, days, expiresAt, endedAt, variant, reason, owner, issueUrl, endReason } = quarantine
  out.line(statusPart(quarantine), '  ', bold(testNameOf({ ...quarantine, variant: variant ?? '' })))
  out.facts([
    ['Quarantine', quarantineInWords(quarantine)],
    ['Until', endedAt === null ? expiresAt : null],
    ['Lasts', status === 'requested' ? `${counted(days, 'day')} from when it is granted` : null],
    ['Ended', endedAt],
    ['Reason', reason],
    ['Owner', owner],
    ['Issue', issueUrl],
    ['Ended because', endReason],
    ['Test', quarantine.testId],
    ['Id', id],
  ])
  if (status === 'requested') {
    const effect = mode === 'muted' ? 'Its failures decide until then.' : 'It runs until then.'
    out.line(`A person whose role may do so has to grant it: `, bold(`assay quarantine grant ${id}`), `. ${effect}`)
  }
  out.line(dim(pageLine(quarantine.url)))
}

function statusPart({ status }: Pick<Quarantine, 'status'>): Part {
  if (status === 'active') return green(status)
  return status === 'requested' ? yellow(status) : dim(status)
}
