import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { RepositoryError } from './types.ts'
import { isValidBranchName, parseRepositoryUrl } from './url.ts'

const run = promisify(execFile)

function refusal(url: string, allowLocal = false): RepositoryError {
  try {
    parseRepositoryUrl(url, { allowLocal })
  } catch (error) {
    if (error instanceof RepositoryError) return error
    throw error
  }
  throw new Error(`${url} was accepted`)
}

test('takes an https address apart', () => {
  expect(parseRepositoryUrl('https://Code.Example.com/team/app.git', { allowLocal: false })).toEqual({
    kind: 'remote',
    protocol: 'https',
    url: 'https://code.example.com/team/app.git',
    origin: 'https://code.example.com',
    hostname: 'code.example.com',
    port: 443,
  })
})

test('folds the ways to write a host into one', () => {
  const parse = (url: string) => parseRepositoryUrl(url, { allowLocal: false })
  expect(parse('http://0x7f.1:8080/app')).toMatchObject({
    url: 'http://127.0.0.1:8080/app',
    hostname: '127.0.0.1',
    port: 8080,
  })
  expect(parse('https://example.com./app')).toMatchObject({ url: 'https://example.com/app', hostname: 'example.com' })
  expect(parse('http://[::ffff:127.0.0.1]/app')).toMatchObject({ hostname: '::ffff:7f00:1', port: 80 })
  expect(parse('https://example.com/a/../b%20c')).toMatchObject({ url: 'https://example.com/b%20c' })
})

test('takes paths of this machine only where that is allowed', () => {
  expect(parseRepositoryUrl('/srv/app', { allowLocal: true })).toEqual({ kind: 'local', path: '/srv/app' })
  expect(parseRepositoryUrl('/srv//x/../app/', { allowLocal: true })).toEqual({ kind: 'local', path: '/srv/app' })
  expect(parseRepositoryUrl('file:///srv/my%20app', { allowLocal: true })).toEqual({
    kind: 'local',
    path: '/srv/my app',
  })
  expect(parseRepositoryUrl('file://localhost/srv/app', { allowLocal: true })).toEqual({
    kind: 'local',
    path: '/srv/app',
  })
  expect(refusal('/srv/app').message).toMatch(/does not analyze repositories on its own file system.*Use https/)
  expect(refusal('file:///srv/app').code).toBe('url_refused')
})

test.each([
  ['an option of git', '--upload-pack=touch /tmp/x'],
  ['a short option', '-u'],
  ['a program as transport', 'ext::sh -c touch% /tmp/x'],
  ['a descriptor as transport', 'fd::17/foo'],
  ['a transport before an address', 'file::https://example.com/app'],
  ['an https transport with a helper', 'https::https://example.com/app'],
  ['the git protocol', 'git://example.com/app'],
  ['ssh', 'ssh://git@example.com/app'],
  ['ssh with an option as host', 'ssh://-oProxyCommand=touch/app'],
  ['scp form', 'git@example.com:app.git'],
  ['scp form without user', 'example.com:app.git'],
  ['ftp', 'ftp://example.com/app'],
  ['a relative path', '../app'],
  ['a path below home', '~/app'],
  ['a name', 'team/app'],
  ['nothing', ''],
  ['a blank', ' '],
  ['a line break', 'https://example.com/app\nupload-pack'],
  ['an encoded line break', 'https://example.com/%0ahost=evil'],
  ['a null byte', 'https://example.com/app\0'],
  ['an encoded null byte', 'https://example.com/app%00'],
  ['a tab in the scheme', 'ht\ttps://example.com/app'],
  ['a line break in a path', '/srv/app\n/srv/other'],
  ['half a character', 'https://example.com/\ud800'],
  ['a user', 'https://user@example.com/app'],
  ['a password', 'https://user:secret@example.com/app'],
  ['an empty password', 'https://:@example.com/app'],
  ['a query', 'https://example.com/app?service=x'],
  ['an empty query', 'https://example.com/app?'],
  ['a fragment', 'https://example.com/app#x'],
  ['backslashes', 'https:\\\\example.com\\app'],
  ['no slashes', 'https:example.com/app'],
  ['no host', 'https:///'],
  ['no repository', 'https://example.com'],
  ['only dots as host', 'https://./app'],
  ['a bad port', 'https://example.com:99999/app'],
  ['a file of another host', 'file://example.com/srv/app'],
  ['a relative file URL', 'file:srv/app'],
  ['an encoded slash in a file URL', 'file:///srv%2fapp'],
  ['too much', `https://example.com/${'a'.repeat(2_048)}`],
])('refuses %s: %j', (_name, url) => {
  for (const allowLocal of [false, true]) {
    expect(refusal(url, allowLocal)).toMatchObject({
      code: 'url_refused',
      message: expect.stringContaining('Use https://host/path'),
    })
  }
})

test('never repeats a password that it refuses', () => {
  expect(refusal('https://user:hunter2@example.com/app').message).not.toContain('hunter2')
})

test('suggests the https address for an ssh address', () => {
  expect(refusal('git@github.com:team/app.git').message).toContain('https://github.com/team/app.git')
  expect(refusal('ssh://git@github.com/team/app.git').message).toContain('https://github.com/team/app.git')
})

const branchNames = [
  ...'main feature/a v1.0 ünïcode a@b a- @a @ heads/x A.lockk a{b} a"b $(id) ; a;b a&b a%b'.split(' '),
  ...'- --upload-pack=x -b a..b .a a/.b a.lock a.lock/b a~1 a^ a:b a? a* a[b a\\b /a a/ a//b a. @{-1} a@{1}'.split(' '),
  ...'HEAD ../a a/../b'.split(' '),
  '',
  'a b',
  'a\nb',
  'a\x7fb',
  'a\x1bb',
]

test.each(branchNames)('agrees with git on the branch name %j', async (name) => {
  const gitTakes = await run('git', ['check-ref-format', '--branch', name]).then(
    // Git expands @{-1} where it can; a name that stands for another one is none.
    ({ stdout }) => stdout === `${name}\n`,
    () => false,
  )
  expect(isValidBranchName(name)).toBe(gitTakes)
})

test('refuses branch names that no server could hold', () => {
  expect(isValidBranchName('a'.repeat(256))).toBe(false)
  expect(isValidBranchName('a\0b')).toBe(false)
  expect(isValidBranchName('\udfff')).toBe(false)
})
