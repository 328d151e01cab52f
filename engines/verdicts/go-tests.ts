const testFunction = /^func\s+((?:Test|Example|Fuzz)(?![a-z])\w*)\s*\(/gm

/** Names of the functions that `go test` runs of a file. */
export function goTestNames(code: string): string[] {
  return [...code.matchAll(testFunction)].flatMap(([, name]) => (name === undefined || name === 'TestMain' ? [] : name))
}
