import { z } from 'zod'

/** What can happen that others want to hear of. */
export const EventType = z.enum([
  'test_run.started',
  'test_run.completed',
  'test_run.failed',
  'test.generated',
  'analysis.completed',
  'project.created',
  'project.updated',
  'project.deleted',
  'webhook.test',
])
export type EventType = z.infer<typeof EventType>

export const DeliveryStatus = z.enum(['pending', 'in_flight', 'succeeded', 'failed', 'cancelled'])
export type DeliveryStatus = z.infer<typeof DeliveryStatus>

/** What made an attempt: the schedule, somebody who asked for it again, or somebody who tries the webhook. */
export const AttemptTrigger = z.enum(['scheduled', 'manual', 'test'])
export type AttemptTrigger = z.infer<typeof AttemptTrigger>
