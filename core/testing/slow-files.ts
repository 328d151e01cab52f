/**
 * Test files that take five seconds of processor time and more, because they start many processes: the whole product,
 * repositories, sandboxes, verifications. `npm run test:quick` leaves them out.
 */
export const slowFiles = [
  'cli/{follow-run,run,work}.test.ts',
  'core/analysis/{analysis,interruption}.test.ts',
  'core/code-host/private-repository.test.ts',
  'core/files/download.test.ts',
  'core/generated-tests/{generate,generated-tests}.test.ts',
  'core/identity/auth/password/sign-in.test.ts',
  'core/identity/organizations/{invitations,roles}.test.ts',
  'core/inbound/process.test.ts',
  'core/suggestions/suggestions.test.ts',
  'core/tenants.test.ts',
  'core/test-runs/{hostile,interruption,run,trust}.test.ts',
  'core/verifications/{ground-truth,whole-thread}.test.ts',
  'core/verifications/{proof/prove,work/interruption}.test.ts',
  'engines/analysis/{analyze,run}.test.ts',
  'engines/mutation/find-mutants.test.ts',
  'engines/parsing/pool.test.ts',
  'engines/reports/json/json-stream.test.ts',
  'engines/sandbox/bwrap.test.ts',
  'engines/source/{clone,commit,hostile,on-branch}.test.ts',
  'local/{audit-verify,start}.test.ts',
  'mcp-server/{http,injection,interop,local-analysis,red-to-green,stdio}.test.ts',
  'mcp-server/protocol/confirmation.test.ts',
  'mcp-server/tools/core/{analysis,written-tests}.test.ts',
]
