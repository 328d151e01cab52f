import { z } from 'zod'
import { url } from '../base/input-fields/schema.ts'

export const Project = z.object({
  id: z.string(),
  url,
  name: z.string(),
  description: z.string().nullable(),
  repository: z.string(),
  branch: z.string(),
  language: z.string().nullable(),
  framework: z.string().nullable(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})
export type Project = z.infer<typeof Project>

const userEmail = z.string().max(320).optional()
const name = z.string().trim().min(1).max(120)
const description = z.string().max(2_000)
const repository = z.string().trim().min(1).max(2_048)
const branch = z.string().trim().min(1).max(255)
const label = z.string().trim().min(1).max(100)

export const CreateProject = z.object({
  name,
  repository,
  /** Defaults to the repository's default branch, else `main`. */
  branch: branch.optional(),
  description: description.optional(),
  /** Set by the first analysis if absent, like `framework`. */
  language: label.optional(),
  framework: label.optional(),
  organizationId: z.string().optional(),
  userEmail,
})
export type CreateProject = z.infer<typeof CreateProject>

export const UpdateProject = z.object({
  projectId: z.string(),
  name: name.optional(),
  repository: repository.optional(),
  branch: branch.optional(),
  description: description.nullable().optional(),
  language: label.nullable().optional(),
  framework: label.nullable().optional(),
  userEmail,
})
export type UpdateProject = z.infer<typeof UpdateProject>

export const ListProjects = z.object({ organizationId: z.string().optional(), userEmail }).optional()
export type ListProjects = z.infer<typeof ListProjects>

export const ProjectRef = z.object({ projectId: z.string(), userEmail })
export type ProjectRef = z.infer<typeof ProjectRef>

const text = z.string().refine((value) => value.isWellFormed() && !value.includes('\0'), 'must be well-formed text')
const command = text.trim().min(1).max(2_000)
const globs = z.array(text.min(1).max(500)).max(50)
const environmentName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'is not a valid environment variable name')

/** Contains the names of secret environment variables, never their values. */
export const ProjectSettings = z.object({
  installCommand: command.nullable(),
  testCommand: command.nullable(),
  workingDirectory: text.max(1_000).nullable(),
  reportGlobs: globs,
  coverageGlobs: globs,
  timeoutSeconds: z.int().min(1).max(86_400),
  runOn: z.object({ push: z.boolean(), pullRequest: z.boolean(), release: z.boolean() }),
  analyzeOnPush: z.boolean(),
  branches: globs,
  environment: z.array(z.string()),
  coverageThreshold: z.number().min(0).max(100).nullable(),
  /** Whether tests may use the network. Installing dependencies always may. */
  testNetwork: z.boolean(),
})
export type ProjectSettings = z.infer<typeof ProjectSettings>

/** Only the given fields change. In `environment`, a value sets a variable and null removes it. */
export const ProjectSettingsChange = z
  .strictObject({
    ...ProjectSettings.omit({ environment: true, runOn: true }).shape,
    runOn: ProjectSettings.shape.runOn.partial(),
    environment: z.record(environmentName, text.max(32_768).nullable()),
  })
  .partial()
export type ProjectSettingsChange = z.infer<typeof ProjectSettingsChange>

export const UpdateProjectSettings = z.object({
  projectId: z.string(),
  settings: ProjectSettingsChange,
  userEmail,
})
export type UpdateProjectSettings = z.infer<typeof UpdateProjectSettings>

/** Accepts only decimal digits: `Number` would also accept `0x10`, `1e2` and the empty string. */
const pageNumber = (fallback: number, max: number) =>
  z
    .preprocess(
      (text) => (typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : text),
      z.int(`must be a whole number from 1 to ${max}`).min(1).max(max),
    )
    .default(fallback)

/** The query of `GET /api/v1/projects`. */
export const ListProjectsPage = z.object({
  page: pageNumber(1, 1_000_000).describe('Starts at 1. Pages beyond the last one are empty.'),
  pageSize: pageNumber(50, 100),
  search: z.string().max(200).optional().describe('Part of the name, case-insensitive'),
  language: z.string().max(100).optional().describe('Exact value, as in the response'),
  framework: z.string().max(100).optional().describe('Exact value, as in the response'),
  organizationId: z.string().min(1).max(100).optional().describe('Only projects of this organization'),
})
export type ListProjectsPage = z.infer<typeof ListProjectsPage>

/** The fields of a project in answers of the REST API. */
export const RestProject = Project.pick({
  id: true,
  url: true,
  name: true,
  repository: true,
  branch: true,
  language: true,
  framework: true,
})

export const ProjectsPage = z.object({
  projects: z.array(RestProject.omit({ branch: true })),
  pagination: z.object({ total: z.int(), page: z.int(), pageSize: z.int() }),
})
export type ProjectsPage = z.infer<typeof ProjectsPage>
