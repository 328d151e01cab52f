import type Koa from 'koa'
import { invalid } from '../base/errors.ts'

/** Half of Node's limit for all headers, so that a longer target gets an answer that explains the problem. */
const maxLength = 8_192

// Printable ASCII except the hash, and in the path except the backslash, which many programs read as a slash.
const printable = /^[!"$->@-[\]-~]*(?:\?[!"$-~]*)?$/
// Characters that must not result from decoding: separators, and control characters, which could end paths or log lines.
const disguised = /[/\\\p{Cc}]/u

/**
 * Rejects a request target that a proxy and this server could read differently, so that another spelling of a path
 * cannot bypass a rule of the proxy.
 *
 * @throws AppError 400
 */
export function requirePlainTarget(target: string): void {
  if (target.length > maxLength) {
    throw invalid(
      `The request target may have at most ${maxLength} characters. Send long input in the body of a POST, which also works for RPC queries.`,
    )
  }
  const [path = ''] = target.split('?', 1)
  if (!path.startsWith('/')) throw invalid('The request target must be a path.')
  if (!printable.test(target)) throw invalid('The request target contains characters that must be percent-encoded.')
  const segments = path.slice(1).split('/')
  for (const [index, segment] of segments.entries()) {
    if (segment === '' && index < segments.length - 1) throw invalid('The path must not contain a double slash.')
    const name = decode(segment)
    if (name === undefined) throw invalid('The path contains invalid percent-encoding.')
    if (name === '.' || name === '..') throw invalid('The path must not contain the segments "." or "..".')
    if (disguised.test(name)) {
      throw invalid('The path must not contain an encoded slash, backslash or control character.')
    }
  }
}

/** Must run before anything that reads the path, because Koa's getters throw on some targets. */
export const plainTargetOnly: Koa.Middleware = async (koa, next) => {
  const hosts = koa.req.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host')
  if (hosts.length > 1) throw invalid('The request must have exactly one Host header.')
  requirePlainTarget(koa.req.url ?? '')
  await next()
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
