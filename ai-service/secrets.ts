const redacted = '[redacted]'

/** Formats of the keys of common services. */
const shapes = [
  /\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}/g,
  /\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,})/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[\w-]{30,}/g,
  /\bxox[abeprs]-[\w-]{10,}/g,
  /\bsvc_v\d+_[\w-]{16}[\w-]*/g,
  /\bwhsec_[A-Za-z0-9+/=]{24}[A-Za-z0-9+/=]*/g,
  /(?<!\w)eyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]+/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?/g,
]
const credentialsOfAddress = /(\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@:]{1,200}:[^\s/@]{1,200}@/gi

/** An error of a provider may contain raw JSON. */
const asInJson = (secret: string) => JSON.stringify(secret).slice(1, -1)

export type Redact = (text: string) => string

/** Removes the service's own secrets from a text, and anything that looks like a key. */
export function createRedact(secrets: readonly (string | undefined)[]): Redact {
  // Shorter keys are placeholders for servers without keys. Longer keys are replaced first: if a key started with
  // another one, its end would stay.
  const own = secrets
    .flatMap((secret) => (secret !== undefined && secret.length >= 8 ? [secret, asInJson(secret)] : []))
    .toSorted((a, b) => b.length - a.length)
  return (text) => {
    let clean = text
    for (const secret of own) clean = clean.replaceAll(secret, redacted)
    for (const shape of shapes) clean = clean.replace(shape, redacted)
    return clean.replace(credentialsOfAddress, `$1${redacted}@`)
  }
}

/** Deeper than any valid answer. A model may nest without limit. */
const maxDepth = 50

/**
 * Redacts every string in a value separately. In the JSON text, a pattern could match beyond the end of a string, and
 * JSON escapes could hide a key.
 */
export function redactTexts(value: unknown, redact: Redact, depth = 0): unknown {
  if (typeof value === 'string') return redact(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth === maxDepth) return redacted
  if (Array.isArray(value)) return value.map((inner) => redactTexts(inner, redact, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [redact(name), redactTexts(inner, redact, depth + 1)]),
  )
}
