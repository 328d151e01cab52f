import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { credentialIn } from './credential-files.ts'

// Made here, so that this file looks like no credential itself.
const random = (length: number) => 'aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY'.repeat(4).slice(0, length)
const upper = 'Q7WER2TYUIOPA3SD'
const hexadecimal = '0123456789abcdef'.repeat(4)
const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const begin = '-----BEGIN'
const body = `${random(64)}\n${random(64)}`

const found: [name: string, content: string, what: string][] = [
  ['.env', '', 'environment variables'],
  ['packages/api/.env.production', 'A=1', 'environment variables'],
  ['.ENV', 'A=1', 'environment variables'],
  ['.envrc', 'export TOKEN=1', 'environment variables'],
  ['deploy/prod.env', 'A=1', 'environment variables'],
  ['home/.ssh/id_ed25519', '', 'a private key'],
  ['tls/server.key', '', 'a private key'],
  ['home/.aws/credentials', '[default]', 'AWS credentials'],
  ['release.p12', '', 'a key store'],
  ['key.pem', pem, 'a private key'],
  ['deploy.key', `${begin} RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES,1\n\n${body}`, 'a private key'],
  ['notes.txt', `${begin} OPENSSH PRIVATE KEY-----\r\n${body}`, 'a private key'],
  ['secret.asc', `${begin} PGP PRIVATE KEY BLOCK-----\n\n${body}`, 'a private key'],
  ['account.json', JSON.stringify({ type: 'service_account', private_key: pem }), 'a private key'],
  ['.npmrc', `//registry.npmjs.org/:_authToken=${random(36)}\n`, 'an npm token'],
  ['.yarnrc.yml', `npmAuthToken: ${random(36)}\n`, 'an npm token'],
  ['.pypirc', '[pypi]\nusername = ada\npassword = hunter2\n', 'a PyPI password'],
  ['.netrc', 'machine example.com login ada password hunter2', 'a password'],
  ['.git-credentials', 'https://ada:hunter2@example.com\n', 'a password'],
  ['.pgpass', 'localhost:5432:app:ada:hunter2\n', 'a password'],
  ['.docker/config.json', '{"auths":{"x":{"auth": "YWRhOmh1bnRlcjI="}}}', 'a registry password'],
  ['src/client.ts', `const token = 'ghp_${random(36)}'`, 'a GitHub token'],
  ['a.txt', `github_pat_${random(82)}`, 'a GitHub token'],
  ['a.txt', `glpat-${random(20)}`, 'a GitLab token'],
  ['a.txt', `AKIA${upper}`, 'an AWS access key'],
  ['credentials', `[default]\naws_secret_access_key = ${random(40)}\n`, 'an AWS secret key'],
  ['a.txt', `xoxb-${random(30)}`, 'a Slack token'],
  [
    'a.txt',
    `https://hooks.slack.com/services/T${upper.slice(0, 8)}/B${upper.slice(0, 8)}/${random(24)}`,
    'a Slack webhook',
  ],
  ['a.txt', `sk_live_${random(24)}`, 'a Stripe key'],
  ['a.txt', `npm_${random(36)}`, 'an npm token'],
  ['a.txt', `pypi-AgEIcHlwaS5vcmc${random(60)}`, 'a PyPI token'],
  ['a.txt', `sk-ant-api03-${random(40)}`, 'an Anthropic key'],
  ['a.txt', `sk-proj-${random(60)}`, 'an OpenAI key'],
  ['a.txt', `AIza${random(35)}`, 'a Google API key'],
  ['a.txt', `SG.${random(22)}.${random(43)}`, 'a SendGrid key'],
  ['a.txt', `hf_${random(34)}`, 'a Hugging Face token'],
  ['a.txt', `dop_v1_${hexadecimal}`, 'a DigitalOcean token'],
  ['session.json', `{"jwt": "eyJ${random(30)}.eyJ${random(60)}.${random(43)}"}`, 'a JSON Web Token'],
  ['a.txt', "url: 'postgres://ada:hunter2@db.internal:5432/app'", 'a password in a connection string'],
  ['settings.py', 'mongodb+srv://ada:k3FqP.9x@cluster0.mongodb.net/app', 'a password in a connection string'],
  ['a.txt', 'REDIS_URL=rediss://:k3FqP9x@cache-prod:6379', 'a password in a connection string'],
  ['kubeconfig', `client-key-data: ${random(80)}`, 'a client key of Kubernetes'],
]

