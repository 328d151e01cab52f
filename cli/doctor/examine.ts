import { stat } from 'node:fs/promises'
import { type CoreClient, coreFailure, isRefusal } from '../../client/core-client.ts'
import { type Credentials, findCredentials } from '../../client/credentials.ts'
import { findLocalProject } from '../../client/find-project.ts'
import { describeLocalRepository } from '../../client/local-repository.ts'
import { ClientEnvironment, type ClientSettings, clientSettings, parseEnvironment } from '../../client/settings.ts'
import { UserError } from '../../client/user-error.ts'
import type { CurrentToken } from '../../core/identity/tokens/schema.ts'
import { type BareContext, findDestination } from '../context.ts'
import { type Destination, howToReplaceToken } from '../../client/explain-failure.ts'
import { explainFailure } from '../failure.ts'
import { howToAdd } from '../project.ts'
import { loginScopes } from '../sign-in.ts'
import { counted } from '../words.ts'
import { type Finding, good, note, problem } from './finding.ts'
import { examineServer, findServer } from './server.ts'

/** Checks each part after the parts that it depends on. */
export async function examine(context: BareContext): Promise<Finding[]> {
  const { value, problems } = parseEnvironment(ClientEnvironment, context.env)
  if (!value) return problems.map((text) => problem('settings', text, 'Correct it, or unset it.'))
  const settings = clientSettings(value)
  const file = await examineLoginFile(settings)
  const credentials = await readCredentials(settings)
  if (!credentials) return [good('settings', 'The environment variables are valid.'), ...file]
  const { baseUrl, token } = credentials
  const findings = [
    good('settings', `Commands use ${baseUrl}${settings.baseUrl === undefined ? '' : ', from SVC_BASE_URL'}.`),
    ...file,
  ]
  const to = await findDestination(settings)
  const server = await findServer(to, context.signal)
  findings.push(...server.findings)
  if (!server.isThere) return findings
  if (token === undefined) {
    return [...findings, problem('token', `There is no token for ${baseUrl}.`, 'Run `assay login`.')]
  }
  const core = context.clientFor(baseUrl, token)
  try {
    findings.push(...examineToken(await core.tokens.current.query(), credentials))
  } catch (error) {
    return [...findings, refusedToken(error, to)]
  }
  return [...findings, ...(await examineServer(core, to, context.signal)), await examineCheckout(core, to, context.cwd)]
}

async function examineLoginFile({ loginFile }: ClientSettings): Promise<Finding[]> {
  const stats = await stat(loginFile).catch(() => undefined)
  if (!stats) return []
  const mode = stats.mode & 0o777
  // Windows has no such modes.
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    const advice = `Run \`chmod 600 ${loginFile}\`, and create new tokens if others use this machine.`
    return [problem('login file', `Other users can read ${loginFile} (mode ${mode.toString(8)}).`, advice)]
  }
  try {
    await findCredentials({ loginFile, dataDir: '/nonexistent', baseUrl: undefined, token: undefined })
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return [problem('login file', error.message, `Delete ${loginFile}, and run \`assay login\`.`)]
  }
  return [good('login file', loginFile)]
}

async function readCredentials(settings: ClientSettings): Promise<Credentials | undefined> {
  try {
    return await findCredentials(settings)
  } catch (error) {
    // The check of the login file has reported this.
    if (error instanceof UserError) return undefined
    throw error
  }
}

const day = 86_400_000
const soonDays = 14

function examineToken({ user, expiresAt, scopes }: CurrentToken, { source }: Credentials): Finding[] {
  const days = Math.floor((Date.parse(expiresAt) - Date.now()) / day)
  const until = `until ${expiresAt.slice(0, 10)}`
  const findings = [good('token', `${user.email}, from ${source}, ${until}.`)]
  if (days < soonDays) {
    findings.push(
      note('token', `It expires in ${counted(days, 'day')}.`, 'Create a new one: `assay login --email ADDRESS`.'),
    )
  }
  const lacking = loginScopes.filter((scope) => !scopes.includes(scope))
  if (lacking.length > 0) {
    const advice = 'Commands that require these scopes fail. Create a token with them: `assay tokens create`.'
    findings.push(note('scopes', `The token lacks ${lacking.join(', ')}.`, advice))
  } else findings.push(good('scopes', 'The token has the scopes of all commands.'))
  return findings
}

function refusedToken(error: unknown, to: Destination): Finding {
  if (!isRefusal(error, 'UNAUTHORIZED')) return failed('token', error, to)
  return problem('token', `${to.baseUrl} rejected the token.`, howToReplaceToken(to))
}

async function examineCheckout(core: CoreClient, to: Destination, cwd: string): Promise<Finding> {
  try {
    const repository = await describeLocalRepository(cwd)
    const project = await findLocalProject(core, repository)
    if (project) return good('checkout', `${repository.root} is the project ${project.name} (${project.id}).`)
    return note('checkout', `No project has the repository of ${repository.root}.`, howToAdd(repository))
  } catch (error) {
    if (error instanceof UserError)
      return note('checkout', 'The current folder is not a git checkout, so commands require the name of a project.')
    return failed('checkout', error, to)
  }
}

/** Turns a failed call to core into a finding. Rethrows a defect. */
function failed(about: string, error: unknown, to: Destination): Finding {
  const failure = coreFailure(error)
  if (!failure) throw error
  return problem(about, explainFailure(failure, to).message, 'Fix this, and run `assay doctor` again.')
}
