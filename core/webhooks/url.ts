import { isIP } from 'node:net'
import type { Config } from '../config.ts'
import { invalid } from '../base/errors.ts'
import { explainRefusal, hostOf, isAllowed } from '../../engines/network/addresses.ts'

export interface UrlRules {
  /** Networks that are allowed in addition to the public internet. */
  allowCidrs: readonly string[]
  requireHttps: boolean
}

export const urlRules = ({ outboundAllowCidrs, production }: Config): UrlRules => ({
  allowCidrs: outboundAllowCidrs,
  requireHttps: production,
})

const maxLength = 2_048

/**
 * Parses and checks the URL of a receiver. The addresses of its host name are checked at each attempt, since they can
 * change at any time.
 */
export function acceptWebhookUrl(text: string, { allowCidrs, requireHttps }: UrlRules): URL {
  if (text.length > maxLength) throw invalid(`The URL is longer than ${maxLength} characters. Use a shorter one.`)
  const url = isPlain(text) ? URL.parse(text) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.port === '0' || hostOf(url) === '') {
    throw invalid('The URL is not valid for a webhook. Use a URL such as https://ci.example.com/hooks/assay.')
  }
  if (requireHttps && url.protocol !== 'https:') {
    throw invalid('The URL starts with http. Use https, so that deliveries are encrypted.')
  }
  if (url.username !== '' || url.password !== '') {
    throw invalid(
      'The URL contains a user name or password. Remove it, and verify the signature of deliveries instead.',
    )
  }
  if (text.includes('#'))
    throw invalid('The URL contains a fragment, which is never sent. Remove # and everything after it.')
  const host = hostOf(url)
  // `localhost` always means loopback, whatever name servers say (RFC 6761).
  const addresses = /(?:^|\.)localhost$/.test(host) ? ['127.0.0.1', '::1'] : [host]
  const isKnown = addresses.every((address) => isIP(address) !== 0)
  if (isKnown && !addresses.some((address) => isAllowed(address, allowCidrs))) throw invalid(explainRefusal(host))
  return url
}

/** The URL parser silently drops or converts these characters, so that people would see another URL than Assay uses. */
function isPlain(text: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return !/[\s\\\u0000-\u001f\u007f]/.test(text)
}
