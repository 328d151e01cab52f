import type Koa from 'koa'
import { requestedHost } from '../identity/auth/code-host/arrival.ts'
import type { Config } from '../config.ts'
import { trustedOrigins } from '../http/origin.ts'
import type { Answer, Route } from '../http/route.ts'
import { html, page, redirect } from '../http/page.ts'

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Keeps people from signing in at an address that is not ours: browsers keep cookies for a host, and sign-in returns to
 * the address of the configuration, so that it would end in a loop.
 */
export function atOurAddress(route: Route): Route {
  return async (ctx, koa) => elsewhere(ctx.config, koa) ?? (await route(ctx, koa))
}

/** What to answer when a page was opened at another address than ours; undefined at ours. */
function elsewhere(config: Config, koa: Koa.ParameterizedContext): Answer | undefined {
  const { origin: ours, host: ourHost, hostname, port, protocol } = new URL(config.baseUrl)
  const host = requestedHost(koa.req, config)
  if (host === undefined) return undefined
  const url = URL.canParse(`${protocol}//${host}`) ? new URL(`${protocol}//${host}`) : undefined
  const hosts = trustedOrigins(config).map((origin) => new URL(origin).host)
  if (url !== undefined && hosts.includes(url.host)) return undefined
  const sameMachine = url !== undefined && loopback.has(url.hostname) && loopback.has(hostname) && url.port === port
  if (sameMachine && (koa.method === 'GET' || koa.method === 'HEAD')) return redirect(`${ours}${koa.url}`)
  return page(
    400,
    'This is not the address of Assay',
    html`<p>
        You opened Assay at <strong>${host.slice(0, 200)}</strong>, but it is set up for <strong>${ourHost}</strong>.
        Signing in would not work here.
      </p>
      <p>
        Open <a href="${ours}${koa.path}">${ours}${koa.path}</a>. If that is not where Assay is, set
        <code>BASE_URL</code> (or <code>PORT</code>) to the address that people use, and start Assay again.
      </p>`,
  )
}
