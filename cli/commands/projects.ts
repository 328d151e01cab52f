import { basename } from 'node:path'
import type { Command } from 'commander'
import type { CoreClient } from '../../client/core-client.ts'
import { findTwin } from '../../client/find-project.ts'
import { cleanLine } from '../../client/sanitize.ts'
import type { Project } from '../../core/projects/schema.ts'
import { openContext } from '../context.ts'
import { wrongUsage } from '../failure.ts'
import { addGroup, addPageOptions, type PageOptions, projectWords } from '../options.ts'
import { bold } from '../output.ts'
import { addressOf, checkoutAt, isPath, resolveProject } from '../project.ts'
import { confirm } from '../prompt.ts'
import { ago } from '../words.ts'

export function addProjects(program: Command): void {
  const projects = addPageOptions(addGroup(program, 'projects', 'list, add, show and remove projects', listProjects))
  addPageOptions(projects.command('list').description('list your projects, the newest first')).action(listProjects)
  projects
    .command('add')
    .description('make a project of a repository')
    .argument('[repository]', 'clone address, or path of a checkout (default: the one you are in)')
    .option('--name <name>', 'default: the name of the repository')
    .option('--branch <branch>', "default: the repository's own")
    .option('--description <text>', 'what it is, in a sentence')
    .option('--organization <id>', 'the organization that it belongs to')
    .action(addProject)
  projects
    .command('show')
    .description('show a project with its latest runs')
    .argument('[project]', projectWords)
    .action(showProject)
  projects
    .command('remove')
    .description('remove a project with its analyses, runs and webhooks; the repository stays as it is')
    .argument('<project>', projectWords)
    .option('--yes', 'do not ask')
    .action(removeProject)
}

async function listProjects(_options: unknown, command: Command): Promise<void> {
  const { core, out } = openContext(command)
  const { limit, offset } = command.optsWithGlobals<PageOptions>()
  const all = await (await core()).projects.getProjects.query()
  const projects = all.slice(offset, offset + limit)
  out.answer({ projects, pagination: { total: all.length, limit, offset } }, () => {
    out.table(
      ['ID', 'NAME', 'REPOSITORY', 'BRANCH', 'LANGUAGE'],
      projects.map(({ id, name, repository, branch, language }) => [
        id,
        bold(name),
        repository,
        branch,
        language ?? '',
      ]),
    )
    out.pageEnd(projects.length, { total: all.length, offset })
    if (all.length === 0) out.hint('There is no project yet. Add one: `assay projects add`, inside a checkout.')
  })
}

interface AddOptions {
  name?: string
  branch?: string
  description?: string
  organization?: string
}

async function addProject(given: string | undefined, options: AddOptions, command: Command): Promise<void> {
  const context = openContext(command)
  const { core, out } = context
  const repository = given === undefined || isPath(given) ? addressOf(await checkoutAt(given ?? '.', context)) : given
  const { name = nameOf(repository), branch, description, organization } = options
  const client = await core()
  await refuseTwin(client, { repository, name: options.name, branch })
  const project = await client.projects.createProject.mutate({
    name,
    repository,
    branch,
    description,
    organizationId: organization,
  })
  out.answer(project, () => {
    out.line('Added ', bold(project.name), `: ${project.id}`)
    out.facts(factsOf(project))
    out.hint(`Next: \`assay suggest${given === undefined ? '' : ` ${isPath(given) ? given : project.id}`}\`.`)
  })
}

/** Adding a repository again is more often a mistake than a wish. */
async function refuseTwin(core: CoreClient, wanted: Parameters<typeof findTwin>[1]): Promise<void> {
  const twin = await findTwin(core, wanted)
  if (!twin) return
  const { id, name } = twin
  throw wrongUsage(
    `That is a project already: ${cleanLine(name)} (${id}). Give another --name or --branch to make another.`,
  )
}

async function showProject(wanted: string | undefined, _options: unknown, command: Command): Promise<void> {
  const context = openContext(command)
  const { core, out } = context
  const client = await core()
  const { id: projectId } = await resolveProject(client, wanted, context)
  const project = await client.projects.getProject.query({ projectId })
  out.answer(project, () => {
    out.line(bold(project.name), ` ${project.id}`)
    out.facts(factsOf(project))
    out.table(
      ['RUN', 'STATUS', 'PASSED', 'WHEN'],
      project.testRuns.map(({ id, status, passedTests, totalTests, createdAt }) => [
        id,
        status,
        `${passedTests}/${totalTests}`,
        out.isTerminal ? ago(createdAt) : createdAt,
      ]),
    )
  })
}

async function removeProject(wanted: string, options: { yes?: boolean }, command: Command): Promise<void> {
  const context = openContext(command)
  const { core, out } = context
  const client = await core()
  const { id, name } = await resolveProject(client, wanted, context)
  await confirm(`The project ${name} (${id}) goes with its analyses, runs and webhooks.`, options, context)
  await client.projects.deleteProject.mutate({ projectId: id })
  out.answer({ removed: { id, name } }, () => out.line(`Removed ${name} (${id}).`))
}

const factsOf = ({ repository, branch, language, framework, description }: Project) =>
  [
    ['Repository', repository],
    ['Branch', branch],
    ['Language', language],
    ['Framework', framework],
    ['About', description],
  ] as const

const nameOf = (repository: string) =>
  basename(repository.replace(/[/\\]+$/, '').replace(/\.git$/, '')).slice(0, 120) || repository
