import type { Command } from 'commander'
import { type CoreClient, createCoreClient } from '../client/core-client.ts'
import { type Credentials, defaultBaseUrl, findCredentials } from '../client/credentials.ts'
import type { Destination } from '../client/explain-failure.ts'
import { newRequestId } from '../client/request-id.ts'
import { ClientEnvironment, type ClientSettings, clientSettings, parseEnvironment } from '../client/settings.ts'
import { type ExitCode, notLoggedIn, wrongUsage } from './failure.ts'
import type { Interruption } from './interrupt.ts'
import type { Invocation, RunningInvocation } from './invocation.ts'
import { createOutput, type Output } from './output.ts'

/** Core waits up to 45 s for AI by default. Commands poll for analyses and runs. */
const requestTimeoutMs = 120_000

/** The context of a command. */
export interface Context
  extends Invocation, Pick<Interruption, 'signal' | 'onInterrupt' | 'beforeExit' | 'passSignalsTo'> {
  settings: ClientSettings
  out: Output
  /** The address and token in use; the token may be missing. */
  credentials: () => Promise<Credentials>
  /** Returns a client with the token of the logged-in user. */
  core: () => Promise<CoreClient>
  /** Returns a client for another token, such as one to check. */
  clientFor: (baseUrl: string, token: string | undefined) => CoreClient
  /** Sets the exit code of a command that has an answer. */
  exitWith: (code: ExitCode) => void
  /** Exits with the code of another program, also if this program breaks from now on. */
  exitAs: (code: number) => void
}

/** Options of every command, before or after its name. */
export interface GlobalOptions {
  json?: boolean
}

const invocations = new WeakMap<Command, RunningInvocation>()

/** Gives the commands of a program access to its invocation. */
export function bindInvocation(program: Command, invocation: RunningInvocation): void {
  invocations.set(program, invocation)
}

function invocationOf(command: Command): RunningInvocation {
  const found = command.parent ? invocationOf(command.parent) : invocations.get(command)
  if (!found) throw new Error('the program was created without an invocation')
  return found
}

/** The context of commands that also work with invalid settings. */
export type BareContext = Omit<Context, 'settings' | 'credentials' | 'core'>

export function openBareContext(command: Command): BareContext {
  const { json = false } = command.optsWithGlobals<GlobalOptions>()
  const invocation = invocationOf(command)
  const { interruption } = invocation
  return {
    ...invocation,
    ...interruption,
    out: createOutput({ json, ...invocation }),
    clientFor: (baseUrl, token) => clientFor(baseUrl, token, interruption.signal),
    exitWith: (code) => void (invocation.exitCode = code),
    exitAs: (code) => {
      invocation.exitCode = code
      invocation.fallBackTo(code)
    },
  }
}

export function openContext(command: Command): Context {
  const context = openBareContext(command)
  const settings = readSettings(context.env)
  const credentials = () => findCredentials(settings)
  return {
    ...context,
    settings,
    credentials,
    core: async () => {
      const { baseUrl, token } = await credentials()
      if (token === undefined) {
        throw notLoggedIn(`You are not logged in to ${baseUrl}. Run \`assay login\`, or set SVC_API_TOKEN.`)
      }
      return context.clientFor(baseUrl, token)
    },
  }
}

export function clientFor(baseUrl: string, token: string | undefined, signal?: AbortSignal): CoreClient {
  return createCoreClient({
    baseUrl,
    token,
    requestId: newRequestId(),
    requestTimeoutMs,
    ...(signal ? { signal } : {}),
  })
}

/** Returns the server and token in use, for the explanation of a failure. */
export async function destinationInUse(env: Invocation['env']): Promise<Destination> {
  try {
    return await findDestination(readSettings(env))
  } catch {
    return { baseUrl: defaultBaseUrl }
  }
}

export async function findDestination(settings: ClientSettings): Promise<Destination> {
  const { baseUrl, source, tokenFile } = await findCredentials(settings)
  const login = await findCredentials({ ...settings, token: undefined })
  const unusedLogin = login.baseUrl === baseUrl ? null : login.baseUrl
  return { baseUrl, source, tokenFile, isSet: settings.baseUrl !== undefined, unusedLogin }
}

export function readSettings(env: Invocation['env']): ClientSettings {
  const { value, problems } = parseEnvironment(ClientEnvironment, env)
  if (!value) throw wrongUsage(`Invalid environment variables:\n${problems.map((one) => `  ${one}`).join('\n')}`)
  return clientSettings(value)
}
