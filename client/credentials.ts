import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, mkdir, open, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import type { ClientSettings } from './settings.ts'
import { UserError } from './user-error.ts'

export const defaultBaseUrl = 'http://localhost:4000'

const maxFileBytes = 256 * 1_024

/** The file of `assay login`: one token for each server, and the server used last. */
const Logins = z.object({
  current: z.string().nullable(),
  servers: z.record(z.string(), z.object({ token: z.string() })),
})
type Logins = z.infer<typeof Logins>

/** The server and the token of a client. */
export interface Credentials {
  baseUrl: string
  token: string | undefined
  /** Where the token comes from, in words that the user knows. */
  source: 'SVC_API_TOKEN' | 'assay login' | 'DATA_DIR/token' | null
  /** The path of the file `DATA_DIR/token`, if the token comes from there. */
  tokenFile?: string
}

/**
 * Finds the server and the token of a client: from the environment, else from `assay login`, else the token of local
 * mode, which is sent to this machine only. Reads them for every call, so that a client needs no restart when the server
 * starts later or again.
 */
export async function findCredentials(settings: ClientSettings): Promise<Credentials> {
  const logins = await readLogins(settings.loginFile)
  const baseUrl = settings.baseUrl ?? (settings.token === undefined ? logins.current : null) ?? defaultBaseUrl
  if (settings.token !== undefined) return { baseUrl, token: settings.token, source: 'SVC_API_TOKEN' }
  const login = logins.servers[baseUrl]
  if (login) return { baseUrl, token: login.token, source: 'assay login' }
  const tokenFile = join(settings.dataDir, 'token')
  const local = isOnThisMachine(baseUrl) ? await readTokenFile(tokenFile) : undefined
  if (local === undefined) return { baseUrl, token: undefined, source: null }
  return { baseUrl, token: local, source: 'DATA_DIR/token', tokenFile }
}

/** Saves a token for a server, and makes that server the current one. Only the owner can read the file. */
export async function saveLogin({ loginFile }: ClientSettings, baseUrl: string, token: string): Promise<void> {
  const { servers } = await readLogins(loginFile)
  await writeLogins(loginFile, { current: baseUrl, servers: { ...servers, [baseUrl]: { token } } })
}

/** Deletes the saved token of a server. The token remains valid until it is revoked. */
export async function forgetLogin({ loginFile }: ClientSettings, baseUrl: string): Promise<boolean> {
  const { current, servers } = await readLogins(loginFile)
  if (!Object.hasOwn(servers, baseUrl)) return false
  const { [baseUrl]: _, ...others } = servers
  await writeLogins(loginFile, { current: current === baseUrl ? null : current, servers: others })
  return true
}

async function readLogins(path: string): Promise<Logins> {
  const text = await readOptional(path)
  if (text === undefined) return { current: null, servers: {} }
  try {
    return Logins.parse(JSON.parse(text))
  } catch {
    throw new UserError(`${path} is not a valid login file. Delete it and log in again.`)
  }
}

async function writeLogins(path: string, logins: Logins): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${randomUUID()}`
  await writeFile(draft, `${JSON.stringify(logins, null, 2)}\n`, { mode: 0o600 })
  await chmod(draft, 0o600)
  await rename(draft, path)
}

const readTokenFile = async (path: string) => (await readOptional(path))?.trim() || undefined

async function readOptional(path: string): Promise<string | undefined> {
  try {
    // Does not wait for the writer of a pipe.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const stats = await file.stat()
    if (!stats.isFile() || stats.size > maxFileBytes) {
      throw new UserError(
        `${path} is not a regular file of at most ${maxFileBytes / 1_024} KiB. Delete it and log in again.`,
      )
    }
    return await file.readFile('utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) {
      return undefined
    }
    throw error
  }
}

function isOnThisMachine(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl)
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}
