import { randomBytes } from 'node:crypto'

export const secretPrefix = 'whsec_'

/** Where a webhook's secret is kept, for its encryption. */
export const secretPlace = (webhookId: string) => `webhooks/${webhookId}/secret`

export const newWebhookSecret = () => `${secretPrefix}${randomBytes(32).toString('base64')}`
