/** Errors of networks, services and machines. They have one cause, whichever assertion notices them. */
const ofSurroundings =
  /\bE(?:CONN(?:REFUSED|RESET|ABORTED)|NOTFOUND|AI_AGAIN|TIMEDOUT|HOSTUNREACH|NETUNREACH|PIPE|NOSPC|NOMEM|[MN]FILE|ADDRINUSE)\b|connection (?:was )?(?:refused|reset|timed out|closed)|ConnectionRefused|no such host|name resolution|network is unreachable|could not connect|no space left|out of memory|cannot allocate memory|too many open files|deadline exceeded|i\/o timeout|socket hang up|fetch failed|service unavailable|bad gateway|gateway time-?out/i

/** The classes of assertions, which messages and stacks begin with. */
const thrown =
  /(?:Assertion|Assert|Expectation)(?:Failed|Not)?(?:Error|Exception|Failure|Met)|ComparisonFailure|MultipleFailuresError|XunitException/

/** What messages of assertions begin with, for reports that do not name a class. */
const beginnings: readonly RegExp[] = [
  // JavaScript
  /^(?:\w{1,50}: )?(?:expect(?:ed|ing)?\b|assert\b|\[assert|Snapshot `)/im,
  /^(?:The (?:expression evaluated|input (?:did not match|was expected))|Missing expected |Got unwanted |operator: |should )/m,
  /^(?:--- expected|\+ actual - expected|- Expected|Received:)/m,
  /^\S{1,200} (?:[=!]==?|[<>]=?) \S{1,200}$/m,
  // Python
  /^(?:\w{1,50}: )?(?:DID NOT (?:RAISE|WARN)|Regex pattern did not match)/m,
  /(?: not equal | not found in | is not (?:true|false|None)$| unexpectedly (?:found|None)| is not an instance of | not (?:less|greater) than | != )/m,
  // Go
  /^Error: (?:Not |Should|An error is expected|Received unexpected error|Expected|Elements|Max |Object|")/m,
  // JVM, Rust, C++, Ruby, PHP, .NET, shell
  /^(?:Wanted but not invoked|Value of: |Failed assert|Failure\/Error: expect|Assert\.|XCTAssert|Values should be)/m,
  /\bassertion\b/i,
  /^`.{1,400}' failed/m,
]

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
  if (ofSurroundings.test(text)) return false
  if (thrown.test(head) || beginnings.some((beginning) => beginning.test(text))) return true
  return wanted.test(text) && found.test(text)
}
