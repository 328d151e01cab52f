import type { IncomingMessage } from 'node:http'
import type { Config } from '../../../config.ts'
import { html, page } from '../../../http/page.ts'
import type { Answer } from '../../../http/route.ts'
import { redirectUri } from './exchange.ts'

/**
 * The host for which the call was made, where that is not the one of `BASE_URL`. Its browser has our cookies for
 * another host, and would go around in circles. Undefined if all is well, or a proxy does not pass the host on.
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
 * What people read whom the code host cannot send back to us: they came to another host, or it knows another callback
 * URL than ours.
 */
export function mismatchPage(config: Config, host: string | undefined): Answer {
  const here = host === undefined || host === '' ? 'an address that the proxy does not name' : host
  return page(
    400,
    'The addresses do not match',
    html`<p>
        You came back from the code host to <strong>${here}</strong>. Assay is set up as
        <strong>${config.baseUrl}</strong>, and the code host has to know it by the callback URL
        <code>${redirectUri(config)}</code>. Trying again would end here again; whoever runs Assay can mend it:
      </p>
      <ul>
        <li>Set <code>BASE_URL</code> to the address that people use, with its port, and start Assay again.</li>
        <li>In the OAuth app at the code host, make the callback URL exactly the one above.</li>
        <li>Behind a proxy, set <code>TRUST_PROXY</code> and let the proxy pass on <code>X-Forwarded-Host</code>.</li>
      </ul>`,
  )
}
