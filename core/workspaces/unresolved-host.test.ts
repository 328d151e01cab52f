import { expect, test } from 'vitest'
import { keepTail, unresolvedHost } from './unresolved-host.ts'

test.each([
  [
    'npm',
    'npm error network request to https://registry.npmjs.org/a failed, reason: getaddrinfo EAI_AGAIN registry.npmjs.org',
    'registry.npmjs.org',
  ],
  ['pnpm', 'request to https://r.test/a failed, reason: getaddrinfo ENOTFOUND r.test', 'r.test'],
  [
    'pip',
    `NameResolutionError("<HTTPSConnection object>: Failed to resolve 'pypi.org' ([Errno -3] Temporary failure in name resolution)")`,
    'pypi.org',
  ],
  [
    'uv',
    'error sending request for url (https://pypi.org/simple/a/)\n  dns error: failed to lookup address information',
    'pypi.org',
  ],
  [
    'an older pip',
    'Looking in indexes: https://pypi.org/simple/a.tar.gz\n<pip._vendor.urllib3.connection.HTTPSConnection object at 0x7f>: [Errno -3] Temporary failure in name resolution',
    'pypi.org',
  ],
  ['cargo', '[6] Could not resolve hostname (Could not resolve host: index.crates.io)', 'index.crates.io'],
  ['go', 'dial tcp: lookup proxy.golang.org on 10.0.0.1:53: no such host', 'proxy.golang.org'],
  ['bundler', 'Could not reach host rubygems.org. Check your network connection and try again.', 'rubygems.org'],
  ['gem', 'Failed to open TCP connection to rubygems.org:443 (getaddrinfo: Name or service not known)', 'rubygems.org'],
  ['composer', 'curl error 6: Could not resolve host: repo.packagist.org', 'repo.packagist.org'],
  ['maven', 'repo.maven.apache.org: Temporary failure in name resolution', 'repo.maven.apache.org'],
  ['gradle', 'java.net.UnknownHostException: plugins.gradle.org', 'plugins.gradle.org'],
  ['dotnet', 'error NU1301: Name or service not known (api.nuget.org:443)', 'api.nuget.org'],
])('finds the host that %s could not resolve', (_, output, host) => {
  expect(unresolvedHost(`Collecting\n${output}\nbye`)).toBe(host)
})

test('finds no host in other failures', () => {
  for (const output of ['', 'npm error 404 https://registry.npmjs.org/nowhere', "error: Can't resolve './cart.js'"]) {
    expect(unresolvedHost(output)).toBeUndefined()
  }
})

test('keeps the end of a long output', () => {
  const tail = keepTail()
  for (let line = 0; line < 10_000; line++) tail.write(`line ${line} ${'x'.repeat(100)}\n`)
  tail.write('Could not resolve host: a.test')
  expect(tail.text().length).toBeLessThanOrEqual(65_536)
  expect(unresolvedHost(tail.text())).toBe('a.test')
})
