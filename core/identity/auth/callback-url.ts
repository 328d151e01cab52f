import type { Config } from '../../config.ts'
import { invalid } from '../../base/errors.ts'
import { trustedOrigins } from '../../http/origin.ts'

const longest = 2_048

/** Control characters, written with any number of percent signs encoded in one another: whoever decodes gets them. */
const encodedControl = /%(?:25)*(?:[01][0-9a-f]|7f)/i

/** What would begin another path, or another host, for a server or proxy that decodes before it looks. */
const encodedSlash = /%(?:25)*(?:2f|5c)/i

/**
 * Where to send the browser afterwards: the absolute address of a path on our own origin, or of anything on a trusted
 * one. Only what every reader takes for the same address is let through.
 *
 * @param field - the input's name, for the message
 * @throws AppError 400
 */
export function safeCallbackUrl(config: Config, text: string, field = 'callbackURL'): string {
  const refuse = (problem: string) => invalid(`${field}: ${problem}`)
  if (text.length > longest) throw refuse(`may have at most ${longest} characters`)
  // Browsers drop tabs and line feeds, and take a backslash for a slash.
  if (!/^[\x21-\x7e]+$/.test(text) || text.includes('\\') || encodedControl.test(text)) {
    throw refuse('must be printable ASCII without spaces or backslashes; encode what is not')
  }
  const trusted = trustedOrigins(config)
  const ours = new URL(config.baseUrl).origin
  const origin = text.startsWith('/') ? ours : trusted.find((each) => /^(?:$|[/?#])/.test(rest(text, each) ?? '-'))
  if (origin === undefined) {
    throw refuse(`must be a path such as /, or begin with one of ${trusted.join(', ')}`)
  }
  const [path = ''] = (text.startsWith('/') ? text : (rest(text, origin) ?? '')).split(/[?#]/, 1)
  const url = URL.canParse(text, ours) ? new URL(text, ours) : undefined
  const strange = path.startsWith('//') || url?.pathname.startsWith('//') || encodedSlash.test(path)
  if (strange || url?.origin !== origin || url.username !== '' || url.password !== '') {
    throw refuse('must be a plain path or address, without a second host in it')
  }
  return url.href
}

function rest(text: string, beginning: string): string | undefined {
  return text.startsWith(beginning) ? text.slice(beginning.length) : undefined
}
