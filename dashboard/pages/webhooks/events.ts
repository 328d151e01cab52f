import type { EventType } from '../../../core/events/schema.ts'

/** When each event is sent. */
export const eventTexts: Record<EventType, string> = {
  'test_run.started': 'A worker started a run.',
  'test_run.completed':
    'The tests ran, whether they passed or failed. An upload in several parts sends it for each part.',
  'test_run.failed': 'A run ended without a result, or was cancelled.',
  'change.verified': 'Assay reached the final verdict on a change.',
  'gate.decided': 'A gate was decided, or its decision changed.',
  'strength.measured': 'A measurement of strength completed.',
  'test.generated': 'The AI service wrote a test, and Assay stored it.',
  'test.verified': 'Assay reached the final verdict on a test.',
  'test.health_changed': 'A test became flaky or broken, or no longer is.',
  'quarantine.expiring': 'A quarantine ends within three days, or has ended because its time is up.',
  'analysis.completed': 'An analysis completed. An analysis that fails sends no event.',
  'project.created': 'A project was created.',
  'project.updated': 'A project or its settings changed, or an analysis filled in its language or framework.',
  'project.deleted': 'A project was deleted, alone or with its organization.',
  'webhook.test': 'A user sent a test event. It reaches webhooks that do not subscribe to it too.',
}

export const eventTypes = Object.keys(eventTexts) as EventType[]

/** The events that a webhook can subscribe to. A webhook of a project exists only after the project. */
export const eventsFor = (scope: 'project' | 'organization'): EventType[] =>
  eventTypes.filter((type) => type !== 'webhook.test' && (scope === 'organization' || type !== 'project.created'))

/** What most receivers want to know. */
export const usualEvents: readonly EventType[] = ['test_run.completed', 'test_run.failed']
