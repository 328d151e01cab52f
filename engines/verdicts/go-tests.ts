const testFunction = /^func\s+((?:Test|Example|Fuzz)(?![a-z])\w*)\s*\(/gm

/** Returns the names of the functions in a file that `go test` runs. */
export function goTestNames(code: string): string[] {
  return [...code.matchAll(testFunction)].flatMap(([, name]) => (name === undefined || name === 'TestMain' ? [] : name))
}
