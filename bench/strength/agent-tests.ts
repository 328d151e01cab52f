/**
 * Tests that agents wrote for unjs/ufo from the survivors that `find_weak_tests` named, with the functions that they check.
 */
export const agentTests = {
  repository: 'unjs/ufo',
  path: 'test/survivors.test.ts',
  head: `import { expect, test } from "vitest";
import { $URL, isEmptyURL, isScriptProtocol, joinRelativeURL, parseQuery, resolveURL, withFragment } from "../src";
`,
  tests: [
    {
      about: ['search', '$URL.search'],
      code: `test("an URL without a query has an empty search", () => {
  expect(new $URL("https://a.b/c").search).toBe("");
});
`,
    },
    {
      about: ['isAbsolute', '$URL.isAbsolute'],
      code: `test("only an absolute path or a protocol makes an URL absolute", () => {
  expect(new $URL("/c").isAbsolute).toBe(true);
  expect(new $URL("c").isAbsolute).toBe(false);
});
`,
    },
    {
      about: ['href', '$URL.href'],
      code: `test("the address of a relative URL has no host", () => {
  expect(new $URL("/c?d=1#e").href).toBe("/c?d=1#e");
});
`,
    },
    {
      about: ['isScriptProtocol'],
      code: `test("only a protocol that is a script is one", () => {
  expect(isScriptProtocol("https:")).toBe(false);
  expect(isScriptProtocol("javascript:")).toBe(true);
});
`,
    },
    {
      about: ['withFragment'],
      code: `test("an empty fragment leaves the address as it is", () => {
  expect(withFragment("https://a.b", "")).toBe("https://a.b");
  expect(withFragment("https://a.b", "#")).toBe("https://a.b");
});
`,
    },
    {
      about: ['resolveURL'],
      code: `test("a segment brings its hash, and not an empty one", () => {
  expect(resolveURL("https://a.b/c", "d#e")).toBe("https://a.b/c/d#e");
  expect(resolveURL("https://a.b/c#x", "d#")).toBe("https://a.b/c/d#x");
});
`,
    },
    {
      about: ['resolveURL'],
      code: `test("an empty search of a segment changes nothing", () => {
  expect(resolveURL("https://a.b/c?x=1", "d?")).toBe("https://a.b/c/d?x=1");
});
`,
    },
    {
      about: ['encodedAuth', '$URL.encodedAuth'],
      code: `test("an URL without credentials has no encoded ones", () => {
  expect(new $URL("https://a.b").encodedAuth).toBe("");
});
`,
    },
    {
      about: ['isEmptyURL'],
      code: `test("an empty address and the root are empty", () => {
  expect([isEmptyURL(""), isEmptyURL("/"), isEmptyURL("/a")]).toEqual([true, true, false]);
});
`,
    },
    {
      about: ['parseQuery'],
      code: `test("a query cannot name a prototype", () => {
  expect(parseQuery("__proto__=1&constructor=2&a=3")).toEqual({ a: "3" });
});
`,
    },
    {
      about: ['resolveURL'],
      code: `test("what is left of two queries without a usable name is no query", () => {
  expect(resolveURL("https://a.b/c?__proto__=1", "d?constructor=2")).toBe("https://a.b/c/d");
});
`,
    },
    {
      about: ['resolveURL'],
      code: `test("a query that need not be merged stays as it was written", () => {
  expect(resolveURL("https://a.b/c?x=%20", "d")).toBe("https://a.b/c/d?x=%20");
  expect(resolveURL("https://a.b/c", "d?x=%20")).toBe("https://a.b/c/d?x=%20");
});
`,
    },
    {
      about: ['joinRelativeURL'],
      code: `test("a root between two segments adds nothing", () => {
  expect(joinRelativeURL("a", "/", "b")).toBe("a/b");
});
`,
    },
  ],
}
