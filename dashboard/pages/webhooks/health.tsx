import type { Outputs } from '../../api.ts'
import { Status } from '../../parts/status.tsx'
import { absoluteTime } from '../../parts/time-text.ts'

export type Webhook = Outputs['webhooks']['get']['webhook']

interface HealthOfWebhook {
  /** The name of a status, which decides icon and color. */
  status: string
  text: string
  /** What it means, and what to do. */
  advice: string | null
}

export function healthOf(webhook: Webhook): HealthOfWebhook {
  const { active, disabledReason, pausedAt, postponedUntil, failingSince, lastDeliveryAt } = webhook
  if (!active) {
    const why = disabledReason === null ? '' : `${disabledReason} `
    return {
      status: 'disabled',
      text: 'Inactive',
      advice: `${why}Events create no deliveries. Activate it when the receiver works.`,
    }
  }
  if (pausedAt) {
    return { status: 'paused', text: 'Paused', advice: 'Deliveries wait until it is resumed.' }
  }
  if (postponedUntil) {
    const until = absoluteTime(postponedUntil)
    return {
      status: 'failing',
      text: 'Failing',
      advice: `The receiver failed repeatedly. Assay tries again after ${until}. A test that succeeds ends the wait.`,
    }
  }
  if (failingSince) {
    return {
      status: 'failing',
      text: 'Failing',
      advice: `Deliveries have failed since ${absoluteTime(failingSince)}. The attempts of a delivery show the reason.`,
    }
  }
  if (lastDeliveryAt === null) {
    return {
      status: 'pending',
      text: 'No delivery yet',
      advice: 'Nothing has been delivered. Send a test event to try the receiver.',
    }
  }
  return { status: 'active', text: 'Delivering', advice: null }
}

export function Health({ webhook }: { webhook: Webhook }) {
  const { status, text } = healthOf(webhook)
  return <Status of={status} text={text} />
}
