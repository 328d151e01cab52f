import { expect, test } from 'vitest'
import { normalizeError } from './normalize-error.ts'

test.each([
  ['expected 3 to equal 4', 'expected 17 to equal -4.5'],
  ['expected 12px to be 13px', 'expected 120px to be 9px'],
  ['items [1, 2, 3] are too many', 'items [1, 2, 3, 4, 5] are too many'],
  ['user 6f9619ff-8b86-d011-b42d-00c04fc964ff is gone', 'user 7a1c19ff-8b86-d011-b42d-00c04fc96400 is gone'],
  ['segfault at 0x7ffe12ab', 'segfault at 0x00001'],
  ['com.acme.Money@1b6d3586 is null', 'com.acme.Money@4554617c is null'],
  ['<shop.Money object at 0x7f81> is not 3', '<shop.Money object at 0x7fa09b> is not 3'],
  ['$Proxy12 cannot be cast', '$Proxy7 cannot be cast'],
  ['Timed out after 5000ms', 'Timed out after 5.1 s'],
  ['took 3m 2s', 'took 45.2s'],
  ['no answer after 1m23.5s', 'no answer after 7.25s'],
  ['started 2026-11-20T10:00:00.123Z', 'started 2025-01-02 23:59:59'],
  ['at Fri, 20 Nov 2026 10:00:00 GMT', 'at Sat, 2 Jan 2027 01:12:13 GMT'],
  [
    'since Fri Nov 20 2026 10:00:00 GMT+0000 (Coordinated Universal Time)',
    'since Sat Jan 02 2027 00:00:01 GMT+0100 (CET)',
  ],
  ['of 11/20/2026, 10:00:00 AM', 'of 1/2/2027, 9:15:10 PM'],
  ["no such file '/tmp/pytest-of-me/pytest-3/a.txt'", "no such file '/var/folders/x/y/T/other/a.txt'"],
  ["no such file 'C:\\Users\\ci\\AppData\\Local\\Temp\\x1\\a.txt'", "no such file '/tmp/other/a.txt'"],
  ["cannot read '/tmp/tmp8xk2.json'", "cannot read '/tmp/tmpq0zz.json'"],
  ["cannot open '/home/me/shop/data/a.json'", "cannot open '/builds/17/shop/data/a.json'"],
  ['connect ECONNREFUSED 127.0.0.1:43211', 'connect ECONNREFUSED localhost:8080'],
  ['connect ECONNREFUSED ::1:54321', 'connect ECONNREFUSED 127.0.0.1:80'],
  ['dial tcp [::1]:5432: refused', 'dial tcp 10.0.3.17:5432: refused'],
  ['GET http://localhost:3000/items?n=17 failed', 'GET http://127.0.0.1:43211/items?n=4 failed'],
  ['key "a8f5f167f44f4964e6c998dee827110c" is unknown', 'key "0cc175b9c0f1b6a831c399e269772661" is unknown'],
  ['commit 3f2a9bc is missing', 'commit a81d09f is missing'],
  ['token Zm9vYmFyMTIzNDU2Nzg5MA+/x9== expired', 'token kJ8sQ2pLm3Vx9Rt0Yw7ZbA4cDe== expired'],
  ['order 01ARZ3NDEKTSV4RRFFQ69G5FAV', 'order 01BX5ZZKBKACTAV9WEVGEMMVRZ'],
  ['database shop_test_k3j9x2ab exists', 'database shop_test_9qwz71lm exists'],
  ['worker-3 of pool-12 died (pid 4711)', 'worker-11 of pool-2 died (pid 99)'],
  [
    "thread 'tests::adds' (14755) panicked at src/lib.rs:28:13:\nno money",
    "thread 'tests::pays' panicked at src/lib.rs:1:2:\nno money",
  ],
  ['money_test.go:12: no money', 'cart_test.go:7: no money'],
  ['debug output\nmoney_test.go:12: no money', 'money_test.go:12: no money'],
  ['\u001b[31mexpected true\u001b[0m', 'expected true'],
  ['[31mexpected true[39m', 'expected true'],
  ['no money\n    at a.ts:3:4\n    at b.ts:5:6', 'no money\n    at c.ts:9:9'],
  ["Cannot find module './x' imported from /app/a.test.ts", "Cannot find module './x' imported from b.test.ts"],
  ['  many   spaces ', 'many spaces'],
])('groups %j and %j as one error', (one, other) => {
  expect(normalizeError(one)).toEqual(normalizeError(other))
})

test.each([
  ['expected true to be false', 'expected false to be true'],
  ['expected 1 to be 2', "expected 'a' to contain 'b'"],
  ['no such table users', 'no such table orders'],
  ["Cannot read 'a' of undefined", "Cannot read 'b' of undefined"],
  ['TypeError: x', 'RangeError: x'],
  ['utf8 is expected', 'utf16 is expected'],
  ['sha256 is expected', 'sha512 is expected'],
  ['GET /api/users failed', 'GET /api/orders failed'],
  ['getaddrinfo ENOTFOUND mail.shop.example', 'getaddrinfo ENOTFOUND api.shop.example'],
  ["no such file '/tmp/x1/orders.json'", "no such file '/tmp/x2/customers.json'"],
  ['testUserCanLogin2WithEmail is not defined', 'testUserCanLogin2WithPhone is not defined'],
  ['module shop-pricing-engine is missing', 'module shop-tax-engine is missing'],
  ['expected undefined to be 2', 'expected null to be 2'],
  ['at least one user is needed', 'at most one user is needed'],
])('groups %j and %j as two errors', (one, other) => {
  expect(normalizeError(one)).not.toBe(normalizeError(other))
})

test('names files of the repository by their paths in it', () => {
  const options = { roots: ['/app', 'D:\\a\\shop\\shop'], file: 'test/a.test.ts', suite: '' }
  expect(normalizeError('cannot parse /app/src/data.json:3:1', options)).toBe('cannot parse src/data.json')
  expect(normalizeError('cannot parse D:\\a\\shop\\shop\\src\\data.json', options)).toBe('cannot parse src/data.json')
  expect(normalizeError('no tests in file:///app/test/a.test.ts', options)).toBe('no tests in <test file>')
})

test('keeps the shown error readable and short', () => {
  expect(normalizeError('AssertionError: expected 3 to equal 4')).toBe(
    'AssertionError: expected <number> to equal <number>',
  )
  expect(normalizeError(null)).toBe('')
  expect(normalizeError('word '.repeat(100_000)).length).toBeLessThanOrEqual(500)
})

test.each([
  '1'.repeat(200_000),
  'a1-'.repeat(70_000),
  '"'.repeat(200_000),
  '/tmp/'.repeat(40_000),
  '1:1:'.repeat(50_000),
])('bounds hostile texts', (text) => {
  expect(normalizeError(text).length).toBeLessThanOrEqual(500)
})
