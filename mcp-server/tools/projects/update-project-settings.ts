import { z } from 'zod'
import { ProjectSettings, ProjectSettingsChange } from '../../../core/projects/schema.ts'
import { cleanName, shorten } from '../../../client/sanitize.ts'
import { dataNotice } from '../../answers/output.ts'
import { first, maybe, untrusted } from '../../answers/untrusted.ts'
import { defineTool, Id, refuse } from '../tool.ts'

const clearable = ['installCommand', 'testCommand', 'workingDirectory', 'coverageThreshold'] as const

/** Four lists of this length fit into an answer, however long the names are. */
const maxShown = 20

const settings = ProjectSettingsChange.shape
const { installCommand, testCommand, workingDirectory, coverageThreshold } = ProjectSettings.shape

const Command = maybe(untrusted.name(500))
const Names = first(maxShown, untrusted.name(100))

const Output = ProjectSettings.extend({
  projectId: z.string(),
  installCommand: Command,
  testCommand: Command,
  workingDirectory: Command,
  reportGlobs: Names,
  coverageGlobs: Names,
  branches: Names,
  environment: Names,
  coverageThreshold: maybe(z.number()),
  cut: z.string().optional(),
  note: z.string(),
})

export const updateProjectSettings = defineTool({
  name: 'update_project_settings',
  title: 'Update project settings',
  description:
    'Changes how and when the tests of a project run; without changes it shows the settings. ' +
    'Returns only the names of environment variables.',
  scope: 'projects:write',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  inputSchema: z.object({
    projectId: Id,
    installCommand: installCommand.unwrap().optional(),
    testCommand: testCommand.unwrap().optional(),
    workingDirectory: workingDirectory.unwrap().optional(),
    reportGlobs: settings.reportGlobs,
    coverageGlobs: settings.coverageGlobs,
    timeoutSeconds: settings.timeoutSeconds,
    runOn: settings.runOn,
    analyzeOnPush: settings.analyzeOnPush,
    branches: settings.branches,
    // Core checks the form. Its messages do not repeat a value.
    environment: z.record(z.string(), z.unknown()).optional().describe('Name to value; null removes'),
    coverageThreshold: coverageThreshold.unwrap().optional(),
    testNetwork: settings.testNetwork,
    clear: z.array(z.enum(clearable)).optional(),
  }),
  outputSchema: Output,
  run: async ({ projectId, clear = [], environment, ...change }, call) => {
    const given = Object.entries(change).filter(([, value]) => value !== undefined)
    const both = given.find(([field]) => clear.some((cleared) => cleared === field))
    if (both) refuse(`${both[0]} is both given and in clear.`)
    const variables = environmentOf(environment)
    const cleared = Object.fromEntries(clear.map((field) => [field, null]))
    const changed = given.length + clear.length > 0 || variables !== undefined
    const after = changed
      ? await call.core.projects.updateProjectSettings.mutate({
          projectId,
          settings: { ...change, ...cleared, ...(variables ? { environment: variables } : {}) },
        })
      : await call.core.projects.getProjectSettings.query({ projectId })
    return { projectId, ...after, cut: describeCut(after), note: dataNotice }
  },
})

/** @throws Refusal that names the variable, and not its value */
function environmentOf(given: Record<string, unknown> | undefined): Record<string, string | null> | undefined {
  if (given === undefined) return undefined
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (typeof value === 'string' || value === null) return [name, value]
      if (typeof value === 'number' || typeof value === 'boolean') return [name, String(value)]
      return refuse(`environment.${shorten(cleanName(name), 100)} must be text, or null to remove it.`)
    }),
  )
}

function describeCut({ reportGlobs, coverageGlobs, branches, environment }: ProjectSettings): string | undefined {
  const long = Object.entries({ reportGlobs, coverageGlobs, branches, environment }).filter(
    ([, texts]) => texts.length > maxShown,
  )
  const counts = long.map(([name, texts]) => `${name} ${maxShown} of ${texts.length}`)
  return counts.length === 0 ? undefined : `Only a part is shown: ${counts.join(', ')}. All of them apply.`
}
