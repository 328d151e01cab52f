import type { Context } from '../base/context.ts'
import { newId } from '../base/ids.ts'
import {
  candidatesUrl,
  changeUrl,
  gateUrl,
  generatedTestUrl,
  measurementUrl,
  projectUrl,
  runUrl,
  testUrl,
  type Site,
  verificationUrl,
} from '../base/page-urls.ts'
import { fitEnvelope } from './fit.ts'
import { type EventData, eventData } from './schema.ts'

/** Events about a project; `webhook.test` is sent to one webhook directly. */
export type ProjectEvent = Exclude<keyof EventData, 'webhook.test'>

export interface Event<Type extends ProjectEvent> {
  type: Type
  project: { id: string; name: string; repository: string; organizationId: string | null }
  data: Omit<EventData[Type], 'url'>
}

interface EventSubject {
  id: string
  projectId: string
  testId?: string
}

/** The page about the subject of an event. */
const pageOf: Partial<Record<ProjectEvent, (site: Site, record: EventSubject) => string>> = {
  'test_run.started': runUrl,
  'test_run.completed': runUrl,
  'test_run.failed': runUrl,
  'test.generated': generatedTestUrl,
  'test.verified': verificationUrl,
  'test.health_changed': (site, { testId = '', projectId }) => testUrl(site, { id: testId, projectId }),
  'quarantine.expiring': (site, { testId = '', projectId }) => testUrl(site, { id: testId, projectId }),
  'change.verified': changeUrl,
  'gate.decided': gateUrl,
  'strength.measured': measurementUrl,
  'analysis.completed': (site, { projectId }) => candidatesUrl(site, projectId),
  'project.created': (site, { projectId }) => projectUrl(site, projectId),
  'project.updated': (site, { projectId }) => projectUrl(site, projectId),
}

/** The notification channel on which dispatchers learn about new deliveries. */
export const deliveriesChannel = 'webhook_deliveries'

/** SQL for the owners of a webhook (w): its organization, if it has one, and the user who created it. */
export const ownersOf = `array_remove(ARRAY[w.organization_id, w.user_id], NULL)`

/** SQL for a webhook (w) in a notification: its id and its owners. A comma separates several webhooks. */
export const webhookInNotification = `array_to_string(w.id || ${ownersOf}, ':')`

/** Postgres limits a notification to 8,000 bytes. */
const webhooksPerNotification = 90

/**
 * Records an event in the transaction of the change that it announces: both are written, or neither. One statement
 * writes the event and a delivery for each webhook that subscribes to it, and wakes the dispatchers.
 *
 * Fields that the schema of the event does not name are left out.
 */
export async function emit<Type extends ProjectEvent>(
  tx: Pick<Context, 'db' | 'now'> & Site,
  { type, project, data }: Event<Type>,
): Promise<void> {
  const { id: projectId, name, repository, organizationId } = project
  const now = tx.now()
  const about = type === 'project.created' ? {} : { project: { id: projectId, name, repository } }
  const envelope = fitEnvelope({
    event: type,
    timestamp: now.toISOString(),
    data: eventData[type].parse({ ...data, url: pageOf[type]?.(tx, { ...data, projectId }) }),
    ...about,
  })
  await tx.db.query(
    `WITH happened AS (
       INSERT INTO events (id, type, project_id, organization_id, envelope, created_at)
       VALUES ($1, $2, $3, $4, ${withOrganization('$6', '$4')}, $5) RETURNING envelope
     ), made AS (
       INSERT INTO webhook_deliveries (id, webhook_id, event_id, event, body, status, trigger, next_attempt_at, created_at)
       SELECT made.id, made.webhook_id, $1, $2, ${bodyOf('made.id', 'happened.envelope')}, 'pending', 'scheduled', $5, $5
         FROM happened, (SELECT new_ulid($5) AS id, w.id AS webhook_id FROM webhooks w
                WHERE w.active AND w.deleted_at IS NULL AND w.events @> ARRAY[$2::text]
                  AND (w.project_id = $3 OR (w.project_id IS NULL AND w.organization_id = $4)) OFFSET 0) AS made
       RETURNING webhook_id
     )
     SELECT pg_notify('${deliveriesChannel}', string_agg(webhook, ','))
       FROM (SELECT ${webhookInNotification} AS webhook, row_number() OVER () / ${webhooksPerNotification} AS part
               FROM made JOIN webhooks w ON w.id = made.webhook_id) AS parts GROUP BY part`,
    [newId(now), type, projectId, organizationId, now, envelope],
  )
}

/**
 * SQL for the body of a delivery: the envelope of its event with the delivery's id at the beginning.
 *
 * @param id - SQL for the delivery's id
 * @param envelope - SQL for the envelope as JSON text
 */
export function bodyOf(id: string, envelope: string): string {
  return `'{"id":"' || ${id} || '",' || substr(${envelope}, 2)`
}

/** SQL that adds the organization with its current name to an envelope, if there is one. */
function withOrganization(envelope: string, organizationId: string): string {
  return `coalesce(
            (SELECT left(${envelope}::text, -1) || ',"organization":{"id":' || to_json(o.id) || ',"name":' || to_json(o.name) || '}}'
               FROM organizations o WHERE o.id = ${organizationId}), ${envelope}::text)`
}
