/** What runners say of a test that never ended. */
const endless = [
  // vitest; before its version 4 the JSON report has this word alone
  /(?:Test|Hook) timed out in \d+ ?ms|^Error: STACK_TRACE_ERROR$/m,
  /Exceeded timeout of \d+ ?ms for a (?:test|hook)/,
  // mocha
  /Timeout of \d+ms exceeded/,
  // node:test, tape, Playwright
  /test timed out after \d+ms|testTimeoutFailure|timed out after \d+ ?ms|Test timeout of \d+ms exceeded/,
  /Timed out while running tests/,
  // pytest-timeout, and go
  /^(?:Failed: )?Timeout \(?>|panic: test timed out after|all goroutines are asleep - deadlock!/m,
  // JUnit
  /TimeoutException|TestTimedOutException|execution timed out after/,
]

/** What the test needs is not there. */
const unbuilt = [
  /^(?:ModuleNotFoundError|ImportError): /,
  /^E? +fixture '.{1,200}' not found$/m,
  /^(?:Error: )?Invalid Chai property:/,
  /\[(?:build|setup) failed\]/,
]

/** Matchers, whose failures hold the stack of what they looked at before their own. */
const matchers = [
  /^(?:Error: )?expect(?:\(|\.(?:assertions|hasAssertions)\()/,
  /^(?:Error: )?promise (?:resolved|rejected) .{0,500} instead of (?:rejecting|resolving)/s,
  /^(?:Error: )?Snapshot `.{0,2000}` mismatched/s,
  /^(?:Error: )?expected (?:any )?number of assertions?\b/,
  /^(?:Error: )?plan expected \d+ assertions/,
]

/** Jest's own words for those of node:assert, which it names no class of. */
const ofNodeInJest = /^assert(?:\.\w+)?\((?:received|function|expected)\b/

const thrownAssertion =
  /^(?:.{0,200}\bcause: )?(?:Uncaught )?(?:[\w.]*\.)?(?:AssertionError|AssertError|AssertionFailedError|AssertionFailure|ComparisonFailure|MultipleFailuresError|ExpectationNotMetError|ExpectationFailedException|JestAssertionError)\b/m

/** What only says that something was thrown, by assertions that nothing is: so it was not they who noticed. */
const unwanted = [
  /[Gg]ot unwanted (?:exception|rejection)/,
  // chai and vitest, jest, ava, tape
  /^(?:\w*Error: )?expected .{0,500} to not throw\b/s,
  /^(?:Error: )?expect\(.{0,200}\)\.not\.toThrow(?:Error)?\(/,
  /^(?:assertion|operator): .{0,20}(?:notThrows|doesNotThrow)/m,
  /^(?:Error: )?promise rejected .{0,500} instead of resolving/s,
  /^Received promise rejected instead of resolved/m,
]

const pytest = [/^assert\b/, /^Failed: /, /^\[XPASS\(strict\)\]/]

/** Runners whose reports name no class, by what their assertions say. */
const others: Readonly<Record<string, RegExp>> = {
  tape: /^operator: (?!error\b|fail\b)\w|^plan !=/m,
  tap: /^compare:|^(?:found|wanted|diff):/m,
  ava: /^assertion: |^name: AssertionError|^Assertion failed$|without running any assertions/m,
  rspec: /^\s*(?:expected\b|Failure\/Error: .{0,500}expect)/m,
  minitest: /^(?:Expected\b|--- expected|.{0,200}\bexpected\b.{0,200}\bbut\b|Failed assertion|No visible difference)/m,
  phpunit: /Failed asserting|^Failed\b/m,
  'cargo test': /assertion `?.{0,200} failed|assertion failed|should panic|^Error: /m,
  nextest: /assertion `?.{0,200} failed|assertion failed|should panic|^Error: /m,
  maven: /^(?:expected|Expected|Expecting|Wanted but not invoked)\b/m,
  gradle: /^(?:expected|Expected|Expecting|Wanted but not invoked)\b/m,
  'dotnet test': /^Assert\.\w+|^\s*Expected\b/m,
}

const says = (patterns: readonly RegExp[], text: string) => patterns.some((pattern) => pattern.test(text))

export const saysTimeout = (text: string) => says(endless, text)
export const saysNotBuilt = (message: string) => says(unbuilt, message)

/** A matcher's own message, which counts whatever the stack says. */
export const saysMatcher = (message: string) => says(matchers, message)

/** A matcher that was given what it does not take says nothing of the code. */
export const saysMisuse = (message: string) => /^Matcher error:/m.test(message)

/** A test that failed because something was thrown, in the words of an assertion that nothing would be. */
export function saysThrown(message: string, stack: string): boolean {
  if (says(unwanted, message)) return true
  // Python: `except Exception as error: pytest.fail(str(error))`
  const isByHand = /^Failed: (?!DID NOT RAISE)/.test(message) || /^\s+(?:self\.fail|pytest\.fail)\(/m.test(stack)
  return isByHand && stack.includes('During handling of the above exception')
}

/** An assertion by its class, which code under test may throw as well. */
export function saysAssertion(framework: string | null, message: string, head: string): boolean {
  if (thrownAssertion.test(message) || thrownAssertion.test(head) || ofNodeInJest.test(message)) return true
  if (framework === 'pytest' && says(pytest, message)) return true
  return others[framework ?? '']?.test(message) ?? false
}

/** An error that somebody threw, and no language by itself. */
export const isPlainError = (message: string, head: string) =>
  /^(?:.{0,200}\bcause: )?(?:Error|Exception): /m.test(`${message}\n${head}`)
