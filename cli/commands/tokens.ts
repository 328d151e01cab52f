import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Token } from '../../core/identity/tokens/schema.ts'
import { Scope } from '../../core/base/schema.ts'
import { openContext } from '../context.ts'
import { notFound } from '../failure.ts'
import { addGroup, addPageOptions, type PageOptions, wholeNumber } from '../options.ts'
import { bold, dim, green, type Part, red } from '../output.ts'
import { resolveProject } from '../project.ts'
import { confirm } from '../prompt.ts'

export function addTokens(program: Command): void {
  const tokens = addPageOptions(addGroup(program, 'tokens', 'manage API tokens', listTokens))
  addPageOptions(tokens.command('list').description('list tokens, newest first')).action(listTokens)
  tokens
    .command('create')
    .description('create a token and print it')
    .argument('<name>', 'name of the token')
    .addOption(
      new Option('--scopes <scopes>', `scopes, separated by commas: ${Scope.options.join(', ')}`)
        .argParser(readScopes)
        .makeOptionMandatory(),
    )
    .addOption(new Option('--days <count>', 'lifetime in days (default: 90)').argParser(wholeNumber(1, 365)))
    .option('--organization <id>', 'restrict the token to an organization')
    .option('--project <project>', 'restrict the token to a project: id, name, repository URL, or path of a checkout')
    .action(createToken)
  tokens
    .command('revoke')
    .description('revoke a token')
    .argument('<id>', 'id from `assay tokens`')
    .option('--yes', 'skip the confirmation')
    .action(revokeToken)
}

async function listTokens(_options: unknown, command: Command): Promise<void> {
  const { core, out } = openContext(command)
  const { limit, offset } = command.optsWithGlobals<PageOptions>()
  const all = await (await core()).tokens.list.query()
  const tokens = all.slice(offset, offset + limit)
  out.answer({ tokens, pagination: { total: all.length, limit, offset } }, () => {
    out.table(
      ['ID', 'NAME', 'LAST FOUR', 'STATE', 'EXPIRES', 'LAST USED', 'RESTRICTED TO', 'SCOPES'],
      tokens.map((token) => [
        token.id,
        bold(token.name),
        token.lastFour,
        stateOf(token),
        token.expiresAt.slice(0, 10),
        token.lastUsedAt?.slice(0, 10) ?? '-',
        restrictionOf(token),
        token.scopes.length === Scope.options.length ? 'all' : token.scopes.join(' '),
      ]),
    )
    out.pageEnd(tokens.length, { total: all.length, offset })
  })
}

function restrictionOf({ projectId, organizationId }: Token): string {
  if (projectId !== null) return `project ${projectId}`
  return organizationId === null ? '-' : `organization ${organizationId}`
}

function stateOf({ revokedAt, expiresAt }: Token): Part {
  if (revokedAt !== null) return red('revoked')
  return Date.parse(expiresAt) < Date.now() ? dim('expired') : green('active')
}

interface CreateOptions {
  scopes: Scope[]
  days?: number
  organization?: string
  project?: string
}

async function createToken(name: string, options: CreateOptions, command: Command): Promise<void> {
  const context = openContext(command)
  const { core, out } = context
  const client = await core()
  const projectId =
    options.project === undefined ? undefined : (await resolveProject(client, options.project, context)).id
  const created = await client.tokens.create.mutate({
    name,
    scopes: options.scopes,
    expiresInDays: options.days,
    organizationId: options.organization,
    projectId,
  })
  out.answer(created, () => {
    out.line(created.token)
    out.hint(`The token is not shown again. It expires on ${created.expiresAt.slice(0, 10)}. Its id is ${created.id}.`)
  })
}

async function revokeToken(tokenId: string, options: { yes?: boolean }, command: Command): Promise<void> {
  const context = openContext(command)
  const { core, out } = context
  const client = await core()
  const token = (await client.tokens.list.query()).find(({ id }) => id === tokenId)
  if (!token) throw notFound('No such token. Run `assay tokens` to list yours with their ids.')
  await confirm(
    `This revokes the token ${token.name} (…${token.lastFour}). Programs that use it lose access.`,
    options,
    context,
  )
  const revoked = await client.tokens.revoke.mutate({ tokenId })
  out.answer(revoked, () => out.line(`Revoked ${token.name} (${token.id}).`))
}

function readScopes(text: string): Scope[] {
  return text.split(',').map((word) => {
    const scope = Scope.safeParse(word.trim())
    if (!scope.success) throw new InvalidArgumentError(`Valid scopes: ${Scope.options.join(', ')}.`)
    return scope.data
  })
}
