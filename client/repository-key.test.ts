import { expect, test } from 'vitest'
import { httpsAddress, isSameRepository, repositoryKey } from './repository-key.ts'

test.each([
  'https://github.com/Acme/Shop',
  'https://github.com/acme/shop.git',
  'https://user:secret@github.com/acme/shop/',
  'git@github.com:acme/shop.git',
  'ssh://git@github.com:22/acme/shop.git',
  'git://github.com/acme/shop',
  ' https://github.com/acme/shop ',
])('%s is github.com/acme/shop', (address) => {
  expect(repositoryKey(address)).toBe('github.com/acme/shop')
})

test.each([
  ['/srv/Shop', '/srv/Shop'],
  ['/srv/Shop/', '/srv/Shop'],
  ['/srv/Shop/.git', '/srv/Shop'],
  ['file:///srv/Shop', '/srv/Shop'],
  ['file:///srv/with%20space', '/srv/with space'],
])('the local address %s is %s', (address, key) => {
  expect(repositoryKey(address)).toBe(key)
})

test('distinguishes web servers on different ports', () => {
  expect(isSameRepository('http://localhost:3000/a/b', 'http://localhost:3001/a/b')).toBe(false)
})

test('owner and name match a repository on any host', () => {
  expect(isSameRepository('git@github.com:acme/shop.git', 'acme/shop')).toBe(true)
  expect(isSameRepository('git@github.com:acme/shop.git', 'shop')).toBe(false)
  expect(isSameRepository('git@github.com:megaacme/shop.git', 'acme/shop')).toBe(false)
})

test('distinguishes different repositories', () => {
  expect(isSameRepository('https://github.com/acme/shop', 'https://gitlab.com/acme/shop')).toBe(false)
  expect(isSameRepository('/srv/shop', '/srv/Shop')).toBe(false)
})

test('text that is not an address matches no repository', () => {
  for (const text of ['', ' ', '%', 'file:', 'file://%zz', 'http://', '../x']) {
    expect(isSameRepository('https://github.com/acme/shop', text)).toBe(false)
  }
})

test.each([
  ['https://github.com/Acme/Shop.git', 'https://github.com/Acme/Shop.git'],
  ['https://ada:secret@example.com:8443/a/b?token=c', 'https://example.com:8443/a/b'],
  ['git@github.com:Acme/Shop.git', 'https://github.com/Acme/Shop.git'],
  ['ssh://git@example.com:2222/a/b.git', 'https://example.com/a/b.git'],
  ['ssh://git@example.com/a/b', 'https://example.com/a/b'],
  ['/srv/git/shop.git', undefined],
  ['file:///srv/git/shop.git', undefined],
  ['../shop', undefined],
])('%s is on the web at %s, which is the same repository', (address, web) => {
  expect(httpsAddress(address)).toBe(web)
  if (web !== undefined) expect(isSameRepository(web, address)).toBe(true)
})
