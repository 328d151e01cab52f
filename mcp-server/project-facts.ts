import type { z } from 'zod'
import { Project } from '../core/projects/schema.ts'
import { cleanLine, cleanName, shorten } from './sanitize.ts'

/** A project as the tools tell of it. */
export const ProjectFact = Project.pick({
  id: true,
  name: true,
  repository: true,
  branch: true,
  language: true,
  framework: true,
  description: true,
}).partial({ description: true })
export type ProjectFact = z.infer<typeof ProjectFact>

export function projectFact(project: Project): ProjectFact {
  const { id, language, framework, description } = project
  return {
    id,
    name: cleanLine(project.name),
    repository: shorten(cleanName(project.repository), 500),
    branch: cleanName(project.branch),
    language: language === null ? null : cleanLine(language),
    framework: framework === null ? null : cleanLine(framework),
    ...(description ? { description: shorten(cleanLine(description), 500) } : {}),
  }
}

export function renderProject({ id, name, repository, branch, language, framework, description }: ProjectFact): string {
  const made = [language, framework].filter(Boolean).join(', ')
  return `${id} | ${name} | ${repository} @ ${branch}${made && ` | ${made}`}${description ? ` | ${description}` : ''}`
}
