import { hostname } from 'node:os'
import type { Command } from 'commander'
import { coreFailure } from '../../client/core-client.ts'
import { findCredentials, saveLogin } from '../../client/credentials.ts'
import { withoutSlash } from '../../client/settings.ts'
import type { CurrentToken } from '../../core/identity/tokens/schema.ts'
import { type Context, openContext } from '../context.ts'
import { explainFailure, wrongUsage } from '../failure.ts'
import { bold, type Output } from '../output.ts'
import { ask, canAsk, readSecretFromStdin } from '../prompt.ts'
import { createLoginToken } from '../sign-in.ts'

interface LoginOptions {
  url?: string
  withToken?: boolean
  email?: string
}

export function addLogin(program: Command): void {
  program
    .command('login')
    .description('log in to a server and save a token for it')
    .option('--url <url>', 'address of the server (default: SVC_BASE_URL, the last login, http://localhost:4000)')
    .option('--with-token', 'read the token from stdin')
    .option('--email <address>', 'sign in with a password (prompt or stdin) and create a token for this machine')
    .addHelpText(
      'after',
      '\nTokens cannot be arguments, because other users of the machine can see those. Create a token with\n`assay tokens create`, or with --email.',
    )
    .action(login)
}

async function login(options: LoginOptions, command: Command): Promise<void> {
  const context = openContext(command)
  const { settings, out } = context
  if (options.withToken && options.email !== undefined) {
    throw wrongUsage('Give either --with-token or --email, not both.')
  }
  const baseUrl = options.url === undefined ? (await findCredentials(settings)).baseUrl : acceptUrl(options.url)
  warnWhereReadable(baseUrl, out)
  const token =
    options.email === undefined
      ? await readToken(baseUrl, options, context)
      : await signIn(baseUrl, options.email, context)
  const { user, ...current } = await whoseToken(baseUrl, token, context)
  await saveLogin(settings, baseUrl, token)
  out.answer({ server: baseUrl, user, token: current }, () => {
    out.line('Logged in to ', bold(baseUrl), ` as ${user.name} <${user.email}>, until ${dayOf(current)}.`)
    out.hint('Next: run `assay suggest` in a checkout.')
  })
  if (settings.token !== undefined)
    out.warn('SVC_API_TOKEN is set and takes precedence over this login. Unset it to use the login.')
  else if (settings.baseUrl !== undefined && settings.baseUrl !== baseUrl) {
    out.warn(
      `SVC_BASE_URL is set to ${settings.baseUrl} and takes precedence over this login. Unset it to use the login.`,
    )
  }
}

/** Explains a failure with the address of this login, which other commands may not use. */
async function whoseToken(baseUrl: string, token: string, { clientFor }: Context): Promise<CurrentToken> {
  try {
    return await clientFor(baseUrl, token).tokens.current.query()
  } catch (error) {
    const failure = coreFailure(error)
    throw failure ? explainFailure(failure, { baseUrl }) : error
  }
}

const dayOf = ({ expiresAt }: Pick<CurrentToken, 'expiresAt'>) => expiresAt.slice(0, 10)

function acceptUrl(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw wrongUsage('--url must be an http or https address, such as https://assay.example.com.')
  }
  return withoutSlash(url.href)
}

function warnWhereReadable(baseUrl: string, out: Output): void {
  const { protocol, hostname } = new URL(baseUrl)
  const isHere = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
  if (protocol === 'http:' && !isHere)
    out.warn(`The connection to ${baseUrl} is not encrypted, so others can read the token. Use https.`)
}

async function readToken(baseUrl: string, { withToken }: LoginOptions, context: Context): Promise<string> {
  const asks = canAsk(context)
  if (!asks && !withToken) {
    throw wrongUsage('There is no terminal to prompt for a token. Pipe it: `assay login --with-token < FILE`.')
  }
  if (asks) {
    context.out.hint(
      'Tokens begin with svc_. Create one with `assay tokens create` where you are logged in, or with your password: ' +
        '`assay login --email ADDRESS`. Local mode writes its token to DATA_DIR/token.',
    )
  }
  const given = asks
    ? (await ask(`Token for ${baseUrl}:`, context, { hidden: true })).trim()
    : await readSecretFromStdin(context)
  if (!/^svc_[\w-]+$/.test(given)) {
    throw wrongUsage('This is not an Assay token: tokens begin with svc_. Nothing was saved.')
  }
  return given
}

async function signIn(baseUrl: string, email: string, context: Context): Promise<string> {
  const password = canAsk(context)
    ? await ask(`Password for ${email} at ${baseUrl}:`, context, { hidden: true })
    : await readSecretFromStdin(context)
  if (password === '') throw wrongUsage('No password was given. Nothing was saved.')
  return createLoginToken({
    baseUrl,
    email,
    password,
    name: `assay on ${hostname()}`.slice(0, 100),
    signal: context.signal,
  })
}
