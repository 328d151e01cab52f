import { z } from 'zod'
import { RequestedRun } from '../test-runs/schema.ts'

/**
 * The receiver that got the delivery: that of one project, of the code host's app, of all projects, or of the payment
 * provider.
 */
export const InboundSource = z.enum(['project', 'app', 'code_host', 'billing'])
export type InboundSource = z.infer<typeof InboundSource>

export const InboundStatus = z.enum(['received', 'processed', 'ignored', 'failed'])
export type InboundStatus = z.infer<typeof InboundStatus>

/** The stored part of a code host's payload. The rest is not stored, because it may contain secrets. */
export const CodeHostFacts = z.object({
  /** Keys from `repository-key.ts`, one for each URL in the payload. */
  repositories: z.array(z.string()),
  isPrivate: z.boolean(),
  /** The repository's id at the code host. Deliveries that were stored before this field existed have none. */
  repositoryId: z.int().nullable().default(null),
  /** The branch that was pushed, or the head branch of a pull request. */
  branch: z.string().nullable(),
  /** The base branch of a pull request. */
  targetBranch: z.string().nullable(),
  tag: z.string().nullable(),
  commitSha: z.string().nullable(),
  pullRequest: z.int().nullable(),
  /** Whether the commit is in a fork. */
  fork: z.boolean(),
  deleted: z.boolean(),
  /** What a comment or a page of checks asks Assay to do. Deliveries that were stored before it existed have none. */
  command: z.enum(['rerun']).nullable().default(null),
  /** The login of the user who caused the event. */
  sender: z.string().nullable().default(null),
})
export type CodeHostFacts = z.infer<typeof CodeHostFacts>

export const InboundEffect = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('analysis'), analysisId: z.string() }),
  RequestedRun,
  z.object({ kind: z.literal('gate'), gateId: z.string() }),
])
export type InboundEffect = z.infer<typeof InboundEffect>

/** A delivery with its outcome in one project. */
export const InboundDelivery = z.object({
  id: z.string(),
  source: InboundSource,
  /** Chosen by the sender. */
  deliveryId: z.string(),
  event: z.string(),
  action: z.string().nullable(),
  ...CodeHostFacts.pick({ branch: true, tag: true, commitSha: true, pullRequest: true, fork: true }).shape,
  /** SHA-256 of the body as it arrived. */
  payloadDigest: z.string(),
  status: InboundStatus,
  /** Why the delivery was ignored or failed. */
  reason: z.string().nullable(),
  effects: z.array(InboundEffect),
  receivedAt: z.iso.datetime(),
  processedAt: z.iso.datetime().nullable(),
})
export type InboundDelivery = z.infer<typeof InboundDelivery>

export const ListInbound = z.object({
  projectId: z.string(),
  limit: z.int().min(1).max(100).default(20),
  offset: z.int().min(0).default(0),
  userEmail: z.string().max(320).optional(),
})
export type ListInbound = z.infer<typeof ListInbound>

export const InboundPage = z.object({
  deliveries: z.array(InboundDelivery),
  pagination: z.object({ total: z.int(), limit: z.int(), offset: z.int() }),
})
export type InboundPage = z.infer<typeof InboundPage>

export const RotateInboundSecret = z.object({
  projectId: z.string(),
  /** How long deliveries that are signed with the previous secret are accepted. */
  overlapHours: z.number().min(0).max(168).default(24),
  userEmail: z.string().max(320).optional(),
})
export type RotateInboundSecret = z.infer<typeof RotateInboundSecret>

export const RotatedInboundSecret = z.object({
  /** Cannot be read again. */
  secret: z.string(),
  /** The URL to configure at the code host. */
  url: z.string(),
  previousSecretUntil: z.iso.datetime().nullable(),
})
export type RotatedInboundSecret = z.infer<typeof RotatedInboundSecret>

/** The response of every receiver, sent before the delivery is processed. */
export const Received = z.object({
  received: z.literal(true),
  processedAt: z.iso.datetime(),
  /** The same delivery arrived before, and this one has no effect. */
  duplicate: z.literal(true).optional(),
  /** Set if the delivery is from another repository than the project's; it has no effect. */
  ignored: z.literal('other_repository').optional(),
})
export type Received = z.infer<typeof Received>
