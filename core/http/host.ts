import ipaddr from 'ipaddr.js'
import type Koa from 'koa'
import type { Config } from '../config.ts'
import { invalid } from '../base/errors.ts'
import { canonicalAddress } from './client-address.ts'

/**
 * In local mode, accepts only calls to loopback names. Otherwise a page whose host name resolves to 127.0.0.1 (DNS
 * rebinding) would have our origin and could read every response. In production, proxies choose the Host header.
 */
export function ownHostOnly(config: Config): Koa.Middleware {
  return async (koa, next) => {
    const { host } = koa.req.headers
    if (config.local && !isOwn(host, config)) {
      throw invalid(
        `In local mode, the Host header must be localhost or a loopback address, but it is ${host?.slice(0, 200) || 'empty'}. ` +
          `Open ${config.baseUrl}, or set BASE_URL to the address that you use.`,
      )
    }
    await next()
  }
}

function isOwn(host: string | undefined, { baseUrl }: Config): boolean {
  const name = /^(\[[^\]]*\]|[^:]*)(?::\d{1,5})?$/.exec(host ?? '')?.[1]?.toLowerCase()
  if (!name) return false
  if (name === 'localhost' || name === new URL(baseUrl).hostname) return true
  const address = canonicalAddress(name)
  return address !== undefined && ipaddr.parse(address).range() === 'loopback'
}
