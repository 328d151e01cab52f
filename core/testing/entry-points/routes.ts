import { type Probe, reasons, someTestId } from './probe.ts'

const { own, secret, signed, open, sameAnswer } = reasons

/** For every route, how to call it with ids of another tenant, or why it takes none. */
export const routes: Record<string, string | Probe[]> = {
  'GET /health': open,
  'GET /api/openapi.json': open,
  'GET /docs': open,
  'GET /assets/:name': open,
  'GET /docs/<digest>/swagger-ui.css': open,
  'GET /docs/<digest>/swagger-ui-bundle.js': open,
  'GET /docs/<digest>/start-reference.js': open,
  'GET /api/auth/get-session': own,
  'POST /api/auth/sign-in/social': open,
  'GET /api/auth/callback/code_host': secret,
  'POST /api/auth/sign-out': own,
  'POST /api/auth/sign-up/email': open,
  'POST /api/auth/sign-in/email': secret,
  'POST /api/auth/request-password-reset': sameAnswer,
  'GET /api/auth/reset-password': secret,
  'POST /api/auth/reset-password': secret,
  'POST /api/auth/send-verification-email': sameAnswer,
  'GET /api/auth/verify-email': secret,
  'POST /api/auth/verify-email': secret,
  'POST /api/auth/link-social': own,
  'GET /api/auth/list-sessions': own,
  'POST /api/auth/revoke-session': [{ input: ({ session: token }) => ({ token }) }],
  'POST /api/auth/revoke-other-sessions': own,
  'POST /api/auth/change-password': own,
  'GET /api/v1/projects': [
    { path: ({ organization }) => `/api/v1/projects?organizationId=${organization}`, status: 200 },
  ],
  'GET /api/v1/projects/:id': [{ path: ({ project }) => `/api/v1/projects/${project}` }],
  'POST /api/v1/projects/:id/analyze': [
    { path: ({ project }) => `/api/v1/projects/${project}/analyze`, input: () => ({}) },
  ],
  'POST /api/v1/projects/:id/snapshots': [
    { path: ({ project }) => `/api/v1/projects/${project}/snapshots?tree=${'a'.repeat(40)}`, input: () => ({}) },
  ],
  'POST /api/v1/projects/:id/strength': [
    { path: ({ project }) => `/api/v1/projects/${project}/strength`, input: () => ({}) },
  ],
  'GET /api/v1/projects/:id/test-speed': [{ path: ({ project }) => `/api/v1/projects/${project}/test-speed` }],
  'GET /api/v1/projects/:id/shards': [{ path: ({ project }) => `/api/v1/projects/${project}/shards?count=2` }],
  'POST /api/v1/projects/:id/shards': [
    { path: ({ project }) => `/api/v1/projects/${project}/shards`, input: () => ({ count: 2, files: ['a.test.js'] }) },
  ],
  'GET /api/v1/projects/:id/tests': [{ path: ({ project }) => `/api/v1/projects/${project}/tests` }],
  'GET /api/v1/projects/:id/tests/:testId': [
    { path: ({ project }) => `/api/v1/projects/${project}/tests/${someTestId}` },
  ],
  'POST /api/v1/projects/:id/tests/:testId/merge': [
    {
      path: ({ project }) => `/api/v1/projects/${project}/tests/${someTestId}/merge`,
      input: () => ({ from: '00000000-0000-4000-8000-000000000001' }),
    },
  ],
  'POST /api/v1/projects/:id/tests/:testId/confirmations': [
    { path: ({ project }) => `/api/v1/projects/${project}/tests/${someTestId}/confirmations`, input: () => ({}) },
  ],
  'GET /api/v1/confirmations/:id': [{ path: ({ confirmation }) => `/api/v1/confirmations/${confirmation}` }],
  'GET /api/v1/projects/:id/test-policy': [{ path: ({ project }) => `/api/v1/projects/${project}/test-policy` }],
  'POST /api/v1/projects/:id/test-policy': [
    { path: ({ project }) => `/api/v1/projects/${project}/test-policy`, input: () => ({ health: { quietDays: 3 } }) },
  ],
  'POST /api/v1/projects/:id/test-policy/preview': [
    { path: ({ project }) => `/api/v1/projects/${project}/test-policy/preview`, input: () => ({ health: {} }) },
  ],
  'GET /api/v1/projects/:id/quarantines': [{ path: ({ project }) => `/api/v1/projects/${project}/quarantines` }],
  'POST /api/v1/projects/:id/quarantines': [
    {
      path: ({ project }) => `/api/v1/projects/${project}/quarantines`,
      input: () => ({ testId: someTestId, reason: 'x' }),
    },
  ],
  'POST /api/v1/quarantines/:id/grant': [
    { path: ({ quarantine }) => `/api/v1/quarantines/${quarantine}/grant`, input: () => ({}) },
  ],
  'POST /api/v1/quarantines/:id/release': [
    { path: ({ quarantine }) => `/api/v1/quarantines/${quarantine}/release`, input: () => ({}) },
  ],
  'GET /api/v1/strength/:id': [{ path: ({ measurement }) => `/api/v1/strength/${measurement}` }],
  'POST /api/ci/trigger/:projectId': [{ path: ({ project }) => `/api/ci/trigger/${project}`, input: () => ({}) }],
  'POST /api/ci/upload/:projectId': [{ path: ({ project }) => `/api/ci/upload/${project}`, input: () => ({}) }],
  'GET /api/test-runs/:runId/status': [{ path: ({ run }) => `/api/test-runs/${run}/status` }],
  'GET /api/test-runs/:runId/events': [{ path: ({ run }) => `/api/test-runs/${run}/events` }],
  'POST /webhooks/code_host': signed,
  'POST /api/webhooks/billing': signed,
  'POST /api/webhooks/code-host-app': signed,
  'POST /api/webhooks/code-host/:projectId': [
    {
      path: ({ project }) => `/api/webhooks/code-host/${project}`,
      input: () => ({ ref: 'refs/heads/main' }),
      status: 401,
    },
  ],
  'GET /files/:projectId/:runId/*name': [{ path: ({ project }) => `/files/${project}/-/report.html` }],
  'GET /view/:token/*path': secret,
  'GET /': own,
  'GET /projects{/*path}': own,
  'GET /organizations{/*path}': own,
  'GET /settings{/*path}': own,
  'GET /system{/*path}': own,
  'GET /sign-in': open,
  'POST /sign-in': secret,
  'POST /sign-in/code-host': open,
  'GET /sign-in/local': secret,
  'GET /change-password': own,
  'POST /change-password': own,
  'GET /sign-up': open,
  'POST /sign-up': open,
  'GET /forgot-password': open,
  'POST /forgot-password': sameAnswer,
  'GET /verify-email': secret,
  'POST /verify-email': secret,
  'POST /verify-email/send': own,
  'GET /reset-password': secret,
  'POST /reset-password': secret,
  'POST /link/code-host': own,
  'POST /sign-out': own,
}
