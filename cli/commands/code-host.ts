import { Argument, type Command } from 'commander'
import { CodeHostKind } from '../../core/code-host/schema.ts'
import type { Connection } from '../../core/code-host-connections/schema.ts'
import { type Context, openContext } from '../context.ts'
import { wrongUsage } from '../failure.ts'
import { addGroup, addProjectOption, type ProjectOptions } from '../options.ts'
import { bold, green, type Output, yellow } from '../output.ts'
import { resolveProject, shown } from '../project.ts'
import { ask, canAsk, confirm, readSecretFromStdin } from '../prompt.ts'
import { ago } from '../words.ts'

interface SetOptions extends ProjectOptions {
  apiUrl?: string
  withToken?: boolean
  tokenEnv?: string
}

export function addCodeHost(program: Command): void {
  const group = addProjectOption(
    addGroup(program, 'code-host', 'manage the connection that posts results to the code host', showConnection),
  )
  addProjectOption(group.command('show').description('show the connection, without its token')).action(showConnection)
  addProjectOption(
    group
      .command('set')
      .description('check a token at the code host and use it from now on, instead of an earlier one')
      .addArgument(
        new Argument('<kind>', 'kind of the code host; gitea includes Forgejo').choices(CodeHostKind.options),
      )
      .option('--api-url <url>', 'address of the API (default: that of the kind, at the host of the repository)')
      .option('--with-token', 'read the token from stdin')
      .option('--token-env <name>', 'read the token from this environment variable'),
  )
    .addHelpText(
      'after',
      '\nAt a terminal, the command prompts for the token. Tokens cannot be arguments, because other users of the\nmachine can see those. docs/code-host.md lists the scopes that a token needs.',
    )
    .action(setConnection)
  addProjectOption(
    group.command('remove').description('delete the connection and its token').option('--yes', 'skip the confirmation'),
  ).action(removeConnection)
}

async function showConnection(_options: unknown, command: Command): Promise<void> {
  const context = openContext(command)
  const { core, out } = context
  const client = await core()
  const { id: projectId } = await resolveProject(client, command.optsWithGlobals<ProjectOptions>().project, context)
  const found = await client.codeHost.getConnection.query({ projectId })
  out.answer(found, () => {
    if (found.connection) return show(out, found.connection)
    out.line('The project has no connection to a code host.')
    out.hint('Set one for GitLab, Gitea, Forgejo or another GitHub server: `assay code-host set KIND`')
  })
}

async function setConnection(kind: CodeHostKind, _options: unknown, command: Command): Promise<void> {
  const context = openContext(command)
  const { core, out } = context
  const { apiUrl, project, ...source } = command.optsWithGlobals<SetOptions>()
  if (source.withToken && source.tokenEnv !== undefined) {
    throw wrongUsage('Give either --with-token or --token-env, not both.')
  }
  const client = await core()
  const { id: projectId, repository } = await resolveProject(client, project, context)
  const token = await readToken(repository, source, context)
  out.progress('Checking the token at the code host…')
  const set = await client.codeHost.setConnection.mutate({ projectId, kind, token, apiUrl })
  out.answer(set, () => {
    if (set.connection) show(out, set.connection)
    out.hint('Assay posts its next results with this token. `assay code-host` shows whether that works.')
  })
}

async function readToken(repository: string, { withToken, tokenEnv }: SetOptions, context: Context): Promise<string> {
  const token =
    tokenEnv === undefined
      ? await askForToken(repository, withToken === true, context)
      : (context.env[tokenEnv]?.trim() ?? '')
  if (token !== '') return token
  throw wrongUsage(
    tokenEnv === undefined
      ? 'No token was given. Nothing was changed.'
      : `The environment variable ${shown(tokenEnv)} is not set. Nothing was changed.`,
  )
}

async function askForToken(repository: string, withToken: boolean, context: Context): Promise<string> {
  if (canAsk(context)) {
    return (await ask(`Token of the code host for ${repository}:`, context, { hidden: true })).trim()
  }
  if (withToken) return readSecretFromStdin(context)
  throw wrongUsage(
    'There is no terminal to prompt for a token. Pipe it with --with-token, or name an environment variable with --token-env.',
  )
}

async function removeConnection(_options: unknown, command: Command): Promise<void> {
  const context = openContext(command)
  const { core, out } = context
  const { project, yes = false } = command.optsWithGlobals<ProjectOptions & { yes?: boolean }>()
  const client = await core()
  const { id: projectId } = await resolveProject(client, project, context)
  const { connection } = await client.codeHost.getConnection.query({ projectId })
  if (connection) {
    await confirm(
      `This deletes the connection to ${connection.apiUrl} with its token. Results are no longer posted with it.`,
      { yes },
      context,
    )
    await client.codeHost.removeConnection.mutate({ projectId })
  }
  out.answer({ removed: connection }, () =>
    out.line(connection ? `Removed the connection to ${connection.apiUrl}.` : 'The project has no connection.'),
  )
}

const kindNames: Record<CodeHostKind, string> = { github: 'GitHub', gitlab: 'GitLab', gitea: 'Gitea or Forgejo' }

function show(out: Output, { kind, apiUrl, setAt, lastProblem, lastProblemAt }: Connection): void {
  const time = (at: string) => (out.isTerminal ? ago(at) : at)
  out.line(lastProblem === null ? green('connected') : yellow('failing'), '  ', bold(kindNames[kind]), '  ', apiUrl)
  out.facts([
    ['Set', time(setAt)],
    ['Last problem', lastProblem],
    ['Problem at', lastProblemAt === null ? null : time(lastProblemAt)],
  ])
}
