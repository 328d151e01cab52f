import { z } from 'zod'
import { ProjectSettings, ProjectSettingsChange } from '../../../core/projects/schema.ts'
import { cleanName, shorten } from '../../../client/sanitize.ts'
import { UserError } from '../../../client/user-error.ts'
import { dataNotice } from '../../answers/output.ts'
import { defineTool, Id } from '../tool.ts'

const clearable = ['installCommand', 'testCommand', 'workingDirectory', 'coverageThreshold'] as const

/** Four lists of so many names fit into an answer, whatever the names. */
const shownInList = 20

const settings = ProjectSettingsChange.shape
const { installCommand, testCommand, workingDirectory, coverageThreshold } = ProjectSettings.shape

const Output = ProjectSettings.extend({
  projectId: z.string(),
  installCommand: z.string().optional(),
  testCommand: z.string().optional(),
  workingDirectory: z.string().optional(),
  coverageThreshold: z.number().optional(),
  cut: z.string().optional(),
  note: z.string(),
})

export const updateProjectSettings = defineTool({
  name: 'update_project_settings',
  title: 'Update project settings',
  description:
    'Changes how a project is tested and when; without changes it shows the settings. ' +
    'Of environment variables only the names come back.',
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
    // Their form is core's to check, whose words do not repeat a value.
    environment: z.record(z.string(), z.unknown()).optional().describe('Name to value; null removes'),
    coverageThreshold: coverageThreshold.unwrap().optional(),
    testNetwork: settings.testNetwork,
    clear: z.array(z.enum(clearable)).optional(),
  }),
  outputSchema: Output,
  run: async ({ projectId, clear = [], environment, ...change }, call) => {
    const given = Object.entries(change).filter(([, value]) => value !== undefined)
    const both = given.find(([field]) => clear.some((cleared) => cleared === field))
    if (both) throw new UserError(`update_project_settings was not run: ${both[0]} is both given and in clear.`)
    const variables = environmentOf(environment)
    const cleared = Object.fromEntries(clear.map((field) => [field, null]))
    const changed = given.length + clear.length > 0 || variables !== undefined
    const after = changed
      ? await call.core.projects.updateProjectSettings.mutate({
          projectId,
          settings: { ...change, ...cleared, ...(variables ? { environment: variables } : {}) },
        })
      : await call.core.projects.getProjectSettings.query({ projectId })
    return { projectId, ...factsOf(after), note: dataNotice }
  },
  render: ({ projectId, note, runOn, cut, ...facts }) =>
    [
      `Settings of the project ${projectId}:`,
      ...Object.entries(facts).map(([name, value]) => `${name}: ${shown(value)}`),
      `runOn: ${Object.entries(runOn)
        .map(([event, runs]) => `${event} ${runs ? 'yes' : 'no'}`)
        .join(', ')}`,
      ...(cut === undefined ? [] : [cut]),
      note,
    ].join('\n'),
})

/** @throws UserError that names a variable, never what it was to hold */
function environmentOf(given: Record<string, unknown> | undefined): Record<string, string | null> | undefined {
  if (given === undefined) return undefined
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (typeof value === 'string' || value === null) return [name, value]
      if (typeof value === 'number' || typeof value === 'boolean') return [name, String(value)]
      throw new UserError(
        `update_project_settings was not run: environment.${shorten(cleanName(name), 100)} must be text, or null to remove it.`,
      )
    }),
  )
}

function factsOf(settings: ProjectSettings): Omit<z.infer<typeof Output>, 'projectId' | 'note'> {
  const line = (text: string | null) => (text === null ? undefined : shorten(cleanName(text), 500))
  const lines = (texts: string[]) => texts.slice(0, shownInList).map((text) => shorten(cleanName(text), 100))
  const { reportGlobs, coverageGlobs, branches, environment } = settings
  const long = Object.entries({ reportGlobs, coverageGlobs, branches, environment }).filter(
    ([, texts]) => texts.length > shownInList,
  )
  const counts = long.map(([name, texts]) => `${name} ${shownInList} of ${texts.length}`)
  return {
    ...settings,
    installCommand: line(settings.installCommand),
    testCommand: line(settings.testCommand),
    workingDirectory: line(settings.workingDirectory),
    reportGlobs: lines(reportGlobs),
    coverageGlobs: lines(coverageGlobs),
    branches: lines(branches),
    environment: lines(environment),
    coverageThreshold: settings.coverageThreshold ?? undefined,
    ...(counts.length === 0 ? {} : { cut: `Only a part is shown: ${counts.join(', ')}. All of them hold.` }),
  }
}

function shown(value: string | number | boolean | string[] | undefined): string {
  if (value === undefined) return 'not set'
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ')
  return String(value)
}
