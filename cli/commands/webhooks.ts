import { type Command, InvalidArgumentError } from 'commander'
import type { CoreClient } from '../../client/core-client.ts'
import { EventType } from '../../core/events/schema.ts'
import type { Webhook } from '../../core/webhooks/schema.ts'
import { type Context, openContext } from '../context.ts'
import { wrongUsage } from '../failure.ts'
import { addGroup, addProjectOption, type ProjectOptions } from '../options.ts'
import { bold, dim, green, type Output, type Part, red, yellow } from '../output.ts'
import { resolveProject } from '../project.ts'
import { confirm } from '../prompt.ts'
import { ago } from '../words.ts'
import { addDeliveries } from './webhook-deliveries.ts'

interface ScopeOptions extends ProjectOptions {
  organization?: string
}

interface Chosen {
  url?: string
  events?: EventType[]
  description?: string
  active?: boolean
}

const events = `events to send, separated by commas: ${EventType.options.join(', ')}`
const webhookWords = 'id of the webhook'

export function addWebhooks(program: Command): void {
  const webhooks = addScope(addGroup(program, 'webhooks', 'manage webhooks', listWebhooks))
  addScope(webhooks.command('list').description('list webhooks, newest first')).action(listWebhooks)
  addScope(
    webhooks
      .command('create')
      .description('create a webhook and print its secret')
      .argument('<url>', 'address that receives the events')
      .requiredOption('--events <events>', events, readEvents)
      .option('--description <text>', 'description of the webhook'),
  ).action(createWebhook)
  webhooks.command('show').description('show a webhook').argument('<webhook>', webhookWords).action(showWebhook)
  webhooks
    .command('update')
    .description('update a webhook')
    .argument('<webhook>', webhookWords)
    .option('--url <url>', 'address that receives the events')
    .option('--events <events>', events, readEvents)
    .option('--description <text>', 'description of the webhook')
    .option('--active', 'activate the webhook')
    .option('--no-active', 'deactivate the webhook')
    .action(updateWebhook)
  webhooks
    .command('pause')
    .description('pause a webhook: queue deliveries until it is resumed')
    .argument('<webhook>', webhookWords)
    .action((webhookId: string, _options: unknown, command: Command) => setPaused(webhookId, true, command))
  webhooks
    .command('resume')
    .description('resume a webhook and send the queued deliveries')
    .argument('<webhook>', webhookWords)
    .action((webhookId: string, _options: unknown, command: Command) => setPaused(webhookId, false, command))
  webhooks
    .command('delete')
    .description('delete a webhook and discard its pending deliveries')
    .argument('<webhook>', webhookWords)
    .option('--yes', 'skip the confirmation')
    .action(deleteWebhook)
  webhooks
    .command('rotate-secret')
    .description('replace the signing secret and print the new one')
    .argument('<webhook>', webhookWords)
    .option('--overlap <hours>', 'hours to also sign with the old secret, 0 to 168 (default: 24)', readHours)
    .option('--yes', 'skip the confirmation')
    .action(rotateSecret)
  addDeliveries(webhooks)
}

const addScope = (command: Command) =>
  addProjectOption(command).option('--organization <id>', 'webhooks of this organization instead of a project')

async function listWebhooks(_options: unknown, command: Command): Promise<void> {
  const context = openContext(command)
  const { core, out } = context
  const client = await core()
  const page = await client.webhooks.list.query(await scopeOf(client, command.optsWithGlobals<ScopeOptions>(), context))
  out.answer(page, () => {
    out.table(
      ['ID', 'STATE', 'URL', 'EVENTS', 'DELIVERED', 'LAST DELIVERY'],
      page.webhooks.map((webhook) => [
        webhook.id,
        stateOf(webhook),
        webhook.url,
        webhook.events.join(' '),
        `${webhook.deliveryCount}`,
        webhook.lastDeliveryAt === null ? '-' : out.isTerminal ? ago(webhook.lastDeliveryAt) : webhook.lastDeliveryAt,
      ]),
    )
    if (page.webhooks.length === 0) out.hint('No webhooks. Create one: `assay webhooks create URL --events ...`')
  })
}

/** The project, unless the options name an organization. */
async function scopeOf(client: CoreClient, { project, organization }: ScopeOptions, context: Context) {
  if (organization === undefined) return { projectId: (await resolveProject(client, project, context)).id }
  if (project !== undefined) throw wrongUsage('Give either --project or --organization, not both.')
  return { organizationId: organization }
}

