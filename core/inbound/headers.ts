import type { IncomingHttpHeaders } from 'node:http'
import { invalid } from '../base/errors.ts'

/** Reads the event and delivery id from the headers, which have neutral names or GitHub's. */
export function readDeliveryHeaders(headers: IncomingHttpHeaders): { event: string; deliveryId: string } {
  return {
    event: readHeader(headers, 'Event', /^[A-Za-z0-9_.-]{1,64}$/),
    // GitHub sends UUIDs; other servers with its API use other formats.
    deliveryId: readHeader(headers, 'Delivery', /^[A-Za-z0-9_.:-]{1,128}$/),
  }
}

function readHeader(headers: IncomingHttpHeaders, name: string, pattern: RegExp): string {
  const lower = name.toLowerCase()
  const given = new Set([headers[`x-codehost-${lower}`], headers[`x-github-${lower}`]].filter((value) => value != null))
  const [value, ...more] = given
  if (typeof value === 'string' && more.length === 0 && pattern.test(value)) return value
  throw invalid(`The header X-CodeHost-${name} or X-GitHub-${name} must be present once and match ${pattern.source}.`)
}
