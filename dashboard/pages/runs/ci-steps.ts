import type { CiName } from './ci-names.ts'
import type { CiTests } from './ci-tests.ts'

interface CiStep {
  title: string
  /** The file or folder in the root of the repository that configures the CI system. */
  file?: string
  /** Where the address, the project and the token go. */
  where: string
  /** The step that runs the tests and uploads their reports, as in `docs/uploads.md`. */
  step: (tests: CiTests) => string
  /** What else to know. */
  note?: string
}

interface Values {
  url: string
  projectId: string
  token: string
}

const upload = 'curl --fail-with-body -sS "$SVC_BASE_URL/api/ci/upload/$ASSAY_PROJECT"'
const authorization = '-H "Authorization: Bearer $SVC_API_TOKEN"'

/** The lines that are there, at one depth. */
const lines = (indent: number, ...texts: (string | undefined)[]) =>
  texts.flatMap((text) => (text === undefined ? [] : `\n${' '.repeat(indent)}${text}`)).join('')

const item = (text: string | undefined, key = '') => text && `- ${key}${text}`

export const ciSteps: Record<CiName, CiStep> = {
  github: {
    title: 'GitHub Actions',
    file: '.github/workflows',
    where: 'Set two variables and a secret of the repository:',
    step: ({ install, test, reports }) => `jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4${lines(6, item(install, 'run: '), item(test, 'run: '))}
      - if: always()
        env:
          SVC_BASE_URL: \${{ vars.SVC_BASE_URL }}
          ASSAY_PROJECT: \${{ vars.ASSAY_PROJECT }}
          SVC_API_TOKEN: \${{ secrets.SVC_API_TOKEN }}
          BRANCH: \${{ github.head_ref || github.ref_name }}
          COMMIT: \${{ github.event.pull_request.head.sha || github.sha }}
        run: >
          ${upload} ${authorization}
          -F branch="$BRANCH" -F commitSha="$COMMIT"
          ${reports}`,
    note:
      'If a matrix divides the tests, add `-F shardKey="$GITHUB_RUN_ID-$GITHUB_RUN_ATTEMPT"`. ' +
      'Pull requests from forks have no access to secrets, so their uploads fail.',
  },
  gitlab: {
    title: 'GitLab CI',
    file: '.gitlab-ci.yml',
    where: 'Define these as CI/CD variables of the project, and mask the token:',
    step: ({ image, install, test, reports }) => `test:
  image: ${image}
  script:${lines(4, item(install), item(test))}
  after_script:
    - >
      ${upload} ${authorization}
      -F branch="$CI_COMMIT_REF_NAME" -F commitSha="$CI_COMMIT_SHA"
      ${reports}`,
    note: 'If `parallel` divides the tests, add `-F shardKey="$CI_PIPELINE_ID"`.',
  },
  jenkins: {
    title: 'Jenkins',
    file: 'Jenkinsfile',
    where: 'Define the first two as environment variables, and the token as the credential `assay-token`:',
    step: ({ install, test, reports }) => `pipeline {
  agent any
  environment { SVC_API_TOKEN = credentials('assay-token') }
  stages { stage('test') { steps { ${[install, test].flatMap((text) => (text ? `sh '${text}'` : [])).join('; ')} } } }
  post {
    always {
      sh '''
        ${upload} ${authorization} \\
          -F branch="\${GIT_BRANCH#origin/}" -F commitSha="$GIT_COMMIT" -F root="$WORKSPACE" \\
          ${reports}
      '''
    }
  }
}`,
    note: 'If parallel stages divide the tests, add `-F shardKey="$BUILD_TAG"`.',
  },
  buildkite: {
    title: 'Buildkite',
    file: '.buildkite',
    where: 'Define the first two as environment variables of the pipeline, and the token as a secret:',
    step: ({ install, test, reports }) =>
      `steps:
  - label: test
    command: |${lines(6, install, 'status=0', `${test.replace(/ #.*/, '')} || status=$?`)}
      ${upload} ${authorization} \\
        -F branch="$BUILDKITE_BRANCH" -F commitSha="$BUILDKITE_COMMIT" -F root="$PWD" \\
        ${reports}
      exit $status`.replaceAll('$', '$$$$'),
    note:
      '`$$` keeps Buildkite from replacing the variables when it reads the pipeline. ' +
      'If `parallelism` divides the tests, add `-F shardKey="$$BUILDKITE_BUILD_ID"`.',
  },
  circleci: {
    title: 'CircleCI',
    file: '.circleci',
    where: 'Define these as environment variables of the project:',
    step: ({ image, install, test, reports }) => `version: 2.1
jobs:
  test:
    docker: [{ image: ${image} }]
    steps:
      - checkout${lines(6, item(install, 'run: '), item(test, 'run: '))}
      - run:
          when: always
          command: >
            ${upload} ${authorization}
            -F branch="$CIRCLE_BRANCH" -F commitSha="$CIRCLE_SHA1"
            ${reports}
workflows:
  test: { jobs: [test] }`,
    note: 'If `parallelism` divides the tests, add `-F shardKey="$CIRCLE_WORKFLOW_ID"`.',
  },
  shell: {
    title: 'Another CI',
    where: 'Set these in the environment of the job:',
    step: ({ test, reports }) => `${test}
${upload} ${authorization} \\
  -F branch=main -F commitSha="$(git rev-parse HEAD)" -F root="$PWD" \\
  ${reports}`,
    note: '`assay upload` does the same and finds branch, commit and files by itself.',
  },
}

/** Returns how to give the CI system the address, the project and the token. */
export function variablesOf(name: CiName, { url, projectId, token }: Values): string {
  if (name === 'github') {
    return [
      `gh variable set SVC_BASE_URL --body '${url}'`,
      `gh variable set ASSAY_PROJECT --body '${projectId}'`,
      `gh secret set SVC_API_TOKEN --body '${token}'`,
    ].join('\n')
  }
  const names = [`SVC_BASE_URL=${url}`, `ASSAY_PROJECT=${projectId}`, `SVC_API_TOKEN=${token}`]
  return names.map((line) => (name === 'shell' ? `export ${line}` : line)).join('\n')
}
