import { analyzeRepository } from './analyze-repository.ts'
import { createProject } from './create-project.ts'
import { getAnalysis } from './get-analysis.ts'
import { getProject } from './get-project.ts'
import { listProjects } from './list-projects.ts'
import { suggestTests } from './suggest-tests.ts'
import type { Tool } from './tool.ts'
import { whoami } from './whoami.ts'

/** Every tool, in the order in which they are listed; clients cache prompts by it. */
export const tools: readonly Tool[] = [
  whoami,
  listProjects,
  getProject,
  createProject,
  analyzeRepository,
  getAnalysis,
  suggestTests,
]
