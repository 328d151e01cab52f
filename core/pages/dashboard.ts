import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type Koa from 'koa'
import { html, page, redirect } from '../http/page.ts'
import type { Answer, Route } from '../http/route.ts'
import { AppError, notFound } from '../base/errors.ts'
import { safeCallbackUrl } from '../identity/auth/callback-url.ts'
import { atOurAddress } from './address.ts'
import { withCallback } from './callback.ts'

/** What `npm run build` writes. */
const folder = join(import.meta.dirname, '../../dashboard/dist')

/** The addresses of the dashboard. Its own router shows the page, also for those that lead nowhere. */
export const dashboardPaths = [
  '/',
  '/projects{/*path}',
  '/organizations{/*path}',
  '/settings{/*path}',
  '/system{/*path}',
] as const

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** The smallest first. */
const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

interface Variant {
  body: Buffer
  headers: Record<string, string>
}

/** The dashboard's scripts come from this server, build no markup from text, and call only this server. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

interface Built {
  document: string
  files: ReadonlyMap<string, ReadonlyMap<string, Variant>>
}

let built: Built | undefined

/** Reads the dashboard for the first request, because programs that build it load this module before. */
function readOnce(): Built | undefined {
  const document = join(folder, 'index.html')
  if (!built && existsSync(document)) built = { document: readFileSync(document, 'utf8'), files: readFiles() }
  return built
}

/** Sends the dashboard to a signed-in user, and everyone else to the sign-in page, which then returns here. */
export const showDashboard: Route = atOurAddress(async (ctx, koa) => {
  if (ctx.actor?.kind !== 'user') {
    const { error } = koa.query
    // The code host returns here with the code of its error.
    if (typeof error === 'string' && koa.path === '/') return redirect(`/sign-in${koa.search}`)
    return redirect(withCallback('/sign-in', koa.url === '/' ? undefined : acceptable(ctx.config, koa.url)))
  }
  const document = readOnce()?.document
  if (document === undefined) return notBuilt()
  return {
    status: 200,
    body: withUser(document, ctx.actor.user.email),
    headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy },
  }
})

/** Tells the page whose it is, so that its calls can name the user. See `dashboard/trpc-links.ts`. */
function withUser(document: string, email: string): string {
  const { text } = html`<meta name="assay-user" content="${email}" />`
  return document.replace('</head>', () => `${text}</head>`)
}

/** Sends a script, style or picture of the dashboard. Its name contains a hash, so browsers keep it for good. */
export function sendDashboardFile(koa: Koa.ParameterizedContext): Answer {
  const variants = readOnce()?.files.get(koa.path)
  if (!variants) throw notFound('file', 'Reload the page, because Assay may have been updated.')
  const accepted = koa.acceptsEncodings([...encodings.map(([name]) => name), 'identity'])
  return { status: 200, ...((accepted && variants.get(accepted)) || variants.get('identity')) }
}

/** Returns the address unless the sign-in page would refuse it. */
function acceptable(config: Parameters<typeof safeCallbackUrl>[0], url: string): string | undefined {
  try {
    safeCallbackUrl(config, url)
    return url
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

const notBuilt = (): Answer =>
  page(
    503,
    'The dashboard is not built',
    html`<p>Run <code>npm run build</code> in the folder of Assay, then restart it. The API works meanwhile.</p>`,
  )

function readFiles(): ReadonlyMap<string, ReadonlyMap<string, Variant>> {
  const assets = join(folder, 'assets')
  const names = existsSync(assets) ? readdirSync(assets).filter((name) => extname(name) in types) : []
  return new Map(names.map((name) => [`/assets/${name}`, readVariants(join(assets, name))]))
}

function readVariants(path: string): ReadonlyMap<string, Variant> {
  const headers = {
    'Content-Type': types[extname(path)] ?? 'application/octet-stream',
    'Cache-Control': 'public, max-age=31536000, immutable',
    Vary: 'Accept-Encoding',
  }
  const variants = new Map<string, Variant>([['identity', { body: readFileSync(path), headers }]])
  for (const [encoding, extension] of encodings) {
    if (!existsSync(path + extension)) continue
    variants.set(encoding, {
      body: readFileSync(path + extension),
      headers: { ...headers, 'Content-Encoding': encoding },
    })
  }
  return variants
}
