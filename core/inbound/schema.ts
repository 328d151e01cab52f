import { z } from 'zod'
import { RequestedRun } from '../test-runs/schema.ts'

/**
 * By which receiver it came: the project's own, that of the code host's app, the one that all projects share, or the
 * payment provider's.
 */
export const InboundSource = z.enum(['project', 'app', 'code_host', 'billing'])
export type InboundSource = z.infer<typeof InboundSource>

export const InboundStatus = z.enum(['received', 'processed', 'ignored', 'failed'])
export type InboundStatus = z.infer<typeof InboundStatus>

/** What is kept of a code host's payload; the rest may hold anything, secrets too, and is not stored. */
export const CodeHostFacts = z.object({
  /** As `repository-key.ts` makes them, in every spelling that the payload has. */
  repositories: z.array(z.string()),
  isPrivate: z.boolean(),
  /** The code host's own id of the repository. Deliveries that were stored before it was read have none. */
  repositoryId: z.int().nullable().default(null),
  /** Where the commit is: what was pushed to, or what a pull request comes from. */
  branch: z.string().nullable(),
  /** What a pull request is to be merged into. */
  targetBranch: z.string().nullable(),
  tag: z.string().nullable(),
  commitSha: z.string().nullable(),
  pullRequest: z.int().nullable(),
  /** The commit is in somebody else's repository. */
  fork: z.boolean(),
  deleted: z.boolean(),
})
export type CodeHostFacts = z.infer<typeof CodeHostFacts>

export const InboundEffect = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('analysis'), analysisId: z.string() }),
  RequestedRun,
])
export type InboundEffect = z.infer<typeof InboundEffect>

/** A delivery as it concerns one project. */
export const InboundDelivery = z.object({
  id: z.string(),
  source: InboundSource,
  /** The sender's own. */
  deliveryId: z.string(),
  event: z.string(),
  action: z.string().nullable(),
  ...CodeHostFacts.pick({ branch: true, tag: true, commitSha: true, pullRequest: true, fork: true }).shape,
  /** SHA-256 of the body as it arrived. */
  payloadDigest: z.string(),
  status: InboundStatus,
  /** Why nothing was done, or what went wrong. */
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
  /** How long what is signed with the secret before is still taken. */
  overlapHours: z.number().min(0).max(168).default(24),
  userEmail: z.string().max(320).optional(),
})
export type RotateInboundSecret = z.infer<typeof RotateInboundSecret>

export const RotatedInboundSecret = z.object({
  /** Cannot be read again. */
  secret: z.string(),
  /** The address for the code host to deliver to. */
  url: z.string(),
  previousSecretUntil: z.iso.datetime().nullable(),
})
export type RotatedInboundSecret = z.infer<typeof RotatedInboundSecret>

/** What every receiver answers, before the work is done. */
export const Received = z.object({
  received: z.literal(true),
  processedAt: z.iso.datetime(),
  /** Came before, and has no effect again. */
  duplicate: z.literal(true).optional(),
  /** Set where the delivery is of another repository than the project's; it has no effect. */
  ignored: z.literal('other_repository').optional(),
})
export type Received = z.infer<typeof Received>
