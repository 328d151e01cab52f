import type Koa from 'koa'
import { invalid } from '../base/errors.ts'

/** Half of what Node takes for all headers together, so that a longer target gets an answer that explains itself. */
const maxLength = 8_192

// Everything printable but the hash, which ends an address, and in the path the backslash, which many take for a slash.
const printable = /^[!"$-[\]-~]*(?:\?[!"$-~]*)?$/
// What must not come out of decoding: separators, and control characters, which end paths and log lines elsewhere.
const disguised = /[/\\\p{Cc}]/u

/**
 * Refuses a request target that two programs on its way could read in two ways, so that no proxy's rule is passed by
 * another spelling: what is left names one path, and names it in one way.
 *
 * @throws AppError 400
 */
export function requirePlainTarget(target: string): void {
  if (target.length > maxLength) {
    throw invalid(
      `The request target may have at most ${maxLength} characters. Send long input in the body of a POST; RPC takes queries that way too.`,
    )
  }
  const [path = ''] = target.split('?', 1)
  if (!path.startsWith('/')) throw invalid('The request target must be a path.')
  if (!printable.test(target)) throw invalid('The request target has characters that must be percent-encoded.')
  const segments = path.slice(1).split('/')
  for (const [index, segment] of segments.entries()) {
    if (segment === '' && index < segments.length - 1) throw invalid('The path has a double slash.')
    const name = decode(segment)
    if (name === undefined) throw invalid('The path has broken percent-encoding.')
    if (name === '.' || name === '..') throw invalid('The path must have no segments that are "." or "..".')
    if (disguised.test(name)) throw invalid('The path has an encoded slash, backslash or control character.')
  }
}

/** Before everything that reads the path: Koa's own getters throw on some targets. */
export const plainTargetOnly: Koa.Middleware = async (koa, next) => {
  const hosts = koa.req.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host')
  if (hosts.length > 1) throw invalid('The request must name one host.')
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
