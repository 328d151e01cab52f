import { z } from 'zod'

/** The recorded actions: sign-ins, failed sign-ins and every change of rights. */
export const AuditAction = z.enum([
  'login',
  'logout',
  'failed_auth',
  'session_revoked',
  'token_created',
  'token_revoked',
  'account_created',
  'account_linked',
  'email_verified',
  'password_changed',
  'password_reset',
  'project_secrets_changed',
  'inbound_secret_rotated',
  'code_host_connection_set',
  'code_host_connection_removed',
  'webhook_created',
  'webhook_updated',
  'webhook_deleted',
  'webhook_secret_rotated',
  'webhook_disabled',
  'plan_changed',
  'test_policy_changed',
  'gate_policy_changed',
  'selection_policy_changed',
  'quarantine_requested',
  'quarantine_granted',
  'quarantine_ended',
  'organization_created',
  'organization_deleted',
  'member_invited',
  'member_added',
  'member_role_changed',
  'member_removed',
])
export type AuditAction = z.infer<typeof AuditAction>

export const AuditLog = z.object({
  id: z.string(),
  userId: z.string().nullable(),
  /** The actor. Null if the account was deleted, or if the caller has no organization with the actor. */
  userName: z.string().nullable(),
  userEmail: z.string().nullable(),
  action: AuditAction,
  ipAddress: z.string().nullable(),
  userAgent: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
  createdAt: z.iso.datetime(),
})
export type AuditLog = z.infer<typeof AuditLog>

export const ListAuditLogs = z
  .object({
    limit: z.int().min(1).max(100).default(20),
    offset: z.int().min(0).default(0),
    /** The id of the last row of the page before. Rows that are added between two calls do not shift the pages. */
    before: z.string().max(100).optional(),
    actions: z.array(AuditAction).min(1).max(AuditAction.options.length).optional(),
    /** Only rows about this organization. */
    organizationId: z.string().max(100).optional(),
    /** Only what this user did. */
    userId: z.string().max(100).optional(),
    /** Only rows from this time on, and before that one. */
    since: z.iso.datetime({ offset: true }).optional(),
    until: z.iso.datetime({ offset: true }).optional(),
  })
  .prefault({})
export type ListAuditLogs = z.infer<typeof ListAuditLogs>
