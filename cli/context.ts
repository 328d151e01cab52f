import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import { type CoreClient, createCoreClient } from '../client/core-client.ts'
import { type Credentials, defaultBaseUrl, findCredentials } from '../client/credentials.ts'
import { ClientEnvironment, type ClientSettings, clientSettings, parseEnvironment } from '../client/settings.ts'
import { type Destination, notLoggedIn, wrongUsage } from './failure.ts'
import { interruption } from './interrupt.ts'
import { createOutput, type Output } from './output.ts'

/** Core asks AI for at most 45 s unless its operator says otherwise; analyses and runs are waited for in steps. */
const requestTimeoutMs = 120_000

/** What a command works with. */
export interface Context {
  settings: ClientSettings
  out: Output
  /** Aborted by Ctrl-C. */
  signal: AbortSignal
  /** What goes on at the server when the command is stopped, and how to follow it; null takes it back. */
  goesOn: (text: string | null) => void
  /** What is still done when the command is stopped, and keeps it from ending; null takes it back. */
  lastly: (work: (() => Promise<void>) | null) => void
  /** Where core is and whose token stands for us; the token may be missing. */
  credentials: () => Promise<Credentials>
  /** Core as the person who is logged in. */
  core: () => Promise<CoreClient>
}

/** Options that every command knows, before or after its name. */
export interface GlobalOptions {
  json?: boolean
}

export function openContext(command: Command): Context {
  const { json = false } = command.optsWithGlobals<GlobalOptions>()
  const settings = readSettings()
  const credentials = () => findCredentials(settings)
  return {
    settings,
    out: createOutput({ json }),
    ...interruption,
    credentials,
    core: async () => {
      const { baseUrl, token } = await credentials()
      if (token === undefined) {
        throw notLoggedIn(`You are not logged in to ${baseUrl}. Run \`assay login\`, or set SVC_API_TOKEN.`)
      }
      return clientFor(baseUrl, token)
    },
  }
}

/** A client for any token, such as one that is to be tried out. */
export function clientFor(baseUrl: string, token: string | undefined): CoreClient {
  return createCoreClient({ baseUrl, token, requestId: randomUUID(), signal: interruption.signal, requestTimeoutMs })
}

/** Where the calls go, for failures that come from one. */
export async function destinationInUse(): Promise<Destination> {
  try {
    return await findDestination(readSettings())
  } catch {
    return destinationOf(defaultBaseUrl)
  }
}

export async function findDestination(settings: ClientSettings): Promise<Destination> {
  const { baseUrl, source } = await findCredentials(settings)
  const login = await findCredentials({ ...settings, token: undefined })
  const unusedLogin = login.baseUrl === baseUrl ? null : login.baseUrl
  return { baseUrl, source, isSet: settings.baseUrl !== undefined, unusedLogin }
}

/** Of a call to an address and with a token that the caller gave. */
export const destinationOf = (baseUrl: string): Destination => ({
  baseUrl,
  source: null,
  isSet: false,
  unusedLogin: null,
})

export function readSettings(): ClientSettings {
  const { value, problems } = parseEnvironment(ClientEnvironment, process.env)
  if (!value) throw wrongUsage(`The environment is not right:\n${problems.map((one) => `  ${one}`).join('\n')}`)
  return clientSettings(value)
}