const harmless: [name: string, content: string][] = [
  ['.env.example', 'SECRET=changeme'],
  ['.env.local.sample', 'SECRET='],
  ['.env.template', 'SECRET='],
  ['example.env', 'SECRET='],
  ['api/.env-sample', 'SECRET='],
  ['src/.environment.ts', ''],
  ['env.ts', 'export const env = process.env'],
  ['id_rsa.pub', 'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC7 ada@example.com'],
  ['public.pem', publicKey.export({ type: 'spki', format: 'pem' }).toString()],
  ['ca.pem', `${begin} CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----`],
  ['key.test.ts', `expect(text).toContain('${begin} PRIVATE KEY-----')`],
  ['key.test.ts', `const fake = '${begin} RSA PRIVATE KEY-----\\nabc\\n-----END RSA PRIVATE KEY-----'`],
  ['key.test.ts', `expect(text).toContain('${begin} PRIVATE KEY-----')\nread('/${'folder/'.repeat(9)}')`],
  ['login.test.ts', "await signIn({ password: 'correct horse battery staple', token: 'abc123' })"],
  ['database.ts', "const url = 'postgres://test:test@localhost:5432/test'"],
  ['compose.yml', 'DATABASE_URL: postgres://postgres:postgres@db:5432/app'],
  ['readme.txt', 'mysql://user:password@host/db'],
  ['url.test.ts', "expect(hide('postgres://ada:hunter2@db.example.com/app'))"],
  ['compose.yml', 'amqp://app:${PASSWORD}@queue.internal'],
  [
    'jwt.test.ts',
    `const token = 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6Ikpv.${random(43)}'`,
  ],
  ['.npmrc', 'registry=https://registry.npmjs.org/\n//registry.npmjs.org/:_authToken=${NPM_TOKEN}\n'],
  ['.yarnrc.yml', 'npmAuthToken: ${NPM_TOKEN}\n'],
  ['.netrc', 'machine example.com login ada'],
  ['config.json', '{"auth": {"required": true}}'],
  ['github.test.ts', `const token = 'ghp_${'x'.repeat(36)}'`],
  ['aws.test.ts', "const id = 'AKIAIOSFODNN7EXAMPLE'"],
  ['stripe.ts', "const prefix = 'sk_live_'"],
  ['stripe.test.ts', `const key = 'sk_test_${random(24)}'`],
  ['class.css', '.task-proj-title { color: red }'],
  ['package-lock.json', `{ "integrity": "sha512-${random(86)}==" }`],
  ['image.png', `\0\x01ghp_${random(36)}`],
]

test('finds credentials by the names of files and by what they contain', async () => {
  await using folder = await createFolder()
  for (const [name, content, what] of found) {
    expect([name, content, await judge(folder.path, name, content)]).toEqual([name, content, what])
  }
})

test('leaves public keys, examples, placeholders and words alone', async () => {
  await using folder = await createFolder()
  for (const [name, content] of harmless) {
    expect([name, content, await judge(folder.path, name, content)]).toEqual([name, content, undefined])
  }
})

test('does not read large files or follow links', async () => {
  await using folder = await createFolder()
  const padding = '\n'.repeat(2 ** 20)
  expect(await judge(folder.path, 'small.txt', `ghp_${random(36)}`)).toBe('a GitHub token')
  expect(await judge(folder.path, 'large.txt', `ghp_${random(36)}${padding}`)).toBeUndefined()
  expect(credentialIn('missing.txt', Buffer.from(join(folder.path, 'missing.txt')))).toBeUndefined()
})

async function judge(folder: string, name: string, content: string): Promise<string | undefined> {
  const path = join(folder, 'file')
  await writeFile(path, content)
  return credentialIn(name, Buffer.from(path))
}

async function createFolder() {
  const path = await mkdtemp(join(tmpdir(), 'assay-credentials-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
