/** What errors of networks, services and machines say. They have one cause, whichever assertion notices them. */
const ofSurroundings = [
  'econnrefused|econnreset|econnaborted|enotfound|eai_again|etimedout|ehostunreach|enetunreach|epipe|enospc|enomem',
  'emfile|enfile|eaddrinuse|connection refused|connectionrefused|connection_refused|connection reset|connection closed',
  'connection timed out|could not connect|socket hang up|fetch failed|no such host|name resolution|i/o timeout',
  'network is unreachable|deadline exceeded|service unavailable|bad gateway|gateway timeout|gateway time-out',
  'no space left|out of memory|cannot allocate memory|too many open files',
].flatMap((signs) => signs.split('|'))

/** The classes of assertions, which messages and stacks begin with. */
const thrown =
  /(?:Assertion|Assert|Expectation)(?:Failed|Not)?(?:Error|Exception|Failure|Met)|ComparisonFailure|MultipleFailuresError|XunitException/

/** What lines of assertions begin with, for reports that do not name a class. */
const beginnings: readonly RegExp[] = [
  // JavaScript, pytest and many others
  /^(?:\w{1,50}: )?(?:expect(?:ed|ing)?\b|assert\b|\[assert|Snapshot `|DID NOT (?:RAISE|WARN)|Regex pattern did not match)/i,
  /^(?:The (?:expression evaluated|input (?:did not match|was expected))|Missing expected |Got unwanted |operator: |should )/,
  /^(?:--- expected|\+ actual - expected|- Expected|Received:)/,
  /^\S{1,200} (?:[=!]==?|[<>]=?) \S{1,200}$/,
  // testify
  /^Error: (?:Not |Should|An error is expected|Received unexpected error|Expected|Elements|Max |Object|")/,
  // JVM, C++, Ruby, PHP, .NET, Swift, bats
  /^(?:Wanted but not invoked|Value of: |Failed assert|Failure\/Error: expect|Assert\.|XCTAssert|Values should be)/,
  /^`.{1,400}' failed/,
]

/** What assertions say anywhere, such as those of Rust and of unittest. */
const parts = [
  ' not equal | not found in | is not true| is not false| is not None| unexpectedly None| is not an instance of ',
  ' not less than | not greater than | != |ssertion ',
].flatMap((said) => said.split('|'))

const wanted = /\b(?:want(?:ed)?|expect(?:ed|ing)?)\b/i
const found = /\b(?:got|received|actual|but|was|were|found|instead)\b/i

/**
 * Recognizes the error of an assertion in any ecosystem. Its normalized text is generic, such as
 * `expected <number> to be <number>`, so that it tells nothing apart without the file of the test.
 *
 * @param text - normalized
 * @param head - the first line of the message or the stack, which may name a class
 */
export function isAssertion(text: string, head: string): boolean {
  if (remembered.size >= maxRemembered) remembered.clear()
  let kind = remembered.get(text)
  if (kind === undefined) remembered.set(text, (kind = kindOf(text)))
  return kind === 'unclear' ? thrown.test(head) : kind === 'assertion'
}

/** The failures of a run have few different texts, because numbers are placeholders. */
const remembered = new Map<string, ReturnType<typeof kindOf>>()
const maxRemembered = 1_000

function kindOf(text: string): 'assertion' | 'surroundings' | 'unclear' {
  const lower = text.toLowerCase()
  if (ofSurroundings.some((sign) => lower.includes(sign))) return 'surroundings'
  const isAssertion =
    parts.some((part) => text.includes(part)) ||
    text.split('\n').some((line) => beginnings.some((beginning) => beginning.test(line))) ||
    (wanted.test(text) && found.test(text))
  return isAssertion ? 'assertion' : 'unclear'
}
