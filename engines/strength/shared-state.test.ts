import { expect, test } from 'vitest'
import { parseLeniently } from '../parsing/javascript/parse-javascript.ts'
import { sharesState } from './shared-state.ts'

const shares = (source: string) => sharesState(parseLeniently(source, 'ts').program)

test.each([
  [
    'a test uses what another one computed',
    'let got; test("a", () => { got = f(1) }); test("b", () => { eq(got, 2) })',
  ],
  ['tests fill a store', 'const s = new Store(); it("a", () => s.add(1)); it("b", () => eq(s.total, 1))'],
  [
    'tests of a group fill a list',
    'describe("x", () => { const out = []; it("a", () => { out.push(f(1)) }); it("b", () => eq(out, [2])) })',
  ],
  ['a shared object is changed', 'const c = {}; test("a", () => { c.x = f(1) }); test("b", () => eq(c.x, 2))'],
  [
    'tests send requests to a made application',
    'const app = createApp(); test("a", async () => { await app.request("/a") }); test("b", async () => { await app.request("/b") })',
  ],
  [
    'a hook at the end asserts',
    'const out = []; test("a", () => { out.push(f(1)) }); after(() => assert.deepEqual(out, [2]))',
  ],
  [
    'the code fills a list',
    'const log = []; test("a", () => { save(log, 1) }); test("b", () => eq(log.slice(-2), [1]))',
  ],
  ['the exit code tells', 'test("a", () => { if (f(1) !== 2) process.exitCode = 1 })'],
  ['with each and only', 'let n = 0; test.each([1])("a %s", (x) => { n += f(x) }); test.only("b", () => eq(n, 2))'],
])('the tests of a file depend on each other: %s', (_, source) => expect(shares(source)).toBe(true))

test.each([
  [
    'imports',
    'import { f } from "./f.js"; const g = require("./g"); test("a", () => eq(f(1), g.x(2))); test("b", () => eq(f(2), g.y(3)))',
  ],
  [
    'a variable is made anew for each test',
    'let s; beforeEach(() => { s = new Store() }); test("a", () => s.add(1)); test("b", () => s.add(2))',
  ],
  [
    'tests only read data',
    'const data = { a: [1] }; const at = new Date(0); test("a", () => eq(f(data), 1)); test("b", () => eq(f(data.a), at.getTime()))',
  ],
  [
    'variables of their own',
    'test("a", () => { let n = 0; n += f(1); eq(n, 1) }); test("b", () => { let n = 0; n += f(2); eq(n, 2) })',
  ],
  ['one test uses an object', 'const s = new Store(); test("a", () => { s.add(1); eq(s.total, 1) })'],
  [
    'mocks',
    'const log = vi.fn(); test("a", () => { f(log); log.mockReset() }); test("b", () => { g(log); log.mockReset() })',
  ],
  ['a hook at the end only closes', 'const server = start; after(() => server.close()); test("a", () => eq(f(1), 2))'],
  [
    'helpers',
    'function helper() { let n = 0; n++; return n } test("a", () => eq(helper(), 1)); test("b", () => eq(helper(), 1))',
  ],
])('the tests of a file do not depend on each other: %s', (_, source) => expect(shares(source)).toBe(false))
