import { isDeepStrictEqual } from 'node:util'
import { recordAudit } from '../identity/audit/record.ts'
import { type Context, inTransaction, requireUser } from '../base/context.ts'
import { decrypt, decryptedSize, encrypt } from '../base/crypto.ts'
import { invalid, notFound } from '../base/errors.ts'
import { announceProject } from './announce.ts'
import { ProjectEntity, type ProjectRow, type StoredSettings } from './entity.ts'
import { getOwnProject, lockOwnProject } from './get.ts'
import type { ProjectRef, ProjectSettings, UpdateProjectSettings } from './schema.ts'

const defaults: ProjectSettings = {
  installCommand: null,
  testCommand: null,
  workingDirectory: null,
  reportGlobs: [],
  coverageGlobs: [],
  timeoutSeconds: 600,
  runOn: { push: true, pullRequest: true, release: false },
  analyzeOnPush: true,
  branches: [],
  environment: [],
  coverageThreshold: null,
  testNetwork: false,
}

const maxVariables = 100
/** Of all values. Linux accepts not much more for a process, and each run looks for all of them in its output. */
const maxValueBytes = 256 * 1_024

export async function getProjectSettings(ctx: Context, input: ProjectRef): Promise<ProjectSettings> {
  await getOwnProject(ctx, input.projectId, 'viewer')
  return presentSettings(await loadSettings(ctx, input.projectId))
}

/** Merges a change into the settings under a lock, so that concurrent changes are all kept. */
export async function updateProjectSettings(ctx: Context, input: UpdateProjectSettings): Promise<ProjectSettings> {
  const { environment, runOn, ...rest } = input.settings
  return inTransaction(ctx, async (tx) => {
    const project = await lockOwnProject(tx, input.projectId, 'admin')
    const stored = await loadSettings(tx, input.projectId)
    const after: StoredSettings = {
      ...stored,
      ...rest,
      ...(runOn ? { runOn: { ...defaults.runOn, ...stored.runOn, ...runOn } } : {}),
      ...(environment
        ? { environment: changeEnvironment(tx, input.projectId, stored.environment ?? {}, environment) }
        : {}),
    }
    if (isDeepStrictEqual(stored, after)) return presentSettings(stored)
    const updatedAt = tx.now()
    await tx.db.getRepository(ProjectEntity).update({ id: project.id }, { settings: after, updatedAt })
    await announceProject(tx, 'project.updated', { ...project, updatedAt })
    if (environment) await recordSecretsChange(tx, project, stored.environment ?? {}, environment)
    return presentSettings(after)
  })
}

/** Loads the settings without a permission check. They contain only the names of environment variables. */
export async function loadProjectSettings(ctx: Context, projectId: string): Promise<ProjectSettings> {
  return presentSettings(await loadSettings(ctx, projectId))
}

/** Loads the values of a project's environment variables. They are only for the commands of its runs. */
export async function loadEnvironment(ctx: Context, projectId: string): Promise<Record<string, string>> {
  const { environment = {} } = await loadSettings(ctx, projectId)
  const values = Object.entries(environment).map(([name, encrypted]) => [
    name,
    decrypt(ctx.config.secretKey, placeOf(projectId, name), encrypted),
  ])
  return Object.fromEntries(values)
}

const placeOf = (projectId: string, name: string) => `projects/${projectId}/environment/${name}`

async function loadSettings(ctx: Context, projectId: string): Promise<StoredSettings> {
  const row = await ctx.db.getRepository(ProjectEntity).findOne({
    where: { id: projectId },
    select: { id: true, settings: true },
  })
  if (!row) throw notFound('project')
  return row.settings
}

function changeEnvironment(
  ctx: Context,
  projectId: string,
  stored: Record<string, string>,
  change: Record<string, string | null>,
): Record<string, string> {
  const after = new Map(Object.entries(stored))
  for (const [name, value] of Object.entries(change)) {
    if (value === null) after.delete(name)
    else after.set(name, encrypt(ctx.config.secretKey, placeOf(projectId, name), value))
  }
  if (after.size > maxVariables) throw invalid(`settings.environment: at most ${maxVariables} variables`)
  const size = after.values().reduce((sum, encrypted) => sum + decryptedSize(encrypted), 0)
  // A project with more, from before the limit, can remove variables one by one.
  if (size > maxValueBytes && Object.values(change).some((value) => value !== null)) {
    throw invalid(`settings.environment: the values may have at most ${maxValueBytes} bytes together`)
  }
  return Object.fromEntries(after)
}

/** Records only names. Setting the same value again also counts as a change. */
async function recordSecretsChange(
  ctx: Context,
  { id: projectId, organizationId }: Pick<ProjectRow, 'id' | 'organizationId'>,
  stored: Record<string, string>,
  change: Record<string, string | null>,
): Promise<void> {
  const names = Object.keys(change).toSorted()
  const set = names.filter((name) => change[name] !== null)
  const removed = names.filter((name) => change[name] === null && Object.hasOwn(stored, name))
  if (set.length + removed.length === 0) return
  await recordAudit(ctx, 'project_secrets_changed', requireUser(ctx).userId, {
    organizationId,
    projectId,
    set,
    removed,
  })
}

function presentSettings({ environment, ...stored }: StoredSettings): ProjectSettings {
  return { ...defaults, ...stored, environment: Object.keys(environment ?? {}).toSorted() }
}
