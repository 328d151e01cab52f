import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'

/** The folder that relative settings are relative to, wherever a client is started. */
const projectRoot = resolve(import.meta.dirname, '..')

export const ClientEnvironment = z.object({
  SVC_BASE_URL: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
  SVC_API_TOKEN: z
    .string()
    .regex(/^svc_[\w-]+$/, 'must be a token that begins with svc_')
    .optional(),
  DATA_DIR: z.string().default('.data'),
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
    dataDir: resolve(projectRoot, env.DATA_DIR),
    loginFile: join(env.XDG_CONFIG_HOME ?? join(homedir(), '.config'), 'assay', 'login.json'),
  }
}

export const withoutSlash = (address: string) => address.replace(/\/+$/, '')
