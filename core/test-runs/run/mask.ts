const mark = '***'
/** Shorter ones would take too much else along: they are no secrets. */
const leastLength = 6

/** Takes the values of a project's environment out of texts that people will read, each of their lines by itself too. */
export function maskOf(environment: Readonly<Record<string, string>>): (text: string) => string {
  const secrets = Object.values(environment)
    .flatMap((value) => [value, ...value.split(/\r?\n/)])
    .filter((value) => value.trim().length >= leastLength)
  const longestFirst = [...new Set(secrets)].toSorted((a, b) => b.length - a.length)
  if (longestFirst.length === 0) return (text) => text
  return (text) => longestFirst.reduce((masked, secret) => masked.replaceAll(secret, mark), text)
}
