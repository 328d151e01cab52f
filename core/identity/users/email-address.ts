import { domainToASCII } from 'node:url'
import { invalidField } from '../../base/errors.ts'

/** RFC 5321 counts octets. */
const maxLocalPart = 64
const maxWhole = 254

/**
 * The characters that an address may contain without quotes, plus non-ASCII letters, marks and digits. `%` and `!` are
 * excluded because some mail servers still route to hosts named with them.
 */
const localPart = /^[\p{L}\p{M}\p{N}#$&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}#$&'*+/=?^_`{|}~-]+)*$/u
const writtenDomain = /^[\p{L}\p{M}\p{N}.-]+$/u
const asciiDomain = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
/** The URL parser reads such hosts as IPv4 addresses, in any base. */
const numericEnd = /(?:^|\.)\d+$/

/**
 * Returns the canonical form of an e-mail address, which is stored, compared and mailed to. Case, full-width letters,
 * composed letters and internationalized domains do not make a different address. The result cannot end a mail header
 * or add a second recipient.
 *
 * @throws AppError 400 for an invalid address, naming the input field
 */
export function canonicalEmail(text: string, field = 'email'): string {
  // Normalization makes text up to 18 times as long. A text beyond this length cannot become a valid address.
  if (text.length > 1_000) throw noAddressIn(field)
  const [local = '', domain = '', ...more] = lowerCase(text).trim().split('@')
  if (more.length > 0 || !localPart.test(local) || !writtenDomain.test(domain)) throw noAddressIn(field)
  const ascii = domainToASCII(domain)
  if (!asciiDomain.test(ascii) || numericEnd.test(ascii)) throw noAddressIn(field)
  const email = `${local}@${ascii}`
  if (Buffer.byteLength(local) > maxLocalPart || Buffer.byteLength(email) > maxWhole) throw noAddressIn(field)
  return email
}

/** Normalizes twice, because lowercasing can undo it. A final sigma has the same capital as any other sigma. */
function lowerCase(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ').normalize('NFKC')
}

const noAddressIn = (field: string) => invalidField(field, 'must be an e-mail address such as name@example.com')

/** True for the address of the owner that local mode or `npm run owner` creates. It has no mailbox. */
export const isLocalAddress = (email: string) => email.endsWith('@localhost')
