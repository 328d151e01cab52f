const mark = '***'
/** Shorter ones would take too much else along: they are no secrets. */
const minLength = 6

/** The same of bytes on their way, whatever text they hold. */
export async function* maskBytes(
  bytes: AsyncIterable<Buffer>,
  environment: Readonly<Record<string, string>>,
): AsyncGenerator<Buffer> {
  // One character for each byte, so that what is no text comes out as it was.
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

/** Takes the values of a project's environment out of texts that people will read, each of their lines by itself too. */
export function maskOf(environment: Readonly<Record<string, string>>): (text: string) => string {
  const secrets = Object.values(environment)
    .flatMap((value) => [value, ...value.split(/\r?\n/)])
    .filter((value) => value.trim().length >= minLength)
  const longestFirst = [...new Set(secrets)].toSorted((a, b) => b.length - a.length)
  if (longestFirst.length === 0) return (text) => text
  return (text) => longestFirst.reduce((masked, secret) => masked.replaceAll(secret, mark), text)
}
