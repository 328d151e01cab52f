import { randomBytes } from 'node:crypto'

export const secretPrefix = 'whsec_'

/** The encryption is bound to this location, so that a ciphertext cannot be moved to another row. */
export const secretPlace = (webhookId: string) => `webhooks/${webhookId}/secret`

export const newWebhookSecret = () => `${secretPrefix}${randomBytes(32).toString('base64')}`
