import { EntitySchema } from 'typeorm'
import { type Columns, id, json, optionalText, optionalTime, text, time } from '../base/columns.ts'
import type { InboundSource, InboundStatus } from './schema.ts'

export interface InboundSecretRow {
  projectId: string
  /** Encrypted, as is the one before. */
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
  /** Of deliveries to a project's own receiver. */
  projectId: string | null
  /** The sender's own. */
  deliveryId: string
  event: string
  action: string | null
  payloadDigest: string
  /** In the shape that belongs to the source. */
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
