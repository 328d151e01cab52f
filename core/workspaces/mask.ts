const mark = '***'
/** Shorter values are not secrets, and masking them would destroy other text. */
const minLength = 6

/** Masks the values of a project's environment in a stream of bytes. */
export async function* maskBytes(
  bytes: AsyncIterable<Buffer>,
  environment: Readonly<Record<string, string>>,
): AsyncGenerator<Buffer> {
  // Latin-1 has one character per byte, so that binary data does not change.
  const asBytes = (text: string) => Buffer.from(text).toString('latin1')
  const secrets = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, asBytes(value)]))
  const mask = maskOf(secrets)
  const held = Math.max(0, ...Object.values(secrets).map(({ length }) => length - 1))
  let rest = ''
  for await (const chunk of bytes) {
    const text = mask(rest + chunk.toString('latin1'))
    rest = held === 0 ? '' : text.slice(-held)
    yield Buffer.from(text.slice(0, text.length - rest.length), 'latin1')
  }
  yield Buffer.from(rest, 'latin1')
}

/** Returns a function that masks the values of a project's environment in a text, and the single lines of each value. */
export function maskOf(environment: Readonly<Record<string, string>>): (text: string) => string {
  const secrets = Object.values(environment)
    .flatMap((value) => [value, ...value.split(/\r?\n/)])
    .filter((value) => value.trim().length >= minLength)
  const longestFirst = [...new Set(secrets)].toSorted((a, b) => b.length - a.length)
  if (longestFirst.length === 0) return (text) => text
  return (text) => longestFirst.reduce((masked, secret) => masked.replaceAll(secret, mark), text)
}
