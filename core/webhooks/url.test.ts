import { expect, test } from 'vitest'
import { AppError } from '../base/errors.ts'
import { acceptWebhookUrl, type UrlRules } from './url.ts'

const rules: UrlRules = { allowCidrs: [], requireHttps: false }

function refusal(text: string, given: Partial<UrlRules> = {}): string {
  try {
    acceptWebhookUrl(text, { ...rules, ...given })
  } catch (error) {
    if (error instanceof AppError && error.code === 'VALIDATION_ERROR') return error.message
    throw error
  }
  throw new Error(`${text} was accepted.`)
}

test.each([
  'https://ci.example.com',
  'https://ci.example.com:8443/hooks/assay?token=a%20b&x=ü',
  'http://ci.example.com:1/',
  'https://bücher.example/',
  'https://8.8.8.8/',
  'https://[2606:4700::1111]/',
  // Host names are resolved when a delivery is sent.
  'https://receiver.internal./hook',
])('accepts %s', (text) => {
  expect(acceptWebhookUrl(text, rules).href).toBe(new URL(text).href)
})

test.each([
  '',
  'ci.example.com/hook',
  '/hook',
  'ftp://ci.example.com/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'ws://ci.example.com/',
  'https://',
  'https://./',
  'https://ci.example.com:0/',
  'https://ci.example.com:65536/',
  'https://ci.example.com:http/',
  ' https://ci.example.com/',
  'https://ci.exam\nple.com/',
  'https://ci.example.com/\thook',
  'https:\\\\ci.example.com\\hook',
  'https://ci.example.com/\0',
  'https://[fe80::1%25eth0]/',
  'https://[::1/',
  'https://1.2.3.4.5/',
  'https://256.1.1.1/',
])('rejects %j as a URL', (text) => {
  expect(refusal(text)).toContain('Use a URL such as https://ci.example.com/hooks/assay')
})

test.each([
  'https://user:password@ci.example.com/',
  'https://user@ci.example.com/',
  'https://:password@ci.example.com/',
])('rejects credentials: %s', (text) => {
  const message = refusal(text)
  expect(message).toContain('user name or password')
  expect(message).not.toContain('password@')
})

test('rejects a fragment, even an empty one', () => {
  expect(refusal('https://ci.example.com/#part')).toContain('fragment')
  expect(refusal('https://ci.example.com/#')).toContain('fragment')
})

test('accepts 2,048 characters and not one more', () => {
  const longestUrl = `https://ci.example.com/${'x'.repeat(2_048 - 23)}`
  expect(acceptWebhookUrl(longestUrl, rules).href).toHaveLength(2_048)
  expect(refusal(`${longestUrl}x`)).toContain('longer than 2048 characters')
})

test('accepts only https if it is required', () => {
  expect(refusal('http://ci.example.com/', { requireHttps: true })).toContain('Use https')
  expect(acceptWebhookUrl('https://ci.example.com/', { ...rules, requireHttps: true }).protocol).toBe('https:')
})

test('rejects a literal address, unless its network is allowed', () => {
  expect(refusal('http://127.0.0.1:3000/')).toContain('OUTBOUND_ALLOW_CIDRS')
  expect(acceptWebhookUrl('http://0x7f.1:3000/', { ...rules, allowCidrs: ['127.0.0.0/8'] }).host).toBe('127.0.0.1:3000')
  expect(() => acceptWebhookUrl('http://[::1]/', { ...rules, allowCidrs: ['127.0.0.0/8'] })).toThrow('public internet')
})

test.each([
  'http://127.0.0.1:3000/',
  'http://[::1]/',
  'http://localhost:3000/',
  'http://LOCALHOST./',
  'http://a.localhost/',
])('the error for %s names the host and the setting that allows it', (text) => {
  const host = /\/\/\[?(.*?)\.?\]?(?::\d+)?\/$/.exec(text)?.[1]?.toLowerCase()
  expect(refusal(text)).toBe(
    `${host} is not an address of the public internet. Other addresses are refused unless the setting ` +
      'OUTBOUND_ALLOW_CIDRS of this server lists their networks, such as 127.0.0.0/8,::1/128 for the server itself.',
  )
  expect(refusal(text, { allowCidrs: ['10.0.0.0/8'] })).toContain('OUTBOUND_ALLOW_CIDRS')
  expect(acceptWebhookUrl(text, { ...rules, allowCidrs: ['127.0.0.0/8', '::1/128'] }).href).toBe(new URL(text).href)
})
