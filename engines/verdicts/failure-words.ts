/** The messages of runners for tests that did not end. */
const endless = [
  // vitest; before version 4, its JSON report contains only `STACK_TRACE_ERROR`
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

/** Messages for missing modules, fixtures and failed builds. */
const unbuilt = [
  /^(?:ModuleNotFoundError|ImportError): /,
  /^E? +fixture '.{1,200}' not found$/m,
  /^(?:Error: )?Invalid Chai property:/,
  /\[(?:build|setup) failed\]/,
]

/** Messages of matchers. The stack of their failures begins with that of the examined value. */
const matchers = [
  /^(?:Error: )?expect(?:\(|\.(?:assertions|hasAssertions)\()/,
  /^(?:Error: )?promise (?:resolved|rejected) .{0,500} instead of (?:rejecting|resolving)/s,
  /^(?:Error: )?Snapshot `.{0,2000}` mismatched/s,
  /^(?:Error: )?expected (?:any )?number of assertions?\b/,
  /^(?:Error: )?plan expected \d+ assertions/,
]

/** Jest reports failures of node:assert without their class. */
const ofNodeInJest = /^assert(?:\.\w+)?\((?:received|function|expected)\b/

const thrownAssertion =
  /^(?:.{0,200}\bcause: )?(?:Uncaught )?(?:[\w.]*\.)?(?:AssertionError|AssertError|AssertionFailedError|AssertionFailure|ComparisonFailure|MultipleFailuresError|ExpectationNotMetError|ExpectationFailedException|JestAssertionError)\b/m

/** Messages of assertions that nothing is thrown. They do not count, because any crash triggers them. */
const unwanted = [
  /[Gg]ot unwanted (?:exception|rejection)/,
  // chai and vitest, jest, ava, tape
  /^(?:\w*Error: )?expected .{0,500} to not throw\b/s,
  /^(?:Error: )?expect\(.{0,200}\)\.not\.toThrow(?:Error)?\(/,
  /^(?:assertion|operator): .{0,20}(?:notThrows|doesNotThrow)/m,
  /^(?:Error: )?promise rejected .{0,500} instead of resolving/s,
  /^Received promise rejected instead of resolved/m,
  // test-unit
  /^Exception raised:$|> exception expected but was$/m,
]

const pytest = [/^assert\b/, /^Failed: /, /^\[XPASS\(strict\)\]/]

/** Messages of assertions, for runners whose reports do not name a class. */
const others: Readonly<Record<string, RegExp>> = {
  tape: /^operator: (?!error\b|fail\b)\w|^plan !=/m,
  tap: /^compare:|^(?:found|wanted|diff):/m,
  ava: /^assertion: |^name: AssertionError|^Assertion failed$|without running any assertions/m,
  rspec: /^[ \t]*(?:expected\b|Failure\/Error: .{0,500}expect)/m,
  minitest: /^(?:Expected\b|--- expected|.{0,200}\bexpected\b.{0,200}\bbut\b|Failed assertion|No visible difference)/m,
  'test-unit': /\bexpected but was\b|\bwas expected\b|> is not true\.$/m,
  phpunit: /Failed asserting|^Failed\b/m,
  'cargo test': /^(?=(.*?assertion ))\1.* failed|assertion failed|should panic|^Error: /m,
  nextest: /^(?=(.*?assertion ))\1.* failed|assertion failed|should panic|^Error: /m,
  maven: /^(?:expected|Expected|Expecting|Wanted but not invoked)\b/m,
  gradle: /^(?:expected|Expected|Expecting|Wanted but not invoked)\b/m,
  'dotnet test': /^Assert\.\w+|^[ \t]*Expected\b/m,
}

const says = (patterns: readonly RegExp[], text: string) => patterns.some((pattern) => pattern.test(text))

export const saysTimeout = (text: string) => says(endless, text)
export const saysNotBuilt = (message: string) => says(unbuilt, message)

/** Recognizes the message of a matcher, which counts regardless of the stack. */
export const saysMatcher = (message: string) => says(matchers, message)

/** Recognizes a matcher with invalid arguments, which says nothing about the code. */
export const saysMisuse = (message: string) => /^Matcher error:/m.test(message)

/** Recognizes an assertion that failed because something was thrown. */
export function saysThrown(message: string, stack: string): boolean {
  if (says(unwanted, message)) return true
  // Python: `except Exception as error: pytest.fail(str(error))`
  const isByHand = /^Failed: (?!DID NOT RAISE)/.test(message) || /^[ \t]+(?:self\.fail|pytest\.fail)\(/m.test(stack)
  return isByHand && stack.includes('During handling of the above exception')
}

/** Recognizes an assertion by its class, which the tested code can throw as well. */
export function saysAssertion(framework: string | null, message: string, head: string): boolean {
  if (thrownAssertion.test(message) || thrownAssertion.test(head) || ofNodeInJest.test(message)) return true
  if (framework === 'pytest' && says(pytest, message)) return true
  return others[framework ?? '']?.test(message) ?? false
}

/** Recognizes errors that are thrown explicitly, not by the language itself. */
export const isPlainError = (message: string, head: string) =>
  /^(?:.{0,200}\bcause: )?(?:Error|Exception): /m.test(`${message}\n${head}`)
