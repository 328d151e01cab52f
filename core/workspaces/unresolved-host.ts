/** The end of the output, where package managers report why they gave up. */
const maxTail = 65_536
const maxLine = 2_000

/** How package managers and their libraries report that a host name could not be resolved, in lower case. */
const reports = [
  'enotfound',
  'eai_again',
  'getaddrinfo',
  'could not resolve host',
  'could not reach host',
  'unknownhostexception',
  'unknown host',
  'no such host',
  'name resolution',
  'name or service not known',
  'nodename nor servname',
  'failed to lookup address',
]

/** Keeps the end of what a command prints. */
export function keepTail(): { write: (text: string) => void; text: () => string } {
  let tail = ''
  return {
    write: (text) => void (tail = (tail + text).slice(-maxTail)),
    text: () => tail,
  }
}

/** Returns the host that a command could not resolve, or undefined if its output reports no such problem. */
export function unresolvedHost(output: string): string | undefined {
  let asked: string | undefined
  let found: string | undefined
  for (const whole of output.split('\n')) {
    const line = whole.slice(-maxLine)
    const host = hostsIn(line).at(-1)
    if (reports.some((report) => line.toLowerCase().includes(report))) found = host ?? asked ?? found
    // Some name only the address, in a line before.
    if (line.includes('://')) [asked] = hostsIn(line.slice(line.lastIndexOf('://') + 3))
  }
  return found
}

const hostsIn = (line: string) =>
  line
    .split(/[^a-z0-9._-]/i)
    .map((word) => (word.endsWith('.') ? word.slice(0, -1) : word))
    .filter(isHost)

function isHost(word: string): boolean {
  // A path of a Python module has an underscore more often than a host.
  if (word.includes('_')) return false
  const labels = word.split('.')
  return labels.length > 1 && !labels.includes('') && /^[a-z]+$/i.test(labels.at(-1) ?? '')
}
