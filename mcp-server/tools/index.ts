import { analyzeRepository } from './core/analyze-repository.ts'
import { createProject } from './core/create-project.ts'
import { getAnalysis } from './core/get-analysis.ts'
import { getProject } from './core/get-project.ts'
import { listProjects } from './core/list-projects.ts'
import { suggestTests } from './core/suggest-tests.ts'
import { whoami } from './core/whoami.ts'
import type { Tool } from './tool.ts'

/** Every tool by its set, in the order in which they are listed; clients cache prompts by it. */
export const toolsets = {
  core: [whoami, listProjects, getProject, createProject, analyzeRepository, getAnalysis, suggestTests],
  webhooks: [],
  projects: [],
  organizations: [],
  account: [],
} satisfies Record<string, readonly Tool[]>

export type Toolset = keyof typeof toolsets

export const toolsetNames = Object.keys(toolsets) as Toolset[]

/** What a caller gets who chooses nothing. */
export const defaultToolsets: readonly Toolset[] = ['core', 'webhooks']

export const tools: readonly Tool[] = Object.values(toolsets).flat()
