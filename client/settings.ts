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

/** Where core is, and who calls it, as far as the environment says. */
export interface ClientSettings {
  /** Core's address, without a slash at the end. */
  baseUrl: string | undefined
  token: string | undefined
  /** Absolute. Local mode leaves a token there, for when none is set. */
  dataDir: string
  /** Where `assay login` keeps its tokens. */
  loginFile: string
}

export type Parsed<T> = { value: T; problems: [] } | { value?: undefined; problems: string[] }

/** Reads settings and names everything wrong at once, never with its value. An empty setting counts as absent. */
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

/** A checkout has its own, wherever a client is started; what came as a package has the user's folder of caches. */
function dataDirectory({ DATA_DIR, XDG_CACHE_HOME }: z.output<typeof ClientEnvironment>): string {
  if (isCheckout) return resolve(import.meta.dirname, '..', DATA_DIR ?? '.data')
  return resolve(DATA_DIR ?? join(XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'assay'))
}

export const withoutSlash = (address: string) => address.replace(/\/+$/, '')
