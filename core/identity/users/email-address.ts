import { domainToASCII } from 'node:url'
import { invalidField } from '../../base/errors.ts'

/** RFC 5321 counts octets. */
const maxLocalPart = 64
const maxWhole = 254

/**
 * What may stand in an address without quotes; beyond ASCII letters, marks and digits. No part is empty. Percent and
 * exclamation marks once named further hosts on the way, and some mail servers still go there.
 */
const localPart = /^[\p{L}\p{M}\p{N}#$&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}#$&'*+/=?^_`{|}~-]+)*$/u
const writtenDomain = /^[\p{L}\p{M}\p{N}.-]+$/u
const asciiDomain = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
/** The URL parser reads such hosts as IPv4, in any base, and so would name a machine and not a mail domain. */
const numericEnd = /(?:^|\.)\d+$/

/**
 * The one spelling of an e-mail address: what is stored, compared and mailed to. Case, full-width and composed letters
 * make no other address, and neither does a domain in its own script. Nothing that gets through can end a mail header
 * or name a second recipient.
 *
 * @throws AppError 400 for what is no address, naming the field of the input
 */
export function canonicalEmail(text: string, field = 'email'): string {
  // Normalisation makes text up to 18 times as long; nothing beyond this could become an address.
  if (text.length > 1_000) throw noAddressIn(field)
  const [local = '', domain = '', ...more] = lowerCase(text).trim().split('@')
  if (more.length > 0 || !localPart.test(local) || !writtenDomain.test(domain)) throw noAddressIn(field)
  const ascii = domainToASCII(domain)
  if (!asciiDomain.test(ascii) || numericEnd.test(ascii)) throw noAddressIn(field)
  const email = `${local}@${ascii}`
  if (Buffer.byteLength(local) > maxLocalPart || Buffer.byteLength(email) > maxWhole) throw noAddressIn(field)
  return email
}

/** Lower case can undo normalisation, hence twice. A final sigma is the small form of the same capital as any other. */
function lowerCase(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ').normalize('NFKC')
}

const noAddressIn = (field: string) => invalidField(field, 'must be an e-mail address such as name@example.com')

/** Of the owner whom local mode or a command makes: no mailbox, and nobody can prove to have it. */
export const isLocalAddress = (email: string) => email.endsWith('@localhost')
