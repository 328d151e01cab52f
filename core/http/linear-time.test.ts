import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { expectLinear, expectLinearReader, type Reader } from '../../engines/source/testing/linear-time.ts'
import { bearerToken } from '../identity/access/authenticate.ts'
import { readCookie, sessionCookie } from '../identity/sessions/cookie.ts'
import { readRange } from '../files/range.ts'
import { matchesBranch } from '../inbound/branch-pattern.ts'
import { readFacts, wantedMembers } from '../inbound/facts.ts'
import { gitLabMembers, readGitLabFacts } from '../inbound/gitlab-facts.ts'
import { readPayload } from '../inbound/receive.ts'
import { repositoryKey } from '../inbound/repository-key.ts'
import { readSignature } from '../inbound/signature.ts'
import { redactLine } from '../base/log.ts'
import { clientAddress } from './client-address.ts'
import { contentType, parseJson } from './body.ts'
import { requirePlainTarget } from './target.ts'

function requestWith(name: string, value: string): IncomingMessage {
  const req = new IncomingMessage(new Socket())
  req.headers[name] = value
  return req
}

test('a session cookie of many tabs takes linear time', async () => {
  const header = (size: number) => `${sessionCookie}=x${'\t'.repeat(size)}x`
  await expectLinear(header, 15_680, (text) => {
    for (let request = 0; request < 5; request++) readCookie(text, sessionCookie)
  })
  expect(readCookie(header(100), sessionCookie)).toHaveLength(1)
  // Longer than browsers keep any cookie.
  expect(readCookie(header(15_700), sessionCookie)).toEqual([])
})

test('a target of many question marks takes linear time', () =>
  expectLinear(
    (size) => `/${'?'.repeat(size)}\u00e9`,
    8_000,
    (text) => {
      for (let request = 0; request < 20; request++) requirePlainTarget(text)
    },
  ))

/** Headers are at most this long together. */
const maxSize = 16_000
const ofHeader = (
  name: string,
  read: (req: IncomingMessage) => unknown,
  tokens: string[],
  ordinary: string,
): Reader => ({
  name,
  read: (text) => {
    const req = requestWith(name, text.slice(0, maxSize))
    for (let request = 0; request < 10; request++) read(req)
  },
  benign: () => ordinary.padEnd(maxSize, 'x'),
  tokens,
  maxSize,
})

const readers: Reader[] = [
  ofHeader(
    'cookie',
    (req) => readCookie(req.headers.cookie, sessionCookie),
    [sessionCookie, '=', ';', '; ', '"', 'a'],
    `${sessionCookie}=a; b=c`,
  ),
  ofHeader('authorization', bearerToken, ['Bearer', 'bearer ', ' ', 'svc_v1_', 'a'], 'Bearer svc_v1_'),
  ofHeader(
    'x-forwarded-for',
    (req) => clientAddress(req, 1),
    ['1.2.3.4', ', ', ':80', '[::1]', '%a', ':', '.'],
    '1.2.3.4, ',
  ),
  ofHeader('content-type', contentType, ['application/json', ';', ' ', 'charset=', '='], 'application/json; a='),
  ofHeader('range', (req) => readRange(req.headers.range ?? '', 1_000), ['bytes=', '0', '-', ',', ' '], 'bytes=0-1'),
  ofHeader(
    'x-hub-signature-256',
    (req) => readSignature(req.headers, { legacySha1: true }),
    ['sha256=', 'ab', ','],
    'sha256=',
  ),
  {
    name: 'target',
    read: requirePlainTarget,
    benign: (size) => `/${'a/'.repeat(size / 2)}`,
    tokens: ['/', '?', '%2f', '%', 'a', '..', '#', '\\'],
    maxSize: 8_192,
  },
  {
    name: 'repository',
    read: repositoryKey,
    benign: (size) => `git@host:${'a/'.repeat(size / 2)}`,
    tokens: ['git@', 'ssh://', 'host', ':', '22', '/', '.git', 'https://', 'a', '.'],
  },
  // Branches and patterns have at most 255 characters; the time is the product of both.
  {
    name: 'branch pattern',
    read: (text) => matchesBranch(text.slice(0, 255), 'feature/'.repeat(30)),
    benign: () => 'feature/*'.repeat(28),
    tokens: ['*', '**', '?', '/', 'a', 'feature'],
  },
  {
    name: 'delivery',
    read: async (text) => {
      for (const [wanted, read] of [[wantedMembers, readFacts] as const, [gitLabMembers, readGitLabFacts] as const]) {
        const body = Buffer.from(text)
        read('push', await readPayload(body, 'application/json', { sender: 'a', wanted }))
      }
    },
    head: '{"ref": "',
    benign: (size) => `{"ref":"refs/heads/main","commits":[${'{"id":"a","message":"b"},'.repeat(size / 25)}1]}`,
    tokens: [
      'refs/heads/',
      '"',
      '"repository": {"clone_url": "',
      'https://',
      'git@a:',
      '/',
      '.git',
      ',',
      ':',
      '{',
      '}',
      '[',
      ']',
      '\\"',
      '\\u0000',
    ],
  },
  {
    name: 'body',
    read: (text) => parseJson(Buffer.from(text)),
    benign: (size) => `[${'{"a":1},'.repeat(size / 8)}1]`,
    tokens: ['{', '"a":', '[', ']', '}', ',', '1', '"', '\\u0000', '1e9'],
  },
  {
    name: 'line of the log',
    read: redactLine,
    benign: (size) => '{"msg":"request","path":"/a","status":200}'.repeat(size / 42),
    tokens: [
      'svc_v1_',
      'whsec_',
      'ghp_',
      'github_pat_',
      '-',
      'Bearer ',
      '://',
      '@',
      'a',
      '01ARZ3NDEKTSV4RRFFQ69G5FAV',
      '.',
      '0',
      ':',
      '"',
      '\\',
    ],
  },
]

test.each(readers)('$name takes linear time, whatever it is made of', expectLinearReader)
