import { createHash } from 'node:crypto'
import type { Services } from '../base/context.ts'
import { newId } from '../base/ids.ts'
import { queryPrepared } from '../base/prepared.ts'
import { inBatches } from '../base/in-batches.ts'
import { digestOf } from './digest.ts'
import { inboundQueue } from './queue.ts'
import type { CodeHostFacts, InboundSource } from './schema.ts'
import { loadReceivers, type ProjectReceiver, rememberRepository } from './secrets.ts'

export interface NewDelivery {
  source: InboundSource
  projectId: string | null
  deliveryId: string
  event: string
  action: string | null
  body: Buffer
  facts: object
  /** Why the delivery needs no job; it is only stored. */
  ignored: string | null
}

declare module '../base/context.ts' {
  interface Services {
    intake: Intake
  }
}

export interface Intake {
  /**
   * Stores a delivery together with its job. A delivery that arrived before changes nothing. Of concurrent copies one is
   * stored, and the others wait until it is committed.
   */
  store(delivery: NewDelivery): Promise<{ duplicate: boolean }>
  /** The receiver of a project; undefined if the project does not exist or has no secret. */
  receiverOf(projectId: string): Promise<ProjectReceiver | undefined>
  /** Stores the code host's id of the project's repository, if the delivery contains it. */
  rememberRepository(receiver: ProjectReceiver, facts: CodeHostFacts): Promise<void>
}

/**
 * Batches concurrent deliveries and secret lookups. With one commit per delivery, an installation would reach only a
 * tenth of the throughput of its database.
 */
export function createIntake(
  { access, deliveries }: Pick<Services['databases'], 'access' | 'deliveries'>,
  { config, jobs, now }: Pick<Services, 'config' | 'jobs' | 'now'>,
): Intake {
  const store = inBatches<StoredDelivery, { duplicate: boolean }>(
    (rows) =>
      deliveries.transaction(async (tx) => {
        const found = await queryPrepared<{ id: string }>(tx, insertDeliveries, [JSON.stringify(rows)])
        const stored = new Set(found.map(({ id }) => id))
        const toWorkOn = rows.filter(({ id, status }) => stored.has(id) && status === 'received')
        if (toWorkOn.length > 0) {
          await jobs.enqueueAll(
            tx,
            inboundQueue,
            toWorkOn.map(({ id }) => ({ id })),
          )
        }
        return rows.map(({ id }) => ({ duplicate: !stored.has(id) }))
      }),
    { size: 100, parallel: 1, retriesAlone: true },
  )
  return {
    store: async ({ body, ...delivery }) => {
      const digest = await digestOf(createHash('sha256'), body)
      return store(asStored(delivery, digest, now()))
    },
    rememberRepository: (receiver, facts) => rememberRepository(deliveries, receiver, facts),
    receiverOf: inBatches((projectIds) => loadReceivers({ db: access, config, now }, projectIds), {
      size: 100,
      parallel: 1,
      retriesAlone: true,
    }),
  }
}

/**
 * Inserts in the order of the unique index, so that two batches with the same deliveries do not deadlock. The lock
 * timeout prevents a locked project, such as one that is being deleted, from blocking the deliveries of all others.
 */
const insertDeliveries = {
  name: 'insert-deliveries',
  text: `
  INSERT INTO inbound_deliveries
    (id, source, project_id, delivery_id, event, action, payload_digest, facts, status, reason, received_at,
     processed_at)
  SELECT id, source, project_id, delivery_id, event, action, payload_digest, facts, status, reason, received_at,
         processed_at
    FROM set_config('lock_timeout', '3s', true), jsonb_to_recordset($1::text::jsonb) AS new (id text, source text, project_id text, delivery_id text, event text,
           action text, payload_digest text, facts jsonb, status text, reason text, received_at timestamptz,
           processed_at timestamptz)
   ORDER BY source, coalesce(project_id, ''), delivery_id
  ON CONFLICT DO NOTHING RETURNING id`,
}

type StoredDelivery = ReturnType<typeof asStored>

function asStored({ projectId, deliveryId, ignored, ...rest }: Omit<NewDelivery, 'body'>, digest: Buffer, now: Date) {
  return {
    ...rest,
    id: newId(now),
    project_id: projectId,
    delivery_id: deliveryId,
    payload_digest: digest.toString('hex'),
    status: ignored === null ? 'received' : 'ignored',
    reason: ignored,
    received_at: now,
    processed_at: ignored === null ? null : now,
  }
}
