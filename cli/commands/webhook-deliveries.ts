import { type Command, InvalidArgumentError, Option } from 'commander'
import { DeliveryStatus, type WebhookDelivery, type WebhookDeliveryDetail } from '../../core/webhooks/schema.ts'
import { EventType } from '../../core/events/schema.ts'
import { openContext } from '../context.ts'
import { exitCodes } from '../failure.ts'
import { addPageOptions, type PageOptions } from '../options.ts'
import { bold, dim, green, type Output, type Part, red, yellow } from '../output.ts'
import { ago, counted, duration } from '../words.ts'

interface DeliveriesOptions extends PageOptions {
  status?: DeliveryStatus
  event?: EventType
}

/** Adds the commands about deliveries. */
export function addDeliveries(webhooks: Command): void {
  addPageOptions(
    webhooks
      .command('deliveries')
      .description('list deliveries of a webhook, newest first')
      .argument('<webhook>', 'id of the webhook')
      .addOption(
        new Option('--status <status>', 'list only deliveries with this status').choices(DeliveryStatus.options),
      )
      .addOption(new Option('--event <event>', 'list only deliveries of this event').choices(EventType.options)),
  ).action(listDeliveries)
  webhooks
    .command('delivery')
    .description('show a delivery with its attempts and the response')
    .argument('<delivery>', 'id of the delivery')
    .action(showDelivery)
  webhooks
    .command('retry')
    .description('retry a delivery')
    .argument('<delivery>', 'id of the delivery')
    .action(retryDelivery)
  webhooks
    .command('recover')
    .description('retry all failed deliveries since a time')
    .argument('<webhook>', 'id of the webhook')
    .requiredOption('--since <time>', 'start time, such as 2026-11-20T12:00:00Z, or an age, such as 6h or 2d', readTime)
    .action(recoverDeliveries)
  webhooks
    .command('test')
    .description('send a test event; exit code 1 unless it is delivered')
    .argument('<webhook>', 'id of the webhook')
    .action(testWebhook)
}

async function listDeliveries(webhookId: string, options: DeliveriesOptions, command: Command): Promise<void> {
  const { core, out } = openContext(command)
  const { status, event, limit, offset } = options
  const page = await (await core()).webhooks.deliveries.query({ webhookId, status, event, limit, offset })
  out.answer(page, () => {
    out.table(
      ['DELIVERY', 'STATUS', 'EVENT', 'ATTEMPTS', 'RESPONSE', 'WHEN'],
      page.deliveries.map((delivery) => [
        delivery.id,
        statusPart(delivery.status),
        delivery.event,
        `${delivery.attemptCount}`,
        answerOf(delivery),
        out.isTerminal ? ago(delivery.createdAt) : delivery.createdAt,
      ]),
    )
    out.pageEnd(page.deliveries.length, { total: page.pagination.total, offset })
  })
}

async function showDelivery(deliveryId: string, _options: unknown, command: Command): Promise<void> {
  const { core, out } = openContext(command)
  const answer = await (await core()).webhooks.getDelivery.query({ deliveryId })
  out.answer(answer, () => showDetail(out, answer.delivery))
}

async function retryDelivery(deliveryId: string, _options: unknown, command: Command): Promise<void> {
  const { core, out } = openContext(command)
  const answer = await (await core()).webhooks.retryDelivery.mutate({ deliveryId })
  out.answer(answer, () => {
    showShort(out, answer.delivery)
    out.hint(`See the result: \`assay webhooks delivery ${deliveryId}\``)
  })
}

async function recoverDeliveries(webhookId: string, { since }: { since: string }, command: Command): Promise<void> {
  const { core, out } = openContext(command)
  const answer = await (await core()).webhooks.recover.mutate({ webhookId, since })
  out.answer(answer, () => {
    const { recovered, nextSince } = answer
    out.line(`Retrying ${recovered} ${recovered === 1 ? 'delivery' : 'deliveries'}.`)
    if (nextSince !== null)
      out.line(`More deliveries failed: \`assay webhooks recover ${webhookId} --since ${nextSince}\``)
  })
}

async function testWebhook(webhookId: string, _options: unknown, command: Command): Promise<void> {
  const { core, out, onInterrupt, exitWith } = openContext(command)
  onInterrupt(`Stopped waiting. See the result with \`assay webhooks deliveries ${webhookId}\`.`)
  out.progress('Sending …')
  const answer = await (await core()).webhooks.test.mutate({ webhookId })
  onInterrupt(null)
  if (answer.delivery.status !== 'succeeded') exitWith(exitCodes.no)
  out.answer(answer, () => {
    showShort(out, answer.delivery)
    if (answer.delivery.status !== 'succeeded')
      out.hint(`See the attempts: \`assay webhooks delivery ${answer.delivery.id}\``)
  })
}

const looks: Record<DeliveryStatus, (text: string) => Part> = {
  pending: dim,
  in_flight: yellow,
  succeeded: green,
  failed: red,
  cancelled: dim,
}

const statusPart = (status: DeliveryStatus) => looks[status](status)

const answerOf = ({ responseStatus, error }: WebhookDelivery) =>
  error ?? (responseStatus === null ? '' : `${responseStatus}`)

function showShort(out: Output, delivery: WebhookDelivery): void {
  const { status, id, event, attemptCount } = delivery
  out.line(statusPart(status), '  ', bold(id), `  ${event}  ${counted(attemptCount, 'attempt')}  ${answerOf(delivery)}`)
}

function showDetail(out: Output, delivery: WebhookDeliveryDetail): void {
  showShort(out, delivery)
  out.facts([
    ['Webhook', delivery.webhookId],
    ['Created', delivery.createdAt],
    ['Delivered', delivery.deliveredAt],
    ['Next attempt', delivery.nextRetryAt],
  ])
  for (const { number, startedAt, durationMs, responseStatus, error, address } of delivery.attempts) {
    const outcome = error ?? `${responseStatus}`
    out.line(`  ${number}  ${startedAt}  ${duration(durationMs)}  ${address ?? ''}  ${outcome}`)
  }
  if (delivery.responseBody) {
    out.line(dim('Response:'))
    out.block(delivery.responseBody)
  }
}

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Reads a time, or an age before now. */
function readTime(text: string): string {
  const [, count, unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? []
  if (count !== undefined) return new Date(Date.now() - Number(count) * (unitMs[unit] ?? 0)).toISOString()
  const time = new Date(text)
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(time.getTime())) return time.toISOString()
  throw new InvalidArgumentError('It must be a time such as 2026-11-20T12:00:00Z, or an age such as 30m, 6h or 2d.')
}
