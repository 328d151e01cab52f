import type { Scope } from '../../core/base/schema.ts'

/** What decides whether a tool is offered. Its definition, with its schemas, is loaded when a client asks for it. */
export interface CatalogEntry {
  name: string
  /** The scope that core requires; null accepts any valid token. */
  scope: Scope | null
  readOnly: boolean
}

/** Every tool by its set, in the order in which they are listed; clients cache prompts by it. */
export const catalog = {
  core: [
    { name: 'whoami', scope: null, readOnly: true },
    { name: 'list_projects', scope: 'projects:read', readOnly: true },
    { name: 'get_project', scope: 'projects:read', readOnly: true },
    { name: 'create_project', scope: 'projects:write', readOnly: false },
    { name: 'analyze_repository', scope: 'analysis:run', readOnly: false },
    { name: 'get_analysis', scope: 'projects:read', readOnly: true },
    { name: 'suggest_tests', scope: 'analysis:run', readOnly: false },
    { name: 'generate_tests', scope: 'analysis:run', readOnly: false },
    { name: 'verify_test', scope: 'tests:run', readOnly: false },
    { name: 'verify_change', scope: 'tests:run', readOnly: false },
    { name: 'check_patch', scope: 'tests:run', readOnly: false },
    { name: 'find_weak_tests', scope: 'tests:run', readOnly: false },
    { name: 'select_tests', scope: 'tests:read', readOnly: true },
    { name: 'trigger_run', scope: 'tests:run', readOnly: false },
    { name: 'wait_for_run', scope: 'tests:read', readOnly: true },
    { name: 'get_run', scope: 'tests:read', readOnly: true },
    { name: 'list_runs', scope: 'tests:read', readOnly: true },
    { name: 'get_run_failures', scope: 'tests:read', readOnly: true },
    { name: 'get_run_log', scope: 'tests:read', readOnly: true },
    { name: 'get_test_health', scope: 'tests:read', readOnly: true },
    { name: 'cancel_run', scope: 'tests:run', readOnly: false },
  ],
  webhooks: [
    { name: 'list_webhooks', scope: 'webhooks:read', readOnly: true },
    { name: 'create_webhook', scope: 'webhooks:write', readOnly: false },
    { name: 'update_webhook', scope: 'webhooks:write', readOnly: false },
    { name: 'delete_webhook', scope: 'webhooks:write', readOnly: false },
    { name: 'rotate_webhook_secret', scope: 'webhooks:write', readOnly: false },
    { name: 'list_webhook_deliveries', scope: 'webhooks:read', readOnly: true },
    { name: 'retry_webhook_delivery', scope: 'webhooks:write', readOnly: false },
    { name: 'test_webhook', scope: 'webhooks:write', readOnly: false },
  ],
  tests: [{ name: 'request_quarantine', scope: 'tests:write', readOnly: false }],
  projects: [
    { name: 'update_project', scope: 'projects:write', readOnly: false },
    { name: 'update_project_settings', scope: 'projects:write', readOnly: false },
    { name: 'delete_project', scope: 'projects:write', readOnly: false },
    { name: 'list_repositories', scope: 'projects:read', readOnly: true },
  ],
  organizations: [
    { name: 'list_organizations', scope: 'org:read', readOnly: true },
    { name: 'get_organization', scope: 'org:read', readOnly: true },
    { name: 'create_organization', scope: 'org:admin', readOnly: false },
    { name: 'update_organization', scope: 'org:admin', readOnly: false },
    { name: 'delete_organization', scope: 'org:admin', readOnly: false },
    { name: 'invite_member', scope: 'org:admin', readOnly: false },
    { name: 'update_member_role', scope: 'org:admin', readOnly: false },
    { name: 'remove_member', scope: 'org:admin', readOnly: false },
  ],
  account: [
    { name: 'get_profile', scope: 'profile:read', readOnly: true },
    { name: 'update_profile', scope: 'profile:write', readOnly: false },
    { name: 'list_sessions', scope: 'profile:read', readOnly: true },
    { name: 'revoke_session', scope: 'profile:write', readOnly: false },
    { name: 'get_audit_logs', scope: 'audit:read', readOnly: true },
  ],
} as const satisfies Record<string, readonly CatalogEntry[]>

export type Toolset = keyof typeof catalog

export const toolsetNames = Object.keys(catalog) as Toolset[]

/** What a caller gets who chooses nothing. */
export const defaultToolsets: readonly Toolset[] = ['core', 'webhooks']

export const entries: readonly CatalogEntry[] = Object.values(catalog).flat()
