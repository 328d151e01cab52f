import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'

const isCheckout = import.meta.filename.endsWith('.ts')

export const ClientEnvironment = z.object({
  SVC_BASE_URL: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
  SVC_API_TOKEN: z
    .string()
    .regex(/^svc_[\w-]+$/, 'must be a token that begins with svc_')
    .optional(),
  DATA_DIR: z.string().optional(),
  XDG_CACHE_HOME: z.string().optional(),
  XDG_CONFIG_HOME: z.string().optional(),
})

/** The settings of a client that come from the environment. */
export interface ClientSettings {
  /** The address of core, without a trailing slash. */
  baseUrl: string | undefined
  token: string | undefined
  /** Absolute. Local mode writes its token there. */
  dataDir: string
  /** The file of `assay login`. */
  loginFile: string
}

export type Parsed<T> = { value: T; problems: [] } | { value?: undefined; problems: string[] }

/** Reads settings and reports all problems at once, without values. An empty setting counts as absent. */
export function parseEnvironment<Schema extends z.ZodObject>(
  schema: Schema,
  environment: NodeJS.ProcessEnv,
): Parsed<z.output<Schema>> {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim() !== ''))
  const parsed = schema.safeParse(given)
  if (parsed.success) return { value: parsed.data, problems: [] }
  return { problems: parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`) }
}

export function clientSettings(env: z.output<typeof ClientEnvironment>): ClientSettings {
  return {
    baseUrl: env.SVC_BASE_URL === undefined ? undefined : withoutSlash(env.SVC_BASE_URL),
    token: env.SVC_API_TOKEN,
    dataDir: dataDirectory(env),
    loginFile: join(env.XDG_CONFIG_HOME ?? join(homedir(), '.config'), 'assay', 'login.json'),
  }
}

/** A checkout has its own folder, wherever a client is started. A package uses the user's cache folder. */
function dataDirectory({ DATA_DIR, XDG_CACHE_HOME }: z.output<typeof ClientEnvironment>): string {
  if (isCheckout) return resolve(import.meta.dirname, '..', DATA_DIR ?? '.data')
  return resolve(DATA_DIR ?? join(XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'assay'))
}

export const withoutSlash = (address: string) => address.replace(/(?<!\/)\/+$/, '')
