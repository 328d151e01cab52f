import { OutboundRefusedError } from '../../engines/network/addresses.ts'

/** Says in one sentence, for the owner of the receiver, why there is no response. */
export class AttemptFailure extends Error {
  override name = 'AttemptFailure'
}

const sentences: Record<string, (host: string) => string> = {
  ECONNREFUSED: (host) => `${host} refuses connections on this port.`,
  EHOSTUNREACH: (host) => `The server has no route to ${host}.`,
  ENETUNREACH: (host) => `The server has no route to ${host}.`,
  ETIMEDOUT: (host) => `${host} does not accept connections.`,
  ECONNRESET: (host) => `${host} closed the connection before it answered.`,
  EPIPE: (host) => `${host} closed the connection before it answered.`,
  HPE_HEADER_OVERFLOW: (host) => `${host} answered with too many headers.`,
  ERR_TLS_CERT_ALTNAME_INVALID: (host) => `The certificate of ${host} is for another host name.`,
  ERR_SSL_WRONG_VERSION_NUMBER: (host) =>
    `No TLS connection to ${host} (ERR_SSL_WRONG_VERSION_NUMBER). Does it speak plain HTTP?`,
  CERT_HAS_EXPIRED: (host) => `The certificate of ${host} has expired.`,
  CERT_NOT_YET_VALID: (host) => `The certificate of ${host} is not valid yet.`,
  DEPTH_ZERO_SELF_SIGNED_CERT: (host) => `The certificate of ${host} is not trusted: it is self-signed.`,
  SELF_SIGNED_CERT_IN_CHAIN: (host) => `The certificate of ${host} is not trusted: its issuer is unknown.`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: (host) =>
    `The certificate of ${host} is not trusted: its issuer is unknown or the chain is incomplete.`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: (host) =>
    `The certificate of ${host} is not trusted: its issuer is unknown or the chain is incomplete.`,
}

/** This machine has no file descriptor, port or memory left for a connection. */
const localErrors = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL'])

/**
 * Describes a failed attempt, or throws the error again if the receiver did not cause it. Messages of Node are left
 * out: they may quote text that the receiver put into its certificate or response.
 */
export function explainFailure(error: unknown, host: string): string {
  if (error instanceof AttemptFailure || error instanceof OutboundRefusedError) return error.message
  const code = error instanceof Error && !(error instanceof TypeError) && 'code' in error ? String(error.code) : ''
  if (code === '' || localErrors.has(code)) throw error
  const sentence = sentences[code]
  if (sentence) return sentence(host)
  if (code.startsWith('HPE_')) return `The answer of ${host} is not HTTP (${code}).`
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO') return `No TLS connection to ${host} (${code}).`
  if (/CERT|SIGNATURE|CRL/.test(code)) return `The certificate of ${host} is not valid (${code}).`
  return `The connection to ${host} failed (${code}).`
}
