import { z } from 'zod'

const eventTypes = [
  'test_run.started',
  'test_run.completed',
  'test_run.failed',
  'test.generated',
  'analysis.completed',
  'project.created',
  'project.updated',
  'project.deleted',
  'webhook.test',
] as const

/** Everything that webhooks can subscribe to. */
export const EventType = z.enum(eventTypes, `must be one of ${eventTypes.join(', ')}`)
export type EventType = z.infer<typeof EventType>
