import { expect, test } from 'vitest'
import { readStorage } from './storage-url.ts'

const dataDir = '/var/lib/assay'
const read = (STORAGE_URL?: string, aws = {}) => readStorage({ STORAGE_URL, ...aws }, dataDir)

test('files are stored in the data folder by default', () => {
  for (const text of [undefined, 'file:']) {
    expect(read(text).storage).toEqual({ kind: 'folder', path: '/var/lib/assay/files' })
  }
  for (const text of ['file:/srv/my%20files', 'file:///srv/my%20files']) {
    expect(read(text).storage).toEqual({ kind: 'folder', path: '/srv/my files' })
  }
})

test('accepts a bucket of Amazon S3 or of another server', () => {
  expect(read('s3://my-bucket?region=eu-central-1').storage).toEqual({
    kind: 's3',
    bucket: 'my-bucket',
    endpoint: undefined,
    region: 'eu-central-1',
    prefix: '',
    credentials: undefined,
  })
  expect(read('s3://my-bucket', { AWS_REGION: 'eu-west-1' }).storage).toMatchObject({ region: 'eu-west-1' })
  const aws = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret', AWS_SESSION_TOKEN: 'session' }
  expect(read('s3://b-1/?endpoint=http://127.0.0.1:9000&prefix=assay/files/', aws).storage).toEqual({
    kind: 's3',
    bucket: 'b-1',
    endpoint: 'http://127.0.0.1:9000',
    region: 'us-east-1',
    prefix: 'assay/files/',
    credentials: { accessKeyId: 'id', secretAccessKey: 'secret', sessionToken: 'session' },
  })
})

test.each([
  'files',
  'file:files',
  'file:./files',
  'file://host/files',
  'file:/a?b',
  'https://bucket',
  'ftp:/x',
  '/srv',
])('%j is refused with an example of a valid URL', (text) =>
  expect(read(text).problems).toEqual([expect.stringContaining('file:/absolute/folder or s3://bucket')]),
)

test('reports all problems of a bucket at once, without repeating a secret', () => {
  const { problems } = read('s3://user:hunter2@B/folder?endpoint=ftp://hunter2@x&prefix=../up&acl=public', {
    AWS_ACCESS_KEY_ID: 'hunter2',
  })
  for (const words of ['credentials', 'valid bucket', 'after the bucket', 'acl', 'endpoint', 'prefix', 'AWS_SECRET']) {
    expect(problems.join('\n')).toContain(words)
  }
  expect(problems).toHaveLength(7)
  expect(problems.join()).not.toContain('hunter2')
  expect(read('s3://bucket').problems).toEqual([expect.stringContaining('AWS_REGION')])
  expect(read('s3://').problems).toContainEqual(expect.stringContaining('valid bucket'))
})
