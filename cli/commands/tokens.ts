import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Token } from '../../core/identity/tokens/schema.ts'
import { Scope } from '../../core/base/schema.ts'
import { openContext } from '../context.ts'
import { notFound } from '../failure.ts'
import { addGroup, addPageOptions, addProjectOption, type PageOptions, wholeNumber } from '../options.ts'
import { bold, dim, green, type Part, red } from '../output.ts'
import { resolveProject } from '../project.ts'
import { confirm } from '../prompt.ts'

export function addTokens(program: Command): void {
  const tokens = addPageOptions(addGroup(program, 'tokens', 'list, create and revoke API tokens', listTokens))
  addPageOptions(tokens.command('list').description('list your tokens, the newest first')).action(listTokens)
  addProjectOption(
    tokens
      .command('create')
      .description('make a token, and print it once')
      .argument('<name>', 'what you will know it by')
      .addOption(
        new Option('--scopes <scopes>', `what it may do, separated by commas: ${Scope.options.join(', ')}`)
          .argParser(readScopes)
          .makeOptionMandatory(),
      )
      .addOption(new Option('--days <count>', 'how long it is good (default: 90)').argParser(wholeNumber(1, 365)))
      .option('--organization <id>', 'confine it to an organization'),
  ).action(createToken)
  tokens
    .command('revoke')
    .description('make a token useless')
    .argument('<id>', 'as `assay tokens` lists it')
    .option('--yes', 'do not ask')
    .action(revokeToken)
}

async function listTokens(_options: unknown, command: Command): Promise<void> {
  const { core, out } = openContext(command)
  const { limit, offset } = command.optsWithGlobals<PageOptions>()
  const all = await (await core()).tokens.list.query()
  const tokens = all.slice(offset, offset + limit)
  out.answer({ tokens, pagination: { total: all.length, limit, offset } }, () => {
    out.table(
      ['ID', 'NAME', 'ENDS IN', 'STATE', 'GOOD UNTIL', 'LAST USED', 'SCOPES'],
      tokens.map((token) => [
        token.id,
        bold(token.name),
        token.lastFour,
        stateOf(token),
        token.expiresAt.slice(0, 10),
        token.lastUsedAt?.slice(0, 10) ?? '-',
        token.scopes.length === Scope.options.length ? 'all' : token.scopes.join(' '),
      ]),
    )
    out.pageEnd(tokens.length, { total: all.length, offset })
  })
}

function stateOf({ revokedAt, expiresAt }: Token): Part {
  if (revokedAt !== null) return red('revoked')
  return Date.parse(expiresAt) < Date.now() ? dim('expired') : green('good')
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
    out.hint(`This is the only time that it is shown. Good until ${created.expiresAt.slice(0, 10)}; id ${created.id}.`)
  })
}

async function revokeToken(tokenId: string, options: { yes?: boolean }, command: Command): Promise<void> {
  const context = openContext(command)
  const { core, out } = context
  const client = await core()
  const token = (await client.tokens.list.query()).find(({ id }) => id === tokenId)
  if (!token) throw notFound('No such token. `assay tokens` lists yours with their ids.')
  await confirm(`Whoever uses the token ${token.name} (…${token.lastFour}) is shut out.`, options, context)
  const revoked = await client.tokens.revoke.mutate({ tokenId })
  out.answer(revoked, () => out.line(`Revoked ${token.name} (${token.id}).`))
}

function readScopes(text: string): Scope[] {
  return text.split(',').map((word) => {
    const scope = Scope.safeParse(word.trim())
    if (!scope.success) throw new InvalidArgumentError(`Known: ${Scope.options.join(', ')}.`)
    return scope.data
  })
}
