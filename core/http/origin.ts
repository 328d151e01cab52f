import type { IncomingMessage } from 'node:http'
import type { Config } from '../config.ts'
import { forbidden } from '../base/errors.ts'

/** Returns the origins whose pages may call with a cookie: our own and those of `CORS_ORIGINS`. */
export function trustedOrigins(config: Config): string[] {
  return [new URL(config.baseUrl).origin, ...config.corsOrigins]
}

/**
 * Prevents cross-site request forgery. Browsers send the origin with every request that may change data; other programs
 * send neither header.
 *
 * @throws AppError 403
 */
export function requireTrustedOrigin(req: IncomingMessage, config: Config): void {
  if (req.method === 'GET' || req.method === 'HEAD' || req.method === 'OPTIONS') return
  const { origin } = req.headers
  if (origin !== undefined) {
    if (trustedOrigins(config).includes(origin)) return
    throw forbidden(
      `This page is at ${origin.slice(0, 200)}, but the address of Assay is ${config.baseUrl}. ` +
        'Open it there, set BASE_URL to the address that users open, or add the origin to CORS_ORIGINS.',
    )
  }
  const site = req.headers['sec-fetch-site'] ?? 'none'
  if (site !== 'same-origin' && site !== 'none')
    throw forbidden('Pages of other sites may not call with the session cookie.')
}
