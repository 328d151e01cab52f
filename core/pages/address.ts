import type Koa from 'koa'
import { requestedHost } from '../identity/auth/code-host/arrival.ts'
import type { Config } from '../config.ts'
import { trustedOrigins } from '../http/origin.ts'
import type { Answer, Route } from '../http/route.ts'
import { html, page, redirect } from '../http/page.ts'

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Prevents sign-in at an address other than `BASE_URL`: browsers keep cookies per host, and sign-in returns to
 * `BASE_URL`, so it would end in a loop.
 */
export function atOurAddress(route: Route): Route {
  return async (ctx, koa) => elsewhere(ctx.config, koa) ?? (await route(ctx, koa))
}

/** Returns the response for a page that was opened at another address; undefined at our own. */
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
    'Wrong address',
    html`<p>
        You opened Assay at <strong>${host.slice(0, 200)}</strong>, but its address is <strong>${ourHost}</strong>. You
        cannot sign in here.
      </p>
      <p>
        Open <a href="${ours}${koa.path}">${ours}${koa.path}</a>. If that address is wrong, set
        <code>BASE_URL</code> (or <code>PORT</code>) to the address that your users open, and restart Assay.
      </p>`,
  )
}
