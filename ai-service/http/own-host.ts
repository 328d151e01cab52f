import ipaddr from 'ipaddr.js'
import type { Middleware } from 'koa'
import { invalid } from '../errors.ts'
import type { State } from './announce.ts'

/**
 * Accepts only requests to a loopback name. Otherwise a web page whose host name resolves to 127.0.0.1 (DNS rebinding)
 * could send requests and read the answers.
 */
export const ownHostOnly: Middleware<State> = async (ctx, next) => {
  const { host = '' } = ctx.req.headers
  if (!isLoopback(host)) {
    throw invalid(
      `The Host header must be localhost or a loopback address, but it is ${host.slice(0, 200) || 'empty'}. ` +
        'Set AI_SERVICE_URL to http://127.0.0.1 with the port of the AI service.',
    )
  }
  await next()
}

function isLoopback(host: string): boolean {
  if (host.length > 300) return false
  const name = host.replace(/:\d{1,5}$/, '').toLowerCase()
  if (name === 'localhost') return true
  const address = /^\[.*\]$/.test(name) ? name.slice(1, -1) : name
  // Short forms such as 127.1 are not the address of a page.
  const isPlain = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address)
  return isPlain && ipaddr.process(address).range() === 'loopback'
}
