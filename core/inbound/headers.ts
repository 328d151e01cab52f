import type { IncomingHttpHeaders } from 'node:http'
import { invalid } from '../base/errors.ts'

export interface DeliveryHeaders {
  /** Who wrote the payload. Gitea and Forgejo write those of GitHub. */
  format: 'github' | 'gitlab'
  event: string
  deliveryId: string
}

/** Reads the event and delivery id from the headers, which have neutral names or those of a code host. */
export function readDeliveryHeaders(headers: IncomingHttpHeaders): DeliveryHeaders {
  const { 'x-gitlab-event': hook, 'x-gitlab-event-uuid': uuid } = headers
  if (hook !== undefined) {
    const isReadable = typeof hook === 'string' && /^[A-Za-z ]{1,64}$/.test(hook)
    if (isReadable && typeof uuid === 'string' && /^[A-Za-z0-9-]{1,128}$/.test(uuid)) {
      return { format: 'gitlab', event: hook, deliveryId: uuid }
    }
    throw invalid('The headers X-Gitlab-Event and X-Gitlab-Event-UUID must be present once, as GitLab sends them.')
  }
  return {
    format: 'github',
    event: readHeader(headers, 'Event', /^[A-Za-z0-9_.-]{1,64}$/),
    // GitHub sends UUIDs; other servers with its API use other formats.
    deliveryId: readHeader(headers, 'Delivery', /^[A-Za-z0-9_.:-]{1,128}$/),
  }
}

function readHeader(headers: IncomingHttpHeaders, name: string, pattern: RegExp): string {
  const lower = name.toLowerCase()
  // Gitea and Forgejo repeat their value in the headers of others.
  const senders = ['codehost', 'github', 'gitea', 'forgejo']
  const given = new Set(senders.map((sender) => headers[`x-${sender}-${lower}`]).filter((value) => value != null))
  const [value, ...more] = given
  if (typeof value === 'string' && more.length === 0 && pattern.test(value)) return value
  throw invalid(`The header X-CodeHost-${name} or X-GitHub-${name} must be present once and match ${pattern.source}.`)
}
