import { Project } from '../../core/projects/schema.ts'
import { maybe, untrusted } from './untrusted.ts'

/** A project as the tools show it. */
export const ProjectFact = Project.pick({ id: true, url: true }).extend({
  name: untrusted.line(1_000),
  repository: untrusted.name(500),
  branch: untrusted.name(1_000),
  language: maybe(untrusted.line(300)),
  framework: maybe(untrusted.line(300)),
  description: maybe(untrusted.line(500)),
})
