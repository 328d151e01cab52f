import { analyzeRepository } from './core/analyze-repository.ts'
import { cancelRun } from './core/cancel-run.ts'
import { getAuditLogs } from './account/get-audit-logs.ts'
import { getProfile } from './account/get-profile.ts'
import { listSessions } from './account/list-sessions.ts'
import { revokeSession } from './account/revoke-session.ts'
import { updateProfile } from './account/update-profile.ts'
import { checkPatch } from './core/check-patch.ts'
import { createProject } from './core/create-project.ts'
import { findWeakTests } from './core/find-weak-tests.ts'
import { generateTests } from './core/generate-tests.ts'
import { getAnalysis } from './core/get-analysis.ts'
import { getProject } from './core/get-project.ts'
import { getRunFailures } from './core/get-run-failures.ts'
import { getRunLog } from './core/get-run-log.ts'
import { getRun } from './core/get-run.ts'
import { getTestHealth } from './core/get-test-health.ts'
import { listProjects } from './core/list-projects.ts'
import { listRuns } from './core/list-runs.ts'
import { requestQuarantine } from './tests/request-quarantine.ts'
import { selectTests } from './core/select-tests.ts'
import { suggestTests } from './core/suggest-tests.ts'
import { triggerRun } from './core/trigger-run.ts'
import { waitForRun } from './core/wait-for-run.ts'
import { verifyChange } from './core/verify-change.ts'
import { verifyTest } from './core/verify-test.ts'
import { whoami } from './core/whoami.ts'
import { createOrganization } from './organizations/create-organization.ts'
import { deleteOrganization } from './organizations/delete-organization.ts'
import { getOrganization } from './organizations/get-organization.ts'
import { inviteMember } from './organizations/invite-member.ts'
import { listOrganizations } from './organizations/list-organizations.ts'
import { removeMember } from './organizations/remove-member.ts'
import { updateMemberRole } from './organizations/update-member-role.ts'
import { updateOrganization } from './organizations/update-organization.ts'
import { deleteProject } from './projects/delete-project.ts'
import { listRepositories } from './projects/list-repositories.ts'
import { updateProject } from './projects/update-project.ts'
import { updateProjectSettings } from './projects/update-project-settings.ts'
import { createWebhook } from './webhooks/create-webhook.ts'
import { deleteWebhook } from './webhooks/delete-webhook.ts'
import { listWebhookDeliveries } from './webhooks/list-webhook-deliveries.ts'
import { listWebhooks } from './webhooks/list-webhooks.ts'
import { retryWebhookDelivery } from './webhooks/retry-webhook-delivery.ts'
import { rotateWebhookSecret } from './webhooks/rotate-webhook-secret.ts'
import { testWebhook } from './webhooks/test-webhook.ts'
import { updateWebhook } from './webhooks/update-webhook.ts'
import type { CatalogEntry, Toolset } from './catalog.ts'
import type { Tool } from './tool.ts'

/** The definitions of the tools in the catalog, in its order. */
export const toolsets = {
  core: [
    whoami,
    listProjects,
    getProject,
    createProject,
    analyzeRepository,
    getAnalysis,
    suggestTests,
    generateTests,
    verifyTest,
    verifyChange,
    checkPatch,
    findWeakTests,
    selectTests,
    triggerRun,
    waitForRun,
    getRun,
    listRuns,
    getRunFailures,
    getRunLog,
    getTestHealth,
    cancelRun,
  ],
  webhooks: [
    listWebhooks,
    createWebhook,
    updateWebhook,
    deleteWebhook,
    rotateWebhookSecret,
    listWebhookDeliveries,
    retryWebhookDelivery,
    testWebhook,
  ],
  tests: [requestQuarantine],
  projects: [updateProject, updateProjectSettings, deleteProject, listRepositories],
  organizations: [
    listOrganizations,
    getOrganization,
    createOrganization,
    updateOrganization,
    deleteOrganization,
    inviteMember,
    updateMemberRole,
    removeMember,
  ],
  account: [getProfile, updateProfile, listSessions, revokeSession, getAuditLogs],
} satisfies Record<Toolset, readonly Tool[]>

export const tools: readonly Tool[] = Object.values(toolsets).flat()

const byName: ReadonlyMap<string, Tool> = new Map(tools.map((tool) => [tool.name, tool]))

/** Returns the definitions of tools. */
export function definitionsOf(entries: readonly Pick<CatalogEntry, 'name'>[]): Tool[] {
  return entries.map(({ name }) => {
    const tool = byName.get(name)
    if (!tool) throw new Error(`the catalog has the tool ${name}, which has no definition`)
    return tool
  })
}
