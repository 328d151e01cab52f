import { z } from 'zod'

/** What can happen that others want to hear of. */
export const EventType = z.enum(['test_run.started', 'test_run.completed', 'test_run.failed'])
export type EventType = z.infer<typeof EventType>