async function createWebhook(url: string, _options: unknown, command: Command): Promise<void> {
  const context = openContext(command)
  const { core, out } = context
  const { events = [], description, ...options } = command.optsWithGlobals<ScopeOptions & Chosen>()
  const client = await core()
  const scope = await scopeOf(client, options, context)
  const { webhook } = await client.webhooks.create.mutate({ url, events, description, ...scope })
  out.answer({ webhook }, () => {
    show(out, webhook)
    writeSecret(out, webhook.secret)
    out.hint(`Send a test event: \`assay webhooks test ${webhook.id}\``)
  })
}

async function showWebhook(webhookId: string, _options: unknown, command: Command): Promise<void> {
  const { core, out } = openContext(command)
  const answer = await (await core()).webhooks.get.query({ webhookId })
  out.answer(answer, () => show(out, answer.webhook))
}

async function updateWebhook(webhookId: string, change: Chosen, command: Command): Promise<void> {
  const { core, out } = openContext(command)
  const { url, events, description, active } = change
  if ([url, events, description, active].every((value) => value === undefined)) {
    throw wrongUsage('Give at least one of --url, --events, --description, --active and --no-active.')
  }
  const changed = { url, events, active, description: description === '' ? null : description }
  const answer = await (await core()).webhooks.update.mutate({ webhookId, ...changed })
  out.answer(answer, () => show(out, answer.webhook))
}

async function setPaused(webhookId: string, isPaused: boolean, command: Command): Promise<void> {
  const { core, out } = openContext(command)
  const { webhooks } = await core()
  const answer = await (isPaused ? webhooks.pause : webhooks.resume).mutate({ webhookId })
  out.answer(answer, () => show(out, answer.webhook))
}

async function deleteWebhook(webhookId: string, options: { yes?: boolean }, command: Command): Promise<void> {
  const context = openContext(command)
  const { core, out } = context
  const client = await core()
  const { webhook } = await client.webhooks.get.query({ webhookId })
  await confirm(`This deletes the webhook to ${webhook.url} and discards its pending deliveries.`, options, context)
  await client.webhooks.delete.mutate({ webhookId })
  out.answer({ deleted: { id: webhook.id, url: webhook.url } }, () => out.line(`Deleted ${webhook.id}.`))
}

interface RotateOptions {
  overlap?: number
  yes?: boolean
}

async function rotateSecret(webhookId: string, options: RotateOptions, command: Command): Promise<void> {
  const context = openContext(command)
  const { core, out } = context
  const client = await core()
  const { webhook } = await client.webhooks.get.query({ webhookId })
  const { overlap: overlapHours = 24 } = options
  const until = overlapHours === 0 ? 'expires at once' : `expires in ${overlapHours} h`
  await confirm(`This replaces the signing secret of ${webhook.url}. The old one ${until}.`, options, context)
  const rotated = await client.webhooks.rotateSecret.mutate({ webhookId, overlapHours })
  out.answer(rotated, () => {
    writeSecret(out, rotated.secret)
    if (rotated.previousSecretUntil !== null) out.line(`The old secret is valid until ${rotated.previousSecretUntil}.`)
  })
}

function show(out: Output, webhook: Webhook): void {
  out.line(stateOf(webhook), '  ', bold(webhook.id), '  ', webhook.url)
  out.facts([
    ['Events', webhook.events.join(' ')],
    ['Scope', webhook.projectId === null ? `organization ${webhook.organizationId}` : `project ${webhook.projectId}`],
    ['Description', webhook.description],
    ['Delivered', `${webhook.deliveryCount}`],
    ['Last delivery', webhook.lastDeliveryAt],
    ['Failing since', webhook.failingSince],
    ['Retry after', webhook.postponedUntil],
    ['Deactivated because', webhook.disabledReason],
    ['Old secret until', webhook.previousSecretUntil],
  ])
}

const writeSecret = (out: Output, secret: string) => out.line('Secret  ', bold(secret), dim('  not shown again'))

function stateOf({ active, pausedAt, failingSince }: Webhook): Part {
  if (!active) return red('inactive')
  if (pausedAt !== null) return yellow('paused')
  return failingSince === null ? green('active') : yellow('failing')
}

function readEvents(text: string): EventType[] {
  return text.split(',').map((name) => {
    const parsed = EventType.safeParse(name.trim())
    if (parsed.success) return parsed.data
    throw new InvalidArgumentError(`It must be a list of these: ${EventType.options.join(', ')}.`)
  })
}

function readHours(text: string): number {
  const hours = /^\d{1,3}(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (hours >= 0 && hours <= 168) return hours
  throw new InvalidArgumentError('It must be a number of hours from 0 to 168.')
}
