import { expect, test } from 'vitest'
import { hashPassword, verifyAgainstNothing, verifyPassword } from './hash.ts'

test('a password matches its own hash and no other', async () => {
  const hash = await hashPassword('correct horse battery')
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  expect(await verifyPassword('correct horse battery', hash)).toEqual({ matches: true, outdated: false })
  expect(await verifyPassword('correct horse batterx', hash)).toEqual({ matches: false, outdated: false })
})

test('the same password never has the same hash', async () => {
  expect(await hashPassword('correct horse battery')).not.toBe(await hashPassword('correct horse battery'))
})

test('Unicode compositions of a letter are equal', async () => {
  const hash = await hashPassword('caf\u00E9 au lait')
  expect(await verifyPassword('cafe\u0301 au lait', hash)).toMatchObject({ matches: true })
})

test('a hash with other costs still matches, and is reported as outdated', async () => {
  // From the reference implementation: argon2 0123456789abcdef -id -t 1 -k 8192 -p 1 -l 32 -e
  const cheaper = '$argon2id$v=19$m=8192,t=1,p=1$MDEyMzQ1Njc4OWFiY2RlZg$Qd/uPU2dNuqz/ljLQKUryhqKULDfO/egRNHbpCY1GDk'
  expect(await verifyPassword('correct horse battery', cheaper)).toEqual({ matches: true, outdated: true })
})

test('without a stored hash, no password matches', async () => {
  expect(await verifyAgainstNothing('')).toEqual({ matches: false, outdated: false })
})

test.each([
  '',
  'correct horse battery',
  '$argon2i$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  '$argon2id$v=16$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  '$argon2id$v=19$m=99999999,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  '$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAA',
  '$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n',
])('%j is not a valid hash and matches no password', async (stored) => {
  await expect(verifyPassword('correct horse battery', stored)).rejects.toThrow('cannot be read')
})
