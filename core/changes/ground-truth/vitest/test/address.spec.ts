import { describe, expect, test } from 'vitest'
import { parseAddress, uniqueAddresses } from '../src/address.ts'

describe('parseAddress', () => {
  test('reads a name and a mailbox', () => {
    expect(parseAddress('Ada Lovelace <ada@example.com>')).toEqual({ name: 'Ada Lovelace', mailbox: 'ada@example.com' })
  })
  test('reads a plain mailbox', () => {
    expect(parseAddress('ada@example.com')).toEqual({ name: '', mailbox: 'ada@example.com' })
  })
  test.each(['ada', 'ada@', '@example.com', 'Ada <ada>', 'a b@example.com'])('refuses %s', (text) => {
    expect(() => parseAddress(text)).toThrow('is no mailbox')
  })
})

describe('uniqueAddresses', () => {
  test('keeps the first of equal mailboxes', () => {
    const ada = { name: 'Ada', mailbox: 'ada@example.com' }
    const bob = { name: 'Bob', mailbox: 'bob@example.com' }
    expect(uniqueAddresses([ada, bob, { ...ada, name: 'A.' }])).toEqual([ada, bob])
  })
})
