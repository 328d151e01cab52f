import { basename } from 'node:path'
import type { Command } from 'commander'
import type { CoreClient } from '../../client/core-client.ts'
import { findTwin } from '../../client/find-project.ts'
import { cleanLine } from '../../client/sanitize.ts'
import type { Project } from '../../core/projects/schema.ts'
import { openContext } from '../context.ts'
import { wrongUsage } from '../failure.ts'
import { addGroup, addPageOptions, type PageOptions, projectWords } from '../options.ts'
import { bold, dim } from '../output.ts'
import { addressOf, checkoutAt, isPath, resolveProject } from '../project.ts'
import { confirm } from '../prompt.ts'
import { ago, pageLine } from '../words.ts'

export function addProjects(program: Command): void {
  const projects = addPageOptions(addGroup(program, 'projects', 'manage projects', listProjects))
  addPageOptions(projects.command('list').description('list projects, newest first')).action(listProjects)
  projects
    .command('add')
    .description('create a project for a repository')
    .argument('[repository]', 'clone URL, or path of a checkout (default: current checkout)')
    .option('--name <name>', 'name of the project (default: name of the repository)')
    .option('--branch <branch>', 'branch to analyze and test (default: default branch of the repository)')
    .option('--description <text>', 'description of the project')
    .option('--organization <id>', 'create the project in this organization')
    .action(addProject)
  projects
    .command('show')
    .description('show a project and its latest runs')
    .argument('[project]', projectWords)
    .action(showProject)
  projects
    .command('remove')
    .description('delete a project with its analyses, runs and webhooks, but not its repository')
    .argument('<project>', projectWords)
    .option('--yes', 'skip the confirmation')
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
    if (all.length === 0) out.hint('You have no projects. Run `assay projects add` in a checkout to add one.')
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
  const repository =
    given === undefined || isPath(given)
      ? addressOf(await checkoutAt(given ?? '.', context, 'Give the path of a checkout or a clone URL.'))
      : given
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
    out.line(dim(pageLine(project.url)))
    out.hint(`Next: \`assay suggest${given === undefined ? '' : ` ${isPath(given) ? given : project.id}`}\`.`)
  })
}

/** Adding a repository a second time is usually a mistake. */
async function refuseTwin(core: CoreClient, wanted: Parameters<typeof findTwin>[1]): Promise<void> {
  const twin = await findTwin(core, wanted)
  if (!twin) return
  const { id, name } = twin
  throw wrongUsage(
    `A project for this repository exists: ${cleanLine(name)} (${id}). Give another --name or --branch to add a second one.`,
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
    out.line(dim(pageLine(project.url)))
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
  await confirm(`This deletes the project ${name} (${id}) with its analyses, runs and webhooks.`, options, context)
  await client.projects.deleteProject.mutate({ projectId: id })
  out.answer({ removed: { id, name } }, () => out.line(`Removed ${name} (${id}).`))
}

const factsOf = ({ repository, branch, language, framework, description }: Project) =>
  [
    ['Repository', repository],
    ['Branch', branch],
    ['Language', language],
    ['Framework', framework],
    ['Description', description],
  ] as const

const nameOf = (repository: string) =>
  basename(repository.replace(/(?<![/\\])[/\\]+$/, '').replace(/\.git$/, '')).slice(0, 120) || repository
