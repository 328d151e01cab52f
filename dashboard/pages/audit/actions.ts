import type { AuditAction } from '../../../core/identity/audit/schema.ts'

/** What happened, for each recorded action. */
export const actionTexts: Record<AuditAction, string> = {
  login: 'Signed in',
  logout: 'Signed out',
  failed_auth: 'Failed to sign in',
  session_revoked: 'Ended a session',
  token_created: 'Created a token',
  token_revoked: 'Revoked a token',
  account_created: 'Created an account',
  account_linked: 'Linked a code host account',
  email_verified: 'Confirmed an e-mail address',
  password_changed: 'Changed the password',
  password_reset: 'Reset the password',
  project_secrets_changed: 'Changed environment variables',
  inbound_secret_rotated: 'Rotated the secret for the code host',
  code_host_connection_set: 'Set the connection to the code host',
  code_host_connection_removed: 'Removed the connection to the code host',
  webhook_created: 'Created a webhook',
  webhook_updated: 'Changed a webhook',
  webhook_deleted: 'Deleted a webhook',
  webhook_secret_rotated: 'Rotated the secret of a webhook',
  webhook_disabled: 'Deactivated a webhook',
  test_policy_changed: 'Changed the rules for tests',
  gate_policy_changed: 'Changed the rules of the gate',
  quarantine_requested: 'Requested quarantine for a test',
  quarantine_granted: 'Granted quarantine for a test',
  quarantine_ended: 'Ended quarantine for a test',
  plan_changed: 'Changed the plan',
  organization_created: 'Created an organization',
  organization_deleted: 'Deleted an organization',
  member_invited: 'Invited a member',
  member_added: 'Added a member',
  member_role_changed: 'Changed a role',
  member_removed: 'Removed a member',
}

export const actions = Object.keys(actionTexts) as AuditAction[]
