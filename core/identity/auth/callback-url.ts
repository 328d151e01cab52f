import type { Config } from '../../config.ts'
import { invalid } from '../../base/errors.ts'
import { trustedOrigins } from '../../http/origin.ts'

const maxLength = 2_048

/** Control characters, percent-encoded once or several times over. */
const encodedControl = /%(?:25)*(?:[01][0-9a-f]|7f)/i

/** A server or proxy that decodes before it routes would read these as another path or host. */
const encodedSlash = /%(?:25)*(?:2f|5c)/i

/**
 * Returns the absolute URL of a path on this server, or of a URL on a trusted origin. Rejects every URL that two parsers
 * could read differently.
 *
 * @param field - the name of the input field, for the message
 * @throws AppError 400
 */
export function safeCallbackUrl(config: Config, text: string, field = 'callbackURL'): string {
  const refuse = (problem: string) => invalid(`${field}: ${problem}`)
  if (text.length > maxLength) throw refuse(`may have at most ${maxLength} characters`)
  // Browsers remove tabs and line feeds, and read a backslash as a slash.
  if (!/^[\x21-\x7e]+$/.test(text) || text.includes('\\') || encodedControl.test(text)) {
    throw refuse('must be printable ASCII without spaces or backslashes; percent-encode other characters')
  }
  const trusted = trustedOrigins(config)
  const ours = new URL(config.baseUrl).origin
  const origin = text.startsWith('/') ? ours : trusted.find((each) => /^(?:$|[/?#])/.test(rest(text, each) ?? '-'))
  if (origin === undefined) {
    throw refuse(`must be a path such as /, or start with one of ${trusted.join(', ')}`)
  }
  const [path = ''] = (text.startsWith('/') ? text : (rest(text, origin) ?? '')).split(/[?#]/, 1)
  const url = URL.canParse(text, ours) ? new URL(text, ours) : undefined
  const strange = path.startsWith('//') || url?.pathname.startsWith('//') || encodedSlash.test(path)
  if (strange || url?.origin !== origin || url.username !== '' || url.password !== '') {
    throw refuse('must be a path or a URL without credentials, double slashes or encoded slashes')
  }
  return url.href
}

function rest(text: string, beginning: string): string | undefined {
  return text.startsWith(beginning) ? text.slice(beginning.length) : undefined
}
