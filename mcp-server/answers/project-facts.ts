import { z } from 'zod'
import { Project } from '../../core/projects/schema.ts'
import { cleanLine, cleanName, shorten } from '../../client/sanitize.ts'

/** A project as the tools tell of it. */
export const ProjectFact = Project.pick({ id: true, name: true, repository: true, branch: true }).extend({
  language: z.string().optional(),
  framework: z.string().optional(),
  description: z.string().optional(),
})
export type ProjectFact = z.infer<typeof ProjectFact>

export function projectFact(project: Project): ProjectFact {
  const { id, language, framework, description } = project
  return {
    id,
    name: cleanLine(project.name),
    repository: shorten(cleanName(project.repository), 500),
    branch: cleanName(project.branch),
    language: language === null ? undefined : cleanLine(language),
    framework: framework === null ? undefined : cleanLine(framework),
    description: description ? shorten(cleanLine(description), 500) : undefined,
  }
}

export function renderProject({ id, name, repository, branch, language, framework, description }: ProjectFact): string {
  const made = [language, framework].filter(Boolean).join(', ')
  return `${id} | ${name} | ${repository} @ ${branch}${made && ` | ${made}`}${description ? ` | ${description}` : ''}`
}
