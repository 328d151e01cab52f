import type { IncomingMessage } from 'node:http'
import type { Config } from '../../../config.ts'
import { html, page } from '../../../http/page.ts'
import type { Answer } from '../../../http/route.ts'
import { redirectUri } from './exchange.ts'

/**
 * Returns the requested host if it differs from the one of `BASE_URL`: the browser has the cookies of another host then,
 * so that signing in would redirect forever. Returns undefined if they match, or if a proxy does not pass the host on.
 */
export function foreignHost(req: IncomingMessage, config: Config): string | undefined {
  const host = requestedHost(req, config)
  const { protocol, host: ours } = new URL(config.baseUrl)
  const address = `${protocol}//${host}`
  return host === undefined || (URL.canParse(address) && new URL(address).host === ours)
    ? undefined
    : host.slice(0, 200)
}

export function requestedHost(req: IncomingMessage, { trustProxy }: Pick<Config, 'trustProxy'>): string | undefined {
  if (trustProxy === 0) return req.headers.host ?? ''
  const forwarded = req.headers['x-forwarded-host']
  return typeof forwarded === 'string' ? forwarded.split(',', 1)[0]?.trim() : undefined
}

/**
 * Explains that the code host redirected the browser to another host than `BASE_URL`, or that the registered callback
 * URL differs.
 */
export function mismatchPage(config: Config, host: string | undefined): Answer {
  const here = host === undefined || host === '' ? 'a host that the proxy did not report' : host
  return page(
    400,
    'The addresses do not match',
    html`<p>
        The code host redirected you to <strong>${here}</strong>, but the address of Assay is
        <strong>${config.baseUrl}</strong>. The callback URL at the code host must be
        <code>${redirectUri(config)}</code>. Trying again does not help. The administrator of this server can fix it:
      </p>
      <ul>
        <li>Set <code>BASE_URL</code> to the address that users open, with its port, and restart Assay.</li>
        <li>In the OAuth app at the code host, set the callback URL to exactly the one above.</li>
        <li>Behind a proxy, set <code>TRUST_PROXY</code> and make the proxy send <code>X-Forwarded-Host</code>.</li>
      </ul>`,
  )
}
