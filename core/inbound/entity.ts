import { EntitySchema } from 'typeorm'
import { type Columns, id, json, optionalText, optionalTime, text, time } from '../base/columns.ts'
import type { InboundSource, InboundStatus } from './schema.ts'

export interface InboundSecretRow {
  projectId: string
  /** Encrypted, as is `previousSecret`. */
  secret: string
  previousSecret: string | null
  previousUntil: Date | null
  rotatedAt: Date
}

export const InboundSecretEntity = new EntitySchema<InboundSecretRow>({
  name: 'InboundSecret',
  tableName: 'inbound_secrets',
  columns: {
    projectId: { ...id, name: 'project_id' },
    secret: text,
    previousSecret: { ...optionalText, name: 'previous_secret' },
    previousUntil: { ...optionalTime, name: 'previous_until' },
    rotatedAt: { ...time, name: 'rotated_at' },
  } satisfies Columns<InboundSecretRow>,
})

export interface InboundDeliveryRow {
  id: string
  source: InboundSource
  /** Set for deliveries to the receiver of one project. */
  projectId: string | null
  /** Chosen by the sender. */
  deliveryId: string
  event: string
  action: string | null
  payloadDigest: string
  /** Their type depends on the source. */
  facts: unknown
  status: InboundStatus
  reason: string | null
  receivedAt: Date
  processedAt: Date | null
}

export const InboundDeliveryEntity = new EntitySchema<InboundDeliveryRow>({
  name: 'InboundDelivery',
  tableName: 'inbound_deliveries',
  columns: {
    id,
    source: text,
    projectId: { ...optionalText, name: 'project_id' },
    deliveryId: { ...text, name: 'delivery_id' },
    event: text,
    action: optionalText,
    payloadDigest: { ...text, name: 'payload_digest' },
    facts: json,
    status: text,
    reason: optionalText,
    receivedAt: { ...time, name: 'received_at' },
    processedAt: { ...optionalTime, name: 'processed_at' },
  } satisfies Columns<InboundDeliveryRow>,
})
